"""The swing foot: from footprint to footprint without a kick."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from gangart.pattern import soles_at
from gangart.pattern.swing import DEGREE, HEIGHT, SWING
from gangart.signals import FootstepPlan

TOP = 0.02  # [m]


@pytest.fixture(params=[1, 2])
def plan(request: pytest.FixtureRequest) -> FootstepPlan:
    """Four steps to random footprints."""
    rng = np.random.default_rng(request.param)
    lift = np.cumsum(rng.uniform(0.5, 0.9, 4))
    return FootstepPlan(
        start=rng.normal(size=(2, 3)),
        foot=np.array([0, 1, 0, 1]),
        pose=rng.normal(size=(4, 3)),
        lift=lift,
        land=lift + rng.uniform(0.2, 0.4, 4),
    )


def swings(plan: FootstepPlan) -> list[tuple[int, np.ndarray, np.ndarray, float, float]]:
    """Foot, old and new footprint, lift and landing of each step."""
    feet, found = plan.start.copy(), []
    for foot, pose, lift, land in zip(plan.foot, plan.pose, plan.lift, plan.land, strict=True):
        found.append((foot, feet[foot].copy(), pose, lift, land))
        feet[foot] = pose
    return found


def test_a_swing_leads_from_footprint_to_footprint_and_the_other_foot_stands(plan: FootstepPlan) -> None:
    for foot, old, new, lift, land in swings(plan):
        time = np.array([lift - 1e-9, lift, 0.5 * (lift + land), land])
        soles, standing = soles_at(plan, TOP, time)
        np.testing.assert_allclose(soles[:2, foot], [[old[0], old[1], 0.0, old[2]]] * 2, atol=1e-12)
        np.testing.assert_allclose(soles[3, foot], [new[0], new[1], 0.0, new[2]], atol=1e-12)
        assert standing[:, foot].tolist() == [True, False, False, True]
        assert standing[:, 1 - foot].all()
        np.testing.assert_array_equal(soles[:, 1 - foot], np.broadcast_to(soles[0, 1 - foot], (4, 4)))


def test_contacts_of_plan_and_swing_agree(plan: FootstepPlan) -> None:
    time = np.sort(np.concatenate([np.linspace(0.0, 5.0, 999), plan.lift, plan.land]))
    np.testing.assert_array_equal(soles_at(plan, TOP, time)[1], plan.contacts(time))


def test_speed_and_acceleration_are_zero_at_both_ends(plan: FootstepPlan) -> None:
    h = 1e-4
    for foot, old, new, lift, land in swings(plan):
        inside = np.array([0.0, h, 2 * h])
        size = np.abs(new - old).max() + TOP
        for time in (lift + inside, land - 1e-12 - inside):
            a, b, c = soles_at(plan, TOP, time)[0][:, foot]
            phase = h / (land - lift)
            assert np.abs(b - a).max() / size < 100.0 * phase**3  # the first term that is left is cubic
            assert np.abs(a - 2.0 * b + c).max() / size < 1000.0 * phase**3


def test_the_top_of_the_swing_is_the_step_height_and_the_foot_never_digs(plan: FootstepPlan) -> None:
    for foot, _, _, lift, land in swings(plan):
        height = soles_at(plan, TOP, np.linspace(lift, land, 10_001))[0][:, foot, 2]
        assert height.max() == pytest.approx(TOP, abs=1e-15)
        assert height.min() >= 0.0
        top = int(height.argmax())
        assert (np.diff(height[: top + 1]) >= 0.0).all()
        assert (np.diff(height[top:]) <= 0.0).all()


def test_the_foot_touches_down_vertically(plan: FootstepPlan) -> None:
    for foot, old, new, lift, land in swings(plan):
        time = np.linspace(land - 0.1 * (land - lift), land, 101)
        left = np.abs(soles_at(plan, TOP, time)[0][:, foot][:, [0, 1, 3]] - new)
        assert (left <= 1e-3 * np.abs(new - old) + 1e-12).all()


def test_it_is_the_b_spline_of_degree_four_with_nine_control_points(plan: FootstepPlan) -> None:
    assert DEGREE == 4
    assert len([0.0, 0.0, *SWING, 1.0, 1.0]) == len(HEIGHT) == 9
    knots = np.concatenate([np.zeros(4), np.linspace(0.0, 1.0, 6), np.ones(4)])
    phase = np.linspace(0.0, 1.0, 997)
    way, up = BSpline(knots, [0.0, 0.0, *SWING, 1.0, 1.0], 4)(phase), BSpline(knots, HEIGHT, 4)
    for foot, old, new, lift, land in swings(plan):
        sole = soles_at(plan, TOP, lift + phase * (land - lift))[0][:, foot]
        np.testing.assert_allclose(sole[:, [0, 1, 3]], old + way[:, None] * (new - old), atol=1e-12)
        np.testing.assert_allclose(sole[:, 2], TOP * up(phase) / up(0.5), atol=1e-14)
