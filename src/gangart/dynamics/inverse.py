"""Inverse dynamics of a whole motion in one pass: the generalised forces, and where soles and joint axes are."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from gangart.compiled import kernel
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Ints, JointTrajectory

_CHUNK = 256  # samples whose raw results stay in the processor's cache until they are sorted


@dataclass(frozen=True, eq=False)
class Dynamics:
    """What a motion asks for when the robot floats: forces at its joints, and a wrench that something has to supply."""

    joint: Array  # (n, n_joints) [N m] generalised forces of the joints
    centre: Array  # (n, 3) [m] centre of mass in the world
    wrench: Array  # (n, 6) force [N] and torque about the centre of mass [N m] from outside, world axes
    screw: Array  # (n, n_joints, 6) per joint: speed at the centre of mass [m/rad], then the axis, world axes
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
    qpos, qvel, qacc = _generalised(robot, model, motion)
    if still:
        qvel[:], qacc[:] = 0.0, 0.0
    n, joints, legs = len(qpos), len(robot.joints), len(robot.legs)
    shapes = (joints,), (3,), (6,), (joints, 6), (legs, 3), (legs, 3, 3)
    found = Dynamics(*(np.empty((n, *shape)) for shape in shapes))
    _solve(robot, model, (qpos, qvel, qacc), found)
    return found


def _solve(robot: Robot, model: mujoco.MjModel, motion: tuple[Array, Array, Array], found: Dynamics) -> None:
    """Fill `found`, sample by sample."""
    data = mujoco.MjData(model)
    base = model.body(robot.base).id
    dof = int(model.jnt_dofadr[model.body_jntadr[base]])
    feet = np.array([model.body(leg.foot).id for leg in robot.legs.values()], dtype=np.int64)
    soles = np.array([leg.sole for leg in robot.legs.values()])
    # to ask `data` for a view costs as much as a tenth of mj_inverse: once is enough
    goal, inverse = (data.qpos, data.qvel, data.qacc), mujoco.mj_inverse
    views = data.qfrc_inverse, data.cdof, data.subtree_com, data.xpos, data.xmat
    raw = [np.empty((_CHUNK, *view.shape)) for view in views]
    force, cdof, centre, place, turn = views
    q, v, a = goal
    for begin in range(0, len(motion[0]), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        for q_i, v_i, a_i, force_i, cdof_i, centre_i, place_i, turn_i in zip(*(x[part] for x in motion), *raw):  # noqa: B905  # the last chunk is shorter
            q[:], v[:], a[:] = q_i, v_i, a_i
            inverse(model, data)
            force_i[:], cdof_i[:], centre_i[:], place_i[:], turn_i[:] = force, cdof, centre, place, turn
        out = [getattr(found, f.name)[part] for f in fields(found)]
        _sort(*raw, base, dof, robot.dof_index, feet, soles, *out)


@kernel
def _sort(
    force: Array,
    cdof: Array,
    com: Array,
    place: Array,
    frame: Array,
    base: int,
    dof: int,
    dofs: Ints,
    feet: Ints,
    soles: Array,
    joint: Array,
    centre: Array,
    wrench: Array,
    screw: Array,
    sole: Array,
    turn: Array,
) -> None:
    """From MuJoCo's order to ours; its moment on the base is in the base's axes and about the base's origin."""
    for i in range(len(joint)):
        for c in range(len(dofs)):
            joint[i, c] = force[i, dofs[c]]
            for k in range(3):
                screw[i, c, k] = cdof[i, dofs[c], 3 + k]
                screw[i, c, 3 + k] = cdof[i, dofs[c], k]
        f, m = force[i, dof : dof + 3], force[i, dof + 3 : dof + 6]
        for k in range(3):
            centre[i, k] = com[i, base, k]
            wrench[i, k] = f[k]
            wrench[i, 3 + k] = frame[i, base, 3 * k] * m[0] + frame[i, base, 3 * k + 1] * m[1]
            wrench[i, 3 + k] += frame[i, base, 3 * k + 2] * m[2]
        x, y, z = place[i, base, 0] - centre[i, 0], place[i, base, 1] - centre[i, 1], place[i, base, 2] - centre[i, 2]
        wrench[i, 3] += y * f[2] - z * f[1]
        wrench[i, 4] += z * f[0] - x * f[2]
        wrench[i, 5] += x * f[1] - y * f[0]
        for leg in range(len(feet)):
            for k in range(3):
                sole[i, leg, k] = place[i, feet[leg], k]
                for h in range(3):
                    turn[i, leg, k, h] = frame[i, feet[leg], 3 * k + h]
                    sole[i, leg, k] += frame[i, feet[leg], 3 * k + h] * soles[leg, h]


def zmp_of(found: Dynamics) -> Array:
    """Where the wrench from outside has no horizontal moment on the ground (3.6) [m], (n, 2); NaN if it pulls down."""
    force, moment, p = found.wrench[:, :3], found.wrench[:, 3:], found.centre
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
