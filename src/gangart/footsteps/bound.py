"""About how many steps are left, from tables: by families of motion in free space, by distance around obstacles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.collisions import Field, meet
from gangart.footsteps.families import N_FAMILIES, cost, direct, solve
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.ways import CHANGE_AHEAD, PACE_BACKWARD, PACE_FORWARD, way
from gangart.signals import Array, Bools, Ints

# The grid over the goal in the body frame is fine where the goal is near: coordinates are asinh(x / _FINE).
_FINE, _FAR = 0.15, 3.6  # [m]
_ALONG, _TURNS = 41, 32  # nodes along x and over a whole turn
_CELL = 0.05  # [m] of the distance around obstacles
_MARGIN = 1.0  # [m] that the way may lead beyond everything


@lru_cache(maxsize=8)
def steps_left(limits: StepLimits) -> Array:
    """Steps to a goal, (3, turns, left, ahead), when walking back at full pace, standing, and walking ahead so.

    By symmetry only goals to the left are kept. Takes about a second for each new set of limits.
    """
    most = limits.array
    along = np.sinh(np.linspace(-1.0, 1.0, _ALONG) * np.arcsinh(_FAR / _FINE)) * _FINE
    across = along[_ALONG // 2 :]
    speeds = np.array([-most[PACE_BACKWARD], 0.0, most[PACE_FORWARD]])
    out = np.empty((3, _TURNS, len(across), _ALONG))
    _fill(along, across, speeds, most, out)
    return out


@kernel
def _fill(along: Array, across: Array, speeds: Array, most: Array, out: Array) -> None:
    goal, rest, pieces, none = np.empty(3), np.empty(3), np.empty((3, 4)), np.zeros(3)
    for j in range(out.shape[1]):
        goal[2] = -np.pi + 2.0 * np.pi * j / out.shape[1]
        for a in range(len(across)):
            for b in range(len(along)):
                goal[0], goal[1] = along[b], across[a]
                way(none, goal, rest)
                straight = direct(rest, most)
                stop = np.sqrt(2.0 * abs(rest[0]) / most[CHANGE_AHEAD]) * 0.5
                for k in range(3):
                    out[k, j, a, b] = straight + min(stop, most[PACE_FORWARD] / most[CHANGE_AHEAD])
                for family in range(N_FAMILIES):
                    if solve(family, goal[0], goal[1], goal[2], most, pieces):
                        for k in range(3):
                            out[k, j, a, b] = min(out[k, j, a, b], cost(pieces, speeds[k], most))


@kernel
def _coordinate(value: float) -> float:
    """Where a length stands in the table, counted in nodes from the middle."""
    half = (_ALONG - 1) / 2.0
    return float(np.arcsinh(value / _FINE) / np.arcsinh(_FAR / _FINE) * half)


@kernel
def look_up(table: Array, rest: Array, speed: float, most: Array) -> float:
    """Steps to a goal that is a way `rest` off, walking at `speed` [m per step] ahead."""
    c, s = np.cos(rest[2] / 2.0), np.sin(rest[2] / 2.0)
    x, y, yaw = c * rest[0] - s * rest[1], s * rest[0] + c * rest[1], rest[2]
    beyond = max(np.hypot(x, y) - _FAR, 0.0) / most[PACE_FORWARD]
    if y < 0.0:
        y, yaw = -y, -yaw
    half = (_ALONG - 1) // 2
    u = min(max(_coordinate(x) + half, 0.0), 2.0 * half - 1e-6)
    v = min(max(_coordinate(y), 0.0), half - 1e-6)
    w = (yaw + np.pi) / (2.0 * np.pi) * _TURNS
    i, j, k = int(u), int(v), int(w)
    fu, fv, fw = u - i, v - j, w - k
    back = most[PACE_BACKWARD] if speed < 0.0 else most[PACE_FORWARD]
    part = min(abs(speed) / max(back, 1e-9), 1.0)
    which = 0 if speed < 0.0 else 2
    total = 0.0
    for dk in range(2):
        at = (k + dk) % _TURNS
        for dj in range(2):
            for di in range(2):
                weight = (fw if dk else 1.0 - fw) * (fv if dj else 1.0 - fv) * (fu if di else 1.0 - fu)
                still, moving = table[1, at, j + dj, i + di], table[which, at, j + dj, i + di]
                total += weight * (still + part * (2.0 - part) * (moving - still))
    return float(total + beyond)


def distances(field: Field, start: Array, goal: Array, near: float, over: bool) -> tuple[Array, Array]:
    """The shortest way around obstacles on a grid, and the grid's corner x, y and cell [m].

    The way keeps `near` [m] away from obstacles; if it may lead `over` low ones, it keeps away from high ones only.

    For each cell, (columns, rows, 3): distance to the goal [m], and x, y [m] where the way turns next; what cannot be
    reached is infinitely far. Without obstacles the grid is a single cell.
    """
    if not len(field):
        return np.zeros((1, 1, 3)), np.array([0.0, 0.0, 0.0])
    points = np.vstack([start[:2], goal[:2], *(c for c in field.corners)])
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    shape = np.ceil((high - low) / _CELL).astype(int) + 1
    out = np.full((int(shape[0]), int(shape[1]), 3), np.inf)
    corner = np.array([low[0], low[1], _CELL])
    shut = np.zeros(out.shape[:2], dtype=np.bool_)
    _shut(field.corners[field.high > 0.0] if over else field.corners, near, corner, shut)
    _spread(shut, corner, goal, out)
    return out, corner


@kernel
def _shut(areas: Array, near: float, corner: Array, shut: Bools) -> None:
    """Mark the cells that the middle of the body keeps away from."""
    columns, rows = shut.shape
    disc = np.empty((8, 2))
    for k in range(len(areas)):
        x0, x1 = areas[k, :, 0].min() - near, areas[k, :, 0].max() + near
        y0, y1 = areas[k, :, 1].min() - near, areas[k, :, 1].max() + near
        for i in range(max(int((x0 - corner[0]) / _CELL), 0), min(int((x1 - corner[0]) / _CELL) + 2, columns)):
            for j in range(max(int((y0 - corner[1]) / _CELL), 0), min(int((y1 - corner[1]) / _CELL) + 2, rows)):
                for m in range(8):
                    disc[m, 0] = corner[0] + i * _CELL + near * np.cos(np.pi * m / 4.0)
                    disc[m, 1] = corner[1] + j * _CELL + near * np.sin(np.pi * m / 4.0)
                if not shut[i, j] and meet(disc, areas[k]):
                    shut[i, j] = True


@kernel
def _spread(shut: Bools, corner: Array, goal: Array, out: Array) -> None:
    """Theta*: Dijkstra from the goal's cell, where a way runs straight on as long as nothing is between."""
    columns, rows = shut.shape
    values = np.empty(columns * rows * 8)
    items = np.empty(columns * rows * 8, dtype=np.int64)
    gi, gj = int((goal[0] - corner[0]) / _CELL + 0.5), int((goal[1] - corner[1]) / _CELL + 0.5)
    base = np.zeros((columns, rows))  # [m] from where the way turns next to the goal
    out[gi, gj, 0], out[gi, gj, 1], out[gi, gj, 2] = 0.0, goal[0], goal[1]
    n = push(values, items, 0, 0.0, gi * rows + gj)
    while n > 0:
        value, cell = values[0], items[0]
        n = pop(values, items, n)
        i, j = cell // rows, cell % rows
        if value > out[i, j, 0]:
            continue
        for di in range(-1, 2):
            for dj in range(-1, 2):
                a, b = i + di, j + dj
                if (di == 0 and dj == 0) or a < 0 or b < 0 or a >= columns or b >= rows or shut[a, b]:
                    continue
                x, y = corner[0] + a * _CELL, corner[1] + b * _CELL
                via_x, via_y, rest = out[i, j, 1], out[i, j, 2], base[i, j]
                if np.hypot(x - via_x, y - via_y) + rest >= out[a, b, 0]:
                    continue
                if not _sees(shut, corner, x, y, via_x, via_y):
                    via_x, via_y, rest = corner[0] + i * _CELL, corner[1] + j * _CELL, value
                far = np.hypot(x - via_x, y - via_y) + rest
                if far < out[a, b, 0]:
                    out[a, b, 0], out[a, b, 1], out[a, b, 2], base[a, b] = far, via_x, via_y, rest
                    n = push(values, items, n, far, a * rows + b)


