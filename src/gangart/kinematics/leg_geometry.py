"""Is this leg a hip-yaw-pitch leg, and which numbers describe it? Read from the compiled model, nothing typed in."""

from __future__ import annotations

import math

import numpy as np

from gangart.kinematics.leg_chain import TOLERANCE, LegChain
from gangart.kinematics.tree import Tree
from gangart.robots import Leg
from gangart.signals import Array

_ROLES = ((1, "hip roll", 0), (2, "hip pitch", 1), (3, "knee pitch", 1), (4, "ankle pitch", 1), (5, "ankle roll", 0))


def leg_numbers(tree: Tree, leg: Leg) -> Array:
    """The 23 numbers of a leg; raises BadRobot if it is built otherwise.

    0..2 hip centre in the base [m]; 3, 4 cosine and sine of the yaw-pitch axis' tilt from z; 5 its sense (±1);
    6, 7 thigh and shank [m]; 8..10 the sole's origin from the ankle [m]; 11..16, 17..22 lower and upper limits [rad].
    """
    chain = LegChain(tree, leg, "hip-yaw-pitch", 6)
    tilt, sense = _tilt(chain)
    chain.turns_about(_ROLES)
    hip, ankle, thigh, shank = _centres(chain)
    _check_roll(chain, tilt)
    foot = tree.body_in_reference(leg.foot)
    if np.abs(foot[:3, :3] - np.eye(3)).max() > TOLERANCE:
        raise chain.misfit(f"foot '{leg.foot}' is not parallel to the base when all joints are 0")
    sole = foot[:3, 3] + leg.sole - ankle
    lengths = [math.cos(tilt), math.sin(tilt), sense, thigh, shank]
    return np.concatenate([hip, lengths, sole, chain.limits[:, 0], chain.limits[:, 1]])


def _tilt(chain: LegChain) -> tuple[float, float]:
    """Angle [rad] about x from z to the yaw-pitch axis, within ±90°, and the sense of the axis."""
    axis = chain.axes[0]
    if abs(axis[0]) > TOLERANCE:
        about, name = ", ".join(f"{v:.4g}" for v in axis), chain.leg.joints[0]
        raise chain.misfit(f"joint '{name}' turns about ({about}), which is not across the body (x = 0)")
    sense = 1.0 if axis[2] >= 0.0 else -1.0
    return math.atan2(-sense * axis[1], sense * axis[2]), sense


def _centres(chain: LegChain) -> tuple[Array, Array, float, float]:
    """Where the hip axes meet and where the ankle axes meet [m], and the lengths of thigh and shank [m]."""
    first, roll, pitch, knee, ankle_pitch, ankle_roll = chain.anchors
    joints = chain.leg.joints
    hip = np.array([pitch[0], roll[1], roll[2]])  # the roll axis runs along x, the pitch axis along y
    ankle = np.array([ankle_pitch[0], ankle_roll[1], ankle_roll[2]])
    beside = float(np.linalg.norm(np.cross(chain.axes[0], hip - first)))
    chain.meets(
        {
            f"the axes of '{joints[1]}' and '{joints[2]}' pass each other": pitch[2] - roll[2],
            f"the axis of '{joints[0]}' passes the other hip axes": beside,
            f"the axes of '{joints[4]}' and '{joints[5]}' pass each other": ankle_pitch[2] - ankle_roll[2],
            f"knee '{joints[3]}' stands out forward of the hip": knee[0] - hip[0],
            f"the ankle of '{joints[4]}' stands out forward of the knee": ankle[0] - knee[0],
            "the ankle stands out sideways of the hip": ankle[1] - hip[1],
        }
    )
    return hip, ankle, *chain.lengths(hip[2] - knee[2], knee[2] - ankle[2])


def _check_roll(chain: LegChain, tilt: float) -> None:
    """The roll has to stay clear of where yaw-pitch and pitch become one axis."""
    if np.abs(chain.limits[1] - tilt).max() >= math.pi / 2:
        low, high = np.degrees(chain.limits[1])
        joints = chain.leg.joints
        raise chain.misfit(
            f"the limits {low:.1f}…{high:.1f}° of '{joints[1]}' reach the roll at which "
            f"'{joints[0]}' and '{joints[2]}' become one axis"
        )
