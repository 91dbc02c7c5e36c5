"""Ahead of a walk: the whole body gets the wanted ZMP, and offsets undo what motors, gears and links do."""

from __future__ import annotations

import dataclasses
from typing import Any

import mujoco
import numpy as np
import pytest

from gangart.compensation import Rhythm, SupportOffsets, TorqueOffsets, ZmpOffsets, compensate_zmp, support_offsets
from gangart.compensation.bending import bending
from gangart.compensation.mirror import Mirror
from gangart.compensation.teeth import Teeth
from gangart.compensation.zmp import zmp_error
from gangart.control import BipedEngine
from gangart.errors import BadValue
from gangart.kinematics import Tree
from gangart.robots import Robot
from gangart.robots.wear import GearWear, Wear
from gangart.signals import Array, Command

GEAR = GearWear(viscous=0.08, coulomb=0.1, inertia=0.012, play=0.003, stiffness=600.0, damping=0.3)


def wear(**changes: Any) -> Wear:
    plain = Wear("plain", "", "motor", 180.0, 0.0, 2.0, 0.85, {"leg_high": GEAR, "leg_low": GEAR}, 400.0, 0.1)
    return dataclasses.replace(plain, **changes)


# ------------------------------------------------------------------ algorithm 5.1


@pytest.mark.parametrize("zmp", ["bezier", "stationary"])
@pytest.mark.parametrize("command", [Command(0.2), Command(0.1, 0.02, 0.2), Command(0.0, -0.04), Command(wz=0.5)])
def test_four_iterations_give_the_whole_body_the_wanted_zmp(nao: Robot, zmp: Any, command: Command) -> None:
    """Within 1 mm from the first sample on, none worse than the last."""
    engine = BipedEngine(nao, zmp=zmp)
    plan, offsets = compensate_zmp(engine, command, 6.0)
    worst = offsets.errors.max(axis=1)
    assert worst[0] > 0.01
    assert worst[4] < 0.001
    assert (np.diff(worst) < 1e-5).all()  # what the first sample has is out of reach
    np.testing.assert_allclose(np.abs(zmp_error(engine, plan)).max(axis=0), offsets.errors[-1], rtol=0, atol=1e-12)


def test_a_short_lean_costs_a_millimetre_or_two_once(nao: Robot) -> None:
    """With 0.6 s to lean over, not 0.8, the ZMP jumps at the start, which no later reference can undo."""
    assert nao.walk is not None
    engine = BipedEngine(nao, walk=dataclasses.replace(nao.walk, start=0.6))
    plan, _ = compensate_zmp(engine, Command(0.2), 6.0)
    error = np.abs(zmp_error(engine, plan)).max(axis=1)
    assert error[:20].max() < 0.0025
    assert error[30:].max() < 0.001


def test_no_iteration_is_the_plain_plan(nao: Robot) -> None:
    engine = BipedEngine(nao)
    plan, offsets = compensate_zmp(engine, Command(0.2), 3.0, iterations=0)
    np.testing.assert_array_equal(plan.joints.position, engine.plan(Command(0.2), 3.0).joints.position)
    assert not offsets.value.any()
    with pytest.raises(BadValue, match="iterations is -1"):
        compensate_zmp(engine, Command(0.2), 3.0, iterations=-1)


def test_offsets_are_a_function_of_time_that_holds_at_its_ends() -> None:
    offsets = ZmpOffsets(np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 6.0]]), np.zeros((1, 2)))
    found = offsets(np.array([-1.0, 0.5, 9.0]))
    np.testing.assert_allclose(found, [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])


def test_the_plan_keeps_the_wanted_zmp_and_not_the_shifted_one(nao: Robot) -> None:
    engine = BipedEngine(nao)
    plain = engine.plan(Command(0.1), 3.0)
    shifted = engine.plan(Command(0.1), 3.0, zmp_offset=lambda t: np.column_stack([0.0 * t, 0.01 + 0.0 * t]))
    np.testing.assert_array_equal(shifted.body.zmp, plain.body.zmp)
    np.testing.assert_allclose(shifted.body.com[:, 1] - plain.body.com[:, 1], 0.01, rtol=0, atol=1e-9)


# ------------------------------------------------------------------ offsets


DT = 0.01  # [s]


def held(values: Array) -> Array:
    """A motion in which nothing changes."""
    return np.tile(values, (40, 1))


def test_a_motor_with_its_offset_holds_the_load_at_the_wanted_angle(nao: Robot) -> None:
    """Urbann 4.1: S K K_P (u - q) / R is the torque of a motor that stands still."""
    w = wear()
    offsets = TorqueOffsets(nao, w, gear=False, links=False)
    torque = np.zeros(len(nao.joints))
    knee = nao.joint_index["LKneePitch"]
    torque[knee] = 3.0
    motor = nao.motor_of("LKneePitch")
    assert motor is not None
    K = motor.gear_ratio * motor.torque_constant
    found = offsets(held(torque), held(0.0 * torque), DT)
    np.testing.assert_allclose(w.stiffness * K * w.proportional * found[:, knee] / motor.resistance, 3.0)
    assert not np.delete(found, knee, axis=1).any()


