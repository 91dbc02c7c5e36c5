"""What the soles feel: from each foot's block of sensor data to its wrench and to the load on its force sensors."""

from __future__ import annotations

import numpy as np
from gangart.compiled import kernel

from gangart.robots import Robot
from gangart.signals import Array


def pressure_maps(robot: Robot) -> Array:
    """Matrices (n_legs, n_sensors, 3) from (f_z, m_x, m_y) at a sole's origin to the forces on its sensors.

    The sole is a rigid plate on equal springs: its pressure is the plane a + b x + c y that carries the load.
    """
    legs = list(robot.legs.values())
    count = max(len(leg.force_sensors) for leg in legs)
    maps = np.zeros((len(legs), count, 3))
    moments = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # m_x = y f, m_y = -x f
    for out, leg in zip(maps, legs, strict=True):
        points = leg.force_sensors
        if len(points):
            plane = np.column_stack([np.ones(len(points)), points])  # force on a sensor = plane @ (a, b, c)
            out[: len(points)] = plane @ np.linalg.pinv(moments @ plane.T @ plane)
    return maps


@kernel
def sole_wrenches(feet, out):
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
def sole_pressures(feet, wrenches, maps, out):
    """Forces on the sensors [N], out (n, n_legs, n_sensors). Soles are taken as level; a sensor cannot be pulled."""
    for i in range(feet.shape[0]):
        for leg in range(feet.shape[1]):
            w, z = feet[i, leg, 3], feet[i, leg, 6]
            c, s = w * w - z * z, 2.0 * w * z  # cosine and sine of the yaw
            f, mx, my = wrenches[i, leg, 2], wrenches[i, leg, 3], wrenches[i, leg, 4]
            along, across = c * mx + s * my, -s * mx + c * my
            for k in range(maps.shape[1]):
                load = maps[leg, k, 0] * f + maps[leg, k, 1] * along + maps[leg, k, 2] * across
                out[i, leg, k] = max(load, 0.0)


def feel(feet: Array, maps: Array) -> tuple[Array, Array]:
    """Wrenches (n, n_legs, 6) and sensor forces (n, n_legs, n_sensors) of the feet's sensor data (n, n_legs, 17)."""
    wrenches = np.empty((*feet.shape[:2], 6))
    pressures = np.empty((*feet.shape[:2], maps.shape[1]))
    sole_wrenches(feet, wrenches)
    sole_pressures(feet, wrenches, maps, pressures)
    return wrenches, pressures
