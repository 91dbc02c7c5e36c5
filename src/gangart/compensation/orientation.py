"""How far the torso leans, from gyro and accelerometer: a complementary filter.

Quick motion comes from the gyro, whose drift the direction of gravity takes out over a while. A walking body
accelerates, so its accelerometer is trusted the less the more its length differs from g.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.errors import BadValue
from gangart.signals import Array

GRAVITY = 9.81  # [m/s²]


class TiltFilter:
    """Roll and pitch [rad] of a body that walks; `tilt` is the last estimate, `rate` its change."""

    tilt: Array  # (2,) [rad] about x and y
    rate: Array  # (2,) [rad/s]

    def __init__(self, trust: float = 2.0) -> None:
        """`trust` is the time [s] over which the accelerometer outweighs the gyro."""
        if not (math.isfinite(trust) and trust > 0.0):
            raise BadValue(f"the tilt filter's time is {trust:g} s; it has to be a positive number")
        self.trust = trust
        self.reset()

    def reset(self) -> None:
        """Upright, at rest."""
        self.tilt, self.rate = np.zeros(2), np.zeros(2)

    def update(self, gyro: Array, accelerometer: Array, dt: float) -> Array:
        """Take in one reading, (3,) [rad/s] and (3,) [m/s²], `dt` [s] after the last; returns the tilt."""
        roll, pitch = self.tilt
        p, q, r = gyro
        turn = q * math.sin(roll) + r * math.cos(roll)
        self.rate = np.array([p + math.tan(pitch) * turn, q * math.cos(roll) - r * math.sin(roll)])
        self.tilt = self.tilt + dt * self.rate
        x, y, z = accelerometer
        length = math.sqrt(x * x + y * y + z * z)
        doubt = abs(length - GRAVITY) / GRAVITY
        if length > 0.0 and doubt < 1.0:
            seen = np.array([math.atan2(y, z), math.atan2(-x, math.hypot(y, z))])
            self.tilt = self.tilt + (1.0 - doubt) * -math.expm1(-dt / self.trust) * (seen - self.tilt)
        return self.tilt
