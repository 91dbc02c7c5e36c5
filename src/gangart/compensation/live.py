"""A compensation at work in one engine: what it remembers from tick to tick."""

from __future__ import annotations

from collections.abc import Callable

from gangart.compensation.arms import ArmFollower
from gangart.compensation.phase import Rhythm
from gangart.compensation.settings import Compensation
from gangart.robots import Robot
from gangart.signals import Array, Command, JointTargets, SensorReading


class Live:
    """Asked by an engine at the same places in every tick; what is off leaves everything as it is."""

    shoulders: tuple[float, float] = (0.0, 0.0)  # what to add to the shoulders [rad], and how fast it changes [rad/s]

    def __init__(self, robot: Robot, compensation: Compensation) -> None:
        self.compensation = compensation
        self._arms = None if compensation.arms is None else ArmFollower(robot, compensation.arms)

    def reset(self) -> None:
        """Begin anew."""
        self.shoulders = (0.0, 0.0)
        if self._arms is not None:
            self._arms.reset()

    def plan(self, rhythm: Rhythm) -> None:
        """Take in what the engine plans from now on."""
        self._rhythm = rhythm

    def sense(self, reading: SensorReading) -> None:
        """Take in a reading."""
        if self._arms is not None:
            self._arms.update(reading)
            self.shoulders = (self._arms.angle, self._arms.rate)

    def command(self, command: Command) -> Command:
        """The command to plan for."""
        slip = self.compensation.slip
        if not slip or command.goal is not None:  # on the way to a goal the steps themselves are made longer
            return command
        return Command(command.vx / (1.0 - slip), command.vy, command.wz)

    def zmp(self, time: Array, soles: Callable[[Array], Array], references: Array) -> Array:
        """References (n, 2) [m] at times (n,) [s] with what has to be added; `soles` gives (n, 2, 4) for times."""
        if self.compensation.zmp is None:
            return references
        return references + self.compensation.zmp(self._rhythm, time, soles(time)[:, :, 3].mean(axis=1))

    def targets(self, wanted: JointTargets) -> JointTargets:
        """What to ask the joints for, so that they come under their load to what is wanted."""
        if self.compensation.offsets is None:
            return wanted
        angle, rate = self.compensation.offsets(self._rhythm, wanted.time)
        return JointTargets(wanted.time, wanted.position + angle, wanted.velocity + rate)
