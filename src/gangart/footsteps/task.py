"""What all planners share: a checked problem, the choice of the first foot, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gangart.errors import BadValue
from gangart.footsteps.collisions import Field, field_of, first_touch, meet, place, stands_on
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.obstacles import Obstacle
from gangart.footsteps.state import WalkState, as_state, checked_pose
from gangart.footsteps.step_plan import Ending, StepPlan
from gangart.footsteps.velocity import LEFT, RIGHT, moved, sign_of
from gangart.robots import Robot
from gangart.signals import Array, Ints

MOST_STEPS = 400  # no plan is longer
# body (3,), side, ways (2, 3) with the next foot's first, steps (m, 4) to fill; answers how many, negative if too few
Walker = Callable[[Array, float, Array, Array], int]
_SAME = 1e-9  # [m], [rad]
_FEET = ("left", "right")


@dataclass(frozen=True, eq=False)
class Task:
    """From a state to a goal within limits, around obstacles."""

    state: WalkState
    goal: Array  # (3,) body pose x, y [m], yaw [rad]
    limits: StepLimits
    field: Field

    @cached_property
    def most(self) -> Array:
        """The limits as kernels read them."""
        return self.limits.array

    def beginnings(self) -> Iterator[tuple[Array, float, Array]]:
        """The standing body frame, the side of the first foot, and the ways, for each foot that may go first."""
        first = (LEFT, RIGHT) if self.state.next_foot is None else (self.state.next_foot,)
        for foot in first:
            body = self.state.body(1 - foot, self.limits.spacing)
            yield body, sign_of(foot), np.array(self.state.ways[[foot, 1 - foot]])

    @property
    def there(self) -> bool:
        """Whether the feet stand beside the goal already."""
        if self.state.next_foot is not None:
            return False
        home = feet_around(self.goal, self.limits.spacing)
        off = self.state.feet - home
        off[:, 2] = np.angle(np.exp(1j * off[:, 2]))
        return bool(np.abs(off).max() < _SAME)

    def plan(self, name: str, steps: Array, ended: Ending, reason: str = "", path: Array | None = None) -> StepPlan:
        """A plan from rows of body frames and sides (n, 4); it ends before the first step that touches something."""
        foot = np.where(steps[:, 3] > 0.0, LEFT, RIGHT).astype(np.int64)
        off = steps[:, 3] * self.limits.spacing / 2.0
        yaw = steps[:, 2]
        pose = np.column_stack([steps[:, 0] - off * np.sin(yaw), steps[:, 1] + off * np.cos(yaw), yaw])
        n = self.free(foot, pose)
        if n < len(foot):
            ended, reason = "blocked", f"step {n + 1} would touch an obstacle or the other foot"
        return StepPlan(
            name,
            self.state,
            self.goal,
            self.limits,
            foot[:n],
            pose[:n],
            ended,
            "" if ended == "arrived" else reason,
            path,
        )

    def free(self, foot: Ints, pose: Array) -> int:
        """How many steps touch nothing."""
        f = self.field
        return int(first_touch(np.array(self.state.feet), foot, pose, f.soles, f.corners, f.discs, f.high))

    def walked(self, name: str, walker: Walker, path: Array | None = None) -> StepPlan:
        """The plan of a walker that fills in steps, with the first foot that needs fewer of them."""
        if self.there:
            return self.plan(name, np.empty((0, 4)), "arrived", path=path)
        plans = []
        for body, side, ways in self.beginnings():
            steps = np.empty((MOST_STEPS, 4))
            n = walker(body, side, ways, steps)
            if n > 0:
                plans.append(self.plan(name, steps[:n], "arrived", path=path))
            else:
                plans.append(self.plan(name, steps[:-n], "limits", _WITHOUT_END, path))
        return best_of(plans)


_WITHOUT_END = f"within the limits the goal is not reached in {MOST_STEPS} steps"


def best_of(plans: Sequence[StepPlan]) -> StepPlan:
    """The shortest that arrives; else the one that comes nearest."""
    arrived = [p for p in plans if p.arrived]
    if arrived:
        return min(arrived, key=len)
    return min(plans, key=lambda p: (sum(p.error()), len(p)))


def feet_around(body: Array, spacing: float) -> Array:
    """Footprints of feet that stand beside each other, (2, 3)."""
    return np.array([moved(body, 0.0, sign_of(foot) * spacing / 2.0) for foot in (LEFT, RIGHT)])


def limits_of(robot_limits: StepLimits | Robot) -> StepLimits:
    """Limits from limits, or from a robot."""
    return StepLimits.of(robot_limits) if isinstance(robot_limits, Robot) else robot_limits


def task_of(start: Any, goal: Any, robot_limits: StepLimits | Robot, obstacles: Sequence[Obstacle] = ()) -> Task:
    """A checked task: finite numbers, feet that stand free, a goal with room for both feet."""
    limits = limits_of(robot_limits)
    state = as_state(start, limits.spacing)
    task = Task(state, checked_pose(goal, "goal"), limits, field_of(obstacles, limits))
    _check_free("start: the {} foot stands on an obstacle; move the start or the obstacle", state.feet, task.field)
    home = feet_around(task.goal, limits.spacing)
    _check_free("goal: the {} foot would stand on an obstacle; choose a goal with room for both feet", home, task.field)
    if len(limits.outlines) == 2 and state.next_foot is None and _overlap(state.feet, task.field):
        raise BadValue("start: the soles overlap; move the feet apart")
    return task


def _check_free(sentence: str, feet: Array, field: Field) -> None:
    for foot, pose in enumerate(feet):
        if stands_on(np.array(pose), foot, field):
            raise BadValue(sentence.format(_FEET[foot]))


def _overlap(feet: Array, field: Field) -> bool:
    soles = np.empty_like(field.soles)
    for foot in (LEFT, RIGHT):
        place(field.soles[foot], np.array(feet[foot]), soles[foot])
    return field.soles.shape[1] > 2 and bool(meet(soles[LEFT], soles[RIGHT]))
