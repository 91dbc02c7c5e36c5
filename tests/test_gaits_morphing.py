"""From gait to gait while walking: never fewer than two feet bear, nothing jumps, and what would not do is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gangart.control.cyclic import CyclicEngine
from gangart.errors import BadRobot
from gangart.gaits import Morph, timing
from gangart.gaits.morphing import nearest_shift
from gangart.robots import load
from gangart.signals import Command, JointTargets, SensorReading
from gangart.simulation import Fidelity, Ground, World, simulate

ROBOT = load("quadruped")
LEGS = tuple(ROBOT.legs)
PAIRS = [(a, b) for a, gait in ROBOT.gaits.items() for b in gait.into]
TICK = 0.01


def morph(a: str, b: str) -> Morph:
    start = ROBOT.gaits[a]
    return Morph(timing(start.footfall, start.overlap, start.cycle, LEGS), start, ROBOT.gaits[b], LEGS)


def run(engine: CyclicEngine, ticks: int, begin: int, command: Command) -> list[JointTargets]:
    none = np.zeros(12)
    return [
        engine.tick(command, SensorReading(TICK * k, none, none, np.zeros(3), np.zeros(3), np.zeros((4, 0))))
        for k in range(begin, begin + ticks)
    ]


def test_the_file_names_pairs() -> None:
    assert ("predictive-trot", "reactive-trot") in PAIRS
    assert ("amble", "predictive-trot") in PAIRS


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_morph_begins_with_one_gait_and_ends_with_the_other(a: str, b: str) -> None:
    way, goal = morph(a, b), ROBOT.gaits[b]
    assert way.timing.duty == timing(ROBOT.gaits[a].footfall, ROBOT.gaits[a].overlap, 1.0, LEGS).duty
    while not way.done:
        way.step(TICK)
    ends = timing(goal.footfall, goal.overlap, goal.cycle, LEGS)
    assert way.gait == goal
    assert (way.timing.cycle, way.timing.duty) == pytest.approx((ends.cycle, ends.duty))
    turned = (way.timing.touch - ends.touch) % 1.0  # the cycle may begin elsewhere, for all alike
    np.testing.assert_allclose(np.exp(2j * np.pi * (turned - turned[0])), 1.0, atol=1e-6)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("ticks", [203, 211, 228])
def test_two_feet_bear_and_joints_keep_their_speed_limits(a: str, b: str, ticks: int) -> None:
    engine, command = CyclicEngine(ROBOT, a), Command(0.3, 0.05, 0.2)
    engine.stance()
    targets = run(engine, ticks, 0, command)
    engine.change(b)
    standing = []
    k = ticks
    while engine.changing or k < ticks + 400:
        targets += run(engine, 1, k, command)
        standing.append(engine.standing.copy())
        k += 1
    assert engine.gait == ROBOT.gaits[b]
    assert np.min(np.sum(standing, axis=1)) >= 2
    q = np.array([t.position for t in targets])
    fastest = ROBOT.drive.speed_limit / 5.0 / np.diag(ROBOT.hubs)  # type: ignore[union-attr]  # it has a drive
    assert (np.abs(np.diff(q, axis=0)).max(axis=0) / TICK < fastest).all()


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_robot_walks_on_through_a_morph(a: str, b: str) -> None:
    engine, world = CyclicEngine(ROBOT, a), World(ROBOT, Fidelity(motor=True), Ground(0.8))
    world.reset(*engine.stance(), settle=1.0)
    changed: list[bool] = []

    def command(time: float) -> Command:
        if time > 2.0 and not changed:
            engine.change(b)
            changed.append(True)
        return Command(0.4)

    recording = simulate(world, engine, command, 8.0)
    assert recording.info["fell"] is None
    tilt = 2.0 * np.linalg.norm(recording.base_orientation[:, 1:3], axis=1).max()
    assert tilt < 0.12  # [rad]
    forward = recording.base_position[-1, 0] - recording.base_position[2000, 0]
    assert forward == pytest.approx(0.4 * 6.0, rel=0.07)


def test_shifts_are_the_shortest(rng: np.random.Generator) -> None:
    for _ in range(50):
        a, b = rng.uniform(0.0, 1.0, (2, 4))
        found = np.abs(nearest_shift(a, b)).sum()
        for begin in np.linspace(0.0, 1.0, 201):
            assert found <= np.abs((b - a - begin + 0.5) % 1.0 - 0.5).sum() + 1e-6


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("slow-walk", "predictive-trot", "leans"),
        ("fast-walk", "predictive-trot", "do not take turns"),
    ],
)
def test_other_pairs_are_refused(a: str, b: str, said: str) -> None:
    with pytest.raises(BadRobot, match=said):
        CyclicEngine(ROBOT, a).change(b)


def test_gaits_that_jump_or_stand_otherwise_are_refused() -> None:
    trot = ROBOT.gaits["predictive-trot"]
    start = timing(trot.footfall, trot.overlap, trot.cycle, LEGS)
    with pytest.raises(BadRobot, match="less than half"):
        Morph(start, trot, replace(trot, overlap=-0.2), LEGS)
    with pytest.raises(BadRobot, match=r"0\.32 and 0\.3 m"):
        Morph(start, trot, replace(trot, height=0.3), LEGS)
    with pytest.raises(BadRobot, match=r"spread by 0 and 0\.05 m"):
        Morph(start, trot, replace(trot, spread=0.05), LEGS)
