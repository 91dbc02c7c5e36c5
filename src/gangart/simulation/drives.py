"""Motors behind an ODrive's cascade in the MuJoCo model (Bahr 3.5): angle P, speed PI, current limit, input filter.

Motor and cascade sit at the hub, behind the planetary gear; a fixed tendon over the joints is the hub's angle
A = M q, so that a belt that runs over another joint (Bahr 5.6) acts on both. With the speed asked for,
ω_u + P (A_u - A), torque = D (ω_u + P (A_u - A) - Ȧ) + I ∫ (ω_u + P (A_u - A) - Ȧ) dt is a PID of the angle,

    k_p = D P + I,   k_i = I P,   k_d = D,

whose current `dcmotor` limits, and whose voltage. Targets come once a tick, are held, and pass a critically damped
filter of the second order, as in ODrive's firmware: ẍ = w² (u - x) + 2 w (u̇ - ẋ).
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from gangart.compiled import kernel
from gangart.robots import Drive, Robot
from gangart.signals import Array, Ints
from gangart.simulation.motors import POS_VEL

HUB = "gangart/hub "


def add_drive(spec: mujoco.MjSpec, robot: Robot, joint: str, drive: Drive, supply: float | None) -> None:
    """Drive a joint's hub by its motor and cascade."""
    motor = robot.motor_of(joint)
    assert motor is not None  # the robot file has been checked
    tendon = spec.add_tendon(name=HUB + joint)
    for other, ratio in zip(robot.joints, robot.hubs[robot.joint_index[joint]], strict=True):
        if ratio:
            tendon.wrap_joint(other, ratio)
    K = motor.gear_ratio * motor.torque_constant
    D, P, integral = drive.velocity_gain, drive.position_gain, drive.velocity_integral
    actuator = spec.add_actuator(name=joint, target=tendon.name, trntype=mujoco.mjtTrn.mjTRN_TENDON)
    actuator.set_to_dcmotor(
        motorconst=[K, K],
        resistance=motor.resistance,
        saturation=[0.0, drive.current_limit, 0.0],
        controller=[D * P + integral, integral * P, D, 0.0, 0.0, motor.supply if supply is None else supply],
        ctrlspec=POS_VEL,
    )
    actuator.armature = motor.rotor_inertia * motor.gear_ratio**2  # behind the gear


def fastest(robot: Robot) -> Array:
    """Speed at which the drive's limit lets each joint turn, (n_joints,) [rad/s]; infinite without a drive."""
    if robot.drive is None:
        return np.full(len(robot.joints), np.inf)
    ratios = np.array([robot.motor_of(j).gear_ratio for j in robot.joints])  # type: ignore[union-attr]  # is checked
    return np.asarray(robot.drive.speed_limit / (ratios * np.diag(robot.hubs)))


@kernel
def filtered(
    position: Array, velocity: Array, driven: Ints, step: float, bandwidth: float, fastest: Array, setpoints: Array
) -> bool:
    """Held targets, through the filter: as `setpoints.approach`, with the filter's bandwidth [1/s].

    `fastest` (n_u / 2,) [rad/s] limits the speed that is asked for. Each step is exact for targets that are held.
    """
    w, decay = bandwidth, math.exp(-bandwidth * step)
    checksum = 0.0
    for j in range(len(driven)):
        u, v, most = position[driven[j]], velocity[driven[j]], fastest[j]
        end = u + 2.0 * v / w  # where the filter would come to rest
        x, xd = setpoints[0, 2 * j], setpoints[0, 2 * j + 1]
        for k in range(1, len(setpoints)):
            z, c = x - end, xd + w * (x - end)
            after = end + (z + c * step) * decay
            xd = (xd - w * c * step) * decay
            if abs(xd) > most:
                xd = math.copysign(most, xd)
                after = x + xd * step
            x = after
            setpoints[k, 2 * j], setpoints[k, 2 * j + 1] = x, xd
            checksum += x + xd
    return math.isfinite(checksum)


@kernel
def at_hubs(setpoints: Array, hubs: Array, out: Array) -> None:
    """Setpoints of joints (n, n_u) as those of hubs, with the angles of hubs per joint (n_u / 2, n_u / 2)."""
    joints = len(hubs)
    out[:] = 0.0
    for k in range(len(setpoints)):
        for i in range(joints):
            for j in range(joints):
                ratio = hubs[i, j]
                if ratio != 0.0:
                    out[k, 2 * i] += ratio * setpoints[k, 2 * j]
                    out[k, 2 * i + 1] += ratio * setpoints[k, 2 * j + 1]
