"""How a gear gives way to a torque over time: a spring that has a free play, beside a damper (Urbann 4.2.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array

_FINE = 10  # parts of a row over which the motion is integrated


@dataclass(frozen=True)
class Teeth:
    """One gear, seen from the joint."""

    stiffness: float  # [N m/rad] D_g
    play: float  # [rad] either way
    damping: float  # [N m s/rad]; it is what takes the gear its time to cross the play

    def give(self, torque: Array, dt: float) -> Array:
        """By how much it gives way (n,) [rad] to torques (n,) [N m], rows `dt` [s] apart; begins at rest."""
        out = np.empty(len(torque))
        _give(np.ascontiguousarray(torque), dt, self.stiffness, self.play, self.damping, out)
        return out


@kernel
def _give(torque: Array, dt: float, stiffness: float, play: float, damping: float, out: Array) -> None:
    """Implicit Euler of damping · y' + stiffness · (y beyond the play) = torque."""
    h = dt / _FINE
    y = torque[0] / stiffness + play * np.sign(torque[0])
    out[0] = y
    for i in range(1, len(torque)):
        for k in range(1, _FINE + 1):
            now = torque[i - 1] + (torque[i] - torque[i - 1]) * k / _FINE
            free = damping * y + h * now  # damping · y where no spring pulls
            if abs(free) > damping * play:
                y = (free + h * stiffness * play * np.sign(free)) / (damping + h * stiffness)
            else:
                y = free / damping
        out[i] = y
