"""Arms that follow the legs (Urbann 2.4.3): a shoulder turns in proportion to how far ahead the foot of its side is."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.robots import Robot
from gangart.signals import Array, Ints


class ArmSwing:
    """Shoulder angles of a biped: with the left foot ahead the left arm swings back, and the right arm forward."""

    def __init__(self, robot: Robot, factor: float) -> None:
        """`factor` [rad/m] is the shoulder's angle per metre that the foot is ahead of the centre of mass."""
        legs = [leg.side for leg in robot.legs.values()]
        arms = [arm for arm in robot.arms.values() if arm.side in legs]
        self.columns = np.array([robot.joint_index[arm.swing] for arm in arms], dtype=np.int64)
        self._legs = np.array([legs.index(arm.side) for arm in arms], dtype=np.int64)
        self._home = robot.home_position[self.columns]
        self._factor = factor

    def angles(self, com: Array, feet: Array) -> Array:
        """Shoulder angles [rad] (n, n_arms) for centres of mass (n, 3) and soles (n, n_legs, 4)."""
        out = np.empty((len(com), len(self._home)))
        _shoulders(com, feet, self._legs, self._home, self._factor, out)
        return out


@kernel
def _shoulders(com: Array, feet: Array, legs: Ints, home: Array, factor: float, out: Array) -> None:
    for i in range(len(com)):
        yaw = feet[i, :, 3].mean()
        c, s = np.cos(yaw), np.sin(yaw)
        for k in range(len(legs)):
            foot = feet[i, legs[k]]
            out[i, k] = home[k] + factor * (c * (foot[0] - com[i, 0]) + s * (foot[1] - com[i, 1]))
