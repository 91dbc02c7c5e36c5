"""Walk off a body path: a step is set where the next one would leave the allowed range (Zellhöfer 3.2, figure 5)."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.finish import add, finish
from gangart.footsteps.ways import CHANGE_AHEAD, PACE_FORWARD, PACE_TURN, allow, braking, fits, go, way
from gangart.signals import Array

_PIVOT = 1e-6  # [m] a piece of path that is shorter only turns


@kernel
def track(path: Array, goal: Array, body: Array, side: float, ways: Array, most: Array, steps: Array) -> int:
    """Steps along a path, and from its end to the goal; arguments and answer as in `finish`."""
    run = np.empty(len(path))
    runs(path, run)
    made, wish = np.empty(3), np.empty(3)
    n, at, last, end = 0, 0, len(path) - 1, len(steps)
    while at < last and n < end:
        reached = _farthest(path, run, at, body, side, ways, most)
        if reached > at:
            way(body, path[reached], made)
            at = reached
        else:
            # nothing on the path can be reached exactly: get nearer to it, and wait no longer than needed
            ahead = _ahead(path, at, most[PACE_FORWARD] / 2.0, most[PACE_TURN] / 2.0)
            way(body, path[ahead], wish)
            most_ahead = braking(max(run[at], abs(wish[0])), most[CHANGE_AHEAD])
            wish[0] = min(max(wish[0], -most_ahead), most_ahead)
            allow(wish, side, ways[1], ways[0], most, made)
            if np.abs(made).sum() > 1e-9 or np.abs(ways).sum() < 1e-9:
                at = _nearest(path, at, ahead, body, made)
        go(body, made[0], made[1], made[2], body)
        ways[0] = ways[1]
        ways[1] = made
        add(steps, n, body, side)
        n += 1
        side = -side
    return finish(body, goal, side, ways, most, steps, n, end)


@kernel
def runs(path: Array, run: Array) -> None:
    """For each pose how far the path goes on without changing between ahead and back, or turning in place [m]."""
    piece = np.empty(3)
    run[len(path) - 1] = 0.0
    before = 0.0
    for i in range(len(path) - 2, -1, -1):
        way(path[i], path[i + 1], piece)
        sense = 0.0 if abs(piece[0]) < _PIVOT else np.copysign(1.0, piece[0])
        run[i] = 0.0 if sense == 0.0 else abs(piece[0]) + (run[i + 1] if sense == before else 0.0)
        before = sense


@kernel
def _farthest(path: Array, run: Array, at: int, body: Array, side: float, ways: Array, most: Array) -> int:
    """The farthest pose on the path that one step reaches, from which one can still slow down in time."""
    found = at
    there = np.empty(3)
    reach = 1.3 * (abs(ways[1, 0]) + most[CHANGE_AHEAD]) + 0.01
    turned = 0.0
    for j in range(at + 1, len(path)):
        way(body, path[j], there)
        turned += abs(path[j, 2] - path[j - 1, 2])
        if abs(there[0]) > reach or turned > 2.5 * most[PACE_TURN]:
            break
        slow = abs(there[0]) <= braking(run[j] + abs(there[0]), most[CHANGE_AHEAD]) + 1e-9
        if slow and fits(there, side, ways[1], ways[0], most):
            found = j
    return found


@kernel
def _ahead(path: Array, at: int, distance: float, turn: float) -> int:
    """The pose on the path that is a distance [m] or a turn [rad] further on."""
    gone, turned = 0.0, 0.0
    for j in range(at + 1, len(path)):
        gone += np.hypot(path[j, 0] - path[j - 1, 0], path[j, 1] - path[j - 1, 1])
        turned += abs(path[j, 2] - path[j - 1, 2])
        if gone >= distance or turned >= turn:
            return j
    return len(path) - 1


@kernel
def _nearest(path: Array, at: int, ahead: int, body: Array, made: Array) -> int:
    """Which pose of the piece between both is nearest to where a step leads."""
    there = np.empty(3)
    go(body, made[0], made[1], made[2], there)
    best, found = np.inf, at
    for j in range(at, ahead + 1):
        away = np.hypot(path[j, 0] - there[0], path[j, 1] - there[1]) + 0.3 * abs(path[j, 2] - there[2])
        if away < best:
            best, found = away, j
    return found
