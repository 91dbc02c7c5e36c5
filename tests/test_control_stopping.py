"""Gaits come to their stance when they are asked to, hold their body as they are told, and start again."""

from __future__ import annotations

import numpy as np
import pytest

from gangart.control.cyclic import CyclicEngine
from gangart.robots import load
from gangart.signals import BodyPose, Command, JointTargets, SensorReading
from gangart.simulation import Fidelity, Ground, World, simulate

GAITS = ("slow-walk", "fast-walk", "reactive-trot", "predictive-trot")
TICK = 0.01


def blank(time: float) -> SensorReading:
    none = np.zeros(12)
    return SensorReading(time, none, none, np.zeros(3), np.zeros(3), np.zeros((4, 0)))


def run(engine: CyclicEngine, command: Command, ticks: int, begin: int = 0) -> list[JointTargets]:
    return [engine.tick(command, blank(TICK * k)) for k in range(begin, begin + ticks)]


def stopped_after(engine: CyclicEngine, begin: int) -> int:
    engine.stop()
    for k in range(begin, begin + 1000):
        engine.tick(Command(0.2), blank(TICK * k))
        if engine.stopped:
            return k - begin
    raise AssertionError("it never stopped")


@pytest.mark.parametrize("gait", GAITS)
@pytest.mark.parametrize("ticks", [0, 60, 237, 412])
def test_a_gait_that_is_stopped_stands_at_home(gait: str, ticks: int) -> None:
    engine = CyclicEngine(load("quadruped"), gait)
    stance, *_ = engine.stance()
    run(engine, Command(0.2, 0.03, 0.1), ticks)
    # a cycle for the feet, another until the first one's turn comes, the lean, and the slowing down
    assert stopped_after(engine, ticks) * TICK <= 2.0 * engine.gait.cycle + 1.0 + 0.25 / engine.gait.acceleration + 1.5
    for k in range(60):  # motors give way no more
        engine.tick(Command(0.2), blank(30.0 + TICK * k))
    assert engine.standing.all()
    np.testing.assert_allclose(engine.tick(Command(0.2), blank(30.6)).position, stance, atol=0.012)  # rolled a little
    np.testing.assert_allclose(engine.tick(Command(0.2), blank(31.0)).velocity, 0.0, atol=1e-9)


@pytest.mark.parametrize("gait", GAITS)
def test_it_starts_again_when_it_stands_and_while_it_stops(gait: str) -> None:
    for ticks in (8, 31, 54, 400):
        engine = CyclicEngine(load("quadruped"), gait)
        run(engine, Command(0.2), 300)
        engine.stop()
        run(engine, Command(0.2), ticks, 300)
        engine.start()
        targets = run(engine, Command(0.2), 500, 300 + ticks)
        assert not engine.stopped
        assert engine._velocity[0] == pytest.approx(0.2)
        moved = np.abs(np.diff([t.position for t in targets], axis=0)).max() / TICK
        assert moved < 12.0  # [rad/s] nothing snaps


@pytest.mark.parametrize("gait", GAITS)
def test_standing_lean_and_walk_are_left_and_entered_without_a_fall(gait: str) -> None:
    robot = load("quadruped")
    engine = CyclicEngine(robot, gait)
    world = World(robot, Fidelity(motor=True), Ground(0.8))
    world.reset(*engine.stance(), settle=1.0)

    def command(time: float) -> Command:
        (engine.stop if time % 6.0 > 2.0 else engine.start)()
        return Command(0.2)

    recording = simulate(world, engine, command, 12.0)
    assert recording.info["fell"] is None
    assert engine.stopped
    end = slice(-200, None)
    assert np.ptp(recording.base_position[end], axis=0).max() < 5e-4
    assert recording.contact[end].all()


def test_a_pose_is_approached_smoothly_and_kept() -> None:
    engine = CyclicEngine(load("quadruped"), "predictive-trot")
    engine.stop()
    engine.pose = BodyPose(x=0.03, z=-0.05, roll=0.1, pitch=-0.1, yaw=0.2)
    targets, held = [], [engine._follower.value.copy()]
    for k in range(300):
        targets += run(engine, Command(), 1, k)
        held.append(engine._follower.value.copy())
    fastest = np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])  # [m/s], [rad/s]
    assert (np.abs(np.diff(held, axis=0)).max(axis=0) <= fastest * TICK + 1e-9).all()
    assert (np.abs(np.diff(held, 2, axis=0)).max(axis=0) <= 10.0 * fastest * TICK**2 + 1e-9).all()
    q, v = (np.array([getattr(t, name) for t in targets]) for name in ("position", "velocity"))
    np.testing.assert_allclose(np.diff(q, axis=0) / TICK, (v[1:] + v[:-1]) / 2.0, atol=0.05)
    np.testing.assert_allclose(engine._follower.value, [0.03, 0.0, -0.05, 0.1, -0.1, 0.2], atol=1e-4)
    assert engine.notes == ()


@pytest.mark.parametrize("pose", [BodyPose(z=0.2), BodyPose(y=0.5), BodyPose(roll=1.0), BodyPose(yaw=1.0, z=-0.2)])
def test_a_pose_out_of_reach_is_cut_and_told(pose: BodyPose) -> None:
    engine = CyclicEngine(load("quadruped"), "predictive-trot")
    engine.stop()
    engine.pose = pose
    run(engine, Command(), 600)
    assert len(engine.notes) == 1
    assert "% of the body pose" in engine.notes[0]
    assert not engine._status.any()


@pytest.mark.parametrize(("gait", "vx"), [("pace", 0.5), ("bound", 0.6), ("gallop", 0.4)])
def test_pairs_of_a_side_and_of_an_end_walk_open_loop(gait: str, vx: float) -> None:
    robot = load("quadruped")
    engine, world = CyclicEngine(robot, gait), World(robot, Fidelity(motor=True), Ground(0.8))
    world.reset(*engine.stance(), settle=1.0)
    recording = simulate(world, engine, Command(vx), 6.0)
    assert recording.info["fell"] is None
    cycles = int(3.4 / engine.gait.cycle)
    far = recording.base_position[2500 + round(1000 * cycles * engine.gait.cycle)] - recording.base_position[2500]
    assert np.hypot(far[0], far[1]) / (cycles * engine.gait.cycle) == pytest.approx(vx, rel=0.05)
    assert 2.0 * np.linalg.norm(recording.base_orientation[:, 1:3], axis=1).max() < 0.12  # [rad]