def test_speed_costs_back_emf_and_friction(nao: Robot) -> None:
    w = wear()
    offsets = TorqueOffsets(nao, w, gear=False, links=False)
    zero = np.zeros(len(nao.joints))
    speed, knee = zero.copy(), nao.joint_index["LKneePitch"]
    speed[knee] = 4.0
    motor = nao.motor_of("LKneePitch")
    assert motor is not None
    K = motor.gear_ratio * motor.torque_constant
    R = motor.resistance / w.stiffness
    friction = GEAR.viscous * 4.0 + GEAR.coulomb
    found = offsets(held(zero), held(speed), DT)
    np.testing.assert_allclose(found[:, knee], (R / K * friction + K * 4.0) / w.proportional, rtol=1e-6)
    np.testing.assert_allclose(offsets(held(zero), held(-speed), DT), -found, rtol=0, atol=1e-15)


@pytest.mark.parametrize("derivative", [0.0, 0.5, 5.0])
def test_the_whole_error_gives_the_voltage_and_not_its_proportional_part_alone(nao: Robot, derivative: float) -> None:
    """K_P (u - q) + K_D d(u - q)/dt is the voltage for the torque, where K_D answers to the change as well."""
    w = wear(derivative=derivative)
    t = 0.001 * np.arange(2000)
    torque = np.zeros((len(t), len(nao.joints)))
    knee = nao.joint_index["LKneePitch"]
    torque[:, knee] = 2.0 + np.sin(2.0 * np.pi * 3.0 * t)
    found = TorqueOffsets(nao, w, gear=False, links=False)(torque, 0.0 * torque, 0.001)[:, knee]
    motor = nao.motor_of("LKneePitch")
    assert motor is not None
    K = motor.gear_ratio * motor.torque_constant
    voltage = w.proportional * found + derivative * np.gradient(found, 0.001)
    np.testing.assert_allclose(voltage[5:-5], (torque[:, knee] * motor.resistance / (w.stiffness * K))[5:-5], rtol=2e-3)


def test_joints_without_wear_get_nothing(nao: Robot, rng: np.random.Generator) -> None:
    torque, speed = rng.normal(size=(2, 50, len(nao.joints)))
    offsets = TorqueOffsets(nao, wear())(torque, speed, DT)
    arms = [nao.joint_index[j] for j in nao.motors["arm_low"].joints]
    assert not offsets[:, arms].any()


@pytest.mark.parametrize("encoder", ["motor", "joint"])
def test_a_gear_that_its_sensor_sees_needs_no_offset(nao: Robot, encoder: Any) -> None:
    torque, knee = np.zeros(len(nao.joints)), nao.joint_index["LKneePitch"]
    torque[knee] = 2.0
    plain = TorqueOffsets(nao, wear(), gear=False, links=False)(held(torque), held(0.0 * torque), DT)
    found = TorqueOffsets(nao, wear(encoder=encoder), links=False)(held(torque), held(0.0 * torque), DT)
    gives = GEAR.play + 2.0 / GEAR.stiffness if encoder == "motor" else 0.0
    np.testing.assert_allclose((found - plain)[:, knee], gives, rtol=0, atol=1e-12)


@pytest.mark.parametrize("encoder", ["motor", "joint"])
def test_two_joints_of_one_motor_share_what_one_of_them_gives_way(nao: Robot, encoder: Any) -> None:
    """Both are asked for the same, each hip pitch makes up for what its leg is then short of, about its own axis."""
    left, right = nao.joint_index["LHipYawPitch"], nao.joint_index["RHipYawPitch"]
    torque = np.zeros(len(nao.joints))
    torque[right] = 2.0
    parts = TorqueOffsets(nao, wear(encoder=encoder), motor=False, links=False)
    found = parts(held(torque), held(0.0 * torque), DT)[-1]
    gives = GEAR.play + 2.0 / GEAR.stiffness  # of the right one; the left's sensor sees none of it
    assert found[left] == pytest.approx(found[right]) == pytest.approx(gives / 2.0)
    axis = np.cos(np.pi / 4.0)  # between the axes of HipYawPitch and HipPitch
    assert found[nao.joint_index["RHipPitch"]] == pytest.approx(axis * gives / 2.0)
    assert found[nao.joint_index["LHipPitch"]] == pytest.approx(-axis * gives / 2.0)


