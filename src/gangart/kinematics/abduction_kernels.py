"""Closed form of a leg with hip abduction x, hip pitch y and knee y, compiled.

`leg` holds the numbers of abduction_geometry. With a = q2 and b = q2 + q3 the foot lies at (u, l1, -h) in the leg's
plane: u = -l2 sin a - l3 sin b forward, h = l2 cos a + l3 cos b down, and the abduction turns that about x.
Bahr (5.10)-(5.29) is the same with h > 0.
"""

from __future__ import annotations

import math

from gangart.compiled import kernel
from gangart.kinematics.leg_angles import (
    JOINT_LIMIT,
    LIMIT_TOLERANCE,
    OK,
    OUT_OF_REACH,
    REACH_TOLERANCE,
    beyond_reach,
    knee_triangle,
)
from gangart.signals import Array, Ints

_TURN = 2.0 * math.pi


@kernel
def foot(abduction: float, pitch: float, knee: float, leg: Array, point: Array) -> None:
    """Angles [rad] to the foot in the base `point` (3,) [m]."""
    low = pitch + knee
    height = leg[4] * math.cos(pitch) + leg[5] * math.cos(low)
    c, s = math.cos(abduction), math.sin(abduction)
    point[0] = leg[0] - leg[4] * math.sin(pitch) - leg[5] * math.sin(low)
    point[1] = leg[1] + c * leg[3] + s * height
    point[2] = leg[2] + s * leg[3] - c * height


@kernel
def slope(abduction: float, pitch: float, knee: float, leg: Array, jacobian: Array) -> None:
    """Angles [rad] to d foot / d angles (3, 3) [m/rad] in the base."""
    low = pitch + knee
    shank_x, shank_z = -leg[5] * math.sin(low), -leg[5] * math.cos(low)
    x, z = shank_x - leg[4] * math.sin(pitch), shank_z - leg[4] * math.cos(pitch)
    c, s = math.cos(abduction), math.sin(abduction)
    jacobian[0, 0], jacobian[1, 0], jacobian[2, 0] = 0.0, -s * leg[3] - c * z, c * leg[3] - s * z
    jacobian[0, 1], jacobian[1, 1], jacobian[2, 1] = z, s * x, -c * x
    jacobian[0, 2], jacobian[1, 2], jacobian[2, 2] = shank_z, s * shank_x, -c * shank_x


@kernel
def outside(angle: float, low: float, high: float) -> float:
    """How far an angle [rad] is beyond its limits: positive above, negative below, 0 inside."""
    if angle > high:
        return angle - high
    return angle - low if angle < low else 0.0


@kernel
def clipped(angle: float, low: float, high: float) -> float:
    """The angle [rad], or the limit that it is beyond."""
    return min(max(angle, low), high)


@kernel
def turned(angle: float, low: float, high: float) -> float:
    """The same angle [rad], a full turn on where that is nearer to the limits."""
    out = abs(outside(angle, low, high))
    if out > 0.0:
        for other in (angle - _TURN, angle + _TURN):
            if abs(outside(other, low, high)) < out:
                return other
    return angle


@kernel
def branch(x: float, y: float, z: float, side: float, leg: Array) -> tuple[float, float, float]:
    """Angles [rad] for a foot at (x, y, z) [m] from the hip, within full turns of the limits.

    side 1: the foot is below the hip in the leg's plane, -1: above. A foot out of reach gets the leg
    stretched or folded towards it.
    """
    r, l1, l2, l3 = math.hypot(y, z), leg[3], leg[4], leg[5]
    height = side * math.sqrt(max((r - abs(l1)) * (r + abs(l1)), 0.0))
    d = math.hypot(x, height)
    bend, along, up = knee_triangle(min(max(d, abs(l2 - l3)), l2 + l3), l2, l3)
    along *= leg[6]
    abduction = math.atan2(z * l1 + y * height, y * l1 - z * height)
    pitch = math.atan2(-x * up - height * along, height * up - x * along)
    return turned(abduction, leg[7], leg[10]), turned(pitch, leg[8], leg[11]), leg[6] * bend