@kernel
def _sees(shut: Bools, corner: Array, x: float, y: float, to_x: float, to_y: float) -> bool:
    """Whether no shut cell lies between two points."""
    parts = int(np.hypot(to_x - x, to_y - y) / _CELL * 1.5) + 1
    for k in range(parts):
        u = k / parts
        i = int((x + u * (to_x - x) - corner[0]) / _CELL + 0.5)
        j = int((y + u * (to_y - y) - corner[1]) / _CELL + 0.5)
        if shut[i, j]:
            return False
    return True


@kernel
def around(far: Array, corner: Array, body: Array, out: Array) -> bool:
    """Distance to the goal and the next turn of the way (`out`) from a body pose; false where there is none.

    Beside an obstacle, where the body would be too near, it is the way of the best cell nearby.
    """
    i, j = int((body[0] - corner[0]) / corner[2] + 0.5), int((body[1] - corner[1]) / corner[2] + 0.5)
    if i < 0 or j < 0 or i >= far.shape[0] or j >= far.shape[1]:
        return False
    out[:] = far[i, j]
    if out[0] < np.inf:
        return True
    for a in range(max(i - 2, 0), min(i + 3, far.shape[0])):
        for b in range(max(j - 2, 0), min(j + 3, far.shape[1])):
            if far[a, b, 0] + 2.0 * corner[2] < out[0]:
                out[:] = far[a, b]
                out[0] += 2.0 * corner[2]
    return bool(out[0] < np.inf)


@kernel
def push(values: Array, items: Ints, n: int, value: float, item: int) -> int:
    """Put an item into a binary heap of n; answers the new size."""
    k = n
    while k > 0 and values[(k - 1) // 2] > value:
        values[k], items[k] = values[(k - 1) // 2], items[(k - 1) // 2]
        k = (k - 1) // 2
    values[k], items[k] = value, item
    return n + 1


@kernel
def pop(values: Array, items: Ints, n: int) -> int:
    """Take the least item from a binary heap of n; answers the new size."""
    n -= 1
    value, item = values[n], items[n]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= n:
            break
        if child + 1 < n and values[child + 1] < values[child]:
            child += 1
        if values[child] >= value:
            break
        values[k], items[k] = values[child], items[child]
        k = child
    values[k], items[k] = value, item
    return n
