"""Joint torques over a planned walk, in single and in double support."""

from __future__ import annotations

import copy

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.signals import Array, Bools, JointTrajectory

_WRENCH = 1e-4  # weight of the ground's wrenches beside the joints' torques, in the split between two feet


def walk_torques(robot: Robot, motion: JointTrajectory, contacts: Bools) -> Array:
    """Torques (n, n_joints) [N m] that a motion takes; in double support those of least squares.

    Args:
        robot: whose joints move.
        motion: evenly spaced in time; speeds and accelerations are central differences.
        contacts: which legs carry, (n, n_legs).
    """
    model = copy.copy(robot.model)
    disable = mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_EQUALITY | disable.mjDSBL_LIMIT
    data, out = mujoco.MjData(model), np.zeros_like(motion.position)
    base = model.body_jntadr[model.body(robot.base).id]
    at, dof = int(model.jnt_qposadr[base]), int(model.jnt_dofadr[base])
    flat = np.zeros((len(out), model.nv))
    flat[:, dof : dof + 3], flat[:, dof + 5] = motion.base_position, np.unwrap(motion.base_yaw)
    flat[:, robot.dof_index] = motion.position
    dt = float(motion.time[1] - motion.time[0])
    speed, acceleration = np.gradient(flat, dt, axis=0), np.zeros_like(flat)
    acceleration[1:-1] = (flat[2:] - 2.0 * flat[1:-1] + flat[:-2]) / dt**2
    root, joints = np.arange(dof, dof + 6), robot.dof_index
    for i in range(len(out)):
        half = flat[i, dof + 5] / 2.0
        data.qpos[at : at + 3] = motion.base_position[i]
        data.qpos[at + 3 : at + 7] = [np.cos(half), 0.0, 0.0, np.sin(half)]
        data.qpos[robot.qpos_index] = motion.position[i]
        data.qvel, data.qacc = speed[i], acceleration[i]
        mujoco.mj_inverse(model, data)
        force = np.array(data.qfrc_inverse)
        J = _jacobians(robot, model, data, contacts[i])
        wrench = _split(J[:, root].T, J[:, joints].T, force[root], force[joints])
        out[i] = force[joints] - J[:, joints].T @ wrench
    return out


def _jacobians(robot: Robot, model: mujoco.MjModel, data: mujoco.MjData, carry: Bools) -> Array:
    """Jacobians of the carrying soles, one below the other (6 per sole, nv)."""
    rows = []
    for leg, stands in zip(robot.legs.values(), carry, strict=True):
        if stands:
            body = model.body(leg.foot).id
            place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ leg.sole
            J = np.zeros((6, model.nv))
            mujoco.mj_jac(model, data, J[:3], J[3:], place, body)
            rows.append(J)
    return np.vstack(rows)


def _split(A_root: Array, A_joint: Array, f_root: Array, f_joint: Array) -> Array:
    """Wrenches that hold the base, A_root w = f_root, with the least joint torques |f_joint - A_joint w|."""
    n = A_root.shape[1]
    K = np.zeros((n + 6, n + 6))
    K[:n, :n] = A_joint.T @ A_joint + _WRENCH * np.eye(n)
    K[:n, n:], K[n:, :n] = A_root.T, A_root
    return np.asarray(np.linalg.solve(K, np.concatenate([A_joint.T @ f_joint, f_root]))[:n])
