"""Which joint angles does that need? Closed-form legs, any tree of hinges, feet and centre of mass to all angles."""

from gangart.kinematics.abduction_legs import AbductionLegs
from gangart.kinematics.hip_yaw_pitch import HipYawPitchLegs
from gangart.kinematics.homing import Approach, EndStop, Homing, homing_plan
from gangart.kinematics.leg_angles import LegAngles
from gangart.kinematics.posture import Posture, PostureSolver, posture
from gangart.kinematics.transmission import Transmission
from gangart.kinematics.tree import Tree
from gangart.kinematics.workspace import Workspace

__all__ = [
    "AbductionLegs",
    "Approach",
    "EndStop",
    "HipYawPitchLegs",
    "Homing",
    "LegAngles",
    "Posture",
    "PostureSolver",
    "Transmission",
    "Tree",
    "Workspace",
    "homing_plan",
    "posture",
]
