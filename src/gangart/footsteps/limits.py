"""What a step may do: reach, pace and change, from the walk table of a robot.

A foot carries a body frame along: the place between the feet where the body would stand if the other foot were beside
it. The *way* of a step leads from the body frame of the standing foot to that of the landing foot: ahead, left [m] in
the direction half-way between both, and turn [rad]. A velocity command of the engine is such a way per step: a leading
foot makes the way (v_x T, 2 v_y T, 2 w T), the closing foot (v_x T, 0, 0).

- **Reach** is where the sole may land, seen from the standing sole: the box of `[walk.limits.step]`.
- **Pace** is the mean of two successive ways: inside the ellipsoid of the largest speeds, as a command is
  (`limit_command`), for legs that stride far ahead cannot at the same time reach far to the side.
- **Change**: how far the way ahead may differ from that of the step before, and how far the way to the left and the
  turn may differ from the step before of the same foot, since left and right take turns in leading.

A robot that stands has ways of zero, and so has the last step of a plan, which puts one foot beside the other:
therefore the first and the last step are half steps, and a walk starts and ends gently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot, Walk
from gangart.signals import Array

_NEEDED = ("forward", "turn_outward", "pace_forward", "pace_turn", "change_ahead", "change_turn")


@dataclass(frozen=True)
class StepLimits:
    """The limits of one robot at one step duration; planners read nothing else of the robot."""

    spacing: float  # [m] between the soles' origins where the feet stand beside each other
    forward: float  # [m] reach of the sole ahead of its place beside the standing foot
    backward: float  # [m]
    outward: float  # [m] away from the standing foot
    inward: float  # [m] towards it
    turn_outward: float  # [rad] toes away from the standing foot
    turn_inward: float  # [rad]
    pace_forward: float  # [m] per step, mean of two successive steps
    pace_backward: float  # [m]
    pace_sideways: float  # [m]
    pace_turn: float  # [rad]
    change_ahead: float  # [m] from step to step
    change_sideways: float  # [m] from a foot's step to its next
    change_turn: float  # [rad] from a foot's step to its next
    outlines: tuple[tuple[tuple[float, float], ...], ...] = ()  # [m] of the left and the right sole; () for points
    step_height: float = 0.0  # [m] what is lower can be stepped over

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name != "outlines" and not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0.0):
                raise BadValue(f"step limit {f.name} is {value!r}; it has to be a finite number, 0 or more")
        for name in _NEEDED:
            if getattr(self, name) <= 0.0:
                raise BadValue(f"step limit {name} is 0; a robot that cannot walk ahead and turn reaches no goal")

    @classmethod
    def of(cls, robot: Robot | Walk) -> StepLimits:
        """The limits of a robot, or of a walk table (whose soles are points then)."""
        walk = robot.walk if isinstance(robot, Robot) else robot
        if walk is None:
            assert isinstance(robot, Robot)
            raise BadValue(f"robot '{robot.name}' has no [walk] in its file, so nothing says how far it may step")
        most, step = walk.limits, walk.double_step_duration / 2.0
        return cls(
            spacing=walk.foot_spacing,
            forward=most.step_forward,
            backward=most.step_backward,
            outward=most.step_outward,
            inward=most.step_inward,
            turn_outward=most.step_turn_outward,
            turn_inward=most.step_turn_inward,
            pace_forward=most.forward * step,
            pace_backward=most.backward * step,
            pace_sideways=most.sideways * step,
            pace_turn=most.turn * step,
            change_ahead=most.forward_acceleration * step**2,
            # a leading foot makes the way of two steps, and between two of them two steps pass
            change_sideways=4.0 * most.sideways_acceleration * step**2,
            change_turn=4.0 * most.turn_acceleration * step**2,
            outlines=_outlines(robot) if isinstance(robot, Robot) else (),
            step_height=walk.step_height,
        )

    @property
    def array(self) -> Array:
        """What the kernels read: all numbers in the order of the fields, (14,) [m, rad]."""
        return self._arrays[0].copy()

    def soles(self) -> Array:
        """Corners of both soles, (2, n, 2) [m]; the shorter outline repeats its last corner."""
        return self._arrays[1].copy()

    @cached_property
    def _arrays(self) -> tuple[Array, Array]:
        outlines = self.outlines or (((0.0, 0.0),),) * 2
        most = max(len(o) for o in outlines)
        soles = [[*o, *([o[-1]] * (most - len(o)))] for o in outlines]
        return np.array([getattr(self, f.name) for f in fields(self)[:14]], dtype=float), np.array(soles, dtype=float)


def _outlines(robot: Robot) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Left, then right."""
    legs = sorted(robot.legs.values(), key=lambda leg: leg.side != "left")
    if [leg.side for leg in legs] != ["left", "right"]:
        raise BadValue(f"robot '{robot.name}' has {len(legs)} legs; steps are planned for a left and a right one")
    return tuple(tuple((float(x), float(y)) for x, y in leg.outline) for leg in legs)
