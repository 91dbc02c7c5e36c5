"""How far inside the support polygon a point lies."""

from __future__ import annotations

import numpy as np
from gangart.compiled import kernel

from gangart.signals import Array, Bools


@kernel
def convex_hull(points, out):
    """Andrew's monotone chain, anticlockwise into out (2 n, 2); returns how many corners there are."""
    n = len(points)
    order = np.argsort(points[:, 0] + 1e-9 * points[:, 1])
    count = 0
    for sweep in range(2):
        floor = 1 if sweep == 0 else count
        for k in range(n):
            p = points[order[k]] if sweep == 0 else points[order[n - 1 - k]]
            while count > floor and _turn(out[count - 2], out[count - 1], p) <= 0.0:
                count -= 1
            if count == 0 or p[0] != out[count - 1, 0] or p[1] != out[count - 1, 1]:
                out[count] = p
                count += 1
    return max(count - 1, 1)


@kernel
def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@kernel
def distance_inside(hull, count, p):
    """Distance of p to the nearest edge of an anticlockwise hull; negative outside."""
    best = np.inf
    for i in range(count):
        a, b = hull[i], hull[(i + 1) % count]
        length = np.hypot(b[0] - a[0], b[1] - a[1])
        if length > 0.0:
            best = min(best, _turn(a, b, p) / length)
    return best


@kernel
def _margins(outlines, pose, contact, points, out):
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
        if count == 0 or np.isnan(points[i, 0]):
            out[i] = np.nan
        else:
            out[i] = distance_inside(hull, convex_hull(cloud[:count], hull), points[i])


def support_margins(outlines: list[Array], pose: Array, contact: Bools, points: Array) -> Array:
    """Distance [m] of points (n, 2) from the edge of the support polygon, positive inside; NaN without support.

    Args:
        outlines: of each sole in its own frame, (n_corners, 2) [m].
        pose: of the soles in the world, (n, n_legs, 7).
        contact: which soles carry, (n, n_legs).
        points: on the ground.
    """
    most = max(len(o) for o in outlines)
    padded = np.array([np.vstack([o, np.repeat(o[-1:], most - len(o), axis=0)]) for o in outlines])
    out = np.empty(len(points))
    _margins(padded, np.ascontiguousarray(pose), np.ascontiguousarray(contact), np.ascontiguousarray(points), out)
    return out
