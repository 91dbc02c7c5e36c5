"""Gaits as data: in which order feet come down, and how long they stay. Phases count from 0 to 1 over a cycle.

The orders are those of dogs (Bahr 2.1, after Carr and Dycus 2016); how long feet stay and how fast the cycle runs are a
robot's own (`robots.Gait`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.errors import BadRobot
from gangart.signals import Array, Bools


@dataclass(frozen=True)
class Footfall:
    """When in a cycle each foot comes down, and how many feet or pairs of feet take turns."""

    line: str  # what it is
    touch: dict[str, float]  # [1] phase at which a leg's foot comes down
    turns: float  # [1] feet, or pairs of feet, that swing one after the other

    def duty(self, overlap: float) -> float:
        """Part of the cycle that a foot stands, if all stand for the part `overlap` (below 0: all are in the air)."""
        return 1.0 - (1.0 - overlap) / self.turns


def _touch(front_left: float, front_right: float, rear_left: float, rear_right: float) -> dict[str, float]:
    return {"front_left": front_left, "front_right": front_right, "rear_left": rear_left, "rear_right": rear_right}


FOOTFALLS: dict[str, Footfall] = {
    "walk": Footfall(
        "one foot after the other, each front foot behind the hind foot of its side", _touch(0.25, 0.75, 0.0, 0.5), 4
    ),
    "circle": Footfall("one foot after the other, once around the body", _touch(0.25, 0.5, 0.0, 0.75), 4),
    "trot": Footfall("diagonal pairs", _touch(0.0, 0.5, 0.5, 0.0), 2),
    "pace": Footfall("pairs of a side", _touch(0.0, 0.5, 0.0, 0.5), 2),
    "bound": Footfall("hind feet, then front feet", _touch(0.5, 0.5, 0.0, 0.0), 2),
    "gallop": Footfall("hind feet one shortly after the other, then front feet", _touch(0.6, 0.5, 0.1, 0.0), 2),
}
"""By name; legs as our quadrupeds name them."""


@dataclass(frozen=True, eq=False)
class Timing:
    """A footfall for the legs of a robot, with times."""

    cycle: float  # [s]
    duty: float  # [1] part of the cycle that each foot stands
    touch: Array  # (n_legs,) [1] phase at which each foot comes down

    @property
    def stance(self) -> float:
        """How long a foot stands [s]."""
        return self.duty * self.cycle

    @property
    def swing(self) -> float:
        """How long a foot is in the air [s]."""
        return self.cycle - self.stance

    def phase(self, cycles: Array | float) -> Array:
        """Each leg's own phase (..., n_legs), 0 where its foot comes down, after a number of cycles (...)."""
        return np.asarray((np.asarray(cycles)[..., None] - self.touch) % 1.0)

    def standing(self, cycles: Array | float) -> Bools:
        """Which feet stand (..., n_legs) after a number of cycles (...)."""
        return np.asarray(self.phase(cycles) < self.duty)

    def before_lift(self, part: float) -> float:
        """A number of cycles at which as many feet as possible stand, and one lifts after that part of a cycle."""
        lifts = (self.touch + self.duty) % 1.0 - 1e-6
        counts = [self.standing(t).sum() for t in lifts]
        return float(lifts[int(np.argmax(counts))]) - part


def timing(footfall: str, overlap: float, cycle: float, legs: tuple[str, ...]) -> Timing:
    """A footfall by name, with times, for legs by name."""
    found = FOOTFALLS[footfall]
    missing = [leg for leg in legs if leg not in found.touch]
    if missing or len(legs) != len(found.touch):
        raise BadRobot(f"the footfall {footfall} is for the legs {', '.join(found.touch)}; there are {', '.join(legs)}")
    return Timing(cycle, found.duty(overlap), np.array([found.touch[leg] for leg in legs]))
