"""Between a command source and an engine: whoever steers speaks of velocity, pose and gait, and no engine takes all."""

from __future__ import annotations

import time
from collections.abc import Callable

from gangart.control.engine import Engine, Steerable
from gangart.control.sources.source import Say, Source, to_log, wishes
from gangart.signals import BodyPose, Command, Wish


class Steering:
    """Hands the wishes of a source to an engine; called with the robot's time [s] it gives the velocity.

    What the engine cannot do is said once.
    """

    wish: Wish  # the last one

    def __init__(
        self, source: Source, engine: Engine, say: Say = to_log, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wishes, self._engine, self._say = wishes(source, clock), engine, say
        self._refused = False
        self.wish = Wish()

    def __call__(self, now: float) -> Command:
        """The velocity that is wanted now."""
        self.wish = self._wishes(now)
        if isinstance(self._engine, Steerable):
            self._engine.obey(self.wish)
        elif not self._refused and (self.wish.pose != BodyPose() or self.wish.gait is not None):
            self._refused = True
            self._say("this robot's engine takes a velocity only: poses of the body and gaits are ignored")
        return self.wish.velocity
