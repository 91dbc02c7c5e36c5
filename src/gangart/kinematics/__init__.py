"""Which joint angles does that need? Closed-form legs, any tree of hinges, feet and centre of mass to all angles."""

from gangart.kinematics.abduction_legs import AbductionLegs
from gangart.kinematics.hip_yaw_pitch import HipYawPitchLegs
from gangart.kinematics.leg_angles import LegAngles
from gangart.kinematics.posture import Posture, PostureSolver, posture
from gangart.kinematics.tree import Tree

__all__ = ["AbductionLegs", "HipYawPitchLegs", "LegAngles", "Posture", "PostureSolver", "Tree", "posture"]
