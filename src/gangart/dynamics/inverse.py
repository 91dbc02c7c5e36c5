"""Inverse dynamics of a whole motion in one pass: the generalised forces, and where soles and joint axes are."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, JointTrajectory


@dataclass(frozen=True, eq=False)
class Dynamics:
    """What a motion asks for when the robot floats: forces at its joints and a wrench on its base, from outside."""

    joint: Array  # (n, n_joints) [N m] generalised forces of the joints
    force: Array  # (n, 3) [N] on the base's origin, world axes
    moment: Array  # (n, 3) [N m] about the base's origin, world axes
    base: Array  # (n, 3) [m] the base's origin in the world
    axis: Array  # (n, n_joints, 3) joint axes in the world
    anchor: Array  # (n, n_joints, 3) [m] points on them in the world
    sole: Array  # (n, n_legs, 3) [m] the soles' origins in the world
    turn: Array  # (n, n_legs, 3, 3) from the soles' axes to the world's


def inverse_dynamics(
    robot: Robot, motion: JointTrajectory, *, still: bool = False, model: mujoco.MjModel | None = None
) -> Dynamics:
    """Run mj_inverse over a motion of the free-floating robot, without contacts, couplings and limits.

    Args:
        robot: whose joints the motion moves.
        motion: evenly spaced in time, at least four samples; speeds and accelerations are its central differences,
            continued in a straight line to the first and last sample.
        still: set speeds and accelerations to zero.
        model: another model of the same structure; robot.model by default.
    """
    model = copy.copy(robot.model if model is None else model)
    disable = mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_EQUALITY | disable.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    qpos, qvel, qacc = _generalised(robot, model, motion)
    if still:
        qvel[:], qacc[:] = 0.0, 0.0
    n = len(qpos)
    force, frames = np.empty((n, model.nv)), np.empty((n, model.nbody, 12))
    axes = np.empty((2, n, model.njnt, 3))
    # the views are made once: to ask `data` for them costs as much as a tenth of mj_inverse
    q, v, a, f, x, r = data.qpos, data.qvel, data.qacc, data.qfrc_inverse, data.xpos, data.xmat
    along, through, inverse = data.xaxis, data.xanchor, mujoco.mj_inverse
    rows = zip(qpos, qvel, qacc, force, frames[:, :, :3], frames[:, :, 3:], *axes, strict=True)
    for q_now, v_now, a_now, f_now, x_now, r_now, along_now, through_now in rows:
        q[:], v[:], a[:] = q_now, v_now, a_now
        inverse(model, data)
        f_now[:], x_now[:], r_now[:], along_now[:], through_now[:] = f, x, r, along, through
    return _gather(robot, model, force, frames, axes)


def _gather(robot: Robot, model: mujoco.MjModel, force: Array, frames: Array, axes: Array) -> Dynamics:
    """From MuJoCo's order to the robot's, and to world axes."""
    base = model.body(robot.base).id
    dof = int(model.jnt_dofadr[model.body_jntadr[base]])
    feet = [model.body(leg.foot).id for leg in robot.legs.values()]
    turn = frames[:, feet, 3:].reshape(len(frames), len(feet), 3, 3)
    sole = np.array([leg.sole for leg in robot.legs.values()])
    R_base = frames[:, base, 3:].reshape(-1, 3, 3)  # MuJoCo gives the moment in the base's axes
    return Dynamics(
        joint=force[:, robot.dof_index],
        force=force[:, dof : dof + 3],
        moment=(R_base @ force[:, dof + 3 : dof + 6, None])[..., 0],
        base=frames[:, base, :3],
        axis=axes[0][:, robot.joint_ids],
        anchor=axes[1][:, robot.joint_ids],
        sole=frames[:, feet, :3] + (turn @ sole[..., None])[..., 0],
        turn=turn,
    )


def zmp_of(found: Dynamics) -> Array:
    """Where the wrench on the base has no horizontal moment on the ground (3.6) [m], (n, 2); NaN if it pulls down."""
    force, moment, p = found.force, found.moment, found.base
    with np.errstate(divide="ignore", invalid="ignore"):
        x = p[:, 0] - (moment[:, 1] + p[:, 2] * force[:, 0]) / force[:, 2]
        y = p[:, 1] + (moment[:, 0] - p[:, 2] * force[:, 1]) / force[:, 2]
    return np.where(force[:, 2:] > 0.0, np.column_stack([x, y]), np.nan)


def _generalised(robot: Robot, model: mujoco.MjModel, motion: JointTrajectory) -> tuple[Array, Array, Array]:
    """MuJoCo's coordinates, speeds and accelerations of an upright motion."""
    n, dt = len(motion.time), tick_of(motion.time)
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


def tick_of(time: Array) -> float:
    """The even spacing of a motion's samples [s]."""
    spacing = np.diff(time)
    if len(time) < 4 or not (spacing > 0.0).all() or np.ptp(spacing) > 1e-3 * spacing[0]:
        raise BadValue("the motion's time has to hold at least four samples in even, ascending steps")
    return float(time[-1] - time[0]) / (len(time) - 1)
