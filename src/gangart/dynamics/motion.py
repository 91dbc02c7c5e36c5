"""From joint angles alone to the world (Urbann algorithm 3.2): where the base and the feet are.

A standing foot does not move, so the joints tell where the base is above it. In a double support the foot that stood
before keeps that role; a landed foot takes it over when the other one lifts. The thesis follows straight walks only;
here the standing foot's heading is kept as well, so turning and sideways walks come out alike.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gangart.dynamics.supports import check_contacts
from gangart.errors import BadValue
from gangart.kinematics import Tree
from gangart.robots import Robot
from gangart.signals import Array, Bools, Ints, JointTrajectory


def world_motion(
    robot: Robot, time: Array, joints: Array, contacts: Bools, start: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> JointTrajectory:
    """The motion in the world that belongs to joint angles, with the base upright.

    A JointTrajectory knows the base's heading only, so the base stays upright: of the foot that bears the motion, the
    sole's origin and heading are held. With angles that leave this sole level, as planned ones do, all of it is.

    Args:
        robot: whose joints they are.
        time: (n,) [s].
        joints: (n, n_joints) [rad].
        contacts: (n, n_legs) which legs stand.
        start: x, y [m] and yaw [rad] of the base in the first sample. The thesis has its world begin under the base.
    """
    if joints.shape != (len(time), len(robot.joints)):
        raise BadValue(
            f"joints has shape {joints.shape}; it has to be (samples, joints) = ({len(time)}, {len(robot.joints)})"
        )
    check_contacts(robot, time, contacts)
    soles = _flat(Tree(robot).feet(joints))
    bearing = bearing_leg(contacts)
    base = np.empty((len(time), 3))
    base[0] = start
    sole = _place(base[0], soles[0, bearing[0]])
    for begin, end in _runs(bearing):
        leg = bearing[begin]
        if begin:  # where the new leg stood last, or lands now, above the old one
            old, at = bearing[begin - 1], begin - 1 if contacts[begin - 1, leg] else begin
            sole = _place(_base_over(sole, soles[at, old]), soles[at, leg])
        base[begin:end] = _base_over(sole, soles[begin:end, leg])
    height = -soles[np.arange(len(time)), bearing, 2]
    return JointTrajectory(time, joints, np.column_stack([base[:, :2], height]), np.unwrap(base[:, 2]))


def foot_positions(robot: Robot, motion: JointTrajectory) -> Array:
    """The soles in the world over a motion: x, y, z [m] and yaw [rad], shape (n, n_legs, 4)."""
    base = np.column_stack([motion.base_position[:, :2], motion.base_yaw])[:, None]
    soles = _flat(Tree(robot).feet(motion.position))
    placed = _place(base, soles)
    height = motion.base_position[:, None, 2] + soles[..., 2]
    return np.stack([placed[..., 0], placed[..., 1], height, placed[..., 2]], axis=-1)


def bearing_leg(contacts: Bools) -> Ints:
    """The leg that bears the motion at each sample: it keeps that role while it stands, (n,)."""
    bearing = np.empty(len(contacts), dtype=np.int64)
    begin, n = 0, len(contacts)
    while begin < n:
        # how long each leg stays: that which lifts last makes the fewest changes
        lifted = ~contacts[begin:]
        stays = np.where(lifted.any(axis=0), lifted.argmax(axis=0), n - begin)
        leg = int(np.argmax(stays))
        bearing[begin : begin + stays[leg]] = leg
        begin += int(stays[leg])
    return bearing


def _runs(values: Ints) -> list[tuple[int, int]]:
    """Begin and end of each stretch of equal values."""
    edges = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return list(pairwise(edges))


def _flat(T_base_sole: Array) -> Array:
    """x, y, z [m] and yaw [rad] of soles below an upright base, (..., 4)."""
    yaw = np.arctan2(T_base_sole[..., 1, 0], T_base_sole[..., 0, 0])
    return np.concatenate([T_base_sole[..., :3, 3], yaw[..., None]], axis=-1)


def _place(base: Array, sole: Array) -> Array:
    """A base (x, y, yaw) in the world and a sole in the base (x, y, z, yaw), to the sole in the world (x, y, yaw)."""
    c, s = np.cos(base[..., 2]), np.sin(base[..., 2])
    x = base[..., 0] + c * sole[..., 0] - s * sole[..., 1]
    y = base[..., 1] + s * sole[..., 0] + c * sole[..., 1]
    return np.stack([x, y, base[..., 2] + sole[..., 3]], axis=-1)


def _base_over(placed: Array, sole: Array) -> Array:
    """The base (x, y, yaw) in the world for which a sole in the base stands where it is placed in the world."""
    yaw = placed[..., 2] - sole[..., 3]
    c, s = np.cos(yaw), np.sin(yaw)
    x = placed[..., 0] - c * sole[..., 0] + s * sole[..., 1]
    y = placed[..., 1] - s * sole[..., 0] - c * sole[..., 1]
    return np.stack([x, y, yaw], axis=-1)
