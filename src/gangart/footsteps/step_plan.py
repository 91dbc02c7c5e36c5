"""What a planner answers: steps, and how they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from gangart.footsteps.limits import StepLimits
from gangart.footsteps.state import WalkState
from gangart.footsteps.velocity import moved, sign_of
from gangart.footsteps.ways import way
from gangart.signals import Array, FootstepPlan, Ints

if TYPE_CHECKING:
    from gangart.gaits import BipedTiming

Ending = Literal["arrived", "blocked", "limits", "budget"]


@dataclass(frozen=True, eq=False)
class StepPlan:
    """Steps without times. If it did not arrive, the steps are those that come nearest, and `reason` says why.

    A plan that was cut off ends between two steps; one that arrived ends with the feet beside each other.
    """

    planner: str
    start: WalkState
    goal: Array  # (3,) body pose: x, y [m], yaw [rad]
    limits: StepLimits
    foot: Ints  # (n,) which foot steps: 0 left, 1 right
    pose: Array  # (n, 3) where it lands: x, y [m], yaw [rad] in the world
    ended: Ending
    reason: str = ""  # a sentence if it did not arrive
    path: Array | None = None  # (m, 3) the body path behind the steps, where the planner has one

    def __len__(self) -> int:
        return len(self.foot)

    @property
    def arrived(self) -> bool:
        """Whether both feet end beside the goal."""
        return self.ended == "arrived"

    def bodies(self) -> Array:
        """The body frame that each landing foot carries, after the one at the start, (n + 1, 3)."""
        half = self.limits.spacing / 2.0
        first = int(self.foot[0]) if len(self) else 0
        found = [self.start.body(1 - first, self.limits.spacing)]
        found += [moved(p, 0.0, -sign_of(int(f)) * half) for f, p in zip(self.foot, self.pose, strict=True)]
        return np.array(found)

    def ways(self) -> Array:
        """The way of each step, (n, 3): ahead, left [m], turn [rad]."""
        bodies = self.bodies()
        out = np.empty((len(self), 3))
        for k in range(len(self)):
            way(bodies[k], bodies[k + 1], out[k])
        return out

    @property
    def length(self) -> float:
        """Way of the body from step to step [m]."""
        return float(np.hypot(*np.diff(self.bodies()[:, :2], axis=0).T).sum())

    @property
    def turned(self) -> float:
        """Sum of all turning, to either side [rad]."""
        return float(np.abs(self.ways()[:, 2]).sum())

    def error(self) -> tuple[float, float]:
        """How far the last body frame is from the goal [m], [rad]."""
        end, rest = self.bodies()[-1], np.empty(3)
        way(end, self.goal, rest)
        return float(np.hypot(rest[0], rest[1])), abs(float(rest[2]))

    def after(self, steps: int) -> WalkState:
        """The state once the first `steps` are made, or in the air: from there the rest can be planned anew."""
        feet, ways = np.array(self.start.feet), np.array(self.start.ways)
        for foot, pose, made in zip(self.foot[:steps], self.pose[:steps], self.ways()[:steps], strict=True):
            feet[foot], ways[foot] = pose, made
        if steps <= 0 or not len(self):
            return self.start
        if steps >= len(self) and self.arrived:
            return WalkState(feet)
        return WalkState(feet, 1 - int(self.foot[min(steps, len(self)) - 1]), ways)

    def timed(self, timing: BipedTiming, start: float = 0.0) -> FootstepPlan:
        """The same steps with times, from the moment `start` [s] on: a lean, then one step after the other."""
        lift: Array = start + timing.start + timing.double_support + timing.step * np.arange(len(self), dtype=float)
        return FootstepPlan(np.array(self.start.feet), self.foot, self.pose, lift, lift + timing.single_support)
