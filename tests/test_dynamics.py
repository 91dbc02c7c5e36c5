"""The multibody ZMP against the one-mass model, statics, and plain mechanics written out (Urbann 3.6)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gangart import robots
from gangart.control import BipedEngine
from gangart.dynamics import multibody_zmp
from gangart.errors import BadValue
from gangart.footsteps import limit_command
from gangart.kinematics import Tree
from gangart.pattern import ZMP_NAMES, ZmpName
from gangart.robots import Robot
from gangart.signals import Array, Command, JointTrajectory

GRAVITY = np.array([0.0, 0.0, -9.81])


def fine(robot: Robot) -> Robot:
    """The robot with ticks fine enough for differences; the Bézier ZMP's speed jumps between its supports."""
    assert robot.walk is not None
    return dataclasses.replace(robot, tick=0.002, walk=dataclasses.replace(robot.walk, preview=2.0, start=1.6))


@pytest.fixture
def one_mass(nao: Robot, tmp_path: Path) -> Robot:
    """The Nao with all its mass in a point of the torso: where its centre of mass is when it stands."""
    centre = Tree(nao).com(BipedEngine(nao).stance()[0])
    spec = nao.spec()
    for body in spec.bodies:
        heavy = body.name == nao.base
        body.mass, body.inertia = (nao.mass, [1e-9] * 3) if heavy else (1e-9, [1e-12] * 3)
        body.ipos, body.fullinertia = centre if heavy else np.zeros(3), [np.nan] * 6
        body.explicitinertial = True
    spec.compile()
    (tmp_path / "nao.xml").write_text(spec.to_xml())
    (tmp_path / "robot.toml").write_bytes((nao.folder / "robot.toml").read_bytes())
    found = robots.load(tmp_path)
    assert found.mass == pytest.approx(nao.mass)
    return found


@pytest.mark.parametrize("zmp", ZMP_NAMES)
def test_with_all_mass_in_the_torso_the_zmp_is_the_reference(one_mass: Robot, zmp: ZmpName) -> None:
    engine = BipedEngine(fine(one_mass), zmp=zmp, effort=1e-12)
    plan = engine.plan(Command(0.15, 0.01, 0.2), 6.0)
    error = multibody_zmp(engine.robot, plan.joints) - plan.body.zmp
    assert np.abs(error).max() < 5e-4


@pytest.mark.parametrize("seed", [1, 2])
def test_standing_still_the_zmp_is_under_the_centre_of_mass(nao: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert nao.walk is not None
    command, _ = limit_command(Command(*rng.normal(size=3)), nao.walk.limits)
    plan = BipedEngine(nao).plan(command, 5.0)
    np.testing.assert_allclose(multibody_zmp(nao, plan.joints, still=True), plan.body.com[:, :2], rtol=0, atol=1e-6)


def by_hand(robot: Robot, motion: JointTrajectory) -> Array:
    """The ZMP from the momentum of every body: m and L of each by finite differences of its pose, in NumPy alone."""
    model, dt = robot.model, motion.time[1] - motion.time[0]
    names = [model.body(i).name for i in range(1, model.nbody)]
    T_base = Tree(robot).bodies(names, motion.position)  # (n, bodies, 4, 4)
    c, s, o = np.cos(motion.base_yaw), np.sin(motion.base_yaw), np.zeros_like(motion.base_yaw)
    turn = np.stack([np.stack([c, -s, o], -1), np.stack([s, c, o], -1), np.stack([o, o, o + 1.0], -1)], -2)
    R = turn[:, None] @ T_base[..., :3, :3]
    p = (turn[:, None] @ T_base[..., :3, 3:])[..., 0] + motion.base_position[:, None]
    force, moment = np.zeros((len(motion.time) - 2, 3)), np.zeros((len(motion.time) - 2, 3))
    for k, name in enumerate(names):
        body = model.body(name)
        centre = p[:, k] + R[:, k] @ body.ipos
        axes = np.empty(9)
        mujoco.mju_quat2Mat(axes, body.iquat)
        inertia = axes.reshape(3, 3) @ np.diag(body.inertia) @ axes.reshape(3, 3).T
        acceleration = (centre[2:] - 2.0 * centre[1:-1] + centre[:-2]) / dt**2
        # angular momentum half a tick before and after: log(R₋ᵀ R₊) is the turn in between
        step = np.swapaxes(R[:-1, k], 1, 2) @ R[1:, k]
        skew = (step - np.swapaxes(step, 1, 2)) / 2.0
        sine = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], -1)
        size = np.linalg.norm(sine, axis=1, keepdims=True)
        rate = sine * np.where(size > 1e-12, np.arcsin(np.minimum(size, 1.0)) / np.maximum(size, 1e-12), 1.0) / dt
        momentum = ((R[:-1, k] + R[1:, k]) / 2.0 @ (rate @ inertia.T)[..., None])[..., 0]
        pull = body.mass[0] * (acceleration - GRAVITY)
        force += pull
        moment += np.cross(centre[1:-1], pull) + np.diff(momentum, axis=0) / dt
    # the force of the ground has no horizontal moment about the ZMP
    return np.column_stack([-moment[:, 1], moment[:, 0]]) / force[:, 2:]


