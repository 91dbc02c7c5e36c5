"""Postures put the soles and the centre of mass where they were asked for, as MuJoCo sees them."""

from __future__ import annotations

import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gangart import robots
from gangart.errors import BadRobot, BadValue, UnknownName, Unreachable
from gangart.kinematics import Posture, posture
from gangart.kinematics.closed_form import ClosedFormPosture
from gangart.kinematics.posture_kernel import tick
from gangart.robots import Robot

FOLDER = Path(robots.__file__).parent / "nao"


@pytest.fixture(scope="module")
def solver(nao: Robot) -> ClosedFormPosture:
    found = posture(nao)
    assert isinstance(found, ClosedFormPosture)
    return found


def draw(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and feet of steps up to 60 mm long and 20 mm high, turned ±0.3 rad, anywhere in the world."""
    rng = np.random.default_rng(seed)
    feet = np.zeros((n, 2, 4))
    feet[:, :, 1] = 0.05, -0.05
    feet[:, :, 0] = rng.uniform(-0.03, 0.03, (n, 2))
    feet[:, :, 1] += rng.uniform(0.0, 0.01, (n, 2)) * [1, -1]
    feet[:, 0, 2] = rng.uniform(0.0, 0.02, n)
    feet[:, :, 3] = rng.uniform(-0.15, 0.15, (n, 2))
    com = np.array([0.01, 0.0, 0.24]) + rng.uniform(-1, 1, (n, 3)) * [0.02, 0.02, 0.01]
    yaw, place = rng.uniform(-4, 4, n), rng.uniform(-2, 2, (n, 2))
    turn = np.stack([np.cos(yaw), -np.sin(yaw), np.sin(yaw), np.cos(yaw)], axis=-1).reshape(n, 2, 2)
    com[:, :2] = np.einsum("nij,nj->ni", turn, com[:, :2]) + place
    feet[:, :, :2] = np.einsum("nij,nlj->nli", turn, feet[:, :, :2]) + place[:, None]
    feet[:, :, 3] += yaw[:, None]
    return com, feet


def walk(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """A curved walk in ticks of 10 ms."""
    t = np.arange(n) * 0.01
    swing = np.sin(2 * np.pi * t)
    feet = np.zeros((n, 2, 4))
    feet[:, :, 0] = 0.1 * t[:, None] + 0.03 * swing[:, None] * [1, -1]
    feet[:, :, 1] = 0.05, -0.05
    feet[:, 0, 2] = np.maximum(0.0, 0.02 * np.cos(2 * np.pi * t))
    feet[:, 1, 2] = np.maximum(0.0, -0.02 * np.cos(2 * np.pi * t))
    feet[:, 0, 3], feet[:, 1, 3] = 0.1 * np.sin(t), 0.1 * np.sin(1.3 * t)
    com = np.stack([0.1 * t + 0.01, 0.03 * swing, np.full(n, 0.24)], axis=1)
    return com, feet


def seen_by_mujoco(robot: Robot, found: Posture, i: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Centre of mass and soles (4, 4) in the world."""
    data = mujoco.MjData(robot.model)
    half = found.base_yaw[i] / 2
    data.qpos[:3] = found.base_position[i]
    data.qpos[3:7] = np.cos(half), 0, 0, np.sin(half)
    data.qpos[robot.qpos_index] = found.joints[i]
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    soles = []
    for leg in robot.legs.values():
        sole = np.eye(4)
        sole[:3, :3] = data.body(leg.foot).xmat.reshape(3, 3)
        sole[:3, 3] = data.body(leg.foot).xpos + sole[:3, :3] @ leg.sole
        soles.append(sole)
    return data.subtree_com[1].copy(), soles


def flat(foot: np.ndarray) -> np.ndarray:
    c, s = np.cos(foot[3]), np.sin(foot[3])
    return np.array([[c, -s, 0, foot[0]], [s, c, 0, foot[1]], [0, 0, 1, foot[2]], [0, 0, 0, 1]])


@pytest.mark.parametrize("seed", [11, 12])
def test_feet_and_centre_of_mass_are_met_and_the_hips_turn_alike(nao, solver, seed):
    com, feet = draw(seed, 200)
    found = solver.solve(com, feet, nao.home_position)
    left, right = (nao.joint_index[name] for name in ("LHipYawPitch", "RHipYawPitch"))
    assert np.array_equal(found.joints[:, left], found.joints[:, right])
    assert np.ptp(found.joints[:, left]) > 0.1  # the feet were turned, so the shared motor had work
    low, high = nao.joint_limits.T
    assert ((found.joints >= low) & (found.joints <= high)).all()
    for i in range(len(com)):
        p_world_com, soles = seen_by_mujoco(nao, found, i)
        np.testing.assert_allclose(p_world_com, com[i], atol=1.1e-8)
        for foot, sole in zip(feet[i], soles, strict=True):
            np.testing.assert_allclose(sole, flat(foot), atol=1e-9)


def test_the_iteration_starts_anywhere(nao, solver):
    com, feet = draw(13, 100)
    home = solver.solve(com, feet, nao.home_position)
    start = nao.home_position.copy()
    start[[nao.joint_index[name] for leg in nao.legs.values() for name in leg.joints]] = 0.0
    other = solver.solve(com, feet, start)
    np.testing.assert_allclose(other.base_position, home.base_position, atol=1e-7)


def test_arms_and_head_stay_as_given(nao, solver):
    com, feet = draw(14, 1)
    joints = nao.home_position.copy()
    joints[nao.joint_index["LShoulderPitch"]] = 0.3
    found = solver.solve(com[0], feet[0], joints)
    in_legs = {name for leg in nao.legs.values() for name in leg.joints}
    others = [i for i, name in enumerate(nao.joints) if name not in in_legs]
    assert np.array_equal(found.joints[others], joints[others])
    assert found.base_position.shape == (3,)


def test_parallel_feet_need_the_mean_yaw_only(nao, solver):
    com, feet = draw(15, 50)
    feet[:, 1, 3] = feet[:, 0, 3]
    found = solver.solve(com, feet, nao.home_position)
    np.testing.assert_allclose(found.base_yaw, feet[:, 0, 3], atol=1e-12)
    np.testing.assert_allclose(found.joints[:, nao.joint_index["LHipYawPitch"]], 0.0, atol=1e-12)


def test_whole_turns_of_a_foot_change_nothing(nao, solver):
    com, feet = draw(16, 20)
    plain = solver.solve(com, feet, nao.home_position)
    feet[:, 1, 3] += 2 * np.pi
    np.testing.assert_allclose(solver.solve(com, feet, nao.home_position).joints, plain.joints, atol=1e-7)


def test_moving_and_turning_the_world_changes_no_joint(nao, solver):
    com, feet = draw(17, 50)
    plain = solver.solve(com, feet, nao.home_position)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    com[:, :2] = com[:, :2] @ turn.T + [3.0, -1.0]
    feet[:, :, :2] = feet[:, :, :2] @ turn.T + [3.0, -1.0]
    feet[:, :, 3] += np.pi / 2
    np.testing.assert_allclose(solver.solve(com, feet, nao.home_position).joints, plain.joints, atol=1e-7)


def test_a_given_centre_of_mass_in_the_base_makes_a_single_pass(nao, solver):
    com, feet = draw(18, 30)
    c = solver.com(nao.home_position) + np.array([0.002, 0.001, -0.003])
    found = solver.solve(com, feet, nao.home_position, com_in_base=c)
    assert (found.iterations == 1).all()
    for i in range(len(com)):
        _, soles = seen_by_mujoco(nao, found, i)
        cy, sy = np.cos(found.base_yaw[i]), np.sin(found.base_yaw[i])
        expected = com[i] - np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ c
        np.testing.assert_allclose(found.base_position[i], expected, atol=1e-14)
        for foot, sole in zip(feet[i], soles, strict=True):
            np.testing.assert_allclose(sole, flat(foot), atol=1e-9)
    # the converged solution is the one whose own centre of mass was given
    exact = solver.solve(com, feet, nao.home_position)
    again = solver.solve(com, feet, nao.home_position, com_in_base=solver.com(exact.joints))
    np.testing.assert_allclose(again.joints, exact.joints, atol=1e-6)


def test_a_batch_is_its_elements(nao, solver):
    com, feet = draw(19, 6)
    whole = solver.solve(com.reshape(2, 3, 3), feet.reshape(2, 3, 2, 4), nao.home_position)
    for i in range(6):
        one = solver.solve(com[i], feet[i], nao.home_position)
        index = np.unravel_index(i, (2, 3))
        assert np.array_equal(whole.joints[index], one.joints)
        assert np.array_equal(whole.base_position[index], one.base_position)
        assert whole.base_yaw[index] == one.base_yaw
        assert whole.iterations[index] == one.iterations


def test_tick_by_tick_and_the_whole_plan_give_the_same_bits(nao, solver):
    com, feet = walk()
    whole = solver.sequence(com, feet, nao.home_position)
    state = solver.new_state()
    halves = [solver.sequence(com[p], feet[p], nao.home_position, state=state) for p in (slice(100), slice(100, None))]
    assert np.array_equal(np.concatenate([h.joints for h in halves]), whole.joints)
    state, work = solver.new_state(), solver.new_work()
    q, place, note = np.empty(len(nao.joints)), np.empty(4), np.zeros(4, dtype=np.int64)
    for i in range(len(com)):
        tick(solver.model, com[i], feet[i], nao.home_position, solver.tolerance, state, work, q, place, note)
        assert np.array_equal(q, whole.joints[i])
        assert np.array_equal(place[:3], whole.base_position[i])


def test_a_sequence_is_what_single_postures_are_in_fewer_iterations(nao, solver):
    com, feet = walk()
    warm = solver.sequence(com, feet, nao.home_position)
    cold = solver.solve(com, feet, nao.home_position)
    np.testing.assert_allclose(warm.base_position, cold.base_position, atol=1e-7)
    assert warm.iterations.mean() < 4
    assert warm.iterations.mean() < 0.6 * cold.iterations.mean()


def test_a_body_too_high_is_refused_with_the_leg_or_clamped_with_status(nao, solver):
    com, feet = draw(20, 3)
    com[1, 2] += 0.1
    with pytest.raises(Unreachable, match=r"leg '(left|right)': the target is \d+\.\d mm too far .* \(at index 1\)"):
        solver.solve(com, feet, nao.home_position)
    found = solver.solve(com, feet, nao.home_position, on_failure="clamp")
    assert found.status.tolist() == [0, 1, 0]
    assert np.isfinite(found.joints).all()


def test_feet_turned_beyond_the_hip_are_refused_with_the_joint_or_clamped_with_status(nao, solver):
    com, feet = np.array([0.01, 0.0, 0.24]), np.array([[0.0, 0.05, 0.0, -0.9], [0.0, -0.05, 0.0, 0.9]])
    with pytest.raises(Unreachable, match=r"leg 'left': joint '\w+' would be \d+\.\d° (above|below) its"):
        solver.solve(com, feet, nao.home_position)
    found = solver.solve(com, feet, nao.home_position, on_failure="clamp")
    low, high = nao.joint_limits.T
    assert found.status == 2
    assert ((found.joints >= low) & (found.joints <= high)).all()
    assert found.joints[nao.joint_index["LHipYawPitch"]] == found.joints[nao.joint_index["RHipYawPitch"]]


def test_a_run_recovers_after_a_target_out_of_reach(nao, solver):
    com, feet = walk(60)
    com[20, 2] += 0.2
    found = solver.sequence(com, feet, nao.home_position, on_failure="clamp")
    assert found.status.nonzero()[0].tolist() == [20]
    cold = solver.solve(com[21:], feet[21:], nao.home_position)
    np.testing.assert_allclose(found.base_position[21:], cold.base_position, atol=1e-7)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"com": np.zeros(2)}, BadValue, r"com has shape \(2,\)"),
        ({"feet": np.zeros((3, 4))}, BadValue, r"feet has shape \(3, 4\).*\(\.\.\., 2, 4\)"),
        ({"com": np.array([0, 0, np.nan])}, BadValue, "com holds values that are not finite"),
        ({"com": np.zeros((2, 3)), "feet": np.zeros((3, 2, 4))}, BadValue, r"do not broadcast"),
        ({"on_failure": "hope"}, UnknownName, "no on_failure 'hope'"),
    ],
)
def test_wrong_input_is_refused(nao, solver, change, error, said):
    given = {"com": np.array([0.0, 0.0, 0.24]), "feet": np.zeros((2, 4)), "joints": nao.home_position} | change
    with pytest.raises(error, match=said):
        solver.solve(**given)


