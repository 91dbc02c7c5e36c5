"""The conventions of the FUmanoids' planner: millimetres, degrees, y and turns to the right positive (Zellhöfer 3)."""

from __future__ import annotations

import math

from gangart.signals import Array

PLANNERS = {"aic": "aicardi", "ind": "indiveri"}  # the values of its --planner


def from_fumanoid(x: float, y: float, yaw: float) -> tuple[float, float, float]:
    """A target x, y [mm], yaw [°] as they give it: x, y [m], yaw [rad] with y and yaw to the left."""
    return x / 1000.0, -y / 1000.0, -math.radians(yaw)


def to_fumanoid(pose: Array) -> tuple[float, float, float]:
    """A pose x, y [m], yaw [rad] in their words: x, y [mm], yaw [°]."""
    return float(pose[0]) * 1000.0, -float(pose[1]) * 1000.0, -math.degrees(float(pose[2]))
