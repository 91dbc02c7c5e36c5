"""Is this leg an abduction leg, and which numbers describe it? Read from the compiled model, nothing typed in."""

from __future__ import annotations

import numpy as np

from gangart.errors import choose
from gangart.kinematics.leg_chain import LegChain
from gangart.kinematics.tree import Tree
from gangart.robots import Leg
from gangart.signals import Array

KNEES = {"backward": -1.0, "forward": 1.0}  # the sign of the knee's angle
HIP, LATERAL, THIGH, SHANK, KNEE, LOWER, UPPER, NUMBERS = 0, 3, 4, 5, 6, 7, 10, 13  # where the numbers of a leg stand
_ROLES = ((0, "hip abduction", 0), (1, "hip pitch", 1), (2, "knee pitch", 1))


def leg_numbers(tree: Tree, leg: Leg, knee: str) -> Array:
    """The 13 numbers of a leg; raises BadRobot if it is built otherwise.

    0..2 hip in the base [m]: on the abduction axis, beside the hip pitch axis; 3 lateral offset of the foot from the
    abduction axis (+ to the left), 4, 5 thigh and shank [m]; 6 sign of the knee's angle; 7..9, 10..12 lower and upper
    limits [rad].
    """
    chain = LegChain(tree, leg, "abduction", 3)
    chain.turns_about(_ROLES)
    abduction, pitch, knee_at = chain.anchors
    foot_in_base = tree.body_in_reference(leg.foot)
    foot = foot_in_base[:3, 3] + foot_in_base[:3, :3] @ leg.sole
    chain.meets(
        {
            f"the axes of '{leg.joints[0]}' and '{leg.joints[1]}' pass each other": pitch[2] - abduction[2],
            f"knee '{leg.joints[2]}' stands out forward of the hip": knee_at[0] - pitch[0],
            "the foot stands out forward of the knee": foot[0] - knee_at[0],
        }
    )
    thigh, shank = chain.lengths(pitch[2] - knee_at[2], knee_at[2] - foot[2])
    sign = KNEES[choose("knee", knee, KNEES)]
    lengths = [pitch[0], abduction[1], abduction[2], foot[1] - abduction[1], thigh, shank, sign]
    return np.concatenate([lengths, chain.limits[:, 0], chain.limits[:, 1]])
