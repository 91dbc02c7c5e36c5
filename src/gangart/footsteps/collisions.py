"""Which steps touch something: convex shapes as kernels, and the field of obstacles that planners look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.obstacles import Obstacle
from gangart.signals import Array, Ints

_ROUNDS = 24  # of the search for a separating direction


@dataclass(frozen=True, eq=False)
class Field:
    """Obstacles as arrays."""

    soles: Array  # (2, n, 2) [m] corners of the soles
    corners: Array  # (m, k, 2) [m] of the obstacles; shorter ones repeat their last corner
    discs: Array  # (m, 3) [m] middle and radius around each
    high: Array  # (m,) 1 where the legs cannot swing over it

    def __len__(self) -> int:
        return len(self.corners)


def field_of(obstacles: Sequence[Obstacle], limits: StepLimits) -> Field:
    """Obstacles for the soles and the step height of a robot."""
    most = max([len(o.corners) for o in obstacles], default=1)
    corners = np.array([[*o.corners, *([o.corners[-1]] * (most - len(o.corners)))] for o in obstacles], dtype=float)
    corners = corners.reshape(-1, most, 2)
    middle = corners.mean(axis=1)
    radius = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1, initial=0.0)
    high = np.array([float(o.height > limits.step_height) for o in obstacles])
    return Field(limits.soles(), corners, np.column_stack([middle, radius]), high)


@kernel
def place(sole: Array, pose: Array, out: Array) -> None:
    """Corners of a sole at a footprint."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    for k in range(len(sole)):
        out[k, 0] = pose[0] + c * sole[k, 0] - s * sole[k, 1]
        out[k, 1] = pose[1] + s * sole[k, 0] + c * sole[k, 1]


@kernel
def _support(a: Array, b: Array, x: float, y: float) -> tuple[float, float]:
    """The corner of the difference a - b that lies farthest in a direction."""
    best, at = -np.inf, 0
    for k in range(len(a)):
        value = a[k, 0] * x + a[k, 1] * y
        if value > best:
            best, at = value, k
    least, to = np.inf, 0
    for k in range(len(b)):
        value = b[k, 0] * x + b[k, 1] * y
        if value < least:
            least, to = value, k
    return a[at, 0] - b[to, 0], a[at, 1] - b[to, 1]


@kernel
def meet(a: Array, b: Array) -> bool:
    """Whether the convex hulls of two point sets overlap (GJK: does their difference hold the origin?)."""
    dx, dy = a[0, 0] - b[0, 0], a[0, 1] - b[0, 1]
    if dx == 0.0 and dy == 0.0:
        dx = 1.0
    px, py = _support(a, b, -dx, -dy)
    qx, qy = 0.0, 0.0
    count = 1
    dx, dy = -px, -py
    for _ in range(_ROUNDS):
        nx, ny = _support(a, b, dx, dy)
        if nx * dx + ny * dy <= 1e-12:
            return False
        if count == 1:
            qx, qy, px, py = px, py, nx, ny
            count = 2
            dx, dy = _across(px, py, qx, qy)
            continue
        # triangle n, p, q: which side of n is the origin beyond?
        ax, ay = _outward(nx, ny, px, py, qx, qy)
        bx, by = _outward(nx, ny, qx, qy, px, py)
        if -(ax * nx + ay * ny) > 0.0:
            qx, qy, px, py = px, py, nx, ny
            dx, dy = ax, ay
        elif -(bx * nx + by * ny) > 0.0:
            px, py = nx, ny
            dx, dy = bx, by
        else:
            return True
    return True


@kernel
def _across(px: float, py: float, qx: float, qy: float) -> tuple[float, float]:
    """The direction from the line p q to the origin."""
    ex, ey = qx - px, qy - py
    x, y = -ey, ex
    if x * -px + y * -py < 0.0:
        x, y = -x, -y
    return x, y


@kernel
def _outward(nx: float, ny: float, px: float, py: float, qx: float, qy: float) -> tuple[float, float]:
    """The normal of the side n p that points away from q."""
    x, y = -(py - ny), px - nx
    if x * (qx - nx) + y * (qy - ny) > 0.0:
        x, y = -x, -y
    return x, y


@kernel
def touches(
    before: Array, landing: Array, stance: Array, foot: int, soles: Array, corners: Array, discs: Array, high: Array
) -> bool:
    """Whether a step from one footprint to another beside a standing foot touches the other sole or an obstacle."""
    n = soles.shape[1]
    cloud = np.empty((3 * n, 2))
    left, landed, stands = cloud[:n], cloud[n : 2 * n], cloud[2 * n :]
    place(soles[foot], landing, landed)
    place(soles[1 - foot], stance, stands)
    if n > 2 and meet(landed, stands):
        return True
    if len(discs) == 0:
        return False
    place(soles[foot], before, left)
    x, y = landing[0], landing[1]
    reach = 0.0
    for k in range(3 * n):
        reach = max(reach, np.hypot(cloud[k, 0] - x, cloud[k, 1] - y))
    for k in range(len(discs)):
        if np.hypot(discs[k, 0] - x, discs[k, 1] - y) > reach + discs[k, 2]:
            continue
        if meet(landed, corners[k]):
            return True
        if high[k] > 0.0 and (meet(cloud[: 2 * n], corners[k]) or meet(cloud[n:], corners[k])):
            return True
    return False


@kernel
def first_touch(feet: Array, foot: Ints, pose: Array, soles: Array, corners: Array, discs: Array, high: Array) -> int:
    """Number of the first step that touches something; the number of steps if none does."""
    now = feet.copy()
    for k in range(len(foot)):
        f = foot[k]
        if touches(now[f], pose[k], now[1 - f], f, soles, corners, discs, high):
            return k
        now[f] = pose[k]
    return len(foot)


def stands_on(pose: Array, foot: int, field: Field) -> bool:
    """Whether a footprint lies on an obstacle."""
    sole = np.empty((field.soles.shape[1], 2))
    place(field.soles[foot], pose, sole)
    return any(bool(meet(sole, corners)) for corners in field.corners)
