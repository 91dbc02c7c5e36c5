"""What runs through the rooms: values with units, time along axis 0, NumPy arrays inside.

Frames: the world has its origin on the ground, x forward, y left, z up. Quaternions are wxyz. Legs are named by
the robot ("left", "right", ...); an array over legs keeps the robot's order, an array over joints the model's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gangart.errors import BadValue

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Command:
    """Where to go: a velocity of the body in its own frame, or a goal pose at which to stand."""

    vx: float = 0.0  # [m/s] forward
    vy: float = 0.0  # [m/s] to the left
    wz: float = 0.0  # [rad/s] turning left
    goal: tuple[float, float, float] | None = None  # instead: x, y [m], yaw [rad] of the body in the world

    def __post_init__(self) -> None:
        for name in ("vx", "vy", "wz"):
            _check_finite(f"command {name}", getattr(self, name))
        if self.goal is None:
            return
        if np.shape(self.goal) != (3,):
            raise BadValue(f"command goal is {self.goal!r}; it has to be a tuple of x, y [m] and yaw [rad]")
        for name, value in zip(("x", "y", "yaw"), self.goal, strict=True):
            _check_finite(f"command goal {name}", value)
        object.__setattr__(self, "goal", tuple(float(value) for value in self.goal))
        if self.vx or self.vy or self.wz:
            raise BadValue("a command has a goal and a velocity; it has to be one of them")


def _check_finite(name: str, value: object) -> None:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadValue(f"{name} is {value!r}; it has to be a finite number")


@dataclass(frozen=True, slots=True)
class BodyPose:
    """How the body is held beside the pose that it has by itself: an offset in its own frame."""

    x: float = 0.0  # [m] forward
    y: float = 0.0  # [m] to the left
    z: float = 0.0  # [m] up
    roll: float = 0.0  # [rad] to the right
    pitch: float = 0.0  # [rad] nose down
    yaw: float = 0.0  # [rad] to the left

    def __post_init__(self) -> None:
        for f in fields(self):
            _check_finite(f"body pose {f.name}", getattr(self, f.name))


@dataclass(frozen=True, slots=True)
class Wish:
    """What the one who steers wants now; it holds until there is another."""

    velocity: Command = Command()
    pose: BodyPose = BodyPose()
    gait: str | None = None  # the one that was selected last, None as long as none was
    quit: bool = False  # the end of the drive


@dataclass(frozen=True)
class FootstepPlan:
    """Footprints in the snow and when they are made: which foot leaves the ground when, and lands when and where."""

    start: Array  # (n_legs, 3) footprints at the beginning: x, y [m], yaw [rad] in the world
    foot: Ints  # (n_steps,) index of the leg that steps
    pose: Array  # (n_steps, 3) where it lands: x, y [m], yaw [rad] in the world
    lift: Array  # (n_steps,) [s] when it leaves the ground
    land: Array  # (n_steps,) [s] when it touches the ground again

    def __len__(self) -> int:
        return len(self.foot)

    def contacts(self, time: Array) -> Bools:
        """Which legs stand at the given times [s]; shape (n_times, n_legs)."""
        standing = np.ones((len(time), len(self.start)), dtype=bool)
        for foot, lift, land in zip(self.foot, self.lift, self.land, strict=True):
            standing[(time >= lift) & (time < land), foot] = False
        return standing


@dataclass(frozen=True)
class BodyTrajectory:
    """How the body and the feet move, as the walking pattern wants it."""

    time: Array  # (n,) [s]
    com: Array  # (n, 3) [m] centre of mass in the world
    zmp: Array  # (n, 2) [m] reference of the zero moment point in the world
    feet: Array  # (n, n_legs, 4) soles: x, y, z [m], yaw [rad] in the world


@dataclass(frozen=True)
class JointTrajectory:
    """Joint angles over time, and the pose of the robot's base that belongs to them."""

    time: Array  # (n,) [s]
    position: Array  # (n, n_joints) [rad]
    base_position: Array  # (n, 3) [m] base in the world
    base_yaw: Array  # (n,) [rad] the base stays upright


@dataclass(frozen=True, slots=True)
class JointTargets:
    """What the motors are asked for at the end of one tick."""

    time: float  # [s] when the targets are due
    position: Array  # (n_joints,) [rad]
    velocity: Array  # (n_joints,) [rad/s] at that instant


def heading(orientation: Array) -> Array:
    """Yaw [rad] of orientations (..., 4) wxyz."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    return np.asarray(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


@dataclass(frozen=True, slots=True)
class StateEstimate:
    """What an observer makes of where the robot is: the truth, or a filter's opinion."""

    time: float  # [s]
    base_position: Array  # (3,) [m] base in the world
    base_orientation: Array  # (4,) wxyz, base to world
    base_velocity: Array  # (3,) [m/s] in the world
    base_rotation: Array  # (3,) [rad/s] angular velocity in the base's frame


@dataclass(frozen=True, slots=True)
class SensorReading:
    """What the robot's own sensors say at one instant."""

    time: float  # [s]
    position: Array  # (n_joints,) [rad] joint angles
    velocity: Array  # (n_joints,) [rad/s]
    gyro: Array  # (3,) [rad/s] angular velocity in the IMU's frame
    accelerometer: Array  # (3,) [m/s²] specific force in the IMU's frame
    foot_force: Array  # (n_legs, n_sensors) [N] pressed on each sensor of each sole
    state: StateEstimate | None = None  # what the loop's observer makes of it, if it has one


@dataclass(frozen=True)
class Recording:
    """Everything that happened, one row per physics step."""

    robot: str  # name of the robot
    joints: tuple[str, ...]  # names, in the order of the joint columns
    legs: tuple[str, ...]  # names, in the order of the leg columns
    time: Array  # (n,) [s]
    target: Array  # (n, n_joints) [rad] what the motors were asked for
    position: Array  # (n, n_joints) [rad] joint angles
    velocity: Array  # (n, n_joints) [rad/s]
    torque: Array  # (n, n_joints) [N m] of the motor at each joint
    base_position: Array  # (n, 3) [m] base in the world
    base_orientation: Array  # (n, 4) wxyz, base to world
    base_velocity: Array  # (n, 3) [m/s] in the world
    base_rotation: Array  # (n, 3) [rad/s] angular velocity in the base's frame
    gyro: Array  # (n, 3) [rad/s] IMU
    accelerometer: Array  # (n, 3) [m/s²] IMU, specific force
    foot_pose: Array  # (n, n_legs, 7) soles in the world: position [m], quaternion wxyz
    foot_wrench: Array  # (n, n_legs, 6) force [N] and torque about the sole's origin [N m] from the ground, world axes
    foot_force: Array  # (n, n_legs, n_sensors) [N] on each force sensor of the soles
    contact: Bools  # (n, n_legs) whether the sole touches the ground
    zmp: Array  # (n, 2) [m] measured from the ground forces, in the world; NaN in the air
    zmp_reference: Array  # (n, 2) [m] what the pattern wanted, in the world
    com_reference: Array  # (n, 3) [m] what the pattern wanted, in the world
    support: Bools  # (n, n_legs) which legs the pattern wants on the ground
    info: dict[str, Any] = field(default_factory=dict)  # command, settings, versions: whatever JSON can say

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """Recorded time [s]."""
        return float(self.time[-1] - self.time[0]) if len(self) > 1 else 0.0

    def columns(self) -> dict[str, Array | Bools]:
        """The arrays by name, in the order of the fields."""
        return {f.name: getattr(self, f.name) for f in fields(self) if isinstance(getattr(self, f.name), np.ndarray)}
