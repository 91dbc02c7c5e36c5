"""Is this leg a hip-yaw-pitch leg, and which numbers describe it? Read from the compiled model, nothing typed in."""

from __future__ import annotations

import math

import numpy as np

from gangart.errors import BadRobot
from gangart.kinematics.tree import AXIS, ZERO, Tree
from gangart.robots import Leg
from gangart.signals import Array

_TOLERANCE = 1e-9  # [m] and [1]; the closed form is as exact as the model follows it
_AXES = ((1, "hip roll", 0), (2, "hip pitch", 1), (3, "knee pitch", 1), (4, "ankle pitch", 1), (5, "ankle roll", 0))


def leg_numbers(tree: Tree, leg: Leg) -> Array:
    """The 23 numbers of a leg; raises BadRobot if it is built otherwise.

    0..2 hip centre in the base [m]; 3, 4 cosine and sine of the yaw-pitch axis' tilt from z; 5 its sense (±1);
    6, 7 thigh and shank [m]; 8..10 the sole's origin from the ankle [m]; 11..16, 17..22 lower and upper limits [rad].
    """
    rows = _rows(tree, leg)
    axes = tree.links[rows, AXIS:ZERO]
    tilt, sense = _tilt(leg, axes[0])
    for i, role, k in _AXES:
        if abs(axes[i, k] - 1.0) > _TOLERANCE:
            raise _bad(leg, f"joint '{leg.joints[i]}' ({role}) turns about {_text(axes[i])}, not about +{'xyz'[k]}")
    hip, ankle, thigh, shank = _centres(leg, tree.anchors[rows], axes[0])
    limits = _limits(tree, leg, tilt)
    foot = tree.body_in_reference(leg.foot)
    if np.abs(foot[:3, :3] - np.eye(3)).max() > _TOLERANCE:
        raise _bad(leg, f"foot '{leg.foot}' is not parallel to the base when all joints are 0")
    sole = foot[:3, 3] + leg.sole - ankle
    lengths = [math.cos(tilt), math.sin(tilt), sense, thigh, shank]
    return np.concatenate([hip, lengths, sole, limits[:, 0], limits[:, 1]])


def _bad(leg: Leg, what: str) -> BadRobot:
    return BadRobot(f'leg \'{leg.name}\': {what}; kinematics = "hip-yaw-pitch" does not fit, use "numeric"')


def _text(vector: Array) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in vector) + ")"


def _rows(tree: Tree, leg: Leg) -> list[int]:
    """Links of the leg; between base and foot there may be its six joints and nothing else."""
    if len(leg.joints) != 6:
        raise _bad(leg, f"it has {len(leg.joints)} joints, not 6")
    rows = [tree.row[name] for name in leg.joints]
    if tree.path(leg.foot) != rows:
        names = {row: name for name, row in tree.row.items()}
        way = ", ".join(names[row] for row in tree.path(leg.foot))
        raise _bad(leg, f"the joints between base and foot are {way}, not the leg's six")
    for name, row in zip(leg.joints, rows, strict=True):
        if tree.links[row, ZERO] != 0.0:
            raise _bad(leg, f"joint '{name}' has its reference at {tree.links[row, ZERO]:.4g} rad, not at 0")
    return rows


def _tilt(leg: Leg, axis: Array) -> tuple[float, float]:
    """Angle [rad] about x from z to the yaw-pitch axis, within ±90°, and the sense of the axis."""
    if abs(axis[0]) > _TOLERANCE:
        raise _bad(leg, f"joint '{leg.joints[0]}' turns about {_text(axis)}, which is not across the body (x = 0)")
    sense = 1.0 if axis[2] >= 0.0 else -1.0
    return math.atan2(-sense * axis[1], sense * axis[2]), sense


def _centres(leg: Leg, anchors: Array, first: Array) -> tuple[Array, Array, float, float]:
    """Where the hip axes meet and where the ankle axes meet [m], and the lengths of thigh and shank [m]."""
    _, roll, pitch, knee, ankle_pitch, ankle_roll = anchors
    hip = np.array([pitch[0], roll[1], roll[2]])  # the roll axis runs along x, the pitch axis along y
    ankle = np.array([ankle_pitch[0], ankle_roll[1], ankle_roll[2]])
    miss = {
        f"the axes of '{leg.joints[1]}' and '{leg.joints[2]}' pass each other": pitch[2] - roll[2],
        f"the axis of '{leg.joints[0]}' passes the other hip axes": np.linalg.norm(np.cross(first, hip - anchors[0])),
        f"the axes of '{leg.joints[4]}' and '{leg.joints[5]}' pass each other": ankle_pitch[2] - ankle_roll[2],
        f"knee '{leg.joints[3]}' stands out forward of the hip": knee[0] - hip[0],
        f"the ankle of '{leg.joints[4]}' stands out forward of the knee": ankle[0] - knee[0],
        "the ankle stands out sideways of the hip": ankle[1] - hip[1],
    }
    for what, distance in miss.items():
        if abs(distance) > _TOLERANCE:
            raise _bad(leg, f"{what} by {abs(distance) * 1e3:.3g} mm")
    thigh, shank = float(hip[2] - knee[2]), float(knee[2] - ankle[2])
    if min(thigh, shank) <= 0.0:
        raise _bad(leg, f"thigh and shank point down by {thigh:.4g} m and {shank:.4g} m when all joints are 0")
    return hip, ankle, thigh, shank


def _limits(tree: Tree, leg: Leg, tilt: float) -> Array:
    """Joint limits (6, 2) [rad]; the roll has to stay clear of where yaw-pitch and pitch become one axis."""
    limits = tree.robot.joint_limits[[tree.robot.joint_index[name] for name in leg.joints]]
    if np.abs(limits[1] - tilt).max() >= math.pi / 2:
        low, high = np.degrees(limits[1])
        raise _bad(
            leg,
            f"the limits {low:.1f}…{high:.1f}° of '{leg.joints[1]}' reach the roll at which "
            f"'{leg.joints[0]}' and '{leg.joints[2]}' become one axis",
        )
    return limits
