"""References of the zero moment point (ZMP): from footprints to a curve on the ground.

Every reference is a chain of cubic Bézier segments, one for each single and double support, and a function of time.
`stationary` rests in the middle of the standing sole and changes feet along the two-dimensional Bézier curve of
Urbann 2.4.5; `bezier` moves evenly forward and swings sideways like the body does (Urbann 5.2.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from gangart.compiled import kernel

from gangart.errors import choose
from gangart.robots import Walk
from gangart.signals import Array, Bools, FootstepPlan

ZmpName = Literal["stationary", "bezier"]
ZMP_NAMES: tuple[str, ...] = get_args(ZmpName)


@dataclass(frozen=True)
class ZmpCurve:
    """A chain of cubic Bézier segments; before the first and after the last the point rests."""

    begin: Array  # (m,) [s]
    end: Array  # (m,) [s]
    points: Array  # (m, 4, 2) [m] control points in the world
    eased: Bools  # (m,) the curve's parameter starts and stops gently: inner time control points in the middle

    def __call__(self, time: Array) -> Array:
        """Reference at the given times [s]; shape (n, 2) [m]."""
        out = np.empty((len(time), 2))
        sample_curve(self.begin, self.end, self.points, self.eased, time, out)
        return out


def zmp_curve(name: str, plan: FootstepPlan, walk: Walk, double_support: float) -> ZmpCurve:
    """The ZMP reference over a plan of a biped, by name; `double_support` [s] is that of the first and last change."""
    kind = ZMP_NAMES.index(choose("ZMP reference", name, ZMP_NAMES))
    size = 2 * len(plan) + 1
    curve = ZmpCurve(np.empty(size), np.empty(size), np.empty((size, 4, 2)), np.zeros(size, dtype=np.bool_))
    place = np.array([walk.zmp_forward, walk.zmp_inward, walk.foot_spacing])
    build_curve(
        kind, plan.start, plan.foot, plan.pose, plan.lift, plan.land, double_support, place, walk.bezier,
        curve.begin, curve.end, curve.points, curve.eased,
    )  # fmt: skip
    return curve


@kernel
def build_curve(kind, start, foot, pose, lift, land, double_support, place, bezier, begin, end, points, eased):
    """Fill the segments of a curve: first change, then for each step its single support and the change after it."""
    forward, inward, spacing = place
    n = len(foot)
    feet = start.copy()
    middle = np.empty(2)
    here = np.empty((4, 2))
    after = np.empty((4, 2))
    _centre(feet, forward, inward, middle)
    if n == 0:
        begin[0], end[0], eased[0] = 0.0, 1.0, False
        for j in range(4):
            points[0, j] = middle
        return
    last = middle.copy()
    came = 0.0
    for k in range(n):
        stance = 1 - foot[k]
        side = 1.0 if stance == 0 else -1.0
        goes = _ahead(feet[stance], pose[k], side, spacing)
        single = (land[k] - lift[k]) / ((lift[k + 1] if k + 1 < n else land[k] + double_support) - lift[k])
        _support(kind, feet[stance], side, forward, inward, bezier, came, goes, single, here)
        begin[2 * k] = land[k - 1] if k > 0 else lift[0] - double_support
        end[2 * k] = lift[k]
        eased[2 * k] = kind == 0
        _change(kind, last, here[0], feet[stance, 2], points[2 * k])
        begin[2 * k + 1], end[2 * k + 1], eased[2 * k + 1] = lift[k], land[k], False
        points[2 * k + 1] = here
        last[:] = here[3]
        came = goes
        feet[foot[k]] = pose[k]
    _centre(feet, forward, inward, middle)
    begin[2 * n], end[2 * n], eased[2 * n] = land[n - 1], land[n - 1] + double_support, kind == 0
    _change(kind, last, middle, feet[foot[n - 1], 2], points[2 * n])


@kernel
def _in_foot(pose, x, y, out):
    c, s = np.cos(pose[2]), np.sin(pose[2])
    out[0] = pose[0] + c * x - s * y
    out[1] = pose[1] + s * x + c * y


@kernel
def _centre(feet, forward, inward, out):
    """Between the ZMP's places in both soles."""
    a, b = np.empty(2), np.empty(2)
    _in_foot(feet[0], forward, -inward, a)
    _in_foot(feet[1], forward, inward, b)
    out[0], out[1] = (a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0


@kernel
def _ahead(stance, landing, side, spacing):
    """How far the next footprint takes the body forward, seen from the standing foot [m]."""
    beside = np.empty(2)
    _in_foot(stance, 0.0, -side * spacing, beside)
    c, s = np.cos(stance[2]), np.sin(stance[2])
    return c * (landing[0] - beside[0]) + s * (landing[1] - beside[1])


@kernel
def _support(kind, stance, side, forward, inward, bezier, came, goes, single, out):
    """Control points of a single support. `came`, `goes`: body's way by the last and by this step [m]."""
    if kind == 0:
        for j in range(4):
            _in_foot(stance, forward, -side * inward, out[j])
        return
    # evenly forward: the single support takes its share `single` of half the way before and half the way after
    x0, x3 = -single * came / 2.0, single * goes / 2.0
    x1, x2 = x0 + single * came / 3.0, x3 - single * goes / 3.0
    xs = (x0, x1, x2, x3)
    for j in range(4):
        _in_foot(stance, forward + xs[j], -side * (inward + bezier[j]), out[j])


@kernel
def _change(kind, a, b, yaw, out):
    """Control points of a double support from point a to point b."""
    out[0], out[3] = a, b
    if kind == 0:
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
def sample_curve(begin, end, points, eased, time, out):
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
