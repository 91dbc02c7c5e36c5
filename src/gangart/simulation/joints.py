"""Where the joints stand in a row of the physics state, gears included."""

from __future__ import annotations

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.signals import Array, Ints
from gangart.simulation.gearbox import PLAY


class Joints:
    """Reads joint angles and speeds out of state rows (time, qpos, qvel, ...)."""

    def __init__(self, model: mujoco.MjModel, robot: Robot, at_joint: bool) -> None:
        """`at_joint`: whether encoders sit on the joint's side of the gear."""
        hinges = [model.joint(name) for name in robot.joints]
        self.angle: Ints = np.array([1 + j.qposadr[0] for j in hinges])  # (n_joints,) of the hinges that motors turn
        self.speed: Ints = np.array([1 + model.nq + j.dofadr[0] for j in hinges])  # (n_joints,)
        names = {model.joint(i).name for i in range(model.njnt)}
        geared = [i for i, name in enumerate(robot.joints) if name + PLAY in names]
        gears = [model.joint(robot.joints[i] + PLAY) for i in geared]
        self.geared: Ints = np.array(geared, dtype=np.int64)  # columns of joints with a gearbox
        self._gear_angle = np.array([1 + j.qposadr[0] for j in gears], dtype=np.int64)
        self._gear_speed = np.array([1 + model.nq + j.dofadr[0] for j in gears], dtype=np.int64)
        self._at_joint = at_joint

    def angles(self, states: Array) -> Array:
        """Joint angles (..., n_joints) [rad] of state rows (..., n_state)."""
        return self._with_gear(states, self.angle, self._gear_angle)

    def speeds(self, states: Array) -> Array:
        """Joint speeds (..., n_joints) [rad/s] of state rows (..., n_state)."""
        return self._with_gear(states, self.speed, self._gear_speed)

    def measured(self, state: Array) -> tuple[Array, Array]:
        """What the encoders say for one state row: angles [rad] and speeds [rad/s], each (n_joints,)."""
        if self._at_joint:
            return self.angles(state), self.speeds(state)
        return state[self.angle], state[self.speed]

    def _with_gear(self, states: Array, hinge: Ints, gear: Ints) -> Array:
        values: Array = states[..., hinge]
        if len(self.geared):
            values[..., self.geared] += states[..., gear]
        return values
