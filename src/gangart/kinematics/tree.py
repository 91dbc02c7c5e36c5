"""Forward kinematics and centre of mass of any robot made of hinges below its free base.

In the reference pose (every joint at its zero, the base at the origin) all frames are taken parallel to the base.
A link is then four numbers to remember: where its hinge sits, its axis, its mass and where that mass is. Bodies that
are welded together are one link; a link's row stands behind its parent's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from gangart.compiled import gufunc, kernel
from gangart.errors import BadRobot, choose
from gangart.robots import Robot
from gangart.signals import Array, Ints

PARENT, COLUMN, KIND = 0, 1, 2  # columns of `index`: parent's row, joint's column in q, axis x/y/z (0/1/2) or other (3)
OFFSET, AXIS, ZERO, MASS, CENTRE = 0, 3, 6, 7, 8  # columns of `links`
_EXACT = 1e-12  # an axis nearer to x, y or z than this is that axis


@kernel
def sweep(index: Ints, links: Array, rows: Ints, q: Array, frames: Array, moment: Array) -> None:
    """Place links from the base outwards and add up mass times position.

    rows: the links to place, parents first; what they hang on is placed already. frames (n_links, 12): rotation by
    rows, then origin [m], in the base. moment (3,) [kg m] is added to, not set.
    """
    for row in rows:
        parent = frames[index[row, 0]]
        frame = frames[row]
        link = links[row]
        for i in range(3):
            frame[9 + i] = (
                parent[9 + i] + parent[3 * i] * link[0] + parent[3 * i + 1] * link[1] + parent[3 * i + 2] * link[2]
            )
        angle = q[index[row, 1]] - link[6]
        kind = index[row, 2]
        if kind < 3:  # two columns turn in their plane
            c, s = math.cos(angle), math.sin(angle) * link[3 + kind]
            j, k = (kind + 1) % 3, (kind + 2) % 3
            for i in range(3):
                a, b = parent[3 * i + j], parent[3 * i + k]
                frame[3 * i + kind] = parent[3 * i + kind]
                frame[3 * i + j] = c * a + s * b
                frame[3 * i + k] = c * b - s * a
        else:  # Rodrigues: R v = c v + s (a x v) + (1 - c) a (a . v), applied to the rows of the parent's rotation
            c, s = math.cos(angle), math.sin(angle)
            x, y, z = link[3], link[4], link[5]
            for i in range(3):
                u, v, w = parent[3 * i], parent[3 * i + 1], parent[3 * i + 2]
                along = (1.0 - c) * (u * x + v * y + w * z)
                frame[3 * i] = c * u + along * x + s * (v * z - w * y)
                frame[3 * i + 1] = c * v + along * y + s * (w * x - u * z)
                frame[3 * i + 2] = c * w + along * z + s * (u * y - v * x)
        for i in range(3):
            arm = frame[3 * i] * link[8] + frame[3 * i + 1] * link[9] + frame[3 * i + 2] * link[10]
            moment[i] += link[7] * (frame[9 + i] + arm)


@kernel
def place_base(links: Array, frames: Array, moment: Array) -> None:
    """The base in itself: put row 0 of `frames` and set `moment` [kg m] to the base's own share."""
    frames[0] = 0.0
    for i in range(3):
        frames[0, 4 * i] = 1.0
        moment[i] = links[0, 7] * links[0, 8 + i]


@kernel
def com_in_base(index: Ints, links: Array, rows: Ints, q: Array, frames: Array, com: Array) -> None:
    """Centre of mass in the base [m] of the whole robot into `com` (3,); `frames` is scratch that holds all links."""
    place_base(links, frames, com)
    sweep(index, links, rows, q, frames, com)
    mass = 0.0
    for row in range(links.shape[0]):
        mass += links[row, 7]
    for i in range(3):
        com[i] /= mass


