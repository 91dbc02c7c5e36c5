"""An engine that asks for what was asked for before: the joint targets of a recording, or those of a plan."""

from __future__ import annotations

import numpy as np

from gangart.control.engine import Reference
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Bools, Command, JointTargets, Recording, SensorReading


class Replay:
    """Gives the same targets again, whatever the command and the sensors say.

    So the same walk can be put on another machine, or on the same one with a defect removed.
    """

    def __init__(
        self, time: Array, targets: Array, velocity: Array, zmp: Array, com: Array, support: Bools, tick: float
    ) -> None:
        """All columns over the same times [s]; see `of_recording` and BipedEngine.plan."""
        self.notes: tuple[str, ...] = ()
        self._time, self._tick = time, tick
        self._targets, self._velocity, self._zmp, self._com, self._support = targets, velocity, zmp, com, support
        self.reference = self._at(0)

    @classmethod
    def of_recording(cls, recording: Recording, robot: Robot) -> Replay:
        """The targets of a recording, sampled at the robot's ticks."""
        r = recording
        if len(r) < 2:
            raise BadValue(f"a recording of {len(r)} rows holds no walk to replay")
        period = float(r.time[1] - r.time[0])
        every = max(1, round(robot.tick / period))
        velocity = np.gradient(r.target, period, axis=0)
        rows = slice(0, None, every)
        return cls(
            r.time[rows] - r.time[0], r.target[rows], velocity[rows], r.zmp_reference[rows], r.com_reference[rows],
            r.support[rows], robot.tick,
        )  # fmt: skip

    @property
    def duration(self) -> float:
        """How long there are targets [s]."""
        return float(self._time[-1])

    def stance(self) -> Array:
        """Joint angles before the first step [rad]."""
        return np.array(self._targets[0])

    def reset(self, reading: SensorReading) -> None:
        """Begin again from the first target."""
        self.reference = self._at(0)

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """The targets for the end of this tick."""
        k = min(round((reading.time + self._tick) / self._tick), len(self._time) - 1)
        self.reference = self._at(k)
        return JointTargets(reading.time + self._tick, self._targets[k], self._velocity[k])

    def _at(self, k: int) -> Reference:
        return Reference(self._zmp[k], self._com[k], self._support[k])
