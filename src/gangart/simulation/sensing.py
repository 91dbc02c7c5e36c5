"""How well a robot's own sensors see: noise, the encoders' steps, and how often they are read out.

What happened stays what it is, and is recorded so; only the readings that the engine gets are spoilt. Noise belongs to
a seed and a physics step: a reading says the same however often it is taken, and a run with the same seed is the same.
The delay between what is and what is read is a part of the fidelity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from gangart.errors import BadValue
from gangart.signals import Array, Ints, SensorReading


@dataclass(frozen=True, kw_only=True)
class Sensing:
    """Errors of the sensors; each is off at 0."""

    gyro: float = 0.0  # [rad/s] standard deviation of its noise, about each axis
    accelerometer: float = 0.0  # [m/s²] along each axis
    angle: float = 0.0  # [rad] of the joints' encoders
    speed: float = 0.0  # [rad/s] of the joints' speeds
    force: float = 0.0  # [N] of each force sensor in the soles
    resolution: float = 0.0  # [rad] between two angles that an encoder tells apart
    rate: float = 0.0  # [Hz] at which all are read out, and held in between; 0: at every physics step
    seed: int = 0  # of the noise

    def __post_init__(self) -> None:
        for name in (f.name for f in fields(self) if f.name != "seed"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise BadValue(f"sensing: {name} is {value:g}; it has to be a finite number, at least 0")
        if self.seed < 0:
            raise BadValue(f"sensing: seed is {self.seed}; it has to be at least 0")

    @property
    def exact(self) -> bool:
        """Whether readings are what they are, however old."""
        return not any((self.gyro, self.accelerometer, self.angle, self.speed, self.force, self.resolution))

    def period(self, step: float) -> int:
        """How many physics steps [s] old a reading may become, at most."""
        return math.ceil(1.0 / (self.rate * step) - 1e-9) if self.rate else 0

    def sample(self, now: int, step: float) -> int:
        """In which physics step the readings were taken that are there in step `now`; at the earliest in step 0.

        Readings are due every 1 / rate, and taken in the first step then or later.
        """
        if not self.rate:
            return max(now, 0)
        per_step = self.rate * step
        return max(math.ceil(math.floor(now * per_step + 1e-9) / per_step - 1e-9), 0)

    def spoil(self, reading: SensorReading, sample: int, sensors: Ints) -> SensorReading:
        """The reading of a physics step with this step's errors; `sensors` (n_legs,) in each sole."""
        noise = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, sample]))
        joints, force = len(reading.position), reading.foot_force
        # always drawn alike: one sensor's noise is the same whether another has any
        gyro, accelerometer = noise.standard_normal((2, 3))
        angle, speed = noise.standard_normal((2, joints))
        pressed = noise.standard_normal(force.shape) * (np.arange(force.shape[1]) < sensors[:, None])
        return replace(
            reading,
            position=self._encoded(reading.position + self.angle * angle),
            velocity=reading.velocity + self.speed * speed,
            gyro=reading.gyro + self.gyro * gyro,
            accelerometer=reading.accelerometer + self.accelerometer * accelerometer,
            foot_force=force + self.force * pressed,
        )

    def _encoded(self, angles: Array) -> Array:
        return self.resolution * np.round(angles / self.resolution) if self.resolution else angles


EXACT = Sensing()
"""Sensors that say what is."""
