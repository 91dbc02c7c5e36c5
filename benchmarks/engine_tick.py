"""One tick of the engine on an omnidirectional walk: its time, beside the physics of the same tick, and its memory."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from statistics import median
from time import perf_counter

import mujoco
import numpy as np

from benchmarks.row import Row, Setting, at_most, told
from benchmarks.timing import quiet, ratio
from gangart.control import BipedEngine
from gangart.robots import load
from gangart.signals import Array, Command, SensorReading
from gangart.simulation import World

HOLD = 2.0  # [s] between two changes of the command
MEDIAN_BAR, TAIL_BAR = 100.0, 300.0  # [µs]
GROWTH_TICKS = 10_000
GROWTH_BAR = 100.0  # [kB] over all of them: the allocator rounds, and one array kept per tick would be a thousand


def rows(setting: Setting) -> list[Row]:
    """Median and 99th percentile of a tick, and what 10,000 ticks leave behind."""
    robot = load("nao")
    walk, physics = Walk(BipedEngine(robot)), Physics(World(robot))
    ticks = setting.rounds(2000, 1000)
    walk.run(ticks), physics.tick()  # warm
    middles, tails, bare = [], [], []
    for _ in range(setting.rounds(7, 3)):
        seconds = walk.run(ticks)
        middles.append(float(np.median(seconds)))
        tails.append(float(np.percentile(seconds, 99)))
        bare.append(physics.tick())
    middle, tail = median(middles), median(tails)
    how = f"{ticks} ticks, commands all ways and changed every {HOLD:g} s; median of {len(middles)} rounds"
    return [
        told(
            "engine tick / bare mj_step of the same tick", ratio(middles, bare), "x",
            f"{physics.substeps} steps of {1e3 * robot.tick / physics.substeps:g} ms, standing, in a loop of mj_step",
            tick=middle, mj_step=median(bare),
        ),
        at_most("engine tick, median", 1e6 * middle, "µs", MEDIAN_BAR,
                f"{how}: {100 * middle / robot.tick:.2g} % of the tick", tick=middle),
        at_most("engine tick, 99th percentile", 1e6 * tail, "µs", TAIL_BAR,
                "the same ticks, with those that plan the coming steps anew", tick=tail),
        _growth(walk),
    ]  # fmt: skip


def _growth(walk: Walk) -> Row:
    """How much more memory the process holds after many ticks [kB]; it has settled in as many before."""
    walk.run(GROWTH_TICKS, keep=False)
    before = _resident()
    walk.run(GROWTH_TICKS, keep=False, begin=False)
    note = f"resident memory after {2 * GROWTH_TICKS} ticks less that after {GROWTH_TICKS}"
    return at_most(f"engine memory, growth in {GROWTH_TICKS} ticks", _resident() - before, "kB", GROWTH_BAR, note)


def _resident() -> float:
    """Memory that the process holds [kB]."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e3


class Walk:
    """An engine that gets commands all ways, and reads back the joints it asked for."""

    def __init__(self, engine: BipedEngine) -> None:
        """Commands within four fifths of the robot's limits, the same in every run."""
        self.engine = engine
        assert engine.robot.walk is not None
        limits = engine.robot.walk.limits
        low = np.array([-limits.backward, -limits.sideways, -limits.turn])
        high = np.array([limits.forward, limits.sideways, limits.turn])
        drawn = np.random.default_rng(3).uniform(0.8 * low, 0.8 * high, (50, 3))
        self._commands = [Command(*row) for row in drawn.tolist()]
        self._tick = 0

    def run(self, ticks: int, *, keep: bool = True, begin: bool = True) -> Array:
        """Time of each tick [s], nothing without `keep`; without `begin` the last walk goes on."""
        dt = self.engine.robot.tick
        per_command = round(HOLD / dt)
        if begin:
            self._tick = 0
            self.engine.reset(self._reading(0.0, self.engine.stance()[0]))
            self._position = self.engine.stance()[0]
        found = np.empty(ticks if keep else 0)
        with quiet():
            for k in range(ticks):
                reading = self._reading(dt * self._tick, self._position)
                command = self._commands[self._tick // per_command % len(self._commands)]
                start = perf_counter()
                targets = self.engine.tick(command, reading)
                stop = perf_counter()
                if keep:
                    found[k] = stop - start
                self._position = targets.position
                self._tick += 1
        return found

    def _reading(self, time: float, position: Array) -> SensorReading:
        zeros = np.zeros(3)
        sensors = max(len(leg.force_sensors) for leg in self.engine.robot.legs.values())
        force = np.zeros((len(self.engine.robot.legs), sensors))
        return SensorReading(time, position, np.zeros_like(position), zeros, zeros, force)


class Physics:
    """Bare MuJoCo with the robot standing."""

    def __init__(self, world: World) -> None:
        """The world as it stands after its reset."""
        self._world = world
        self.substeps = world.substeps

    def tick(self) -> float:
        """Mean time of the physics of one tick [s]."""
        ticks = 100
        model, data = self._world.model, self._world.data
        with quiet():
            start = perf_counter()
            for _ in range(ticks * self.substeps):
                mujoco.mj_step(model, data)
            return (perf_counter() - start) / ticks
