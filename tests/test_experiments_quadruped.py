"""The quadruped's experiments: the bars that stand beside the thesis, and laws of their benches."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gangart.experiments import Setting, body_jerk, leg_linearity, motor_step, run, standing_drift
from gangart.experiments.hub_bench import G, HubBench
from gangart.experiments.leg_bench import LegBench, Line
from gangart.experiments.standing import Knows, Square, StandingEngine
from gangart.robots import Robot, load
from gangart.signals import JointTargets
from gangart.simulation import Fidelity, World


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load("quadruped")


@pytest.mark.parametrize("name", ["motor-step", "leg-linearity", "body-motion", "body-jerk"])
def test_every_verdict_holds(name: str) -> None:
    report = run(name, Setting(quick=True))
    assert [v.sentence for v in report.verdicts if v.holds is False] == []
    assert len(report.verdicts) >= 3


@pytest.mark.parametrize("degrees", range(30, 121, 10))
@pytest.mark.parametrize("filtered", [False, True])
def test_a_hub_settles_in_120_ms_without_overshoot(robot: Robot, degrees: int, filtered: bool) -> None:
    step = motor_step.step(robot, np.radians(degrees), filtered=filtered)
    assert step.settling <= 0.12
    assert step.overshoot <= 0.002 * step.size
    assert filtered or step.outside == 0.0


def test_a_step_does_not_depend_on_the_physics_step(robot: Robot) -> None:
    coarse, fine = (motor_step.step(robot, 1.0, dt=dt) for dt in (1e-3, 1e-4))
    assert coarse.settling == pytest.approx(fine.settling, abs=0.005)
    np.testing.assert_allclose(coarse.trace.angle, fine.trace.angle[::10], atol=0.03)


def test_the_tolerance_is_no_wider_than_the_thesis_has_it() -> None:
    time = np.arange(0.0, 0.5, 0.001)
    low, high = motor_step.tolerance(1.0, time)
    assert high[-1] - low[-1] == pytest.approx(2.0 * np.radians(2.5), abs=1e-3)  # at rest only the angle is left
    assert low[int(0.02 / 0.001)] <= 0.0 < low[int(0.06 / 0.001)]  # not before 20 ms has anything to move


@pytest.mark.parametrize("load_", [2.0, 5.0])
def test_a_weight_rests_where_the_cascade_holds_it(robot: Robot, load_: float) -> None:
    stop = motor_step.stop(robot, load_)
    drive = robot.drive
    assert drive is not None
    stiffness = drive.position_gain * drive.velocity_gain + drive.velocity_integral
    assert stop.given_way == pytest.approx(load_ * G * stop.radius / stiffness, rel=1e-3)
    assert stop.trace.torque[-1] == pytest.approx(-load_ * G * stop.radius, rel=1e-3)
    assert stop.settling <= 0.2


def test_a_hub_that_is_held_back_by_its_current_gains_what_torque_over_inertia_gives(robot: Robot) -> None:
    trace = HubBench(robot, filtered=False).run(np.full(10, 2.0), np.zeros(10))
    motor = next(iter(robot.motors.values()))
    inertia = motor.rotor_inertia * motor.gear_ratio**2 + 1e-4
    assert robot.drive is not None
    limit = robot.drive.current_limit * motor.torque_constant * motor.gear_ratio
    assert trace.torque.max() == pytest.approx(limit)
    assert trace.speed[20] == pytest.approx(limit / inertia * 0.02, rel=0.02)


def test_a_robot_that_stands_and_is_asked_for_the_same_stays_where_it_is(robot: Robot) -> None:
    world = World(robot, Fidelity(motor=True))
    world.reset(robot.home_position, np.array([0.0, 0.0, 0.32]), settle=1.0)
    for _ in range(50):
        world.write(JointTargets(world.time + robot.tick, robot.home_position, np.zeros(12)))
    moved = np.ptp(world.take().states[:, world.base : world.base + 3], axis=0)
    assert (moved < 0.0003).all()


@pytest.fixture(scope="module")
def bench(robot: Robot) -> LegBench:
    return LegBench(robot, leg_linearity.LEG)


@pytest.mark.parametrize("seed", [11, 12])
def test_feet_at_2_m_s_stay_within_20_mm_of_their_path(bench: LegBench, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for path in leg_linearity.paths(bench):
        assert leg_linearity.one_pass(bench, path, 2.0, rng).deviation <= 0.02


def test_a_slow_foot_is_where_its_path_is(bench: LegBench) -> None:
    for path in leg_linearity.paths(bench):
        trace = bench.run(path, 0.1)
        assert path.distance(trace.foot).max() < 0.002
        np.testing.assert_allclose(trace.foot[-1], path.end, atol=0.001)
        middle = trace.foot[np.searchsorted(trace.time, path.length / 0.2 + 0.02)]  # the filter's 20 ms later
        np.testing.assert_allclose(middle, (path.start + path.end) / 2.0, atol=0.002)


def test_the_distance_to_a_path_counts_its_ends(rng: np.random.Generator) -> None:
    line = Line("any", np.array([0.1, -0.2, 0.3]), np.array([0.2, 0.1, 0.1]))
    points = rng.uniform(-0.5, 0.5, (200, 3))
    part = np.linspace(0.0, 1.0, 2001)[:, None]
    on = line.start + part * (line.end - line.start)
    nearest = np.linalg.norm(points[:, None] - on, axis=2).min(axis=1)
    np.testing.assert_allclose(line.distance(points), nearest, atol=1e-5)


@pytest.mark.parametrize("acceleration", [6.0, 8.0, np.inf])
def test_a_square_wave_goes_its_stroke_at_its_speed_and_no_quicker_than_planned(acceleration: float) -> None:
    square, h = Square(acceleration=acceleration), 1e-4
    z = np.array([square(t).z for t in np.arange(0.0, 1.8, h)])
    speed = np.diff(z) / h
    assert (z.min(), z.max()) == pytest.approx((-square.stroke, 0.0), abs=1e-9)
    assert np.abs(speed).max() == pytest.approx(square.speed, rel=1e-3)
    assert np.abs(np.diff(speed)).max() / h <= min(acceleration, square.speed / h) * 1.001


def test_motors_that_know_of_inertia_are_asked_for_as_much_more(robot: Robot) -> None:
    engine = StandingEngine(robot, 0.32, Square(), Knows())
    q, feet, all_ = robot.home_position, engine.legs.all_forward(robot.home_position), np.ones(4)
    rest, rising = (engine.bearing.given_way(q, feet, all_, np.zeros(2), a) for a in (0.0, 4.905))
    np.testing.assert_allclose(rising, 1.5 * rest, atol=1e-12)
    falling = engine.bearing.given_way(q, feet, all_, np.zeros(2), -20.0)
    np.testing.assert_allclose(falling, 0.0, atol=1e-12)  # the ground cannot pull


@pytest.mark.parametrize("phase", [0.0023, 0.0071])
def test_a_planned_jerk_moves_the_body_across_by_less_than_the_thesis_has_it(robot: Robot, phase: float) -> None:
    found = body_jerk.jerk(robot, body_jerk.BEST, 1, phase=phase)
    assert found.aside.max() <= 0.0104
    assert found.aside.mean() <= 0.005
    assert found.speed >= 0.5


@pytest.mark.parametrize("posture", standing_drift.POSTURES, ids=lambda p: p.name)
@pytest.mark.parametrize("seed", [21, 22])
def test_a_robot_that_does_nothing_does_not_drift(robot: Robot, posture: standing_drift.Posture, seed: int) -> None:
    off = np.random.default_rng(seed).normal(scale=standing_drift.OFF, size=12)
    found = standing_drift.drift(robot, posture, 12.0, standing_drift.MOTORS, off)
    assert found.touching >= 3
    assert found.rate(10.0) <= 0.1 * standing_drift.BAR  # it has settled
    moved = np.linalg.norm(found.place[-1] - found.place[0])
    assert moved / standing_drift.LONG <= standing_drift.BAR


def test_where_the_floor_is_tilted_the_drift_is_seen(robot: Robot) -> None:
    def tilt(model: mujoco.MjModel) -> None:
        model.opt.gravity[:] = 9.81 * np.sin(0.1), 0.0, -9.81 * np.cos(0.1)

    posture, still = standing_drift.POSTURES[2], np.zeros(12)
    found = standing_drift.drift(robot, posture, 5.0, standing_drift.MOTORS, still, tilt)
    assert found.rate(2.0) > 2.0 * standing_drift.BAR  # soft friction creeps under a force that stays


@pytest.mark.slow
def test_every_verdict_of_the_drift_holds() -> None:
    report = run("standing-drift", Setting(quick=True))
    assert [v.sentence for v in report.verdicts if v.holds is False] == []


def test_random_switches_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gangart.experiments.gait_switch.QUICK", 4)
    report = run("gait-switch", Setting(quick=True, seed=4))
    wrong = [v.sentence for v in report.verdicts if v.holds is False]
    assert [s for s in wrong if "while walking" not in s] == []  # of four switches there may be none
    assert {picture.name for picture in report.pictures} == {"margins", "reposition", "stand-up"}
