"""Balance from a robot's own sensors: how fast and how askew it is, and what its legs do about it.

Who is pushed has to go along and to tread beside the fall. Legs that stand give way to a part of the velocity that
nobody wanted; feet in the air land farther out by as much as it takes to come to rest on them (the capture point of an
inverted pendulum lies v sqrt(h / g) ahead), and at the height that the ground has under a tilted body. Feet that stand
turn the body back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gangart.compensation.orientation import TiltFilter
from gangart.control import balance_kernel as kernel
from gangart.errors import BadValue
from gangart.kinematics import AbductionLegs
from gangart.robots import Robot
from gangart.signals import Array, Bools, SensorReading

_FARTHEST_ASTRAY = 1.0  # [rad] who was turned farther by a push goes on from there


@dataclass(frozen=True)
class Balance:
    """How strongly a gait reacts to what its sensors say; all 0 is open loop."""

    capture: float = 0.12  # [s] by which a foot lands farther out per unwanted velocity
    yielding: float = 0.6  # [1] part of the unwanted velocity to which standing legs give way
    levelling: float = 0.4  # [1] by how much of its tilt the body is turned back, beyond what stiff legs do
    footing: float = 0.2  # [1] how much of the tilt the feet in the air make up for
    trust: float = 0.85  # [1] part of a new velocity that is believed at each tick
    farthest: float = 0.13  # [m] by which a foot lands farther out at most
    finding: float = 0.035  # [s] in which feet in the air find the ground
    lead: float = 0.05  # [s] by which a tilt is foreseen: sensors' delay, a tick, and the drives' filter of 2 / 100 s
    quiet: float = 0.1  # [m/s] of unwanted velocity that a gait has by itself
    righting: float = 0.05  # [s] in which standing feet turn the body back
    steering: float = 1.0  # [1/s] how fast it turns, per angle, to where it would head if it had turned as it was told

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and 0.0 <= value <= 2.0):
                raise BadValue(f"balance: {name} is {value:g}; it has to lie in 0…2")


class BodySense:
    """How a robot moves, from its joints and its gyro: feet that stand are at rest."""

    velocity: Array  # (2,) [m/s] ahead and to the left
    astray: float  # [rad] by which it has turned less to the left than it was told
    tilt: Array  # (2,) [rad] about x and y
    tilting: Array  # (2,) [rad/s]

    def __init__(self, robot: Robot, legs: AbductionLegs, trust: float) -> None:
        self._legs, self._trust, self._dt = legs, trust, robot.tick
        self._radius = np.array([leg.radius for leg in robot.legs.values()])
        self._filter = TiltFilter()
        self._seen, self._heights = np.empty((len(robot.legs), 2)), np.empty(len(robot.legs))
        self.reset()

    def reset(self) -> None:
        """At rest, upright."""
        self._filter.reset()
        self.velocity, self.astray = np.zeros(2), 0.0
        self.tilt, self.tilting = self._filter.tilt, self._filter.rate

    def update(self, reading: SensorReading, bearing: Bools, told: float) -> None:
        """Take in a reading; `bearing` (n_legs,) says which feet stand firmly, `told` how fast to turn [rad/s]."""
        self.tilt = self._filter.update(reading.gyro, reading.accelerometer, self._dt)
        self.tilting = self._filter.rate
        roll, pitch = self.tilt
        turning = (math.sin(roll) * reading.gyro[1] + math.cos(roll) * reading.gyro[2]) / math.cos(pitch)
        astray = self.astray + self._dt * (told - float(turning))
        self.astray = min(max(astray, -_FARTHEST_ASTRAY), _FARTHEST_ASTRAY)
        legs = self._legs
        kernel.feet_at_rest(
            reading.position, reading.velocity, reading.gyro, self.tilt, legs.numbers, legs.columns, self._radius,
            self._seen, self._heights,
        )  # fmt: skip
        kernel.believe(self.velocity, self._seen, self._heights, bearing, self._trust)
