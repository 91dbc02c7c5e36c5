"""From stance to stance: the centre of mass stays inside the feet that stand, or the plan is refused in a sentence."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gangart.control import stance_kernel as kernel
from gangart.control.leg_control import LegControl, Stance
from gangart.control.reposition import MARGIN, Demands, nearest_inside, plan_reposition
from gangart.control.repositioning import RepositionEngine
from gangart.control.rising import lying, plan_lie_down, plan_stand_up
from gangart.control.segments import RepositionPlan
from gangart.errors import Unreachable
from gangart.robots import load
from gangart.signals import Array, Command, Recording, SensorReading
from gangart.simulation import Fidelity, Ground, World, simulate

TOLERANCE = 0.005  # [m] of a margin in simulation
ROBOT = load("quadruped")
LEGS = LegControl(ROBOT)
HOME = LEGS.home(0.32)


def some_stance(rng: np.random.Generator, far: float = 0.05) -> Stance:
    while True:
        level = [
            *rng.uniform(-0.03, 0.03, 2),
            rng.uniform(0.26, 0.35),
            *rng.uniform(-0.1, 0.1, 2),
            rng.uniform(-0.2, 0.2),
        ]
        stance = Stance(HOME.feet + rng.uniform(-far, far, (4, 2)), np.array(level))
        try:
            if LEGS.margin(stance) > 0.06:
                return stance
        except Unreachable:
            continue


def carried_out(plan: RepositionPlan, rest: float = 0.5) -> Recording:
    engine = RepositionEngine(LEGS, plan)
    world = World(ROBOT, Fidelity(motor=True), Ground(0.8))
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, Command(), plan.duration + rest)


def margins(recording: Recording, every: int = 10) -> Array:
    """Of the true centre of mass in the polygon of the feet that touch the ground."""
    data, out = mujoco.MjData(ROBOT.model), []
    for k in range(0, len(recording), every):
        data.qpos[:3], data.qpos[3:7] = recording.base_position[k], recording.base_orientation[k]
        data.qpos[ROBOT.qpos_index] = recording.position[k]
        mujoco.mj_kinematics(ROBOT.model, data)
        mujoco.mj_comPos(ROBOT.model, data)
        x, y = data.subtree_com[0, :2]
        out.append(kernel.inside(recording.foot_pose[k, :, :2].copy(), recording.contact[k].copy(), x, y))
    return np.array(out)


def brute_margin(points: Array, p: Array) -> float:
    """By the angles at which the edges of a convex polygon are seen: an independent way to the distance."""
    middle = points.mean(axis=0)
    ring = points[np.argsort(np.arctan2(*(points - middle).T[::-1]))]
    edges = np.roll(ring, -1, axis=0) - ring
    normals = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.linalg.norm(edges, axis=1)[:, None]
    return float(((p - ring) * normals).sum(axis=1).min())


def test_centre_of_mass_is_mujocos(rng: np.random.Generator) -> None:
    data = mujoco.MjData(ROBOT.model)
    for _ in range(20):
        q, pose = rng.uniform(*ROBOT.joint_limits.T), rng.uniform(-0.4, 0.4, 6)
        R, quaternion = np.empty((3, 3)), np.empty(4)
        kernel.rotation(pose[3], pose[4], pose[5], R)
        mujoco.mju_mat2Quat(quaternion, R.ravel())
        data.qpos[:3], data.qpos[3:7], data.qpos[ROBOT.qpos_index] = pose[:3], quaternion, q
        mujoco.mj_kinematics(ROBOT.model, data)
        mujoco.mj_comPos(ROBOT.model, data)
        np.testing.assert_allclose(LEGS.com(q[LEGS.legs.columns], pose), data.subtree_com[0], atol=1e-12)


def test_margin_agrees_with_brute_force(rng: np.random.Generator) -> None:
    for _ in range(200):
        feet, p = rng.uniform(-1.0, 1.0, (3, 2)), rng.uniform(-1.0, 1.0, 2)
        assert kernel.inside(feet, np.ones(3, bool), *p) == pytest.approx(brute_margin(feet, p))
        square = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) + rng.uniform(-0.3, 0.3, (4, 2))
        assert kernel.inside(square, np.ones(4, bool), *p) == pytest.approx(brute_margin(square, p))
    assert kernel.inside(square, np.array([True, False, False, True]), 0.0, 0.0) == -np.inf


def test_nearest_place_inside_a_triangle_is_the_nearest(rng: np.random.Generator) -> None:
    for _ in range(30):
        triangle, p = rng.uniform(-0.3, 0.3, (3, 2)), rng.uniform(-0.3, 0.3, 2)
        found = nearest_inside(triangle, 0.02, p)
        weights = rng.dirichlet(np.ones(3), 400)
        inside = [w @ triangle for w in weights if brute_margin(triangle, w @ triangle) >= 0.02]
        if found is None:
            assert not inside
            continue
        assert brute_margin(triangle, found) >= 0.02 - 1e-9
        assert np.linalg.norm(found - p) <= min((np.linalg.norm(q - p) for q in inside), default=np.inf) + 1e-9


def test_a_body_that_comes_back_finds_its_feet_where_they_were(rng: np.random.Generator) -> None:
    for _ in range(20):
        stance = some_stance(rng)
        anchors = LEGS.anchors(stance)
        feet, _ = LEGS.posture(anchors, stance.pose)
        np.testing.assert_allclose(feet[:, :2], stance.feet, atol=2e-5)


@pytest.mark.parametrize("seed", range(6))
def test_every_instant_of_a_plan_keeps_its_margin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, goal = some_stance(rng), some_stance(rng)
    plan = plan_reposition(LEGS, start, goal)
    assert plan.margin >= MARGIN
    assert sorted(plan.order) == sorted(set(plan.order))
    least, engine, none = np.inf, RepositionEngine(LEGS, plan), np.zeros(12)
    blank = SensorReading(0.0, none, none, np.zeros(3), np.zeros(3), np.zeros((4, 0)))
    angles = []
    for _ in range(round(plan.duration / 0.01) + 2):
        targets = engine.tick(Command(), blank)
        feet = np.asarray(engine._feet)[:, :2]
        stands = engine.reference.support
        least = min(least, brute_margin(feet[stands], engine.reference.com[:2]))
        assert brute_margin(feet[stands], engine.reference.zmp) >= MARGIN - 1e-6
        angles.append(targets.position)
    assert least == pytest.approx(plan.margin, abs=2e-4)
    assert engine.done
    fastest = ROBOT.drive.speed_limit / 5.0 / np.diag(ROBOT.hubs).max()  # type: ignore[union-attr]
    assert np.abs(np.diff(angles, axis=0)).max() / 0.01 < fastest / 2.0
    np.testing.assert_allclose(engine._feet[:, :2], goal.feet, atol=2e-5)


def test_a_mirrored_task_has_the_mirrored_plan() -> None:
    swap = [1, 0, 3, 2]
    goal = some_stance(np.random.default_rng(3))
    mirrored = Stance(goal.feet[swap] * [1, -1], goal.pose * [1, -1, 1, -1, 1, -1])
    a, b = plan_reposition(LEGS, HOME, goal), plan_reposition(LEGS, HOME, mirrored)
    assert a.duration == pytest.approx(b.duration, rel=1e-6)
    assert a.margin == pytest.approx(b.margin, abs=1e-6)
    assert len(a.order) == len(b.order) == 4


def test_nothing_moves_where_there_is_nothing_to_do() -> None:
    plan = plan_reposition(LEGS, HOME, HOME)
    assert plan.segments == ()
    assert RepositionEngine(LEGS, plan).done


def test_far_stances_are_reached_in_rounds() -> None:
    goal = Stance(HOME.feet + np.array([0.4, 0.1]), HOME.pose + np.array([0.4, 0.1, 0.0, 0.0, 0.0, 0.0]))
    plan = plan_reposition(LEGS, HOME, goal)
    assert len(plan.order) > 4
    assert plan.margin >= MARGIN
    recording = carried_out(plan)
    assert recording.info["fell"] is None
    assert margins(recording).min() >= MARGIN - TOLERANCE
    np.testing.assert_allclose(recording.base_position[-1, :2], [0.4, 0.1], atol=0.01)


@pytest.mark.parametrize(
    ("goal", "margin", "said"),
    [
        (Stance(HOME.feet + np.array([[0.5, 0], [0, 0], [0, 0], [0, 0]]), HOME.pose), 0.02, "too far from the hip"),
        (Stance(HOME.feet * [1.0, 0.6], HOME.pose), 0.1, "99 mm inside its feet; 100 mm are promised"),
        (Stance(HOME.feet * [1.0, 0.7], HOME.pose), 0.1, "while .* the centre of mass would be .* 100 mm are promised"),
        (
            Stance(HOME.feet[[0, 0, 2, 3]] + [[0.01, 0], [0, 0], [0, 0], [0, 0]], HOME.pose),
            0.02,
            "cannot stand|each other",
        ),
        (Stance(HOME.feet, HOME.pose + np.array([0, 0, 0.12, 0, 0, 0])), 0.02, "cannot stand .* too far from the hip"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(goal: Stance, margin: float, said: str) -> None:
    with pytest.raises(Unreachable, match=said) as caught:
        plan_reposition(LEGS, HOME, goal, Demands(margin))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [11, 12])
def test_the_robot_does_what_the_plan_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plan = plan_reposition(LEGS, HOME, some_stance(rng))
    recording = carried_out(plan)
    assert recording.info["fell"] is None
    assert margins(recording).min() >= MARGIN - TOLERANCE
    assert np.linalg.norm(recording.foot_pose[-1, :, :2] - plan.goal.feet, axis=1).max() < 0.01


def test_it_stands_up_and_lies_down_without_sliding_or_straining() -> None:
    up = plan_stand_up(LEGS, 0.32)
    for plan, height in ((up, 0.32), (plan_lie_down(LEGS, 0.32), lying(LEGS).pose[2])):
        recording = carried_out(plan)
        assert recording.base_position[-1, 2] == pytest.approx(height, abs=0.003)
        motor = ROBOT.motors["hub"]
        strongest = ROBOT.drive.current_limit * motor.torque_constant * motor.gear_ratio  # type: ignore[union-attr]
        hubs = np.linalg.solve(ROBOT.hubs.T, recording.torque.T)
        assert np.abs(hubs).max() < 0.6 * strongest
        rolls = 0.02 * 1.3  # [m] a ball rolls under a shank that turns by 1.3 rad at the most
        assert np.linalg.norm(np.ptp(recording.foot_pose[:, :, :2], axis=0), axis=1).max() < rolls
        assert np.linalg.norm(recording.foot_pose[-1, :, :2] - plan.goal.feet, axis=1).max() < 0.003
        assert np.abs(np.diff(recording.base_position[:, 2])).max() / 0.001 < 0.25  # [m/s]
