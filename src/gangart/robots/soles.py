"""The outline of a sole: a convex polygon, counter-clockwise seen from above."""

from __future__ import annotations

import math

import numpy as np

from gangart.errors import BadRobot
from gangart.signals import Array

_TOLERANCE = 1e-9  # [rad] how far a corner may point inwards by rounding


def outline_of(points: Array, where: str) -> Array:
    """The corners [m], shape (n, 2), put into counter-clockwise order; one point is a ball foot."""
    if len(points) == 1:
        return points
    if len(points) < 3:
        raise BadRobot(f"{where} has {len(points)} corners; it has to have 1 (a ball foot) or at least 3")
    turns = _turns(points)
    if turns.sum() < 0.0:
        points = points[::-1]
        turns = _turns(points)
    # a convex polygon only turns left, and once around; a star turns left as well, but more often
    if turns.min() < -_TOLERANCE or not math.isclose(turns.sum(), 2 * math.pi, rel_tol=1e-6):
        raise BadRobot(f"{where} is not convex; list its corners one after the other around the sole, without dents")
    return points


def _turns(points: Array) -> Array:
    """The angle [rad] by which the way around turns at each corner, left positive."""
    edge = np.roll(points, -1, axis=0) - points
    if not np.hypot(*edge.T).all():
        return np.full(len(points), -np.pi)  # a corner twice: no direction between them
    after = np.roll(edge, -1, axis=0)
    cross = edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]
    return np.asarray(np.arctan2(cross, (edge * after).sum(axis=1)))
