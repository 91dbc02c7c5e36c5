"""One tick of a cyclic gait, compiled: how feet stand and swing, and which joint angles that takes.

Everything is seen from the base's level frame: its origin at the base's place, x along its heading, z up. What stands
on the ground moves there against the body's velocity; a foot that swings goes from where it left the ground to where it
is to land, both of them places on the ground.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gangart.compiled import kernel
from gangart.control.swing_kernel import coming, leaving, modified_sine, swing_lift
from gangart.kinematics.abduction_kernels import joints_to
from gangart.signals import Array, Bools, Ints


@kernel
def carry(points: Array, velocity: Array, dt: float) -> None:
    """Move points (n, >= 2) [m] as the ground does under a body of velocity vx, vy [m/s], wz [rad/s]."""
    turn = -velocity[2] * dt
    c, s = math.cos(turn), math.sin(turn)
    half = turn / 2.0
    chord = math.sin(half) / half if abs(half) > 1e-6 else 1.0  # of an arc, over its length
    ch, sh = chord * math.cos(half), chord * math.sin(half)
    dx, dy = velocity[0] * dt, velocity[1] * dt
    for i in range(len(points)):
        x, y = points[i, 0], points[i, 1]
        points[i, 0] = c * x - s * y - (ch * dx - sh * dy)
        points[i, 1] = s * x + c * y - (sh * dx + ch * dy)


@kernel
def feet_now(
    standing: Bools,
    phase: Array,
    duty: Array,
    ground: Array,
    lifted: Array,
    landing: Array,
    rolling: Array,
    cycle: float,
    step_height: float,
    out: Array,
) -> None:
    """Feet in the level frame (n, 3) [m].

    Args:
        standing: which stand (n,).
        phase: of each leg (n,).
        duty: part of the cycle that each stands (n,).
        ground: where each stands (n, 3) [m].
        lifted: where on the ground each left it (n, 3) [m].
        landing: where on the ground each is to land (n, 3) [m].
        rolling: how fast each rolls over the ground when it leaves, and when it comes (n, 2, 2) [m/s].
        cycle: [s].
        step_height: [m].
        out: the feet.
    """
    for i in range(len(standing)):
        if standing[i]:
            out[i] = ground[i]
            continue
        s = min(max((phase[i] - duty[i]) / (1.0 - duty[i]), 0.0), 1.0)
        way = modified_sine(s)
        out[i] = lifted[i] + way * (landing[i] - lifted[i])
        lasts, begin, end = (1.0 - duty[i]) * cycle, leaving(s), coming(s)
        for k in range(2):
            out[i, k] += lasts * (begin * rolling[i, 0, k] + end * rolling[i, 1, k])
        out[i, 2] += step_height * swing_lift(s)


@kernel
def rotation(roll: float, pitch: float, yaw: float, out: Array) -> None:
    """Rz(yaw) Ry(pitch) Rx(roll), (3, 3)."""
    cr, sr, cp, sp, cy, sy = (
        math.cos(roll),
        math.sin(roll),
        math.cos(pitch),
        math.sin(pitch),
        math.cos(yaw),
        math.sin(yaw),
    )
    out[0, 0], out[0, 1], out[0, 2] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr
    out[1, 0], out[1, 1], out[1, 2] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr
    out[2, 0], out[2, 1], out[2, 2] = -sp, cp * sr, cp * cr


@kernel
def in_base(feet: Array, pose: Array, out: Array) -> None:
    """Feet of the level frame (n, 3) seen from a base with a pose in it: x, y, z [m], roll, pitch, yaw [rad]."""
    R = np.empty((3, 3))
    rotation(pose[3], pose[4], pose[5], R)
    for i in range(len(feet)):
        x, y, z = feet[i, 0] - pose[0], feet[i, 1] - pose[1], feet[i, 2] - pose[2]
        for k in range(3):
            out[i, k] = R[0, k] * x + R[1, k] * y + R[2, k] * z


class Stride(NamedTuple):
    """Where the feet of a gait are, and how they go on from there."""

    cycle: float  # [s]
    drift: Array  # (n,) [1/s] by which phases run slower
    standing: Bools  # (n,)
    phase: Array  # (n,) of each leg
    duty: Array  # (n,) part of the cycle that each stands
    ground: Array  # (n, 3) [m] where each stands
    lifted: Array  # (n, 3) [m] where each left the ground
    landing: Array  # (n, 3) [m] where each is to land
    rolling: Array  # as in `feet_now`
    going: Array  # (3,) of the body over the ground, as in `carry`
    step_height: float  # [m]
    raised: Array  # (n,) [m] by which each foot is raised
    rising: Array  # (n,) [m/s] rates of that


@kernel
def points_at(later: float, stride: Stride, held: Array, out: Array) -> None:
    """Feet in the base (n, 3) [m], a time `later` [s]; `held` is the base's pose then, as in `in_base`."""
    n = len(stride.standing)
    places = np.empty((3, n, 3))
    places[0], places[1], places[2] = stride.ground, stride.lifted, stride.landing
    for k in range(3):
        carry(places[k], stride.going, later)
    now, feet = np.empty(n), np.empty((n, 3))
    for i in range(n):
        now[i] = stride.phase[i] + later / stride.cycle - later * stride.drift[i]
    feet_now(
        stride.standing, now, stride.duty, places[0], places[1], places[2], stride.rolling, stride.cycle,
        stride.step_height, feet,
    )  # fmt: skip
    for i in range(n):
        feet[i, 2] += stride.raised[i] + later * stride.rising[i]
    in_base(feet, held, out)


