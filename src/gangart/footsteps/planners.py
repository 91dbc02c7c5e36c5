"""All planners by name, called alike, offline and online."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from gangart.errors import choose
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.obstacles import Obstacle
from gangart.footsteps.state import WalkState
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import Task, task_of
from gangart.robots import Robot

# Each is a function of a task in its module; a new planner is a line here.
_PLANNERS = {
    "hybrid": "gangart.footsteps.hybrid:hybrid",
    "aicardi": "gangart.footsteps.paths:aicardi",
    "indiveri": "gangart.footsteps.paths:indiveri",
    "spline": "gangart.footsteps.paths:spline",
    "turn-walk-turn": "gangart.footsteps.paths:turn_walk_turn",
    "lattice": "gangart.footsteps.lattice:lattice",
    "learned": "gangart.footsteps.learned:learned",
    "learned-neighbours": "gangart.footsteps.learned:neighbours",
}
PLANNERS = tuple(_PLANNERS)


def plan(
    start: Any,
    goal: Any,
    robot_limits: StepLimits | Robot,
    obstacles: Sequence[Obstacle] = (),
    planner: str = "hybrid",
) -> StepPlan:
    """Steps from a start to a goal.

    Args:
        start: body pose x, y [m], yaw [rad] of a robot that stands; or its two footprints (2, 3); or a `WalkState`.
        goal: body pose x, y [m], yaw [rad].
        robot_limits: a robot, or its `StepLimits`.
        obstacles: what stands in the way.
        planner: one of `PLANNERS`, or a file that `gangart train` has written.

    Returns:
        A plan that says how it ended; the best partial one if it did not arrive.
    """
    return planner_of(planner)(task_of(start, goal, robot_limits, obstacles))


def planner_of(name: str) -> Callable[[Task], StepPlan]:
    """The function behind a name, or the policy in a trained file (.npz)."""
    if name.endswith(".npz"):
        from gangart.footsteps.learned import learned_from

        return learned_from(name)
    module, _, function = _PLANNERS[choose("planner", name, PLANNERS)].partition(":")
    found: Callable[[Task], StepPlan] = getattr(import_module(module), function)
    return found


@dataclass(frozen=True, eq=False)
class Replanner:
    """A goal that is kept while the robot walks: after each step the rest is planned anew from where the feet are.

    Ask `replan` when a foot has landed, or as soon as a step is fixed (its foot is in the air): give where both feet
    stand or will stand, which foot is next, and the last ways. `StepPlan.after` makes such a state from a plan that is
    walked exactly; put the measured footprints in with `dataclasses.replace`. The ways stay those that were asked for:
    changes are limited for the sake of the motors and the balance, and slip is no change of what is asked.
    """

    goal: Any  # body pose x, y [m], yaw [rad]
    robot_limits: StepLimits | Robot
    obstacles: Sequence[Obstacle] = ()
    planner: str = "hybrid"
    _plan: Callable[[Task], StepPlan] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_plan", planner_of(self.planner))

    def replan(self, state: WalkState) -> StepPlan:
        """The coming steps from a state on; the first of them is the next to make. Empty once it stands in the goal."""
        return self._plan(task_of(state, self.goal, self.robot_limits, self.obstacles))
