"""Hubs and joints: the thesis's belts, conserved power, and zeros found at end stops."""

from __future__ import annotations

import numpy as np
import pytest

from gangart.errors import BadValue, UnknownName
from gangart.kinematics import EndStop, Homing, Transmission, homing_plan
from gangart.kinematics.homing import COUNTS_PER_TURN
from gangart.robots import Robot, load

I_1, I_2, I_3 = 21 / 40, 20 / 36, 17 / 30  # Bahr (5.1)-(5.3)
COUNT = 2 * np.pi / COUNTS_PER_TURN  # [rad] of a hub


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load("quadruped")


@pytest.mark.parametrize("leg", ["front_left", "rear_right"])
def test_belts_of_bahrs_thesis(robot, leg, rng):
    """(5.4)-(5.9), with his angles and the hubs' sense turned into ours: both count about the joints' axes."""
    theta = np.radians(rng.uniform([-30.0, -1.5, 13.5], [30.0, 180.0, 180.0], (1000, 3)))
    side = 1.0 if robot.legs[leg].side == "right" else -1.0  # θ1 turns the foot inward
    joints = np.stack([side * theta[:, 0], np.pi - theta[:, 1], theta[:, 2] - np.pi], axis=1)
    a_1, a_2, a_3 = theta[:, 0] / I_1, theta[:, 1] / I_2, theta[:, 2] / I_3 - theta[:, 1]
    stretched = np.array([0.0, np.pi / I_2, np.pi / I_3 - np.pi])  # his hubs where our joints are 0
    his = np.stack([a_1, a_2, a_3], axis=1) - stretched
    ours = his * [side, -1.0, 1.0]
    transmission = Transmission.of(robot, leg)
    np.testing.assert_allclose(transmission.to_hubs(joints), ours, atol=1e-8)  # the file has nine decimals
    np.testing.assert_allclose(transmission.to_joints(ours), joints, atol=1e-8)
    np.testing.assert_allclose((ours[:, 2] - joints[:, 1]) * I_3, joints[:, 2], atol=1e-12)  # (5.6): the knee's belt


@pytest.mark.parametrize("seed", [1, 2])
def test_there_and_back_and_power_is_conserved(robot, seed):
    rng = np.random.default_rng(seed)
    matrices = [robot.hubs, Transmission.of(robot, "rear_left").matrix, rng.normal(size=(5, 5)) + 3 * np.eye(5)]
    for matrix in matrices:
        transmission = Transmission(matrix)
        speeds, torques = rng.normal(size=(2, 7, 4, len(matrix)))
        np.testing.assert_allclose(transmission.to_joints(transmission.to_hubs(speeds)), speeds, atol=1e-12)
        at_joints = transmission.joint_torques(torques)
        np.testing.assert_allclose(transmission.hub_torques(at_joints), torques, atol=1e-12)
        power = np.sum(torques * transmission.to_hubs(speeds), axis=-1)
        np.testing.assert_allclose(np.sum(at_joints * speeds, axis=-1), power, atol=1e-12)


def test_the_whole_robot_is_its_legs(robot, rng):
    joints = rng.normal(size=(10, 12))
    hubs = Transmission.of(robot).to_hubs(joints)
    for name, leg in robot.legs.items():
        mine = [robot.joint_index[joint] for joint in leg.joints]
        np.testing.assert_array_equal(Transmission.of(robot, name).to_hubs(joints[:, mine]), hubs[:, mine])


@pytest.mark.parametrize("matrix", [np.ones((2, 2)), np.ones((2, 3)), np.eye(3) * np.nan, np.zeros(3)])
def test_a_transmission_without_inverse_is_refused(matrix):
    with pytest.raises(BadValue, match="transmission"):
        Transmission(matrix)


class Bench:
    """A leg with relative encoders: joints that stop at their limits, hubs that count from wherever they were."""

    def __init__(self, robot: Robot, leg: str, rng: np.random.Generator) -> None:
        self.robot, self.leg = robot, leg
        self.names = robot.legs[leg].joints
        self.limits = robot.joint_limits[[robot.joint_index[name] for name in self.names]]
        self.transmission = Transmission.of(robot, leg)
        self.q = rng.uniform(*self.limits.T)
        self.start = self.transmission.to_hubs(self.q) + rng.uniform(0.0, COUNT, 3)  # between two counts

    def counts(self) -> np.ndarray:
        return np.floor((self.transmission.to_hubs(self.q) - self.start) / COUNT).astype(np.int64)

    def run(self, approach) -> EndStop:
        """Turn the hubs as they are told until a joint stands at a stop."""
        speeds = self.transmission.to_joints(approach.hub_speeds)
        j = self.names.index(approach.joint)
        assert np.abs(np.delete(speeds, j)).max() < 1e-12  # nothing else turns
        self.q[j] = self.limits[j, 1 if speeds[j] > 0 else 0]
        return EndStop(approach.joint, approach.end, self.counts())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("leg", ["front_left", "front_right", "rear_left", "rear_right"])
