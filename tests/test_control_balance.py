"""Balance on four legs: what the legs tell of the body's motion, and pushes that knock over who does not look."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gangart.analysis.metrics import mean_velocity, yaw
from gangart.control import CyclicEngine
from gangart.control import balance_kernel as kernel
from gangart.control.balance import Balance
from gangart.control.leg_control import LegControl
from gangart.errors import BadValue
from gangart.experiments.gait_track import FRICTION
from gangart.kinematics import AbductionLegs
from gangart.robots import load
from gangart.signals import Command
from gangart.simulation import Fidelity, Ground, Push, Sensing, World, simulate

LATE = Fidelity(motor=True, sensor_delay=0.02)


def test_feet_that_roll_tell_the_velocity_of_the_body(rng: np.random.Generator) -> None:
    robot = load("quadruped")
    legs = AbductionLegs(robot)
    radius = np.full(4, 0.02)
    for _ in range(20):
        low, high = robot.joint_limits.T
        q = robot.home_position + rng.uniform(-0.2, 0.2, 12)
        q = np.clip(q, low + 0.05, high - 0.05)
        v, gyro = rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3)
        speeds = np.empty(12)
        for k, leg in enumerate(robot.legs):
            c = legs.columns[k]
            p, J = legs.forward(leg, q[c]), legs.jacobian(leg, q[c])
            # the ball's centre moves as it rolls: ω x (0, 0, r), of a shank that turns with the base and its joints
            across, along = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0])
            rolling = np.zeros((3, 3))
            rolling[0], rolling[1] = radius[k] * along, -radius[k] * across
            base = radius[k] * np.array([gyro[1], -gyro[0], 0.0])
            speeds[c] = np.linalg.solve(J - rolling, base - v - np.cross(gyro, p))
        seen, heights = np.empty((4, 2)), np.empty(4)
        kernel.feet_at_rest(q, speeds, gyro, np.zeros(2), legs.numbers, legs.columns, radius, seen, heights)
        np.testing.assert_allclose(seen, np.tile(v[:2], (4, 1)), atol=1e-9)
        np.testing.assert_allclose(heights, legs.all_forward(q)[:, 2], atol=1e-12)


def test_a_foot_above_the_lowest_one_is_not_believed() -> None:
    velocity = np.zeros(2)
    seen = np.array([[1.0, 0.0], [9.0, 9.0], [9.0, 9.0], [0.0, 1.0]])
    heights = np.array([-0.3, -0.25, -0.3, -0.295])
    kernel.believe(velocity, seen, heights, np.array([True, True, False, True]), 0.5)
    np.testing.assert_allclose(velocity, [0.25, 0.25])


def test_a_velocity_that_a_gait_has_by_itself_is_quiet() -> None:
    out = np.empty(2)
    kernel.unwanted(np.array([0.56, -0.07]), np.array([0.5, 0.0, 0.0]), 0.1, out)
    np.testing.assert_array_equal(out, 0.0)
    kernel.unwanted(np.array([0.8, 0.4]), np.array([0.5, 0.0, 0.0]), 0.1, out)
    np.testing.assert_allclose(out, 0.8 * np.array([0.3, 0.4]))  # 0.1 of 0.5 m/s less


def test_the_trot_for_balance_slips_before_it_tips() -> None:
    """Outer feet at y, the centre of mass at z: friction μ turns the robot over them only if μ z > y."""
    robot = load("quadruped")
    engine = CyclicEngine(robot, "trot", balance=Balance())
    q, place, _ = engine.stance()
    data = mujoco.MjData(robot.model)
    data.qpos[:7] = *place, 1.0, 0.0, 0.0, 0.0
    data.qpos[robot.qpos_index] = q
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    height = data.body(robot.base).subtree_com[2]
    assert np.abs(engine.homes[:, 1]).min() > FRICTION * height


def test_feet_are_spread_alike_when_a_gait_begins_and_when_it_walks() -> None:
    robot = load("quadruped")
    gait = robot.gaits["trot"]
    homes = CyclicEngine(robot, "trot").homes
    resting = AbductionLegs(robot).all_forward(robot.home_position)
    np.testing.assert_allclose(homes[:, 1] - resting[:, 1], gait.spread * np.array([1, -1, 1, -1]), atol=1e-12)
    np.testing.assert_allclose(LegControl(robot).home(gait.height, gait.spread).feet, homes[:, :2], atol=1e-12)


def survived(balance: Balance | None, impulse: float) -> int:
    """Of eight pushes to either side, at four phases of a trot under noise and late sensors."""
    robot = load("quadruped")
    count = 0
    for k in range(8):
        engine = CyclicEngine(robot, "trot", balance=balance)
        sensing = Sensing(gyro=0.01, accelerometer=0.1, angle=0.001, speed=0.05, seed=k)
        world = World(robot, LATE, Ground(0.8), sensing=sensing)
        world.reset(*engine.stance(), settle=0.3)
        world.push(Push(1.5 + engine.gait.cycle * (k // 2) / 4.0, 0.001, (0.0, (-1) ** k * impulse / 0.001, 0.0)))
        count += simulate(world, engine, Command(0.5), 3.0).info["fell"] is None
    return count


def test_balance_stays_up_where_open_loop_falls() -> None:
    assert survived(Balance(), 35.0) >= 7
    assert survived(Balance(), 46.0) >= 5
    assert survived(None, 46.0) <= 2  # of 35 N s it survives most, as its feet stand wide


@pytest.mark.parametrize("command", [Command(1.5), Command(0.0, 0.4), Command(0.0, 0.0, 1.5)])
def test_with_balance_it_still_walks_as_told(command: Command) -> None:
    robot = load("quadruped")
    engine = CyclicEngine(robot, "trot", balance=Balance())
    sensing = Sensing(gyro=0.01, accelerometer=0.1, angle=0.001, speed=0.05, seed=3)
    world = World(robot, LATE, Ground(0.8), sensing=sensing)
    world.reset(*engine.stance(), settle=0.5)
    r = simulate(world, engine, command, 6.0)
    cycles = int(3.0 / engine.gait.cycle)
    got = mean_velocity(r, slice(len(r) - round(1000 * cycles * engine.gait.cycle) - 1, len(r)))
    assert r.info["fell"] is None
    wanted = np.array([command.vx, command.vy, command.wz])
    np.testing.assert_allclose(got, wanted, rtol=0.1, atol=0.03)


@pytest.mark.parametrize("seed", [1, 2])
def test_who_is_astray_turns_to_where_it_was_told_to_head(seed: int) -> None:
    """The heading is what was told, summed up: what the gyro has seen too much or too little is turned back."""
    robot = load("quadruped")
    engine = CyclicEngine(robot, "trot", balance=Balance())
    sensing = Sensing(gyro=0.01, accelerometer=0.1, angle=0.001, speed=0.05, seed=seed)
    world = World(robot, LATE, Ground(0.8), sensing=sensing)
    world.reset(*engine.stance(), settle=0.3)
    off = (-1) ** seed * 0.4  # [rad] as if something had turned it by so much the other way

    def turned(time: float) -> Command:
        assert engine.sense is not None
        if time == pytest.approx(2.0):
            engine.sense.astray += off
        return Command(0.5, 0.0, 0.3)

    r = simulate(world, engine, turned, 8.0)
    told = 0.3 * (8.0 - 0.3 / robot.gaits["trot"].turn_acceleration / 2.0)
    assert r.info["fell"] is None
    assert yaw(r)[-1] == pytest.approx(told + off, abs=0.15)  # a trot that limps stays off by 0.1
    before = (r.time > 1.9) & (r.time < 2.0)
    assert yaw(r)[before].mean() == pytest.approx(0.3 * 1.9, abs=0.06)


def test_a_gain_without_sense_is_refused() -> None:
    with pytest.raises(BadValue, match="capture is nan"):
        Balance(capture=float("nan"))
