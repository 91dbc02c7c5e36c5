"""The Dortmund Walking Engine (Urbann 2.4): velocity → footsteps → ZMP → centre of mass → joint angles.

`tick` does it one sample at a time, with the command as it comes; `plan` does a whole walk at once, with the same
functions on arrays. A command may be a goal pose: then a footstep planner gives the steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np

from gangart.compensation import Compensation, Rhythm
from gangart.compensation.live import Live
from gangart.control.engine import Reference
from gangart.control.measured_zmp import ZmpSensor, zmp_of_feet, zmp_of_imu
from gangart.control.observer import ZmpObserver
from gangart.control.pattern_tick import INSTANT, Arms, Window, advance, turn_arms
from gangart.control.posing import Adaptation, Poser
from gangart.control.route import GoalRoute
from gangart.control.settings import check_robot, check_walk
from gangart.control.stepping import Step, Stepper, plan_of
from gangart.errors import BadRobot, BadValue, Unreachable, choose
from gangart.footsteps import Obstacle, StepLimits
from gangart.footsteps.planners import planner_of
from gangart.gaits import BipedTiming
from gangart.pattern.arms import ArmSwing
from gangart.pattern.preview import EFFORT, at_rest, preview_gains, preview_motion
from gangart.pattern.swing import soles_at, swing_polynomials
from gangart.pattern.zmp import ZMP_NAMES, ZmpName, zmp_curve
from gangart.robots import Robot, Walk
from gangart.signals import (
    Array,
    BodyTrajectory,
    Bools,
    Command,
    FootstepPlan,
    JointTargets,
    JointTrajectory,
    SensorReading,
)


@dataclass(frozen=True)
class WalkPlan:
    """A whole walk, planned ahead."""

    footsteps: FootstepPlan
    body: BodyTrajectory
    joints: JointTrajectory
    notes: tuple[str, ...] = ()  # what was limited, in sentences


class BipedEngine:
    """Walks a two-legged robot anywhere on flat ground.

    Args:
        robot: with a `[walk]` table in its file.
        walk: other walk settings than the robot's own.
        zmp: "bezier" or "stationary" reference.
        adaptation: of the centre of mass to the posture (2.4.3): "iterated" to convergence after Strom, or from the
            last "measured" joint angles, as the original does.
        effort: weight of the jerk's change in the preview controller [s⁶]; smaller follows the ZMP reference closer.
        feedback: 0…1, how much of the observer's correction by the measured ZMP is used (2.4.7).
        zmp_sensor: measure the ZMP with the "feet" or, as the original, from the torso's acceleration ("imu").
        compensation: what to ask for beyond the pattern, to get the pattern; `gangart.compensation.prepare` makes it.
        planner: of the steps to a goal pose, as `gangart.footsteps.plan` takes it. Where readings have an observer's
            estimate of the state, it plans anew before each step.
        obstacles: that it goes around.
        step_error: by which part each step is made longer than it was asked: a defect, for experiments.
    """

    robot: Robot
    walk: Walk
    reference: Reference
    notes: tuple[str, ...]  # what is limited now, in sentences
    _joints: Array  # (n_joints,) [rad] the last targets
    _soles: Array  # (2, 4) x, y, z [m], yaw [rad] where the last targets put them
    _references: Array  # (n, 2) [m] wanted ZMP from the last plan on
    _steered: Array  # (n, 2) [m] what the preview controller follows to get it
    _state: Array  # (2, 3) [m], [m/s], [m/s²] centre of mass, x and y
    _memory: Array  # (2, 4) state and jerk of the last tick
    _route: GoalRoute | None  # to the goal that was commanded last

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
        compensation: Compensation | None = None,
        planner: str = "hybrid",
        obstacles: Sequence[Obstacle] = (),
        step_error: float = 0.0,
    ) -> None:
        settings = walk or robot.walk
        if settings is None:
            raise BadRobot(f"{robot.name}'s robot file has no [walk] table: gangart does not know how it walks")
        if not 0.0 <= feedback <= 1.0:
            raise BadValue(f"feedback is {feedback:g}; it has to lie in 0…1")
        self.robot, self.walk = robot, settings
        self.zmp = choose("ZMP reference", zmp, ZMP_NAMES)
        self.zmp_sensor = choose("ZMP sensor", zmp_sensor, get_args(ZmpSensor))
        self.feedback = feedback
        check_walk(settings)
        check_robot(robot, pressure=feedback > 0.0 and zmp_sensor == "feet")
        self.timing = BipedTiming(settings.double_step_duration, settings.double_support_ratio, settings.start)
        self.gains = preview_gains(settings.com_height, robot.tick, settings.preview, effort=effort)
        self.observer = ZmpObserver(self.gains, feedback)
        self.poser = Poser(robot, adaptation)
        self.arms = ArmSwing(robot, settings.arm_swing)
        self.compensation = compensation
        planner_of(planner)  # refuses unknown names
        self.planner, self.obstacles = planner, tuple(obstacles)
        if not -0.5 <= step_error <= 0.5:
            raise BadValue(f"step error is {step_error:g}; it has to lie in -0.5…0.5")
        self.step_error = step_error
        self._live: Live | None = None  # while it is found how the robot stands
        self._ahead = 0.0
        self._restart(0.0)  # finds how the robot stands
        if self.poser.notes:
            raise Unreachable(f"{robot.name} cannot stand as its walk settings want it: {self.poser.notes[0]}")
        self._stance = (self._joints, self.poser.place[:3].copy(), float(self.poser.place[3]))
        self._ahead = float(self.poser.place[0])
        if compensation is not None:
            self._live = Live(robot, compensation)
            self._restart(0.0)

    # ------------------------------------------------------------------ one tick

    def reset(self, reading: SensorReading) -> None:
        """Begin a walk: the robot stands as in `stance`, and the world's origin lies between its feet."""
        self._restart(reading.time)

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands before the first step: joints [rad], base position [m], base yaw [rad]."""
        return self._stance

    @property
    def settings(self) -> dict[str, Any]:
        """What this engine was made with, as JSON can say it: enough to make one like it."""
        walk = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(self.walk).items()}
        named = {"zmp": self.zmp, "adaptation": self.poser.adaptation, "feedback": self.feedback}
        return {**named, "zmp_sensor": self.zmp_sensor, "planner": self.planner, "walk": walk}

    @property
    def arrived(self) -> bool:
        """Whether the robot stands in the goal that was commanded last."""
        return self._route is not None and self._route.arrived and self._stepper.standing

    @property
    def route(self) -> GoalRoute | None:
        """The way to the goal that was commanded last."""
        return self._route

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick."""
        due = reading.time + self.gains.dt
        if self._live is not None:
            self._live.sense(reading)
            command = self._live.command(command)
        if self._steps_change(self._stepper, reading.time, command, reading):
            self._replan(reading.time)
        if self.feedback > 0.0:
            self.observer.correct(self._state, self._measured_zmp(reading))
        com, soles, standing, joints = self._room()
        held = advance(
            self.gains, self._window, self._arms(), self._steered, self._index, self._state, self._memory,
            self.observer.drift, due, self.walk.com_height, self._joints, com, soles, standing, joints,
        )  # fmt: skip
        self._index += 1
        self._soles = soles[0]
        q = self.poser(com, soles, joints, reading.position, INSTANT)
        self._joints = q[0]
        self.notes = (*self._limited, *self.poser.notes, *(self.arms.at_end(joints[0]) if held else ()))
        zmp = self._references[min(self._index, len(self._references) - 1)]  # standing, the last one holds
        self.reference = Reference(zmp, com[0], standing[0])
        wanted = JointTargets(due, q[0], q[1])
        return wanted if self._live is None else self._live.targets(wanted)

    def _room(self) -> tuple[Array, Array, Bools, Array]:
        """For what the pattern wants at the end of a tick and an instant later: com, soles, standing, joints."""
        return np.empty((2, 3)), np.empty((2, 2, 4)), np.empty((2, 2), dtype=np.bool_), np.empty((2, len(self._joints)))

    def _arms(self) -> Arms:
        """The arms, with what the measured tilt adds to them."""
        return Arms(self.arms.model, *((0.0, 0.0) if self._live is None else self._live.shoulders))

    def _new_stepper(self, past: list[Step] | None = None) -> Stepper:
        half = self.walk.foot_spacing / 2.0
        feet = np.array([[0.0, half, 0.0], [0.0, -half, 0.0]])
        lead = self.gains.dt
        return Stepper(self.walk, self.timing, self.walk.preview, feet, ahead=self._ahead, past=past, lead=lead)

    def _new_route(self) -> GoalRoute:
        """To the first goal that is commanded."""
        limits = StepLimits.of(replace(self.robot, walk=self.walk))
        slip = 0.0 if self.compensation is None else self.compensation.slip
        stretch = (1.0 + self.step_error) * np.array([1.0 / (1.0 - slip), 1.0, 1.0])
        return GoalRoute(self.poser.solver, limits, self.planner, self.obstacles, stretch)

    def _steps_change(self, stepper: Stepper, time: float, command: Command, reading: SensorReading | None) -> bool:
        """Bring a stepper up to date; true if its plan has changed."""
        if command.goal is None:
            return stepper.update(time, command)
        if self._route is None:
            self._route = self._new_route()
        self._route.ask(command.goal, reading)
        if self._route.refused:
            return stepper.update(time, Command())
        return stepper.update(time, command, self._route)

    def _restart(self, time: float) -> None:
        self._stepper = self._new_stepper()
        self._route = None
        if self._live is not None:
            self._live.reset()
        self._replan(time)
        self._state, self._memory = at_rest(self._references[0])
        self.observer.reset()
        self.poser.reset()
        self._joints = self.robot.home_position
        com, soles, standing, joints = self._room()
        com[:, :2], com[:, 2], joints[:] = self._references[0], self.walk.com_height, self._joints
        soles[:], standing[:] = soles_at(self._plan, self.walk.step_height, np.array([time]), self.walk.swing)
        held = [turn_arms(self._arms(), com[k], soles[k], 0.0, joints[k]) for k in range(2)]
        self._joints, self._soles = self.poser(com, soles, joints, None, INSTANT)[0], soles[0]
        self.notes = (*self._limited, *self.poser.notes, *(self.arms.at_end(joints[0]) if any(held) else ()))
        self.reference = Reference(self._references[0], com[0], standing[0])

    def _replan(self, time: float) -> None:
        """Sample the ZMP reference over the preview and up to the next change of the plan."""
        self._plan = self._stepper.plan()
        unplanned = (self._route.note,) if self._route is not None and self._route.note else ()
        self._limited = (*self._stepper.notes, *unplanned)
        curve = zmp_curve(self.zmp, self._plan, self.walk, self.timing.double_support)
        ticks = self.gains.horizon + math.ceil(self.timing.step / self.gains.dt) + 2
        times = time + self.gains.dt * np.arange(ticks, dtype=np.float64)
        self._references = self._steered = curve(times)
        if self._live is not None:
            self._live.plan(self._rhythm())
            soles = partial(soles_at, self._plan, self.walk.step_height, swing=self.walk.swing)
            self._steered = self._live.zmp(times, lambda t: soles(t)[0], self._references)
        self._window = Window(
            swing_polynomials(self.walk.swing), self.walk.step_height,
            self._plan.start, self._plan.foot, self._plan.pose, self._plan.lift, self._plan.land,
        )  # fmt: skip
        self._index = 0

    def _rhythm(self) -> Rhythm:
        """The steps of the window, for a compensation."""
        plan, t = self._plan, self.timing
        velocity = [(s.velocity.vx, s.velocity.vy, s.velocity.wz) for s in self._stepper.steps]
        return Rhythm(plan.foot, plan.lift, plan.land, np.array(velocity).reshape(-1, 3), t.step, t.double_support)

    def _com(self) -> Array:
        """Where the centre of mass should be [m]."""
        return np.array([self._state[0, 0], self._state[1, 0], self.walk.com_height])

    def _measured_zmp(self, reading: SensorReading) -> Array | None:
        """By the sensor that was chosen [m]."""
        if self.zmp_sensor == "feet":
            return zmp_of_feet(self.robot, self._soles, reading.foot_force)
        return zmp_of_imu(self._com(), float(self.poser.place[3]), reading.accelerometer)

    # ------------------------------------------------------------------ a whole walk

    def plan(
        self,
        command: Command | Callable[[float], Command],
        duration: float,
        *,
        zmp_offset: Callable[[Array], Array] | None = None,
    ) -> WalkPlan:
        """Plan a walk of `duration` seconds from standing, with the centre of mass iterated to convergence.

        `zmp_offset` gives for times (n,) [s] what the preview controller is to add to the ZMP reference, (n, 2) [m] in
        the world: Urbann's algorithm 5.1 finds it. The plan holds the reference without it. The engine's compensation
        is no part of a plan.
        """
        if not (np.isfinite(duration) and duration > 0.0):
            raise BadValue(f"duration is {duration!r} s; it has to be a positive number")
        g = self.gains
        time = g.dt * np.arange(round(duration / g.dt) + 1, dtype=np.float64)
        footsteps, limited = self._footsteps(command if callable(command) else (lambda _: command), time)
        curve = zmp_curve(self.zmp, footsteps, self.walk, self.timing.double_support)
        times = g.dt * np.arange(len(time) + g.horizon, dtype=np.float64)
        references = curve(times)
        steered = references if zmp_offset is None else references + zmp_offset(times)
        motion = preview_motion(g, steered, len(time))
        com = np.column_stack([motion[:, 0, 0], motion[:, 1, 0], np.full(len(time), self.walk.com_height)])
        soles, _ = soles_at(footsteps, self.walk.step_height, time, self.walk.swing)
        wanted = np.tile(self.robot.home_position, (len(time), 1))
        self.arms.follow(com, soles, wanted)
        joints = self.poser.sequence(time, com, soles, wanted)
        notes = (*limited, *self.poser.notes, *self.arms.at_end(wanted))
        return WalkPlan(footsteps, BodyTrajectory(time, com, references[: len(time)], soles), joints, notes)

    def _footsteps(self, commands: Callable[[float], Command], time: Array) -> tuple[FootstepPlan, tuple[str, ...]]:
        """All steps to commands over the time [s], and what was limited."""
        past: list[Step] = []
        stepper = self._new_stepper(past)
        start = stepper.feet.copy()
        notes: dict[str, None] = {}  # in order, each once
        self._route = None
        for t in time.tolist():
            if self._steps_change(stepper, t, commands(t), None):
                notes.update(dict.fromkeys(stepper.notes))
        return plan_of(start, past + stepper.steps), tuple(notes)
