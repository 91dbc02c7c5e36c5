"""A robot of four legs on its feet, compiled: ball feet that roll, its centre of mass, and how safe it stands.

Places are seen in a ground frame: z = 0 is the floor, x and y where the plan began. A foot that stands has an anchor,
the place where its ball would stand with an upright shank; as the shank turns the ball rolls from there and back again,
so that a body that comes back finds its feet where they were.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.control.cyclic_kernel import in_base, rotation
from gangart.control.swing_kernel import swing_lift, swing_way
from gangart.kinematics.abduction_kernels import angles_to
from gangart.signals import Array, Bools

_ROLLS = 4  # a ball's way changes its shank's angle by a tenth of what it was made from


@kernel
def rolled(q: Array, pose: Array, radius: float, out: Array) -> None:
    """How far a ball has rolled from its anchor (2,) [m] with the leg's angles (3,) and the base's pose (6,)."""
    ahead, left = radius * (pose[4] + q[1] + q[2]), -radius * (pose[3] + q[0])
    c, s = math.cos(pose[5]), math.sin(pose[5])
    out[0], out[1] = c * ahead - s * left, s * ahead + c * left


@kernel
def stand(
    anchors: Array, pose: Array, swing: int, point: Array, legs: Array, radius: Array, feet: Array, q: Array
) -> int:
    """Feet (n, 3) [m] and angles (n, 3) [rad] of a robot on its anchors (n, 2) with its base at a pose (6,).

    Leg `swing` (-1: none) has its foot at a point (3,) instead. Returns the first leg that does not reach, or -1.
    """
    base, roll = np.empty((1, 3)), np.zeros(2)
    for i in range(len(legs)):
        if i == swing:
            feet[i] = point
        else:
            feet[i, 2] = radius[i]
        for _ in range(1 if i == swing else _ROLLS):
            if i != swing:
                feet[i, 0], feet[i, 1] = anchors[i, 0] + roll[0], anchors[i, 1] + roll[1]
            in_base(feet[i : i + 1], pose, base)
            status, _joint, _excess, q[i, 0], q[i, 1], q[i, 2] = angles_to(base[0], legs[i])
            if status != 0:
                return i
            rolled(q[i], pose, radius[i], roll)
        roll[:] = 0.0
    return -1


@kernel
def centre(q: Array, pose: Array, legs: Array, masses: Array, centres: Array, rest: Array, out: Array) -> None:
    """Centre of mass in the ground frame (3,) [m].

    Args:
        q: angles of each leg (n, 3) [rad].
        pose: of the base (6,).
        legs: their numbers, as `kinematics.AbductionLegs` has them.
        masses: of hip, thigh and shank (n, 3) [kg].
        centres: of these in their own axes (n, 3, 3) [m].
        rest: mass [kg] of all else, and its centre in the base times that mass (4,).
        out: the centre.
    """
    total = rest[0]
    x, y, z = rest[1], rest[2], rest[3]
    for i in range(len(q)):
        u, v, w = 0.0, 0.0, 0.0  # mass times place, seen from the abduction axis and turned with it
        for k in range(3):
            a = 0.0 if k == 0 else (q[i, 1] if k == 1 else q[i, 1] + q[i, 2])
            c, s = math.cos(a), math.sin(a)
            px, py, pz = centres[i, k, 0], centres[i, k, 1], centres[i, k, 2]
            gx, gy, gz = c * px + s * pz, py, c * pz - s * px
            if k > 0:
                gy += legs[i, 3]
            if k == 2:
                gx -= legs[i, 4] * math.sin(q[i, 1])
                gz -= legs[i, 4] * math.cos(q[i, 1])
            u, v, w = u + masses[i, k] * gx, v + masses[i, k] * gy, w + masses[i, k] * gz
        m = masses[i, 0] + masses[i, 1] + masses[i, 2]
        c, s = math.cos(q[i, 0]), math.sin(q[i, 0])
        total += m
        x, y, z = x + m * legs[i, 0] + u, y + m * legs[i, 1] + c * v - s * w, z + m * legs[i, 2] + s * v + c * w
    R = np.empty((3, 3))
    rotation(pose[3], pose[4], pose[5], R)
    for k in range(3):
        out[k] = pose[k] + (R[k, 0] * x + R[k, 1] * y + R[k, 2] * z) / total


@kernel
def inside(feet: Array, stands: Bools, x: float, y: float) -> float:
    """How far (x, y) [m] lies inside the polygon of the feet (n, >= 2) that stand; negative outside, -inf on a line."""
    least = math.inf
    for i in range(len(feet)):
        for j in range(len(feet)):
            if i == j or not stands[i] or not stands[j]:
                continue
            ex, ey = feet[j, 0] - feet[i, 0], feet[j, 1] - feet[i, 1]
            length = math.hypot(ex, ey)
            edge, wide = length > 1e-9, False
            for k in range(len(feet)):
                if stands[k] and k != i and k != j:
                    left = ex * (feet[k, 1] - feet[i, 1]) - ey * (feet[k, 0] - feet[i, 0])
                    edge = edge and left >= -1e-12
                    wide = wide or left > 1e-9
            if edge and wide:
                least = min(least, (ex * (y - feet[i, 1]) - ey * (x - feet[i, 0])) / length)
    return least if least < math.inf else -math.inf


@kernel
def pose_between(a: Array, b: Array, part: float, out: Array) -> None:
    """The pose (6,) after a part of the way from a to b."""
    for k in range(6):
        out[k] = a[k] + part * (b[k] - a[k])


@kernel
def swung(a: Array, b: Array, height: float, part: float, out: Array) -> None:
    """A foot (3,) [m] after a part of the time of its swing from a to b: it leaves and lands without speed."""
    way = swing_way(part)
    for k in range(3):
        out[k] = a[k] + way * (b[k] - a[k])
    out[2] += height * swing_lift(part)


@kernel
def probe(
    anchors: Array,
    a: Array,
    b: Array,
    swing: int,
    target: Array,
    height: float,
    legs: Array,
    radius: Array,
    masses: Array,
    centres: Array,
    rest: Array,
    samples: int,
) -> tuple[int, int, float]:
    """Try the body's way from pose a to b, or at pose a = b the swing of a leg to a target anchor (2,).

    Returns the first leg that does not reach (-1: all do), and the sample and the least margin [m] of the centre of
    mass in the polygon of the feet that stand; where a leg does not reach, the sample where.
    """
    n = len(legs)
    feet, q, pose, com, point = np.empty((n, 3)), np.empty((n, 3)), a.copy(), np.empty(3), np.zeros(3)
    stands = np.ones(n, dtype=np.bool_)
    lift, land = np.zeros(3), np.zeros(3)
    if swing >= 0:
        there = anchors.copy()
        there[swing] = target
        bad = stand(anchors, a, -1, point, legs, radius, feet, q)
        if bad >= 0:
            return bad, 0, -math.inf
        lift[:] = feet[swing]
        bad = stand(there, a, -1, point, legs, radius, feet, q)
        if bad >= 0:
            return bad, samples, -math.inf
        land[:] = feet[swing]
        stands[swing] = False
    least, worst = math.inf, 0
    for k in range(samples + 1):
        part = k / samples
        if swing >= 0:
            swung(lift, land, height, part, point)
        else:
            pose_between(a, b, part, pose)
        bad = stand(anchors, pose, swing, point, legs, radius, feet, q)
        if bad >= 0:
            return bad, k, -math.inf
        centre(q, pose, legs, masses, centres, rest, com)
        margin = inside(feet, stands, com[0], com[1])
        if margin < least:
            least, worst = margin, k
    return -1, worst, least
