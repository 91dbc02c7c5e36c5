"""What an engine can be built with; everything else is refused with a sentence."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from gangart.errors import BadRobot, BadValue
from gangart.robots import Robot, Walk


def check_walk(walk: Walk) -> None:
    """Raise BadValue where the walk's settings are not finite numbers of the right sign and shape."""
    for part, where in ((walk, ""), (walk.limits, "limits.")):
        for f in fields(part):
            value = getattr(part, f.name)
            if f.name != "limits" and not np.isfinite(value).all():
                raise BadValue(f"walk setting {where}{f.name} is {value}; it has to be finite")
    for name in ("foot_spacing", "step_height"):
        if getattr(walk, name) < 0.0:
            raise BadValue(f"walk setting {name} is {getattr(walk, name):g} m; it has to be at least 0")
    for f in fields(walk.limits):
        value, least = getattr(walk.limits, f.name), 1e-3 if f.name.endswith("_acceleration") else 0.0
        if value < least:
            raise BadValue(f"walk setting limits.{f.name} is {value:g}; it has to be at least {least:g}")
    for name, size in (("bezier", 4), ("swing", 5)):
        if np.shape(getattr(walk, name)) != (size,):
            raise BadValue(
                f"walk setting {name} has shape {np.shape(getattr(walk, name))}; it has to hold {size} numbers"
            )


def check_robot(robot: Robot, pressure: bool) -> None:
    """Raise BadRobot unless it is a biped; with `pressure`, its soles have to feel the force on them."""
    sides = [leg.side for leg in robot.legs.values()]
    if sides != ["left", "right"]:
        raise BadRobot(f"the biped engine needs a left and a right leg, in this order; {robot.name} has {sides}")
    blind = [leg.name for leg in robot.legs.values() if len(leg.force_sensors) == 0]
    if pressure and blind:
        raise BadRobot(f"leg '{blind[0]}' has no force sensors, so feedback needs zmp_sensor=\"imu\"")
