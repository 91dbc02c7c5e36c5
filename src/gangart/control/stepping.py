"""The pattern generator (Urbann 2.4.4): keeps the coming footprints in step with the command.

A footprint is fixed when its foot lifts; everything later follows the latest command. The first step waits until the
body has had time to lean over; a zero command closes the feet with the next step and ends the walk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gangart.footsteps import LEFT, RIGHT, accelerate, limit_command, next_step
from gangart.gaits import BipedTiming
from gangart.robots import Walk
from gangart.signals import Array, Command, FootstepPlan

_STAND = Command()


@dataclass
class Step:
    """One coming or past step."""

    foot: int
    pose: Array  # (3,) footprint: x, y [m], yaw [rad]
    lift: float  # [s]
    land: float  # [s]
    velocity: Command  # the command that it was made for, after the acceleration limits
    clipped: bool  # moved by the foot placement limits


@dataclass
class Stepper:
    """Turns commands into a plan that always reaches `horizon` seconds ahead."""

    walk: Walk
    timing: BipedTiming
    horizon: float  # [s]
    feet: Array  # (2, 3) footprints before the first step of the window
    ahead: float = 0.0  # [m] of the body before the feet's middle
    steps: list[Step] = field(default_factory=list)
    done: list[Step] = field(default_factory=list)  # steps that have left the window
    notes: tuple[str, ...] = ()  # what was limited
    start: Array = field(init=False)  # (2, 3) footprints before the first step of all
    _asked: Command = _STAND
    _command: Command = _STAND
    _next_event: float = np.inf  # [s] when the window has to move on by itself

    def __post_init__(self) -> None:
        self.start = self.feet.copy()

    @property
    def standing(self) -> bool:
        """Whether no step is under way or to come."""
        return not self.steps

    def update(self, time: float, command: Command) -> bool:
        """Bring the window up to date; true if the plan has changed."""
        changed = self._take(command)
        if time < self._next_event and not changed:
            return False
        if self.steps and time >= self.steps[-1].land + self.timing.double_support - 1e-9:
            self._finish()
            changed = True
        if not self.steps:
            if self._command == _STAND:
                self._next_event = np.inf
                return changed
            self._begin(time)
        else:
            self._drop_old(time)
            del self.steps[self._fixed(time) :]
        self._extend(time)
        lifts = [s.lift for s in self.steps if s.lift > time]
        self._next_event = min(lifts) if lifts else self.steps[-1].land + self.timing.double_support
        return True

    def plan(self) -> FootstepPlan:
        """The window: the step before the present one, the present one and those to come."""
        return _as_plan(self.feet, self.steps)

    def history(self) -> FootstepPlan:
        """Every step since the beginning."""
        return _as_plan(self.start, self.done + self.steps)

    def _take(self, command: Command) -> bool:
        """Limit a new command; true if it differs from the last."""
        if command is self._asked or command == self._asked:
            return False
        self._asked = command
        limited, self.notes = limit_command(command, self.walk.limits)
        changed = limited != self._command
        self._command = limited
        return changed

    def _finish(self) -> None:
        for step in self.steps:
            self.feet[step.foot] = step.pose
        self.done += self.steps
        self.steps = []

    def _begin(self, time: float) -> None:
        """The leading foot goes first, after the body has leaned over."""
        command = self._command
        to_the_right = command.vy < 0.0 or (command.vy == 0.0 and command.wz < 0.0)
        foot = RIGHT if to_the_right else LEFT
        self._append(foot, time + self.timing.start + self.timing.double_support, _STAND)

    def _fixed(self, time: float) -> int:
        """How many steps of the window can no longer change; the very first keeps its time and foot."""
        fixed = sum(1 for s in self.steps if s.lift <= time + 1e-9)
        if fixed == 0:
            first = self.steps[0]
            self.steps.clear()
            self._append(first.foot, first.lift, _STAND)
            return 1
        return fixed

    def _drop_old(self, time: float) -> None:
        """Forget steps that landed before the step that landed last."""
        while len(self.steps) > 2 and self.steps[1].land <= time + 1e-9:
            old = self.steps.pop(0)
            self.feet[old.foot] = old.pose
            self.done.append(old)

    def _extend(self, time: float) -> None:
        """Add steps up to the horizon, or until the feet are closed."""
        t = self.timing
        while self.steps and self.steps[-1].lift < time + self.horizon + t.step:
            last = self.steps[-1]
            if self._command == _STAND and last.velocity == _STAND and self._closed():
                return
            self._append(1 - last.foot, last.land + t.double_support, last.velocity)

    def _closed(self) -> bool:
        feet = self.feet.copy()
        for step in self.steps:
            feet[step.foot] = step.pose
        last = self.steps[-1].foot
        home, _ = next_step(feet[last], 1 - last, _STAND, self.timing.step, self.walk, self.ahead)
        return bool(np.allclose(feet[1 - last], home, rtol=0.0, atol=1e-9))

    def _append(self, foot: int, lift: float, before: Command) -> None:
        stance = self._footprint(1 - foot)
        # stopping does not wait for the acceleration limits: the next step closes the feet
        t = self.timing
        stop = self._command == _STAND
        velocity = _STAND if stop else accelerate(before, self._command, t.step, self.walk.limits)
        pose, clipped = next_step(stance, foot, velocity, t.step, self.walk, self.ahead)
        self.steps.append(Step(foot, pose, lift, lift + t.single_support, velocity, clipped))

    def _footprint(self, foot: int) -> Array:
        for step in reversed(self.steps):
            if step.foot == foot:
                return step.pose
        return self.feet[foot]


def _as_plan(start: Array, steps: list[Step]) -> FootstepPlan:
    return FootstepPlan(
        start=start.copy(),
        foot=np.array([s.foot for s in steps], dtype=np.int64),
        pose=np.array([s.pose for s in steps]).reshape(-1, 3),
        lift=np.array([s.lift for s in steps]),
        land=np.array([s.land for s in steps]),
    )
