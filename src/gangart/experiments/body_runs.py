"""A standing robot that moves its body, and how far the body leaves its line (Bahr 5.6, 5.7, 6.3, 6.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.experiments.drive_parameters import drive_parameters
from gangart.experiments.report import Parameter
from gangart.experiments.standing import Knows, Motion, StandingEngine
from gangart.robots import Robot
from gangart.signals import Array, Command, Recording
from gangart.simulation import Fidelity, Ground, World, simulate

FRICTION = 0.8
_SETTLE = 2.0  # [s] in which the robot comes to rest in its stance
AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class BodyRun:
    """One motion along an axis of the body, as a tracking camera in the trunk's middle sees it: from where it began."""

    robot: Robot
    axis: str  # along which the body moves
    recording: Recording

    @property
    def moved(self) -> Array:
        """The trunk from where it stood at the begin (n, 3) [m]."""
        return np.asarray(self.recording.base_position - self.recording.base_position[0])

    @property
    def aside(self) -> Array:
        """How far the trunk is off in the directions that should rest (n,) [m]."""
        rest = [i for name, i in AXES.items() if name != self.axis]
        return np.asarray(np.linalg.norm(self.moved[:, rest], axis=1))

    @property
    def along(self) -> Array:
        """How far the trunk is from where it should be along its axis (n,) [m]."""
        wanted = self.recording.com_reference[:, AXES[self.axis]]
        return np.asarray(self.recording.base_position[:, AXES[self.axis]] - wanted)

    @property
    def speed(self) -> float:
        """Highest speed along the axis [m/s]."""
        return float(np.abs(self.recording.base_velocity[:, AXES[self.axis]]).max())

    @property
    def hub_torque(self) -> Array:
        """Of the motors at their hubs (n, n_joints) [N m]."""
        return np.asarray(self.recording.torque @ np.linalg.inv(self.robot.hubs))

    @property
    def airborne(self) -> float:
        """Part of the time in which a foot does not bear [1]."""
        return float(1.0 - self.recording.contact.all(axis=1).mean())


def body_run(
    robot: Robot, axis: str, motion: Motion, height: float, duration: float, knows: Knows | None = None,
    friction: float = FRICTION,
) -> BodyRun:  # fmt: skip
    """Let the robot stand at a height [m] and move its body for a while [s]."""
    engine = StandingEngine(robot, height, motion, knows)
    world = World(robot, Fidelity(motor=True), Ground(friction))
    world.reset(*engine.stance(), settle=_SETTLE)
    return BodyRun(robot, axis, simulate(world, engine, Command(), duration))


def body_parameters(robot: Robot, height: float) -> tuple[Parameter, ...]:
    """What all these runs hang on."""
    track = 2.0 * abs(float(robot.model.body("FL_hip").pos[1] + robot.model.body("FL_thigh").pos[1]))
    return (
        *drive_parameters(robot),
        Parameter("mass", robot.mass, "kg", "estimated from the thesis's list of parts"),
        Parameter("track", track, "mm", "estimate"),
        Parameter("friction", FRICTION),
        Parameter("height of the hips", height, "mm", "chosen"),
        Parameter("knees", ", ".join(f"{n}: {leg.knee}" for n, leg in robot.legs.items())),
        Parameter("fidelity", "motors", note="drives behind their input filter; no play, rigid links"),
    )
