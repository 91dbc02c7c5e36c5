"""What an engine may be given to compensate with. Nothing is on unless it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gangart.compensation.arms import ArmFeedback
from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.phase import Rhythm
from gangart.compensation.stride import StrideControl
from gangart.signals import Array


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
    stride: StrideControl | None = None  # steps scaled by the strides that the legs measure
    wear: TorqueOffsets | None = None  # tells the strides what gives way behind the angle sensors
