"""From a stick's way to the robot's limits: shares in −1…1 become metres and radians."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from gangart.errors import BadRobot, BadValue
from gangart.robots import Robot
from gangart.signals import BodyPose, Command

Shares = Mapping[str, float]  # −1…1 by the name of what it drives; what is not there is at rest
VELOCITY = ("vx", "vy", "wz")
BODY = ("x", "y", "z", "roll", "pitch", "yaw")
DRIVEN = VELOCITY + BODY


_BODY = BodyPose(0.04, 0.04, 0.04, 0.2, 0.2, 0.3)  # [m], [rad] a fifth of a leg of 0.2 m, and what its hips reach


@dataclass(frozen=True, slots=True)
class Scale:
    """What a stick that is pushed all the way stands for."""

    forward: float  # [m/s]
    backward: float  # [m/s]
    sideways: float  # [m/s]
    turn: float  # [rad/s]
    body: BodyPose = _BODY  # the farthest offsets, to both sides

    def __post_init__(self) -> None:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "body"}
        for name, value in (values | asdict(self.body)).items():
            if not 0.0 <= value < math.inf:
                raise BadValue(f"the full scale of {name} is {value!r}; it has to be a finite number, 0 or more")

    @classmethod
    def of(cls, robot: Robot) -> Scale:
        """All the way is as fast as the robot's walk settings allow, or the fastest of its gaits."""
        limits = list(robot.gaits.values()) if robot.walk is None else [robot.walk.limits]
        if not limits:
            raise BadRobot(
                f"{robot.name}'s robot file has neither [walk] nor [gaits]: how fast it may be driven is unknown"
            )
        return cls(*(max(getattr(most, f.name) for most in limits) for f in fields(cls) if f.name != "body"))

    def velocity(self, shares: Shares) -> Command:
        """A velocity.

        The three limits share one budget (see `limit_command`): two sticks in their corners mean the same direction,
        as fast as it goes.
        """
        vx, vy, wz = (shares.get(name, 0.0) for name in VELOCITY)
        too_much = max(1.0, math.hypot(vx, vy, wz))
        ahead = self.forward if vx > 0.0 else self.backward
        return Command(vx / too_much * ahead, vy / too_much * self.sideways, wz / too_much * self.turn)

    def pose(self, shares: Shares) -> BodyPose:
        """An offset of the body."""
        return BodyPose(*(within(shares.get(name, 0.0)) * getattr(self.body, name) for name in BODY))


def within(share: float) -> float:
    """A share, kept inside −1…1."""
    return min(max(share, -1.0), 1.0)