def changed_nao(folder: Path, *changes: tuple[str, str]) -> Robot:
    shutil.copy(FOLDER / "nao.xml", folder)
    text = (FOLDER / "robot.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "robot.toml").write_text(text, encoding="utf-8")
    return robots.load(folder)


def test_hips_with_motors_of_their_own_leave_the_torso_at_the_mean_yaw(tmp_path):
    robot = changed_nao(tmp_path, ('RHipYawPitch = "LHipYawPitch"', ""))
    com, feet = draw(21, 50)
    found = posture(robot).solve(com, feet, robot.home_position)
    np.testing.assert_allclose(found.base_yaw, feet[:, :, 3].mean(axis=1), atol=1e-12)
    for i in range(len(com)):
        p_world_com, soles = seen_by_mujoco(robot, found, i)
        np.testing.assert_allclose(p_world_com, com[i], atol=1.1e-8)
        for foot, sole in zip(feet[i], soles, strict=True):
            np.testing.assert_allclose(sole, flat(foot), atol=1e-9)


def test_a_shared_motor_elsewhere_in_the_legs_is_refused(tmp_path):
    robot = changed_nao(
        tmp_path,
        ('RHipYawPitch = "LHipYawPitch"', 'RKneePitch = "LKneePitch"'),
        ('"LAnklePitch", "RHipPitch", "RKneePitch"', '"LAnklePitch", "RHipPitch"'),
    )
    with pytest.raises(BadRobot, match="'RKneePitch' follows 'LKneePitch'"):
        posture(robot)
