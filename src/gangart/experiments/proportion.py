"""How sure a share is that was counted in a few trials (Wilson 1927)."""

from __future__ import annotations

import math

_SURE = 1.959964  # standard deviations of 95 %


def wilson(good: int, trials: int, sure: float = _SURE) -> tuple[float, float]:
    """Between which shares the true one lies, in 95 of 100 cases.

    Centre and width are those of the score test: (p + z²/2n ± z √(p (1 - p)/n + z²/4n²)) / (1 + z²/n).

    Args:
        good: how many of the trials went well.
        trials: how many there were; without any, nothing is known.
        sure: z, standard deviations on either side.
    """
    if trials == 0:
        return 0.0, 1.0
    p, z2 = good / trials, sure * sure / trials
    centre, half = p + z2 / 2.0, sure * math.sqrt(p * (1.0 - p) / trials + z2 / (4.0 * trials))
    return max(0.0, (centre - half) / (1.0 + z2)), min(1.0, (centre + half) / (1.0 + z2))
