"""Arms that swing against the torso's tilt (Urbann 5.3.2): both shoulders turn by -10 times the filtered orientation.

The thesis measures without delay and noise; "direct" is that version. On a real robot the tilt comes late, and an arm
that follows it late pushes at the wrong time. A walk repeats itself, though: "periodic" averages the tilt at each phase
over many double steps, and reads the average ahead by the delay. Late and noisy readings then only slow it down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from gangart.compensation.orientation import TiltFilter
from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.signals import Array, SensorReading

ArmMethod = Literal["direct", "periodic"]
_NODES = 64  # phases at which the tilt is averaged
_HARMONICS = 4  # of the double step; what is faster is noise


@dataclass(frozen=True)
class ArmFeedback:
    """How the arms follow the torso's tilt."""

    method: ArmMethod = "periodic"
    factor: float = -10.0  # [1] of the orientation φ_y, positive when the torso leans back
    smoothing: float = 0.05  # [s] "direct": low-pass on the tilt
    delay: float = 0.0  # [s] "periodic": how late readings and motors are together
    learning: float = 0.15  # [1] "periodic": share of the newest double step in the average
    limit: float = 0.6  # [rad] by which a shoulder turns at most

    def __post_init__(self) -> None:
        choose("arm feedback", self.method, get_args(ArmMethod))
        rules = {
            "factor": (math.isfinite(self.factor), "a finite number"),
            "smoothing": (0.0 <= self.smoothing < math.inf, "at least 0 s"),
            "delay": (0.0 <= self.delay <= 0.5, "in 0…0.5 s"),
            "learning": (0.0 < self.learning <= 1.0, "in 0…1, above 0"),
            "limit": (0.0 < self.limit <= 2.0, "in 0…2 rad, above 0"),
        }
        for name, (holds, rule) in rules.items():
            if not holds:
                raise BadValue(f"arm feedback's {name} is {getattr(self, name):g}; it has to be {rule}")


class ArmFollower:
    """Turns readings into what to add to the shoulders; `angle` and `rate` are the last result."""

    angle: float  # [rad] for every shoulder
    rate: float  # [rad/s]

    def __init__(self, robot: Robot, settings: ArmFeedback, double_step: float) -> None:
        """`double_step` is its duration [s]."""
        self.settings, self._dt, self._double_step = settings, robot.tick, double_step
        motors = [robot.motor_of(arm.swing) for arm in robot.arms.values()]
        self._fastest = min((m.joint_speed for m in motors if m is not None), default=math.inf)
        self._filter = TiltFilter()
        self.reset()

    def reset(self) -> None:
        """Forget everything: the arms hang."""
        self._filter.reset()
        self.angle, self.rate = 0.0, 0.0
        self._smooth = 0.0
        self._cycle = np.zeros(_NODES)  # sums of the present double step
        self._count = np.zeros(_NODES)
        self._harmonics = np.zeros(_HARMONICS + 1, dtype=np.complex128)
        self._last_phase = 0.0

    def update(self, reading: SensorReading, phase: float, share: float) -> None:
        """Take in one reading; `phase` of the double step and `share` of the walk at its time."""
        pitch = float(self._filter.update(reading.gyro, reading.accelerometer, self._dt)[1])
        wanted = self._direct(pitch) if self.settings.method == "direct" else self._periodic(pitch, phase, share)
        wanted *= -self.settings.factor  # φ_y of the thesis is -pitch
        wanted = min(max(wanted, -self.settings.limit), self.settings.limit)
        self.rate = min(max((wanted - self.angle) / self._dt, -self._fastest), self._fastest)
        self.angle += self.rate * self._dt

    def _direct(self, pitch: float) -> float:
        self._smooth += -math.expm1(-self._dt / max(self.settings.smoothing, 1e-9)) * (pitch - self._smooth)
        return self._smooth

    def _periodic(self, pitch: float, phase: float, share: float) -> float:
        if share <= 0.0:
            return 0.0
        if phase < self._last_phase - 0.5:
            self._learn()
        self._last_phase = phase
        node = int(phase * _NODES) % _NODES
        self._cycle[node] += pitch
        self._count[node] += 1.0
        # a tilt that was read at this phase happened earlier by the delay
        ahead = phase + self.settings.delay / self._double_step
        turns = np.exp(2j * np.pi * ahead * np.arange(_HARMONICS + 1))
        return share * float((self._harmonics * turns).real.sum())

    def _learn(self) -> None:
        """Take the double step that is over into the average, without its mean: a steady lean is no swing."""
        seen = self._count > 0.0
        if seen.mean() > 0.5:
            phases = (np.arange(_NODES)[seen] + 0.5) / _NODES
            tilt = self._cycle[seen] / self._count[seen]
            k = np.arange(_HARMONICS + 1)
            wave = 2.0 * (np.exp(-2j * np.pi * k[:, None] * phases) * (tilt - tilt.mean())).mean(axis=1)
            wave[0] = 0.0
            self._harmonics += self.settings.learning * (wave - self._harmonics)
        self._cycle[:], self._count[:] = 0.0, 0.0
