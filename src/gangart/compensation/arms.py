"""Arms that swing against the torso's tilt (Urbann 5.3.2): both shoulders turn by -10 times the filtered orientation.

The thesis measures without delay and noise; "direct" is that version. On a real robot the tilt comes late, and an arm
that follows it late pushes at the wrong time. "patient" smooths over several times the
delay, so that little is left of the loop's gain where the delay has turned its sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from gangart.compensation.orientation import TiltFilter
from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.signals import SensorReading

_PATIENCE = 4.0  # [1] smoothing of "patient" against the delay: the gain has fallen to 1/7 where the sign turns

ArmMethod = Literal["direct", "patient"]


@dataclass(frozen=True)
class ArmFeedback:
    """How the arms follow the torso's tilt."""

    method: ArmMethod = "patient"
    factor: float = -10.0  # [1] of the orientation φ_y, positive when the torso leans back
    smoothing: float = 0.05  # [s] low-pass on the tilt
    delay: float = 0.0  # [s] "patient": how late readings and motors are together
    limit: float = 0.6  # [rad] by which a shoulder turns at most

    def __post_init__(self) -> None:
        choose("arm feedback", self.method, get_args(ArmMethod))
        rules = {
            "factor": (math.isfinite(self.factor), "a finite number"),
            "smoothing": (0.0 <= self.smoothing < math.inf, "at least 0 s"),
            "delay": (0.0 <= self.delay <= 0.5, "in 0…0.5 s"),
            "limit": (0.0 < self.limit <= 2.0, "in 0…2 rad, above 0"),
        }
        for name, (holds, rule) in rules.items():
            if not holds:
                raise BadValue(f"arm feedback's {name} is {getattr(self, name):g}; it has to be {rule}")


class ArmFollower:
    """Turns readings into what to add to the shoulders; `angle` and `rate` are the last result."""

    angle: float  # [rad] for every shoulder
    rate: float  # [rad/s]

    def __init__(self, robot: Robot, settings: ArmFeedback) -> None:
        """`robot` gives the tick, and the motors that limit how fast an arm can follow."""
        self.settings, self._dt = settings, robot.tick
        motors = [robot.motor_of(arm.swing) for arm in robot.arms.values()]
        self._fastest = min((m.joint_speed for m in motors if m is not None), default=math.inf)
        self._filter = TiltFilter()
        self.reset()

    def reset(self) -> None:
        """Forget everything: the arms hang."""
        self._filter.reset()
        self.angle, self.rate = 0.0, 0.0
        self._smooth = 0.0

    def update(self, reading: SensorReading) -> None:
        """Take in one reading."""
        pitch = float(self._filter.update(reading.gyro, reading.accelerometer, self._dt)[1])
        width = self.settings.smoothing
        if self.settings.method == "patient":
            width = max(width, _PATIENCE * self.settings.delay)
        self._smooth += -math.expm1(-self._dt / max(width, 1e-9)) * (pitch - self._smooth)
        wanted = -self.settings.factor * self._smooth  # φ_y of the thesis is -pitch
        wanted = min(max(wanted, -self.settings.limit), self.settings.limit)
        self.rate = min(max((wanted - self.angle) / self._dt, -self._fastest), self._fastest)
        self.angle += self.rate * self._dt