def test_teeth_cross_their_play_against_their_damping() -> None:
    """Slowly, as damping over torque says; then the spring takes over; and back again the other way."""
    teeth = Teeth(stiffness=600.0, play=0.004, damping=4.0)
    torque = np.where(np.arange(2000) < 1000, -0.5, 0.5)
    give = teeth.give(torque, 0.001)
    np.testing.assert_allclose(give[:1000], -0.004 - 0.5 / 600.0)
    inside = np.abs(give) < 0.0039
    inside[:1000] = False
    np.testing.assert_allclose(np.diff(give)[inside[1:] & inside[:-1]], 0.5 / 4.0 * 0.001, rtol=1e-6)
    assert 0.05 < 0.001 * inside.sum() < 0.07  # 2 · 0.004 rad at 0.125 rad/s
    assert give[-1] == pytest.approx(0.004 + 0.5 / 600.0, rel=1e-6)


def test_angles_for_bent_links_put_the_foot_back(nao: Robot) -> None:
    """A leg with a bend in the middle of each link, as a model of its own: its foot comes back to first order."""
    W, bend = bending(nao, 2), 1e-3
    assert W.shape == (8, len(nao.joints))
    np.testing.assert_allclose(W.sum(axis=1), 1.0)  # the sum of the turns is the bend: the sole stays flat
    tree, joints = Tree(nao), nao.home_position * 0.0
    foot = nao.legs["left"].foot

    def sole(row: int, q: Array, amount: float) -> Array:
        """Foot's place with a bend about x or y at half a link's length, from the bodies of the straight leg."""
        model = nao.spec()
        link = ("LThigh", "LTibia")[row // 2]
        child = model.body(("LTibia", "LAnklePitch")[row // 2])
        half = np.array(child.pos) / 2.0
        turn = np.zeros(4)
        mujoco.mju_axisAngle2Quat(turn, np.eye(3)[row % 2], amount)
        lower = np.zeros(3)
        mujoco.mju_rotVecQuat(lower, half, turn)
        child.pos, child.quat = half + lower, turn
        assert model.body(link) is not None
        compiled = model.compile()
        data = mujoco.MjData(compiled)
        data.qpos[nao.qpos_index] = q
        mujoco.mj_kinematics(compiled, data)
        return np.array(data.body(foot).xpos)

    straight = tree.com(joints)
    assert np.isfinite(straight).all()
    for row in range(4):
        away = sole(row, joints, bend) - sole(row, joints, 0.0)
        back = sole(row, joints - bend * W[row], bend) - sole(row, joints, 0.0)
        assert np.abs(away).max() > 3e-5
        assert np.abs(back).max() < 2e-7


def test_support_offsets_act_on_the_leg_that_stands_alone(nao: Robot) -> None:
    offsets = SupportOffsets(nao, {"LKneePitch": 0.02, "RHipRoll": -0.01})
    knee, hip = nao.joint_index["LKneePitch"], nao.joint_index["RHipRoll"]
    rhythm = Rhythm(np.array([1, 0]), np.array([1.0, 1.4]), np.array([1.3, 1.7]), np.zeros((2, 3)), 0.4, 0.1)
    for time, left, right in (
        (0.5, 0.0, 0.0),
        (0.95, 0.5, 0.0),
        (1.2, 1.0, 0.0),
        (1.35, 0.5, 0.5),
        (1.6, 0.0, 1.0),
        (2.0, 0.0, 0.0),
    ):
        found, rate = offsets(rhythm, time)
        assert (found[knee], found[hip]) == (pytest.approx(0.02 * left), pytest.approx(-0.01 * right))
        assert np.count_nonzero(found) == (left > 0.0) + (right > 0.0)
        assert bool(rate.any()) == (left == 0.5)  # comes and goes over the double supports
    with pytest.raises(BadValue, match="'Knee'"):
        SupportOffsets(nao, {"Knee": 0.1})


def test_support_constants_are_alike_on_both_sides_and_carry_the_knee(nao: Robot) -> None:
    single = support_offsets(BipedEngine(nao), wear(), Command(0.1)).single
    assert single["LKneePitch"] == pytest.approx(single["RKneePitch"], rel=0.05)
    assert single["LHipRoll"] == pytest.approx(-single["RHipRoll"], rel=0.05)
    assert 0.005 < abs(single["LKneePitch"]) < 0.1


def test_a_walk_to_the_left_is_the_mirror_image_of_one_to_the_right(nao: Robot) -> None:
    mirror, engine = Mirror(nao), BipedEngine(nao)
    n = round(engine.timing.double_step / nao.tick)
    left = engine.plan(Command(0.1, 0.02, 0.3), 9.0)
    right = engine.plan(Command(0.1, -0.02, -0.3), 9.0)
    rows = slice(600, 600 + n)
    shift = engine.timing.step / nao.tick
    a = mirror.joints(left.joints.position[rows])
    b = right.joints.position[rows]
    legs = [nao.joint_index[j] for leg in nao.legs.values() for j in leg.joints]
    # the first foot of each walk differs, so both have the same phase without the half double step
    np.testing.assert_allclose(np.roll(a, -round(shift), axis=0)[:, legs], b[:, legs], rtol=0, atol=1e-6)
    np.testing.assert_allclose(mirror.joints(a), left.joints.position[rows], rtol=0, atol=1e-15)
