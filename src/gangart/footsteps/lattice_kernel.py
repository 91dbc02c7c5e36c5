"""A* over footsteps: which ways a step tries, when two states count as one, and the search itself.

A row of `nodes` is one step made: body frame of its foot (0:3) and of the foot before (3:6), side of the next foot (6),
last way of the next foot (7:10) and of the foot that has just landed (10:13), steps so far (13), estimate of
the rest (14).

`sight` is what the estimates need: (table, far, corner) of `bound`; `world` what steps can touch: (soles, corners,
discs, high) of `collisions.Field`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.bound import around, look_up, pop, push
from gangart.footsteps.collisions import touches
from gangart.footsteps.families import direct
from gangart.footsteps.finish import finish
from gangart.footsteps.hybrid_kernel import best_family
from gangart.footsteps.ways import (
    CHANGE_AHEAD,
    PACE_BACKWARD,
    PACE_FORWARD,
    PACE_SIDEWAYS,
    PACE_TURN,
    allow,
    foot_of,
    go,
    way,
    wrap,
)
from gangart.signals import Array, Ints

COLUMNS = 15
# What a step tries: change ahead in units of the change limit, outward way and turn in units of a double step's pace.
# What goes beyond the limits is brought to them on the line to the slowest way.
TRIES = np.array(
    [(a, 0.0, t) for t in (0.0, 0.35, 0.7, 1.0, -0.35) for a in (1.0, 0.0, -1.0)]
    + [(a, y, 0.0) for y in (0.5, 1.0, -0.5) for a in (1.0, 0.0, -1.0)]
    + [(0.5, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.0, 0.5, 0.5), (0.0, -0.5, 0.5), (0.0, 0.5, -0.35)]
)
_CELL, _ANGLE = 0.02, 0.06  # [m], [rad] states nearer than that count as one
_COARSE = 2.5  # times that where any way will do: else a search fills the pockets before obstacles state by state
_NEAR = 5.0  # [steps] from the goal the last steps are tried from every state
_SLACK = 1e-6
_OVERLAP = 0.6  # of turning is not done while walking


@kernel
def search(
    root: Array,
    feet: Array,
    goal: Array,
    most: Array,
    sight: Any,
    world: Any,
    weight: float,
    budget: int,
    best: int,
    first: bool,
    steps: Array,
) -> tuple[int, int, bool]:
    """Look for a plan of fewer than `best` steps.

    Args:
        root: (r, 15) first nodes, one for each foot that may go first.
        feet: (2, 3) footprints at the start.
        goal: body pose.
        most: limits.
        sight: what the estimates need.
        world: what steps can touch.
        weight: of the estimate; above 1 finds a plan sooner.
        budget: states to expand.
        best: steps of the best plan so far.
        first: be content with the first plan, and look at states that are farther apart.
        steps: (m, 4) takes the plan; body frames and sides.

    Returns:
        Steps of the plan (negative: none found, and that many rows lead to the nearest state); expansions; whether all
        states were seen.
    """
    nodes, parent, values, items, keys, made = _memory(budget * len(TRIES) + len(root))
    count = np.zeros(2, dtype=np.int64)  # nodes there are, and that wait
    for r in range(len(root)):
        nodes[r] = root[r]
        nodes[r, 14] = estimate(nodes[r], goal, most, sight)
        parent[r] = -1
        count[1] = push(values, items, count[1], weight * nodes[r, 14], r)
        count[0] += 1
    tail, rest = np.empty((len(steps), 4)), np.empty(3)
    expanded, found, nearest, record = 0, -1, 0, np.inf
    while count[1] > 0 and expanded < budget and not (first and found > 0):
        at = items[0]
        count[1] = pop(values, items, count[1])
        node = nodes[at]
        if node[13] + min(weight, 1.0) * node[14] >= best - _SLACK:
            continue
        expanded += 1
        if node[14] < nodes[nearest, 14]:
            nearest = at
        way(node[0:3], goal, rest)
        rolled = node[14] < record - 1.0
        if rolled or direct(rest, most) < _NEAR:
            record = min(record, node[14])
            total = _finished(nodes, parent, at, feet, goal, most, world, rolled, best, tail, steps)
            if total > 0:
                best, found = total, total
        _expand(
            nodes, parent, values, items, keys, made, count, at, feet, goal, most, sight, world, weight, best, first
        )
    if found < 0:
        return -_trace(nodes, parent, nearest, steps), expanded, count[1] == 0
    return found, expanded, count[1] == 0


@kernel
def _memory(room: int) -> Any:
    """Room for nodes, their parents, a heap, and a table of keys; untouched memory costs nothing."""
    size = 1
    while size < 2 * room:
        size *= 2
    return (
        np.empty((room, COLUMNS)),
        np.empty(room, dtype=np.int64),
        np.empty(room + 1),
        np.empty(room + 1, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.empty(size, dtype=np.int16),
    )


@kernel
def _expand(
    nodes: Array,
    parent: Ints,
    values: Array,
    items: Ints,
    keys: Ints,
    made: Ints,
    count: Ints,
    at: int,
    feet: Array,
    goal: Array,
    most: Array,
    sight: Any,
    world: Any,
    weight: float,
    best: int,
    coarse: bool,
) -> None:
    """Try all steps from a state."""
    soles, corners, discs, high = world
    node, side = nodes[at], nodes[at, 6]
    wish, step, before, after, stance = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    foot = 0 if side > 0.0 else 1
    if node[13] == 0.0:
        before[:], stance[:] = feet[foot], feet[1 - foot]
    else:
        foot_of(node[3:6], side, most[0], before)
        foot_of(node[0:3], -side, most[0], stance)
    for k in range(len(TRIES)):
        wish[0] = node[10] + TRIES[k, 0] * most[CHANGE_AHEAD]
        wish[1] = side * TRIES[k, 1] * 2.0 * most[PACE_SIDEWAYS]
        wish[2] = side * TRIES[k, 2] * 2.0 * most[PACE_TURN]
        allow(wish, side, node[10:13], node[7:10], most, step)
        new = nodes[count[0]]
        go(node[0:3], step[0], step[1], step[2], new[0:3])
        new[3:6] = node[0:3]
        new[6] = -side
        new[7:10] = node[10:13]
        new[10:13] = step
        new[13] = node[13] + 1.0
        slot = _slot(new, goal, most, coarse, keys)
        if keys[slot] != 0 and made[slot] <= new[13]:
            continue
        new[14] = estimate(new, goal, most, sight)
        if new[13] + min(weight, 1.0) * new[14] >= best - _SLACK:
            continue
        foot_of(new[0:3], side, most[0], after)
        if touches(before, after, stance, foot, soles, corners, discs, high):
            continue
        keys[slot], made[slot] = _key(new, goal, most, coarse), new[13]
        parent[count[0]] = at
        # of equal sums the deeper state comes first
        count[1] = push(values, items, count[1], new[13] + weight * new[14] - 1e-3 * new[13], count[0])
        count[0] += 1


@kernel
def estimate(node: Array, goal: Array, most: Array, sight: Any) -> float:
    """Steps that are left, with the last one, which brings the feet together."""
    table, far, corner = sight
    rest = np.empty(3)
    way(node[0:3], goal, rest)
    left = look_up(table, rest, node[10], most) + 1.0
    if corner[2] == 0.0:
        return left
    turn = np.empty(3)
    if not around(far, corner, node[0:3], turn):
        return np.inf
    if turn[1] == goal[0] and turn[2] == goal[1]:
        return left
    return max(_detour(node, turn, most), left)


@kernel
def _detour(node: Array, turn: Array, most: Array) -> float:
    """Steps of a way around obstacles: face its next turn, ahead or backwards, and walk its whole length."""
    bearing = np.arctan2(turn[2] - node[1], turn[1] - node[0])
    askew = abs(wrap(bearing - node[2]))
    missing = most[PACE_FORWARD] - min(abs(node[10]), most[PACE_FORWARD])
    ramp = missing * missing / (2.0 * most[CHANGE_AHEAD] * most[PACE_FORWARD]) + 2.5
    ahead = _OVERLAP * askew / most[PACE_TURN] + turn[0] / most[PACE_FORWARD]
    back = np.inf
    if most[PACE_BACKWARD] > 0.0:
        back = _OVERLAP * (np.pi - askew) / most[PACE_TURN] + turn[0] / most[PACE_BACKWARD]
    return float(min(ahead, back) + ramp)


@kernel
def _finished(
    nodes: Array,
    parent: Ints,
    at: int,
    feet: Array,
    goal: Array,
    most: Array,
    world: Any,
    rolled: bool,
    best: int,
    tail: Array,
    steps: Array,
) -> int:
    """Try to complete a state to a plan of fewer than `best` steps: by the best family of motion, or straight."""
    node = nodes[at]
    limit = min(best - int(node[13]), len(tail))
    if limit <= 0:
        return -1
    body, ways = node[0:3].copy(), np.empty((2, 3))
    ways[0], ways[1] = node[7:10], node[10:13]
    if rolled:
        n, _ = best_family(goal, body, node[6], ways, most, 2, tail, limit)
    else:
        n = finish(body, goal, node[6], ways, most, tail, 0, limit)
    total = int(node[13]) + n
    if n <= 0 or total >= best:
        return -1
    trial = np.empty((total, 4))
    length = _trace(nodes, parent, at, trial)
    trial[length:] = tail[:n]
    if not _free(feet, trial, most[0], world):
        return -1
    steps[:total] = trial
    return total


@kernel
def _trace(nodes: Array, parent: Ints, at: int, steps: Array) -> int:
    """Write down the steps that lead to a state; answers how many."""
    length = int(nodes[at, 13])
    k = length - 1
    while parent[at] >= 0:
        steps[k, 0:3] = nodes[at, 0:3]
        steps[k, 3] = -nodes[at, 6]
        at = parent[at]
        k -= 1
    return length


@kernel
def _free(feet: Array, steps: Array, spacing: float, world: Any) -> bool:
    """Whether all steps touch nothing."""
    soles, corners, discs, high = world
    now, landing = feet.copy(), np.empty(3)
    for k in range(len(steps)):
        foot = 0 if steps[k, 3] > 0.0 else 1
        foot_of(steps[k, 0:3], steps[k, 3], spacing, landing)
        if touches(now[foot], landing, now[1 - foot], foot, soles, corners, discs, high):
            return False
        now[foot] = landing
    return True


@kernel
def _key(node: Array, goal: Array, most: Array, coarse: bool) -> Any:
    """States of the same key count as one; where it is `coarse`, with the same speed ahead and whatever else."""
    cell, angle = (_COARSE * _CELL, _COARSE * _ANGLE) if coarse else (_CELL, _ANGLE)
    turns = np.floor((node[2] - goal[2]) / angle) % np.round(2.0 * np.pi / angle)
    key = np.int64(np.floor((node[0] - goal[0]) / cell) + 4000.0)
    key = key * 8000 + np.int64(np.floor((node[1] - goal[1]) / cell) + 4000.0)
    key = key * 128 + np.int64(turns)
    if coarse:
        key = key * 32 + np.int64(np.floor(node[10] / most[CHANGE_AHEAD] + 0.5) + 16.0) % 32
        return key * 2 + (1 if node[6] > 0.0 else 0) + 1
    key = key * 32 + np.int64(np.floor(node[10] / most[CHANGE_AHEAD] * 2.0 + 0.5) + 16.0) % 32
    key = key * 16 + np.int64(np.floor(node[12] / most[PACE_TURN] * 2.0 + 0.5) + 8.0) % 16
    key = key * 8 + np.int64(np.floor(node[11] / max(most[PACE_SIDEWAYS], 1e-9) + 0.5) + 4.0) % 8
    return key * 2 + (1 if node[6] > 0.0 else 0) + 1


@kernel
def _slot(node: Array, goal: Array, most: Array, coarse: bool, keys: Ints) -> Any:
    """Where a state's key stands in the table, or belongs."""
    key = _key(node, goal, most, coarse)
    mixed = np.uint64(key) * np.uint64(11400714819323198485)  # Fibonacci hashing
    slot = np.int64((mixed >> np.uint64(20)) & np.uint64(len(keys) - 1))
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot
