"""Legs of abduction, pitch and knee: FK after IK is the identity over the whole workspace, and refusals are said."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.abduction_model import HIPS, LATERAL, SHANK, THIGH, build

from gangart.errors import BadRobot, BadValue, UnknownName, Unreachable
from gangart.kinematics import AbductionLegs, Tree
from gangart.robots import load

KNEES = ("backward", "forward")


@pytest.fixture(scope="module")
def dogs(tmp_path_factory) -> dict[str, AbductionLegs]:
    """The test model with knees one way and the other."""
    return {knee: AbductionLegs(build(tmp_path_factory.mktemp(knee), knee)) for knee in KNEES}


def limits(legs: AbductionLegs, leg: str) -> tuple[np.ndarray, np.ndarray]:
    robot = legs.robot
    low, high = robot.joint_limits[[robot.joint_index[name] for name in robot.legs[leg].joints]].T
    return low, high


def draw(legs: AbductionLegs, leg: str, rng: np.random.Generator, n: int = 10_000) -> np.ndarray:
    return rng.uniform(*limits(legs, leg), (n, 3))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("leg", HIPS)
@pytest.mark.parametrize("knee", KNEES)
def test_fk_of_ik_is_the_identity_over_the_whole_workspace(dogs, knee, leg, seed):
    legs = dogs[knee]
    low, high = limits(legs, leg)
    point = legs.forward(leg, draw(legs, leg, np.random.default_rng(seed)))
    found = legs.inverse(leg, point)
    assert not found.status.any()
    assert np.abs(legs.forward(leg, found.angles) - point).max() < 1e-9
    assert (found.angles >= low).all()
    assert (found.angles <= high).all()


@pytest.mark.parametrize("knee", KNEES)
@pytest.mark.parametrize("seed", [1, 2])
def test_any_leg_without_limits_reaches_all_it_can(tmp_path, knee, seed):
    wide = ((-3.2, 3.2), (-3.2, 3.2), (-3.15, 0.0))
    legs = AbductionLegs(build(tmp_path, knee, wide))
    point = legs.forward("rear_left", draw(legs, "rear_left", np.random.default_rng(seed)))
    found = legs.inverse("rear_left", point)
    assert np.abs(legs.forward("rear_left", found.angles) - point).max() < 1e-9


@pytest.mark.parametrize("knee", KNEES)
@pytest.mark.parametrize("leg", HIPS)
def test_ik_of_fk_gives_the_angles_back_where_the_foot_is_below_the_hip(dogs, knee, leg, rng):
    legs = dogs[knee]
    angles = draw(legs, leg, rng)
    height = THIGH * np.cos(angles[:, 1]) + SHANK * np.cos(angles[:, 1] + angles[:, 2])
    clear = (height > 1e-3) & (np.abs(angles[:, 2]) > 1e-3)
    assert clear.sum() > 4000
    found = legs.inverse(leg, legs.forward(leg, angles[clear]))
    assert np.abs(found.angles - angles[clear]).max() < 1e-9


@pytest.mark.parametrize("leg", HIPS)
def test_a_foot_above_the_hip_takes_the_branch_that_the_limits_leave(dogs, leg, rng):
    legs = dogs["backward"]
    angles = draw(legs, leg, rng)
    height = THIGH * np.cos(angles[:, 1]) + SHANK * np.cos(angles[:, 1] + angles[:, 2])
    # the branch with the foot below the hip turns the abduction on by twice this angle: beyond its limits
    sign = np.sign(legs.numbers[list(HIPS).index(leg), 3])
    other = angles[:, 0] - sign * 2.0 * np.arctan2(height, LATERAL)
    clear = (height < -1e-3) & (np.abs(other) > 0.81) & (np.abs(angles[:, 2]) > 1e-3)
    assert clear.sum() > 1000
    found = legs.inverse(leg, legs.forward(leg, angles[clear]))
    assert np.abs(found.angles - angles[clear]).max() < 1e-9


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=3), st.sampled_from(list(HIPS)))
def test_corners_of_the_workspace_are_exact(dogs, corner, leg):
    for legs in dogs.values():
        low, high = limits(legs, leg)
        point = legs.forward(leg, low + np.array(corner) * (high - low))
        found = legs.inverse(leg, point, on_failure="clamp")
        assert found.status == 0
        assert np.abs(legs.forward(leg, found.angles) - point).max() < 1e-9


def test_a_nearly_straight_knee_costs_no_accuracy(dogs):
    bend = np.concatenate([[0.0], np.logspace(-16, -2, 200)])
    for sign, legs in ((-1.0, dogs["backward"]), (1.0, dogs["forward"])):
        angles = np.stack([np.full(201, 0.2), -sign * (0.1 + bend / 2), sign * bend], axis=1)
        point = legs.forward("front_right", angles)
        found = legs.inverse("front_right", point)
        assert np.abs(legs.forward("front_right", found.angles) - point).max() < 2e-12


@pytest.mark.parametrize("knee", KNEES)
def test_feet_are_mujocos(dogs, knee, rng):
    legs = dogs[knee]
    robot = legs.robot
    data = mujoco.MjData(robot.model)
    low, high = robot.joint_limits.clip(-2.0, 2.0).T
    for joints in rng.uniform(low, high, (200, len(robot.joints))):
        data.qpos[:7] = 0, 0, 0, 1, 0, 0, 0
        data.qpos[robot.qpos_index] = joints
        mujoco.mj_kinematics(robot.model, data)
        for leg, here in zip(robot.legs.values(), legs.all_forward(joints), strict=True):
            foot = data.body(leg.foot)
            np.testing.assert_allclose(here, foot.xpos + foot.xmat.reshape(3, 3) @ leg.sole, atol=1e-14)


@pytest.mark.parametrize("name", ["quadruped", "a1"])
def test_our_quadrupeds_have_such_legs(name, rng):
    robot = load(name)
    legs = AbductionLegs(robot)
    joints = rng.uniform(*robot.joint_limits.T, (1000, 12))
    points = legs.all_forward(joints)
    np.testing.assert_allclose(points, Tree(robot).feet(joints)[..., :3, 3], atol=1e-14)
    found, status = legs.all_inverse(points)
    assert not status.any()
    assert np.abs(legs.all_forward(found) - points).max() < 1e-9


def test_feet_and_jacobians_are_pinocchios(dogs, rng):
    pin = pytest.importorskip("pinocchio")
    legs = dogs["backward"]
    for leg, (x, y) in HIPS.items():
        out = LATERAL if y > 0 else -LATERAL
        model = pin.Model()
        joint = model.addJoint(0, pin.JointModelRX(), pin.SE3(np.eye(3), np.array([x, y, -0.02])), "abduction")
        joint = model.addJoint(joint, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0.0, out, 0.0])), "pitch")
        joint = model.addJoint(joint, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0.0, 0.0, -THIGH])), "knee")
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -SHANK]))
        foot = model.addFrame(pin.Frame("foot", joint, 0, place, pin.FrameType.OP_FRAME))
        data = model.createData()
        for angles in draw(legs, leg, rng, 100):
            jacobian = pin.computeFrameJacobian(model, data, angles, foot, pin.LOCAL_WORLD_ALIGNED)[:3]
            pin.framesForwardKinematics(model, data, angles)
            np.testing.assert_allclose(legs.forward(leg, angles), data.oMf[foot].translation, atol=1e-14)
            np.testing.assert_allclose(legs.jacobian(leg, angles), jacobian, atol=1e-14)


@pytest.mark.parametrize("knee", KNEES)
@pytest.mark.parametrize("leg", HIPS)
def test_the_jacobian_is_the_finite_difference(dogs, knee, leg, rng):
    legs = dogs[knee]
    angles = draw(legs, leg, rng, 1000)
    for j, step in enumerate(1e-6 * np.eye(3)):
        slope = (legs.forward(leg, angles + step) - legs.forward(leg, angles - step)) / 2e-6
        np.testing.assert_allclose(legs.jacobian(leg, angles)[..., j], slope, atol=1e-9)


@pytest.mark.parametrize("knee", KNEES)
def test_left_and_right_are_mirror_images(dogs, knee, rng):
    legs = dogs[knee]
    angles = draw(legs, "rear_left", rng)
    left = legs.forward("rear_left", angles)
    right = left * [1.0, -1.0, 1.0]
    np.testing.assert_allclose(legs.forward("rear_right", angles * [-1.0, 1.0, 1.0]), right, atol=1e-15)
    mirrored = legs.inverse("rear_right", right).angles * [-1.0, 1.0, 1.0]
    np.testing.assert_allclose(mirrored, legs.inverse("rear_left", left).angles, atol=1e-9)


def test_knees_forward_are_knees_backward_seen_from_the_other_end(dogs, rng):
    backward, forward = dogs["backward"], dogs["forward"]
    angles = draw(backward, "rear_left", rng)
    there = backward.forward("rear_left", angles) - [-0.2, 0.0, 0.0]
    here = forward.forward("rear_left", angles * [1.0, -1.0, -1.0]) - [-0.2, 0.0, 0.0]
    np.testing.assert_allclose(here, there * [-1.0, 1.0, 1.0], atol=1e-15)


def bahr_inverse(x, y, z, l_1, l_2, l_3):
    """Bahr (5.10)-(5.19): x outward, y down, z forward."""
    l_a = np.sqrt(x**2 + y**2)
    alpha = np.arctan(x / y)
    beta = np.arccos(l_1 / l_a)
    l_b = np.sqrt(l_a**2 - l_1**2)
    l_c = np.sqrt(l_b**2 + z**2)
    gamma = np.arccos((l_c**2 + l_2**2 - l_3**2) / (2 * l_c * l_2))
    delta = np.arctan(z / l_b)
    theta_3 = np.arccos((l_2**2 + l_3**2 - l_c**2) / (2 * l_2 * l_3))
    return np.pi / 2 - alpha - beta, np.pi + delta - gamma, theta_3


def bahr_forward(theta_1, theta_2, theta_3, l_1, l_2, l_3):
    """Bahr (5.20)-(5.29)."""
    l_c = np.sqrt(-(2 * l_2 * l_3 * np.cos(theta_3)) + l_2**2 + l_3**2)
    gamma = np.arccos((l_c**2 + l_2**2 - l_3**2) / (2 * l_c * l_2))
    delta = theta_2 + gamma - np.pi
    l_b = np.cos(delta) * l_c
    z = np.tan(delta) * l_b
    l_a = np.sqrt(l_b**2 + l_1**2)
    alpha = np.pi / 2 - theta_1 - np.arccos(l_1 / l_a)
    return np.sin(alpha) * l_a, np.cos(alpha) * l_a, z


@pytest.mark.parametrize("leg", HIPS)
def test_equations_of_bahrs_thesis_where_they_hold(dogs, leg, rng):
    legs = dogs["backward"]
    theta = np.radians(rng.uniform([-30.0, -1.5, 13.5], [30.0, 180.0, 179.9], (10_000, 3)))  # table 5.1
    x, y, z = bahr_forward(*theta.T, LATERAL, THIGH, SHANK)
    found = np.array(bahr_inverse(x, y, z, LATERAL, THIGH, SHANK)).T
    holds = np.abs(found - theta).max(axis=1) < 1e-6  # atan knows no foot above the hip
    assert holds.sum() > 5000
    out = 1.0 if legs.robot.legs[leg].side == "left" else -1.0
    ours = np.stack([-out * theta[:, 0], np.pi - theta[:, 1], theta[:, 2] - np.pi], axis=1)[holds]
    point = legs.numbers[list(HIPS).index(leg), :3] + np.stack([z, out * x, -y], axis=1)[holds]
    np.testing.assert_allclose(legs.forward(leg, ours), point, atol=1e-12)
    np.testing.assert_allclose(
        legs.inverse(leg, point).angles, ours, atol=1e-6
    )  # arccos costs the thesis half the digits


def test_a_batch_is_its_elements_and_all_legs_are_each_leg(dogs, rng):
    legs = dogs["backward"]
    joints = rng.uniform(*legs.robot.joint_limits.clip(-3.0, 3.0).T, (4, 5, len(legs.robot.joints)))
    points, slopes = legs.all_forward(joints), legs.all_jacobian(joints)
    found, status = legs.all_inverse(points)
    assert (points.shape, slopes.shape, status.shape) == ((4, 5, 4, 3), (4, 5, 4, 3, 3), (4, 5, 4))
    np.testing.assert_allclose(points, Tree(legs.robot).feet(joints)[..., :3, 3], atol=1e-14)
    for i, leg in enumerate(HIPS):
        mine = legs.columns[i]
        assert np.array_equal(legs.forward(leg, joints[..., mine]), points[..., i, :])
        assert np.array_equal(legs.jacobian(leg, joints[..., mine]), slopes[..., i, :, :])
        assert np.array_equal(legs.inverse(leg, points[..., i, :]).angles, found[..., mine])
    np.testing.assert_array_equal(found[..., legs.robot.joint_index["neck"]], 0.3)  # no leg's: at home
    tick = np.full(len(legs.robot.joints), 7.0)
    same, _ = legs.all_inverse(points[2, 3], tick)
    assert same is tick
    assert tick[legs.robot.joint_index["neck"]] == 7.0
    assert np.array_equal(
        np.delete(tick, legs.robot.joint_index["neck"]), np.delete(found[2, 3], legs.robot.joint_index["neck"])
    )


def test_a_target_too_far_is_refused_with_leg_and_distance_or_stretches_the_leg(dogs):
    legs = dogs["backward"]
    down = legs.forward("rear_left", np.zeros(3))
    far = down - [0.0, 0.0, 0.02]
    with pytest.raises(Unreachable, match=r"leg 'rear_left': the target is 20\.0 mm too far from the hip"):
        legs.inverse("rear_left", far)
    found = legs.inverse("rear_left", far, on_failure="clamp")
    assert found.status == 1
    np.testing.assert_allclose(legs.forward("rear_left", found.angles), down, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_target_too_far_is_approached_as_near_as_its_leg_plane_allows(tmp_path, seed):
    """The clamped foot lies in the plane that the abduction gives, on the straight way to the target."""
    legs = AbductionLegs(build(tmp_path, limits=((-3.2, 3.2), (-3.2, 3.2), (-3.0, 0.0))))
    rng = np.random.default_rng(seed)
    hip = legs.numbers[0, :3]
    point = hip + rng.normal(size=(1000, 3)) * 0.6
    found = legs.inverse("front_left", point, on_failure="clamp")
    clear = np.hypot(point[:, 1] - hip[1], point[:, 2] - hip[2]) > LATERAL
    far = (found.status == 1) & clear
    assert far.sum() > 500
    q1 = found.angles[far, 0]
    thigh_top = hip + LATERAL * np.stack([0 * q1, np.cos(q1), np.sin(q1)], axis=1)
    wanted, got = point[far] - thigh_top, legs.forward("front_left", found.angles[far]) - thigh_top
    reach = np.linalg.norm(got, axis=1)
    np.testing.assert_allclose(reach, THIGH + SHANK, atol=1e-9)
    np.testing.assert_allclose(got / reach[:, None], wanted / np.linalg.norm(wanted, axis=1)[:, None], atol=1e-7)


def test_a_target_too_near_is_told_from_which_place(tmp_path):
    legs = AbductionLegs(build(tmp_path, limits=((-3.2, 3.2), (-3.2, 3.2), (-3.15, 0.0))))
    hip = legs.numbers[0, :3]
    with pytest.raises(Unreachable, match=r"leg 'front_left': the target is 30\.0 mm too near to the axis of 'front_l"):
        legs.inverse(
            "front_left", hip + np.array([0.2, 0.03, 0.026457513110645908])
        )  # 40 mm from the axis, offset 70 mm
    with pytest.raises(Unreachable, match=r"leg 'front_left': the target is 15\.0 mm too near to the hip"):
        legs.inverse("front_left", hip + np.array([0.005, LATERAL, 0.0]))  # thigh and shank differ by 20 mm
    inside = legs.inverse("front_left", hip + np.array([[0.0, 0.0, 0.0], [0.0, LATERAL, 0.0]]), on_failure="clamp")
    assert inside.status.tolist() == [1, 1]
    assert np.isfinite(inside.angles).all()


@pytest.mark.parametrize(("joint", "at", "sentence"), [
    (0, 0.8, r"'front_right_abduction' would be 5\.0° above its upper limit of 45\.8°"),
    (1, -1.05, r"'front_right_pitch' would be 5\.0° below its lower limit of -60\.2°"),
    (2, -2.95, r"'front_right_knee' would be 5\.0° below its lower limit of -169\.0°"),
])  # fmt: skip
def test_a_joint_limit_is_refused_by_name_or_clipped(dogs, joint, at, sentence):
    legs = dogs["backward"]
    angles = np.array([0.1, 0.3, -0.8])
    angles[joint] = at + np.sign(at) * np.radians(5.0)
    point = legs.forward("front_right", angles)
    with pytest.raises(Unreachable, match=f"leg 'front_right': joint {sentence}"):
        legs.inverse("front_right", point)
    found = legs.inverse("front_right", point, on_failure="clamp")
    assert found.status == 2
    np.testing.assert_allclose(found.angles, np.clip(angles, *limits(legs, "front_right")), atol=1e-9)
    assert legs.all_inverse(np.stack([point] * 4))[1][1] == 2


def test_whatever_is_asked_the_angles_are_inside_the_limits_and_the_status_tells_the_truth(dogs, rng):
    for legs in dogs.values():
        for i, leg in enumerate(HIPS):
            low, high = limits(legs, leg)
            point = legs.numbers[i, :3] + rng.uniform(-0.5, 0.5, (5000, 3))
            found = legs.inverse(leg, point, on_failure="clamp")
            assert (found.angles >= low).all()
            assert (found.angles <= high).all()
            missed = np.linalg.norm(legs.forward(leg, found.angles) - point, axis=1)
            assert missed[found.status == 0].max() < 1e-9
            assert missed[found.status != 0].min() > 1e-9
            assert set(found.status.tolist()) == {0, 1, 2}


def test_the_first_bad_point_of_a_batch_is_named_by_its_index(dogs):
    legs = dogs["backward"]
    point = np.broadcast_to(legs.forward("rear_left", np.array([0.0, 0.4, -0.8])), (2, 3, 3)).copy()
    point[1, 2, 2] -= 0.5
    with pytest.raises(Unreachable, match=r"\(at index 1, 2\)"):
        legs.inverse("rear_left", point)
    assert legs.inverse("rear_left", point, on_failure="clamp").status.tolist() == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda legs, point: legs.inverse("rear_left", point * np.nan), BadValue),
        (lambda legs, point: legs.inverse("rear_left", point[:2]), BadValue),
        (lambda legs, point: legs.inverse("middle", point), UnknownName),
        (lambda legs, point: legs.inverse("rear_left", point, on_failure="ignore"), UnknownName),
        (lambda legs, point: legs.all_inverse(point), BadValue),
        (lambda legs, point: legs.all_inverse(np.zeros((4, 3)), np.zeros(12)), BadValue),
        (lambda legs, point: legs.all_forward(np.zeros(12)), BadValue),
        (lambda legs, point: AbductionLegs(legs.robot, knees={"rear_left": "sideways"}), UnknownName),
        (lambda legs, point: AbductionLegs(legs.robot, knees={"middle": "forward"}), UnknownName),
    ],
)
def test_wrong_input_is_refused(dogs, change, error):
    with pytest.raises(error):
        change(dogs["backward"], np.zeros(3))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('_abduction" axis="1 0 0"', '_abduction" axis="0 0 1"', r"_abduction' \(hip abduction\) turns about .* \+x"),
        (
            '_pitch" axis="0 1 0"',
            '_pitch" axis="0 -1 0"',
            r"_pitch' \(hip pitch\) turns about \(0, -1, 0\), not .* \+y",
        ),
        ('_thigh" pos="-0.03 0.05 0"', '_thigh" pos="-0.03 0.05 0.004"', "_pitch' pass each other by 4 mm"),
        (
            ' pos="0 0.02 -0.2"',
            ' pos="0.003 0.02 -0.2"',
            "knee 'front_left_knee' stands out forward of the hip by 3 mm",
        ),
        ('_foot" pos="0.17 0 0"', '_foot" pos="0.17 0 0.002"', "the foot stands out forward of the knee by 2 mm"),
        ('_foot" pos="0.17 0 0"', '_foot" pos="-0.17 0 0"', "thigh and shank point down by 0.2 m and -0.16 m"),
    ],
)
def test_a_leg_that_is_built_otherwise_is_refused_by_name(tmp_path, old, new, said):
    robot = build(tmp_path, change=(old, new))
    with pytest.raises(BadRobot, match=f'leg \'front_left\'.*{said}.*"abduction" does not fit, use "numeric"'):
        AbductionLegs(robot)
