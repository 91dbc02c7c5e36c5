"""A simulated walk to a goal pose, and how near to it the robot ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gangart.control.biped import BipedEngine
from gangart.control.route import Pose, error_of
from gangart.footsteps import StepPlan
from gangart.signals import Array, Command, Ints, Recording, heading
from gangart.simulation.simulate import simulate
from gangart.simulation.world import World

_REST = 0.5  # [s] that a robot has to stand in its goal


@dataclass(frozen=True, eq=False)
class GoalWalk:
    """How a walk to a goal ended."""

    recording: Recording
    plan: StepPlan | None  # the latest; None where there was no way to the goal
    arrived: bool  # whether the robot takes itself to be there, and stands
    position_error: float  # [m] of the middle between the feet from the goal
    yaw_error: float  # [rad] of their mean heading
    steps: int  # that were made

    def treads(self) -> tuple[Ints, Array]:
        """Which foot trod (n,) and where its sole stood (n, 3): x, y [m], yaw [rad] in the middle of each support."""
        r, prints = self.recording, footprints(self.recording)
        found = []
        for leg in range(len(r.legs)):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], r.support[:, leg], [False]]).astype(int)))
            found += [((a + b) // 2, leg) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]
        rows, legs = (np.array(column, dtype=np.int64) for column in zip(*sorted(found), strict=True))
        return legs, prints[rows, legs]

    @property
    def fell(self) -> bool:
        """Whether it fell."""
        return self.recording.info["fell"] is not None

    def as_dict(self) -> dict[str, Any]:
        """The figures, in SI units."""
        return {
            "arrived": self.arrived,
            "fell": self.fell,
            "duration": self.recording.duration,
            "steps": self.steps,
            "position_error": self.position_error,
            "yaw_error": self.yaw_error,
        }


def walk_to(
    world: World,
    engine: BipedEngine,
    goal: Pose,
    *,
    online: bool = True,
    patience: float = 120.0,
    record: Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> GoalWalk:
    """Walk to a goal pose and stand there.

    Args:
        world: where the robot stands as the engine wants it.
        engine: is reset first.
        goal: x, y [m], yaw [rad] of the body in the world.
        online: tell the engine before each step where the robot is; otherwise the plan is walked blindly.
        patience: [s] after which the walk is given up.
        record: an MCAP file.
        progress: called with the simulated time [s].
    """
    since: list[float] = []  # [s] when the robot has stood in its goal, without a break

    def rested() -> bool:
        if not engine.arrived:
            since.clear()
            return False
        since.append(world.time)
        return world.time - since[0] >= _REST

    recording = simulate(
        world,
        engine,
        Command(goal=goal),
        patience,
        observer=(lambda _: world.truth()) if online else None,
        until=rested,
        record=record,
        progress=progress,
    )
    off, askew = error_of(footprints(recording)[-1], goal, engine.walk.foot_spacing)
    landings = int((recording.support[1:] & ~recording.support[:-1]).sum())
    plan = None if engine.route is None else engine.route.plan
    return GoalWalk(recording, plan, engine.arrived, off, askew, landings)


def patience_for(plan: StepPlan, engine: BipedEngine) -> float:
    """How long a walk along a plan may take before it is given up [s]: twice as many steps, and setting out anew."""
    return 2.0 * len(plan) * engine.timing.step + 3.0 * engine.timing.start + 10.0


def footprints(recording: Recording) -> Array:
    """Where the soles are at each row, (n, n_legs, 3): x, y [m], yaw [rad]."""
    yaw = heading(recording.foot_pose[:, :, 3:])
    return np.concatenate([recording.foot_pose[:, :, :2], yaw[:, :, None]], axis=2)
