"""The bench of Bahr 5.5 and 6.2: the trunk hangs fixed in the air, and a foot follows a straight path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import mujoco
import numpy as np
from mujoco import rollout

from gangart.kinematics import AbductionLegs
from gangart.robots import Robot
from gangart.signals import Array
from gangart.simulation import Fidelity, Ground
from gangart.simulation.drives import at_hubs, fastest, filtered
from gangart.simulation.model import Sensors, build_spec

Sent = Literal["ahead", "instant", "none"]
"""Which speed goes with a target: that to the next target, that of the path at the target, or none."""

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
_HEIGHT = 2.0  # [m] of the trunk: no foot reaches the floor
_REST = 0.3  # [s] in which legs come to rest at the start of the path
_AFTER = 0.2  # [s] for which they are watched after its end


@dataclass(frozen=True, eq=False)
class Line:
    """A straight path of a foot, in the frame of the base."""

    name: str
    start: Array  # (3,) [m]
    end: Array  # (3,) [m]

    @property
    def length(self) -> float:
        """[m]."""
        return float(np.linalg.norm(self.end - self.start))

    def distance(self, points: Array) -> Array:
        """Shortest distance of points (n, 3) to the path, whose ends are part of it (n,) [m]."""
        along = self.end - self.start
        part = np.clip((points - self.start) @ along / (along @ along), 0.0, 1.0)
        return np.asarray(np.linalg.norm(points - self.start - part[:, None] * along, axis=1))


@dataclass(frozen=True, eq=False)
class FootTrace:
    """What a foot and its leg did, one row per physics step; the path begins at time 0."""

    time: Array  # (n,) [s]
    foot: Array  # (n, 3) [m] in the base's frame, from the joints' angles
    torque: Array  # (n, 3) [N m] of the motors at the leg's hubs


@dataclass(frozen=True, eq=False)
class LegBench:
    """A robot with a drive whose trunk is fixed."""

    robot: Robot
    leg: str

    @cached_property
    def legs(self) -> AbductionLegs:
        """Its kinematics."""
        return AbductionLegs(self.robot)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The robot's world of the motor level without the free joint of its trunk."""
        spec, _ = build_spec(self.robot, Fidelity(motor=True), Ground())
        trunk = spec.body(self.robot.base)
        for joint in list(trunk.joints):
            spec.delete(joint)
        trunk.pos = [0.0, 0.0, _HEIGHT]
        return spec.compile()

    def run(
        self, line: Line, speed: float, phase: float = 0.0, off: Array | None = None, sent: Sent = "ahead"
    ) -> FootTrace:
        """Let the foot follow a path.

        Args:
            line: the path.
            speed: along it, from its start to its end [m/s].
            phase: part of a tick that has passed when the first target is due, 0…1.
            off: how far from the path's start the foot begins (3,) [m].
            sent: which speed goes with each target.
        """
        position, velocity = self._targets(line, speed, phase, np.zeros(3) if off is None else off, sent)
        model, robot = self.model, self.robot
        data = mujoco.MjData(model)
        ids = [model.joint(name).qposadr[0] for name in robot.joints]
        data.qpos[ids] = position[0]
        start = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, start, _STATE)
        control = self._controls(position, velocity)
        states, sensed = rollout.rollout(model, data, start[None], control[None], nstep=len(control))
        begin = round(_REST / Fidelity().step)
        rows = np.vstack([start, states[0]])[begin:-1]
        columns = self.legs.columns[list(robot.legs).index(self.leg)]
        angles = rows[:, [1 + ids[c] for c in columns]]
        joint_torques = sensed[0, begin:, Sensors(robot).torque]
        hub_torques = joint_torques @ np.linalg.inv(robot.hubs)
        return FootTrace(rows[:, 0] - _REST, self.legs.forward(self.leg, angles), hub_torques[:, columns])

    def _targets(self, line: Line, speed: float, phase: float, off: Array, sent: Sent) -> tuple[Array, Array]:
        """Joint targets per tick, angles and speeds (n_ticks, n_joints): rest, path, rest."""
        tick = self.robot.tick
        rest, after = round(_REST / tick), round(_AFTER / tick)
        moving = int(np.ceil(line.length / speed / tick)) + 1
        way = np.clip((np.arange(moving) + phase) * tick * speed, 0.0, line.length)
        unit = (line.end - line.start) / line.length
        points = line.start + way[:, None] * unit
        # a target is held for a tick, and so is its speed: it should lead to the next target
        moves = {
            "ahead": np.append(np.diff(way), 0.0) / tick,
            "instant": np.where((way > 0.0) & (way < line.length), speed, 0.0),
            "none": np.zeros(moving),
        }
        speeds = moves[sent][:, None] * unit
        points = np.vstack([np.tile(line.start + off, (rest, 1)), points, np.tile(line.end, (after, 1))])
        speeds = np.vstack([np.zeros((rest, 3)), speeds, np.zeros((after, 3))])
        angles = self.legs.inverse(self.leg, points).angles
        rates = np.linalg.solve(self.legs.jacobian(self.leg, angles), speeds[:, :, None])[:, :, 0]
        position = np.tile(self.robot.home_position, (len(points), 1))
        velocity = np.zeros_like(position)
        columns = self.legs.columns[list(self.robot.legs).index(self.leg)]
        position[:, columns], velocity[:, columns] = angles, rates
        return position, velocity

    def _controls(self, position: Array, velocity: Array) -> Array:
        """What the hubs' cascades are given for each physics step (n, n_u): held targets behind the filter."""
        robot, drive, step = self.robot, self.robot.drive, Fidelity().step
        assert drive is not None
        n, joints = round(robot.tick / step), len(robot.joints)
        setpoints = np.zeros((len(position) * n + 1, 2 * joints))
        setpoints[0, 0::2] = position[0]
        driven, quickest = np.arange(joints), fastest(robot)
        for k in range(len(position)):
            rows = setpoints[k * n : (k + 1) * n + 1]
            filtered(position[k], velocity[k], driven, step, drive.filter, quickest, rows)
        hubs = np.empty_like(setpoints)
        at_hubs(setpoints, robot.hubs, hubs)
        return hubs[1:]
