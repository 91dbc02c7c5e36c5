"""What a foot may not enter: the trunk, the other legs' space. Convex solids in the base's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.errors import BadRobot
from gangart.robots.tables import Table
from gangart.signals import Array

_FLAT = 1e-6  # [m] a box thinner than this has no inside


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A convex solid that moves with the base; the surface does not belong to it."""

    name: str
    planes: Array  # (n, 4) unit normals that point outward [1] and distances from the base's origin [m]
    legs: tuple[str, ...]  # the legs whose feet it stops; none named: all

    def stops(self, leg: str) -> bool:
        """Whether it is one for this leg."""
        return not self.legs or leg in self.legs

    def depth(self, points: Array) -> Array:
        """How far points (..., 3) [m] are inside, (...) [m]: to the nearest plane; outside it is negative."""
        return np.asarray((self.planes[:, 3] - np.asarray(points) @ self.planes[:, :3].T).min(axis=-1))


def read_obstacle(name: str, table: Table) -> Obstacle:
    """From [obstacles.NAME]: two opposite corners of a box, or all corners of a convex solid."""
    corners = table.array("corners", (-1, 3))
    where = f"{table.where}: 'corners'"
    planes = _box(corners, where) if len(corners) == 2 else _hull(corners, where)
    planes.flags.writeable = False
    return Obstacle(name, planes, table.list_of_names("legs") if "legs" in table else ())


def _box(corners: Array, where: str) -> Array:
    low, high = np.sort(corners, axis=0)
    if (high - low).min() < _FLAT:
        raise BadRobot(f"{where} are those of a flat box; two opposite corners differ in x, y and z")
    return np.concatenate([np.c_[np.eye(3), high], np.c_[-np.eye(3), -low]])


def _hull(points: Array, where: str) -> Array:
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = ConvexHull(points).equations  # normal and offset of each triangle: n p + offset <= 0 inside
    except (QhullError, ValueError) as error:
        raise BadRobot(f"{where} span no solid; it takes four points or more that do not lie in a plane") from error
    equations = equations[np.unique(equations.round(9), axis=0, return_index=True)[1]]  # a face may be two triangles
    planes: Array = np.c_[equations[:, :3], -equations[:, 3]]
    return planes
