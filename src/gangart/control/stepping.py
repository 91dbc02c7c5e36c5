"""The pattern generator (Urbann 2.4.4): keeps the coming footprints in step with the command.

A footprint is fixed when its foot lifts; everything later follows the latest command. The first step waits until the
body has had time to lean over; a zero command closes the feet with the next step and ends the walk. Once the closing
foot is in the air the body is coming to rest, and a new command begins a new walk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gangart.footsteps import LEFT, RIGHT, accelerate, limit_command, next_step
from gangart.gaits import BipedTiming
from gangart.robots import Walk
from gangart.signals import Array, Command, FootstepPlan

_STAND = Command()
_FEET = ("left", "right")
_ROUNDING = 1e-9  # [s] by which clocks may differ


@dataclass(frozen=True, eq=False)
class Step:
    """One coming or past step."""

    foot: int
    pose: Array  # (3,) footprint: x, y [m], yaw [rad]
    lift: float  # [s]
    land: float  # [s]
    velocity: Command  # the command that it was made for, after the acceleration limits
    clipped: tuple[str, ...]  # the foot placement limits that moved it


@dataclass
class Stepper:
    """Turns commands into a plan that always reaches `horizon` seconds ahead."""

    walk: Walk
    timing: BipedTiming
    horizon: float  # [s]
    feet: Array  # (2, 3) footprints before the first step of the window
    ahead: float = 0.0  # [m] of the body before the feet's middle
    steps: list[Step] = field(default_factory=list)  # the window
    past: list[Step] | None = None  # give a list to keep the steps that leave the window
    _limits: tuple[str, ...] = ()
    _asked: Command = _STAND
    _command: Command = _STAND
    _next_event: float = np.inf  # [s] when the window has to move on by itself

    @property
    def standing(self) -> bool:
        """Whether no step is under way or to come."""
        return not self.steps

    @property
    def notes(self) -> tuple[str, ...]:
        """What is limited: the command, and the footprints of the window."""
        moved = {f"{_FEET[s.foot]} foot placed at its limit {limit}" for s in self.steps for limit in s.clipped}
        return (*self._limits, *sorted(moved))

    def update(self, time: float, command: Command) -> bool:
        """Bring the window up to date; true if the plan has changed. At most one step passes between two changes."""
        changed = self._take(command)
        if time < self._next_event - _ROUNDING and not changed:
            return False
        if self.steps and time >= self._end - _ROUNDING:
            self._finish()
            changed = True
        if not self.steps:
            if self._command == _STAND:
                self._next_event = np.inf
                return changed
            self._begin(time)
        else:
            self._drop_old(time)
            self._forget_coming(time)
        self._extend(time)
        events = [self._end, time + self.timing.step, *(s.lift for s in self.steps)]
        self._next_event = min(t for t in events if t > time + _ROUNDING)
        return True

    def plan(self) -> FootstepPlan:
        """The window: the step before the present one, the present one and those to come."""
        return plan_of(self.feet, self.steps)

    @property
    def _end(self) -> float:
        """When the last step of the window is over [s]."""
        return self.steps[-1].land + self.timing.double_support

    def _take(self, command: Command) -> bool:
        """Limit a new command; true if it differs from the last."""
        if command is self._asked or command == self._asked:
            return False
        self._asked = command
        limited, self._limits = limit_command(command, self.walk.limits)
        changed = limited != self._command
        self._command = limited
        return changed

    def _finish(self) -> None:
        while self.steps:
            self._drop_first()

    def _drop_old(self, time: float) -> None:
        """Forget steps that landed before the step that landed last."""
        while len(self.steps) > 2 and self.steps[1].land <= time + _ROUNDING:
            self._drop_first()

    def _drop_first(self) -> None:
        old = self.steps.pop(0)
        self.feet[old.foot] = old.pose
        if self.past is not None:
            self.past.append(old)

    def _begin(self, time: float) -> None:
        """The leading foot goes first, after the body has leaned over."""
        command = self._command
        to_the_right = command.vy < 0.0 or (command.vy == 0.0 and command.wz < 0.0)
        foot = RIGHT if to_the_right else LEFT
        self._append(foot, time + self.timing.start + self.timing.double_support, _STAND)

    def _forget_coming(self, time: float) -> None:
        """Keep the steps whose foot has lifted; the very first of a walk keeps its time and foot."""
        first = self.steps[0]
        self.steps = [s for s in self.steps if s.lift <= time + _ROUNDING]
        if not self.steps:
            self._append(first.foot, first.lift, _STAND)

    def _extend(self, time: float) -> None:
        """Add steps up to the horizon, or until the feet are closed."""
        t = self.timing
        while (last := self.steps[-1]).lift < time + self.horizon + 2.0 * t.step:
            ends = self._command == _STAND or last.lift <= time + _ROUNDING
            if ends and last.velocity == _STAND and self._closed():
                return
            self._append(1 - last.foot, last.land + t.double_support, last.velocity)

    def _closed(self) -> bool:
        last = self.steps[-1].foot
        home, _ = self._next(last, _STAND)
        return bool(np.allclose(self._footprint(1 - last), home, rtol=0.0, atol=1e-9))

    def _append(self, foot: int, lift: float, before: Command) -> None:
        # stopping does not wait for the acceleration limits: the next step closes the feet
        stop = self._command == _STAND
        velocity = _STAND if stop else accelerate(before, self._command, self.timing.step, self.walk.limits)
        pose, clipped = self._next(1 - foot, velocity)
        self.steps.append(Step(foot, pose, lift, lift + self.timing.single_support, velocity, clipped))

    def _next(self, stance: int, velocity: Command) -> tuple[Array, tuple[str, ...]]:
        """Where the other foot lands when `stance` stands."""
        return next_step(self._footprint(stance), 1 - stance, velocity, self.timing.step, self.walk, self.ahead)

    def _footprint(self, foot: int) -> Array:
        """Where a foot stands after the last step of the window."""
        for step in reversed(self.steps):
            if step.foot == foot:
                return step.pose
        return np.asarray(self.feet[foot])


def plan_of(start: Array, steps: list[Step]) -> FootstepPlan:
    """A plan of these steps from footprints (2, 3): x, y [m], yaw [rad]."""
    return FootstepPlan(
        start=start.copy(),
        foot=np.array([s.foot for s in steps], dtype=np.int64),
        pose=np.array([s.pose for s in steps]).reshape(-1, 3),
        lift=np.array([s.lift for s in steps]),
        land=np.array([s.land for s in steps]),
    )
