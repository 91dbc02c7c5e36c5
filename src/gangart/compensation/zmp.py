"""Iterative ZMP compensation (Urbann, algorithm 5.1): shift the reference until the whole body has the wanted ZMP.

The preview controller plans with all mass in one point. The real body, with a swinging leg and swinging arms, has
another ZMP. Its difference to the reference is added to the reference, and the walk is planned anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.dynamics import multibody_zmp
from gangart.errors import BadValue
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine, WalkPlan


@dataclass(frozen=True)
class ZmpOffsets:
    """What to add to a ZMP reference over time; a function of time."""

    time: Array  # (n,) [s]
    value: Array  # (n, 2) [m] in the world
    errors: Array  # (iterations + 1, 2) [m] largest ZMP error, x and y, of the walk before each iteration and at last

    def __call__(self, time: Array) -> Array:
        """Offsets (m, 2) [m] at times (m,) [s]; before the first and after the last they hold."""
        return np.column_stack([np.interp(time, self.time, v) for v in self.value.T])


def compensate_zmp(
    engine: BipedEngine,
    command: Command | Callable[[float], Command],
    duration: float,
    iterations: int = 4,
) -> tuple[WalkPlan, ZmpOffsets]:
    """Plan a walk whose ZMP, with every link's mass and inertia, is the engine's reference (algorithm 5.1).

    Args:
        engine: plans the walk.
        command: one for the whole time, or a function of the time [s].
        duration: of the walk [s].
        iterations: the thesis takes 4.

    Returns:
        The plan, and the offsets on its reference that make it so.
    """
    if iterations < 0:
        raise BadValue(f"iterations is {iterations}; it has to be at least 0")
    plan = engine.plan(command, duration)
    offset, error = np.zeros_like(plan.body.zmp), zmp_error(engine, plan)
    errors = [np.abs(error).max(axis=0)]
    for _ in range(iterations):
        offset = offset + error  # lines 5 and 6
        plan = engine.plan(command, duration, zmp_offset=ZmpOffsets(plan.body.time, offset, np.array(errors)))
        error = zmp_error(engine, plan)
        errors.append(np.abs(error).max(axis=0))
    return plan, ZmpOffsets(plan.body.time, offset, np.array(errors))


def zmp_error(engine: BipedEngine, plan: WalkPlan) -> Array:
    """Reference minus ZMP of the whole body over a plan (n, 2) [m].

    It is 0 at both ends, where accelerations are not known, and where the floor would have to pull.
    """
    error = plan.body.zmp - multibody_zmp(engine.robot, plan.joints)
    error[[0, -1]] = 0.0
    return np.where(np.isfinite(error), error, 0.0)
