"""A compensation at work in one engine: what it remembers from tick to tick."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gangart.compensation.arms import ArmFollower
from gangart.compensation.phase import Rhythm
from gangart.compensation.settings import Compensation
from gangart.compensation.stride import StrideMeter, stride
from gangart.robots import Robot
from gangart.signals import Array, Command, FootstepPlan, SensorReading


class Live:
    """Asked by an engine at the same places in every tick; what is off leaves everything as it is."""

    shoulders: tuple[float, float] = (0.0, 0.0)  # what to add to the shoulders [rad], and how fast it changes [rad/s]

    def __init__(self, robot: Robot, compensation: Compensation, feet: Callable[[Array], Array]) -> None:
        """`feet` gives both soles' poses (2, 4, 4) in the base for measured joint angles (n_joints,)."""
        self.compensation = compensation
        self._arms = None if compensation.arms is None else ArmFollower(robot, compensation.arms)
        self._meter = None if compensation.stride is None else StrideMeter(compensation.stride)
        self._feet = feet

    def reset(self) -> None:
        """Begin anew."""
        self._measured = -np.inf
        self.shoulders = (0.0, 0.0)
        if self._arms is not None:
            self._arms.reset()
        if self._meter is not None:
            self._meter.reset()

    def plan(self, rhythm: Rhythm, plan: FootstepPlan) -> None:
        """Take in what the engine plans from now on."""
        self._rhythm, self._plan = rhythm, plan

    def sense(self, reading: SensorReading) -> None:
        """Take in a reading."""
        if self._arms is not None:
            self._arms.update(reading)
            self.shoulders = (self._arms.angle, self._arms.rate)
        if self._meter is not None:
            self._measure(self._meter, reading)

    def command(self, command: Command) -> Command:
        """The command to plan for."""
        return command if self._meter is None else self._meter(command)

    def zmp(self, time: Array, soles: Callable[[Array], Array], references: Array) -> Array:
        """References (n, 2) [m] at times (n,) [s] with what has to be added; `soles` gives (n, 2, 4) for times."""
        if self.compensation.zmp is None:
            return references
        return references + self.compensation.zmp(self._rhythm, time, soles(time)[:, :, 3].mean(axis=1))

    def joints(self, time: float) -> tuple[Array, Array] | None:
        """Offsets on angles [rad] and speeds [rad/s] at a time [s], if there are any."""
        return None if self.compensation.offsets is None else self.compensation.offsets(self._rhythm, time)

    def _measure(self, meter: StrideMeter, reading: SensorReading) -> None:
        """In the middle of a double support, once."""
        since = reading.time - self._rhythm.land - self._rhythm.change / 2.0
        new = np.flatnonzero(
            (since >= 0.0) & (since < self._rhythm.change / 2.0) & (self._rhythm.land > self._measured)
        )
        if len(new) == 0:
            return
        k = int(new[-1])
        foot, plan = int(self._rhythm.foot[k]), self._plan
        other = plan.pose[k - 1] if k else plan.start[1 - foot]
        heading = (plan.pose[k, 2] + other[2]) / 2.0
        planned = float((plan.pose[k] - other)[:2] @ [np.cos(heading), np.sin(heading)])
        self._measured = float(self._rhythm.land[k])
        joints = reading.position
        if self.compensation.offsets is not None:
            joints = joints - self.compensation.offsets.give(self._rhythm, reading.time)
        meter.landed(stride(self._feet(joints), foot), planned)