@cache
def _com_gufunc() -> Callable[..., Any]:
    types = "void(float64[:], int64[:, :], float64[:, :], int64[:], float64[:], float64[:])"

    @gufunc(types, "(n),(m,i),(m,k),(r),(c)->(c)")
    def com(q, index, links, rows, origin, out):  # type: ignore[no-untyped-def]  # numba gives the types
        com_in_base(index, links, rows, q, np.empty((links.shape[0], 12)), out)

    return com


@cache
def _pose_gufunc() -> Callable[..., Any]:
    types = "void(float64[:], int64[:, :], float64[:, :], int64[:], int64[:], float64[:, :, :], float64[:, :, :])"

    @gufunc(types, "(n),(m,i),(m,k),(r),(f),(f,h,h)->(f,h,h)")
    def poses(q, index, links, rows, carriers, placed, out):  # type: ignore[no-untyped-def]  # numba gives the types
        frames = np.empty((links.shape[0], 12))
        moment = np.empty(3)
        place_base(links, frames, moment)
        sweep(index, links, rows, q, frames, moment)
        for f in range(carriers.shape[0]):
            frame = frames[carriers[f]]
            out[f, 3] = placed[f, 3]
            for i in range(3):
                for j in range(4):
                    value = 0.0 if j < 3 else frame[9 + i]
                    for k in range(3):
                        value += frame[3 * i + k] * placed[f, k, j]
                    out[f, i, j] = value

    return poses


class Tree:
    """The robot as flat arrays, and what follows from joint angles: poses and centre of mass in the base's frame."""

    robot: Robot
    index: Ints  # (n_links, 3) parent's row, joint's column, kind of axis; row 0 is the base
    links: Array  # (n_links, 11) hinge in the parent [m], axis, its reference angle [rad], mass [kg], centre [m]
    rows: Ints  # (n_joints,) all links but the base, parents first
    row: dict[str, int]  # row of each joint's link
    anchors: Array  # (n_links, 3) [m] hinges in the base, reference pose

    def __init__(self, robot: Robot) -> None:
        """Read the robot's compiled model; raises BadRobot where it is not a tree of hinges below a free base."""
        self.robot = robot
        self._read(_reference(robot))
        self.rows = np.arange(1, len(self.links), dtype=np.int64)
        soles = [np.eye(4) for _ in robot.legs]
        for sole, leg in zip(soles, robot.legs.values(), strict=True):
            sole[:3, 3] = leg.sole
        feet = [leg.foot for leg in robot.legs.values()]
        self._soles = self._frames(feet, np.array(soles))

    def com(self, joints: Array) -> Array:
        """Centre of mass in the base's frame [m]: joints (..., n_joints) [rad] to (..., 3)."""
        return cast("Array", _com_gufunc()(joints, self.index, self.links, self.rows, np.zeros(3)))

    def feet(self, joints: Array) -> Array:
        """Soles in the base's frame, (..., n_legs, 4, 4), in the order of robot.legs."""
        return self._poses(joints, *self._soles)

    def bodies(self, names: Sequence[str], joints: Array) -> Array:
        """Bodies in the base's frame, (..., n_names, 4, 4)."""
        return self._poses(joints, *self._frames(names, np.broadcast_to(np.eye(4), (len(names), 4, 4))))

    def path(self, body: str) -> list[int]:
        """Rows of the links from the base (left out) to a body."""
        row, found = self._body_row[choose("body", body, self._body_row)], []
        while row:
            found.append(row)
            row = int(self.index[row, PARENT])
        return found[::-1]

    def body_in_reference(self, body: str) -> Array:
        """Pose of a body in the base's frame (4, 4) with every joint in its reference pose."""
        return self._body_pose[choose("body", body, self._body_pose)]

    def _poses(self, joints: Array, carriers: Ints, placed: Array) -> Array:
        return cast("Array", _pose_gufunc()(joints, self.index, self.links, self.rows, carriers, placed))

    def _frames(self, bodies: Sequence[str], placed: Array) -> tuple[Ints, Array]:
        """The link that carries each frame, and the frame's pose in it."""
        carriers = np.array([self._body_row[choose("body", name, self._body_row)] for name in bodies], dtype=np.int64)
        poses = np.array([self._body_pose[name] for name in bodies]) @ placed
        poses[:, :3, 3] -= self.anchors[carriers]
        return carriers, poses

    def _read(self, data: Any) -> None:
        """Fill the arrays from the reference pose."""
        robot, model = self.robot, self.robot.model
        ids = np.sort(robot.joint_ids)
        base = model.body(robot.base).id
        column = {int(joint): i for i, joint in enumerate(robot.joint_ids)}
        body_row = {base: 0}
        n = len(ids) + 1
        self.index = np.zeros((n, 3), dtype=np.int64)
        self.links = np.zeros((n, 11))
        self.anchors = np.zeros((n, 3))
        self.row = {}
        moment = np.zeros((n, 3))
        row = 0
        for body in np.flatnonzero(model.body_rootid == base):
            here = body_row.get(int(body), body_row.get(int(model.body_parentid[body]), 0))
            for joint in ids[model.jnt_bodyid[ids] == body]:
                row += 1
                axis = data.xaxis[joint]
                self.row[robot.joints[column[int(joint)]]] = row
                self.index[row] = here, column[int(joint)], _kind(axis)
                self.anchors[row] = data.xanchor[joint]
                self.links[row, OFFSET:AXIS] = self.anchors[row] - self.anchors[here]
                self.links[row, AXIS:ZERO] = axis if self.index[row, KIND] == 3 else np.round(axis)
                self.links[row, ZERO] = model.qpos0[model.jnt_qposadr[joint]]
                here = row
            body_row[int(body)] = here
            self.links[here, MASS] += model.body_mass[body]
            moment[here] += model.body_mass[body] * (data.xipos[body] - self.anchors[here])
        mass = self.links[:, MASS : MASS + 1]
        self.links[:, CENTRE:] = np.divide(moment, mass, out=np.zeros_like(moment), where=mass > 0)
        self._body_row = {model.body(b).name: r for b, r in body_row.items()}
        self._body_pose = {model.body(b).name: _pose(data, b) for b in body_row}


