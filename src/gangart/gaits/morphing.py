"""From one cyclic gait into another while walking: times and lengths go over within a few cycles.

Front feet and hind feet come down in pairs half a cycle apart in every gait for which this is allowed, and stay down
for half a cycle or longer, so that two feet at least bear all the time. The longer stance holds while the feet's order
changes: a trot first lets its feet stand longer before it becomes a walk, and a walk becomes a trot before its feet
stand less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gangart.errors import BadRobot
from gangart.gaits.footfall import Timing, timing
from gangart.robots import Gait
from gangart.signals import Array

_CYCLES = 6.0  # in which a gait becomes another of another order
_SHORT = 2.0  # and of the same
_LIMITS = ("forward", "backward", "sideways", "turn", "acceleration", "turn_acceleration")
_PAIRS = (("front_left", "front_right"), ("rear_left", "rear_right"))


class Morph:
    """The way from a gait to another: `gait` and `timing` are those of now, `done` says that it is over."""

    gait: Gait
    timing: Timing
    touch_rate: Array  # (n_legs,) [1/s] how fast touch-downs move in the cycle now

    def __init__(self, start: Timing, a: Gait, b: Gait, legs: tuple[str, ...]) -> None:
        """Raises BadRobot where fewer than two feet might bear, or where the body would have to be held otherwise."""
        self._start, self._goal = start, timing(b.footfall, b.overlap, b.cycle, legs)
        refuse_unlike(a, b, self._start, self._goal, legs)
        self._a, self._b = a, b
        self._shift = nearest_shift(start.touch, self._goal.touch)
        self._cycles = _CYCLES if self._shift.any() else _SHORT
        self._part = 0.0
        self.step(0.0)

    @property
    def done(self) -> bool:
        """Whether the gait is the other one."""
        return self._part >= 1.0

    def step(self, dt: float) -> None:
        """Go on by a time [s]."""
        length = self._cycles * (self.timing.cycle if self._part else self._start.cycle)
        self._part = min(self._part + dt / length, 1.0)
        first, middle, last = (min(max(3.0 * self._part - k, 0.0), 1.0) for k in range(3))
        a, b = self._start, self._goal
        self.timing = Timing(
            _by_way_of(a.cycle, max(a.cycle, b.cycle), b.cycle, first, last),
            _by_way_of(a.duty, max(a.duty, b.duty), b.duty, first, last),
            a.touch + middle * middle * (3.0 - 2.0 * middle) * self._shift,
        )
        self.touch_rate = 18.0 * middle * (1.0 - middle) / length * self._shift
        self.gait = self._b if self.done else self._between()

    def _between(self) -> Gait:
        a, b = self._a, self._b
        blended = {name: getattr(a, name) + self._part * (getattr(b, name) - getattr(a, name))
                   for name in ("step_height", "ahead")}  # fmt: skip
        least = {name: min(getattr(a, name), getattr(b, name)) for name in _LIMITS}
        return replace(a, name=b.name, cycle=self.timing.cycle, **blended, **least)


def refuse_unlike(a: Gait, b: Gait, start: Timing, goal: Timing, legs: tuple[str, ...]) -> None:
    """Raise BadRobot for two gaits between which there is no way while walking."""
    where = f"gait '{a.name}' cannot become '{b.name}' while walking"
    if a.height != b.height:
        raise BadRobot(f"{where}: their heights are {a.height:g} and {b.height:g} m; they have to be equal")
    if a.spread != b.spread:
        raise BadRobot(f"{where}: their feet are spread by {a.spread:g} and {b.spread:g} m; that has to be equal")
    if a.lean or b.lean:
        raise BadRobot(f"{where}: the body leans in a circle that belongs to the order of the feet")
    for which, gait in ((start, a), (goal, b)):
        if which.duty < 0.5:
            raise BadRobot(f"{where}: in '{gait.name}' feet stand for {which.duty:g} of the cycle, less than half")
        for left, right in _PAIRS:
            apart = (which.touch[legs.index(left)] - which.touch[legs.index(right)]) % 1.0
            if abs(apart - 0.5) > 1e-9:
                raise BadRobot(f"{where}: in '{gait.name}' the feet {left} and {right} do not take turns")


def nearest_shift(a: Array, b: Array) -> Array:
    """How far each touch-down moves from a to b (n_legs,) [1], where the cycle of b may begin whenever it wants to."""
    shifts = [np.round(b - a - begin + 0.5, 9) % 1.0 - 0.5 for begin in b - a]
    return min(shifts, key=lambda shift: float(np.abs(shift).sum()))


def _by_way_of(a: float, middle: float, b: float, first: float, last: float) -> float:
    """From a to the middle with `first`, and from there to b with `last`, both 0…1."""
    return a + first * (middle - a) + last * (b - middle)
