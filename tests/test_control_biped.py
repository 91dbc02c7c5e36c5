"""The walking engine: one tick after the other is the same walk as all at once, and nothing is limited silently."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from gangart import robots
from gangart.control import BipedEngine, WalkPlan
from gangart.errors import BadRobot, BadValue, GangartError, UnknownName, Unreachable
from gangart.footsteps import limit_command
from gangart.kinematics import Tree
from gangart.pattern import preview_motion, zmp_curve
from gangart.robots import Robot
from gangart.signals import Array, Command, SensorReading


def reading(robot: Robot, time: float, position: Array | None = None, force: Array | None = None) -> SensorReading:
    """What perfect sensors of a robot say that does not accelerate."""
    return SensorReading(
        time=time,
        position=robot.home_position if position is None else position,
        velocity=np.zeros(len(robot.joints)),
        gyro=np.zeros(3),
        accelerometer=np.array([0.0, 0.0, 9.81]),
        foot_force=np.zeros((2, 4)) if force is None else force,
    )


def ticks(engine: BipedEngine, command: Command, duration: float) -> tuple[Array, Array]:
    """Targets of angles and speeds over a walk, with joints that follow them exactly."""
    position, targets = engine.stance()[0], []
    engine.reset(reading(engine.robot, 0.0))
    for k in range(round(duration / engine.robot.tick)):
        targets.append(engine.tick(command, reading(engine.robot, k * engine.robot.tick, position)))
        position = targets[-1].position
    return np.array([t.position for t in targets]), np.array([t.velocity for t in targets])


def random_commands(robot: Robot, n: int, seed: int) -> list[Command]:
    rng = np.random.default_rng(seed)
    assert robot.walk is not None
    return [limit_command(Command(*rng.normal(size=3)), robot.walk.limits)[0] for _ in range(n)]


def with_walk(robot: Robot, **changes: Any) -> BipedEngine:
    assert robot.walk is not None
    return BipedEngine(robot, walk=dataclasses.replace(robot.walk, **changes))


def mean_twist(plan: WalkPlan, tick: float, double_step: float) -> Array:
    """Velocity of the torso in its own frame over the double steps after 10 s: vx, vy [m/s], wz [rad/s]."""
    n, found = round(double_step / tick), []
    place, yaw = plan.joints.base_position, plan.joints.base_yaw
    for i in range(round(10.0 / tick), round(10.0 / tick) + n):
        turn, d = yaw[i + n] - yaw[i], (place[i + n] - place[i])[:2]
        half = turn / 2.0 + yaw[i]  # a chord points along the mean yaw, and is that much shorter than its arc
        way = np.array([math.cos(half) * d[0] + math.sin(half) * d[1], math.cos(half) * d[1] - math.sin(half) * d[0]])
        found.append([*(way / np.sinc(turn / (2.0 * np.pi))), turn])
    return np.mean(found, axis=0) / double_step


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"double_step_duration": 0.3, "step_height": 0.01},
        {"double_step_duration": 1.6, "start": 3.0},
        {"double_support_ratio": 0.4, "preview": 0.7},
        {"start": 0.0},
    ],
)
@pytest.mark.parametrize("zmp", ["bezier", "stationary"])
def test_tick_after_tick_is_the_plan(nao: Robot, changes: dict[str, float], zmp: Any) -> None:
    assert nao.walk is not None
    engine = BipedEngine(nao, walk=dataclasses.replace(nao.walk, **changes), zmp=zmp)
    for command in (Command(0.1, 0.01, 0.2), *random_commands(nao, 1, 1)):
        plan = engine.plan(command, 6.0)
        position, _ = ticks(engine, command, 6.0)
        np.testing.assert_allclose(position, plan.joints.position[1:], rtol=0, atol=1e-9)
        np.testing.assert_allclose(engine.reference.com, plan.body.com[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(engine.reference.zmp, plan.body.zmp[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_torso_moves_as_commanded(nao: Robot, seed: int) -> None:
    engine = BipedEngine(nao)
    for command in random_commands(nao, 8, seed):
        found = mean_twist(engine.plan(command, 12.0), nao.tick, engine.timing.double_step)
        assert found[2] == pytest.approx(command.wz, abs=1e-6)
        np.testing.assert_allclose(found[:2], [command.vx, command.vy], rtol=0, atol=0.004)


@pytest.mark.parametrize("seed", [1, 2])
def test_target_speeds_are_the_derivative_of_the_targets(nao: Robot, seed: int) -> None:
    fine = dataclasses.replace(nao, tick=0.001)
    engine = BipedEngine(fine)
    command = random_commands(nao, 1, seed)[0]
    position, velocity = ticks(engine, command, 2.5)
    slope = (position[2:] - position[:-2]) / 0.002
    error = np.abs(slope - velocity[1:-1])
    assert np.abs(slope).max() > 1.0
    assert error.max() < 0.02 * np.abs(slope).max()
    assert np.median(error[1500:]) < 2e-3


def test_both_adaptations_put_the_centre_of_mass_over_the_plan(nao: Robot) -> None:
    """The last measured angles are a tick old, so the adaptation by them lags a little; iterated it is exact."""
    tree, errors = Tree(nao), {}
    for adaptation in ("iterated", "measured"):
        engine = BipedEngine(nao, adaptation=adaptation)
        plan = engine.plan(Command(0.15, 0.0, 0.2), 4.0)
        position, _ = ticks(engine, Command(0.15, 0.0, 0.2), 4.0)
        com = tree.com(position)
        wanted = tree.com(plan.joints.position[1:])
        # measured from the standing sole, that of the plan being exact
        sole, right = tree.feet(position)[:, 0, :3, 3], tree.feet(plan.joints.position[1:])[:, 0, :3, 3]
        errors[adaptation] = np.abs((com - sole) - (wanted - right)).max()
        joints = plan.joints
        c, s = np.cos(joints.base_yaw), np.sin(joints.base_yaw)
        com = tree.com(joints.position)
        world = np.column_stack([c * com[:, 0] - s * com[:, 1], s * com[:, 0] + c * com[:, 1], com[:, 2]])
        np.testing.assert_allclose(world + joints.base_position, plan.body.com, rtol=0, atol=1e-7)
    assert errors["iterated"] < 1e-9
    assert 1e-5 < errors["measured"] < 5e-3


@pytest.mark.parametrize("sensor", ["feet", "imu"])
def test_a_measurement_that_is_as_expected_changes_nothing(nao: Robot, sensor: Any) -> None:
    command, duration = Command(0.15, 0.01, 0.2), 5.0
    plain = BipedEngine(nao)
    plan = plain.plan(command, duration)
    curve = zmp_curve("bezier", plan.footsteps, plain.walk, plain.timing.double_support)
    references = curve(nao.tick * np.arange(round(duration / nao.tick) + plain.gains.horizon))
    motion = preview_motion(plain.gains, references, len(plan.body.time))
    engine = BipedEngine(nao, feedback=1.0, zmp_sensor=sensor)
    engine.reset(reading(nao, 0.0))
    for k, time in enumerate(plan.body.time[:-1]):
        zmp, acceleration = motion[k] @ plain.gains.C, motion[k, :, 2]
        yaw = plan.joints.base_yaw[k]
        c, s = np.cos(yaw), np.sin(yaw)
        ideal = dataclasses.replace(
            reading(nao, time, plan.joints.position[k], forces(nao, plan.body.feet[k, 0], zmp)),
            accelerometer=np.array([*(np.array([[c, s], [-s, c]]) @ acceleration), 9.81]),
        )
        found = engine.tick(command, ideal).position
        np.testing.assert_allclose(found, plan.joints.position[k + 1], rtol=0, atol=1e-6)


def forces(robot: Robot, sole: Array, zmp: Array) -> Array:
    """Forces on the left sole's sensors whose centre is the ZMP (2,) [m] in the world."""
    sensors = robot.legs["left"].force_sensors
    c, s = np.cos(sole[3]), np.sin(sole[3])
    place = np.array([[c, s], [-s, c]]) @ (zmp - sole[:2])
    weight = robot.mass * 9.81
    shares, *_ = np.linalg.lstsq(np.vstack([sensors.T, np.ones(len(sensors))]), np.array([*place, 1.0]), rcond=None)
    return np.array([shares * weight, np.zeros(len(sensors))])


