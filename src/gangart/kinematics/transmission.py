"""From joints to the hubs that drive them and back: a hub may turn several joints, as the knee's belt over the hip."""

from __future__ import annotations

import numpy as np

from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.signals import Array

_SINGULAR = 1e9  # [1] condition number beyond which the hubs do not tell the joints
_ROUNDING = 1e-13  # [1] what an inversion leaves of a zero


class Transmission:
    """Hub angles A = M q of joint angles q, both 0 at the same time; everything broadcasts over leading axes.

    For the thesis's leg A = (q1 / i1, q2 / i2, q3 / i3 + q2): Bahr (5.7)-(5.9), where q2 = π - θ2 and q3 = θ3 - π,
    and hubs that count about the joints' axes from where the leg is stretched straight down.
    """

    matrix: Array  # (n, n) [1] M: turns of each hub per turn of each joint
    inverse: Array  # (n, n) [1] turns of each joint per turn of each hub

    def __init__(self, matrix: Array) -> None:
        """Raises BadValue for what is not square, not finite or cannot be inverted."""
        self.matrix = np.array(matrix, dtype=np.float64)
        if self.matrix.ndim != 2 or len(set(self.matrix.shape)) != 1 or not np.isfinite(self.matrix).all():
            raise BadValue(f"transmission has shape {self.matrix.shape}; it has to be square and finite")
        if not np.linalg.cond(self.matrix) < _SINGULAR:
            raise BadValue("transmission has no inverse: two hubs turn the same joints, or one turns none")
        self.inverse = np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        self.inverse[np.abs(self.inverse) < _ROUNDING] = 0.0

    @classmethod
    def of(cls, robot: Robot, leg: str | None = None) -> Transmission:
        """The robot's, over all joints or over those of one leg."""
        if leg is None:
            return cls(robot.hubs)
        mine = [robot.joint_index[name] for name in robot.legs[choose("leg", leg, robot.legs)].joints]
        return cls(robot.hubs[np.ix_(mine, mine)])

    def to_hubs(self, joints: Array) -> Array:
        """Angles or speeds of the hubs (..., n) from those of the joints, [rad] or [rad/s]."""
        return np.asarray(joints) @ self.matrix.T

    def to_joints(self, hubs: Array) -> Array:
        """Angles or speeds of the joints (..., n) from those of the hubs, [rad] or [rad/s]."""
        return np.asarray(hubs) @ self.inverse.T

    def joint_torques(self, hub_torques: Array) -> Array:
        """Torques at the joints (..., n) [N m] of torques at the hubs: τ_joint = Mᵀ τ_hub, virtual work."""
        return np.asarray(hub_torques) @ self.matrix

    def hub_torques(self, joint_torques: Array) -> Array:
        """Torques at the hubs (..., n) [N m] that hold torques at the joints."""
        return np.asarray(joint_torques) @ self.inverse