@pytest.mark.parametrize("seed", [1, 2])
def test_it_agrees_with_newton_and_euler_written_out(nao: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = dataclasses.replace(nao, tick=0.002)
    assert nao.walk is not None
    command, _ = limit_command(Command(*rng.normal(size=3)), nao.walk.limits)
    motion = BipedEngine(robot).plan(command, 4.0).joints
    found = multibody_zmp(robot, motion)[1:-1]
    np.testing.assert_allclose(found, by_hand(robot, motion), rtol=0, atol=2e-5)
    assert np.ptp(found[:, 1]) > 0.05


def test_it_agrees_on_any_motion_of_all_joints(nao: Robot) -> None:
    """Arms, head and legs wave at once, the base travels and turns through more than a full turn."""
    rng = np.random.default_rng(3)
    time = np.arange(0.0, 1.0, 1e-3)
    phase = rng.uniform(0.0, 2 * np.pi, len(nao.joints))
    position = nao.home_position + 0.2 * np.sin(2 * np.pi * time[:, None] + phase)
    base = np.column_stack([0.3 * time, 0.1 * np.sin(3 * time), 0.3 + 0.02 * np.sin(5 * time)])
    motion = JointTrajectory(time, position, base, 7.0 * time)
    wrapped = dataclasses.replace(motion, base_yaw=np.arctan2(np.sin(7.0 * time), np.cos(7.0 * time)))
    found = multibody_zmp(nao, motion)
    np.testing.assert_allclose(found[1:-1], by_hand(nao, motion), rtol=0, atol=1e-5)
    np.testing.assert_allclose(multibody_zmp(nao, wrapped), found, rtol=0, atol=1e-9)


def test_the_ends_of_a_motion_are_as_good_as_its_middle(nao: Robot) -> None:
    """A part of a motion has the same ZMP as the whole, up to what its ends cannot know."""
    motion = BipedEngine(dataclasses.replace(nao, tick=0.001)).plan(Command(0.1), 3.0).joints
    whole = multibody_zmp(nao, motion)
    part = slice(1700, 1900)
    cut = JointTrajectory(motion.time[part], motion.position[part], motion.base_position[part], motion.base_yaw[part])
    found = multibody_zmp(nao, cut)
    np.testing.assert_allclose(found[1:-1], whole[part][1:-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found[[0, -1]], whole[part][[0, -1]], rtol=0, atol=2e-3)


def test_where_the_floor_would_have_to_pull_there_is_no_zmp(nao: Robot) -> None:
    time = np.arange(0.0, 0.2, 0.01)
    base = np.column_stack([0.0 * time, 0.0 * time, 1.0 - 10.0 * time**2])  # falls faster than free
    motion = JointTrajectory(time, np.tile(nao.home_position, (len(time), 1)), base, 0.0 * time)
    assert np.isnan(multibody_zmp(nao, motion)).all()
    assert np.isfinite(multibody_zmp(nao, motion, still=True)).all()


def test_another_model_can_be_asked_and_none_is_changed(nao: Robot) -> None:
    spec = nao.spec()
    spec.body("Head").mass *= 3.0
    other = spec.compile()
    plan = BipedEngine(nao).plan(Command(), 1.0).joints
    flags = int(nao.model.opt.disableflags), int(other.opt.disableflags)
    assert not np.allclose(multibody_zmp(nao, plan), multibody_zmp(nao, plan, model=other), atol=1e-4)
    assert flags == (int(nao.model.opt.disableflags), int(other.opt.disableflags))


@pytest.mark.parametrize("time", [0.01 * np.arange(3), np.array([0.0, 0.01, 0.02, 0.04]), 0.01 * np.arange(4)[::-1]])
def test_a_motion_has_to_be_even_in_time(nao: Robot, time: Array) -> None:
    n = len(time)
    motion = JointTrajectory(time, np.tile(nao.home_position, (n, 1)), np.zeros((n, 3)), np.zeros(n))
    with pytest.raises(BadValue, match="at least four samples in even, ascending steps"):
        multibody_zmp(nao, motion)
