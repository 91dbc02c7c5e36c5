"""The other side: what a robot does to the left, its mirror image does to the right."""

from __future__ import annotations

import mujoco
import numpy as np

from gangart.errors import BadRobot
from gangart.robots import Robot
from gangart.signals import Array, Ints

_FLIP = np.array([-1.0, 1.0, -1.0])  # of an axis of rotation, at the plane between left and right


class Mirror:
    """Swaps the legs of a robot that is alike on both sides."""

    def __init__(self, robot: Robot) -> None:
        left, right = robot.legs.values()
        if len(left.joints) != len(right.joints):
            raise BadRobot(f"{robot.name}'s legs differ: a compensation cannot be mirrored from one to the other")
        data = mujoco.MjData(robot.model)
        mujoco.mj_kinematics(robot.model, data)
        self._partner: Ints = np.arange(len(robot.joints))
        self._sign = np.ones(len(robot.joints))
        for a, b in zip(left.joints, right.joints, strict=True):
            i, j = robot.joint_index[a], robot.joint_index[b]
            self._partner[i], self._partner[j] = j, i
            axes = data.xaxis[[robot.model.joint(a).id, robot.model.joint(b).id]]
            self._sign[[i, j]] = np.sign(axes[0] * _FLIP @ axes[1])

    def joints(self, cycle: Array) -> Array:
        """A double step (n_phase, n_joints) [rad], mirrored: the other leg goes first, half a double step later."""
        return _half_on(cycle[:, self._partner] * self._sign)

    def zmp(self, cycle: Array) -> Array:
        """Offsets over a double step (n_phase, 2) [m], mirrored."""
        return _half_on(cycle * np.array([1.0, -1.0]))


def _half_on(cycle: Array) -> Array:
    return np.asarray(np.roll(cycle, len(cycle) // 2, axis=0))
