"""Where in the double step a walk is, and at which command: what tables over phase and command are read with.

The phase of a double step runs from the lift of the left foot (0) over that of the right (1/2) to the next lift of the
left (1). A step's command comes in while its foot is in the air, since all before is done already. Standing, a walk
has no phase: its share is 0, and grows to 1 over the first change of support; over the last, it fades again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Ints


class Rhythm(NamedTuple):
    """The steps of a plan, as kernels take them."""

    foot: Ints  # (n,) 0 left, 1 right
    lift: Array  # (n,) [s]
    land: Array  # (n,) [s]
    velocity: Array  # (n, 3) vx, vy [m/s], wz [rad/s] that each step was made for
    step: float  # [s] from one lift to the next
    change: float  # [s] of double support


@kernel
def gentle(u: float) -> float:
    """From 0 at 0 to 1 at 1, flat at both ends and beyond."""
    v = min(max(u, 0.0), 1.0)
    return v * v * (3.0 - 2.0 * v)


@kernel
def at(rhythm: Rhythm, t: float, velocity: Array) -> tuple[float, float]:
    """Phase 0…1 and share 0…1 of the walk at a time [s]; its velocity (3,) is written."""
    n = len(rhythm.lift)
    velocity[:] = 0.0
    if n == 0:
        return 0.0, 0.0
    k = 0
    while k < n - 1 and t >= rhythm.lift[k + 1]:
        k += 1
    since = t - rhythm.lift[k]
    before = max(k - 1, 0)
    new = gentle(since / (rhythm.land[k] - rhythm.lift[k]))
    for i in range(3):
        velocity[i] = rhythm.velocity[before, i] + new * (rhythm.velocity[k, i] - rhythm.velocity[before, i])
    begun = gentle(1.0 + (t - rhythm.lift[0]) / rhythm.change)
    over = gentle((t - rhythm.land[n - 1]) / rhythm.change)
    phase = (since / rhythm.step + rhythm.foot[k]) / 2.0
    return phase - np.floor(phase), begun * (1.0 - over)