@pytest.mark.parametrize("sensor", ["feet", "imu"])
@pytest.mark.parametrize("time", [4.05, 4.25, 4.45, 4.65])
def test_feedback_calms_a_pushed_robot(nao: Robot, sensor: Any, time: float) -> None:
    """Wherever in the double step it is pushed: without feedback it goes on rocking, with it that is over soon."""
    from gangart.simulation import Push, World, simulate

    tilt = {}
    for feedback in (0.0, 1.0):
        engine, world = BipedEngine(nao, feedback=feedback, zmp_sensor=sensor), World(nao)
        world.reset(*engine.stance())
        world.push(Push(time, 0.1, (0.0, 15.0, 0.0)))
        walked = simulate(world, engine, Command(0.2), time + 4.0)
        assert walked.info["fell"] is None or feedback == 0.0
        x, y = walked.base_orientation[walked.time > time + 1.5, 1:3].T
        tilt[feedback] = 2.0 * np.arcsin(np.hypot(x, y)).max()
    assert tilt[1.0] < 0.1 * tilt[0.0]


def test_arms_follow_the_legs(nao: Robot) -> None:
    plan = BipedEngine(nao).plan(Command(0.2), 8.0)
    left, right = (plan.joints.position[:, nao.joint_index[f"{side}ShoulderPitch"]] for side in "LR")
    ahead = plan.body.feet[:, 0, 0] - plan.body.feet[:, 1, 0]
    assert np.ptp(ahead) > 0.1
    far = np.abs(ahead) > 0.02
    # a shoulder pitch that grows swings the arm back
    assert (np.sign((left - right)[far]) == np.sign(ahead[far])).all()
    np.testing.assert_allclose(left - right, plan.body.feet[:, 0, 0] * 3.0 - plan.body.feet[:, 1, 0] * 3.0, atol=1e-9)


