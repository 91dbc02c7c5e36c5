"""Closed-form legs: three hip axes that meet, a knee, two ankle axes that meet.

Joints from the hip: a tilted yaw-pitch axis in the plane across the body, roll x, pitch y, knee pitch y, ankle
pitch y, ankle roll x. With the tilt t, the hip's rotation is Rx(t) Rz(±q1) Rx(q2 - t) Ry(q3), an Euler sequence; the
hip seen from the ankle gives the other three angles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from gangart.compiled import gufunc, kernel
from gangart.errors import BadValue, Unreachable, choose
from gangart.kinematics.leg_angles import (
    FINE,
    LIMIT_TOLERANCE,
    OUT_OF_REACH,
    LegAngles,
    OnFailure,
    at_index,
    beyond_limit,
    beyond_reach,
    knee_triangle,
    too_far,
)
from gangart.kinematics.leg_geometry import leg_numbers
from gangart.kinematics.tree import Tree
from gangart.robots import Robot
from gangart.signals import Array


@kernel
def forward(q: Array, leg: Array, pose: Array) -> None:
    """Angles (6,) [rad] to the sole's pose in the base: rotation and position [m] into `pose` (4, 4), rows 0..2."""
    ct, st, turn = leg[3], leg[4], leg[5] * q[0]
    c1, s1 = math.cos(turn), math.sin(turn)
    cr, sr = math.cos(q[1]), math.sin(q[1])
    c2, s2 = cr * ct + sr * st, sr * ct - cr * st  # of roll - tilt
    # columns of Rz(turn) Rx(roll - tilt), then Rx(tilt) over the rows
    x0, x1, x2 = c1, ct * s1, st * s1
    y0, y1, y2 = -s1 * c2, ct * c1 * c2 - st * s2, st * c1 * c2 + ct * s2
    z0, z1, z2 = s1 * s2, -ct * c1 * s2 - st * c2, -st * c1 * s2 + ct * c2
    thigh, shank = q[2], q[2] + q[3]
    along = -leg[6] * math.sin(thigh) - leg[7] * math.sin(shank)  # Ry(a) (0, 0, -l) = -l (sin a, 0, cos a)
    up = -leg[6] * math.cos(thigh) - leg[7] * math.cos(shank)
    foot = shank + q[4]
    cf, sf, ca, sa = math.cos(foot), math.sin(foot), math.cos(q[5]), math.sin(q[5])
    for i, x, y, z in ((0, x0, y0, z0), (1, x1, y1, z1), (2, x2, y2, z2)):
        forward_axis, low = cf * x - sf * z, sf * x + cf * z
        pose[i, 0] = forward_axis
        pose[i, 1] = ca * y + sa * low
        pose[i, 2] = ca * low - sa * y
        sole = pose[i, 0] * leg[8] + pose[i, 1] * leg[9] + pose[i, 2] * leg[10]
        pose[i, 3] = leg[i] + along * x + up * z + sole


@kernel
def hip_from_sole(pose: Array, leg: Array) -> tuple[float, float, float]:
    """Hip centre in axes of the sole, seen from the ankle [m]."""
    x, y, z = leg[0] - pose[0, 3], leg[1] - pose[1, 3], leg[2] - pose[2, 3]
    return (
        pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z + leg[8],
        pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z + leg[9],
        pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z + leg[10],
    )


@kernel
def ankle_roll(hy: float, hz: float, side: float) -> tuple[float, float, float]:
    """Cosine and sine of the ankle's roll, and the hip's height over the ankle in the leg's plane [m].

    side is 1 for a roll within ±90° and -1 for the other one. A hip on the roll axis leaves the roll free: it is 0.
    """
    height = math.hypot(hy, hz)
    if height < 1e-12:
        return 1.0, 0.0, height
    sign = side if hz >= 0.0 else -side
    return sign * hz / height, sign * hy / height, sign * height


@kernel
def hip_turn(pose: Array, leg: Array) -> tuple[float, float]:
    """Cosine and sine of the yaw-pitch angle, both times the same positive factor, for an ankle roll within ±90°."""
    _, hy, hz = hip_from_sole(pose, leg)
    ca, sa, _ = ankle_roll(hy, hz, 1.0)
    y0 = ca * pose[0, 1] - sa * pose[0, 2]
    y1 = ca * pose[1, 1] - sa * pose[1, 2]
    y2 = ca * pose[2, 1] - sa * pose[2, 2]
    return leg[3] * y1 + leg[4] * y2, -leg[5] * y0


