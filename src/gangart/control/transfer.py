"""From one engine to the next without a jump: what the targets differ by when they change hands fades out."""

from __future__ import annotations

from gangart.control.segments import smooth
from gangart.signals import JointTargets

_FADE = 0.3  # [s]


class Transfer:
    """Follows the targets of engines that take turns."""

    def __init__(self, tick: float) -> None:
        """`tick`: time [s] between targets."""
        self._tick = tick
        self.forget()

    def forget(self) -> None:
        """Nobody had the legs before."""
        self._owner: object = None
        self._last: JointTargets | None = None
        self._time = _FADE  # [s] since they changed hands

    def smoothed(self, targets: JointTargets, owner: object) -> JointTargets:
        """The targets of an owner, with what is left of the difference to those of the one before."""
        if owner is not self._owner:
            if self._last is not None:
                last = self._last
                self._offset = last.position + self._tick * last.velocity - targets.position
                self._time = 0.0
            self._owner = owner
        self._time += self._tick
        if self._time < _FADE:
            way, slope = smooth(self._time / _FADE)
            position = targets.position + (1.0 - way) * self._offset
            velocity = targets.velocity - slope / _FADE * self._offset
            targets = JointTargets(targets.time, position, velocity)
        self._last = targets
        return targets
