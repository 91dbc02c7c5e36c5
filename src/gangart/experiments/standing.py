"""An engine that stands and moves its body as a function of time says, feet where they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangart.control.bearing import Bearing
from gangart.control.cyclic_kernel import in_base
from gangart.control.engine import Reference
from gangart.errors import BadRobot
from gangart.kinematics import AbductionLegs
from gangart.robots import Robot
from gangart.signals import Array, BodyPose, Command, JointTargets, SensorReading

Motion = Callable[[float], BodyPose]
"""How the body is held at a time [s]."""


@dataclass(frozen=True)
class Knows:
    """What the targets take into account; all of it unless something is to be shown."""

    weight: bool = True  # motors give way under the robot's weight
    inertia: bool = True  # and under what accelerates it
    rolling: bool = True  # ball feet roll as shanks turn
    ahead: bool = True  # the speed that goes with a target is that to the next one


class StandingEngine:
    """Stands on its four feet, and holds the body as a motion says.

    Args:
        robot: with closed-form legs and a drive.
        height: of the base above the ground [m].
        motion: of the body, beside standing upright at that height.
        knows: what its targets take into account.
    """

    reference: Reference
    notes: tuple[str, ...] = ()

    def __init__(self, robot: Robot, height: float, motion: Motion, knows: Knows | None = None) -> None:
        self.robot, self.height, self.motion, self.knows = robot, height, motion, knows or Knows()
        if robot.drive is None:
            raise BadRobot(f"{robot.name}'s file has no [drive]: nobody knows how its motors give way")
        self.legs = AbductionLegs(robot)
        self.bearing = Bearing(robot, self.legs)
        self._radius = np.array([leg.radius for leg in robot.legs.values()])
        homes = self.legs.all_forward(robot.home_position)
        self._homes = np.column_stack([homes[:, :2], self._radius - height])
        self._turned = self._shanks(self._bent(BodyPose(), self._homes))
        self.reset(None)

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands before it moves: joints [rad], base position [m], base yaw [rad]."""
        return self.joints(0.0), np.array([0.0, 0.0, self.height]), 0.0

    def reset(self, reading: SensorReading | None) -> None:
        """Begin anew."""
        self._last = self.joints(0.0)
        self.reference = self._reference(0.0)

    @property
    def settings(self) -> dict[str, Any]:
        """What this engine was made with."""
        return {"height": self.height}

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick; the command is not asked."""
        dt = self.robot.tick
        due = reading.time + dt
        q = self.joints(due)
        later = dt if self.knows.ahead else 1e-4
        self.reference = self._reference(due)
        return JointTargets(due, q, (self.joints(due + later) - q) / later)

    def joints(self, time: float) -> Array:
        """Joint angles to ask for at a time (n_joints,) [rad]."""
        pose, feet = self.motion(time), self._homes
        q = self._bent(pose, feet)
        if self.knows.rolling:
            for _ in range(3):  # rolling moves feet by a tenth of what turns shanks: a tenth is left each time
                turn = self._shanks(q) - self._turned
                feet = self._homes.copy()
                feet[:, 0] += self._radius * turn[:, 1]
                feet[:, 1] -= self._radius * turn[:, 0]
                q = self._bent(pose, feet)
        if not self.knows.weight:
            return q
        rising = self._rising(time) if self.knows.inertia else 0.0
        return q + self.bearing.given_way(q, self._seen(pose, feet), np.ones(len(feet)), np.zeros(2), rising)

    def _rising(self, time: float) -> float:
        """The body's acceleration upward [m/s²]: the mean of the tick that begins then, as its targets are held."""
        h = self.robot.tick
        z = [self.motion(time + k * h).z for k in (-1, 0, 1)]
        return (z[2] - 2.0 * z[1] + z[0]) / h**2

    def _bent(self, pose: BodyPose, feet: Array) -> Array:
        return self.legs.all_inverse(self._seen(pose, feet))[0]

    def _seen(self, pose: BodyPose, feet: Array) -> Array:
        """Feet of the level frame seen from the base (n_legs, 3) [m]."""
        out = np.empty_like(feet)
        in_base(feet, np.array([pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw]), out)
        return out

    def _shanks(self, q: Array) -> Array:
        angles = q[self.legs.columns]
        return np.column_stack([angles[:, 0], angles[:, 1] + angles[:, 2]])

    def _reference(self, time: float) -> Reference:
        pose = self.motion(time)
        return Reference(
            np.array([pose.x, pose.y]),
            np.array([pose.x, pose.y, self.height + pose.z]),
            np.ones(len(self._homes), dtype=bool),
        )


def sine(axis: str, amplitude: float, period: float) -> Motion:
    """A body that swings along "x" or "z" [m] with a period [s]; it starts and ends gently, over a quarter period."""

    def motion(time: float) -> BodyPose:
        ease = min(max(4.0 * time / period, 0.0), 1.0)
        ease = ease * ease * (3.0 - 2.0 * ease)
        return BodyPose(**{axis: ease * amplitude * math.sin(2.0 * math.pi * time / period)})

    return motion


@dataclass(frozen=True)
class Square:
    """A square wave of the body's height: down by `stroke`, and up again, each at the given speed."""

    stroke: float = 0.05  # [m]
    speed: float = 0.5  # [m/s]
    acceleration: float = math.inf  # [m/s²] planned at the most
    hold: float = 0.6  # [s] from one edge to the next
    begin: float = 0.3  # [s] of the first edge

    @property
    def duration(self) -> float:
        """Of one edge [s]."""
        return self.stroke / self.speed + (0.0 if math.isinf(self.acceleration) else self.speed / self.acceleration)

    def __call__(self, time: float) -> BodyPose:
        """The body at a time [s]."""
        edge = math.floor((time - self.begin) / self.hold)
        if edge < 0:
            return BodyPose()
        way = self._way(time - self.begin - edge * self.hold)
        return BodyPose(z=-(way if edge % 2 == 0 else self.stroke - way))

    def _way(self, t: float) -> float:
        """Part of the stroke that is done, a time [s] after the edge [m]."""
        v, T = self.speed, self.duration
        if t >= T:
            return self.stroke
        if math.isinf(self.acceleration):
            return v * t
        a, ramp = self.acceleration, v / self.acceleration
        if t < ramp:
            return 0.5 * a * t * t
        if t > T - ramp:
            return self.stroke - 0.5 * a * (T - t) ** 2
        return 0.5 * a * ramp * ramp + v * (t - ramp)
