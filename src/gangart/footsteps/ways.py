"""The way of a step and what limits it, as kernels (see `limits` for the words).

Poses are x, y [m], yaw [rad]; a way is ahead, left [m], turn [rad]; `side` is +1 where the left foot steps, -1 for the
right; `most` is `StepLimits.array`.
"""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array

_SPACING, _FORWARD, _BACKWARD, _OUTWARD, _INWARD, _TURN_OUT, TURN_INWARD = range(7)
PACE_FORWARD, PACE_BACKWARD, PACE_SIDEWAYS, PACE_TURN, CHANGE_AHEAD, CHANGE_SIDEWAYS, CHANGE_TURN = range(7, 14)
_ROUNDING = 1e-9  # [m], [rad] or of a limit
_LEAST = 1e-9  # [m] stands for a pace of zero


@kernel
def wrap(angle: float) -> float:
    """An angle [rad] in (-π, π]."""
    turned = (angle + np.pi) % (2.0 * np.pi) - np.pi
    return np.pi if turned == -np.pi else turned


@kernel
def go(pose: Array, ahead: float, left: float, turn: float, out: Array) -> None:
    """A body pose after a way."""
    middle = pose[2] + turn / 2.0
    c, s = np.cos(middle), np.sin(middle)
    x, y = pose[0] + c * ahead - s * left, pose[1] + s * ahead + c * left
    out[0], out[1], out[2] = x, y, pose[2] + turn


@kernel
def way(pose: Array, to: Array, out: Array) -> None:
    """The way from one body pose to another, turning by the smaller angle."""
    turn = wrap(to[2] - pose[2])
    middle = pose[2] + turn / 2.0
    c, s = np.cos(middle), np.sin(middle)
    dx, dy = to[0] - pose[0], to[1] - pose[1]
    out[0], out[1], out[2] = c * dx + s * dy, c * dy - s * dx, turn


@kernel
def foot_of(body: Array, side: float, spacing: float, out: Array) -> None:
    """The footprint that carries a body frame."""
    out[0] = body[0] - side * spacing / 2.0 * np.sin(body[2])
    out[1] = body[1] + side * spacing / 2.0 * np.cos(body[2])
    out[2] = body[2]


@kernel
def pace_load(ahead: float, left: float, turn: float, most: Array) -> float:
    """How much of the pace a mean way takes: 1 at the limit."""
    a = ahead / max(most[PACE_FORWARD] if ahead >= 0.0 else most[PACE_BACKWARD], _LEAST)
    b = left / max(most[PACE_SIDEWAYS], _LEAST)
    c = turn / most[PACE_TURN]
    return float(np.sqrt(a * a + b * b + c * c))


@kernel
def fits(step: Array, side: float, other: Array, same: Array, most: Array) -> bool:
    """Whether a way is allowed after the last way of the other foot and the last way of the same foot."""
    if abs(step[0] - other[0]) > most[CHANGE_AHEAD] + _ROUNDING:
        return False
    if abs(step[1] - same[1]) > most[CHANGE_SIDEWAYS] + _ROUNDING:
        return False
    if abs(step[2] - same[2]) > most[CHANGE_TURN] + _ROUNDING:
        return False
    turn = side * step[2]
    if turn > most[_TURN_OUT] + _ROUNDING or turn < -most[TURN_INWARD] - _ROUNDING:
        return False
    half = most[_SPACING] / 2.0
    c, s = np.cos(step[2] / 2.0), np.sin(step[2] / 2.0)
    ahead = c * step[0] - s * step[1] - side * half * 2.0 * s * c
    outward = side * (s * step[0] + c * step[1]) - half * 2.0 * s * s
    if ahead > most[_FORWARD] + _ROUNDING or ahead < -most[_BACKWARD] - _ROUNDING:
        return False
    if outward > most[_OUTWARD] + _ROUNDING or outward < -most[_INWARD] - _ROUNDING:
        return False
    mean = (step + other) / 2.0
    return bool(pace_load(mean[0], mean[1], mean[2], most) <= 1.0 + _ROUNDING)


@kernel
def braking(distance: float, change: float) -> float:
    """The largest way whose successors, each shorter by `change`, end within `distance` (all positive)."""
    if distance <= 0.0:
        return 0.0
    n = np.ceil((np.sqrt(1.0 + 8.0 * distance / change) - 1.0) / 2.0 - 1e-9)
    n = max(n, 1.0)
    return float(distance / n + change * (n - 1.0) / 2.0)


@kernel
def slower(value: float, change: float) -> float:
    """A value moved towards zero by at most `change`."""
    return max(value - change, 0.0) if value > 0.0 else min(value + change, 0.0)


@kernel
def allow(wish: Array, side: float, other: Array, same: Array, most: Array, out: Array) -> bool:
    """The allowed way nearest to a wish on the line from the slowest one; true if it is the wish itself.

    What the same foot did last is always allowed again: the limits are convex and the same for each of its steps.
    """
    if fits(wish, side, other, same, most):
        out[:] = wish
        return True
    low = np.empty(3)
    low[0] = slower(other[0], most[CHANGE_AHEAD])
    low[1] = slower(same[1], most[CHANGE_SIDEWAYS])
    low[2] = slower(same[2], most[CHANGE_TURN])
    if not fits(low, side, other, same, most):
        low[:] = same
    high = np.empty(3)
    _clip(wish, side, other, same, most, high)
    if fits(high, side, other, same, most):
        out[:] = high
        return False
    a, b = 0.0, 1.0
    for _ in range(14):
        middle = (a + b) / 2.0
        out[:] = low + middle * (high - low)
        if fits(out, side, other, same, most):
            a = middle
        else:
            b = middle
    out[:] = low + a * (high - low)
    return False


@kernel
def _clip(wish: Array, side: float, other: Array, same: Array, most: Array, out: Array) -> None:
    """A wish within reach and change, as far as single components go."""
    turn = min(max(side * wish[2], -most[TURN_INWARD]), most[_TURN_OUT]) * side
    turn = min(max(turn, same[2] - most[CHANGE_TURN]), same[2] + most[CHANGE_TURN])
    x = min(max(wish[0], other[0] - most[CHANGE_AHEAD]), other[0] + most[CHANGE_AHEAD])
    y = min(max(wish[1], same[1] - most[CHANGE_SIDEWAYS]), same[1] + most[CHANGE_SIDEWAYS])
    half = most[_SPACING] / 2.0
    c, s = np.cos(turn / 2.0), np.sin(turn / 2.0)
    offset, closer = side * half * 2.0 * s * c, half * 2.0 * s * s
    ahead = min(max(c * x - s * y, offset - most[_BACKWARD]), offset + most[_FORWARD])
    outward = min(max(side * (s * x + c * y), closer - most[_INWARD]), closer + most[_OUTWARD])
    left = side * outward
    out[0], out[1], out[2] = c * ahead + s * left, c * left - s * ahead, turn
