"""What an engine may be given to compensate with. Nothing is on unless it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gangart.compensation.arms import ArmFeedback
from gangart.compensation.phase import Rhythm
from gangart.errors import BadValue
from gangart.signals import Array

SLIP = 0.008  # [1] of the way forward: between what floors of friction 0.25 and 1 took from worn Naos at 0.2 m/s


class ZmpSource(Protocol):
    """Offsets on the ZMP reference."""

    def __call__(self, rhythm: Rhythm, time: Array, yaw: Array) -> Array:
        """(n, 2) [m] in the world at times (n,) [s]; `yaw` (n,) [rad] is the mean of the soles."""
        ...


class JointSource(Protocol):
    """Offsets on the joint angles."""

    def __call__(self, rhythm: Rhythm, time: float) -> tuple[Array, Array]:
        """(n_joints,) [rad] at a time [s], and how fast they change (n_joints,) [rad/s]."""
        ...


@dataclass(frozen=True)
class Compensation:
    """What to ask for, to get what is wanted; every part is off where it is None."""

    zmp: ZmpSource | None = None  # on the ZMP reference (algorithm 5.1, online)
    offsets: JointSource | None = None  # on the joints, for their load
    arms: ArmFeedback | None = None  # arms that follow the torso's tilt (5.3.2)
    slip: float = 0.0  # [1] part of the way forward that soles lose by sliding; steps are made as much longer

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 0.5:
            raise BadValue(f"the compensation's slip is {self.slip:g}; it has to lie in 0…0.5")
