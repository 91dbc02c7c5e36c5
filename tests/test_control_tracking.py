"""What gaits do to keep to their command: the laws of its parts, and that the quadruped is as fast as it is told."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gangart.control import momentum_kernel as motion
from gangart.control.cyclic import CyclicEngine
from gangart.control.drive_lead import DriveLead
from gangart.control.masses import link_points, rest
from gangart.experiments import gait_speed
from gangart.kinematics import AbductionLegs
from gangart.robots import load
from gangart.signals import Array, Command, SensorReading

ROBOT = load("quadruped")


def test_what_a_motion_asks_for_is_mujocos_inverse_dynamics(rng: np.random.Generator) -> None:
    legs, data, h = AbductionLegs(ROBOT), mujoco.MjData(ROBOT.model), 1e-4
    wrench, torques = np.empty(6), np.empty((4, 3))
    for _ in range(10):
        q = 0.5 * (rng.uniform(*ROBOT.joint_limits.T) + ROBOT.home_position)
        v, a, base = 3.0 * rng.normal(size=12), 50.0 * rng.normal(size=12), rng.normal(size=3)
        way = np.array([q - h * v + h * h / 2.0 * a, q, q + h * v + h * h / 2.0 * a])
        motion.asked_for(way, h, base, legs.numbers, legs.columns, link_points(ROBOT), rest(ROBOT), wrench, torques)
        data.qpos[:7], data.qpos[ROBOT.qpos_index] = [0, 0, 0, 1, 0, 0, 0], q
        data.qvel[:], data.qacc[:] = 0.0, 0.0
        data.qvel[ROBOT.dof_index], data.qacc[:3], data.qacc[ROBOT.dof_index] = v, base, a
        mujoco.mj_inverse(ROBOT.model, data)
        force = data.qfrc_inverse + data.qfrc_passive + data.qfrc_constraint  # joints' friction is none of the motion's
        np.testing.assert_allclose(wrench, force[:6], atol=1e-4)
        np.testing.assert_allclose(torques.ravel(), force[ROBOT.dof_index[legs.columns.ravel()]], atol=1e-5)


def test_shared_forces_are_what_is_asked_for(rng: np.random.Generator) -> None:
    feet = np.array([[0.2, 0.15, -0.3], [0.2, -0.15, -0.3], [-0.2, 0.15, -0.3], [-0.2, -0.15, -0.3]])
    for shares, x, y in (([1.0, 1.0, 1.0, 1.0], 0.01, -0.02), ([1.0, 0.4, 0.0, 1.0], 0.067, -0.05)):
        fx, fy, fz, twist = *rng.uniform(-20.0, 20.0, 2), 215.0, rng.uniform(-3.0, 3.0)
        wrench, forces = np.array([fx, fy, fz, y * fz + 0.3 * fy, -x * fz - 0.3 * fx, twist]), np.empty((4, 3))
        motion.shared(feet, np.array(shares), wrench, forces)
        np.testing.assert_allclose(forces.sum(axis=0), wrench[:3], rtol=1e-3, atol=0.05)
        np.testing.assert_allclose(np.cross(feet, forces).sum(axis=0), wrench[3:], atol=0.05)
        assert not forces[np.array(shares) == 0.0].any()


def followed(way: Array, give: Array, *, leads: bool) -> Array:
    """Where a joint gets (n,) [rad] that is asked to go a way under a load, both of each tick (n, 3), (n,)."""
    drive, dt, parts = ROBOT.drive, ROBOT.tick, 100
    assert drive is not None
    lead, w, h = DriveLead(drive, 1), drive.filter, ROBOT.tick / parts
    x = xd = q = 0.0
    out = []
    for (angle, speed, acceleration), s in zip(way, give, strict=True):
        u, ud = np.array([angle + s]), np.array([speed])
        if leads:
            u, ud = lead.ask(*(np.array([v]) for v in (angle, speed, acceleration, s)), dt)
        for _ in range(parts):
            xd += h * (w * w * (u[0] - x) + 2.0 * w * (ud[0] - xd))
            x += h * xd
            q += h * (xd + drive.position_gain * (x - q - s))  # of a cascade D (ẋ - q̇) + D P (x - q) = D P s
        out.append(q)
    return np.array(out)


def test_a_drive_that_is_led_goes_the_way_under_a_load_that_comes_and_goes() -> None:
    t, omega = 0.01 * np.arange(60), 2.0 * np.pi / 0.3
    way = 0.2 * np.column_stack([1 - np.cos(omega * t), omega * np.sin(omega * t), omega**2 * np.cos(omega * t)])
    give = 0.03 * np.clip((t - 0.2) / 0.03, 0.0, 1.0)
    held = np.interp(t[10:] + 0.005, t, way[:, 0])  # targets that are held for a tick are early by half of one
    led, plain = (np.abs(followed(way, give, leads=leads)[10:] - held).max() for leads in (True, False))
    assert led < 0.012  # [rad]
    assert plain > 2.5 * led


@pytest.mark.parametrize("gait", ["predictive-trot", "fast-walk"])
def test_a_foot_that_lands_goes_on_with_the_ground(gait: str) -> None:
    """Its velocity over the ground is that of a ball that rolls, before it lands as well as after."""
    engine, none, feet, stands = CyclicEngine(ROBOT, gait), np.zeros(12), [], []
    engine.stance()
    for k in range(500):
        engine.tick(Command(0.5), SensorReading(0.01 * k, none, none, np.zeros(3), np.zeros(3), np.zeros((4, 0))))
        feet.append(engine._points.copy())
        stands.append(engine.standing.copy())
    over = np.diff(np.array(feet)[:, :, 0], axis=0)[300:] / 0.01 + 0.5  # [m/s]
    standing = np.array(stands)[300:]
    both = standing[1:] & standing[:-1]
    change = ~standing[:-1] & standing[1:]
    assert np.abs(over[both]).max() < 0.06  # the ball rolls
    assert np.abs(over[change]).max() < 0.1  # the way of a tick in which it lands


def kept(gait: str, part: float, axis: str) -> bool:
    g = ROBOT.gaits[gait]
    limit = {"ahead": g.forward, "back": -g.backward, "left": g.sideways, "turn": g.turn}[axis]
    v = part * limit
    command = {"left": Command(0.0, v), "turn": Command(0.0, 0.0, v)}.get(axis, Command(v))
    return gait_speed.speed(gait_speed.Job(gait, command)).kept


@pytest.mark.parametrize("gait", gait_speed.SEEN)
@pytest.mark.parametrize(("part", "axis"), [(0.0, "ahead"), (0.1, "ahead"), (1.0, "ahead"), (1.0, "turn")])
def test_a_command_is_kept(gait: str, part: float, axis: str) -> None:
    assert kept(gait, part, axis)


@pytest.mark.slow
@pytest.mark.parametrize("gait", gait_speed.SEEN)
@pytest.mark.parametrize("axis", ["ahead", "back", "left", "turn"])
@pytest.mark.parametrize("part", [0.1, 0.5, 1.0])
def test_every_command_is_kept(gait: str, part: float, axis: str) -> None:
    assert kept(gait, part, axis)
