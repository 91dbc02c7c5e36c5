"""From a goal pose to steps: every planner arrives, within limits that an independent check knows, in few steps."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from gangart.errors import BadValue, UnknownName
from gangart.footsteps import PLANNERS, Obstacle, Replanner, StepLimits, StepPlan, WalkState, plan, verify
from gangart.footsteps.collisions import meet, place
from gangart.footsteps.fumanoid import from_fumanoid, to_fumanoid
from gangart.footsteps.hybrid import hybrid
from gangart.footsteps.lattice import lattice
from gangart.footsteps.obstacles import box
from gangart.footsteps.task import task_of
from gangart.footsteps.unicycle import AICARDI, INDIVERI, follow
from gangart.footsteps.ways import braking
from gangart.gaits import BipedTiming
from gangart.robots import Robot
from gangart.signals import Array

ORIGIN = (0.0, 0.0, 0.0)
ALWAYS = ("hybrid", "turn-walk-turn", "lattice")
NEARLY = ("aicardi", "indiveri")


@pytest.fixture(scope="module")
def limits(nao: Robot) -> StepLimits:
    return StepLimits.of(nao)


def goals(n: int, seed: int) -> Array:
    """Goals in [-2, 2]² m x (-π, π]."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 3)) * [2.0, 2.0, math.pi]


# ------------------------------------------------------------------ they arrive


def arrivals(name: str, limits: StepLimits, n: int, seed: int) -> list[StepPlan]:
    """Plans to random goals, each of them verified."""
    plans = [plan(ORIGIN, goal, limits, (), name) for goal in goals(n, seed)]
    for p in plans:
        assert verify(p) == [], (name, p.goal)
        assert p.arrived or p.reason
    return plans


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", PLANNERS)
def test_planners_arrive_within_the_limits(limits: StepLimits, name: str, seed: int) -> None:
    n = 15 if name == "lattice" else 60
    assert all(p.arrived for p in arrivals(name, limits, n, seed))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALWAYS, *NEARLY])
