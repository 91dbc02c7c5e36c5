"""References of the zero moment point (ZMP): from footprints to a curve on the ground.

Every reference is a chain of cubic Bézier segments, one for each single and double support, and a function of time.
`stationary` rests in the middle of the standing sole and changes feet along the two-dimensional Bézier curve of
Urbann 2.4.5; `bezier` moves evenly forward and swings sideways like the body does (Urbann 5.2.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from gangart.compiled import kernel
from gangart.errors import choose
from gangart.robots import Walk
from gangart.signals import Array, Bools, FootstepPlan, Ints

ZmpName = Literal["stationary", "bezier"]
ZMP_NAMES: tuple[str, ...] = get_args(ZmpName)


class _Shape(NamedTuple):
    """What the kernels need of the walk's settings."""

    rests: bool  # the stationary reference
    forward: float  # [m] the ZMP's place in a sole
    inward: float  # [m]
    spacing: float  # [m] between the soles
    bezier: Array  # (4,) [m] inward control points of a single support
    double_support: float  # [s] of the first and the last change


@dataclass(frozen=True)
class ZmpCurve:
    """A chain of cubic Bézier segments; before the first and after the last the point rests."""

    begin: Array  # (m,) [s]
    end: Array  # (m,) [s]
    points: Array  # (m, 4, 2) [m] control points in the world
    eased: Bools  # (m,) the curve's parameter starts and stops gently: inner time control points in the middle

    def __call__(self, time: Array) -> Array:
        """Reference at the given ascending times [s]; shape (n, 2) [m]."""
        out = np.empty((len(time), 2))
        _sample(self.begin, self.end, self.points, self.eased, time, out)
        return out


def zmp_curve(name: str, plan: FootstepPlan, walk: Walk, double_support: float) -> ZmpCurve:
    """The ZMP reference over a plan of a biped, by name; `double_support` [s] is that of the first and last change."""
    rests = choose("ZMP reference", name, ZMP_NAMES) == "stationary"
    shape = _Shape(rests, walk.zmp_forward, walk.zmp_inward, walk.foot_spacing, walk.bezier, double_support)
    size = 2 * len(plan) + 1
    curve = ZmpCurve(np.empty(size), np.empty(size), np.empty((size, 4, 2)), np.zeros(size, dtype=np.bool_))
    if len(plan) == 0:
        curve.begin[0], curve.end[0] = 0.0, 1.0
        _centre(shape, plan.start, curve.points[0, 0])
        curve.points[0, 1:] = curve.points[0, 0]
    else:
        _time(shape, plan.lift, plan.land, curve.begin, curve.end, curve.eased)
        _place(shape, plan.start, plan.foot, plan.pose, curve.begin, curve.end, curve.points)
    return curve


@kernel
def _time(shape: _Shape, lift: Array, land: Array, begin: Array, end: Array, eased: Bools) -> None:
    """When the segments begin and end: the first change, then for each step its single support and the change after."""
    n = len(lift)
    begin[0] = lift[0] - shape.double_support
    for k in range(n):
        end[2 * k], begin[2 * k + 1] = lift[k], lift[k]
        end[2 * k + 1], begin[2 * k + 2] = land[k], land[k]
        eased[2 * k] = shape.rests
    end[2 * n], eased[2 * n] = land[n - 1] + shape.double_support, shape.rests


@kernel
def _place(shape: _Shape, start: Array, foot: Ints, pose: Array, begin: Array, end: Array, points: Array) -> None:
    """Where the segments lead, from between the feet to between the feet."""
    n = len(foot)
    feet = start.copy()
    rest = np.empty(2)
    _centre(shape, feet, rest)
    last, came, yaw = rest, 0.0, 0.0
    for k in range(n):
        stance = 1 - foot[k]
        side = 1.0 if stance == 0 else -1.0
        yaw = feet[stance, 2]
        goes = _way(shape, feet[stance], side, pose[k])
        single = (end[2 * k + 1] - begin[2 * k + 1]) / (end[2 * k + 2] - begin[2 * k + 1])
        _support(shape, feet[stance], side, came, goes, single, points[2 * k + 1])
        _change(shape, last, points[2 * k + 1, 0], yaw, points[2 * k])
        last, came = points[2 * k + 1, 3], goes
        feet[foot[k]] = pose[k]
    rest = np.empty(2)
    _centre(shape, feet, rest)
    _change(shape, last, rest, yaw, points[2 * n])


