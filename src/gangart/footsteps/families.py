"""Families of motion in closed form: curve, straight, curve, ahead or back, with radii from turning in place to wide.

Every family moves with a twist on the limit of the pace; so its duration counts steps. Solutions of three pieces exist
in closed form for any two radii (Dubins' and Reeds and Shepp's paths, here with turning in place as the radius 0).
"""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.ways import CHANGE_AHEAD, PACE_BACKWARD, PACE_FORWARD, PACE_TURN, pace_load, way
from gangart.signals import Array, Ints

# Angles on the pace ellipse: how the pace is shared between turning (90°) and going ahead (0°).
SHARES = np.radians(np.array([90.0, 65.0, 45.0, 28.0]))
N_ENDS = 2 * (1 + 2 * (len(SHARES) - 1))
N_FAMILIES = 2 * N_ENDS * N_ENDS
_TINY = 1e-9


@kernel
def end_of(k: int) -> tuple[float, float, float]:
    """A kind of curve: sense of turning, sense of going, share of the pace that goes ahead (cos, of `SHARES`)."""
    turn = 1.0 if k % 2 == 0 else -1.0
    k //= 2
    if k == 0:
        return turn, 1.0, 0.0
    sense = 1.0 if k % 2 == 1 else -1.0
    return turn, sense, np.cos(SHARES[(k + 1) // 2])


@kernel
def solve(family: int, x: float, y: float, yaw: float, most: Array, out: Array) -> bool:
    """Durations of the three pieces, in steps at full pace, to the goal (x, y [m], yaw [rad]) in the body frame.

    Args:
        family: number of the family.
        x: of the goal, ahead [m].
        y: to the left [m].
        yaw: of the goal [rad].
        most: limits.
        out: (3, 4) takes duration [steps], way ahead per step [m], turn per step [rad] and length [m] of each piece.

    Returns:
        False where the two curves have no straight piece between them.
    """
    straight = 1.0 if family % 2 == 0 else -1.0
    family //= 2
    turn1, sense1, share1 = end_of(family % N_ENDS)
    turn3, sense3, share3 = end_of(family // N_ENDS)
    v1 = share1 * (most[PACE_FORWARD] if sense1 > 0.0 else -most[PACE_BACKWARD])
    v3 = share3 * (most[PACE_FORWARD] if sense3 > 0.0 else -most[PACE_BACKWARD])
    w1 = turn1 * most[PACE_TURN] * np.sqrt(1.0 - share1 * share1)
    w3 = turn3 * most[PACE_TURN] * np.sqrt(1.0 - share3 * share3)
    r1, r3 = v1 / w1, v3 / w3
    # centres of the circles: to the left of the pose by the signed radius
    dx, dy = x - r3 * np.sin(yaw), y + r3 * np.cos(yaw) - r1
    away, between = dx * dx + dy * dy, r3 - r1
    square = away - between * between
    if square < 0.0:
        return False
    length = np.sqrt(square)
    if away < _TINY * _TINY:
        psi = 0.0 if turn1 == turn3 else yaw
    else:
        psi = np.arctan2(dy, dx) - np.arctan2(between, straight * length)
    a = _turned(turn1 * psi)
    c = _turned(turn3 * (yaw - psi))
    v2 = most[PACE_FORWARD] if straight > 0.0 else -most[PACE_BACKWARD]
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = a / abs(w1), v1, w1, a * abs(r1)
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = length / abs(v2), v2, 0.0, length
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = c / abs(w3), v3, w3, c * abs(r3)
    return True


@kernel
def _turned(angle: float) -> float:
    """An angle in [0, 2π), where nearly a whole turn counts as none."""
    found = angle % (2.0 * np.pi)
    return 0.0 if found > 2.0 * np.pi - 1e-7 else found


@kernel
def cost(pieces: Array, speed: float, most: Array) -> float:
    """Steps that a family takes when walking starts at `speed` [m per step] ahead, with all starting and stopping."""
    total, run, sense, begin = 0.0, 0.0, 0.0, speed
    for i in range(3):
        if pieces[i, 0] < 1e-6:
            continue
        total += pieces[i, 0]
        now = np.sign(pieces[i, 1])
        if now != sense or now == 0.0:
            total += _ramps(run, sense, begin, most)
            begin = begin if run == 0.0 and sense == 0.0 else 0.0
            if now == 0.0 and begin != 0.0:
                total += abs(begin) / most[CHANGE_AHEAD] / 2.0
                begin = 0.0
            run, sense = 0.0, now
        run += pieces[i, 3]
    return float(total + _ramps(run, sense, begin, most))


@kernel
def _ramps(run: float, sense: float, begin: float, most: Array) -> float:
    """What a run [m] takes longer because it starts at `begin` [m per step] and ends at rest."""
    if sense == 0.0 or run <= 0.0:
        return 0.0
    v, d = (most[PACE_FORWARD] if sense > 0.0 else most[PACE_BACKWARD]), most[CHANGE_AHEAD]
    first = sense * begin
    extra = 0.0
    if first < 0.0:  # it goes the other way still
        extra = 2.0 * -first / d
        first = 0.0
    missing = (v - first) * (v - first) / (2.0 * d * v) + v / (2.0 * d)
    short = 2.0 * np.sqrt(run / d) - run / v if run < v * v / d else np.inf
    return float(extra + min(missing, max(short, 0.0)))


@kernel
def direct(goal: Array, most: Array) -> float:
    """Steps of going straight at a goal (a way), in all directions at once."""
    half = goal[2] / 2.0
    longer = half / np.sin(half) if abs(half) > 1e-6 else 1.0  # the arc over its chord
    return float(pace_load(goal[0] * longer, goal[1] * longer, goal[2], most))


@kernel
def rank(body: Array, goal: Array, speed: float, most: Array, best: Ints, costs: Array) -> int:
    """The families of least cost, in order; answers how many were found."""
    c, s = np.cos(body[2]), np.sin(body[2])
    dx, dy = goal[0] - body[0], goal[1] - body[1]
    x, y, yaw = c * dx + s * dy, c * dy - s * dx, goal[2] - body[2]
    pieces = np.empty((3, 4))
    n = 0
    for family in range(N_FAMILIES):
        if not solve(family, x, y, yaw, most, pieces):
            continue
        value = cost(pieces, speed, most)
        if n == len(best) and value >= costs[n - 1]:
            continue
        if n < len(best):
            n += 1
        k = n - 1
        while k > 0 and costs[k - 1] > value:
            best[k], costs[k] = best[k - 1], costs[k - 1]
            k -= 1
        best[k], costs[k] = family, value
    return n


@kernel
def least(body: Array, goal: Array, most: Array) -> float:
    """Steps at full pace to a goal, the best of all families, without starting and stopping."""
    rest = np.empty(3)
    way(body, goal, rest)
    found = direct(rest, most)
    c, s = np.cos(body[2]), np.sin(body[2])
    dx, dy = goal[0] - body[0], goal[1] - body[1]
    x, y, yaw = c * dx + s * dy, c * dy - s * dx, goal[2] - body[2]
    pieces = np.empty((3, 4))
    for family in range(N_FAMILIES):
        if solve(family, x, y, yaw, most, pieces):
            found = min(found, pieces[0, 0] + pieces[1, 0] + pieces[2, 0])
    return found
