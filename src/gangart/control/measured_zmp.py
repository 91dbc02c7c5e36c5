"""Where the zero moment point is, by the robot's own sensors (Urbann 2.4.7)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gangart.pattern.preview import GRAVITY
from gangart.robots import Robot
from gangart.signals import Array

ZmpSensor = Literal["feet", "imu"]
_CARRIED = 0.05  # of the weight has to be on the soles for a centre of pressure that means something


def zmp_of_feet(robot: Robot, soles: Array, foot_force: Array) -> Array | None:
    """Centre of the forces on the soles' sensors [m], (2,) in the world; None while the soles carry next to nothing.

    Args:
        robot: whose sensors they are.
        soles: where the plan has them, (n_legs, 4) x, y, z [m], yaw [rad].
        foot_force: (n_legs, n_sensors) [N].
    """
    total, moment = 0.0, np.zeros(2)
    for leg, sole, force in zip(robot.legs.values(), soles, foot_force, strict=True):
        pressed = force[: len(leg.force_sensors)]
        c, s = np.cos(sole[3]), np.sin(sole[3])
        x, y = pressed @ leg.force_sensors
        moment += pressed.sum() * sole[:2] + np.array([c * x - s * y, s * x + c * y])
        total += float(pressed.sum())
    return moment / total if total > _CARRIED * robot.mass * GRAVITY else None


def zmp_of_imu(com: Array, yaw: float, accelerometer: Array) -> Array:
    """One-mass ZMP (2.7), (2.8) [m], (2,) in the world, with the torso's acceleration in place of the body's.

    Args:
        com: where the model has the centre of mass, (3,) [m] in the world.
        yaw: of the torso [rad].
        accelerometer: specific force in the torso's axes [m/s²].
    """
    c, s = np.cos(yaw), np.sin(yaw)
    ax, ay = accelerometer[0], accelerometer[1]
    return np.asarray(com[:2] - com[2] / GRAVITY * np.array([c * ax - s * ay, s * ax + c * ay]))
