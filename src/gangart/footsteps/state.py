"""Where a walk is when its coming steps are planned: standing, or between two steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gangart.errors import BadValue
from gangart.footsteps.velocity import LEFT, RIGHT, moved, sign_of
from gangart.signals import Array


@dataclass(frozen=True, eq=False)
class WalkState:
    """The feet, which of them steps next, and the last way of each, from which changes are counted.

    The foot that is in the air stands where it will land: that step is fixed, and `next_foot` is the other one.
    """

    feet: Array  # (2, 3) footprints, left and right: x, y [m], yaw [rad] in the world
    next_foot: int | None = None  # LEFT or RIGHT; None where both stand and either may go first
    ways: Array = field(default_factory=lambda: np.zeros((2, 3)))  # (2, 3) last way of each foot: ahead, left, turn

    def __post_init__(self) -> None:
        for name in ("feet", "ways"):
            value = np.array(getattr(self, name), dtype=float)
            if value.shape != (2, 3) or not np.isfinite(value).all():
                raise BadValue(f"{name} of a walk have to be two rows of three finite numbers, got {value.tolist()}")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if self.next_foot not in (None, LEFT, RIGHT):
            raise BadValue(f"next foot is {self.next_foot!r}; it has to be {LEFT} (left), {RIGHT} (right) or None")

    def body(self, foot: int, spacing: float) -> Array:
        """The body frame that a foot carries, (3,) x, y [m], yaw [rad]."""
        return moved(self.feet[foot], 0.0, -sign_of(foot) * spacing / 2.0)


def standing(pose: Any, spacing: float) -> WalkState:
    """Feet beside each other around a body pose x, y [m], yaw [rad]."""
    body = checked_pose(pose, "start")
    return WalkState(np.array([moved(body, 0.0, sign_of(foot) * spacing / 2.0) for foot in (LEFT, RIGHT)]))


def as_state(start: Any, spacing: float) -> WalkState:
    """A state from a state, from two footprints (2, 3), or from a body pose (3,)."""
    if isinstance(start, WalkState):
        return start
    if np.shape(start) == (2, 3):
        return WalkState(np.asarray(start, dtype=float))
    return standing(start, spacing)


def checked_pose(pose: Any, word: str) -> Array:
    """Three finite numbers: x, y [m], yaw [rad]."""
    try:
        value = np.array(pose, dtype=float)
    except (TypeError, ValueError):
        value = np.empty(0)
    if value.shape != (3,):
        raise BadValue(f"{word} is {pose!r}; it has to be x, y [m] and yaw [rad]")
    for name, number in zip(("x", "y", "yaw"), value, strict=True):
        if not math.isfinite(number):
            raise BadValue(f"{word} {name} is {number}; it has to be a finite number")
    return value