@kernel
def _hip_angles(pose: Array, leg: Array, ca: float, sa: float) -> tuple[float, float, float]:
    """Yaw-pitch, roll and the sum of all pitches: Rx(-tilt) R Rx(-ankle) = Rz(turn) Rx(roll - tilt) Ry(sum)."""
    ct, st = leg[3], leg[4]
    y0 = ca * pose[0, 1] - sa * pose[0, 2]
    y1 = ca * pose[1, 1] - sa * pose[1, 2]
    y2 = ca * pose[2, 1] - sa * pose[2, 2]
    z1 = sa * pose[1, 1] + ca * pose[1, 2]
    z2 = sa * pose[2, 1] + ca * pose[2, 2]
    m11 = ct * y1 + st * y2
    m20, m21, m22 = ct * pose[2, 0] - st * pose[1, 0], ct * y2 - st * y1, ct * z2 - st * z1
    turn = math.atan2(-y0, m11)
    roll = math.atan2(m21, math.hypot(y0, m11)) + math.atan2(st, ct)
    return leg[5] * turn, roll, math.atan2(-m20, m22)


@kernel
def _wrap(angle: float) -> float:
    """The same angle within ±π."""
    if angle > math.pi:
        return angle - 2.0 * math.pi
    if angle < -math.pi:
        return angle + 2.0 * math.pi
    return angle


@kernel
def _worst(q: tuple[float, float, float, float, float, float], leg: Array) -> tuple[int, float]:
    """The joint farthest outside its limits and by how much [rad], negative below the lower limit."""
    joint, excess = 0, 0.0
    for i in range(6):
        over, under = q[i] - leg[17 + i], q[i] - leg[11 + i]
        if over > abs(excess):
            joint, excess = i, over
        if -under > abs(excess):
            joint, excess = i, under
    return joint, excess


@kernel
def inverse(pose: Array, leg: Array, q: Array) -> tuple[int, int, float]:
    """The sole's pose in the base (4, 4) to angles (6,) [rad] inside the joint limits; returns status, joint, excess.

    Up to four branches (knee forward or back, ankle roll within ±90° or beyond) are tried in this order, and the first
    with all joints inside their limits is taken. Status 0: exact. 1: the ankle is `excess` [m] too far from the
    hip (negative: too near); the leg is stretched or folded towards it, joint is -1. 2: `joint` of the least
    violated branch is `excess` [rad] beyond a limit (negative: below the lower one). In 1 and 2 the angles are clipped
    to their limits. A pose that is not finite gives status 1 and NaN.
    """
    l1, l2 = leg[6], leg[7]
    reach, fold = l1 + l2, abs(l1 - l2)
    hx, hy, hz = hip_from_sole(pose, leg)
    d = math.sqrt(hx * hx + hy * hy + hz * hz)
    if not d < math.inf:
        q[:] = math.nan
        return 1, -1, d
    excess = beyond_reach(d, reach, fold)
    joint = -1
    if excess != 0.0:
        scale = (d - excess) / d if d > 0.0 else 0.0
        hx, hy, hz = hx * scale, hy * scale, (hz * scale if d > 0.0 else fold)
        d -= excess
    status = 1 if excess != 0.0 else 0
    bend, along, up = knee_triangle(d, l2, l1)
    least = math.inf
    for side in (1.0, -1.0):
        ca, sa, height = ankle_roll(hy, hz, side)
        turn, roll, pitches = _hip_angles(pose, leg, ca, sa)
        for knee in (1.0, -1.0):
            hip_x = -knee * along  # the hip in the shank's frame is (hip_x, 0, up)
            ankle = math.atan2(hip_x * height - up * hx, hip_x * hx + up * height)
            pitch = _wrap(_wrap(pitches - knee * bend) - ankle)
            angles = (turn, roll, pitch, knee * bend, ankle, math.atan2(sa, ca))
            worst, beyond = _worst(angles, leg)
            if abs(beyond) < least:
                least = abs(beyond)
                if status != 1:
                    joint, excess = worst, beyond
                for i in range(6):
                    q[i] = min(max(angles[i], leg[11 + i]), leg[17 + i])
            if least <= LIMIT_TOLERANCE:
                break
        if least <= LIMIT_TOLERANCE:
            break
    if status == 1:
        return 1, -1, excess
    return (0, -1, 0.0) if least <= LIMIT_TOLERANCE else (2, joint, excess)


