"""Worn robots that are told to go anywhere, for long."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gangart.compensation import BEST, compensation_of
from gangart.control import BipedEngine
from gangart.robots import Robot, load
from gangart.robots.wear import load_wear, worn
from gangart.signals import Command
from gangart.simulation import FULL, Ground, World, simulate


def anywhere(robot: Robot, seed: int, duration: float) -> Callable[[float], Command]:
    """Commands all over the robot's limits, each for 1 to 4 s; one in eight is to stand."""
    assert robot.walk is not None
    rng, limits = np.random.default_rng(seed), robot.walk.limits
    until, commands = [0.0], []
    while until[-1] < duration:
        direction = rng.normal(size=3)
        x, y, z = (
            rng.uniform() ** (1 / 3) * direction / np.linalg.norm(direction)
        )  # evenly in the ellipsoid of the limits
        go = Command(x * (limits.forward if x > 0 else limits.backward), y * limits.sideways, z * limits.turn)
        commands.append(Command() if rng.uniform() < 0.125 else go)
        until.append(until[-1] + float(rng.uniform(1.0, 4.0)))
    return lambda time: commands[int(np.searchsorted(until, time, side="right")) - 1]


def falls(robot: Robot, preset: str, seed: int, duration: float) -> float | None:
    wear = load_wear(robot, preset)
    engine = BipedEngine(robot, compensation=compensation_of(BipedEngine(robot), wear, BEST), feedback=0.2)
    world = World(robot, FULL, Ground(0.8), wear=wear)
    world.reset(*engine.stance(), settle=1.0)
    info = simulate(world, engine, anywhere(robot, seed, duration), duration).info
    assert info["diverged"] is None
    return info["fell"]


@pytest.mark.parametrize("preset", worn(load("nao")))
def test_a_worn_robot_goes_anywhere_for_a_while(nao: Robot, preset: str) -> None:
    assert falls(nao, preset, seed=1, duration=40.0) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("preset", worn(load("nao")))
def test_a_worn_robot_goes_anywhere_for_ten_minutes(nao: Robot, preset: str, seed: int) -> None:
    assert falls(nao, preset, seed, duration=600.0) is None
