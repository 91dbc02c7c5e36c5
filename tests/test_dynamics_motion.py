"""From joint angles alone to the base and the feet in the world (Urbann algorithm 3.2, for any walk)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gangart.control import BipedEngine, WalkPlan
from gangart.dynamics import foot_positions, world_motion
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Bools, Command, JointTrajectory

WALKS = {
    "ahead": Command(0.2),
    "back": Command(-0.1),
    "left": Command(0.0, 0.03),
    "turn": Command(0.0, 0.0, -0.5),
    "curve": Command(0.1, 0.02, 0.4),
}


def planned(robot: Robot, command: Command) -> tuple[WalkPlan, Bools]:
    plan = BipedEngine(robot).plan(command, 6.0)
    return plan, plan.footsteps.contacts(plan.joints.time)


def start_of(motion: JointTrajectory) -> tuple[float, float, float]:
    return float(motion.base_position[0, 0]), float(motion.base_position[0, 1]), float(motion.base_yaw[0])


@pytest.mark.parametrize("command", WALKS.values(), ids=WALKS.keys())
def test_a_planned_walk_comes_back_from_its_joint_angles(nao: Robot, command: Command) -> None:
    plan, contacts = planned(nao, command)
    wanted = plan.joints
    found = world_motion(nao, wanted.time, wanted.position, contacts, start_of(wanted))
    np.testing.assert_allclose(found.base_position, wanted.base_position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.base_yaw, wanted.base_yaw, rtol=0, atol=1e-9)
    np.testing.assert_allclose(foot_positions(nao, found), plan.body.feet, rtol=0, atol=1e-9)


def test_the_world_begins_under_the_base_unless_told_otherwise(nao: Robot) -> None:
    plan, contacts = planned(nao, WALKS["curve"])
    here = world_motion(nao, plan.joints.time, plan.joints.position, contacts)
    there = world_motion(nao, plan.joints.time, plan.joints.position, contacts, (1.0, -2.0, np.pi / 2))
    assert here.base_position[0, :2] == pytest.approx([0.0, 0.0], abs=1e-15)
    x, y, z = here.base_position.T
    np.testing.assert_allclose(there.base_position, np.column_stack([1.0 - y, -2.0 + x, z]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(there.base_yaw, here.base_yaw + np.pi / 2, rtol=0, atol=1e-12)


def test_a_whole_turn_does_not_wrap(nao: Robot) -> None:
    plan = BipedEngine(nao).plan(Command(wz=0.6), 15.0)
    contacts = plan.footsteps.contacts(plan.joints.time)
    found = world_motion(nao, plan.joints.time, plan.joints.position, contacts, start_of(plan.joints))
    assert found.base_yaw[-1] > 2 * np.pi
    assert np.abs(np.diff(found.base_yaw)).max() < 0.05


def test_the_standing_foot_does_not_move_whatever_the_angles(nao: Robot, rng: np.random.Generator) -> None:
    """Angles with errors: the foot that bears the motion stays, also through the double support after its own."""
    plan, contacts = planned(nao, WALKS["curve"])
    wrong = plan.joints.position + 0.02 * rng.normal(size=(1, len(nao.joints)))
    found = world_motion(nao, plan.joints.time, wrong, contacts)
    feet = foot_positions(nao, found)
    for leg in range(2):
        lift, land = plan.footsteps.lift, plan.footsteps.land
        for k in np.flatnonzero(plan.footsteps.foot == 1 - leg):  # while the other one swings
            swing = (plan.joints.time >= lift[k]) & (plan.joints.time < land[k])
            assert swing.any() or lift[k] > plan.joints.time[-1]
            assert not swing.any() or np.ptp(feet[swing, leg], axis=0).max() < 1e-12


def test_without_a_double_support_the_motion_goes_on_from_where_the_foot_lands(nao: Robot) -> None:
    """Running on one leg after the other: left for half of the time, right for the rest, in one motion."""
    plan, contacts = planned(nao, WALKS["ahead"])
    k = int(np.flatnonzero(contacts.all(axis=1))[-1])
    rows = np.full(40, k)
    alternate: Array = np.zeros((40, 2), dtype=bool)
    alternate[:20, 0], alternate[20:, 1] = True, True
    found = world_motion(nao, 0.01 * np.arange(40), plan.joints.position[rows], alternate)
    assert np.ptp(found.base_position, axis=0).max() < 1e-12


def test_in_the_air_nothing_holds_the_robot(nao: Robot) -> None:
    plan, contacts = planned(nao, WALKS["ahead"])
    contacts[100] = False
    with pytest.raises(BadValue, match="no leg stands at 1 s"):
        world_motion(nao, plan.joints.time, plan.joints.position, contacts)


def test_arrays_have_to_fit(nao: Robot) -> None:
    plan, contacts = planned(nao, WALKS["ahead"])
    with pytest.raises(BadValue, match=r"joints has shape \(601, 3\)"):
        world_motion(nao, plan.joints.time, plan.joints.position[:, :3], contacts)
    with pytest.raises(BadValue, match=r"booleans of shape \(samples, legs\) = \(601, 2\)"):
        world_motion(nao, plan.joints.time, plan.joints.position, contacts[:-1])
    with pytest.raises(BadValue, match="float64"):
        world_motion(nao, plan.joints.time, plan.joints.position, contacts.astype(float))  # type: ignore[arg-type]


def test_robots_stay_as_they_are(nao: Robot) -> None:
    plan, contacts = planned(nao, WALKS["ahead"])
    before = plan.joints.position.copy()
    motion = world_motion(nao, plan.joints.time, plan.joints.position, contacts)
    foot_positions(nao, dataclasses.replace(motion, base_yaw=motion.base_yaw + 1.0))
    assert np.array_equal(before, plan.joints.position)