@cache
def _forward_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:], float64[:, :])", "(j),(p),(h)->(h,h)")
    def sole(q, leg, last_row, pose):  # type: ignore[no-untyped-def]  # numba gives the types
        forward(q, leg, pose)
        pose[3] = last_row

    return sole


@cache
def _inverse_gufunc() -> Callable[..., Any]:
    types = "void(float64[:, :], float64[:], float64[:], float64[:], int64[:], int64[:], float64[:])"

    @gufunc(types, "(h,h),(p),(j)->(j),(),(),()")
    def angles(pose, leg, lower, q, status, joint, excess):  # type: ignore[no-untyped-def]  # numba gives the types
        status[0], joint[0], excess[0] = inverse(pose, leg, q)

    return angles


class HipYawPitchLegs:
    """The legs of a robot with `kinematics = "hip-yaw-pitch"`, by name."""

    numbers: Array  # (n_legs, 23) what the kernels need of each leg, see leg_geometry

    def __init__(self, robot: Robot, tree: Tree | None = None) -> None:
        """Read lengths, axes and limits from the compiled model; raises BadRobot if a leg is built otherwise."""
        self.robot = robot
        tree = tree or Tree(robot)
        self.numbers = np.array([leg_numbers(tree, leg) for leg in robot.legs.values()])
        self._row = {name: i for i, name in enumerate(robot.legs)}

    def forward(self, leg: str, angles: Array) -> Array:
        """Pose of the sole in the base's frame (..., 4, 4) from angles (..., 6) [rad]."""
        return cast("Array", _forward_gufunc()(angles, self._of(leg), np.array([0.0, 0.0, 0.0, 1.0])))

    def inverse(self, leg: str, pose: Array, on_failure: OnFailure = "raise") -> LegAngles:
        """Angles that put the sole to a pose in the base's frame (..., 4, 4).

        Raises Unreachable for the first pose that the leg cannot take; with on_failure="clamp" such poses get the
        leg stretched or folded towards the target (status 1) or the angles clipped to their limits (status 2).
        """
        pose = np.asarray(pose, dtype=np.float64)
        row = self._row.get(leg)
        if pose.shape == (4, 4) and row is not None:  # a controller asks for one pose at a time: the shortest way
            one = np.empty(6)
            if inverse(pose, self.numbers[row], one)[0] == 0:
                return LegAngles(one, FINE)
        if pose.shape[-2:] != (4, 4) or not np.isfinite(pose).all():
            raise BadValue(f"pose of leg '{leg}' has shape {pose.shape}; it has to be (..., 4, 4) and finite")
        choose("on_failure", on_failure, ("raise", "clamp"))
        numbers = self._of(leg)
        angles, status, joint, excess = _inverse_gufunc()(pose, numbers, numbers[11:17])
        status = np.asarray(status)
        if on_failure == "raise" and status.any():
            i = int(np.argmax(status != 0))
            reason = self.explain(leg, status.flat[i], np.asarray(joint).flat[i], np.asarray(excess).flat[i])
            raise Unreachable(f"{reason}{at_index(np.unravel_index(i, status.shape))}")
        return LegAngles(angles, status)

    def explain(self, leg: str, status: int, joint: int, excess: float) -> str:
        """The sentence to a status, joint and excess of the kernel."""
        if status == OUT_OF_REACH:
            return too_far(leg, excess)
        low, high = self._of(leg)[[11 + joint, 17 + joint]]
        return beyond_limit(leg, self.robot.legs[leg].joints[joint], excess, (float(low), float(high)))

    def _of(self, leg: str) -> Array:
        return cast("Array", self.numbers[self._row[choose("leg", leg, self._row)]])
