"""The pattern generator: alternating feet, footprints that stay, stops and starts at any time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gangart.control.stepping import Step, Stepper, plan_of
from gangart.footsteps import limit_command
from gangart.gaits import BipedTiming
from gangart.pattern import ZMP_NAMES, soles_at, zmp_curve
from gangart.robots import Robot
from gangart.signals import Command, FootstepPlan

TICK = 0.01  # [s]
STAND = Command()


def new_stepper(nao: Robot, past: list[Step] | None = None, start: float = 1.0, double_step: float = 0.8) -> Stepper:
    assert nao.walk is not None
    feet = np.array([[0.0, 0.05, 0.0], [0.0, -0.05, 0.0]])
    return Stepper(nao.walk, BipedTiming(double_step, 0.2, start), nao.walk.preview, feet, past=past)


def run(nao: Robot, commands: Callable[[float], Command], duration: float) -> FootstepPlan:
    """The whole plan of commands over time."""
    past: list[Step] = []
    stepper = new_stepper(nao, past)
    feet = stepper.feet.copy()
    for t in TICK * np.arange(round(duration / TICK)):
        stepper.update(t, commands(t))
    return plan_of(feet, past + stepper.steps)


def random_commands(nao: Robot, n: int, seed: int) -> list[Command]:
    """Commands at the robot's limits, in all directions."""
    rng = np.random.default_rng(seed)
    assert nao.walk is not None
    return [limit_command(Command(*rng.normal(size=3)), nao.walk.limits)[0] for _ in range(n)]


