"""What the body is: the values of a robot file, with units. `load` reads them, everything else only looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from gangart.robots.obstacles import Obstacle
from gangart.signals import Array, Ints

if TYPE_CHECKING:
    import mujoco

Side = Literal["left", "right"]
Knee = Literal["backward", "forward"]

# eq=False: arrays have no single truth value, so what holds one is equal to itself only, and hashable for it.


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg, from the hip to the sole."""

    name: str
    side: Side
    joints: tuple[str, ...]  # from the hip down
    foot: str  # the body that carries the sole
    sole: Array  # (3,) [m] origin of the sole's frame in the foot body
    outline: Array  # (n, 2) [m] convex outline of the sole in its frame; a single point for a ball foot
    force_sensors: Array  # (n, 2) [m] where the sole's force sensors press, in its frame
    radius: float = 0.0  # [m] of a ball foot, whose centre is the sole's origin; 0: the sole touches there
    knee: Knee = "backward"  # where it points; a model's pitch limits are those of a backward knee


@dataclass(frozen=True)
class Arm:
    """One arm, as far as walking is concerned."""

    name: str
    side: Side
    swing: str  # the joint that swings forward (negative) and backward


@dataclass(frozen=True)
class Motor:
    """A motor with its gear, at the motor's shaft; several joints may use the same kind."""

    name: str
    joints: tuple[str, ...]
    gear_ratio: float  # [1] motor turns per joint turn
    no_load_speed: float  # [rad/s]
    stall_torque: float  # [N m]
    nominal_torque: float  # [N m]
    supply: float  # [V]
    torque_constant: float  # [N m/A], also the back-EMF constant [V s/rad]
    resistance: float  # [Ω] of the winding
    inductance: float  # [H] of the winding
    rotor_inertia: float = 0.0  # [kg m²] of what turns with the shaft

    @property
    def joint_speed(self) -> float:
        """No-load speed at the joint [rad/s]."""
        return self.no_load_speed / self.gear_ratio

    @property
    def joint_torque(self) -> float:
        """Stall torque at the joint, gear losses neglected [N m]."""
        return self.stall_torque * self.gear_ratio


@dataclass(frozen=True, eq=False)
class Imu:
    """Where the inertial sensor sits."""

    body: str
    position: Array  # (3,) [m] in the body's frame


@dataclass(frozen=True)
class Servo:
    """Near-ideal joint tracking of the base level."""

    position_gain: float  # [N m/rad]
    velocity_gain: float  # [N m s/rad]
    reason: str  # why these


@dataclass(frozen=True)
class Drive:
    """A cascade in front of each motor, as an ODrive has it: angle (P), speed (PI), current. Angles behind the gear."""

    position_gain: float  # [1/s] speed asked for per angle that is missing
    velocity_gain: float  # [N m s/rad] torque per speed that is missing
    velocity_integral: float  # [N m/rad] torque per speed that is missing, summed over time
    current_limit: float  # [A]
    speed_limit: float  # [rad/s] of the motor's shaft
    filter: float  # [1/s] bandwidth of the critically damped filter that targets pass


@dataclass(frozen=True)
class Limits:
    """What may be asked of the walk. A command beyond is limited, and the limit is reported."""

    forward: float  # [m/s]
    backward: float  # [m/s]
    sideways: float  # [m/s]
    turn: float  # [rad/s]
    forward_acceleration: float  # [m/s²] also backward
    sideways_acceleration: float  # [m/s²]
    turn_acceleration: float  # [rad/s²]
    step_forward: float  # [m] from the standing foot's home place to the swing foot, largest
    step_backward: float  # [m]
    step_outward: float  # [m]
    step_inward: float  # [m]
    step_turn_outward: float  # [rad] between the feet
    step_turn_inward: float  # [rad]


@dataclass(frozen=True, eq=False)
class Walk:
    """How this robot walks unless told otherwise."""

    com_height: float  # [m] of the centre of mass above the ground
    double_step_duration: float  # [s] two single and two double supports
    double_support_ratio: float  # [1] part of the time on both feet
    step_height: float  # [m] of the swing foot
    foot_spacing: float  # [m] between the soles' origins
    zmp_forward: float  # [m] the ZMP's place in the standing sole, forward of its origin
    zmp_inward: float  # [m] and towards the other foot
    bezier: Array  # (4,) [m] inward control points of the Bézier ZMP over a single support
    swing: Array  # (5,) [1] part of the swing foot's way that is done, at the inner control points of its curve
    arm_swing: float  # [rad/m] shoulder angle per metre that the foot of its side is ahead
    preview: float  # [s] how far the preview controller looks ahead
    start: float  # [s] from the command to the first change of support: the body leans over first
    limits: Limits


