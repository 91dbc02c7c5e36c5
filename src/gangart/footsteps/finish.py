"""The last steps: when the goal is near, go straight at it in all directions at once, and end exactly there."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.ways import CHANGE_AHEAD, CHANGE_SIDEWAYS, CHANGE_TURN, allow, braking, fits, go, way
from gangart.signals import Array

_EXACT = 1e-11  # [m], [rad]


@kernel
def toward(body: Array, goal: Array, side: float, other: Array, same: Array, most: Array, out: Array) -> bool:
    """The way of the next step straight to the goal; true if it ends there."""
    rest = np.empty(3)
    way(body, goal, rest)
    wish = np.empty(3)
    for i, change in ((0, most[CHANGE_AHEAD]), (1, most[CHANGE_SIDEWAYS]), (2, most[CHANGE_TURN])):
        wish[i] = np.copysign(min(abs(rest[i]), braking(abs(rest[i]), change)), rest[i])
    met = allow(wish, side, other, same, most, out)
    return bool(met and np.abs(wish - rest).max() <= _EXACT)


@kernel
def finish(body: Array, goal: Array, side: float, ways: Array, most: Array, steps: Array, n: int, end: int) -> int:
    """Step until both feet stand beside the goal.

    Args:
        body: frame of the standing foot; is moved along.
        goal: body pose.
        side: of the foot that steps next.
        ways: (2, 3) last ways, first of the foot that steps next; is kept up to date.
        most: limits.
        steps: (m, 4) takes body frames and sides from row n on.
        n: steps made.
        end: no more steps than that.

    Returns:
        How many steps there are; negative if `end` came first.
    """
    made, rest, zero = np.empty(3), np.empty(3), np.zeros(3)
    while n < end:
        way(body, goal, rest)
        if np.abs(rest).max() < _EXACT and fits(zero, side, ways[1], ways[0], most):
            add(steps, n, body, side)
            return n + 1
        arrives = toward(body, goal, side, ways[1], ways[0], most, made)
        go(body, made[0], made[1], made[2], body)
        if arrives:
            body[0], body[1] = goal[0], goal[1]
        ways[0] = ways[1]
        ways[1] = made
        add(steps, n, body, side)
        n += 1
        side = -side
    return -n


@kernel
def add(steps: Array, n: int, body: Array, side: float) -> None:
    """Write a step down: the body frame that its foot carries, and its side."""
    steps[n, 0], steps[n, 1], steps[n, 2], steps[n, 3] = body[0], body[1], body[2], side
