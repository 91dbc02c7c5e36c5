"""Simulated time beside the wall clock's: who steers a robot wants to see it move as fast as it would."""

from __future__ import annotations

import time
from collections.abc import Callable

from gangart.errors import BadValue

_PATIENCE = 0.1  # [s] of being late that are made up for; more of it is given up
_NOTICED = 1.0  # [s] that were given up, from when on it is said


class Pace:
    """Waits until the wall clock has come as far as the simulation.

    Args:
        speed: seconds of simulation per second of the wall clock; 0 does not wait.
        say: takes the sentence that the machine cannot keep up, once.
    """

    def __init__(
        self,
        speed: float,
        say: Callable[[str], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not 0.0 <= speed <= 1e3:
            raise BadValue(f"speed is {speed:g}; it has to lie in 0…1000, where 1 is real time and 0 does not wait")
        self.speed = speed
        self.lost = 0.0  # [s] by the wall clock, for which the simulation was too slow
        self._say, self._clock, self._sleep = say, clock, sleep
        self._began: tuple[float, float] | None = None  # [s] on the wall, simulated
        self._told = False

    def wait(self, simulated: float) -> None:
        """Until the simulated time [s] is due."""
        if self._began is None:
            self._began = self._clock(), simulated
        began, first = self._began
        if self.speed == 0.0:
            return
        early = began + self.lost + (simulated - first) / self.speed - self._clock()
        if early > 0.0:
            self._sleep(early)
        elif -early > _PATIENCE:
            self.lost -= early
            if self.lost > _NOTICED and not self._told:
                self._told = True
                self._say(f"this machine cannot keep up with {self.speed:g} times real time; it goes on more slowly")

    def achieved(self, simulated: float) -> float:
        """Seconds of simulation per second of the wall clock, so far; NaN before there are any."""
        if self._began is None:
            return float("nan")
        wall = self._clock() - self._began[0]
        return (simulated - self._began[1]) / wall if wall > 0.0 else float("nan")
