"""Steps that are as long as commanded: a slow integral controller on the stride that the legs measure.

While both feet stand, the joint encoders tell how far the feet are apart, less what gives way behind them: the more a
servo stays behind its target, the more torque it gives, and the more gear and links give way. A double step that came
out too long makes the next ones shorter. Slipping is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.phase import Rhythm
from gangart.errors import BadValue
from gangart.signals import Array, Command, FootstepPlan, JointTargets, SensorReading

_LEAST = 0.01  # [m] a stride below this is not measured
_FROM, _TO = 0.25, 0.75  # part of the double support over which it is measured


@dataclass(frozen=True)
class StrideControl:
    """How steps are corrected."""

    gain: float = 0.2  # [1] part of the stride's relative error that is corrected per step
    limit: float = 0.1  # [1] largest relative correction
    slip: float = 0.002  # [1] part of the way that is lost where soles slide: 0…1 % from rough to smooth floors

    def __post_init__(self) -> None:
        for name, most in (("gain", 1.0), ("limit", 0.5)):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0.0 < value <= most):
                raise BadValue(f"stride control's {name} is {value:g}; it has to lie in 0…{most:g}, above 0")
        if not 0.0 <= self.slip <= 0.5:
            raise BadValue(f"stride control's slip is {self.slip:g}; it has to lie in 0…0.5")


class StrideMeter:
    """Compares measured with planned strides, and scales commands; `scale` is what it does now."""

    scale: float  # [1] on the commanded forward speed

    def __init__(self, settings: StrideControl) -> None:
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        """Begin with the command as it is."""
        self.scale = 1.0
        self._pairs: list[tuple[float, float]] = []

    def __call__(self, command: Command) -> Command:
        """The command whose strides come out as long as those of the given one."""
        return command if self.scale == 1.0 else Command(command.vx * self.scale, command.vy, command.wz)

    def landed(self, measured: float, planned: float) -> None:
        """A step is done: both feet stand, `measured` [m] and were planned to stand `planned` [m] apart, forward.

        `planned` is that of the scaled command.
        """
        self._pairs = [*self._pairs[-1:], (measured, planned)]
        if len(self._pairs) < 2:
            return
        way, plan = np.sum(self._pairs, axis=0)  # over two steps: what is unlike between left and right cancels
        if abs(plan) < _LEAST:
            return
        s = self.settings
        error = way / plan * self.scale * (1.0 - s.slip) - 1.0
        self.scale = min(max(self.scale - s.gain * error, 1.0 - s.limit), 1.0 + s.limit)


class StrideWatch:
    """Measures each stride in the middle of its double support, and tells a meter."""

    asked: JointTargets | None  # what the joints were asked for, due at the coming reading

    def __init__(self, meter: StrideMeter, feet: Callable[[Array], Array], wear: TorqueOffsets | None) -> None:
        """`feet` gives both soles' poses (2, 4, 4) in the base; `wear` what gives way behind the angle sensors."""
        self._meter, self._feet, self._wear = meter, feet, wear
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.asked = None
        self._step = -np.inf  # [s] when the step landed that is being measured
        self._seen: list[float] = []  # [m]

    def look(self, rhythm: Rhythm, plan: FootstepPlan, reading: SensorReading) -> None:
        """Take in a reading; after the middle of a double support, what was measured over it is told."""
        part = (reading.time - rhythm.land) / rhythm.change
        k = int(np.searchsorted(rhythm.land, reading.time + 1e-9)) - 1
        if k < 0 or part[k] < _FROM or rhythm.land[k] < self._step:
            return
        if rhythm.land[k] > self._step:
            self._step, self._seen = float(rhythm.land[k]), []
        if part[k] <= _TO:
            self._seen.append(stride(self._feet(self._angles(reading)), int(rhythm.foot[k])))
        elif self._seen:
            self._meter.landed(float(np.mean(self._seen)), _planned(plan, k))
            self._step, self._seen = math.nextafter(self._step, math.inf), []

    def _angles(self, reading: SensorReading) -> Array:
        """The joints' angles (n_joints,) [rad], with what gives way behind their sensors."""
        if self._wear is None or self.asked is None:
            return reading.position
        error, rate = self.asked.position - reading.position, self.asked.velocity - reading.velocity
        return reading.position - self._wear.give(self._wear.felt(error, rate, reading.velocity))


def _planned(plan: FootstepPlan, k: int) -> float:
    """How far step k lands ahead of the other foot [m]."""
    other = plan.pose[k - 1] if k else plan.start[1 - int(plan.foot[k])]
    heading = (plan.pose[k, 2] + other[2]) / 2.0
    return float((plan.pose[k] - other)[:2] @ [np.cos(heading), np.sin(heading)])


def stride(T_base_foot: Array, new: int) -> float:
    """How far foot `new` stands ahead of the other [m], from both soles' poses (2, 4, 4) in the base."""
    heading = T_base_foot[:, :2, 0].mean(axis=0)
    apart = T_base_foot[new, :2, 3] - T_base_foot[1 - new, :2, 3]
    return float(apart @ heading / np.hypot(*heading))
