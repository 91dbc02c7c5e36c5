"""Closed-form legs: FK after IK is the identity over the whole workspace, and what cannot be reached is said."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart import robots
from gangart.errors import BadRobot, BadValue, UnknownName, Unreachable
from gangart.kinematics import HipYawPitchLegs
from gangart.robots import Robot

FOLDER = Path(robots.__file__).parent / "nao"
MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])
MIRRORED_ANGLES = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0])  # roll joints turn the other way


@pytest.fixture(scope="module")
def legs(nao: Robot) -> HipYawPitchLegs:
    return HipYawPitchLegs(nao)


def limits(robot: Robot, leg: str) -> tuple[np.ndarray, np.ndarray]:
    columns = [robot.joint_index[name] for name in robot.legs[leg].joints]
    low, high = robot.joint_limits[columns].T
    return low, high


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("leg", ["left", "right"])
def test_fk_of_ik_is_the_identity_over_the_whole_workspace(legs, nao, leg, seed):
    low, high = limits(nao, leg)
    pose = legs.forward(leg, np.random.default_rng(seed).uniform(low, high, (10_000, 6)))
    found = legs.inverse(leg, pose)
    assert not found.status.any()
    assert np.abs(legs.forward(leg, found.angles) - pose).max() < 1e-9
    assert (found.angles >= low).all()
    assert (found.angles <= high).all()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("leg", ["left", "right"])
def test_ik_of_fk_gives_the_angles_back_where_the_knee_is_bent_forward(legs, nao, leg, seed):
    low, high = limits(nao, leg)
    low[3] = 0.01  # a knee bent back has a twin that is bent forward, and a straight one a double root
    angles = np.random.default_rng(seed).uniform(low, high, (10_000, 6))
    pose = legs.forward(leg, angles)
    # a hip on the ankle's roll axis leaves that roll free
    hip = np.einsum("nji,nj->ni", pose[:, :3, :3], legs.numbers[0 if leg == "left" else 1, :3] - pose[:, :3, 3])
    clear = np.hypot(hip[:, 1], hip[:, 2] + legs.numbers[0, 10]) > 1e-4
    assert clear.sum() > 9_900
    assert np.abs(legs.inverse(leg, pose[clear]).angles - angles[clear]).max() < 1e-9


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6), st.booleans(), st.booleans())
def test_corners_of_the_workspace_and_straight_knees_are_exact(nao, corner, straight, left):
    leg = "left" if left else "right"
    legs = HipYawPitchLegs(nao)
    low, high = limits(nao, leg)
    angles = low + np.array(corner) * (high - low)
    angles[3] = 0.0 if straight else angles[3]
    pose = legs.forward(leg, angles)
    found = legs.inverse(leg, pose, on_failure="clamp")
    assert found.status == 0
    assert np.abs(legs.forward(leg, found.angles) - pose).max() < 1e-9


def test_a_nearly_straight_knee_costs_no_accuracy(legs):
    knee = np.concatenate([[0.0], np.logspace(-16, -2, 200)])
    angles = np.zeros((201, 6))
    angles[:, 2], angles[:, 3], angles[:, 4] = -0.1 - knee / 2, knee, 0.1 - knee / 2
    pose = legs.forward("left", angles)
    found = legs.inverse("left", pose)
    assert np.abs(legs.forward("left", found.angles) - pose).max() < 2e-12


def test_left_and_right_are_mirror_images(legs, nao, rng):
    low, high = limits(nao, "left")
    right_low, right_high = limits(nao, "right")
    # the ankle's limits differ by half a degree between the legs: draw where both can go, and bent forward
    low[3] = 0.01
    low[4], high[4] = max(low[4], right_low[4]), min(high[4], right_high[4])
    angles = rng.uniform(low, high, (1000, 6))
    left = legs.forward("left", angles)
    right = MIRROR @ left @ MIRROR
    np.testing.assert_allclose(legs.forward("right", angles * MIRRORED_ANGLES), right, atol=1e-14)
    found = legs.inverse("right", right).angles
    np.testing.assert_allclose(found * MIRRORED_ANGLES, legs.inverse("left", left).angles, atol=1e-9)


def test_a_batch_is_its_elements(legs, nao, rng):
    low, high = limits(nao, "left")
    angles = rng.uniform(low, high, (4, 5, 6))
    pose = legs.forward("left", angles)
    found = legs.inverse("left", pose)
    assert pose.shape == (4, 5, 4, 4)
    assert found.status.shape == (4, 5)
    for index in np.ndindex(4, 5):
        assert np.array_equal(legs.forward("left", angles[index]), pose[index])
        assert np.array_equal(legs.inverse("left", pose[index]).angles, found.angles[index])


def test_a_target_too_far_is_refused_with_leg_and_distance_or_stretches_the_leg(legs):
    pose = legs.forward("left", np.zeros(6))
    pose[2, 3] -= 0.02
    with pytest.raises(Unreachable, match=r"leg 'left': the target is 20\.0 mm too far from the hip"):
        legs.inverse("left", pose)
    found = legs.inverse("left", pose, on_failure="clamp")
    assert found.status == 1
    np.testing.assert_allclose(found.angles, 0.0, atol=1e-12)


def test_stretching_keeps_direction_and_orientation(legs):
    pose = legs.forward("left", np.array([0.1, 0.1, -0.3, 0.0, 0.1, 0.05]))
    ankle_from_hip = pose[:3, 3] - pose[:3, :3] @ legs.numbers[0, 8:11] - legs.numbers[0, :3]
    far = pose.copy()
    far[:3, 3] += 0.5 * ankle_from_hip
    found = legs.inverse("left", far, on_failure="clamp")
    assert found.status == 1
    np.testing.assert_allclose(legs.forward("left", found.angles), pose, atol=1e-8)


def test_a_joint_limit_is_refused_by_name_or_clipped(legs, nao):
    low, high = limits(nao, "right")
    angles = np.array([0.0, 0.0, -0.4, 0.8, -0.4, 0.0])
    angles[0] = high[0] + np.radians(5.0)
    pose = legs.forward("right", angles)
    with pytest.raises(
        Unreachable, match=r"leg 'right': joint 'RHipYawPitch' would be 5\.0° above its upper limit of 42"
    ):
        legs.inverse("right", pose)
    found = legs.inverse("right", pose, on_failure="clamp")
    assert found.status == 2
    np.testing.assert_allclose(found.angles, np.clip(angles, low, high), atol=1e-9)


def test_the_first_bad_pose_of_a_batch_is_named_by_its_index(legs):
    pose = np.broadcast_to(legs.forward("left", np.array([0, 0, -0.4, 0.8, -0.4, 0.0])), (2, 3, 4, 4)).copy()
    pose[1, 2, 2, 3] -= 0.1
    with pytest.raises(Unreachable, match=r"\(at index 1, 2\)"):
        legs.inverse("left", pose)
    assert legs.inverse("left", pose, on_failure="clamp").status.tolist() == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda legs, pose: legs.inverse("left", pose * np.nan), BadValue),
        (lambda legs, pose: legs.inverse("left", pose[:3]), BadValue),
        (lambda legs, pose: legs.inverse("middle", pose), UnknownName),
        (lambda legs, pose: legs.inverse("left", pose, on_failure="ignore"), UnknownName),
    ],
)
def test_wrong_input_is_refused(legs, change, error):
    with pytest.raises(error):
        change(legs, np.eye(4))


def rebuilt(tmp_path: Path, change: Callable[[str], str]) -> Robot:
    """The Nao with another model."""
    shutil.copy(FOLDER / "robot.toml", tmp_path)
    text = (FOLDER / "nao.xml").read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    (tmp_path / "nao.xml").write_text(changed, encoding="utf-8")
    return robots.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"LHipYawPitch" axis="0 1 -1"', '"LHipYawPitch" axis="0.1 1 -1"', "'LHipYawPitch' turns about .* not across"),
        ('"LHipRoll" axis="1 0 0"', '"LHipRoll" axis="0 0 1"', r"'LHipRoll' \(hip roll\) turns about .* not about \+x"),
        ('"LKneePitch" axis="0 1 0"', '"LKneePitch" axis="0 -1 0"', r"'LKneePitch' \(knee pitch\) turns about"),
        ('name="LThigh" pos="0 0 0"', 'name="LThigh" pos="0 0 -0.004"', "'LHipRoll' and 'LHipPitch' pass .* 4 mm"),
        ('name="LHip" pos="0 0 0"', 'name="LHip" pos="0 0.003 0"', "'LHipYawPitch' passes the other hip axes by"),
        ('name="LTibia" pos="0 0 -0.1"', 'name="LTibia" pos="0.01 0 -0.1"', "knee 'LKneePitch' stands out .* 10 mm"),
        ('name="LFoot" pos="0 0 0"', 'name="LFoot" pos="0 0 -0.02"', "'LAnklePitch' and 'LAnkleRoll' pass .* 20 mm"),
        ('range="-0.379435 0.79046"', 'range="-0.9 0.79046"', "'LHipRoll' reach the roll at which"),
    ],
)
def test_a_leg_that_is_built_otherwise_is_refused_by_name(tmp_path, old, new, said):
    robot = rebuilt(tmp_path, lambda text: text.replace(old, new))
    with pytest.raises(BadRobot, match=f"leg 'left'.*{said}"):
        HipYawPitchLegs(robot)


def test_lengths_and_tilt_come_from_the_model(tmp_path, rng):
    def change(text: str) -> str:
        text = text.replace('name="LTibia" pos="0 0 -0.1"', 'name="LTibia" pos="0 0 -0.13"')
        return text.replace('"LHipYawPitch" axis="0 1 -1"', '"LHipYawPitch" axis="0 0.8 -1"')

    robot = rebuilt(tmp_path, change)
    legs = HipYawPitchLegs(robot)
    low, high = limits(robot, "left")
    angles = rng.uniform(low, high, (1000, 6))
    pose = legs.forward("left", angles)
    assert np.abs(legs.forward("left", legs.inverse("left", pose).angles) - pose).max() < 1e-9
    straight = legs.forward("left", np.zeros(6))
    assert straight[2, 3] == pytest.approx(-0.085 - 0.13 - 0.1029 - 0.04511)