def test_after_homing_joint_angles_agree_within_one_count(robot, leg, seed):
    rng = np.random.default_rng(seed)
    bench = Bench(robot, leg, rng)
    plan = homing_plan(robot, leg, ends={bench.names[0]: ("lower", "upper")[seed % 2]})
    assert [approach.joint for approach in plan].index(bench.names[1]) < [a.joint for a in plan].index(bench.names[2])
    homing = Homing(robot, leg, [bench.run(approach) for approach in plan])
    errors = []
    for _ in range(200):
        bench.q = rng.uniform(*bench.limits.T)
        errors.append(homing.joints(bench.counts()) - bench.q)
    assert np.abs(errors).max() < COUNT
    assert np.abs(errors).max() > 0.1 * COUNT  # an encoder without steps would test nothing


def test_the_knee_before_the_hip_is_refused_with_the_way_out(robot, rng):
    bench = Bench(robot, "front_left", rng)
    first, hip, knee = homing_plan(robot, "front_left")
    stops = [bench.run(first), bench.run(knee), bench.run(hip)]
    with pytest.raises(BadValue, match=r"'FL3' was at its upper stop before 'FL2' was homed.*; home 'FL2' first"):
        Homing(robot, "front_left", stops)


def test_a_stop_that_was_never_reached_is_told(robot, rng):
    bench = Bench(robot, "front_left", rng)
    first, hip, _ = homing_plan(robot, "front_left")
    with pytest.raises(BadValue, match=r"leg 'front_left': joint 'FL3' was never at an end stop"):
        Homing(robot, "front_left", [bench.run(first), bench.run(hip)])


def test_both_ends_agree_or_something_was_in_the_way(robot, rng):
    bench = Bench(robot, "rear_right", rng)
    there = homing_plan(robot, "rear_right", dict.fromkeys(bench.names, "lower"))
    back = homing_plan(robot, "rear_right", dict.fromkeys(bench.names, "upper"))
    stops = [bench.run(approach) for approach in (*there, *back)]
    homing = Homing(robot, "rear_right", stops)
    np.testing.assert_allclose(homing.joints(bench.counts()), bench.q, atol=COUNT)
    blocked = stops[-1].counts - [0, 0, int(np.radians(10.0) / I_3 / COUNT)]
    with pytest.raises(BadValue, match=r"'RR3' stands at its upper stop, but 10\.0° below it .* in the way"):
        Homing(robot, "rear_right", [*stops[:-1], EndStop("RR3", "upper", blocked)])


def test_joints_that_turn_each_others_hubs_have_no_first(monkeypatch, robot):
    tangled = robot.hubs.copy()
    tangled[robot.joint_index["FL2"], robot.joint_index["FL3"]] = 0.5
    monkeypatch.setitem(robot.__dict__, "hubs", tangled)
    with pytest.raises(BadValue, match="joints 'FL2', 'FL3' turn each other's hubs"):
        homing_plan(robot, "front_left")


@pytest.mark.parametrize(
    "ask",
    [
        lambda robot: homing_plan(robot, "middle"),
        lambda robot: homing_plan(robot, "front_left", {"RL1": "upper"}),
        lambda robot: homing_plan(robot, "front_left", {"FL1": "left"}),
        lambda robot: Homing(robot, "middle", []),
        lambda robot: Homing(robot, "front_left", [EndStop("RL1", "upper", np.zeros(3, dtype=np.int64))]),
        lambda robot: Transmission.of(robot, "middle"),
    ],
)
def test_wrong_names_are_refused(robot, ask):
    with pytest.raises(UnknownName):
        ask(robot)


@pytest.mark.parametrize("given", [{"speed": 0.0}, {"current": np.nan}, {"standstill": -1.0}])
def test_a_search_that_would_never_end_is_refused(robot, given):
    with pytest.raises(BadValue, match=f"{next(iter(given))} of a homing .* positive"):
        homing_plan(robot, "front_left", **given)
