"""The learned next step: features of where the goal lies, and two policies that answer with a way (Zellhöfer 2.1).

Everything is mirrored so that the left foot steps: what holds for one foot holds for the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.families import direct
from gangart.footsteps.finish import add, finish
from gangart.footsteps.ways import PACE_FORWARD, PACE_SIDEWAYS, PACE_TURN, allow, go, way
from gangart.signals import Array

FEATURES = 10
NEIGHBOURS = 5
_FINE = 0.2  # [m] nearer than that a goal is seen finely
_NEAR = 2.5  # [steps] from the goal the last steps go straight at it


@kernel
def features(body: Array, goal: Array, side: float, other: Array, most: Array, out: Array) -> None:
    """What a policy sees: the goal from the standing foot's body frame, and the way of the step before."""
    c, s = np.cos(body[2]), np.sin(body[2])
    dx, dy = goal[0] - body[0], goal[1] - body[1]
    x, y, yaw = c * dx + s * dy, side * (c * dy - s * dx), side * (goal[2] - body[2])
    away = np.hypot(x, y) + 1e-9
    out[0], out[1] = np.arcsinh(x / _FINE), np.arcsinh(y / _FINE)
    out[2], out[3] = np.sin(yaw), np.cos(yaw)
    out[4], out[5] = y / away, x / away
    out[6] = np.arcsinh(away / _FINE)
    out[7] = other[0] / most[PACE_FORWARD]
    out[8] = side * other[1] / max(most[PACE_SIDEWAYS], 1e-9) / 2.0
    out[9] = side * other[2] / most[PACE_TURN] / 2.0


@kernel
def perceive(seen: Array, first: Array, second: Array, third: Array, out: Array) -> None:
    """A network of two hidden layers of tanh; each matrix has its bias as the last row. `out` in units of the pace."""
    a, b = np.empty(first.shape[1]), np.empty(second.shape[1])
    for j in range(len(a)):
        total = first[len(seen), j]
        for i in range(len(seen)):
            total += seen[i] * first[i, j]
        a[j] = np.tanh(total)
    for j in range(len(b)):
        total = second[len(a), j]
        for i in range(len(a)):
            total += a[i] * second[i, j]
        b[j] = np.tanh(total)
    for j in range(3):
        total = third[len(b), j]
        for i in range(len(b)):
            total += b[i] * third[i, j]
        out[j] = total


@kernel
def remember(seen: Array, known: Array, answers: Array, out: Array) -> None:
    """The mean of the nearest known answers, weighted by the inverse of their distances."""
    best, at = np.full(NEIGHBOURS, np.inf), np.zeros(NEIGHBOURS, dtype=np.int64)
    for i in range(len(known)):
        far = 0.0
        for j in range(len(seen)):
            far += (seen[j] - known[i, j]) ** 2
            if far >= best[-1]:
                break
        if far < best[-1]:
            k = NEIGHBOURS - 1
            while k > 0 and best[k - 1] > far:
                best[k], at[k] = best[k - 1], at[k - 1]
                k -= 1
            best[k], at[k] = far, i
    out[:] = 0.0
    total = 0.0
    for k in range(NEIGHBOURS):
        weight = 1.0 / (np.sqrt(best[k]) + 1e-3)
        total += weight
        for j in range(3):
            out[j] += weight * answers[at[k], j]
    out /= total


@kernel
def next_way(
    body: Array, goal: Array, side: float, ways: Array, most: Array, network: bool, tables: Any, out: Array
) -> None:
    """The way of the next step by a policy, within the limits; `ways` first of the foot that steps."""
    first, second, third, known, answers, scale = tables
    seen, wish = np.empty(FEATURES), np.empty(3)
    features(body, goal, side, ways[1], most, seen)
    seen *= scale
    if network:
        perceive(seen, first, second, third, wish)
    else:
        remember(seen, known, answers, wish)
    wish[0] *= most[PACE_FORWARD]
    wish[1] *= side * 2.0 * most[PACE_SIDEWAYS]
    wish[2] *= side * 2.0 * most[PACE_TURN]
    allow(wish, side, ways[1], ways[0], most, out)


@kernel
def walk_policy(
    goal: Array,
    body: Array,
    side: float,
    ways: Array,
    most: Array,
    network: bool,
    tables: Any,
    steps: Array,
    end: int,
) -> int:
    """Steps of a policy until the goal is near, then straight to it; arguments and answer as in `finish`."""
    made, rest = np.empty(3), np.empty(3)
    n = 0
    while n < end:
        way(body, goal, rest)
        if direct(rest, most) < _NEAR:
            return finish(body, goal, side, ways, most, steps, n, len(steps))
        next_way(body, goal, side, ways, most, network, tables, made)
        go(body, made[0], made[1], made[2], body)
        ways[0] = ways[1]
        ways[1] = made
        add(steps, n, body, side)
        n += 1
        side = -side
    return -n
