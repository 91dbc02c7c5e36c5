"""One double step of a steady walk, as a periodic function of the gait phase."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.zmp import compensate_zmp
from gangart.dynamics import joint_torques
from gangart.footsteps import LEFT
from gangart.signals import Array, Command, JointTrajectory

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine, WalkPlan

_FADES = 1.0  # [s] before the end of a compensated plan in which the preview lacks what comes


@dataclass(frozen=True, eq=False)
class Cycle:
    """From one lift of the left foot to the next, in even steps of phase."""

    zmp: Array  # (n, 2) [m] offsets on the ZMP reference, in the frame of the soles' mean yaw
    joints: Array  # (n, n_joints) [rad] offsets on the joints


def phases(engine: BipedEngine) -> int:
    """How many samples a double step has: one for each tick, an even number."""
    return 2 * round(engine.timing.step / engine.gains.dt)


def steady_cycle(engine: BipedEngine, command: Command, offsets: TorqueOffsets | None, iterations: int) -> Cycle:
    """Plan a walk until it is steady, and take the compensations of one double step.

    Args:
        engine: plans; without compensation of its own.
        command: to walk at.
        offsets: the joints' offsets for their torques; None leaves them 0.
        iterations: of the ZMP compensation; 0 leaves the ZMP alone.
    """
    begin = steady_from(engine, command)
    plan, shift = compensate_zmp(engine, command, begin + 3.0 * engine.timing.step + _FADES, iterations)
    steps = plan.footsteps
    first = float(steps.lift[(steps.foot == LEFT) & (steps.lift >= begin - 1e-9)][0])
    time = first + engine.timing.double_step * np.arange(phases(engine)) / phases(engine)
    yaw = plan.body.feet[:, :, 3].mean(axis=1)
    c, s = np.cos(yaw), np.sin(yaw)
    dx, dy = shift.value.T
    local = np.column_stack([c * dx + s * dy, c * dy - s * dx])
    joints = np.zeros((len(time), len(engine.robot.joints)))
    if offsets is not None:
        values = motion_offsets(engine, plan, offsets)
        joints = _sample(plan.body.time, values, time)
    return Cycle(_sample(plan.body.time, local, time), joints)


def motion_offsets(engine: BipedEngine, plan: WalkPlan, offsets: TorqueOffsets) -> Array:
    """Joint offsets for the torques of a whole plan, (n, n_joints) [rad]."""
    return offsets(*motion_torques(engine, plan), engine.gains.dt)


def motion_torques(engine: BipedEngine, plan: WalkPlan) -> tuple[Array, Array]:
    """Joint torques [N m] and speeds [rad/s] of a whole plan, each (n, n_joints)."""
    joints = plan.joints
    torque = joint_torques(engine.robot, joints, plan.footsteps.contacts(joints.time)).joint
    return torque, np.gradient(joints.position, engine.gains.dt, axis=0)


def standing_offsets(engine: BipedEngine, offsets: TorqueOffsets | None) -> Array:
    """Joint offsets (n_joints,) [rad] of a robot that stands on both feet."""
    joints, place, yaw = engine.stance()
    if offsets is None:
        return np.zeros_like(joints)
    still = JointTrajectory(
        engine.gains.dt * np.arange(4, dtype=np.float64),
        np.tile(joints, (4, 1)),
        np.tile(place, (4, 1)),
        np.full(4, yaw),
    )
    torque = joint_torques(engine.robot, still, np.ones((4, 2), dtype=np.bool_)).joint[1]
    return np.asarray(offsets(np.tile(torque, (4, 1)), np.zeros((4, len(joints))), engine.gains.dt)[-1])


def steady_from(engine: BipedEngine, command: Command) -> float:
    """When a walk from standing has had two double steps at full speed [s]."""
    limits, step = engine.walk.limits, engine.timing.step
    change = max(
        abs(command.vx) / limits.forward_acceleration,
        abs(command.vy) / limits.sideways_acceleration,
        abs(command.wz) / limits.turn_acceleration,
    )
    return engine.timing.start + engine.timing.double_support + (math.ceil(change / step) + 4.0) * step


def _sample(time: Array, values: Array, at: Array) -> Array:
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(time, values)(at))