@kernel
def legs_at(
    d: float,
    stride: Stride,
    held: Array,
    legs: Array,
    columns: Ints,
    most: float,
    points: Array,
    status: Ints,
    out: Array,
) -> None:
    """Speeds, accelerations and angles of the joints (3, n_joints) [rad/s], [rad/s²], [rad] for feet of a stride.

    Args:
        d: [s] over which they are differenced.
        stride: of now.
        held: pose of the base a time d before, as long after, and now (3, 6).
        legs: their numbers, as `kinematics.AbductionLegs` has them (n, 13).
        columns: of each leg's joints (n, 3).
        most: acceleration that is still made up for [rad/s²].
        points: the feet in the base now (n, 3) [m].
        status: of the inverse kinematics now (n,).
        out: speeds, accelerations and angles; angles of other joints stay.
    """
    n = len(columns)
    found = np.empty((1, n), dtype=np.int64)
    for t in range(3):
        later = (2 * t - 1) * d if t < 2 else 0.0
        points_at(later, stride, held[t], points)
        joints_to(points.reshape(1, n, 3), legs, columns, out[t : t + 1], found)
    for j in range(out.shape[1]):
        before, after, now = out[0, j], out[1, j], out[2, j]
        out[0, j] = (after - before) / (2.0 * d)
        out[1, j] = min(max((after - 2.0 * now + before) / (d * d), -most), most)
    for i in range(n):
        status[i] = found[0, i]


@kernel
def aim(
    homes: Array,
    standing: Bools,
    left: Array,
    velocity: Array,
    going: Array,
    half_stance: float,
    outward: Array,
    landing: Array,
) -> None:
    """Where swinging feet land, as places on the ground seen from the base now.

    Args:
        homes: where feet belong under the base (n, 3) [m].
        standing: which stand (n,); their places stay.
        left: until each lands (n,) [s].
        velocity: that is wanted (3,) [m/s], [m/s], [rad/s].
        going: with which the body goes over the ground meanwhile (3,).
        half_stance: how far ahead of its home a foot lands, in time [s].
        outward: by which feet land farther out (2,) [m].
        landing: the places (n, 3) [m].
    """
    for i in range(len(standing)):
        if not standing[i]:
            place = landing[i : i + 1]
            place[0] = homes[i]
            carry(place, -velocity, half_stance)
            place[0, 0] += outward[0]
            place[0, 1] += outward[1]
            carry(place, -going, left[i])
