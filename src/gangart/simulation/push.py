"""Pushes: forces from outside that act on a body for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangart.errors import BadValue
from gangart.signals import Array


@dataclass(frozen=True)
class Push:
    """A force on a body's centre of mass for a while. Its impulse is force times duration, however long a step is."""

    time: float  # [s] when it begins
    duration: float  # [s]
    force: tuple[float, float, float]  # [N] in the world
    body: str = ""  # the robot's base if empty

    def __post_init__(self) -> None:
        numbers = np.array([self.time, self.duration, *self.force])
        if numbers.shape != (5,) or not np.isfinite(numbers).all() or self.duration < 0.0:
            raise BadValue(f"{self} has to be two times and three forces, finite, with a duration of at least 0 s")

    @property
    def end(self) -> float:
        """When it is over [s]."""
        return self.time + self.duration

    def share(self, edges: Array) -> Array:
        """Which part of each physics step it lasts: (n,) [1] for steps between the times `edges` (n + 1,) [s]."""
        lasts = np.minimum(edges[1:], self.end) - np.maximum(edges[:-1], self.time)
        # simulated time is a sum of steps: without rounding, its last digits would push a little a step too early
        return np.clip(np.round(lasts / np.diff(edges), 6), 0.0, 1.0)


def pushed(pushes: Sequence[Push], bodies: Sequence[int], edges: Array, n_bodies: int) -> Array:
    """Forces and torques on all bodies, (n, n_bodies, 6) [N, N m] for steps between the times `edges` (n + 1,) [s]."""
    out = np.zeros((len(edges) - 1, n_bodies, 6))
    for push, body in zip(pushes, bodies, strict=True):
        out[:, body, :3] += push.share(edges)[:, None] * np.array(push.force)
    return out
