"""The engine that carries a repositioning out: smooth ways in time, load that goes from leg to leg."""

from __future__ import annotations

import math

import numpy as np

from gangart.control.engine import Reference
from gangart.control.leg_control import LegControl, Stance
from gangart.control.segments import RepositionPlan, Segment, free_of_load, smooth
from gangart.control.stance_kernel import pose_between, swung
from gangart.signals import Array, Command, JointTargets, SensorReading

_INSTANT = 1e-4  # [s] over which joint speeds are differenced
_G = 9.81  # [m/s²]


class RepositionEngine:
    """Carries out a plan, and stands in its goal when that is done.

    A command does not move it: it has its plan.
    """

    reference: Reference
    notes: tuple[str, ...]  # nothing is limited here: a plan is kept or refused

    def __init__(self, legs: LegControl, plan: RepositionPlan) -> None:
        self.legs, self.robot = legs, legs.robot
        self.begin(plan)

    def begin(self, plan: RepositionPlan, place: Array | None = None) -> None:
        """Take up a plan, whose ground frame has its origin at x, y [m], yaw [rad] in the world."""
        self.plan, self.notes = plan, ()
        self.place = np.zeros(3) if place is None else np.array(place, dtype=np.float64)
        last = plan.segments[-1] if plan.segments else None
        anchors = last.after if last else self.legs.anchors(plan.goal)
        load = (last.load[1],) * 2 if last else (plan.load,) * 2
        still = Segment(plan.goal.pose, plan.goal.pose, -1, anchors, anchors, 0.0, math.inf, plan.margin, load)
        self._segments = (*plan.segments, still)
        self._ends = [s.ends(self.legs) if s.swing >= 0 else None for s in self._segments]
        self._at, self._in = 0, 0.0  # segment, and time [s] in it
        self._pose, self._point = np.empty(6), np.zeros(3)
        self._look(0.0)

    @property
    def done(self) -> bool:
        """Whether the goal is reached."""
        return self._at == len(self._segments) - 1

    @property
    def time_left(self) -> float:
        """[s] until the goal."""
        return sum(s.duration for s in self._segments[self._at : -1]) - (0.0 if self.done else self._in)

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands before: joints [rad], base position [m], base yaw [rad]."""
        q = self._look(0.0)
        return q, np.array([*self._pose[:3]]), float(self._pose[5])

    def reset(self, reading: SensorReading) -> None:
        """Begin the plan anew; the robot stands in its start."""
        self.begin(self.plan, self.place)

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick."""
        dt = self.robot.tick
        self._in += dt
        while self._in >= self._segments[self._at].duration:
            self._in -= self._segments[self._at].duration
            self._at += 1
        q = self._look(0.0)
        reference = self.reference
        if self.done:
            return JointTargets(reading.time + dt, q, np.zeros_like(q))
        later = self._look(_INSTANT)
        self.reference = reference
        return JointTargets(reading.time + dt, q, (later - q) / _INSTANT)

    @property
    def now(self) -> Stance:
        """Feet and body in the plan's ground frame."""
        return Stance(self._feet[:, :2], self._pose)

    def _look(self, later: float) -> Array:
        """What to ask for (n_joints,) [rad] an instant [s] from now."""
        segment, time = self._segments[self._at], self._in + later
        part = segment.part(time) if segment.duration < math.inf else 0.0
        ends = self._ends[self._at]
        way, _ = smooth(part)
        pose_between(segment.a, segment.b, way, self._pose)
        if ends is not None:
            swung(*ends, segment.height, part, self._point)
        lifted = ends is not None and 0.0 < part < 1.0
        anchors = segment.after if part >= 1.0 else segment.before
        feet, q = self.legs.posture(anchors, self._pose, segment.swing if lifted else -1, self._point)
        self._feet = feet
        com = self.legs.com(q, self._pose)
        pressed = com[:2] - self._accelerated(segment, part, float(com[2]))
        load = segment.load[0] + way * (segment.load[1] - segment.load[0])
        self.reference = self._reference(com, pressed, segment.swing if lifted else -1)
        free = free_of_load(segment, time)
        return self.legs.asked(q, feet, self._pose, pressed, load=load, swing=segment.swing, free=free)

    def _accelerated(self, segment: Segment, part: float, height: float) -> Array:
        """How far the zero moment point is behind the centre of mass (2,) [m]."""
        if segment.swing >= 0 or not math.isfinite(segment.duration):
            return np.zeros(2)
        curve = 60.0 * part * (1.0 - part) * (1.0 - 2.0 * part) / segment.duration**2
        return height / _G * curve * (segment.b[:2] - segment.a[:2])

    def _reference(self, com: Array, pressed: Array, swing: int) -> Reference:
        support = np.ones(len(self.robot.legs), dtype=bool)
        if swing >= 0:
            support[swing] = False
        x, y, yaw = self.place
        R = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
        return Reference(R @ pressed + (x, y), np.array([*(R @ com[:2] + (x, y)), com[2]]), support)
