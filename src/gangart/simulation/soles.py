"""What the soles feel: from each foot's block of sensor data to its wrench and to the load on its force sensors."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.robots import Robot
from gangart.signals import Array, Ints


class SoleSensors:
    """The force sensors of all soles, in arrays that kernels can read."""

    def __init__(self, robot: Robot) -> None:
        legs = list(robot.legs.values())
        self.counts: Ints = np.array([len(leg.force_sensors) for leg in legs], dtype=np.int64)  # (n_legs,)
        self.most = int(self.counts.max())
        self.points = np.zeros((len(legs), self.most, 2))  # [m] in the sole's frame
        for points, leg in zip(self.points, legs, strict=True):
            points[: len(leg.force_sensors)] = leg.force_sensors

    def feel(self, feet: Array) -> tuple[Array, Array]:
        """Wrenches (n, n_legs, 6) and sensor forces (n, n_legs, most) of the feet's sensor data (n, n_legs, 17)."""
        wrenches = np.empty((*feet.shape[:2], 6))
        pressures = np.zeros((*feet.shape[:2], self.most))
        sole_wrenches(feet, wrenches)
        if self.most:
            sole_pressures(feet, wrenches, self.points, self.counts, pressures)
        return wrenches, pressures


@kernel
def sole_wrenches(feet: Array, out: Array) -> None:
    """Force [N] and torque about the sole's origin [N m] in world axes: feet (n, n_legs, 17) to out (n, n_legs, 6)."""
    for i in range(feet.shape[0]):
        for leg in range(feet.shape[1]):
            foot = feet[i, leg]
            fx, fy, fz = foot[8], foot[9], foot[10]
            ax, ay, az = foot[14] - foot[0], foot[15] - foot[1], foot[16] - foot[2]
            o = out[i, leg]
            o[0], o[1], o[2] = fx, fy, fz
            o[3] = foot[11] + ay * fz - az * fy
            o[4] = foot[12] + az * fx - ax * fz
            o[5] = foot[13] + ax * fy - ay * fx


@kernel
def sole_pressures(feet: Array, wrenches: Array, points: Array, counts: Ints, out: Array) -> None:
    """Forces on the sensors [N], out (n, n_legs, most). Soles are taken as level."""
    for i in range(feet.shape[0]):
        for leg in range(feet.shape[1]):
            load = wrenches[i, leg, 2]
            if load > 0.0 and counts[leg] > 0:
                w, x, y, z = feet[i, leg, 3], feet[i, leg, 4], feet[i, leg, 5], feet[i, leg, 6]
                c, s = w * w + x * x - y * y - z * z, 2.0 * (w * z + x * y)
                heading = np.hypot(c, s)
                c, s = c / heading, s / heading
                px, py = -wrenches[i, leg, 4] / load, wrenches[i, leg, 3] / load  # where the load presses
                spread(load, c * px + s * py, -s * px + c * py, points[leg, : counts[leg]], out[i, leg, : counts[leg]])


@kernel
def spread(load: float, px: float, py: float, points: Array, out: Array) -> None:
    """Share a load [N] that presses at (px, py) [m] among equal springs under a rigid plate, of which none can pull.

    The forces lie on a plane over the springs, their sum is the load and their centre (px, py). A spring that would
    have to pull has lifted off, and the others share alone. Beyond the springs' hull the centre stays behind.
    """
    out[:] = 1.0  # while a spring bears, its force is above 0
    for _ in range(len(points)):
        bearing, cx, cy = 0, 0.0, 0.0
        for k in range(len(points)):
            if out[k] > 0.0:
                bearing += 1
                cx += points[k, 0]
                cy += points[k, 1]
        cx, cy = cx / bearing, cy / bearing
        slope_x, slope_y = _slope(px - cx, py - cy, points, out, cx, cy)
        lifted = False
        for k in range(len(points)):
            if out[k] > 0.0:
                share = 1.0 / bearing + slope_x * (points[k, 0] - cx) + slope_y * (points[k, 1] - cy)
                out[k] = max(load * share, 0.0)
                lifted = lifted or share <= 0.0
        if not lifted:
            return


@kernel
def _slope(dx: float, dy: float, points: Array, out: Array, cx: float, cy: float) -> tuple[float, float]:
    """Slope of the plane that moves the springs' centre by (dx, dy) from (cx, cy), as far as they can."""
    xx, xy, yy = 0.0, 0.0, 0.0
    for k in range(len(points)):
        if out[k] > 0.0:
            x, y = points[k, 0] - cx, points[k, 1] - cy
            xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
    size, det = xx + yy, xx * yy - xy * xy
    if det > 1e-9 * size * size:
        return (yy * dx - xy * dy) / det, (xx * dy - xy * dx) / det
    if size > 0.0:  # in a row: pseudo-inverse of a matrix of rank 1
        return (xx * dx + xy * dy) / size**2, (xy * dx + yy * dy) / size**2
    return 0.0, 0.0
