"""How a swinging foot goes from where it left the ground to where it lands: parts of its way over parts of its time."""

from __future__ import annotations

import math

from gangart.compiled import kernel


@kernel
def swing_way(s: float) -> float:
    """Part of a swinging foot's way that is done after the part s of its time: at rest at both ends."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@kernel
def modified_sine(s: float) -> float:
    """As `swing_way`, with the least acceleration that a smooth way can do with: motors end there, in quick gaits.

    The modified sine of cams: a quarter of a wave up, a long half wave over the middle, a quarter back to rest. Its
    greatest acceleration is 5.53, half of that of the first eighth's wave; that of `swing_way` is 5.77.
    """
    b = math.pi / (4.0 + math.pi)
    wave = math.sin(4.0 * math.pi * s) / (4.0 * math.pi)
    if s < 0.125:
        return b * (s - wave)
    if s > 0.875:
        return b * (4.0 / math.pi + s - wave)
    return b * (2.0 / math.pi + s - 9.0 * math.sin((4.0 * s + 1.0) * math.pi / 3.0) / (4.0 * math.pi))


@kernel
def leaving(s: float) -> float:
    """Way of a swinging foot that leaves with the speed 1, and lands at rest where it would be without that."""
    return s * (1.0 + s * s * (-6.0 + s * (8.0 - 3.0 * s)))


@kernel
def coming(s: float) -> float:
    """Way of a swinging foot that comes with the speed 1 to where it would be without that."""
    return s * s * s * (-4.0 + s * (7.0 - 3.0 * s))


@kernel
def swing_lift(s: float) -> float:
    """Height of a swinging foot after the part s of its time, 1 in the middle: it leaves and lands without speed.

    Without acceleration, too: a jump of that is lost between two ticks, now more of it and now less.
    """
    x = s * (1.0 - s)
    return 32.0 * x * x * math.sqrt(x)
