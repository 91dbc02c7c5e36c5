"""Take a measured zero moment point back into the state of the one-mass model (Urbann 2.4.7)."""

from __future__ import annotations

import numpy as np

from gangart.pattern.preview import PreviewGains
from gangart.signals import Array

SMOOTHING = 0.1  # [s] of the measured ZMP: stiff joints turn every correction into an acceleration, which is measured


class ZmpObserver:
    """Corrects where the model has the centre of mass by the difference between measured and expected ZMP.

    A stiff robot follows a corrected position at once, and the acceleration that this takes is in the next measurement:
    what is measured is therefore smoothed, and the corrected position is a part of the speed that the joints get.
    """

    drift: Array  # (2,) [m/s] by which the correction moves the centre of mass beside the state's own speed

    def __init__(self, gains: PreviewGains, feedback: float) -> None:
        """`feedback` 0…1 is how much of the correction is used."""
        self._gains = gains
        self._feedback = feedback
        self._share = -np.expm1(-gains.dt / SMOOTHING)
        self.reset()

    def reset(self) -> None:
        """Forget all measurements."""
        self.drift = np.zeros(2)
        self._surprise = np.zeros(2)

    def correct(self, state: Array, measured: Array | None) -> None:
        """Correct the state (2, 3) in place by a measured ZMP (2,) [m]; None or NaN where there is no measurement."""
        if measured is None or not np.isfinite(measured).all():
            self.drift = np.zeros(2)
            return
        self._surprise += self._share * (measured - state @ self._gains.C - self._surprise)
        correction = self._feedback * self._surprise[:, None] * self._gains.observer
        self.drift = correction[:, 0] / self._gains.dt
        state += correction