@dataclass(frozen=True)
class Gait:
    """How a robot of four legs moves in one of its gaits. A command beyond its speeds is limited and reported."""

    name: str
    footfall: str  # in which order feet come down, by its name in `gaits.FOOTFALLS`
    cycle: float  # [s] in which every foot steps once
    overlap: float  # [1] part of the cycle in which all feet stand
    height: float  # [m] of the base above the ground
    step_height: float  # [m] of a swinging foot
    ahead: float  # [1] how far a foot lands ahead of its home: 0 at home, 1 so far that it leaves as far behind
    lean: float  # [m] radius of the circle on which the base leans away from the foot in the air
    lean_phase: float  # [1] part of the cycle by which the base is ahead of that
    forward: float  # [m/s]
    backward: float  # [m/s]
    sideways: float  # [m/s]
    turn: float  # [rad/s]
    acceleration: float  # [m/s²] in any direction
    turn_acceleration: float  # [rad/s²]
    spread: float = 0.0  # [m] by which each foot stands farther out to its side than in the resting posture
    into: tuple[str, ...] = ()  # gaits that it can become while it walks; to the others the robot stops first


@dataclass(frozen=True, eq=False)
class Robot:
    """A legged machine: its mechanism (an MJCF or URDF file) and what gangart has to know beside it."""

    name: str
    title: str
    folder: Path
    model_path: Path
    base: str  # the body whose pose is the robot's pose
    tick: float  # [s] between two commands to the motors
    legs: dict[str, Leg]
    arms: dict[str, Arm]
    motors: dict[str, Motor]
    coupled: dict[str, str]  # joint: the joint whose motor turns it as well, 1:1
    home: dict[str, float]  # [rad] joint angles of the resting posture; the others are 0
    imu: Imu
    servo: Servo
    walk: Walk | None  # None where no walk is described
    leg_kinematics: str  # "hip-yaw-pitch", "abduction" or "numeric"
    joints: tuple[str, ...]  # all hinges, in the model's order
    drive: Drive | None = None  # where motors are driven by a cascade
    gaits: dict[str, Gait] = field(default_factory=dict)  # of a robot with four legs, by name
    transmission: dict[str, dict[str, float]] = field(default_factory=dict)  # [1] turns of a hub per turn of joints
    obstacles: dict[str, Obstacle] = field(default_factory=dict)  # where feet may not go

    def spec(self) -> mujoco.MjSpec:
        """A fresh, editable copy of the mechanism: base free, no motors, no sensors, no ground."""
        from gangart.robots.mechanism import bend_forward, read_spec

        spec = read_spec(self.model_path, self.base)
        for leg in self.legs.values():
            if leg.knee == "forward":
                bend_forward(spec, leg.joints)
        return spec

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled mechanism."""
        return self.spec().compile()

    @cached_property
    def mass(self) -> float:
        """Of the whole robot [kg]."""
        return float(self.model.body_mass.sum())

    @cached_property
    def joint_index(self) -> dict[str, int]:
        """Column of each joint in an array over joints."""
        return {name: i for i, name in enumerate(self.joints)}

    @cached_property
    def joint_limits(self) -> Array:
        """Lower and upper joint limits [rad], shape (n_joints, 2); infinite where the model has none."""
        ids = self.joint_ids
        limited = self.model.jnt_limited[ids].astype(bool)
        return np.where(limited[:, None], self.model.jnt_range[ids], np.array([-np.inf, np.inf]))

    @cached_property
    def joint_ids(self) -> Ints:
        """MuJoCo's number of each joint."""
        return np.array([self.model.joint(name).id for name in self.joints], dtype=np.int64)

    @cached_property
    def qpos_index(self) -> Ints:
        """Where each joint's angle stands in MuJoCo's qpos."""
        return np.array(self.model.jnt_qposadr[self.joint_ids], dtype=np.int64)

    @cached_property
    def dof_index(self) -> Ints:
        """Where each joint's speed stands in MuJoCo's qvel."""
        return np.array(self.model.jnt_dofadr[self.joint_ids], dtype=np.int64)

    @cached_property
    def hubs(self) -> Array:
        """Angles behind the motors' gears per joint angle: (n_joints, n_joints) [1]; where nothing is said, 1."""
        matrix = np.eye(len(self.joints))
        for hub, ratios in self.transmission.items():
            matrix[self.joint_index[hub]] = [ratios.get(joint, 0.0) for joint in self.joints]
        return matrix

    @cached_property
    def home_position(self) -> Array:
        """Joint angles of the resting posture [rad]."""
        return np.array([self.home.get(name, 0.0) for name in self.joints])

    def motor_of(self, joint: str) -> Motor | None:
        """The motor that turns a joint, or None."""
        driver = self.coupled.get(joint, joint)
        return next((m for m in self.motors.values() if driver in m.joints), None)
