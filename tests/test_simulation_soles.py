"""What the soles feel is what the ground does."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.control import BipedEngine
from gangart.robots import Robot
from gangart.signals import Command, Recording
from gangart.simulation import World, simulate
from gangart.simulation.log import columns
from gangart.simulation.soles import spread

G = 9.81
RECTANGLE = np.array([[0.07, 0.03], [0.07, -0.025], [-0.03, 0.03], [-0.03, -0.025]])


def shared(load: float, x: float, y: float, points: np.ndarray) -> np.ndarray:
    out = np.empty(len(points))
    spread(load, x, y, points, out)
    return out


@given(st.floats(-0.03, 0.07), st.floats(-0.025, 0.03), st.floats(0.1, 100.0))
def test_the_centre_of_the_sensors_is_where_the_load_presses(x: float, y: float, load: float) -> None:
    """Anywhere in the rectangle of the sensors, also near its corners, where one of them lifts off."""
    forces = shared(load, x, y, RECTANGLE)
    assert forces.min() >= 0.0
    assert forces.sum() == pytest.approx(load)
    np.testing.assert_allclose(forces @ RECTANGLE / load, [x, y], atol=1e-9)


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.integers(1, 6), st.integers(0, 2**32))
def test_whatever_the_sensors_they_carry_the_whole_load(x: float, y: float, n: int, seed: int) -> None:
    points = np.random.default_rng(seed).uniform(-0.1, 0.1, (n, 2))
    forces = shared(30.0, x, y, points)
    assert forces.min() >= 0.0
    assert forces.sum() == pytest.approx(30.0)


def test_all_springs_bear_where_the_load_presses_in_the_middle() -> None:
    """Urbann's plate on four springs: equal shares, not three springs that happen to balance."""
    middle = RECTANGLE.mean(axis=0)
    np.testing.assert_allclose(shared(40.0, *middle, RECTANGLE), 10.0)
    np.testing.assert_allclose(shared(40.0, 0.05, 0.0, RECTANGLE[:1]), [40.0])
    np.testing.assert_allclose(shared(40.0, 0.07, 0.0, RECTANGLE[:2]), [40 * 25 / 55, 40 * 30 / 55])
    np.testing.assert_allclose(shared(40.0, 0.07, 9.0, RECTANGLE[:2]), [40.0, 0.0])


# ------------------------------------------------------------------ against MuJoCo's own contacts


@pytest.fixture(scope="module")
def walked(nao: Robot) -> tuple[World, Recording, dict[str, np.ndarray]]:
    """A curved walk of 3 s: the recording, and the contacts of each 10th row as MuJoCo lists them."""
    world, engine = World(nao), BipedEngine(nao)
    world.reset(*engine.stance())
    taken = []
    take = world.take

    def keep():
        taken.append(take())
        return taken[-1]

    world.take = keep  # type: ignore[method-assign]
    recording = simulate(world, engine, Command(0.15, 0.01, 0.2), 3.0)
    raws = [t for t in taken if len(t.sensed)]
    states = np.vstack([t.states[:-1] for t in raws])
    controls = np.vstack([t.setpoints[1:] for t in raws])
    return world, recording, _replayed(world, states, controls)


def _replayed(world: World, states: np.ndarray, controls: np.ndarray) -> dict[str, np.ndarray]:
    model, data = world.model, mujoco.MjData(world.model)
    feet = [model.body(leg.foot).id for leg in world.robot.legs.values()]
    rows = np.arange(0, len(states), 10)
    force = np.zeros((len(rows), 2, 3))
    moment = np.zeros((len(rows), 2, 3))  # about the world's origin
    torque = np.zeros((len(rows), model.nv))
    for k, row in enumerate(rows):
        mujoco.mj_setState(model, data, states[row], mujoco.mjtState.mjSTATE_FULLPHYSICS)
        data.ctrl[:] = controls[row]
        mujoco.mj_forward(model, data)
        for i in range(data.ncon):
            contact, wrench = data.contact[i], np.zeros(6)
            mujoco.mj_contactForce(model, data, i, wrench)
            bodies = model.geom_bodyid[contact.geom]
            leg = next(n for n, foot in enumerate(feet) if foot in bodies)
            sign = 1.0 if bodies[1] == feet[leg] else -1.0
            axes = contact.frame.reshape(3, 3)
            f = sign * axes.T @ wrench[:3]
            force[k, leg] += f
            moment[k, leg] += sign * axes.T @ wrench[3:] + np.cross(contact.pos, f)
        # Newton and Euler: what the motors have to give for this acceleration, with these contacts
        mujoco.mj_mulM(model, data, torque[k], np.array(data.qacc))
        torque[k] += data.qfrc_bias - data.qfrc_constraint
    return {"rows": rows, "force": force, "moment": moment, "torque": torque}


def test_wrenches_are_the_sum_of_the_contacts(walked) -> None:
    _, r, mujocos = walked
    rows = mujocos["rows"]
    p, force, torque = r.foot_pose[rows, :, :3], r.foot_wrench[rows, :, :3], r.foot_wrench[rows, :, 3:]
    # the solver stops within 0.05 N of the solution; the walk started it elsewhere than this replay
    np.testing.assert_allclose(force, mujocos["force"], atol=0.05)
    np.testing.assert_allclose(torque + np.cross(p, force), mujocos["moment"], atol=0.01)


