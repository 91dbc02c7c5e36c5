"""About how many steps are left, from tables: by families of motion in free space, by distance around obstacles."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.collisions import Field, meet
from gangart.footsteps.families import N_FAMILIES, cost, direct, solve
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.ways import CHANGE_AHEAD, PACE_BACKWARD, PACE_FORWARD, way
from gangart.signals import Array, Ints

# The grid over the goal in the body frame is fine where the goal is near: coordinates are asinh(x / _FINE).
_FINE, _FAR = 0.15, 3.6  # [m]
_ALONG, _TURNS = 41, 32  # nodes along x and over a whole turn
_CELL = 0.05  # [m] of the distance around obstacles
_MARGIN = 1.0  # [m] that the way may lead beyond everything
_BODY = 0.05  # [m] nearer than that the middle between the feet does not come to a high obstacle


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


def distances(field: Field, start: Array, goal: Array) -> tuple[Array, Array]:
    """Distance to the goal around high obstacles on a grid [m], and the grid's corner x, y and cell [m].

    Unreachable cells are infinite. Without obstacles the grid is a single cell of 0.
    """
    if not len(field):
        return np.zeros((1, 1)), np.array([0.0, 0.0, 0.0])
    points = np.vstack([start[:2], goal[:2], *(c for c in field.corners)])
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    shape = np.ceil((high - low) / _CELL).astype(int) + 1
    out = np.full((int(shape[0]), int(shape[1])), np.inf)
    corner = np.array([low[0], low[1], _CELL])
    _spread(field.corners[field.high > 0.0], corner, goal, out)
    return out, corner


@kernel
def _spread(areas: Array, corner: Array, goal: Array, out: Array) -> None:
    """Dijkstra from the goal's cell over free cells, to eight neighbours."""
    columns, rows = out.shape
    shut = np.zeros((columns, rows), dtype=np.bool_)
    disc = np.empty((8, 2))
    for k in range(len(areas)):
        x0, x1 = areas[k, :, 0].min() - _BODY, areas[k, :, 0].max() + _BODY
        y0, y1 = areas[k, :, 1].min() - _BODY, areas[k, :, 1].max() + _BODY
        for i in range(max(int((x0 - corner[0]) / _CELL), 0), min(int((x1 - corner[0]) / _CELL) + 2, columns)):
            for j in range(max(int((y0 - corner[1]) / _CELL), 0), min(int((y1 - corner[1]) / _CELL) + 2, rows)):
                for m in range(8):
                    disc[m, 0] = corner[0] + i * _CELL + _BODY * np.cos(np.pi * m / 4.0)
                    disc[m, 1] = corner[1] + j * _CELL + _BODY * np.sin(np.pi * m / 4.0)
                if not shut[i, j] and meet(disc, areas[k]):
                    shut[i, j] = True
    heap_value = np.empty(columns * rows * 8)
    heap_cell = np.empty(columns * rows * 8, dtype=np.int64)
    gi, gj = int((goal[0] - corner[0]) / _CELL + 0.5), int((goal[1] - corner[1]) / _CELL + 0.5)
    out[gi, gj] = 0.0
    n = push(heap_value, heap_cell, 0, 0.0, gi * rows + gj)
    while n > 0:
        value, cell = heap_value[0], heap_cell[0]
        n = pop(heap_value, heap_cell, n)
        i, j = cell // rows, cell % rows
        if value > out[i, j]:
            continue
        for di in range(-1, 2):
            for dj in range(-1, 2):
                a, b = i + di, j + dj
                if (di == 0 and dj == 0) or a < 0 or b < 0 or a >= columns or b >= rows or shut[a, b]:
                    continue
                far = value + _CELL * np.sqrt(float(di * di + dj * dj))
                if far < out[a, b]:
                    out[a, b] = far
                    n = push(heap_value, heap_cell, n, far, a * rows + b)


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
