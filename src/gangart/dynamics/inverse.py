"""Inverse dynamics of a whole motion, in one pass of mj_inverse over the free-floating robot."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, JointTrajectory


@dataclass(frozen=True, eq=False)
class Forces:
    """What a motion asks for when the robot floats: forces at its joints, and a wrench that something has to supply."""

    joint: Array  # (n, n_joints) [N m] generalised forces of the joints
    base: Array  # (n, 3) [m] origin of the base in the world
    wrench: Array  # (n, 6) force [N] and torque about the base's origin [N m] from outside, world axes


@dataclass(frozen=True, eq=False)
class Rates:
    """Speed and acceleration of an upright base, and of the joints."""

    speed: Array  # (n, 6) of the base's origin [m/s] and of its rotation [rad/s], world axes
    acceleration: Array  # (n, 6) [m/s²], [rad/s²], world axes
    joint_speed: Array  # (n, n_joints) [rad/s]
    joint_acceleration: Array  # (n, n_joints) [rad/s²]


def differenced(motion: JointTrajectory) -> Rates:
    """Central differences of joints and base, continued in a straight line to the first and last sample."""
    dt = tick_of(motion.time)
    # an upright base turns about the vertical only: yaw is a coordinate like any other
    speed, acceleration = np.zeros((2, len(motion.time), 6))
    place = np.column_stack([motion.base_position, np.unwrap(motion.base_yaw)])
    speed[:, [0, 1, 2, 5]], acceleration[:, [0, 1, 2, 5]] = differences(place, dt)
    return Rates(speed, acceleration, *differences(motion.position, dt))


def differences(values: Array, dt: float) -> tuple[Array, Array]:
    """First and second derivative over time along axis 0."""
    first, second = np.empty_like(values), np.empty_like(values)
    step = np.diff(values, axis=0) / dt
    first[1:-1] = (step[1:] + step[:-1]) / 2.0
    first[0], first[-1] = 1.5 * step[0] - 0.5 * step[1], 1.5 * step[-1] - 0.5 * step[-2]
    second[1:-1] = (step[1:] - step[:-1]) / dt
    second[0], second[-1] = 2.0 * second[1] - second[2], 2.0 * second[-2] - second[-3]
    return first, second


def inverse_dynamics(
    robot: Robot, motion: JointTrajectory, rates: Rates | None, model: mujoco.MjModel | None = None
) -> Forces:
    """Run mj_inverse over a motion, without contacts, couplings and limits.

    Args:
        robot: whose joints the motion moves.
        motion: with an upright base.
        rates: that belong to it; None for a robot that holds still.
        model: another model of the same structure; robot.model by default.
    """
    model = copy.copy(robot.model if model is None else model)
    disable = mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_EQUALITY | disable.mjDSBL_LIMIT
    joint = model.body_jntadr[model.body(robot.base).id]
    dof = int(model.jnt_dofadr[joint])
    force = _pass(model, *_coordinates(robot, model, motion, rates))
    c, s = np.cos(motion.base_yaw), np.sin(motion.base_yaw)
    wrench = force[:, dof : dof + 6].copy()
    x, y = force[:, dof + 3], force[:, dof + 4]  # MuJoCo gives the moment in the base's axes
    wrench[:, 3], wrench[:, 4] = c * x - s * y, s * x + c * y
    return Forces(force[:, robot.dof_index], motion.base_position, wrench)


def _coordinates(
    robot: Robot, model: mujoco.MjModel, motion: JointTrajectory, rates: Rates | None
) -> tuple[Array, Array, Array]:
    """MuJoCo's coordinates, speeds and accelerations."""
    n = len(motion.time)
    joint = model.body_jntadr[model.body(robot.base).id]
    a, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    qpos = np.zeros((n, model.nq))
    qpos[:, a : a + 3] = motion.base_position
    qpos[:, a + 3], qpos[:, a + 6] = np.cos(motion.base_yaw / 2.0), np.sin(motion.base_yaw / 2.0)
    qpos[:, robot.qpos_index] = motion.position
    qvel, qacc = np.zeros((2, n, model.nv))
    if rates is not None:
        c, s = np.cos(motion.base_yaw), np.sin(motion.base_yaw)
        for out, base in ((qvel, rates.speed), (qacc, rates.acceleration)):
            out[:, v : v + 6] = base
            out[:, v + 3] = c * base[:, 3] + s * base[:, 4]  # MuJoCo wants rotations in the base's axes
            out[:, v + 4] = c * base[:, 4] - s * base[:, 3]
        qvel[:, robot.dof_index] = rates.joint_speed
        qacc[:, robot.dof_index] = rates.joint_acceleration
    return qpos, qvel, qacc


def _pass(model: mujoco.MjModel, qpos: Array, qvel: Array, qacc: Array) -> Array:
    """Generalised forces (n, nv) of a motion."""
    data, inverse = mujoco.MjData(model), mujoco.mj_inverse
    out = np.empty((len(qpos), model.nv))
    q, v, a, f = data.qpos, data.qvel, data.qacc, data.qfrc_inverse  # to ask for a view each time would cost a tenth
    for q_i, v_i, a_i, f_i in zip(qpos, qvel, qacc, out, strict=True):
        q[:], v[:], a[:] = q_i, v_i, a_i
        inverse(model, data)
        f_i[:] = f
    return out


def zmp_of(forces: Forces) -> Array:
    """Where the wrench from outside has no horizontal moment on the ground (3.6) [m], (n, 2); NaN if it pulls down."""
    force, moment, p = forces.wrench[:, :3], forces.wrench[:, 3:], forces.base
    with np.errstate(divide="ignore", invalid="ignore"):
        x = p[:, 0] - (moment[:, 1] + p[:, 2] * force[:, 0]) / force[:, 2]
        y = p[:, 1] + (moment[:, 0] - p[:, 2] * force[:, 1]) / force[:, 2]
    return np.where(force[:, 2:] > 0.0, np.column_stack([x, y]), np.nan)


def tick_of(time: Array) -> float:
    """The even spacing of a motion's samples [s]."""
    spacing = np.diff(time)
    if len(time) < 4 or not (spacing > 0.0).all() or np.ptp(spacing) > 1e-3 * spacing[0]:
        raise BadValue("the motion's time has to hold at least four samples in even, ascending steps")
    return float(time[-1] - time[0]) / (len(time) - 1)