def test_shoulders_stop_at_their_limits_and_say_so(nao: Robot) -> None:
    engine = with_walk(nao, arm_swing=20.0)
    plan = engine.plan(Command(0.2), 6.0)
    low, high = nao.joint_limits.T
    assert (plan.joints.position >= low - 1e-9).all()
    assert (plan.joints.position <= high + 1e-9).all()
    assert plan.notes == ("LShoulderPitch and RShoulderPitch at the limit: swing the arms less",)


def test_a_command_beyond_the_limits_is_reported_by_tick_and_plan(nao: Robot) -> None:
    engine = BipedEngine(nao)
    notes = ("forward +1 m/s is beyond the limit of 0.25 m/s", "walking at vx 0.25 m/s, vy 0 m/s, wz 0 rad/s instead")
    assert engine.plan(Command(1.0), 2.0).notes == notes
    engine.tick(Command(1.0), reading(nao, 0.0))
    assert engine.notes == notes
    engine.tick(Command(0.1), reading(nao, nao.tick))
    assert engine.notes == ()


def test_a_footprint_beyond_its_limits_is_reported(nao: Robot) -> None:
    engine = with_walk(nao, double_step_duration=1.6)
    note = "left foot placed at its limit forward"
    assert note in engine.plan(Command(0.2), 8.0).notes
    ticks(engine, Command(0.2), 4.0)
    assert note in engine.notes


def test_legs_at_their_end_are_named_and_forgotten(nao: Robot) -> None:
    engine = with_walk(nao, com_height=0.26)
    plan = engine.plan(Command(0.2), 6.0)
    said = {
        f"leg '{leg}' is at its end, stretched or folded as far as it goes: "
        "change the height of the centre of mass or walk slower"
        for leg in ("left", "right")
    }
    assert set(plan.notes) == said
    engine.reset(reading(nao, 0.0))
    heard = []
    for k in range(600):
        engine.tick(Command(0.2), reading(nao, k * nao.tick))
        heard.append(engine.notes)
    assert {note for notes in heard for note in notes} == said
    assert () in heard[300:]  # only while it is so


def test_the_joint_that_is_at_its_limit_is_named(nao: Robot) -> None:
    assert nao.walk is not None
    limits = dataclasses.replace(nao.walk.limits, turn=3.0, turn_acceleration=10.0, step_turn_outward=3.0)
    plan = with_walk(nao, limits=limits).plan(Command(wz=2.9), 6.0)
    assert any("HipYawPitch" in note and "leg 'left'" in note for note in plan.notes)


