"""Periodic functions of the gait phase over a grid of commands: read between its nodes while the robot walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gangart.compensation.phase import Rhythm, at
from gangart.compiled import kernel
from gangart.signals import Array

INSTANT = 1e-4  # [s] over which offsets are differenced


class Grid(NamedTuple):
    """Commands of the nodes along each axis, ascending."""

    vx: Array  # [m/s]
    vy: Array  # [m/s]
    wz: Array  # [rad/s]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of nodes along each axis."""
        return len(self.vx), len(self.vy), len(self.wz)


@dataclass(frozen=True, eq=False)
class ZmpTable:
    """Offsets on the ZMP reference, in a frame that turns with the mean yaw of both soles."""

    grid: Grid
    value: Array  # (n_vx, n_vy, n_wz, n_phase, 2) [m]

    def __call__(self, rhythm: Rhythm, time: Array, yaw: Array) -> Array:
        """Offsets (n, 2) [m] in the world at times (n,) [s] at which the soles' mean yaw is `yaw` (n,) [rad]."""
        out = np.empty((len(time), 2))
        _zmp(self.grid, self.value, rhythm, time, yaw, out)
        return out


@dataclass(frozen=True, eq=False)
class JointTable:
    """Offsets on the joint angles."""

    grid: Grid
    value: Array  # (n_vx, n_vy, n_wz, n_phase, n_joints) [rad]
    standing: Array  # (n_joints,) [rad]

    def __call__(self, rhythm: Rhythm, time: float) -> tuple[Array, Array]:
        """Offsets at a time [s], and how fast they change: each (n_joints,) [rad], [rad/s]."""
        out = np.empty((2, len(self.standing)))
        _joints(self.grid, self.value, self.standing, rhythm, time, out)
        return out[0], out[1]


@kernel
def _cell(axis: Array, value: float) -> tuple[int, float]:
    """The node before a value on an axis and the share of the next one; beyond the ends, the end holds."""
    n = len(axis)
    if n == 1 or value <= axis[0]:
        return 0, 0.0
    i = 0
    while i < n - 2 and value >= axis[i + 1]:
        i += 1
    return i, min((value - axis[i]) / (axis[i + 1] - axis[i]), 1.0)


@kernel
def _read(grid: Grid, value: Array, velocity: Array, phase: float, out: Array) -> None:
    """Multilinear in the command and linear in the phase: value (n_vx, n_vy, n_wz, n_phase, m) into out (m,)."""
    n = value.shape[3]
    place = phase * n
    p = int(place)
    u = place - p
    if u > 1.0 - 1e-9:  # clocks round: meet the node
        p, u = p + 1, 0.0
    i, a = _cell(grid.vx, velocity[0])
    j, b = _cell(grid.vy, velocity[1])
    k, c = _cell(grid.wz, velocity[2])
    out[:] = 0.0
    for corner in range(16):
        di, dj, dk, dp = corner & 1, corner >> 1 & 1, corner >> 2 & 1, corner >> 3
        w = (a if di else 1.0 - a) * (b if dj else 1.0 - b) * (c if dk else 1.0 - c) * (u if dp else 1.0 - u)
        if w > 0.0:
            row = value[i + di, j + dj, k + dk, (p + dp) % n]
            for m in range(len(out)):
                out[m] += w * row[m]


@kernel
def _zmp(grid: Grid, value: Array, rhythm: Rhythm, time: Array, yaw: Array, out: Array) -> None:
    velocity, here = np.empty(3), np.empty(2)
    for i in range(len(time)):
        phase, share = at(rhythm, time[i], velocity)
        out[i] = 0.0
        if share > 0.0:
            _read(grid, value, velocity, phase, here)
            c, s = np.cos(yaw[i]), np.sin(yaw[i])
            out[i, 0] = share * (c * here[0] - s * here[1])
            out[i, 1] = share * (s * here[0] + c * here[1])


@kernel
def _joints(grid: Grid, value: Array, standing: Array, rhythm: Rhythm, time: float, out: Array) -> None:
    """Angles and speeds (2, n_joints) at one time."""
    velocity = np.empty(3)
    side = np.empty((2, len(standing)))
    for way in range(2):  # a moment earlier and later: linear between nodes, that is the mean slope at a node
        phase, share = at(rhythm, time + (2 * way - 1) * INSTANT, velocity)
        side[way] = 0.0
        if share > 0.0:
            _read(grid, value, velocity, phase, side[way])
        for m in range(len(standing)):
            side[way, m] = share * side[way, m] + (1.0 - share) * standing[m]
    for m in range(len(standing)):
        out[0, m] = (side[0, m] + side[1, m]) / 2.0
        out[1, m] = (side[1, m] - side[0, m]) / (2.0 * INSTANT)
