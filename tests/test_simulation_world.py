"""The world: what is written happens, what is read is true, and nothing else moves it."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest

from gangart.control import BipedEngine
from gangart.errors import BadRobot, BadValue, UnknownName
from gangart.robots import Robot, load
from gangart.signals import Command, JointTargets
from gangart.simulation import Diverged, Fidelity, Ground, Push, Raw, World

G = 9.81
CURVE = Command(0.2, 0.01, 0.1)


@pytest.fixture(scope="module")
def engine(nao: Robot) -> BipedEngine:
    return BipedEngine(nao)


@pytest.fixture
def world(nao: Robot, engine: BipedEngine) -> World:
    world = World(nao)
    world.reset(*engine.stance())
    return world


def walk(world: World, engine: BipedEngine, ticks: int, command: Command = CURVE) -> Raw:
    engine.reset(world.read())
    for _ in range(ticks):
        reading = world.read()
        world.write(engine.tick(command, reading))
    return world.take()


def hold(world: World, ticks: int) -> Raw:
    """Keep the joints where they are."""
    position = world.read().position
    for _ in range(ticks):
        world.write(JointTargets(world.time + world.robot.tick, position, np.zeros_like(position)))
    return world.take()


def lifted(world: World, height: float = 1.0) -> World:
    """The robot in the air, at rest."""
    joints = world.robot.home_position
    world.reset(joints, np.array([0.0, 0.0, height]), settle=0.0)
    return world


# ------------------------------------------------------------------ time, reset, determinism


def test_a_tick_is_a_plain_loop_of_physics_steps(world: World, engine: BipedEngine) -> None:
    """Bit for bit, with the setpoints that the log names."""
    raw = walk(world, engine, 150)
    world.reset(*engine.stance())
    state = mujoco.mjtState.mjSTATE_FULLPHYSICS
    rows = np.empty_like(raw.states[:-1])
    sensed = np.empty_like(raw.sensed)
    for k in range(len(sensed)):
        mujoco.mj_getState(world.model, world.data, rows[k], state)
        world.data.ctrl[:] = raw.setpoints[k + 1]
        mujoco.mj_step(world.model, world.data)
        sensed[k] = world.data.sensordata
    np.testing.assert_array_equal(rows, raw.states[:-1])
    np.testing.assert_array_equal(sensed, raw.sensed)


def test_the_same_reset_gives_the_same_bits(nao: Robot, engine: BipedEngine) -> None:
    old, new = World(nao), World(nao)
    old.reset(*engine.stance())
    old.push(Push(0.3, 0.2, (30.0, 40.0, 0.0)))
    walk(old, engine, 80)
    runs = []
    for world in (old, new):
        world.reset(*engine.stance())
        runs.append(walk(world, engine, 80))
    for name in ("states", "sensed", "setpoints"):
        np.testing.assert_array_equal(getattr(runs[0], name), getattr(runs[1], name))


def test_taking_the_log_changes_nothing(nao: Robot, world: World, engine: BipedEngine) -> None:
    whole = walk(world, engine, 60)
    world.reset(*engine.stance())
    engine.reset(world.read())
    parts = []
    for k in range(60):
        world.write(engine.tick(CURVE, world.read()))
        if k % 7 == 0:
            before = world.read()
            parts.append(world.take())
            after = world.read()
            for field in dataclasses.fields(before):
                np.testing.assert_array_equal(getattr(before, field.name), getattr(after, field.name))
    parts.append(world.take())
    np.testing.assert_array_equal(np.vstack([p.states[:-1] for p in parts]), whole.states[:-1])
    np.testing.assert_array_equal(np.vstack([p.setpoints[1:] for p in parts]), whole.setpoints[1:])
    assert len(world.take().sensed) == 0


def test_a_reading_stays_as_it_was_read(world: World) -> None:
    hold(world, 3)
    hold_reading = world.read()
    kept = {f.name: np.array(getattr(hold_reading, f.name)) for f in dataclasses.fields(hold_reading)}
    world.push(Push(world.time, 0.05, (60.0, 0.0, 0.0)))
    hold(world, 40)
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(hold_reading, name), value)


def test_reset_puts_the_robot_where_it_is_told(nao: Robot, engine: BipedEngine) -> None:
    world = World(nao)
    joints, place, _ = engine.stance()
    there = np.array([3.0, -2.0, 0.0])
    world.reset(joints, place + there, 0.7)
    state = world.take().states[0]
    assert world.time == 0.0
    np.testing.assert_allclose(state[world.base : world.base + 2], (place + there)[:2], atol=2e-4)
    w, z = state[world.base + 3], state[world.base + 6]
    assert 2.0 * math.atan2(z, w) == pytest.approx(0.7, abs=1e-4)
    assert np.abs(state[world.base_speed : world.base_speed + 6]).max() < 1e-3  # at rest


def test_a_new_world_stands_at_home(nao: Robot) -> None:
    raw = hold(World(nao), 100)
    assert np.abs(raw.states[-1, :3] - raw.states[0, :3])[1:].max() < 1e-4
    np.testing.assert_allclose(raw.states[-1, World(nao).qpos], nao.home_position, atol=1e-3)


# ------------------------------------------------------------------ setpoints


def test_setpoints_meet_the_targets_with_their_speed(world: World, engine: BipedEngine) -> None:
    n = world.substeps
    engine.reset(world.read())
    targets = []
    for _ in range(120):
        targets.append(engine.tick(Command(0.2), world.read()))
        world.write(targets[-1])
    setpoints = world.take().setpoints
    np.testing.assert_array_equal(setpoints[n::n, 0::2], [t.position[world.driven] for t in targets])
    np.testing.assert_array_equal(setpoints[n::n, 1::2], [t.velocity[world.driven] for t in targets])
    # the speed setpoints are the slope of the angle setpoints
    slope = (setpoints[2:, 0::2] - setpoints[:-2, 0::2]) / (2 * world.fidelity.step)
    inner = np.ones(len(slope), bool)
    inner[n - 1 :: n] = False  # at a tick's border, two curves meet
    np.testing.assert_allclose(slope[inner], setpoints[1:-1, 1::2][inner], atol=0.02)


@pytest.mark.parametrize("due", [-1.0, 0.0, 0.0004, math.nan, math.inf])
def test_targets_that_are_already_due_are_refused(world: World, due: float) -> None:
    q = world.read().position
    with pytest.raises(BadValue, match=r"came at 0\.0000 s: too late"):
        world.write(JointTargets(due, q, 0 * q))


@pytest.mark.parametrize("name", ["position", "velocity"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_targets_that_are_no_numbers_are_refused(world: World, name: str, value: float) -> None:
    q = world.read().position
    broken = {"position": q.copy(), "velocity": 0 * q}
    broken[name][4] = value
    with pytest.raises(BadValue, match=r"targets for 0\.0100 s are not finite"):
        world.write(JointTargets(0.01, **broken))
    before = world.time
    hold(world, 1)  # and nothing has happened to the world
    assert before == 0.0
    assert 0.01 - 1e-9 < world.time < 0.02


def test_a_full_log_says_so_and_take_makes_room(world: World) -> None:
    q = world.read().position
    for _ in range(200):
        world.write(JointTargets(world.time + 0.01, q, 0 * q))
    with pytest.raises(BadValue, match="log of 2 s is full: collect it with `take`"):
        world.write(JointTargets(world.time + 0.01, q, 0 * q))
    assert world.time == pytest.approx(2.0)
    world.take()
    hold(world, 1)
    assert world.time == pytest.approx(2.01)


@pytest.mark.parametrize(("step", "instead"), [(0.003, "0.0025"), (0.0007, "0.000666667"), (0.004, "0.00333333")])
def test_a_step_that_does_not_divide_the_tick_is_refused(nao: Robot, step: float, instead: str) -> None:
    sentence = f"a physics step of {step:g} s does not divide nao's tick of 0.01 s; take {instead} s"
    with pytest.raises(BadValue, match=sentence):
        World(nao, Fidelity(step=step))
    World(nao, Fidelity(step=float(instead) if step == 0.003 else 0.01 / math.ceil(0.01 / step)))


@pytest.mark.parametrize("step", [0.0, -0.001, 0.02, math.nan])
def test_a_senseless_step_is_refused(step: float) -> None:
    with pytest.raises(BadValue, match="physics step"):
        Fidelity(step=step)


@pytest.mark.parametrize("values", [{"friction": 0.0}, {"friction": math.nan}, {"settling": 0.0}])
def test_a_senseless_ground_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(BadValue, match="ground"):
        Ground(**values)


@pytest.mark.parametrize("joints", [np.zeros(3), np.full(22, np.nan)])
def test_a_reset_to_nowhere_is_refused(nao: Robot, world: World, joints: np.ndarray) -> None:
    with pytest.raises(BadValue, match="joint"):
        world.reset(joints, np.zeros(3))
    with pytest.raises(BadValue, match="coordinates"):
        world.reset(nao.home_position, np.zeros(2))


def test_physics_without_solution_is_an_error_not_a_standstill(
    nao: Robot, world: World, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its own log there
    q = world.read().position
    world.write(JointTargets(0.01, q, 0 * q))
    with pytest.raises(Diverged, match=r"exploded: joint .*rad/s at t = 0\.\d+ s; take a physics step below 0\.001 s"):
        world.write(JointTargets(0.02, q + 1e12, 0 * q))
    assert 0.01 - 1e-9 < world.time < 0.02


# ------------------------------------------------------------------ sensors


def test_at_rest_the_imu_feels_gravity_and_the_soles_the_weight(nao: Robot, world: World) -> None:
    hold(world, 100)
    reading = world.read()
    np.testing.assert_allclose(reading.accelerometer, [0.0, 0.0, G], atol=0.02)
    np.testing.assert_allclose(reading.gyro, 0.0, atol=1e-3)
    assert reading.foot_force.sum() == pytest.approx(nao.mass * G, rel=1e-3)
    np.testing.assert_allclose(reading.foot_force.sum(axis=1), nao.mass * G / 2, rtol=0.01)


def test_in_free_fall_the_imu_feels_nothing(world: World) -> None:
    raw = hold(lifted(world), 10)
    np.testing.assert_allclose(raw.sensed[50:, world.sensors.accelerometer], 0.0, atol=0.02)
    fallen = raw.states[-1, world.base + 2] - raw.states[0, world.base + 2]
    assert fallen == pytest.approx(-G / 2 * 0.1**2, rel=0.02)


def test_the_imu_sits_where_the_robot_file_says(nao: Robot, world: World) -> None:
    """A turning body accelerates its points towards the axis: centripetal acceleration tells where the sensor is."""
    lifted(world)
    world.data.qvel[5] = 3.0  # about z
    mujoco.mj_forward(world.model, world.data)
    torso, imu = world.data.body("Torso").xpos, world.data.site("gangart/imu").xpos
    np.testing.assert_allclose(imu - torso, nao.imu.position, atol=1e-12)
    np.testing.assert_allclose(world.data.sensordata[world.sensors.gyro], [0.0, 0.0, 3.0], atol=1e-9)


# ------------------------------------------------------------------ pushes


def momentum(world: World, state: np.ndarray) -> np.ndarray:
    """Of the whole robot [N s]."""
    data = mujoco.MjData(world.model)
    mujoco.mj_setState(world.model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    mujoco.mj_forward(world.model, data)
    mujoco.mj_subtreeVel(world.model, data)
    return np.array(data.subtree_linvel[0]) * world.robot.mass


@pytest.mark.parametrize(
    ("begin", "duration"), [(0.02, 0.05), (0.0254, 0.0173), (0.03, 0.0002), (0.0001, 0.001), (0.02, 0.0)]
)
@pytest.mark.parametrize("body", ["", "RFoot"])
def test_a_push_changes_the_momentum_by_its_impulse(world: World, begin: float, duration: float, body: str) -> None:
    """In the air there is only gravity beside it, whatever part of a physics step the push begins and ends at."""
    lifted(world)
    force = (20.0, -30.0, 10.0)
    world.push(Push(begin, duration, force, body))
    raw = hold(world, 10)
    time = raw.states[-1, 0] - raw.states[0, 0]
    change = momentum(world, raw.states[-1]) - momentum(world, raw.states[0])
    # the kick makes the robot tumble, and a tumbling body's momentum is kept by the integrator to parts in 1000 only
    atol = 5e-3 if body else 2e-3
    np.testing.assert_allclose(change, np.array(force) * duration + [0, 0, -G * world.robot.mass * time], atol=atol)


def test_a_push_acts_in_its_steps_and_in_no_other(nao: Robot) -> None:
    """From one tick's border to another's, after so long a time that the simulated clock has lost its last digits."""
    pushed, calm = World(nao), World(nao)
    begin = 1.5
    pushed.push(Push(begin, 0.01, (10.0, 0.0, 0.0)))
    a, b = hold(pushed, 160), hold(calm, 160)
    step = round(begin / pushed.fidelity.step)
    np.testing.assert_array_equal(a.states[: step + 1], b.states[: step + 1])
    assert np.abs(a.states[step + 1] - b.states[step + 1]).max() > 1e-6
    share = Push(begin, 0.01, (10.0, 0.0, 0.0)).share(a.states[:, 0])
    np.testing.assert_array_equal(np.flatnonzero(share), np.arange(step, step + 10))
    np.testing.assert_array_equal(share[step : step + 10], 1.0)


def test_pushes_add_up(world: World) -> None:
    lifted(world)
    for _ in range(2):
        world.push(Push(0.01, 0.02, (0.0, 15.0, 0.0)))
    world.push(Push(0.02, 0.02, (0.0, 15.0, 0.0)))
    raw = hold(world, 6)
    assert momentum(world, raw.states[-1])[1] == pytest.approx(3 * 15 * 0.02, rel=1e-3)


def test_a_push_that_nobody_feels_is_refused(world: World) -> None:
    with pytest.raises(UnknownName, match="no body 'Torsoo'; did you mean 'Torso'"):
        world.push(Push(0.0, 0.1, (1.0, 0.0, 0.0), "Torsoo"))
    hold(world, 20)
    with pytest.raises(BadValue, match=r"a push at 0\.1 s comes too late: in the world it is 0\.2 s"):
        world.push(Push(0.1, 0.5, (1.0, 0.0, 0.0)))
    world.push(Push(world.time, 0.5, (1.0, 0.0, 0.0)))
    for wrong in ((math.nan, 0.1, (1.0, 0.0, 0.0)), (0.0, -0.1, (1.0, 0.0, 0.0)), (0.0, 0.1, (1.0, math.inf, 0.0))):
        with pytest.raises(BadValue, match="finite"):
            Push(*wrong)


# ------------------------------------------------------------------ falling


def test_standing_is_not_fallen_and_lying_is(world: World) -> None:
    hold(world, 20)
    assert not world.fallen
    world.push(Push(world.time, 0.1, (0.0, 150.0, 0.0)))
    hold(world, 150)
    assert world.fallen
    state = world.take().states[0]
    x, y = state[world.base + 4 : world.base + 6]
    assert math.degrees(math.acos(1 - 2 * (x * x + y * y))) > 60.0


# ------------------------------------------------------------------ other robots

BALL_FOOT = '<body name="{n}" pos="{x} {y} 0"><joint name="{n}_hip" axis="0 1 0" range="-1 1"/>\
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.01" contype="0" conaffinity="0"/>\
<body name="{n}_foot" pos="0 0 -0.2"><geom size="0.02" mass="0.05"/></body></body>'
LEG = '[legs.{n}]\nside = "left"\njoints = ["{n}_hip"]\nfoot = "{n}_foot"\nsole = [0, 0, -0.02]\n{more}'


def machine(folder, legs: dict[str, tuple[float, float]], more: str = "", extra: str = "", top: str = "") -> Robot:
    """A trunk on legs of one hinge each, with balls for feet."""
    bodies = "".join(BALL_FOOT.format(n=n, x=x, y=y) for n, (x, y) in legs.items())
    (folder / "m.xml").write_text(
        f'<mujoco><worldbody>{extra.partition("|")[0]}<body name="trunk" pos="0 0 0.3"><geom type="box" '
        f'size="0.1 0.1 0.03" mass="2"/>{bodies}</body></worldbody>{extra.partition("|")[2]}</mujoco>'
    )
    (folder / "robot.toml").write_text(
        f'format = 1\nname = "m"\nmodel = "m.xml"\nbase = "trunk"\n{top}'
        + "".join(LEG.format(n=n, more=more) for n in legs)
        + "[servo]\nposition_gain = 500\nvelocity_gain = 5\n"
    )
    return load(folder)


FOUR = {"a": (0.1, 0.1), "b": (0.1, -0.1), "c": (-0.1, 0.1), "d": (-0.1, -0.1)}


def test_four_legs_without_force_sensors_stand(tmp_path) -> None:
    robot = machine(tmp_path, FOUR)
    world = World(robot)
    hold(world, 50)
    reading = world.read()
    assert reading.foot_force.shape == (4, 0)
    np.testing.assert_allclose(reading.accelerometer, [0, 0, G], atol=0.05)
    assert not world.fallen


def test_one_leg_falls(tmp_path) -> None:
    world = World(machine(tmp_path, {"a": (0.0, 0.0)}))
    world.push(Push(0.0, 0.1, (5.0, 0.0, 0.0)))
    hold(world, 150)
    assert world.fallen


def test_a_models_own_motors_sensors_and_floor_give_way_to_ours(tmp_path) -> None:
    """A model from elsewhere may stand on its own floor: it must not carry half of the weight."""
    plain = World(machine(tmp_path, FOUR, "force_sensors = [[0, 0]]\n"))
    own = (
        '<geom type="plane" size="1 1 1" name="floor"/>|<actuator><motor joint="a_hip"/></actuator><sensor>'
        '<jointpos joint="b_hip"/></sensor><keyframe><key name="home" ctrl="1"/></keyframe>'
    )
    world = World(machine(tmp_path, FOUR, "force_sensors = [[0, 0]]\n", own))
    hold(world, 50)
    hold(plain, 50)
    assert world.read().foot_force.sum() == pytest.approx(world.robot.mass * G, rel=1e-3)
    np.testing.assert_array_equal(world.take().states, plain.take().states)


def test_a_foot_that_cannot_touch_is_refused(tmp_path) -> None:
    robot = machine(tmp_path, FOUR)
    text = robot.model_path.read_text().replace(
        '<geom size="0.02" mass="0.05"/>',
        '<inertial pos="0 0 0" mass="0.05" \
diaginertia="1e-5 1e-5 1e-5"/>',
    )
    robot.model_path.write_text(text)
    with pytest.raises(BadRobot, match="foot 'a_foot' of m would sink into the floor: nothing of it can touch"):
        World(robot)


def test_a_sole_on_a_body_of_its_own_is_felt(tmp_path) -> None:
    """A URDF gives the sole a link on a fixed joint."""
    robot = machine(tmp_path, FOUR, "force_sensors = [[0, 0]]\n")
    text = robot.model_path.read_text().replace(
        '<geom size="0.02" mass="0.05"/>',
        '<geom size="0.001" mass="0.01"/><body><geom size="0.02" mass="0.04"/></body>',
    )
    robot.model_path.write_text(text)
    world = World(robot)
    hold(world, 50)
    assert world.read().foot_force.sum() == pytest.approx(robot.mass * G, rel=1e-3)