def test_ten_thousand_goals(limits: StepLimits, name: str) -> None:
    arrived = sum(p.arrived for p in arrivals(name, limits, 10_000, seed=0))
    assert arrived >= (10_000 if name in ALWAYS else 9_990)


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize(
    "goal",
    [ORIGIN, (0, 0, math.pi), (1e-9, 0, 0), (0, 1e-6, 0), (0, 0, 1e-7), (-1, 0, 0), (0, -0.3, 0), (1, 0, -math.pi)],
)
def test_special_goals_are_reached(limits: StepLimits, name: str, goal: tuple[float, float, float]) -> None:
    """On the spot (e = 0), straight on (α = 0), straight back (α = π), turned by half a turn to either side."""
    found = plan(ORIGIN, goal, limits, (), name)
    assert found.arrived
    assert verify(found) == []
    if goal == ORIGIN:
        assert len(found) == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_plan_is_the_same_wherever_it_begins_and_mirrored_to_the_other_side(limits: StepLimits, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for goal in goals(20, seed):
        here = plan(ORIGIN, goal, limits)
        x, y, yaw = rng.uniform(-5.0, 5.0, 3)
        c, s = math.cos(yaw), math.sin(yaw)
        there = plan((x, y, yaw), (x + c * goal[0] - s * goal[1], y + s * goal[0] + c * goal[1], yaw + goal[2]), limits)
        mirrored = plan(ORIGIN, goal * [1, -1, -1], limits)
        assert len(here) == len(there) == len(mirrored)


def test_one_metre_back_is_walked_backwards(limits: StepLimits) -> None:
    """The prototype's controllers would make a pirouette of it (Zellhöfer 3.5)."""
    found = plan(ORIGIN, (-1.0, 0.0, 0.0), limits)
    assert found.turned < 1e-9
    assert found.length == pytest.approx(1.0)
    assert (found.ways()[:, 0] <= 1e-9).all()
    assert plan(ORIGIN, (-1.0, 0.0, 0.0), limits, (), "indiveri").turned > math.pi


def test_a_little_to_the_side_is_a_sidestep(limits: StepLimits) -> None:
    found = plan(ORIGIN, (0.0, 0.1, 0.0), limits)
    assert found.turned < 0.2
    assert np.abs(found.ways()[:, 1]).sum() == pytest.approx(0.1, abs=0.02)


# ------------------------------------------------------------------ gently, and with half steps at both ends


@pytest.mark.parametrize("name", PLANNERS)
def test_the_first_and_the_last_step_are_half_steps(limits: StepLimits, name: str) -> None:
    """A walk speeds up from step to step and slows down so (Zellhöfer 3.2); the last step closes the feet."""
    found = plan(ORIGIN, (1.0, 0.0, 0.0), limits, (), name)
    ahead = found.ways()[:, 0]
    assert limits.change_ahead / 2.0 < ahead[0] <= limits.change_ahead + 1e-9
    assert abs(ahead[-1]) < 1e-9
    assert np.abs(np.diff([0.0, *ahead, 0.0])).max() <= limits.change_ahead + 1e-6
    # from footprint to footprint of the same foot, at the ends only one way counts
    strides = [np.hypot(*(found.pose[k, :2] - before)) for k, before in ((0, found.start.feet[found.foot[0], :2]),)]
    assert strides[0] <= limits.change_ahead + 1e-6


@pytest.mark.parametrize("distance", [0.01, 0.1, 0.33, 1.0])
def test_braking_ends_exactly(distance: float) -> None:
    change, way, gone = 0.03, math.inf, 0.0
    while gone < distance - 1e-12:
        step = min(braking(distance - gone, change), distance - gone)
        assert way == math.inf or way - step <= change + 1e-9
        way, gone = step, gone + step
    assert gone == pytest.approx(distance)
    assert way <= change + 1e-9


def test_softer_starts_take_more_steps(limits: StepLimits) -> None:
    softer = dataclasses.replace(limits, change_ahead=limits.change_ahead / 4.0)
    for name in PLANNERS:
        if not name.startswith("learned"):
            found = plan(ORIGIN, (1.0, 0.3, 0.4), softer, (), name)
            assert verify(found) == []
            assert len(found) > len(plan(ORIGIN, (1.0, 0.3, 0.4), limits, (), name))


# ------------------------------------------------------------------ the unicycle's oracle


@pytest.mark.parametrize("law", [AICARDI, INDIVERI])
@pytest.mark.parametrize("seed", [1, 2])
def test_paths_are_those_of_the_originals_millisecond(law: int, seed: int) -> None:
    """The explicit rule (3) with Δt = 0.001 makes the same curve as the step that adapts."""
    for start in goals(12, seed):
        fine, coarse = np.empty((60_000, 3)), np.empty((20_000, 3))
        fine = fine[: follow(law, start, np.zeros(3), 0.01, 0.05, fine, 0.001)]
        coarse = coarse[: follow(law, start, np.zeros(3), 0.008, 0.03, coarse, 0.0)]
        assert len(coarse) < len(fine) / 5
        away = [np.hypot(*(fine[:, :2] - point[:2]).T).min() for point in coarse]
        assert max(away) < 0.006
        np.testing.assert_allclose(coarse[-1], [0.0, 0.0, coarse[-1, 2]], atol=2e-3)


# ------------------------------------------------------------------ few steps


def shares(limits: StepLimits, n: int, effort: float) -> Array:
    """Steps of the hybrid planner over those of the lattice."""
    tasks = [task_of(ORIGIN, goal, limits) for goal in goals(n, seed=7)]
    return np.array([len(hybrid(task)) / len(lattice(task, effort)) for task in tasks])


def test_hybrid_needs_few_more_steps_than_the_lattice(limits: StepLimits) -> None:
    found = shares(limits, 40, 1.0)
    assert found.mean() <= 1.10
    assert found.max() <= 1.35


@pytest.mark.slow
def test_hybrid_needs_few_more_steps_than_a_lattice_with_sixty_times_the_effort(limits: StepLimits) -> None:
    found = shares(limits, 500, 60.0)
    assert found.mean() <= 1.10
    assert found.max() <= 1.35


def test_more_effort_never_takes_more_steps(limits: StepLimits) -> None:
    for goal in goals(6, seed=3):
        task = task_of(ORIGIN, goal, limits)
        steps = [len(lattice(task, effort)) for effort in (0.2, 1.0, 4.0)]
        assert steps == sorted(steps, reverse=True)
        assert steps[0] <= len(hybrid(task))


# ------------------------------------------------------------------ feet do not collide


@pytest.mark.parametrize("name", PLANNERS)
def test_a_swinging_sole_never_passes_over_the_other(limits: StepLimits, name: str) -> None:
    soles = limits.soles()
    swung, stands = np.empty((2, soles.shape[1], 2))
    for goal in goals(12, seed=5):
        found = plan(ORIGIN, goal, limits, (), name)
        feet = np.array(found.start.feet)
        for foot, pose in zip(found.foot.tolist(), found.pose, strict=True):
            place(soles[1 - foot], feet[1 - foot], stands)
            for u in np.linspace(0.0, 1.0, 15):
                place(soles[foot], feet[foot] + u * (pose - feet[foot]), swung)
                assert not meet(swung, stands)
            feet[foot] = pose


# ------------------------------------------------------------------ the check itself


def test_the_check_finds_what_is_wrong(limits: StepLimits) -> None:
    good = plan(ORIGIN, (0.8, 0.3, 0.5), limits)

    def rules(**changes: Any) -> set[str]:
        return {b.rule for b in verify(dataclasses.replace(good, **changes))}

    assert rules() == set()
    moved = good.pose.copy()
    moved[4, 0] += 0.1
    assert rules(pose=moved) >= {"change ahead"}
    assert "the same foot again" in rules(foot=np.zeros_like(good.foot))
    assert rules(pose=np.add(good.pose, [0.0, 0.0, 0.05]))
    assert "distance of a foot from its goal" in rules(goal=good.goal + 0.01)
    assert rules(limits=dataclasses.replace(limits, pace_forward=limits.pace_forward / 2)) >= {"pace"}
    assert rules(limits=dataclasses.replace(limits, turn_outward=0.01)) >= {"turn outward"}
    wall = box(0.4, 0.15, 0.1, 0.4)
    assert {b.rule for b in verify(good, (wall,))} & {"overlap with an obstacle", "a high obstacle in the way"}


# ------------------------------------------------------------------ obstacles


def room(seed: int, count: int = 20) -> tuple[Obstacle, ...]:
    """A room with pillars, clear of the start and of (1.6, 0)."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        x, y = rng.uniform(-0.6, 2.2), rng.uniform(-1.4, 1.4)
        if min(math.hypot(x, y), math.hypot(x - 1.6, y)) > 0.35:
            found.append(box(x, y, *rng.uniform(0.05, 0.25, 2), rng.uniform(0.0, 3.0)))
    return tuple(found)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_lattice_finds_its_way_through_a_room(limits: StepLimits, seed: int) -> None:
    found = plan(ORIGIN, (1.6, 0.0, 0.0), limits, room(seed), "lattice")
    assert found.arrived
    assert verify(found, room(seed)) == []


def test_feet_swing_over_what_is_low_and_go_around_what_is_high(limits: StepLimits) -> None:
    low, high = (box(0.5, 0.05, 0.02, 0.02, height=h) for h in (limits.step_height / 2.0, 2.0 * limits.step_height))
    over, around = (plan(ORIGIN, (1.0, 0.0, 0.0), limits, (pebble,), "lattice") for pebble in (low, high))
    for found, pebble in ((over, low), (around, high)):
        assert found.arrived
        assert verify(found, (pebble,)) == []
    assert np.abs(over.bodies()[:, 1]).max() < 0.03
    assert np.abs(around.bodies()[:, 1]).max() > 0.04
    assert {b.rule for b in verify(over, (high,))} == {"a high obstacle in the way"}


@pytest.mark.parametrize("height", [0.01, 0.2])
@pytest.mark.parametrize("x", [0.9, 1.0])
def test_the_lattice_walks_around_a_wall_that_is_too_wide_to_step_over(
    limits: StepLimits, x: float, height: float
) -> None:
    wall = box(0.5, 0.0, 0.04, 0.8, height=height)
    found = plan(ORIGIN, (x, 0.0, 0.0), limits, (wall,), "lattice")
    assert found.arrived
    assert verify(found, (wall,)) == []


@pytest.mark.parametrize("name", PLANNERS)
def test_what_is_blocked_says_so_and_gives_the_steps_up_to_there(limits: StepLimits, name: str) -> None:
    walls = tuple(box(1.0 + 0.35 * math.cos(a), 0.35 * math.sin(a), 0.05, 0.45, a) for a in np.arange(8) * math.pi / 4)
    found = plan(ORIGIN, (1.0, 0.0, 0.0), limits, walls, name)
    assert found.ended in ("blocked", "budget")
    assert found.reason
    assert verify(found, walls) == []
    assert found.error()[0] < 0.8


# ------------------------------------------------------------------ online


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_planning_anew_after_each_step_arrives_in_spite_of_slip(limits: StepLimits, name: str, seed: int) -> None:
    """Steps are a tenth too long and slip by up to 5 mm and 1°; the feet are measured after each."""
    rng = np.random.default_rng(seed)
    for goal in goals(2 if name == "lattice" else 6, seed):
        replanner, state = Replanner(goal, limits, planner=name), WalkState(plan(ORIGIN, goal, limits).start.feet)
        for _ in range(150):
            found = replanner.replan(state)
            assert found.arrived
            if len(found) <= 1:
                break
            after = found.after(1)
            feet, foot = np.array(after.feet), int(found.foot[0])
            feet[foot] += 0.1 * (feet[foot] - state.feet[foot]) + rng.uniform(-1, 1, 3) * [0.005, 0.005, 0.017]
            state = dataclasses.replace(after, feet=feet)
        last = state.body(1 - int(found.foot[0]), limits.spacing)
        assert math.hypot(*(last[:2] - goal[:2])) < 0.03
        assert abs(math.remainder(last[2] - goal[2], math.tau)) < math.radians(3.0)


def test_the_rest_of_a_plan_can_be_planned_anew_from_anywhere_on_it(limits: StepLimits) -> None:
    for goal in goals(10, seed=4):
        whole = plan(ORIGIN, goal, limits)
        for k in range(1, len(whole)):
            rest = plan(whole.after(k), goal, limits)
            assert rest.arrived
            assert verify(rest) == []
            assert len(rest) + k <= 1.2 * len(whole) + 2


def test_a_plan_gets_its_times(limits: StepLimits) -> None:
    found, timing = plan(ORIGIN, (0.5, 0.0, 0.0), limits), BipedTiming(0.8, 0.2, 0.8)
    timed = found.timed(timing, start=3.0)
    assert timed.lift[0] == pytest.approx(3.0 + timing.start + timing.double_support)
    np.testing.assert_allclose(timed.land - timed.lift, timing.single_support)
    np.testing.assert_array_equal(timed.pose, found.pose)


# ------------------------------------------------------------------ the FUmanoids' words


def test_the_fumanoids_targets_are_read_as_they_mean_them() -> None:
    """Millimetres; y and yaw to the right are positive (Zellhöfer 3)."""
    assert from_fumanoid(500.0, 200.0, 90.0) == pytest.approx((0.5, -0.2, -math.pi / 2))
    for pose in goals(20, seed=1):
        np.testing.assert_allclose(from_fumanoid(*to_fumanoid(pose)), pose)


# ------------------------------------------------------------------ what cannot be


@pytest.mark.parametrize(
    ("start", "goal", "sentence"),
    [
        (ORIGIN, (math.nan, 0, 0), "goal x is nan; it has to be a finite number"),
        (ORIGIN, (0, 0, math.inf), "goal yaw is inf; it has to be a finite number"),
        ((0, math.nan, 0), (1, 0, 0), "start y is nan; it has to be a finite number"),
        (ORIGIN, (1, 0), "it has to be x, y [m] and yaw [rad]"),
        (ORIGIN, "home", "it has to be x, y [m] and yaw [rad]"),
        (np.zeros((2, 3)), (1, 0, 0), "start: the soles overlap; move the feet apart"),
        (np.full((2, 3), np.nan), (1, 0, 0), "two rows of three finite numbers"),
    ],
)
def test_poses_that_are_none_are_refused(limits: StepLimits, start: Any, goal: Any, sentence: str) -> None:
    with pytest.raises(BadValue, match="^.*" + sentence.replace("[", r"\[").replace("]", r"\]")):
        plan(start, goal, limits)


@pytest.mark.parametrize("name", PLANNERS)
def test_a_start_or_goal_on_an_obstacle_is_refused(limits: StepLimits, name: str) -> None:
    with pytest.raises(BadValue, match="goal: the left foot would stand on an obstacle; choose a goal with room"):
        plan(ORIGIN, (1.0, 0.0, 0.0), limits, (box(1.0, 0.0, 0.2, 0.2),), name)
    with pytest.raises(BadValue, match="start: the left foot stands on an obstacle; move the start"):
        plan(ORIGIN, (1.0, 0.0, 0.0), limits, (box(0.0, 0.0, 0.1, 0.3),), name)


@pytest.mark.parametrize(
    "field", ["forward", "turn_outward", "pace_forward", "pace_turn", "change_ahead", "change_turn"]
)
def test_limits_of_zero_are_refused(limits: StepLimits, field: str) -> None:
    with pytest.raises(BadValue, match=f"step limit {field} is 0; a robot that cannot walk ahead and turn"):
        dataclasses.replace(limits, **{field: 0.0})
    for bad in (-0.1, math.nan, math.inf):
        with pytest.raises(BadValue, match=f"step limit {field} is .*; it has to be a finite number, 0 or more"):
            dataclasses.replace(limits, **{field: bad})


@pytest.mark.parametrize("name", [n for n in PLANNERS if not n.startswith("learned")])
def test_a_robot_that_can_neither_go_back_nor_aside_arrives_all_the_same(limits: StepLimits, name: str) -> None:
    poor = dataclasses.replace(
        limits, backward=0.0, pace_backward=0.0, pace_sideways=0.0, change_sideways=0.0, turn_inward=0.0
    )
    for goal in goals(10, seed=2):
        found = plan(ORIGIN, goal, poor, (), name)
        assert verify(found) == []
        assert found.arrived or found.reason


def test_an_unknown_planner_is_refused_with_the_nearest_name(limits: StepLimits) -> None:
    with pytest.raises(UnknownName, match="no planner 'hybird'; did you mean 'hybrid'"):
        plan(ORIGIN, (1.0, 0.0, 0.0), limits, (), "hybird")