def test_the_measured_zmp_is_where_the_contacts_have_no_tipping_moment(walked) -> None:
    _, r, mujocos = walked
    load, moment = mujocos["force"][..., 2].sum(1), mujocos["moment"].sum(1)
    carried = load > 5.0  # for single steps, the robot does not touch the ground at all
    assert carried.mean() > 0.95
    zmp = np.column_stack([-moment[carried, 1], moment[carried, 0]]) / load[carried, None]
    np.testing.assert_allclose(r.zmp[mujocos["rows"]][carried], zmp, atol=5e-4)


def test_torques_are_those_that_move_the_robot(walked) -> None:
    """MuJoCo's own sensor misses them by up to 160 N m: it does not see what the implicit integrator takes off."""
    world, r, mujocos = walked
    driven = world.driven
    torque = mujocos["torque"][:, world.robot.dof_index]
    np.testing.assert_allclose(r.torque[mujocos["rows"]][:, driven], torque[:, driven], atol=0.05)
    assert np.abs(r.torque).max() < 8.0  # a Nao's knee at 0.15 m/s
    follower = world.robot.joint_index["RHipYawPitch"]
    np.testing.assert_array_equal(r.torque[:, follower], 0.0)  # its motor is the left one's


def test_force_sensors_have_the_load_and_its_centre(nao: Robot, walked) -> None:
    """In each sole, wherever the centre of pressure is among its sensors."""
    _, r, _ = walked
    for k, leg in enumerate(nao.legs.values()):
        f, m = r.foot_wrench[:, k, :3], r.foot_wrench[:, k, 3:]
        np.testing.assert_allclose(r.foot_force[:, k].sum(1), np.maximum(f[:, 2], 0.0), atol=1e-9)
        rows = r.contact[:, k]
        w, x, y, z = r.foot_pose[rows, k, 3:].T
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        c, s = np.cos(yaw), np.sin(yaw)
        px, py = -m[rows, 1] / f[rows, 2], m[rows, 0] / f[rows, 2]
        centre = np.column_stack([c * px + s * py, -s * px + c * py])
        low, high = np.sort(leg.force_sensors[:, 0])[[1, 2]], np.sort(leg.force_sensors[:, 1])[[1, 2]]
        among = (centre[:, 0] > low[0]) & (centre[:, 0] < low[1]) & (centre[:, 1] > high[0]) & (centre[:, 1] < high[1])
        assert among.mean() > 0.5
        pressed = r.foot_force[rows, k] @ leg.force_sensors / r.foot_force[rows, k].sum(1, keepdims=True)
        np.testing.assert_allclose(pressed[among], centre[among], atol=1e-6)


def test_the_ground_carries_the_weight_and_the_momentum(nao: Robot, walked) -> None:
    """Over a walk from rest to some speed, the ground's impulse is the weight's and the change of momentum."""
    world, r, _ = walked
    data = mujoco.MjData(world.model)
    data.qpos[world.base - 1 : world.base + 2] = r.base_position[-1]
    data.qpos[world.base + 2 : world.base + 6] = r.base_orientation[-1]
    data.qpos[nao.qpos_index] = r.position[-1]
    data.qvel[:3], data.qvel[3:6] = r.base_velocity[-1], r.base_rotation[-1]
    data.qvel[nao.dof_index] = r.velocity[-1]
    mujoco.mj_forward(world.model, data)
    mujoco.mj_subtreeVel(world.model, data)
    momentum = nao.mass * data.subtree_linvel[0]
    step = world.fidelity.step
    impulse = r.foot_wrench[:-1, :, :3].sum(axis=(0, 1)) * step
    weight = np.array([0.0, 0.0, nao.mass * G * step * (len(r) - 1)])
    np.testing.assert_allclose(impulse - weight, momentum, atol=0.01)


def test_in_the_air_there_is_no_zmp_and_no_contact(nao: Robot) -> None:
    world = World(nao)
    world.reset(nao.home_position, np.array([0.0, 0.0, 1.0]), settle=0.0)
    engine = BipedEngine(nao)
    world.write(engine.tick(Command(), world.read()))
    block = columns(world, world.take())
    assert np.isnan(block["zmp"]).all()
    assert not block["contact"].any()
    np.testing.assert_array_equal(block["foot_force"], 0.0)


def test_a_motor_at_its_limit_gives_its_limit(nao: Robot) -> None:
    """The integrator takes such a torque as it is: the recording says the limit, and not less."""
    world, engine = World(nao), BipedEngine(nao)
    world.reset(*engine.stance())
    j = nao.joint_ids[nao.joint_index["LKneePitch"]]
    world.model.jnt_actfrclimited[j], world.model.jnt_actfrcrange[j] = 1, [-0.5, 0.5]  # to stand takes 0.8 N m
    for _ in range(3):
        world.write(engine.tick(Command(), world.read()))
    torque = columns(world, world.take())["torque"][:, nao.joint_index["LKneePitch"]]
    np.testing.assert_array_equal(np.abs(torque), 0.5)