def test_any_robot_with_two_legs_walks_by_numeric_kinematics(nao: Robot) -> None:
    """The same plan, the same words at the legs' end, and speeds that fit, without the closed form."""
    numeric = dataclasses.replace(nao, leg_kinematics="numeric", tick=0.02)
    closed = dataclasses.replace(nao, tick=0.02)
    for adaptation in ("iterated", "measured"):
        a, b = (ticks(BipedEngine(r, adaptation=adaptation), Command(0.15), 1.8) for r in (numeric, closed))
        np.testing.assert_allclose(a[0], b[0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(a[1], b[1], rtol=0, atol=0.02)


def test_walks_are_the_same_in_every_run_and_after_every_reset(nao: Robot) -> None:
    engine = BipedEngine(nao)
    first = ticks(engine, Command(0.1, 0.0, 0.3), 3.0)
    again = ticks(engine, Command(0.1, 0.0, 0.3), 3.0)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"zmp": "bezir"}, UnknownName, "no ZMP reference 'bezir'; did you mean 'bezier'?"),
        ({"adaptation": "none"}, UnknownName, "no centre-of-mass adaptation 'none'; known: iterated, measured"),
        ({"zmp_sensor": "eyes"}, UnknownName, "no ZMP sensor 'eyes'; known: feet, imu"),
        ({"feedback": 1.5}, BadValue, "feedback is 1.5; it has to lie in 0…1"),
        ({"feedback": math.nan}, BadValue, "feedback is nan; it has to lie in 0…1"),
        ({"effort": -1.0}, BadValue, "effort is -1; it has to be a positive number"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(
    nao: Robot, settings: dict[str, Any], error: type[GangartError], words: str
) -> None:
    with pytest.raises(error) as caught:
        BipedEngine(nao, **settings)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"step_height": math.nan}, BadValue, "walk setting step_height is nan; it has to be finite"),
        ({"step_height": -0.01}, BadValue, "walk setting step_height is -0.01 m; it has to be at least 0"),
        ({"bezier": np.zeros(3)}, BadValue, r"walk setting bezier has shape \(3,\); it has to hold 4 numbers"),
        ({"double_support_ratio": 0.0}, BadValue, "double support ratio is 0; it has to lie in 0.02…0.9"),
        ({"com_height": 0.0}, BadValue, "preview needs height > 0"),
        ({"com_height": 0.4}, Unreachable, "nao cannot stand as its walk settings want it: leg 'left' is at its end"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(
    nao: Robot, changes: dict[str, Any], error: type[GangartError], words: str
) -> None:
    with pytest.raises(error, match=words):
        with_walk(nao, **changes)


def test_limits_without_sense_are_refused(nao: Robot) -> None:
    assert nao.walk is not None
    for name, value in (("forward", -1.0), ("turn_acceleration", 0.0), ("step_forward", math.inf)):
        with pytest.raises(BadValue, match=f"walk setting limits.{name} is "):
            with_walk(nao, limits=dataclasses.replace(nao.walk.limits, **{name: value}))


def test_commands_and_durations_have_to_be_numbers(nao: Robot) -> None:
    engine = BipedEngine(nao)
    with pytest.raises(BadValue, match="command vx is nan; it has to be a finite number"):
        Command(vx=math.nan)
    for duration in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(BadValue, match="it has to be a positive number"):
            engine.plan(Command(0.1), duration)


def test_robots_that_cannot_walk_so_are_refused(nao: Robot) -> None:
    with pytest.raises(BadRobot, match=r"nao's robot file has no \[walk\] table"):
        BipedEngine(dataclasses.replace(nao, walk=None))
    one = {"left": nao.legs["left"]}
    with pytest.raises(BadRobot, match="needs a left and a right leg, in this order"):
        BipedEngine(dataclasses.replace(nao, legs=one))
    blind = {name: dataclasses.replace(leg, force_sensors=np.empty((0, 2))) for name, leg in nao.legs.items()}
    without = dataclasses.replace(nao, legs=blind)
    assert BipedEngine(without).plan(Command(0.1), 1.0).notes == ()
    with pytest.raises(BadRobot, match='has no force sensors, so feedback needs zmp_sensor="imu"'):
        BipedEngine(without, feedback=1.0)


def test_the_nao_is_not_the_only_one(tmp_path: Any, nao: Robot) -> None:
    """A copy of the robot's files elsewhere walks the same way."""
    for name in ("robot.toml", "nao.xml"):
        (tmp_path / name).write_bytes((nao.folder / name).read_bytes())
    plans = [BipedEngine(r).plan(Command(0.1), 2.0) for r in (nao, robots.load(tmp_path))]
    np.testing.assert_array_equal(plans[0].joints.position, plans[1].joints.position)
