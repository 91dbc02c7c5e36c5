"""Arms that follow the legs (Urbann 2.4.3): a shoulder turns in proportion to how far ahead the foot of its side is."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.robots import Robot
from gangart.signals import Array, Ints


class ArmSwing:
    """Shoulder angles of a biped: with the left foot ahead the left arm swings back, and the right arm forward.

    Where that is more than a shoulder can turn it stays at its limit.
    """

    columns: Ints  # (n_arms,) of the shoulders in an array over joints
    limits: Array  # (n_arms, 2) [rad] of the shoulders

    def __init__(self, robot: Robot, factor: float) -> None:
        """`factor` [rad/m] is the shoulder's angle per metre that the foot is ahead of the centre of mass."""
        legs = [leg.side for leg in robot.legs.values()]
        arms = [arm for arm in robot.arms.values() if arm.side in legs]
        self._names = [arm.swing for arm in arms]
        self.columns = np.array([robot.joint_index[name] for name in self._names], dtype=np.int64)
        self.limits = robot.joint_limits[self.columns]
        self._legs = np.array([legs.index(arm.side) for arm in arms], dtype=np.int64)
        self._home = robot.home_position[self.columns]
        self._factor = factor

    def angles(self, com: Array, feet: Array) -> Array:
        """Shoulder angles [rad] (n, n_arms) for centres of mass (n, 3) [m] and soles (n, n_legs, 4)."""
        out = np.empty((len(com), len(self._home)))
        _shoulders(com, feet, self._legs, self._home, self.limits, self._factor, out)
        return out

    def at_end(self, joints: Array) -> tuple[str, ...]:
        """A sentence if a shoulder is at its limit anywhere in joint angles (..., n_joints) [rad]."""
        held = (joints[..., self.columns, None] == self.limits).any(axis=-1)
        if not held.any():
            return ()
        names = [name for k, name in enumerate(self._names) if held[..., k].any()]
        return (f"{' and '.join(names)} at the limit: swing the arms less",)


@kernel
def _shoulders(com: Array, feet: Array, legs: Ints, home: Array, limits: Array, factor: float, out: Array) -> None:
    for i in range(len(com)):
        yaw = feet[i, :, 3].mean()
        c, s = np.cos(yaw), np.sin(yaw)
        for k in range(len(legs)):
            foot = feet[i, legs[k]]
            angle = home[k] + factor * (c * (foot[0] - com[i, 0]) + s * (foot[1] - com[i, 1]))
            out[i, k] = min(max(angle, limits[k, 0]), limits[k, 1])
