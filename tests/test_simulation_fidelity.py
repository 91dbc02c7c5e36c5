"""Every subset of the fidelity walks, and each part of it does what it should where it should."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import mujoco
import numpy as np
import pytest

from gangart import robots
from gangart.control import BipedEngine
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.robots.wear import Wear, load_wear, worn
from gangart.signals import Command, Recording
from gangart.simulation import FULL, IDEAL, Fidelity, Ground, World, simulate
from gangart.simulation.model import sole_site

FLAGS = ("motor", "inductance", "gearbox", "flexible_links")
SUBSETS = list(product((False, True), repeat=len(FLAGS)))


def fidelity(flags: tuple[bool, ...]) -> Fidelity:
    return Fidelity(**dict(zip(FLAGS, flags, strict=True)))


def walk(robot: Robot, level: Fidelity, wear: Wear | None, duration: float) -> tuple[World, Recording]:
    engine = BipedEngine(robot)
    world = World(robot, level, wear=wear)
    world.reset(*engine.stance(), settle=1.0)
    return world, simulate(world, engine, Command(0.2), duration)


@cache
def second(flags: tuple[bool, ...], name: str) -> Recording:
    """One second of a worn Nao."""
    nao = robots.load("nao")
    return walk(nao, fidelity(flags), load_wear(nao, name), 1.0)[1]


def bits(recording: Recording) -> bytes:
    return b"".join(values.tobytes() for values in recording.columns().values())


# --- subsets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", SUBSETS)
@pytest.mark.parametrize("name", ["ada", "bert"])  # encoders on the motor's and on the joint's side
def test_every_subset_walks(flags: tuple[bool, ...], name: str) -> None:
    r = second(flags, name)
    assert r.info["fell"] is None
    assert r.info["diverged"] is None
    assert len(r) == 1000
    assert all(np.isfinite(values).all() for values in r.columns().values())
    assert np.abs(r.position - r.target).max() < (0.08 if any(flags) else 0.002)
    assert Fidelity(**r.info["fidelity"]) == fidelity(flags)


@pytest.mark.parametrize("name", ["ada", "bert"])
def test_every_subset_is_another_machine(name: str) -> None:
    """All but the inductance without a motor, which is nothing."""
    found = {flags: bits(second(flags, name)) for flags in SUBSETS}
    for flags in SUBSETS:
        motor, inductance, *rest = flags
        if inductance and not motor:
            assert found[flags] == found[motor, False, *rest]
    assert len(set(found.values())) == 12


def test_the_base_level_knows_no_wear(nao: Robot) -> None:
    unworn = bits(walk(nao, IDEAL, None, 1.0)[1])
    for wear in worn(nao).values():
        _, recording = walk(nao, IDEAL, wear, 1.0)
        assert recording.info.pop("wear") == wear.name
        assert bits(recording) == unworn


def test_without_wear_only_the_base_level_can_be_had(nao: Robot) -> None:
    for flags in SUBSETS:
        if fidelity(flags).needs_wear:
            with pytest.raises(BadValue, match="needs to know the wear of nao"):
                World(nao, fidelity(flags))
        else:
            World(nao, fidelity(flags))


# --- inductance ----------------------------------------------------------------------------------------------------


def wound(robot: Robot, factor: float) -> Robot:
    """The robot with another inductance in all its motors."""
    return replace(robot, motors={k: replace(m, inductance=factor * m.inductance) for k, m in robot.motors.items()})


@pytest.mark.parametrize("name", ["ada", "bert"])
def test_the_winding_matters_as_much_as_its_time_constant(nao: Robot, name: str) -> None:
    """L / R is 48 µs: after a step of 1 ms the current is there but for e^-21. A hundred times that is felt."""
    wear = load_wear(nao, name)
    rigid, without = walk(nao, replace(FULL, inductance=False), wear, 2.0)
    off = {}
    for factor in (1.0, 10.0, 100.0):
        world, r = walk(wound(nao, factor), FULL, wear, 2.0)
        assert (rigid.model.na, world.model.na) == (0, 11)  # a current in each motor of the legs
        assert np.ptp(world.data.act) > 0.01
        off[factor] = float(np.abs(r.position - without.position).max())
    assert 0.0 < off[1.0] < 1e-9
    assert 1e-4 < off[10.0] < 0.01
    assert off[100.0] > 3.0 * off[10.0]


# --- ground --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settling", [0.004, 0.006, 0.02, 0.05])
def test_the_ground_forces_out_a_penetration_in_its_settling_time(nao: Robot, settling: float) -> None:
    """Critically damped: what is left is (1 + x) e^-x after x settling times."""
    world = World(nao, ground=Ground(settling=settling))
    model, data, sole = world.model, world.data, world.data.site(sole_site("left"))
    rest, depth = float(sole.xpos[2]), 1e-3  # [m]
    data.qpos[world.base + 1] -= depth
    data.qvel[:] = 0.0
    left = []
    for _ in range(round(4.0 * settling / model.opt.timestep) + 1):
        mujoco.mj_kinematics(model, data)
        left.append((rest - float(sole.xpos[2])) / depth)
        mujoco.mj_step(model, data)
    x = model.opt.timestep * np.arange(len(left)) / settling
    np.testing.assert_allclose(left, (1.0 + x) * np.exp(-x), atol=0.06)


def test_a_robot_sinks_in_with_the_square_of_the_settling_time(nao: Robot) -> None:
    depths = []
    for settling in (0.006, 0.012, 0.024, 0.048):
        world = World(nao, ground=Ground(settling=settling))
        depths.append(-float(world.data.site(sole_site("left")).xpos[2]))
    np.testing.assert_allclose(np.diff(np.log2(depths)), 2.0, atol=0.1)
