"""The way to a goal while walking: planned when the goal is new, and anew before each step where the pose is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from gangart.errors import GangartError
from gangart.footsteps import Obstacle, Replanner, StepLimits, StepPlan, WalkState
from gangart.footsteps.velocity import moved, sign_of
from gangart.footsteps.ways import go, way
from gangart.kinematics import PostureSolver
from gangart.signals import Array, SensorReading

Pose = tuple[float, float, float]
NEAR = (0.02, math.radians(2.0))  # [m], [rad] a robot that stands this near to its goal has arrived
# [m], [rad] so near to the goal have to end steps that are not planned anew; the last one puts the feet together, and
# is only made otherwise if the robot would have to set out again
_HOLDS, _CLOSES = (0.004, math.radians(0.4)), (0.012, math.radians(1.2))


@dataclass
class GoalRoute:
    """Answers the coming steps to a goal.

    Steps are ways from foot to foot, so that they need no place. Where a reading has an observer's estimate of the
    state, the soles' true places follow from it and from the measured joints. Before each step those that were planned
    are followed from there; if they do not end in the goal any more, they are planned anew: slip and wrong step lengths
    do not add up. Without an estimate, the plan that was made where the robot stood is walked blindly.
    """

    solver: PostureSolver
    limits: StepLimits
    planner: str = "hybrid"
    obstacles: Sequence[Obstacle] = ()
    stretch: Array = field(default_factory=lambda: np.ones(3))  # by which steps are made longer than they are asked
    plan: StepPlan | None = None  # the latest
    arrived: bool = False  # whether the robot stands in its goal
    refused: str = ""  # why there is no way to the goal
    note: str = ""  # why the rest was not planned anew lately
    _goal: Pose | None = None
    _reading: SensorReading | None = None

    def ask(self, goal: Pose, reading: SensorReading | None) -> None:
        """Take in what is asked and known in this tick."""
        self._reading = reading
        if goal != self._goal:
            self._goal, self.plan, self.arrived, self.refused, self.note = goal, None, False, "", ""

    def __call__(self, state: WalkState, coming: Array) -> Sequence[tuple[int, Array]] | None:
        """The coming steps from a state of the engine's own frame; None where those that were planned still hold."""
        assert self._goal is not None
        soles = None if self._reading is None else self.measured(self._reading)
        known = replace(state, feet=state.feet if soles is None else soles, ways=state.ways / self.stretch)
        self.arrived = False
        if self._holds(known, coming / self.stretch, seen=soles is not None):
            self.arrived = state.next_foot is None
            return None
        try:
            found = Replanner(self._goal, self.limits, self.obstacles, self.planner).replan(known)
        except GangartError as error:
            self._failed(str(error))
            return None
        if not found.arrived:
            self._failed(found.reason)
            return None
        self.plan, self.note = found, ""
        self.arrived = state.next_foot is None and not len(found)
        return [(int(foot), made * self.stretch) for foot, made in zip(found.foot, found.ways(), strict=True)]

    def _failed(self, why: str) -> None:
        """No plan from here: those steps that were planned before are made; without any, the goal is refused."""
        self.note = f"no way to the goal from here: {why}"
        if self.plan is None:
            self.refused = self.note

    def _holds(self, state: WalkState, coming: Array, *, seen: bool) -> bool:
        """Whether the robot stands in its goal, or the coming ways still lead there, as far as that is `seen`."""
        if state.next_foot is None and (seen or self.plan is None):
            # for a small error it does not set out again; a goal nearby is another thing
            near = _HOLDS if self.plan is None else NEAR
            return _within(error_of(state.feet, self._goal, self.limits.spacing), near)
        if self.plan is None or state.next_foot is None or not seen:
            return self.plan is not None
        body, rest = state.body(1 - state.next_foot, self.limits.spacing), np.empty(3)
        for made in coming:
            go(body, made[0], made[1], made[2], body)
        way(body, np.array(self._goal), rest)
        return _within((math.hypot(rest[0], rest[1]), abs(rest[2])), _CLOSES if len(coming) == 1 else _HOLDS)

    def measured(self, reading: SensorReading) -> Array | None:
        """Both footprints in the world, (2, 3), from the estimated base and the measured joints."""
        if reading.state is None:
            return None
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, reading.state.base_orientation)
        T_base_sole = self.solver.feet(reading.position)
        turned = R.reshape(3, 3) @ T_base_sole[:, :3, :]
        place = turned[:, :2, 3] + reading.state.base_position[:2]
        return np.column_stack([place, np.arctan2(turned[:, 1, 0], turned[:, 0, 0])])


def _within(error: tuple[float, float], most: tuple[float, float]) -> bool:
    return error[0] <= most[0] and error[1] <= most[1]


def error_of(soles: Array, goal: Pose | Array | None, spacing: float) -> tuple[float, float]:
    """How far a body on two footprints (2, 3) is from a goal pose [m], [rad]."""
    bodies = [moved(sole, 0.0, -sign_of(foot) * spacing / 2.0) for foot, sole in enumerate(soles)]
    turn = math.remainder(bodies[1][2] - bodies[0][2], math.tau)
    middle = np.array([*((bodies[0][:2] + bodies[1][:2]) / 2.0), bodies[0][2] + turn / 2.0])
    rest = np.empty(3)
    way(middle, np.array(goal), rest)
    return math.hypot(rest[0], rest[1]), abs(float(rest[2]))
