"""The Dortmund Walking Engine (Urbann 2.4): velocity → footsteps → ZMP → centre of mass → joint angles.

`tick` does it one sample at a time, with the command as it comes; `plan` does a whole walk at once, with the same
functions on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from gangart.control.engine import Reference
from gangart.control.posing import Adaptation, Poser
from gangart.control.stepping import Stepper
from gangart.errors import BadRobot, BadValue, choose
from gangart.gaits import BipedTiming
from gangart.pattern.arms import ArmSwing
from gangart.pattern.preview import EFFORT, GRAVITY, preview_gains, preview_motion, preview_step
from gangart.pattern.swing import feet_at, swing_polynomials
from gangart.pattern.zmp import ZMP_NAMES, ZmpName, zmp_curve
from gangart.robots import Robot, Walk
from gangart.signals import (
    Array,
    Bools,
    BodyTrajectory,
    Command,
    FootstepPlan,
    JointTargets,
    JointTrajectory,
    SensorReading,
)

ZmpSensor = Literal["feet", "imu"]
INSTANT = 1e-4  # [s] over which joint speeds are differenced


@dataclass(frozen=True)
class WalkPlan:
    """A whole walk, planned ahead."""

    footsteps: FootstepPlan
    body: BodyTrajectory
    joints: JointTrajectory


class BipedEngine:
    """Walks a two-legged robot anywhere on flat ground.

    Args:
        robot: with a `[walk]` table in its file.
        walk: other walk settings than the robot's own.
        zmp: "bezier" or "stationary" reference.
        adaptation: of the centre of mass to the posture (2.4.3): "iterated" to convergence after Strom, or from the
            last "measured" joint angles, as the original does.
        effort: weight of the jerk in the preview controller; smaller follows the ZMP reference closer.
        feedback: 0…1, how much of the observer's correction by the measured ZMP is used (2.4.7).
        zmp_sensor: measure the ZMP with the "feet" or, as the original, from the torso's acceleration ("imu").
    """

    def __init__(
        self,
        robot: Robot,
        *,
        walk: Walk | None = None,
        zmp: ZmpName = "bezier",
        adaptation: Adaptation = "iterated",
        feedback: float = 0.0,
        zmp_sensor: ZmpSensor = "feet",
        effort: float = EFFORT,
    ) -> None:
        settings = walk or robot.walk
        if settings is None:
            raise BadRobot(f"{robot.name}'s robot file has no [walk] table: gangart does not know how it walks")
        sides = [leg.side for leg in robot.legs.values()]
        if sides != ["left", "right"]:
            raise BadRobot(f"the biped engine needs a left and a right leg, in this order; {robot.name} has {sides}")
        if not 0.0 <= feedback <= 1.0:
            raise BadValue(f"feedback is {feedback:g}; it has to lie in 0…1")
        self.robot, self.walk = robot, settings
        self.zmp = choose("ZMP reference", zmp, ZMP_NAMES)
        self.zmp_sensor = choose("ZMP sensor", zmp_sensor, get_args(ZmpSensor))
        self.feedback = feedback
        self.timing = BipedTiming(settings.double_step_duration, settings.double_support_ratio, settings.start)
        self.gains = preview_gains(settings.com_height, robot.tick, settings.preview, effort=effort)
        self.poser = Poser(robot, adaptation)
        self.arms = ArmSwing(robot, settings.arm_swing)
        self.notes: tuple[str, ...] = ()
        self._swing = swing_polynomials()
        self._stance = (self.robot.home_position, np.zeros(3), 0.0)
        self._restart(0.0)  # finds how the robot stands
        self._stance = (self._joints.copy(), self.poser.place[:3].copy(), float(self.poser.place[3]))
        self._restart(0.0)

    # ------------------------------------------------------------------ one tick

    def reset(self, reading: SensorReading) -> None:
        """Begin a walk: the robot stands as in `stance`, and the world's origin lies between its feet."""
        self._restart(reading.time)

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands before the first step: joints [rad], base position [m], base yaw [rad]."""
        return self._stance

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick."""
        dt, due = self.gains.dt, reading.time + self.gains.dt
        if self._stepper.update(reading.time, command):
            self._replan(reading.time)
        if self.feedback > 0.0:
            self._observe(reading)
        g = self.gains
        preview_step(
            g.A, g.B, g.C, g.integral, g.state, g.ahead, self._references, self._index, self._state, self._error
        )
        self._index += 1
        self._time[0] = due
        self._place_feet()
        com = np.array([self._state[0, 0], self._state[1, 0], self.walk.com_height])
        standing = self._standing[0].copy()
        joints = self._pose(com, reading.position)
        velocity = self._velocity(due, com, joints)
        zmp = self._references[min(self._index, len(self._references) - 1)]
        self.reference = Reference(zmp, com, standing)
        return JointTargets(due, joints, velocity)

    def _new_stepper(self) -> Stepper:
        half = self.walk.foot_spacing / 2.0
        feet = np.array([[0.0, half, 0.0], [0.0, -half, 0.0]])
        return Stepper(self.walk, self.timing, self.walk.preview, feet, ahead=float(self._stance[1][0]))

    def _restart(self, time: float) -> None:
        self._stepper = self._new_stepper()
        self._time = np.array([time])
        self._feet, self._standing = np.zeros((1, 2, 4)), np.ones((1, 2), dtype=np.bool_)
        self._feet[0, :, :2] = self._stepper.feet[:, :2]
        self._state = np.zeros((2, 3))
        self._error = np.zeros(2)
        self._replan(time)
        self._state[:, 0] = self._references[0]
        com = np.array([*self._references[0], self.walk.com_height])
        self._joints = self.robot.home_position.copy()
        self.poser.reset()
        self._joints = self._pose(com, None)
        self._before = (self._joints, self._joints)
        self.reference = Reference(self._references[0], com, np.array([True, True]))

    def _replan(self, time: float) -> None:
        """Sample the ZMP reference over the preview and up to the next change of the plan."""
        self._plan = self._stepper.plan()
        curve = zmp_curve(self.zmp, self._plan, self.walk, self.timing.double_support)
        ticks = self.gains.horizon + 2 + int(2.0 * self.timing.double_step / self.gains.dt)
        self._references = curve(time + self.gains.dt * np.arange(ticks))
        self._index = 0
        self.notes = self._stepper.notes

    def _place_feet(self) -> None:
        """Soles at the time of self._time."""
        plan = self._plan
        feet_at(
            self._swing, self.walk.step_height,
            plan.start, plan.foot, plan.pose, plan.lift, plan.land, self._time, self._feet, self._standing,
        )  # fmt: skip

    def _pose(self, com: Array, measured: Array | None) -> Array:
        """Joint angles for the feet of this tick and a centre of mass [m]."""
        feet = self._feet[0]
        self._joints[self.arms.columns] = self.arms.angles(com[None], self._feet)[0]
        self._joints = self.poser(com, feet, self._joints, measured)
        if self.poser.status != "exact":
            note = f"legs at their end ({self.poser.status}): lower the centre of mass or walk slower"
            self.notes = (*self._stepper.notes, note)
        return self._joints

    def _velocity(self, due: float, com: Array, joints: Array) -> Array:
        """Joint speeds [rad/s] at the time `due` [s]: the same pattern an instant later."""
        self._time[0] = due + INSTANT
        self._place_feet()
        later = com.copy()
        later[:2] += INSTANT * self._state[:, 1] + INSTANT**2 / 2.0 * self._state[:, 2]
        angles = joints.copy()
        angles[self.arms.columns] = self.arms.angles(later[None], self._feet)[0]
        return (self.poser.beside(later, self._feet[0], angles) - joints) / INSTANT

    def _observe(self, reading: SensorReading) -> None:
        """Take the measured ZMP back into the state of the cart-table model (2.4.7)."""
        measured = self._zmp_of_feet(reading) if self.zmp_sensor == "feet" else self._zmp_of_imu(reading)
        if measured is None:
            return
        g = self.gains
        for axis in range(2):
            expected = g.C @ self._state[axis]
            self._state[axis] += self.feedback * g.observer * (measured[axis] - expected)

    def _zmp_of_feet(self, reading: SensorReading) -> Array | None:
        """Centre of the forces on the soles' sensors, with the soles where the plan has them [m]; None in the air."""
        total, moment = 0.0, np.zeros(2)
        for leg, pose, force in zip(self.robot.legs.values(), self._feet[0], reading.foot_force, strict=True):
            load = float(force.sum())
            c, s = np.cos(pose[3]), np.sin(pose[3])
            place = force[: len(leg.force_sensors)] @ leg.force_sensors
            moment += load * pose[:2] + np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])
            total += load
        return moment / total if total > 1.0 else None

    def _zmp_of_imu(self, reading: SensorReading) -> Array:
        """One-mass ZMP (2.7), (2.8), with the torso's acceleration in place of the centre of mass's [m]."""
        ax, ay = reading.accelerometer[0], reading.accelerometer[1]
        c, s = np.cos(self.poser.place[3]), np.sin(self.poser.place[3])
        acceleration = np.array([c * ax - s * ay, s * ax + c * ay])
        return self._state[:, 0] - self.walk.com_height / GRAVITY * acceleration

    # ------------------------------------------------------------------ a whole walk

    def plan(self, command: Command | Callable[[float], Command], duration: float) -> WalkPlan:
        """Plan a walk of `duration` seconds from standing, with the centre of mass iterated to convergence."""
        if not (np.isfinite(duration) and duration > 0.0):
            raise BadValue(f"duration is {duration!r} s; it has to be a positive number")
        commands = command if callable(command) else (lambda _: command)
        dt, g = self.gains.dt, self.gains
        time = dt * np.arange(round(duration / dt) + 1)
        stepper = self._new_stepper()
        for t in time:
            stepper.update(float(t), commands(float(t)))
        plan = stepper.history()
        curve = zmp_curve(self.zmp, plan, self.walk, self.timing.double_support)
        references = curve(dt * np.arange(len(time) + g.horizon))
        motion = preview_motion(g, references, len(time))
        com = np.column_stack([motion[:, 0, 0], motion[:, 1, 0], np.full(len(time), self.walk.com_height)])
        feet, support = np.empty((len(time), 2, 4)), np.empty((len(time), 2), dtype=np.bool_)
        feet_at(
            self._swing, self.walk.step_height,
            plan.start, plan.foot, plan.pose, plan.lift, plan.land, time, feet, support,
        )  # fmt: skip
        joints = np.tile(self.robot.home_position, (len(time), 1))
        joints[:, self.arms.columns] = self.arms.angles(com, feet)
        body = BodyTrajectory(time, com, references[: len(time)], feet)
        return WalkPlan(plan, body, self.poser.sequence(time, com, feet, joints))