@kernel
def _in_sole(sole: Array, x: float, y: float, out: Array) -> None:
    """A point of the sole's frame [m], in the world."""
    c, s = np.cos(sole[2]), np.sin(sole[2])
    out[0] = sole[0] + c * x - s * y
    out[1] = sole[1] + s * x + c * y


@kernel
def _centre(shape: _Shape, feet: Array, out: Array) -> None:
    """Between the ZMP's places in both soles."""
    a, b = np.empty(2), np.empty(2)
    _in_sole(feet[0], shape.forward, -shape.inward, a)
    _in_sole(feet[1], shape.forward, shape.inward, b)
    out[:] = (a + b) / 2.0


@kernel
def _way(shape: _Shape, stance: Array, side: float, landing: Array) -> float:
    """How far the next footprint takes the body forward, seen from the standing foot [m]."""
    beside = np.empty(2)
    _in_sole(stance, 0.0, -side * shape.spacing, beside)
    return float(np.cos(stance[2]) * (landing[0] - beside[0]) + np.sin(stance[2]) * (landing[1] - beside[1]))


@kernel
def _support(shape: _Shape, stance: Array, side: float, came: float, goes: float, single: float, out: Array) -> None:
    """Control points of a single support; the body's way is `came` [m] by the last step and `goes` [m] by this one."""
    if shape.rests:
        for j in range(4):
            _in_sole(stance, shape.forward, -side * shape.inward, out[j])
        return
    # evenly forward: the single support takes its share `single` of half the way before and half the way after
    first, last = -single * came / 2.0, single * goes / 2.0
    forward = (first, first + single * came / 3.0, last - single * goes / 3.0, last)
    for j in range(4):
        _in_sole(stance, shape.forward + forward[j], -side * (shape.inward + shape.bezier[j]), out[j])


@kernel
def _change(shape: _Shape, a: Array, b: Array, yaw: float, out: Array) -> None:
    """Control points of a double support from point a to point b."""
    out[0], out[3] = a, b
    if shape.rests:
        out[1], out[2] = a, b
        return
    # evenly along the walking direction, across it with both inner points in the middle (Urbann 5.2.2)
    c, s = np.cos(yaw), np.sin(yaw)
    dx, dy = b[0] - a[0], b[1] - a[1]
    along, across = c * dx + s * dy, -s * dx + c * dy
    for j in (1, 2):
        u, v = along * j / 3.0, across / 2.0
        out[j, 0] = a[0] + c * u - s * v
        out[j, 1] = a[1] + s * u + c * v


@kernel
def _sample(begin: Array, end: Array, points: Array, eased: Bools, time: Array, out: Array) -> None:
    """Evaluate a chain of segments at ascending times into out (n, 2)."""
    m = len(begin)
    k = 0
    for i in range(len(time)):
        t = time[i]
        while k < m - 1 and t >= end[k]:
            k += 1
        u = min(max((t - begin[k]) / (end[k] - begin[k]), 0.0), 1.0)
        if eased[k]:
            # time control points 0, 1/2, 1/2, 1: solve s³ - 3/2 s² + 3/2 s = u in closed form
            u = 0.5 + np.sinh(np.arcsinh(4.0 * (u - 0.5)) / 3.0)
        w = 1.0 - u
        b0, b1, b2, b3 = w * w * w, 3.0 * w * w * u, 3.0 * w * u * u, u * u * u
        for axis in range(2):
            p = points[k, :, axis]
            out[i, axis] = b0 * p[0] + b1 * p[1] + b2 * p[2] + b3 * p[3]
