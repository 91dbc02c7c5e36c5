"""Which joint angles does that need? Closed-form legs, any tree of hinges, feet and centre of mass to all angles."""

from gangart.kinematics.hip_yaw_pitch import HipYawPitchLegs, LegAngles
from gangart.kinematics.posture import Posture, PostureSolver, posture
from gangart.kinematics.tree import Tree

__all__ = ["HipYawPitchLegs", "LegAngles", "Posture", "PostureSolver", "Tree", "posture"]