def moods(nao: Robot, seed: int, duration: float) -> Callable[[float], Command]:
    """A command that changes at random times, one time in three to standing."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.exponential(0.7, round(duration * 3)))
    values = [c if rng.uniform() > 0.33 else STAND for c in random_commands(nao, len(times) + 1, seed)]
    return lambda t: values[int(np.searchsorted(times, t))]


def feet_after(plan: FootstepPlan) -> np.ndarray:
    feet = plan.start.copy()
    for foot, pose in zip(plan.foot, plan.pose, strict=True):
        feet[foot] = pose
    return feet


def assert_standing(feet: np.ndarray, spacing: float) -> None:
    """Both feet parallel and side by side."""
    left, right = feet
    c, s = np.cos(left[2]), np.sin(left[2])
    d = left[:2] - right[:2]
    np.testing.assert_allclose([c * d[0] + s * d[1], c * d[1] - s * d[0]], [0.0, spacing], atol=1e-9)
    assert left[2] == pytest.approx(right[2], abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_feet_alternate_and_supports_keep_their_times(nao: Robot, seed: int) -> None:
    timing = BipedTiming(0.8, 0.2, 1.0)
    plan = run(nao, moods(nao, seed, 40.0), 40.0)
    assert len(plan) > 20
    np.testing.assert_allclose(plan.land - plan.lift, timing.single_support)
    pauses = plan.lift[1:] - plan.land[:-1]
    walking = np.isclose(pauses, timing.double_support)
    assert (pauses[~walking] > timing.start).all()  # a new walk begins by leaning over
    assert (plan.foot[1:] != plan.foot[:-1])[walking].all()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_footprint_is_fixed_from_the_lift_of_its_foot(nao: Robot, seed: int) -> None:
    past: list[Step] = []
    stepper, command = new_stepper(nao, past), moods(nao, seed, 40.0)
    lifted: dict[float, Step] = {}
    for t in TICK * np.arange(4000):
        stepper.update(t, command(t))
        for step in stepper.steps:
            if step.lift <= t + 1e-9:
                assert lifted.setdefault(step.lift, step) is step
    assert past
    assert set(map(id, past)) <= set(map(id, lifted.values()))
    kept = past + [s for s in stepper.steps if s.lift <= t]
    assert [s.lift for s in kept] == sorted(lifted)


@pytest.mark.parametrize("name", ZMP_NAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_new_command_never_moves_the_zmp_nor_the_feet_of_the_present(nao: Robot, name: str, seed: int) -> None:
    assert nao.walk is not None
    stepper, command = new_stepper(nao), moods(nao, seed, 40.0)
    before, changes = stepper.plan(), 0
    for t in TICK * np.arange(4000):
        if not stepper.update(t, command(t)):
            continue
        now, at = np.array([t]), stepper.plan()
        points = [zmp_curve(name, plan, nao.walk, stepper.timing.double_support)(now) for plan in (before, at)]
        np.testing.assert_allclose(points[0], points[1], rtol=0, atol=1e-9)
        feet = [soles_at(plan, 0.02, now) for plan in (before, at)]
        np.testing.assert_allclose(feet[0][0], feet[1][0], rtol=0, atol=1e-9)
        before, changes = at, changes + 1
    assert changes > 50


@pytest.mark.parametrize("start", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("double_step", [0.3, 0.8, 2.0])
def test_the_window_is_the_whole_plan_as_far_as_the_preview_sees(nao: Robot, start: float, double_step: float) -> None:
    """With a constant command, what the window says of the coming 1.5 s is what happens."""
    assert nao.walk is not None
    past: list[Step] = []
    stepper, command = new_stepper(nao, past, start, double_step), Command(0.1, 0.01, 0.2)
    feet, seen = stepper.feet.copy(), []
    for t in TICK * np.arange(round(8.0 / TICK)):
        if stepper.update(t, command):
            window = stepper.plan()
        ahead = t + np.linspace(0.0, stepper.horizon, 7)
        seen.append((ahead, window))
    whole = plan_of(feet, past + stepper.steps)
    curve = zmp_curve("bezier", whole, nao.walk, stepper.timing.double_support)
    for ahead, window in seen[::7]:
        part = zmp_curve("bezier", window, nao.walk, stepper.timing.double_support)
        np.testing.assert_allclose(part(ahead), curve(ahead), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stop_at_any_time_ends_standing_within_two_steps(nao: Robot, seed: int) -> None:
    assert nao.walk is not None
    commands = random_commands(nao, 3, seed)
    for stop in np.concatenate([np.arange(0.0, 1.2, 0.09), np.arange(4.0, 4.8, 0.03)]):
        for command in commands:
            plan = run(nao, lambda t, stop=stop, command=command: command if t < stop else STAND, stop + 4.0)
            assert (plan.lift > stop).sum() <= 2
            assert_standing(feet_after(plan), nao.walk.foot_spacing)


def test_a_walk_begins_again_after_a_stop_from_where_it_stands(nao: Robot) -> None:
    command = Command(0.1, 0.0, 0.3)
    for again in np.arange(3.0, 4.6, 0.05):
        plan = run(nao, lambda t, again=again: STAND if 3.0 <= t < again else command, 12.0)
        moved = feet_after(plan).mean(axis=0)
        assert moved[2] > 0.3 * 5.0  # it turned on for most of the time
        assert (np.diff(plan.lift) > 0.0).all()
        np.testing.assert_array_equal(plan.contacts(np.linspace(0, 12, 5000)).any(axis=1), True)


def test_a_changed_command_is_followed_within_the_acceleration_limits(nao: Robot) -> None:
    assert nao.walk is not None
    plan = run(nao, lambda t: Command(0.2) if t < 5.0 else Command(-0.15), 12.0)
    step = 0.4
    speed = np.diff(plan.pose[:, 0]) / step
    assert speed.max() == pytest.approx(0.2)
    assert speed[-2] == pytest.approx(-0.15)
    # a footprint is a speed's way after the one before: neighbours differ by what one step may change
    assert np.abs(np.diff(speed)).max() <= nao.walk.limits.forward_acceleration * step + 1e-9


def test_what_is_limited_is_told_and_forgotten(nao: Robot) -> None:
    stepper = new_stepper(nao, double_step=1.6)
    stepper.update(0.0, Command(0.1))
    assert stepper.notes == ()
    for t in TICK * np.arange(1, 500):
        stepper.update(t, Command(0.5))
    assert stepper.notes[0] == "forward +0.5 m/s is beyond the limit of 0.25 m/s"
    assert "left foot placed at its limit forward" in stepper.notes
    assert "right foot placed at its limit forward" in stepper.notes
    for t in TICK * np.arange(500, 1000):
        stepper.update(t, Command(0.1))
    assert stepper.notes == ()


def test_an_endless_walk_takes_no_more_memory(nao: Robot) -> None:
    stepper = new_stepper(nao)
    sizes = set()
    for k in range(20_000):
        stepper.update(TICK * k, Command(0.1, 0.0, 0.1))
        sizes.add(len(stepper.steps))
    assert max(sizes) < 10
    assert stepper.past is None


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """A distance that two convex polygons keep at least (exact along an edge) [m]; negative if they overlap."""
    best = -np.inf
    for one, other in ((a, b), (b, a)):
        edge = np.roll(one, -1, axis=0) - one
        normal = np.column_stack([edge[:, 1], -edge[:, 0]]) / np.hypot(*edge.T)[:, None]
        best = max(best, float(((other @ normal.T).min(axis=0) - (one * normal).sum(axis=1)).max()))
    return best


@pytest.mark.parametrize("seed", [1, 2])
def test_soles_never_touch_each_other(nao: Robot, seed: int) -> None:
    outlines = [leg.outline for leg in nao.legs.values()]

    def placed(foot: int, pose: np.ndarray) -> np.ndarray:
        c, s = np.cos(pose[3]), np.sin(pose[3])
        return outlines[foot] @ np.array([[c, s], [-s, c]]) + pose[:2]

    for command, other in zip(random_commands(nao, 50, seed), random_commands(nao, 50, seed + 10), strict=True):
        plan = run(nao, lambda t, a=command, b=other: a if t < 3.0 else b, 6.0)
        soles, _ = soles_at(plan, 0.02, np.arange(1.0, 6.0, 0.05))
        assert min(_gap(placed(0, pose[0]), placed(1, pose[1])) for pose in soles) > 0.005, (command, other)
