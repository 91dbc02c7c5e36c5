"""How legs bend under load (Urbann 4.2.2): each thigh and shank gives way about two axes, in proportion to its moment.

Along a leg, the moment about an axis goes evenly from one joint of that axis to the next; and a bend between two joints
moves the foot like a turn of both, each the more the nearer it is. So the weights W that give the moments of the bends
from the joints' torques also give back the joints' angles: angles = Wᵀ W torques / D_B.
"""

from __future__ import annotations

from itertools import pairwise

import mujoco
import numpy as np

from gangart.robots import Leg, Robot
from gangart.signals import Array, Ints

_SHORTEST = 0.03  # [m] what is longer between two joints bends
_PARALLEL = 0.9  # cosine between axes that count as the same


def bending(robot: Robot, parts: int) -> Array:
    """W (n_bends, n_joints): moments of the bending places from the joints' torques, links cut into `parts`."""
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    rows = [row for leg in robot.legs.values() for row in _of_leg(robot, data, leg, parts)]
    return np.array(rows).reshape(-1, len(robot.joints))


def _of_leg(robot: Robot, data: mujoco.MjData, leg: Leg, parts: int) -> list[Array]:
    """The weights of a leg's bends, with the leg hanging straight down."""
    ids = [robot.model.joint(name).id for name in leg.joints]
    height = data.xanchor[ids, 2]
    rows = []
    for above, below in pairwise(height):
        if above - below < _SHORTEST:
            continue
        for k in range(1, parts):
            place = above + (below - above) * k / parts
            for axis in (0, 1):
                same = np.flatnonzero(np.abs(data.xaxis[ids, axis]) > _PARALLEL)
                rows.append(_shares(robot, leg, height, same, place))
    return rows


def _shares(robot: Robot, leg: Leg, height: Array, same: Ints, place: float) -> Array:
    """How a bend at a height [m] is shared by the nearest of the joints `same` above and below."""
    row = np.zeros(len(robot.joints))
    over, under = [i for i in same if height[i] >= place], [i for i in same if height[i] < place]
    if over and under:
        a, b = over[-1], under[0]
        share = (place - height[b]) / (height[a] - height[b])
        row[robot.joint_index[leg.joints[a]]], row[robot.joint_index[leg.joints[b]]] = share, 1.0 - share
    return row
