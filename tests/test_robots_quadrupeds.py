"""The quadrupeds: what is known of them, and the choice of knees."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from gangart.control import CyclicEngine, GaitSelector
from gangart.control.balance import Balance
from gangart.experiments.gait_track import track
from gangart.robots import Robot, load
from gangart.signals import Command
from gangart.simulation import Fidelity, Ground, Push, Sensing, World, simulate


@pytest.mark.parametrize(("name", "mass", "half_track"), [("quadruped", 22.0, 0.165), ("a1", 12.453, 0.13205)])
def test_mass_track_and_length_of_legs(name: str, mass: float, half_track: float) -> None:
    robot = load(name)
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)  # legs stretched
    assert robot.mass == pytest.approx(mass, abs=1e-9)
    assert list(robot.legs) == ["front_left", "front_right", "rear_left", "rear_right"]
    base = data.body("trunk").xpos
    for leg in robot.legs.values():
        foot = data.body(leg.foot)
        p = foot.xpos + foot.xmat.reshape(3, 3) @ leg.sole - base
        np.testing.assert_allclose(p[1:], [half_track if leg.side == "left" else -half_track, -0.4], atol=1e-9)


def test_the_quadruped_has_the_limits_of_table_5_1() -> None:
    robot = load("quadruped")
    low, high = np.degrees(robot.joint_limits[:3]).T
    # theta_2 = 180° - q2 and theta_3 = 180° + q3
    np.testing.assert_allclose([low[0], high[0]], [-30.0, 30.0], atol=1e-3)
    np.testing.assert_allclose([180.0 - high[1], 180.0 - low[1]], [-1.5, 180.0], atol=1e-3)
    np.testing.assert_allclose([180.0 + low[2], 180.0 + high[2]], [13.5, 180.0], atol=1e-3)


def test_left_is_the_mirror_of_right() -> None:
    robot = load("quadruped")
    model, data = robot.model, mujoco.MjData(robot.model)
    rng = np.random.default_rng(3)
    mirrored = np.array([-1.0, 1.0, 1.0])
    for _ in range(20):
        q = rng.uniform(robot.joint_limits[:3, 0], robot.joint_limits[:3, 1])
        for left, right in ((0, 3), (6, 9)):
            for start, angles in ((left, q), (right, mirrored * q)):
                data.qpos[robot.qpos_index[start : start + 3]] = angles
        mujoco.mj_forward(model, data)
        assert data.subtree_com[0][1] == pytest.approx(0.0, abs=1e-12)


def forward_rear(robot: Robot) -> Robot:
    legs = {n: replace(leg, knee="forward") if n.startswith("rear") else leg for n, leg in robot.legs.items()}
    return replace(robot, legs=legs)


def test_forward_knees_mirror_the_limits_of_pitches_alone() -> None:
    robot = load("quadruped")
    turned = forward_rear(robot)
    np.testing.assert_array_equal(turned.joint_limits[:6], robot.joint_limits[:6])
    np.testing.assert_array_equal(turned.joint_limits[6], robot.joint_limits[6])
    np.testing.assert_array_equal(turned.joint_limits[7:9], -robot.joint_limits[7:9, ::-1])


def test_hubs_turn_as_the_thesis_says() -> None:
    robot = load("quadruped")
    i1, i2, i3 = 21 / 40, 20 / 36, 17 / 30
    t1, t2, t3 = 0.3, 2.0, 1.1  # (5.7) to (5.9)
    hubs = np.array([t1 / i1, t2 / i2, t3 / i3 - t2])
    straight = np.array([0.0, np.pi / i2, np.pi / i3 - np.pi])
    q = np.array([t1, np.pi - t2, t3 - np.pi])  # ours
    ours = robot.hubs[:3, :3] @ q
    # the second hub of ours turns the other way around
    np.testing.assert_allclose(ours * [1.0, -1.0, 1.0], hubs - straight, atol=1e-7)


@pytest.mark.parametrize(
    ("gait", "within"),
    [("slow-walk", 0.05), ("fast-walk", 0.07), ("reactive-trot", 0.05), ("predictive-trot", 0.05), ("amble", 0.05)],
)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_robot_of_another_size_walks_by_its_file(gait: str, within: float, axis: int) -> None:
    """The plan knows the A1's masses, drives and feet as it knows the quadruped's: nothing is tuned to one robot."""
    robot = load("a1")
    g = robot.gaits[gait]
    wanted = np.eye(3)[axis] * (g.forward, g.sideways, g.turn)[axis] / 2.0
    way = track(CyclicEngine(robot, gait), Command(*wanted), 6)
    assert not way.fell
    assert way.velocity[axis] == pytest.approx(wanted[axis], rel=within)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_a1_takes_pushes_with_balance(side: float) -> None:
    """20 N s on 12.5 kg are 35 on the quadruped's 22."""
    robot = load("a1")
    for seed in (1, 2):
        engine = CyclicEngine(robot, "trot", balance=Balance())
        sensing = Sensing(gyro=0.01, accelerometer=0.1, angle=0.001, speed=0.05, seed=seed)
        world = World(robot, Fidelity(motor=True, sensor_delay=0.02), Ground(0.8), sensing=sensing)
        world.reset(*engine.stance(), settle=0.3)
        world.push(Push(1.5 + 0.06 * seed, 0.001, (0.0, side * 20.0 / 0.001, 0.0)))
        assert simulate(world, engine, Command(0.5), 4.0).info["fell"] is None


def test_the_a1_stands_up_walks_and_lies_down() -> None:
    robot = load("a1")
    selector, world = GaitSelector(robot, "lie"), World(robot, Fidelity(motor=True), Ground(0.8))
    world.reset(*selector.stance())

    def command(time: float) -> Command:
        selector.select("stand" if time < 4.0 else "predictive-trot" if time < 8.0 else "lie")
        return Command(0.3)

    recording = simulate(world, selector, command, 16.0)
    assert recording.info["fell"] is None
    assert recording.base_position[-1, 0] > 0.6
    assert selector.lies
