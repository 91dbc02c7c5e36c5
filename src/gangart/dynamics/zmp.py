"""The zero moment point of the whole multibody system (Urbann chapter 3), by MuJoCo's inverse dynamics.

With the base's motion given, inverse dynamics of the free-floating robot yields the wrench that has to act on its base
from outside. On flat ground only the floor can exert it: the point at which it has no horizontal moment is the ZMP
(3.4)-(3.6). That holds in single and in double support alike, since only the total of the ground's forces counts (3.8).
"""

from __future__ import annotations

import copy

import mujoco
import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, JointTrajectory


def multibody_zmp(
    robot: Robot, motion: JointTrajectory, *, still: bool = False, model: mujoco.MjModel | None = None
) -> Array:
    """Zero moment point over a motion [m], shape (n, 2), in the world; NaN where the floor would have to pull.

    Accelerations are differences over two ticks: a reference whose speed jumps, as that of the Bézier ZMP does between
    supports, is met there only as exactly as the motion is fine.

    Args:
        robot: whose joints the motion moves.
        motion: evenly spaced in time, at least four samples; speeds and accelerations are its central differences,
            continued in a straight line to the first and last sample.
        still: set speeds and accelerations to zero, which leaves the ground projection of the centre of mass.
        model: another model of the same structure, for instance with its masses changed; robot.model by default.
    """
    model = copy.copy(robot.model if model is None else model)
    disable = mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_EQUALITY | disable.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    qpos, qvel, qacc = _generalised(robot, model, motion)
    if still:
        qvel[:], qacc[:] = 0.0, 0.0
    base = model.body(robot.base).id
    dof = int(model.jnt_dofadr[model.body_jntadr[base]])
    out = np.full((len(qpos), 2), np.nan)
    for i in range(len(qpos)):
        data.qpos, data.qvel, data.qacc = qpos[i], qvel[i], qacc[i]
        mujoco.mj_inverse(model, data)
        force = data.qfrc_inverse[dof : dof + 3]  # on the base's origin, world axes
        moment = data.xmat[base].reshape(3, 3) @ data.qfrc_inverse[dof + 3 : dof + 6]  # base axes → world
        p = data.xpos[base]
        if force[2] > 0.0:
            out[i, 0] = p[0] - (moment[1] + p[2] * force[0]) / force[2]
            out[i, 1] = p[1] + (moment[0] - p[2] * force[1]) / force[2]
    return out


def _generalised(robot: Robot, model: mujoco.MjModel, motion: JointTrajectory) -> tuple[Array, Array, Array]:
    """MuJoCo's coordinates, speeds and accelerations of an upright motion."""
    n, dt = len(motion.time), _tick(motion.time)
    joint = model.body_jntadr[model.body(robot.base).id]
    a, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    yaw = np.unwrap(motion.base_yaw)
    qpos = np.zeros((n, model.nq))
    qpos[:, a : a + 3] = motion.base_position
    qpos[:, a + 3], qpos[:, a + 6] = np.cos(yaw / 2.0), np.sin(yaw / 2.0)
    qpos[:, robot.qpos_index] = motion.position
    # an upright base turns about the vertical only: yaw is a coordinate like any other
    flat = np.zeros((n, model.nv))
    flat[:, v : v + 3] = motion.base_position
    flat[:, v + 5] = yaw
    flat[:, robot.dof_index] = motion.position
    qacc = np.empty_like(flat)
    qacc[1:-1] = (flat[2:] - 2.0 * flat[1:-1] + flat[:-2]) / dt**2
    qacc[0], qacc[-1] = 2.0 * qacc[1] - qacc[2], 2.0 * qacc[-2] - qacc[-3]
    return qpos, np.gradient(flat, dt, axis=0, edge_order=2), qacc


def _tick(time: Array) -> float:
    """The even spacing of a motion's samples [s]."""
    spacing = np.diff(time)
    if len(time) < 4 or not (spacing > 0.0).all() or np.ptp(spacing) > 1e-3 * spacing[0]:
        raise BadValue("the motion's time has to hold at least four samples in even, ascending steps")
    return float(time[-1] - time[0]) / (len(time) - 1)
