"""Where do the feet go? From a velocity to the next step, and from a goal pose to all steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gangart.footsteps.velocity import LEFT, RIGHT, accelerate, limit_command, next_step

if TYPE_CHECKING:
    from gangart.footsteps.limits import StepLimits
    from gangart.footsteps.obstacles import Obstacle
    from gangart.footsteps.planners import PLANNERS, Replanner, plan
    from gangart.footsteps.state import WalkState, standing
    from gangart.footsteps.step_plan import StepPlan
    from gangart.footsteps.verification import verify

__all__ = [
    "LEFT",
    "PLANNERS",
    "RIGHT",
    "Obstacle",
    "Replanner",
    "StepLimits",
    "StepPlan",
    "WalkState",
    "accelerate",
    "limit_command",
    "next_step",
    "plan",
    "standing",
    "verify",
]

# The engine needs the velocities alone: planners wait until they are asked for.
_LATER = {
    "Obstacle": "obstacles",
    "PLANNERS": "planners",
    "Replanner": "planners",
    "StepLimits": "limits",
    "StepPlan": "step_plan",
    "WalkState": "state",
    "plan": "planners",
    "standing": "state",
    "verify": "verification",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
