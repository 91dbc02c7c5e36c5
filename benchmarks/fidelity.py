"""Full fidelity against the bare steps of the same model, and many worn robots at once in mujoco.batch."""

from __future__ import annotations

import os
from itertools import cycle, islice
from statistics import median

import numpy as np

from benchmarks.row import Row, Setting, at_most, told
from benchmarks.simulation import SPEED, Run
from benchmarks.timing import ratio, seconds, take_turns
from gangart.control import BipedEngine
from gangart.robots import load
from gangart.robots.wear import worn
from gangart.signals import Command
from gangart.simulation import FULL, Walks, Worlds

DURATION = 5.0  # [s]
BAR = 1.15
MANY = 20  # simulations at once
LONG, SETTLE = 2.0, 0.1  # [s] that each walks, and comes to rest before


def rows(setting: Setting) -> list[Row]:
    """simulate() over bare MuJoCo for encoders on either side of the gear, and throughput."""
    wears = worn(load("nao"))
    sides = {w.encoder: w for w in reversed(wears.values())}  # the first set of each side
    return [row for side in ("motor", "joint") for row in _one(setting, Run(DURATION, FULL, sides[side]))] + _many(
        setting
    )


def _one(setting: Setting, run: Run) -> list[Row]:
    """With the walking engine, and with one that only replays: what the simulation takes by itself."""
    assert run.world.wear is not None
    side, found = run.world.wear.encoder, []
    for what, prepare in (("walk", run.walk), ("replay", run.replay)):
        prepare()
        run.walk()  # warm, and the setpoints for the bare physics
        run.rollout(), run.loop()
        times = take_turns(setting.rounds(9, 3), simulate=run.walk, mj_step=run.loop)
        whole, bare = median(times["simulate"]), median(times["mj_step"])
        found.append(
            at_most(
                f"VS, {side} encoders: {what} / mj_step", ratio(times["simulate"], times["mj_step"]), "x", BAR,
                f"simulate() of {DURATION:g} s at {SPEED:g} m/s with log and recording, over a Python loop that sets"
                f" setpoints and calls mj_step: the same {len(run.setpoints)} steps without callbacks,"
                f" {run.agreement()}; {DURATION / whole:.1f} times real time",
                simulate=whole, mj_step=bare,
            )
        )  # fmt: skip
    return found


def _many(setting: Setting) -> list[Row]:
    """Steps per second of many worn Naos, and what a second thread and the bookkeeping cost."""
    robot = load("nao")
    engine = BipedEngine(robot)
    plan = engine.plan(Command(SPEED), LONG + robot.tick)
    wears = list(islice(cycle(worn(robot).values()), MANY))
    one, two = (Worlds(robot, FULL, wears, threads=n) for n in (1, 2))
    last: dict[int, Walks] = {}

    def walk(worlds: Worlds, threads: int) -> float:
        def go() -> None:
            last[threads] = worlds.walk(plan, engine.stance(), LONG, settle=SETTLE, every=10)

        return seconds(go)

    walk(one, 1), walk(two, 2)
    same = np.array_equal(last[1].states, last[2].states)
    found = take_turns(setting.rounds(5, 2), one=lambda: walk(one, 1), two=lambda: walk(two, 2))
    steps = MANY * (LONG + SETTLE) / FULL.step
    what = f"{MANY} worn Naos of both kinds of encoders, {LONG:g} s each, one plan, every tenth row kept"
    return [
        told("batch, one thread", steps / median(found["one"]), "steps/s", what, walk=median(found["one"])),
        told(
            "batch, two threads", steps / median(found["two"]), "steps/s",
            f"the same, which {'gives the same bits' if same else 'gives OTHER bits'}; {os.cpu_count()} cores here",
            walk=median(found["two"]),
        ),
        told("batch, one thread / two threads", ratio(found["one"], found["two"]), "x", "how much sooner it is done"),
    ]  # fmt: skip
