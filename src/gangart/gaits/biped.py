"""Which foot moves when, on two legs: the timing of single and double supports (Urbann 2.4.4)."""

from __future__ import annotations

from dataclasses import dataclass

from gangart.errors import BadValue


@dataclass(frozen=True)
class BipedTiming:
    """A double step is two single and two double supports; every step takes half of it."""

    double_step: float  # [s]
    double_support_ratio: float  # [1] part of the time on both feet
    start: float  # [s] from the command to the first double support: the body has to lean over first

    def __post_init__(self) -> None:
        if not 0.1 <= self.double_step <= 20.0:
            raise BadValue(f"double step duration is {self.double_step:g} s; it has to lie in 0.1…20 s")
        if not 0.02 <= self.double_support_ratio <= 0.9:
            raise BadValue(f"double support ratio is {self.double_support_ratio:g}; it has to lie in 0.02…0.9")
        if not 0.0 <= self.start <= 10.0:
            raise BadValue(f"start delay is {self.start:g} s; it has to lie in 0…10 s")

    @property
    def step(self) -> float:
        """One step: a double support and a single support [s]."""
        return self.double_step / 2.0

    @property
    def double_support(self) -> float:
        """Both feet on the ground [s]."""
        return self.step * self.double_support_ratio

    @property
    def single_support(self) -> float:
        """One foot in the air [s]."""
        return self.step - self.double_support
