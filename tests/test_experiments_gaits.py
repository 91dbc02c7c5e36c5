"""The experiments on the quadruped's gaits: laws of what they measure, and their bars in short."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from gangart.experiments import body_sway, gait_speed, push_envelope, push_trials
from gangart.experiments.gait_track import Track
from gangart.experiments.proportion import wilson
from gangart.experiments.push_trials import Job, Level, limit, survived
from gangart.signals import Array, Command

RNG = np.random.default_rng(8)


def way(velocity: float, yaw: float = 0.0, sway: Array | None = None, turn: float = 0.0) -> Track:
    """A body that goes ahead, and sways (n, 2) [m] ahead and to the left."""
    time = 0.01 * np.arange(91)
    along = np.zeros((91, 2)) if sway is None else sway.copy()
    along[:, 0] += velocity * time
    c, s = np.cos(yaw), np.sin(yaw)
    seen = along @ np.array([[c, s], [-s, c]])
    position = np.column_stack([seen + np.array([3.0, -2.0]), np.full(91, 0.32)])
    return Track(time + 5.0, position, yaw + turn * time, False)


@pytest.mark.parametrize("trials", [1, 7, 20, 100])
def test_wilsons_interval_is_that_of_scipy(trials: int) -> None:
    for good in range(trials + 1):
        peer = binomtest(good, trials).proportion_ci(0.95, method="wilson")
        np.testing.assert_allclose(wilson(good, trials), peer, atol=1e-6)


def test_wilsons_interval_holds_the_truth_as_often_as_it_says() -> None:
    for truth in (0.3, 0.9):
        good = RNG.binomial(100, truth, 2000)
        holds = [low <= truth <= high for low, high in (wilson(int(n), 100) for n in good)]
        assert 0.93 <= np.mean(holds) <= 0.97
    assert wilson(0, 0) == (0.0, 1.0)


def test_a_limit_needs_all_weaker_pushes_to_be_survived() -> None:
    counts = {5.0: 20, 10.0: 19, 14.0: 18, 17.5: 20}
    levels = [Level("slow-walk", 0.1, impulse, n, 20) for impulse, n in counts.items()]
    assert limit(levels) == 10.0
    assert limit(levels[::-1]) == 10.0
    assert limit(levels[2:]) == 0.0


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0])
def test_sway_is_what_is_left_of_the_wanted_motion_wherever_it_leads(yaw: float) -> None:
    angle = 2.0 * np.pi * 3.0 * np.arange(91) / 90.0
    circle = np.column_stack([0.03 * np.cos(angle), 0.02 * np.sin(angle)])
    assert np.abs(body_sway.offset(way(0.4, yaw), 0.4)).max() < 1e-12
    found = body_sway.offset(way(0.4, yaw, circle), 0.4)
    np.testing.assert_allclose(found, circle, atol=1e-12)
    sway = body_sway.Sway(body_sway.Job("slow-walk", 0.4), found, False)
    np.testing.assert_allclose(sway.most, (0.03, 0.02, 0.03), rtol=1e-2)
    assert [len(stride) for stride in sway.strides] == [31, 31, 31]
    assert sway.drift < 1e-12


def test_a_wrong_speed_counts_as_sway() -> None:
    sway = body_sway.Sway(body_sway.Job("slow-walk", 0.5), body_sway.offset(way(0.51), 0.5), False)
    assert sway.most[0] == pytest.approx(0.01 * 0.9 / 2.0, rel=0.02)
    assert sway.drift == pytest.approx(0.01 * 0.6, rel=1e-6)


def test_speed_is_seen_from_the_body_also_while_it_turns() -> None:
    np.testing.assert_allclose(way(0.3, 1.0).velocity, (0.3, 0.0, 0.0), atol=1e-12)
    time = 0.01 * np.arange(91)
    circle = np.column_stack([np.sin(time), 1.0 - np.cos(time), np.zeros(91)])
    np.testing.assert_allclose(Track(time, circle, time, False).velocity, (1.0, 0.0, 1.0), atol=1e-4)


@pytest.mark.parametrize(
    ("command", "velocity", "kept"),
    [
        (Command(0.4), (0.419, 0.1, 0.0), True),
        (Command(0.4), (0.421, 0.0, 0.0), False),
        (Command(0.02), (0.0214, 0.0, 0.0), True),
        (Command(0.0), (0.0, 0.0016, 0.0), False),
        (Command(0.0, 0.0, 1.0), (0.0, 0.0, 0.94), False),
    ],
)
def test_a_command_is_kept_within_5_percent_or_what_counts_as_standing(
    command: Command, velocity: tuple[float, ...], kept: bool
) -> None:
    job = gait_speed.Job("amble", command)
    assert gait_speed.Found(job, np.array(velocity), False).kept is kept
    assert not gait_speed.Found(job, np.array(velocity), True).kept


def test_pushes_come_from_the_seed_alone() -> None:
    job = Job("predictive-trot", 0.5, 27.0, 4, (1, 2, 3), balance=True)
    assert survived(job) == survived(job)


def test_pushes_have_the_impulse_that_they_are_said_to_have() -> None:
    """A push of 5 N s makes a robot of 22 kg faster by 5 / 22 m/s to the left."""
    job = Job("predictive-trot", 0.0, 5.0, 1, (0,))
    engine = push_trials.make(job)
    world = push_trials.new_world(engine)
    push_trials.go(world, engine, Command(0.0), 0.5)
    before = world.truth().base_velocity[1]
    world.push(push_trials.Push(world.time + 0.001, push_trials.LASTS, (0.0, 5.0 / push_trials.LASTS, 0.0)))
    push_trials.go(world, engine, Command(0.0), world.time + 0.01)
    gained = world.truth().base_velocity[1] - before
    assert 0.6 * 5.0 / engine.robot.mass < gained < 1.6 * 5.0 / engine.robot.mass  # legs have a mass of their own


@pytest.mark.parametrize("gait", list(gait_speed.BARS))
def test_every_gait_walks_as_fast_as_it_has_to(gait: str) -> None:
    assert gait_speed.speed(gait_speed.Job(gait, Command(gait_speed.BARS[gait]))).kept


@pytest.mark.parametrize(
    "gait",
    [
        "slow-walk",
        "fast-walk",
        "reactive-trot",
        "predictive-trot",
    ],
)
def test_a_gait_stands_at_0(gait: str) -> None:
    assert gait_speed.speed(gait_speed.Job(gait, Command())).kept


@pytest.mark.parametrize("gait", list(body_sway.SPEEDS))
def test_every_gait_sways_less_than_the_thesis_has_it(gait: str) -> None:
    sway = body_sway.sway(body_sway.Job(gait, body_sway.SPEEDS[gait]))
    assert not sway.fell
    assert sway.most[2] < body_sway.FOUND[gait][2]


@pytest.mark.parametrize(
    ("gait", "speed", "impulse"),
    [("slow-walk", 0.1, 14.0), ("fast-walk", 0.5, 17.5), ("reactive-trot", 0.5, 17.5), ("predictive-trot", 0.5, 17.5)],
)
def test_pushes_of_the_thesis_are_survived(gait: str, speed: float, impulse: float) -> None:
    assert survived(Job(gait, speed, impulse, 4, (11,))) == 4


@pytest.mark.slow
@pytest.mark.parametrize("impulse", [7.0, 14.0, 17.5, 25.0, 30.0, push_envelope.LEAST])
@pytest.mark.parametrize("speed", [0.0, 0.5, 1.0])
def test_with_balance_95_of_100_pushes_are_survived(speed: float, impulse: float) -> None:
    counts = [survived(Job("trot", speed, impulse, 20, (2026, k), balance=True)) for k in range(5)]
    assert sum(counts) >= 95