def _kind(axis: Array) -> int:
    """0, 1, 2 for an axis along x, y, z, else 3."""
    k = int(np.argmax(np.abs(axis)))
    return k if np.abs(np.delete(axis, k)).max() < _EXACT else 3


def _pose(data: Any, body: int) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = data.xmat[body].reshape(3, 3)
    pose[:3, 3] = data.xpos[body]
    return pose


def _reference(robot: Robot) -> Any:
    """MuJoCo's kinematics with the base at the origin and every hinge at its reference; checks that it is a tree."""
    import mujoco

    model = robot.model
    base = model.body(robot.base).id
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    for joint in range(model.njnt):
        kind, body = model.jnt_type[joint], int(model.jnt_bodyid[joint])
        if kind == mujoco.mjtJoint.mjJNT_FREE and body == base:
            address = model.jnt_qposadr[joint]
            data.qpos[address : address + 7] = 0, 0, 0, 1, 0, 0, 0
        elif kind != mujoco.mjtJoint.mjJNT_HINGE or model.body_rootid[body] != base:
            name = model.joint(joint).name or f"number {joint}"
            raise BadRobot(
                f"robot '{robot.name}': joint '{name}' of body '{model.body(body).name}' is not a hinge below base "
                f"'{robot.base}'; the kinematics know trees of hinges only"
            )
    stray = np.flatnonzero((model.body_rootid != base) & (model.body_mass > 0))
    if stray.size:
        raise BadRobot(
            f"robot '{robot.name}': body '{model.body(int(stray[0])).name}' has mass but does not hang on base "
            f"'{robot.base}'; leave things of the surroundings out of the robot's model"
        )
    mujoco.mj_kinematics(model, data)
    return data
