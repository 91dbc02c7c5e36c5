"""A quadruped: one tick of each of its gaits, and how much faster than real time a trot is simulated."""

from __future__ import annotations

from statistics import median
from time import perf_counter, process_time

import numpy as np

from benchmarks.row import Row, Setting, at_least, at_most, told
from benchmarks.timing import quiet
from gangart.control import CyclicEngine
from gangart.control.balance import Balance
from gangart.robots import Robot, load
from gangart.signals import Command, SensorReading
from gangart.simulation import Fidelity, World, simulate

TICK_BAR = 100.0  # [µs]
REAL_TIME_BAR = 20.0  # [1] simulated time over the time of one core
TROT = 600.0  # [s] simulated
TROT_QUICK = 20.0  # [s]


def rows(setting: Setting) -> list[Row]:
    """Median ticks of all gaits, with and without balance, and the speed of a long trot."""
    robot = load("quadruped")
    out = [_tick(robot, gait, None, setting) for gait in robot.gaits]
    return [*out, _tick(robot, "trot", Balance(), setting), *_real_time(robot, setting)]


def _tick(robot: Robot, gait: str, balance: Balance | None, setting: Setting) -> Row:
    """The median time of a tick on a walk ahead, aside and around."""
    engine = CyclicEngine(robot, gait, balance=balance)
    settings = robot.gaits[gait]
    command = Command(0.4 * settings.forward, 0.4 * settings.sideways, 0.4 * settings.turn)
    still, level = np.zeros(3), np.array([0.0, 0.0, 9.81])
    blank, nothing = np.zeros(len(robot.joints)), np.zeros((len(robot.legs), 0))
    medians = []
    for _ in range(setting.rounds(7, 3)):
        position = engine.stance()[0]
        ticks = np.empty(setting.rounds(2000, 500))
        with quiet():
            for k in range(len(ticks)):
                reading = SensorReading(k * robot.tick, position, blank, still, level, nothing)
                begin = perf_counter()
                targets = engine.tick(command, reading)
                ticks[k] = perf_counter() - begin
                position = targets.position
        medians.append(float(np.median(ticks)))
    name = f"{gait}{', balance' if balance else ''}: tick, median"
    return at_most(name, 1e6 * min(medians), "µs", TICK_BAR, f"best of {len(medians)} rounds", tick=min(medians))


def _real_time(robot: Robot, setting: Setting) -> list[Row]:
    """A trot at motor level, recorded in memory in pieces of 20 s, and its physics alone in turns with it."""
    engine, world = CyclicEngine(robot, "predictive-trot"), World(robot, Fidelity(motor=True))
    pieces = round((TROT_QUICK if setting.quick else TROT) / TROT_QUICK)
    taken = []
    simulate(_standing(world, engine), engine, Command(0.5), 1.0)  # warm
    for _ in range(pieces):
        _standing(world, engine)
        begin = process_time()
        simulate(world, engine, Command(0.5), TROT_QUICK)
        taken.append(process_time() - begin)
    simulated = pieces * TROT_QUICK
    return [
        at_least(
            "trot: simulated time / time of one core", simulated / sum(taken), "x", REAL_TIME_BAR,
            f"{simulated:g} s of predictive trot at 0.5 m/s with motors, 1 ms steps, everything recorded",
            simulate=sum(taken),
        ),
        told("trot: the same, best piece", TROT_QUICK / min(taken), "x", f"of {pieces}; median "
             f"{TROT_QUICK / median(taken):.3g}", simulate=min(taken)),
    ]  # fmt: skip


def _standing(world: World, engine: CyclicEngine) -> World:
    world.reset(*engine.stance(), settle=0.5)
    return world
