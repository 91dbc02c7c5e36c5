"""What to ask a drive for, so that its joints go a way although cascade and filter come late.

With the speed asked for, ẋ + P (x - q), a cascade's torque is D (ẋ + P (x - q) - q̇) + I ∫. To hold a load that gives
way by s in time, the targets have to be ahead of the joints by e = x - q with

    ė = k (s - e),   k = P + I / D,

as far as the load asks for, but no quicker than the cascade answers: in 1 / k, 26 ms in our quadruped. A target that
goes there at once presses a leg on the ground when it lands, and keeps it there when it lifts.

The filter before the cascade, ẍ = w² (u - x) + 2 w (u̇ - ẋ), is on its way to u + 2 u̇ / w. It follows x if

    u + 2 u̇ / w = x + 2 ẋ / w + ẍ / w²:

asked for x and ẋ alone, a foot that is stopped with 90 m/s² before it lands comes down 9 mm too low, or too far.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.robots import Drive
from gangart.signals import Array


class DriveLead:
    """By what the targets of joints are ahead of where the joints are to be, tick by tick."""

    def __init__(self, drive: Drive, joints: int) -> None:
        self._rate = drive.position_gain + drive.velocity_integral / drive.velocity_gain  # [1/s]
        self._filter = drive.filter  # [1/s]
        self.rest(np.zeros(joints))

    def rest(self, give: Array) -> None:
        """Stand under a load that makes the joints give way (n_joints,) [rad]."""
        self._give, self._ahead = give.copy(), give.copy()

    def ask(self, q: Array, speed: Array, acceleration: Array, give: Array, dt: float) -> tuple[Array, Array]:
        """Targets and their speeds (n_joints,) [rad], [rad/s], for the end of a tick.

        Args:
            q: where the joints are to be then (n_joints,) [rad].
            speed: with what speed (n_joints,) [rad/s].
            acceleration: and what acceleration (n_joints,) [rad/s²].
            give: by what they would give way in time under the load of then (n_joints,) [rad].
            dt: the tick [s].
        """
        target, rate, k = np.empty_like(q), np.empty_like(q), self._rate
        _ask(
            q, speed, acceleration, give, self._give, self._ahead, k, math.exp(-k * dt), dt, self._filter, target, rate
        )
        return target, rate


@kernel
def _ask(
    q: Array,
    speed: Array,
    acceleration: Array,
    give: Array,
    given: Array,
    ahead: Array,
    k: float,
    decay: float,
    dt: float,
    w: float,
    target: Array,
    rate: Array,
) -> None:
    """`DriveLead.ask`; `given` and `ahead` go on by the tick."""
    for j in range(len(q)):
        growing = (give[j] - given[j]) / dt  # linear over the tick, for which this step is exact
        e = give[j] - growing / k + (ahead[j] - given[j] + growing / k) * decay
        grows = k * (give[j] - e)
        given[j], ahead[j] = give[j], e
        target[j] = q[j] + e + (acceleration[j] + k * (growing - grows)) / (w * w)
        rate[j] = speed[j] + grows
