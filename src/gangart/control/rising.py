"""From lying flat on the trunk with folded legs to standing, and back: feet stay where they are, the body goes up.

First the legs press until they bear the robot, then the body rises; the other way round it is laid down before the legs
let go. Feet lie beside the hips, on the side to which knees do not bend: so folded knees stay off the floor.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gangart.control.leg_control import LegControl, Stance
from gangart.control.segments import RepositionPlan, Segment
from gangart.errors import Unreachable
from gangart.robots import Robot
from gangart.signals import Array

_PRESS = 0.6  # [s] in which the legs take the load over
_RISE = 2.5  # [s] for the way up
_CLEAR = 0.035  # [m] of a knee's axis above the floor, at least
_SPARE = 0.05  # [rad] of a joint before its limit
_STEP, _FARTHEST = 0.005, 0.15  # [m] in which, and how far, a foot is looked for behind its hip


def lying(legs: LegControl) -> Stance:
    """The robot flat on its trunk, its feet on the floor; raises Unreachable where its legs cannot be folded so far."""
    robot = legs.robot
    height = _trunk_below(robot)
    home = legs.home(height)
    bends = np.array([-1.0 if leg.knee == "backward" else 1.0 for leg in robot.legs.values()])
    for k in range(round(_FARTHEST / _STEP) + 1):
        feet = home.feet.copy()
        feet[:, 0] += bends * k * _STEP
        stance = Stance(feet, home.pose)
        try:
            angles = legs.angles_of(stance)
        except Unreachable:
            continue
        low, high = robot.joint_limits[legs.legs.columns].transpose(2, 0, 1)
        spare = np.minimum(angles - low, high - angles).min()
        if _knees(legs, angles).min() + height >= _CLEAR and spare >= _SPARE:
            return stance
    raise Unreachable(
        f"{robot.name} cannot lie flat: its legs do not fold so far that feet and knees lie beside the trunk"
    )


def plan_stand_up(legs: LegControl, height: float) -> RepositionPlan:
    """From lying to standing with the base at a height [m], in the middle of where the feet are."""
    start = lying(legs)
    pose = start.pose.copy()
    middle = (start.feet - legs.home(height).feet).mean(axis=0)
    pose[:2], pose[2] = middle, height
    goal = Stance(start.feet, pose)
    # feet that roll do not end where they were: those of the lying robot hold
    anchors = legs.anchors(start)
    feet, _ = legs.posture(anchors, pose)
    goal = Stance(feet[:, :2], pose)
    margin = legs.margin(goal)
    press = Segment(start.pose, start.pose, -1, anchors, anchors, 0.0, _PRESS, margin, (0.0, 1.0))
    rise = Segment(start.pose, pose, -1, anchors, anchors, 0.0, _RISE, margin)
    _check_way(legs, rise)
    return RepositionPlan(start, goal, (press, rise), margin)


def plan_lie_down(legs: LegControl, height: float) -> RepositionPlan:
    """The way back of `plan_stand_up`, for a robot that stands as that leaves it."""
    up = plan_stand_up(legs, height)
    back = tuple(replace(s, a=s.b, b=s.a, load=(s.load[1], s.load[0])) for s in reversed(up.segments))
    return RepositionPlan(up.goal, up.start, back, up.margin)


def _check_way(legs: LegControl, rise: Segment) -> None:
    """Raise Unreachable where a leg would leave what it may do."""
    _, base = rise.sampled(legs, 60)
    legs.workspace.check_lines(base[:-1], base[1:])


def _knees(legs: LegControl, angles: Array) -> Array:
    """Height of each knee's axis above the base (n_legs,) [m]."""
    numbers = legs.legs.numbers
    down = numbers[:, 4] * np.cos(angles[:, 1])
    return np.asarray(numbers[:, 2] + numbers[:, 3] * np.sin(angles[:, 0]) - np.cos(angles[:, 0]) * down)


def _trunk_below(robot: Robot) -> float:
    """How far the base's lowest collision body reaches below it [m]."""
    model = robot.model
    base = model.body(robot.base).id
    lowest = math.inf
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] == base and (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            lowest = min(lowest, float(model.geom_pos[geom, 2] + model.geom_aabb[geom, 2] - model.geom_aabb[geom, 5]))
    if not math.isfinite(lowest):
        raise Unreachable(f"{robot.name}'s trunk has no shape that could lie on the floor")
    return -lowest
