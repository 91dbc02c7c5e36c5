"""Where does a straight way of the foot leave the free configurations of an abduction leg? Exact, and compiled.

Every border of the free space is a surface that a line p(t) = a + t (b - a) meets at the roots of a polynomial: a plane
for an obstacle and for a limit of the abduction, a sphere for reach and knee, a cylinder about the abduction axis, and
a quartic for a limit of the hip pitch. Between two neighbouring roots nothing changes, so one look at the middle tells.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.kinematics.abduction_kernels import branch, outside, reach_excess
from gangart.kinematics.leg_angles import LIMIT_TOLERANCE
from gangart.kinematics.polynomials import DEGREE, MOST, sign_changes
from gangart.signals import Array

SURFACE = 1e-9  # [m] a foot this deep in an obstacle only touches it; a shorter excursion out of the free space is none
NEVER = math.inf  # the fraction at which a line leaves that does not
SURFACES = 9  # that limit an abduction leg, see _surfaces
_HALVINGS = 50


@kernel
def fits(x: float, y: float, z: float, side: float, leg: Array) -> bool:
    """Whether a branch takes the foot to (x, y, z) [m] from the hip inside the joint limits; it has to be in reach."""
    abduction, pitch, knee = branch(x, y, z, side, leg)
    return (
        abs(outside(abduction, leg[7], leg[10])) <= LIMIT_TOLERANCE
        and abs(outside(pitch, leg[8], leg[11])) <= LIMIT_TOLERANCE
        and abs(outside(knee, leg[9], leg[12])) <= LIMIT_TOLERANCE
    )


@kernel
def inside(x: float, y: float, z: float, planes: Array) -> int:
    """The obstacle that a point (x, y, z) [m] is in, or -1; planes (n, 5): normal, distance, number of the obstacle.

    The planes of an obstacle follow each other; rows of a negative number are none.
    """
    row, n = 0, planes.shape[0]
    while row < n:
        number = planes[row, 4]
        within = number >= 0.0
        while row < n and planes[row, 4] == number:
            p = planes[row]
            if p[0] * x + p[1] * y + p[2] * z - p[3] > -SURFACE:
                within = False
            row += 1
        if within:
            return int(number)
    return -1


@kernel
def serves(x: float, y: float, z: float, side: float, leg: Array, planes: Array) -> bool:
    """Whether a branch takes the foot to a point in the base [m]: 1 with the foot below the hip, -1 above it."""
    u, v, w = x - leg[0], y - leg[1], z - leg[2]
    if not abs(u) + abs(v) + abs(w) < math.inf or reach_excess(u, v, w, leg)[1] != 0.0:
        return False
    return fits(u, v, w, side, leg) and inside(x, y, z, planes) < 0


@kernel
def free(point: Array, leg: Array, planes: Array) -> bool:
    """Whether a branch takes the foot to a point in the base (3,) [m]."""
    x, y, z = point[0], point[1], point[2]
    return serves(x, y, z, 1.0, leg, planes) or serves(x, y, z, -1.0, leg, planes)


@kernel
def _surfaces(a: Array, d: Array, leg: Array, rows: Array) -> None:
    """The line a + t d put into the equation of each border of the joints: coefficients of t into `rows` (9, 5).

    They begin as zeros and stay so for a limit that is infinite.
    """
    x, y, z = a[0] - leg[0], a[1] - leg[1], a[2] - leg[2]
    l1, l2, l3 = leg[3], leg[4], leg[5]
    # h², with h the height of the foot in the leg's plane, is 0 nearest to the abduction axis
    h0, h1, h2 = y * y + z * z - l1 * l1, 2.0 * (y * d[1] + z * d[2]), d[1] * d[1] + d[2] * d[2]
    rows[0, 0], rows[0, 1], rows[0, 2] = h0, h1, h2
    # x² + h² is the square of the distance from the hip: stretched, folded, the knee's limits
    s0, s1, s2 = h0 + x * x, h1 + 2.0 * x * d[0], h2 + d[0] * d[0]
    for i in range(4):
        bend = i * math.pi if i < 2 else leg[9 + 3 * (i - 2)]
        if abs(bend) < math.inf:
            rows[1 + i, 0] = s0 - l2 * l2 - l3 * l3 - 2.0 * l2 * l3 * math.cos(bend)
            rows[1 + i, 1], rows[1 + i, 2] = s1, s2
    for i in range(2):
        limit = leg[7 + 3 * i]  # abduction: the foot stays l1 beside the leg's plane
        if abs(limit) < math.inf:
            c, s = math.cos(limit), math.sin(limit)
            rows[5 + i, 0], rows[5 + i, 1] = c * y + s * z - l1, c * d[1] + s * d[2]
        limit = leg[8 + 3 * i]  # hip pitch: the foot stays l3 from a knee that does not move, which is g = e h
        if abs(limit) < math.inf:
            e, f = 2.0 * l2 * math.cos(limit), 2.0 * l2 * math.sin(limit)
            g0, g1, g2 = s0 + l2 * l2 - l3 * l3 + f * x, s1 + f * d[0], s2
            row = rows[7 + i]
            row[0], row[1] = g0 * g0 - e * e * h0, 2.0 * g0 * g1 - e * e * h1
            row[2], row[3], row[4] = g1 * g1 + 2.0 * g0 * g2 - e * e * h2, 2.0 * g1 * g2, g2 * g2


@kernel
def _borders(a: Array, d: Array, leg: Array, planes: Array, cuts: Array) -> int:
    """All fractions (0, 1) at which the line a + t d may pass a border, into `cuts`; returns how many. Unordered."""
    rows, found, n = np.zeros((SURFACES, DEGREE + 1)), np.empty(MOST), 0
    _surfaces(a, d, leg, rows)
    for i in range(SURFACES):
        for k in range(sign_changes(rows[i], found)):
            cuts[n] = found[k]
            n += 1
    for i in range(planes.shape[0]):
        p = planes[i]
        speed = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
        if p[4] >= 0.0 and speed != 0.0:
            t = (p[3] - p[0] * a[0] - p[1] * a[1] - p[2] * a[2]) / speed
            if 0.0 < t < 1.0:
                cuts[n] = t
                n += 1
    return n


@kernel
def _sort(values: Array, n: int) -> None:
    """The first n in ascending order; few, so by insertion."""
    for i in range(1, n):
        value, k = values[i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value


@kernel
def _serves_at(t: float, a: Array, d: Array, side: float, leg: Array, planes: Array) -> bool:
    return serves(a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2], side, leg, planes)


@kernel
def _leaves_by(a: Array, d: Array, length: float, side: float, leg: Array, planes: Array, cuts: Array, n: int) -> float:
    """As leaves, for one branch that serves a; `cuts` holds n fractions in order, the last of them 1."""
    good, border = 0.0, 0.0
    for i in range(n + 1):
        t = 0.5 * (border + cuts[i]) if i < n else 1.0
        if i < n:
            wide, border = cuts[i] - border, cuts[i]
            if wide * length < SURFACE:
                continue
        if _serves_at(t, a, d, side, leg, planes):
            good = t
            continue
        bad = t
        for _ in range(_HALVINGS):
            t = 0.5 * (good + bad)
            if _serves_at(t, a, d, side, leg, planes):
                good = t
            else:
                bad = t
        return bad
    return NEVER


@kernel
def leaves(a: Array, b: Array, leg: Array, planes: Array) -> float:
    """The fraction of the way from a to b [m] at which the foot leaves the free space, or inf.

    Staying means that one branch serves all the way: the joints move without a jump. 0 where a is not free, or b is
    not finite.
    """
    d = np.empty(3)
    for i in range(3):
        d[i] = b[i] - a[i]
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if not length < math.inf or not free(a, leg, planes):
        return 0.0
    if length == 0.0:
        return NEVER
    cuts = np.empty(SURFACES * MOST + planes.shape[0] + 1)
    n = _borders(a, d, leg, planes, cuts)
    cuts[n] = 1.0
    _sort(cuts, n + 1)
    latest = 0.0
    for side in (1.0, -1.0):
        if latest < NEVER and _serves_at(0.0, a, d, side, leg, planes):
            latest = max(latest, _leaves_by(a, d, length, side, leg, planes, cuts, n + 1))
    return latest
