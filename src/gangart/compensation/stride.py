"""Steps that are as long as commanded: a slow integral controller on the stride that the legs measure.

While both feet stand, the joint encoders tell how far the feet are apart. A double step that came out too long makes
the next ones shorter. Slipping is not seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gangart.errors import BadValue
from gangart.signals import Array, Command

_LEAST = 0.01  # [m] a stride below this is not measured


@dataclass(frozen=True)
class StrideControl:
    """How steps are corrected."""

    gain: float = 0.2  # [1] part of the stride's relative error that is corrected per step
    limit: float = 0.1  # [1] largest relative correction
    slip: float = 0.005  # [1] part of the way that is lost where soles slide: 0…1 % from rough to smooth floors

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


def stride(T_base_foot: Array, new: int) -> float:
    """How far foot `new` stands ahead of the other [m], from both soles' poses (2, 4, 4) in the base."""
    heading = T_base_foot[:, :2, 0].mean(axis=0)
    apart = T_base_foot[new, :2, 3] - T_base_foot[1 - new, :2, 3]
    return float(apart @ heading / np.hypot(*heading))
