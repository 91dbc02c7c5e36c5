"""Walk a family of motion in steps: at each step its pieces are solved again from where the foot stands."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.families import N_ENDS, cost, direct, rank, solve
from gangart.footsteps.finish import add, finish
from gangart.footsteps.ways import CHANGE_AHEAD, PACE_FORWARD, PACE_TURN, allow, braking, go, way
from gangart.signals import Array

_CLEARLY = 1.4  # what is estimated for all directions at once is missed by turning and by speeding up
_LATE = 0.3  # [steps] a step may be of no use, and that much more, before other curves are tried
_NEARS = np.array([1.6])  # [steps] nearer than that all directions are walked at once


@kernel
def walk_family(
    family: int, near: float, goal: Array, body: Array, side: float, ways: Array, most: Array, steps: Array, end: int
) -> int:
    """Steps of one family to the goal; arguments and answer as in `finish`."""
    pieces, rest, wish, made = np.empty((3, 4)), np.empty(3), np.empty(3), np.empty(3)
    n, left = 0, np.inf
    while n < end:
        way(body, goal, rest)
        straight = direct(rest, most)
        if straight < near:
            break
        left = _again(family, body, goal, rest[2], ways[1, 0], left + _LATE, most, pieces)
        if left >= _CLEARLY * straight + 1.0:
            break
        _wish(pieces, side, ways, most, wish)
        allow(wish, side, ways[1], ways[0], most, made)
        go(body, made[0], made[1], made[2], body)
        ways[0] = ways[1]
        ways[1] = made
        add(steps, n, body, side)
        n += 1
        side = -side
    return finish(body, goal, side, ways, most, steps, n, end)


@kernel
def _again(
    family: int, body: Array, goal: Array, yaw: float, speed: float, hoped: float, most: Array, pieces: Array
) -> float:
    """Solve the pieces of a family from where the foot stands now; answers what they cost [steps].

    The family itself will do if it costs no more than was hoped for.

    Steps do not follow the curves exactly. What is missing is made up by the cheapest of the same family with its
    curves to either side, or turned in place: a curve that went a little too far is not driven around once more.
    """
    c, s = np.cos(body[2]), np.sin(body[2])
    dx, dy = goal[0] - body[0], goal[1] - body[1]
    x, y = c * dx + s * dy, c * dy - s * dx
    straight, first, last = family % 2, (family // 2) % N_ENDS, family // 2 // N_ENDS
    if solve(family, x, y, yaw, most, pieces):
        value = cost(pieces, speed, most)
        if value <= hoped:
            return value
    trial = np.empty((3, 4))
    least = np.inf
    for i in range(4 if first > 1 else 2):
        begin = first ^ i if i < 2 else i - 2
        for j in range(4 if last > 1 else 2):
            end = last ^ j if j < 2 else j - 2
            if solve(2 * (end * N_ENDS + begin) + straight, x, y, yaw, most, trial):
                value = cost(trial, speed, most)
                if value < least:
                    least = value
                    pieces[:] = trial
    return least


@kernel
def _wish(pieces: Array, side: float, ways: Array, most: Array, wish: Array) -> None:
    """The way of the next step: what is left of the present piece, the turn of two steps with the leading foot."""
    i = 0
    while i < 2 and pieces[i, 0] < 0.05:
        i += 1
    sense = np.sign(pieces[i, 1])
    run, j = 0.0, i
    while j < 3 and sense != 0.0 and (np.sign(pieces[j, 1]) == sense or pieces[j, 0] < 1e-6):
        run += pieces[j, 3]
        j += 1
    ahead = min(abs(pieces[i, 1]), braking(run, most[CHANGE_AHEAD]))
    wish[0] = sense * ahead
    wish[1] = 0.0
    turn = pieces[i, 2]
    if i == 0 and sense != 0.0:
        # until the walk is at speed there is pace left to turn
        speed = max(min(ahead, abs(ways[1, 0]) + most[CHANGE_AHEAD]), 0.0) / most[PACE_FORWARD]
        turn = np.copysign(max(abs(turn), most[PACE_TURN] * np.sqrt(max(1.0 - speed * speed, 0.0))), turn)
    if turn == 0.0 and i == 1 and pieces[1, 0] < 1.0:
        turn = pieces[2, 2] * (1.0 - pieces[1, 0])
        left = pieces[2, 0] * abs(pieces[2, 2])
    else:
        left = pieces[i, 0] * abs(pieces[i, 2])
    if side * turn > 0.0:
        wish[2] = np.copysign(min(2.0 * abs(turn), left), turn)
    else:
        wish[2] = 0.0


@kernel
def best_family(
    goal: Array, body: Array, side: float, ways: Array, most: Array, keep: int, steps: Array, limit: int
) -> tuple[int, int]:
    """Simulate the cheapest families and write down the one of least steps.

    Returns:
        Number of steps and family (-1: straight at the goal); steps are negative if none arrives in `limit` steps.
    """
    order, costs = np.empty(keep, dtype=np.int64), np.empty(keep)
    found = rank(body, goal, ways[1, 0], most, order, costs)
    trial = np.empty_like(steps)
    at, before = body.copy(), ways.copy()
    best = finish(at, goal, side, before, most, steps, 0, limit)
    chosen = -1
    for k in range(found):
        for near in _NEARS:
            at[:] = body
            before[:] = ways
            end = best - 1 if best > 0 else limit
            n = walk_family(order[k], near, goal, at, side, before, most, trial, end)
            if n > 0 and (best <= 0 or n < best):
                best, chosen = n, order[k]
                steps[:n] = trial[:n]
    return best, chosen
