"""The pattern generator (Urbann 2.4.4): keeps the coming footprints in step with the command.

A footprint is fixed when its foot lifts; everything later follows the latest command. The first step waits until the
body has had time to lean over; a zero command closes the feet with the next step and ends the walk. Once the closing
foot is in the air the body is coming to rest, and a new command begins a new walk.

Where the command is a goal, a route is asked for the coming steps: while the robot stands, whenever the goal changes,
and just before each foot lifts, so that the step which is about to be fixed knows the latest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gangart.footsteps import LEFT, RIGHT, WalkState, accelerate, limit_command, next_step
from gangart.footsteps.velocity import moved, sign_of
from gangart.footsteps.ways import foot_of, go, way
from gangart.gaits import BipedTiming
from gangart.robots import Walk
from gangart.signals import Array, Command, FootstepPlan

_STAND = Command()
_FEET = ("left", "right")
_ROUNDING = 1e-9  # [s] by which clocks may differ
_LOOK = 0.4  # [s] after which a robot that stands in its goal looks whether it still does

# From where a walk is, and the ways of those steps that were planned before, the coming steps: which foot, and its way
# ahead, left [m], turn [rad]. None: those that were planned before.
Route = Callable[[WalkState, Array], Sequence[tuple[int, Array]] | None]


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
    steps: list[Step] = field(default_factory=list)  # the window; to a goal, all that are planned
    past: list[Step] | None = None  # give a list to keep the steps that leave the window
    lead: float = 0.01  # [s] before a foot lifts, a route is asked for the last time where it is to land
    _limits: tuple[str, ...] = ()
    _asked: Command = _STAND
    _command: Command = _STAND
    _next_event: float = np.inf  # [s] when the window has to move on by itself
    _time: float = 0.0  # [s] of the last change
    _ways: Array = field(default_factory=lambda: np.zeros((2, 3)))  # last way of each foot before the window

    @property
    def standing(self) -> bool:
        """Whether no step is under way or to come."""
        return not self.steps

    @property
    def notes(self) -> tuple[str, ...]:
        """What is limited: the command, and the footprints of the window."""
        moved = {f"{_FEET[s.foot]} foot placed at its limit {limit}" for s in self.steps for limit in s.clipped}
        return (*self._limits, *sorted(moved))

    def update(self, time: float, command: Command, route: Route | None = None) -> bool:
        """Bring the window up to date; true if the plan has changed. At most one step passes between two changes.

        A command with a goal needs the route to it.
        """
        changed = self._take(command)
        if time < self._next_event - _ROUNDING and not changed:
            return False
        self._time = time
        if self.steps and time >= self._end - _ROUNDING:
            self._finish()
            changed = True
        if route is not None:
            return self._follow(time, route) or changed
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
        until = self._time + self.horizon + 2.0 * self.timing.step
        beyond = next((k for k, s in enumerate(self.steps) if s.lift >= until), len(self.steps))
        return plan_of(self.feet, self.steps[: beyond + 1])

    @property
    def _end(self) -> float:
        """When the last step of the window is over [s]."""
        return self.steps[-1].land + self.timing.double_support

    def _take(self, command: Command) -> bool:
        """Limit a new command; true if it differs from the last."""
        if command is self._asked or command == self._asked:
            return False
        self._asked = command
        limited, self._limits = (command, ()) if command.goal else limit_command(command, self.walk.limits)
        changed = limited != self._command
        self._command = limited
        return changed

    # ------------------------------------------------------------------ to a goal

    def _follow(self, time: float, route: Route) -> bool:
        """Take the coming steps from a route; true if there are new ones."""
        self._drop_old(time)
        fixed = [s for s in self.steps if s.lift <= time + _ROUNDING]
        coming = self.steps[len(fixed) :]
        found = None
        if coming or not self.steps:  # else the closing foot is in the air
            found = route(*self._state(fixed, coming))
        if found:
            lift = coming[0].lift if coming else time + self.timing.start + self.timing.double_support
            self.steps = fixed
            for foot, asked in found:
                self._make(foot, asked, lift)
                lift = self.steps[-1].land + self.timing.double_support
        if self.steps:
            events = [self._end, time + self.timing.step, *(s.lift - self.lead for s in self.steps)]
            self._next_event = min(t for t in events if t > time + _ROUNDING)
        else:
            self._next_event = time + _LOOK
        return bool(found) or bool(self.steps)

    def _state(self, fixed: list[Step], coming: list[Step]) -> tuple[WalkState, Array]:
        """Where the walk is once the fixed steps are made, and the ways of those that come."""
        feet, ways = np.array(self.feet), self._ways.copy()
        for s in fixed:
            ways[s.foot] = self._way(feet[1 - s.foot], s)
            feet[s.foot] = s.pose
        state, later = WalkState(feet, coming[0].foot if coming else None, ways), np.empty((len(coming), 3))
        for s, made in zip(coming, later, strict=True):
            made[:] = self._way(feet[1 - s.foot], s)
            feet[s.foot] = s.pose
        return state, later

    def _make(self, foot: int, asked: Array, lift: float) -> None:
        """A step that is a way from the body that the other foot carries."""
        side, body, pose = sign_of(foot), self._body(1 - foot, self._footprint(1 - foot)), np.empty(3)
        go(body, asked[0], asked[1], asked[2], body)
        foot_of(body, side, self.walk.foot_spacing, pose)
        # the body moves with the mean of two successive ways
        vx, vy, wz = ((asked + self._last_way()) / 2.0 / self.timing.step).tolist()
        self.steps.append(Step(foot, pose, lift, lift + self.timing.single_support, Command(vx, vy, wz), ()))

    def _last_way(self) -> Array:
        """Of the last step of the window."""
        if not self.steps:
            return np.zeros(3)
        last = self.steps[-1]
        before = next((s.pose for s in reversed(self.steps) if s.foot != last.foot), self.feet[1 - last.foot])
        return self._way(before, last)

    def _way(self, stance: Array, step: Step) -> Array:
        """The way of a step beside a standing foot."""
        out = np.empty(3)
        way(self._body(1 - step.foot, stance), self._body(step.foot, step.pose), out)
        return out

    def _body(self, foot: int, pose: Array) -> Array:
        return moved(pose, 0.0, -sign_of(foot) * self.walk.foot_spacing / 2.0)

    # ------------------------------------------------------------------ the window

    def _finish(self) -> None:
        while self.steps:
            self._drop_first()
        self._ways[:] = 0.0

    def _drop_old(self, time: float) -> None:
        """Forget steps that landed before the step that landed last."""
        while len(self.steps) > 2 and self.steps[1].land <= time + _ROUNDING:
            self._drop_first()

    def _drop_first(self) -> None:
        old = self.steps.pop(0)
        self._ways[old.foot] = self._way(self.feet[1 - old.foot], old)
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