@kernel
def reach_excess(x: float, y: float, z: float, leg: Array) -> tuple[int, float]:
    """How far (x, y, z) [m] from the hip is out of reach, 0 if it is not, and from where.

    Joint 0: it is too near to the abduction axis; -1: too far from or too near to the hip.
    """
    r, l1 = math.hypot(y, z), abs(leg[3])
    d = math.hypot(x, math.sqrt(max((r - l1) * (r + l1), 0.0)))
    excess = beyond_reach(d, leg[4] + leg[5], abs(leg[4] - leg[5]))
    if excess == 0.0 and r < l1 - REACH_TOLERANCE:
        return 0, r - l1
    return -1, excess


@kernel
def angles_to(point: Array, leg: Array) -> tuple[int, int, float, float, float, float]:
    """The foot in the base (3,) [m] to status, joint, excess and the three angles [rad] inside the joint limits.

    Foot below the hip, then above it, is tried, and the first with all joints inside their limits is taken. Status 0:
    exact. 1: the foot is `excess` [m] too far from the hip (negative: too near), joint is -1, or too near to the
    abduction axis, joint is 0; the leg points towards it. 2: `joint` of the least violated branch is `excess` [rad]
    beyond a limit (negative: below the lower one). In 1 and 2 the angles are clipped to their limits. A point that is
    not finite gives status 1 and NaN.
    """
    x, y, z = point[0] - leg[0], point[1] - leg[1], point[2] - leg[2]
    if not abs(x) + abs(y) + abs(z) < math.inf:
        return OUT_OF_REACH, -1, math.nan, math.nan, math.nan, math.nan
    where, far = reach_excess(x, y, z, leg)
    joint, least, beyond = -1, math.inf, 0.0
    found = (0.0, 0.0, 0.0)
    for side in (1.0, -1.0):
        q = branch(x, y, z, side, leg)
        out = (outside(q[0], leg[7], leg[10]), outside(q[1], leg[8], leg[11]), outside(q[2], leg[9], leg[12]))
        worst = 0
        for i in (1, 2):
            if abs(out[i]) > abs(out[worst]):
                worst = i
        if abs(out[worst]) < least:
            least, joint, beyond = abs(out[worst]), worst, out[worst]
            found = (clipped(q[0], leg[7], leg[10]), clipped(q[1], leg[8], leg[11]), clipped(q[2], leg[9], leg[12]))
        if least <= LIMIT_TOLERANCE:
            break
    if far != 0.0:
        return OUT_OF_REACH, where, far, found[0], found[1], found[2]
    if least > LIMIT_TOLERANCE:
        return JOINT_LIMIT, joint, beyond, found[0], found[1], found[2]
    return OK, -1, 0.0, found[0], found[1], found[2]


@kernel
def feet(joints: Array, legs: Array, columns: Ints, points: Array) -> None:
    """Joints (n, n_joints) [rad] to the feet of all legs (n, n_legs, 3) [m]; columns (n_legs, 3)."""
    for i in range(points.shape[0]):
        for k in range(legs.shape[0]):
            c = columns[k]
            foot(joints[i, c[0]], joints[i, c[1]], joints[i, c[2]], legs[k], points[i, k])


@kernel
def slopes(joints: Array, legs: Array, columns: Ints, jacobians: Array) -> None:
    """Joints (n, n_joints) [rad] to d foot / d angles of all legs (n, n_legs, 3, 3) [m/rad]."""
    for i in range(jacobians.shape[0]):
        for k in range(legs.shape[0]):
            c = columns[k]
            slope(joints[i, c[0]], joints[i, c[1]], joints[i, c[2]], legs[k], jacobians[i, k])


@kernel
def joints_to(points: Array, legs: Array, columns: Ints, joints: Array, status: Ints) -> None:
    """Feet of all legs (n, n_legs, 3) [m] to their columns of `joints` (n, n_joints) [rad], and status (n, n_legs)."""
    for i in range(points.shape[0]):
        for k in range(legs.shape[0]):
            c = columns[k]
            found = angles_to(points[i, k], legs[k])
            status[i, k] = found[0]
            joints[i, c[0]], joints[i, c[1]], joints[i, c[2]] = found[3], found[4], found[5]
