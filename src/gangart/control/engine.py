"""What every engine is: something that turns a command and a reading into joint targets, tick by tick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gangart.signals import Array, Bools, Command, JointTargets, SensorReading, Wish


@dataclass(frozen=True, slots=True)
class Reference:
    """What the pattern wants at the instant for which the last targets are due."""

    zmp: Array  # (2,) [m] in the world
    com: Array  # (3,) [m] in the world
    support: Bools  # (n_legs,) which legs should stand


class Engine(Protocol):
    """A walking engine, a gait, a selector of engines: all are driven alike."""

    reference: Reference
    notes: tuple[str, ...]  # what was limited lately, in sentences

    def reset(self, reading: SensorReading) -> None:
        """Begin anew from where the robot stands."""

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of the tick that begins with this reading."""


@runtime_checkable
class Steerable(Protocol):
    """An engine that takes more than a velocity."""

    gaits: tuple[str, ...]  # that can be selected, in the order of their buttons

    def obey(self, wish: Wish) -> None:
        """Pose of the body and gait, from the next tick on; the velocity comes with the tick."""
