"""Ball feet that stand roll as their shanks turn: how far, and how fast when they leave the ground and come to it."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Bools, Ints


class Rolling:
    """Follows the shanks of a robot from tick to tick.

    Args:
        columns: of each leg's joints, abduction, pitch and knee (n_legs, 3).
        q: joint angles from which on feet roll (n_joints,) [rad].
        standing: which feet stand then (n_legs,).
    """

    def __init__(self, columns: Ints, q: Array, standing: Bools) -> None:
        self._columns, self._turned, self._stood = columns, _shanks(q[columns]), standing
        self._fresh = np.zeros(len(columns), dtype=bool)
        self.speeds = np.zeros((len(columns), 2, 2))  # [m/s] of feet when they left the ground, and when they came

    def step(self, q: Array, radius: Array, standing: Bools, dt: float) -> Array:
        """How far feet of these radii (n_legs,) [m] rolled in a tick, ahead and to the left (n_legs, 2) [m]."""
        turned = _shanks(q[self._columns])
        change, self._turned = turned - self._turned, turned
        rolled = radius[:, None] * np.column_stack([change[:, 1], -change[:, 0]])
        _remember(self.speeds, rolled / dt, standing, self._stood, self._fresh)
        self._stood = standing
        return rolled


def _shanks(angles: Array) -> Array:
    """How far each shank is turned about x and y of the base (n_legs, 2) [rad]."""
    return np.column_stack([angles[:, 0], angles[:, 1] + angles[:, 2]])


@kernel
def _remember(rolling: Array, rolled: Array, standing: Bools, stood: Bools, fresh: Bools) -> None:
    """Keep how fast feet roll that stand, for when they leave, and how fast they did when they came.

    Args:
        rolling: when they leave, and when they come (n, 2, 2) [m/s]; is changed.
        rolled: how fast each rolled in this tick (n, 2) [m/s].
        standing: which stand (n,).
        stood: which did a tick ago (n,).
        fresh: which came in the last tick (n,); is changed.
    """
    for i in range(len(standing)):
        if standing[i] and stood[i]:
            rolling[i, 0] = rolled[i]
            if fresh[i]:
                rolling[i, 1] = rolled[i]
        fresh[i] = standing[i] and not stood[i]
