"""Where the joints, gears included, and the base stand in a row of the physics state."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mujoco
import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Bools, Ints
from gangart.simulation.gearbox import PLAY


class Encoders(NamedTuple):
    """Where in a state row the encoders look, as kernels take it."""

    angle: Ints  # (n_joints,) of the hinges that motors turn
    speed: Ints  # (n_joints,)
    geared: Ints  # columns of joints whose encoder sits behind a gear
    gear_angle: Ints  # of these gears
    gear_speed: Ints


class Joints:
    """Reads and writes joints and base in state rows (time, qpos, qvel, ...)."""

    def __init__(self, model: mujoco.MjModel, robot: Robot, at_joint: bool) -> None:
        """`at_joint`: whether encoders sit on the joint's side of the gear."""
        hinges = [model.joint(name) for name in robot.joints]
        self.angle: Ints = np.array([1 + j.qposadr[0] for j in hinges])  # (n_joints,) of the hinges that motors turn
        self.speed: Ints = np.array([1 + model.nq + j.dofadr[0] for j in hinges])  # (n_joints,)
        self.ids: Ints = np.array([j.id for j in hinges])  # (n_joints,) in the model
        names = {model.joint(i).name for i in range(model.njnt)}
        geared = [i for i, name in enumerate(robot.joints) if name + PLAY in names]
        gears = [model.joint(robot.joints[i] + PLAY) for i in geared]
        self.geared: Ints = np.array(geared, dtype=np.int64)  # columns of joints with a gearbox
        self._gear_angle = np.array([1 + j.qposadr[0] for j in gears], dtype=np.int64)
        self._gear_speed = np.array([1 + model.nq + j.dofadr[0] for j in gears], dtype=np.int64)
        seen = self.geared if at_joint else self.geared[:0]
        self.encoders = Encoders(self.angle, self.speed, seen, self._gear_angle, self._gear_speed)
        free = model.body_jntadr[model.body(robot.base).id]
        self.base = 1 + int(model.jnt_qposadr[free])  # position (3) and quaternion (4) of the base
        self.base_speed = 1 + model.nq + int(model.jnt_dofadr[free])  # velocity (3) and angular velocity (3)

    def stand(self, qpos: Array, joints: Array, base_position: Array, base_yaw: float) -> None:
        """Write joints (n_joints,) [rad] and an upright base [m], [rad] into qpos (n_q,); gears are at rest."""
        a = self.base - 1
        qpos[a : a + 3] = base_position
        qpos[a + 3 : a + 7] = [math.cos(base_yaw / 2), 0.0, 0.0, math.sin(base_yaw / 2)]
        qpos[self.angle - 1] = joints

    def lie(self, states: Array, height: float) -> Bools:
        """Whether the base lies, in state rows (..., n_state) of a robot that began at a height [m]."""
        z, x, y = (states[..., self.base + k] for k in (2, 4, 5))
        return np.asarray(lies(z, x, y, height))

    def angles(self, states: Array) -> Array:
        """Joint angles (..., n_joints) [rad] of state rows (..., n_state)."""
        return self._with_gear(states, self.angle, self._gear_angle)

    def speeds(self, states: Array) -> Array:
        """Joint speeds (..., n_joints) [rad/s] of state rows (..., n_state)."""
        return self._with_gear(states, self.speed, self._gear_speed)

    def _with_gear(self, states: Array, hinge: Ints, gear: Ints) -> Array:
        values: Array = states[..., hinge]
        if len(self.geared):
            values[..., self.geared] += states[..., gear]
        return values


def lies(z: Any, x: Any, y: Any, height: float) -> Any:
    """Whether a base at height z [m] with x, y of its quaternion is tilted by more than 60°, or below half a height."""
    return (1.0 - 2.0 * (x * x + y * y) < 0.5) | (z < 0.5 * height)


def checked_stance(
    robot: Robot, joints: Array, base_position: Array, base_yaw: float, settle: float
) -> tuple[Array, Array, float]:
    """Joints (n_joints,) [rad], base position (3,) [m] and yaw [rad] to begin from, and to settle in for a time [s]."""
    joints, place = np.asarray(joints, float), np.asarray([*base_position, base_yaw], float)
    if joints.shape != (len(robot.joints),) or place.shape != (4,):
        raise BadValue(f"{robot.name} has {len(robot.joints)} joints and a base at x, y, z; "
                       f"there came {joints.size} joint angles and {place.size - 1} coordinates")  # fmt: skip
    if not (np.isfinite(joints).all() and np.isfinite(place).all() and 0.0 <= settle < math.inf):
        raise BadValue("joint angles, place and settling time of a reset have to be finite numbers")
    return joints, place[:3], float(place[3])
