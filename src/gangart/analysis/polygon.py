"""How far inside the support polygon a point lies."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Bools


def support_margins(outlines: list[Array], pose: Array, contact: Bools, points: Array) -> Array:
    """Distance [m] of points from the edge of the support polygon, positive inside; NaN without support or point.

    Args:
        outlines: of each sole in its own frame, (n_corners, 2) [m].
        pose: of the soles in the world, position [m] and quaternion wxyz, (n, n_legs, 7). Soles are taken as level.
        contact: which soles carry, (n, n_legs).
        points: on the ground, (n, 2) [m].

    Returns:
        (n,) [m]. A polygon without area, of one or two ball feet, has no inside.
    """
    most = max(len(o) for o in outlines)
    padded = np.array([np.vstack([o, np.repeat(o[-1:], most - len(o), axis=0)]) for o in outlines])
    out = np.empty(len(points))
    _margins(padded, np.ascontiguousarray(pose), np.ascontiguousarray(contact), np.ascontiguousarray(points), out)
    return out


@kernel
def convex_hull(points: Array, hull: Array) -> int:
    """Andrew's monotone chain.

    Args:
        points: (n, 2), put into order of x, then y.
        hull: (2 n, 2) takes the corners, anticlockwise; points between two corners of one edge are left out.

    Returns:
        How many corners there are.
    """
    n = len(points)
    _sort(points)
    count = 0
    for sweep in range(2):  # along the lower side, and back along the upper
        floor = count if sweep == 0 else count - 1  # corners before this one stand
        for k in range(n):
            x, y = points[k] if sweep == 0 else points[n - 1 - k]
            while count - floor >= 2 and _turn(hull[count - 2], hull[count - 1], x, y) <= 0.0:
                count -= 1
            if count == 0 or x != hull[count - 1, 0] or y != hull[count - 1, 1]:
                hull[count, 0], hull[count, 1] = x, y
                count += 1
    return max(count - 1, 1)  # the first corner came twice


@kernel
def inside_by(hull: Array, count: int, x: float, y: float) -> float:
    """Distance of a point to the edge of an anticlockwise hull of `count` corners: positive inside, else negative."""
    inside = count > 2
    nearest = np.inf
    for i in range(count):
        a, b = hull[i], hull[(i + 1) % count]
        ex, ey = b[0] - a[0], b[1] - a[1]
        square = ex * ex + ey * ey
        along = ((x - a[0]) * ex + (y - a[1]) * ey) / square if square > 0.0 else 0.0
        along = min(max(along, 0.0), 1.0)
        nearest = min(nearest, np.hypot(x - a[0] - along * ex, y - a[1] - along * ey))
        inside = inside and _turn(a, b, x, y) >= 0.0
    return nearest if inside else -nearest


@kernel
def _turn(a: Array, b: Array, x: float, y: float) -> float:
    """Twice the area of the triangle a, b, (x, y): positive if it turns left."""
    return float((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]))


@kernel
def _sort(points: Array) -> None:
    """By x, then y, by insertion: there are few."""
    for i in range(1, len(points)):
        x, y = points[i]
        k = i
        while k > 0 and (points[k - 1, 0] > x or (points[k - 1, 0] == x and points[k - 1, 1] > y)):
            points[k, 0], points[k, 1] = points[k - 1, 0], points[k - 1, 1]
            k -= 1
        points[k, 0], points[k, 1] = x, y


@kernel
def _margins(outlines: Array, pose: Array, contact: Bools, points: Array, out: Array) -> None:
    n, legs = contact.shape
    corners = outlines.shape[1]
    cloud = np.empty((legs * corners, 2))
    hull = np.empty((2 * legs * corners + 2, 2))
    for i in range(n):
        count = 0
        for leg in range(legs):
            if contact[i, leg]:
                w, x, y, z = pose[i, leg, 3], pose[i, leg, 4], pose[i, leg, 5], pose[i, leg, 6]
                yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
                c, s = np.cos(yaw), np.sin(yaw)
                for k in range(corners):
                    u, v = outlines[leg, k, 0], outlines[leg, k, 1]
                    cloud[count, 0] = pose[i, leg, 0] + c * u - s * v
                    cloud[count, 1] = pose[i, leg, 1] + s * u + c * v
                    count += 1
        x, y = points[i]
        if count == 0 or np.isnan(x) or np.isnan(y):
            out[i] = np.nan
        else:
            out[i] = inside_by(hull, convex_hull(cloud[:count], hull), x, y)
