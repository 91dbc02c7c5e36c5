"""Arms that follow the legs (Urbann 2.4.3): a shoulder turns in proportion to how far ahead the foot of its side is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gangart.compiled import kernel
from gangart.robots import Robot
from gangart.signals import Array, Ints


class Shoulders(NamedTuple):
    """What kernels need of the arms."""

    columns: Ints  # (n_arms,) of the shoulders in an array over joints
    legs: Ints  # (n_arms,) of the leg on the same side
    home: Array  # (n_arms,) [rad]
    limits: Array  # (n_arms, 2) [rad]
    factor: float  # [rad/m]


class ArmSwing:
    """Shoulder angles of a biped: with the left foot ahead the left arm swings back, and the right arm forward.

    Where that is more than a shoulder can turn it stays at its limit.
    """

    model: Shoulders

    def __init__(self, robot: Robot, factor: float) -> None:
        """`factor` [rad/m] is the shoulder's angle per metre that the foot is ahead of the centre of mass."""
        legs = [leg.side for leg in robot.legs.values()]
        arms = [arm for arm in robot.arms.values() if arm.side in legs]
        self._names = [arm.swing for arm in arms]
        columns = np.array([robot.joint_index[name] for name in self._names], dtype=np.int64)
        sides = np.array([legs.index(arm.side) for arm in arms], dtype=np.int64)
        self.model = Shoulders(columns, sides, robot.home_position[columns], robot.joint_limits[columns], factor)

    def follow(self, com: Array, feet: Array, joints: Array) -> None:
        """Write shoulder angles into joints (n, n_joints) [rad], for centres of mass (n, 3) [m] and soles (n, 2, 4)."""
        _all(self.model, com, feet, joints)

    def at_end(self, joints: Array) -> tuple[str, ...]:
        """A sentence if a shoulder is at its limit anywhere in joint angles (..., n_joints) [rad]."""
        held = (joints[..., self.model.columns, None] == self.model.limits).any(axis=-1)
        if not held.any():
            return ()
        names = [name for k, name in enumerate(self._names) if held[..., k].any()]
        return (f"{' and '.join(names)} at the limit: swing the arms less",)


@kernel
def shoulder_angles(model: Shoulders, com: Array, feet: Array, joints: Array) -> None:
    """Write shoulder angles into joints (n_joints,) [rad] for a centre of mass (3,) [m] and soles (n_legs, 4)."""
    yaw = feet[:, 3].mean()
    c, s = np.cos(yaw), np.sin(yaw)
    for k in range(len(model.columns)):
        foot, limits = feet[model.legs[k]], model.limits[k]
        angle = model.home[k] + model.factor * (c * (foot[0] - com[0]) + s * (foot[1] - com[1]))
        joints[model.columns[k]] = min(max(angle, limits[0]), limits[1])


@kernel
def _all(model: Shoulders, com: Array, feet: Array, joints: Array) -> None:
    for i in range(len(com)):
        shoulder_angles(model, com[i], feet[i], joints[i])
