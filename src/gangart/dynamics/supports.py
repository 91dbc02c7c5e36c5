"""What the ground can give: which leg may carry how much, and which wrenches a flat sole transmits."""

from __future__ import annotations

import math

import numpy as np

from gangart.errors import BadRobot, BadValue
from gangart.robots import Leg, Robot
from gangart.signals import Array, Bools, Ints

FACETS = 8  # of the pyramid that lies inside the friction cone


def check_contacts(robot: Robot, time: Array, contacts: Bools) -> None:
    """Raise BadValue unless some leg stands at every sample."""
    wanted = (len(time), len(robot.legs))
    if contacts.shape != wanted or contacts.dtype != np.bool_:
        raise BadValue(
            f"contacts is a {contacts.dtype} array of shape {contacts.shape}; it has to hold booleans of shape "
            f"(samples, legs) = {wanted}"
        )
    flight = ~contacts.any(axis=1)
    if flight.any():
        at = float(time[int(flight.argmax())])
        raise BadValue(f"no leg stands at {at:g} s; at least one has to, since only the ground can carry the robot")


def shares(contacts: Bools) -> Array:
    """The largest part of the total load that each leg may carry, 0…1, shape (n, n_legs).

    A foot that lands takes its load up from nothing, one that lifts gives it all away before; each takes half of the
    shortest stretch on several legs for it, smoothly. A leg that stands alone carries all.
    """
    stood, stands = _since(contacts), _since(contacts[::-1])[::-1] + 1.0
    share = _smooth(np.minimum(np.minimum(stood, stands) / _ramp(contacts), 1.0)) * contacts
    alone = contacts.sum(axis=1) == 1
    alone |= share.sum(axis=1) <= 0.0  # all land at once
    share /= np.clip(share.sum(axis=1, keepdims=True), 1e-9, 1.0)  # together they carry all
    return np.where(alone[:, None], contacts, share)


def _since(contacts: Bools) -> Array:
    """For how many samples each leg has stood; infinitely many if it has from the beginning."""
    count = np.arange(len(contacts), dtype=np.float64)[:, None]
    lifted = np.maximum.accumulate(np.where(contacts, -np.inf, count), axis=0)  # when it was in the air last
    return np.where(contacts, count - lifted - 1.0, 0.0)


def _ramp(contacts: Bools) -> float:
    """How many samples a foot takes to load or unload."""
    change = np.flatnonzero((contacts[1:] != contacts[:-1]).any(axis=1)) + 1
    edges = np.array([0, *change, len(contacts)])
    several = contacts[edges[:-1]].sum(axis=1) > 1
    length = np.diff(edges)
    inside = several.copy()
    inside[[0, -1]] = False  # what the motion cuts off says nothing on the gait
    found = length[inside] if inside.any() else length[several]
    return max(float(found.min(initial=len(contacts))) / 2.0, 1.0)


def _smooth(x: Array) -> Array:
    return x * x * (3.0 - 2.0 * x)


def sole_limits(leg: Leg, friction: float) -> Array:
    """Rows g with g · w ≤ 0 for every wrench w that a sole can transmit, in [N m]; shape (n_rows, 6).

    w is force [N] and torque [N m] about the sole's origin in its axes. The centre of pressure stays inside the
    outline, the force inside a pyramid in the friction cone, and the torque about the vertical through the sole's
    middle below that of the load sliding around the largest circle in the outline.
    """
    corners = leg.outline
    if len(corners) < 3:
        raise BadRobot(f"leg '{leg.name}' stands on a ball; torques on several legs need flat soles with an outline")
    middle, radius = _middle(corners)
    edge = np.roll(corners, -1, axis=0) - corners
    inward = np.column_stack([-edge[:, 1], edge[:, 0]]) / np.hypot(*edge.T)[:, None]
    edges = np.zeros((len(corners), 6))  # the centre of pressure is (-τy, τx) / fz
    edges[:, 2], edges[:, 3], edges[:, 4] = (inward * corners).sum(axis=1), -inward[:, 1], inward[:, 0]
    angle = 2.0 * math.pi / FACETS * np.arange(FACETS)
    cone = np.zeros((FACETS, 6))
    cone[:, 0], cone[:, 1], cone[:, 2] = np.cos(angle), np.sin(angle), -friction * math.cos(math.pi / FACETS)
    twist = np.array([[middle[1], -middle[0], 0.0, 0.0, 0.0, 1.0]]) * np.array([[1.0], [-1.0]])
    twist[:, 2] = -friction * radius
    return np.vstack([edges, radius * cone, twist])


def _middle(corners: Array) -> tuple[Array, float]:
    """The centroid of a convex polygon, and how far the nearest edge is [m]."""
    after = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]
    middle = ((corners + after) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())
    edge = after - corners
    away = (edge[:, 0] * (middle - corners)[:, 1] - edge[:, 1] * (middle - corners)[:, 0]) / np.hypot(*edge.T)
    return middle, float(away.min())


def patterns(standing: Bools) -> list[tuple[Ints, Ints]]:
    """The sets of legs that stand together: their numbers, and the samples at which they do."""
    code = standing @ (1 << np.arange(standing.shape[1]))
    found = np.unique(code)
    return [(np.flatnonzero(standing[(code == k).argmax()]), np.flatnonzero(code == k)) for k in found]
