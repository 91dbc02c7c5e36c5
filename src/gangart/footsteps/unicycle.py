"""Kinematic controllers of a unicycle, simulated (Zellhöfer 2.3, 3.1): body paths that end in the goal."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.ways import wrap
from gangart.signals import Array

AICARDI, INDIVERI = 0, 1
# Gains within the stability conditions beside (4) and (5); γ only sets the time scale, which steps do not have.
_K, _H_AICARDI = 2.0, 1.0
_H_INDIVERI, _BETA = 2.0, 2.9
_NEAR = 1e-3  # [m] from the goal the path ends: the last steps take it from there
_TURN_FIRST = np.pi / 2.0  # [rad] beyond this the forward controller turns in place first (Zellhöfer, footnote 4)


@kernel
def sinc(x: float) -> float:
    """The sine of an angle over the angle, and its limit at 0."""
    return 1.0 - x * x / 6.0 if abs(x) < 1e-4 else np.sin(x) / x


@kernel
def rates(law: int, x: float, y: float, yaw: float) -> tuple[float, float]:
    """Speed [m/s] and turning rate [rad/s] of a unicycle whose goal is the origin, γ = 1 (Zellhöfer 2, 4, 5)."""
    e = np.hypot(x, y)
    phi = np.arctan2(-y, -x) if e > 0.0 else yaw  # e → 0: no direction is better than the own
    alpha = wrap(phi - yaw)
    if law == AICARDI:
        v = np.cos(alpha) * e
        return v, _K * alpha + np.cos(alpha) * sinc(alpha) * (alpha + _H_AICARDI * phi)
    # v / e stays finite, so ω needs no division by e
    return e, np.sin(alpha) + _H_INDIVERI * phi * sinc(alpha) + _BETA * alpha


@kernel
def follow(law: int, start: Array, goal: Array, ahead: float, turn: float, path: Array, fixed: float) -> int:
    """Simulate (3) from `start` to `goal`; answers how many rows of `path` are filled.

    Between two rows the body moves by at most `ahead` [m] and turns by at most `turn` [rad]: the integration step
    adapts, and each is made with the rates at its middle. A `fixed` step [s] above 0 is the explicit rule of the
    original.
    """
    c, s = np.cos(goal[2]), np.sin(goal[2])
    dx, dy = start[0] - goal[0], start[1] - goal[1]
    x, y, yaw = c * dx + s * dy, c * dy - s * dx, wrap(start[2] - goal[2])
    n = _put(path, 0, x, y, yaw, goal, c, s)
    if law == INDIVERI:
        alpha = wrap(np.arctan2(-y, -x) - yaw)
        if abs(alpha) > _TURN_FIRST and np.hypot(x, y) > _NEAR:
            n = _pivot(path, n, x, y, yaw, alpha - np.copysign(_TURN_FIRST * 0.8, alpha), turn, goal, c, s)
            yaw = wrap(yaw + alpha - np.copysign(_TURN_FIRST * 0.8, alpha))
    while n < len(path) and np.hypot(x, y) > _NEAR:
        v, w = rates(law, x, y, yaw)
        dt = fixed
        if fixed <= 0.0:
            dt = min(ahead / max(abs(v), 1e-12), turn / max(abs(w), 1e-12), 0.05)
            v, w = rates(law, x + v * np.cos(yaw) * dt / 2.0, y + v * np.sin(yaw) * dt / 2.0, yaw + w * dt / 2.0)
            middle = yaw + w * dt / 2.0
        else:
            middle = yaw
        x, y, yaw = x + v * np.cos(middle) * dt, y + v * np.sin(middle) * dt, wrap(yaw + w * dt)
        n = _put(path, n, x, y, yaw, goal, c, s)
    return n


@kernel
def _put(path: Array, n: int, x: float, y: float, yaw: float, goal: Array, c: float, s: float) -> int:
    """Write a pose of the goal's frame to the path, in the world."""
    path[n, 0], path[n, 1], path[n, 2] = goal[0] + c * x - s * y, goal[1] + s * x + c * y, goal[2] + yaw
    return n + 1


@kernel
def _pivot(
    path: Array, n: int, x: float, y: float, yaw: float, by: float, turn: float, goal: Array, c: float, s: float
) -> int:
    """Turn in place."""
    parts = int(np.ceil(abs(by) / turn))
    for k in range(parts):
        n = _put(path, n, x, y, yaw + by * (k + 1) / parts, goal, c, s)
    return n
