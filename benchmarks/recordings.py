"""Saving and loading a walk, beside the time that it took the robot to walk it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from benchmarks.row import Row, Setting, at_most
from benchmarks.timing import seconds, take_turns
from gangart.control import BipedEngine
from gangart.recordings import load, save
from gangart.robots import load as load_robot
from gangart.signals import Command
from gangart.simulation import World, simulate

DURATION, SPEED = 20.0, 0.2  # [s], [m/s]
BAR = 0.1  # of the simulated time


def rows(setting: Setting) -> list[Row]:
    """Times of save and load over the simulated time."""
    robot = load_robot("nao")
    world, engine = World(robot), BipedEngine(robot)
    world.reset(*engine.stance())
    recording = simulate(world, engine, Command(SPEED), DURATION)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.mcap"
        save(recording, path)  # warm
        load(path)
        found = take_turns(
            setting.rounds(5, 3),
            save=lambda: seconds(lambda: save(recording, path)),
            load=lambda: seconds(lambda: load(path)),
        )
        size = path.stat().st_size / 1e6
    what = f"{DURATION:g} s of walk, {len(recording)} rows, {size:.1f} MB"
    return [
        at_most(
            f"{verb} a recording / simulated time", median(times) / DURATION, "x", BAR, what, **{verb: median(times)}
        )
        for verb, times in found.items()
    ]
