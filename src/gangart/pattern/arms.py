"""Arms that follow the legs (Urbann 2.4.3): a shoulder turns in proportion to how far ahead the foot of its side is."""

from __future__ import annotations

import numpy as np

from gangart.robots import Robot
from gangart.signals import Array


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
        """Shoulder angles [rad] (..., n_arms) for a centre of mass (..., 3) and soles (..., n_legs, 4)."""
        yaw = feet[..., 3].mean(axis=-1)
        ahead = feet[..., :2] - com[..., None, :2]
        forward = np.cos(yaw)[..., None] * ahead[..., 0] + np.sin(yaw)[..., None] * ahead[..., 1]
        return self._home + self._factor * forward[..., self._legs]
