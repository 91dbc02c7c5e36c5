"""From the world's raw log to the columns of a recording."""

from __future__ import annotations

import numpy as np

from gangart.signals import Array, Bools
from gangart.simulation.model import FOOT
from gangart.simulation.world import Raw, World

TOUCH = 0.01  # part of the robot's weight: a sole that carries less does not count as touching


def columns(world: World, raw: Raw) -> dict[str, Array | Bools]:
    """What the world knows of a recording's columns: one row per physics step, as of the instant at its beginning.

    Forces and accelerations have no instant in a simulation by steps: they are those of the step that begins there.
    """
    states, sensed = raw.states[:-1], raw.sensed
    robot, sensors, base, speed = world.robot, world.sensors, world.base, world.base_speed
    feet = sensed[:, sensors.feet].reshape(len(sensed), len(robot.legs), FOOT)
    wrench, pressure = world.soles.feel(feet)
    least = TOUCH * robot.mass * float(np.linalg.norm(world.model.opt.gravity))
    return {
        "time": states[:, 0],
        "target": _targets(world, raw.setpoints[:-1]),
        "position": world.joints.angles(states),
        "velocity": world.joints.speeds(states),
        "torque": _torques(world, raw),
        "base_position": states[:, base : base + 3],
        "base_orientation": states[:, base + 3 : base + 7],
        "base_velocity": states[:, speed : speed + 3],
        "base_rotation": states[:, speed + 3 : speed + 6],
        "gyro": sensed[:, sensors.gyro],
        "accelerometer": sensed[:, sensors.accelerometer],
        "foot_pose": feet[:, :, 0:7],
        "foot_wrench": wrench,
        "foot_force": pressure,
        "contact": wrench[:, :, 2] > least,
        "zmp": _zmp(feet[:, :, :3], wrench, least),
    }


def _targets(world: World, setpoints: Array) -> Array:
    """Angle setpoints of all joints; a coupled joint has that of the joint whose motor turns it."""
    robot = world.robot
    driven = {robot.joints[i]: k for k, i in enumerate(world.driven)}
    return setpoints[:, [2 * driven[robot.coupled.get(j, j)] for j in robot.joints]]


def _torques(world: World, raw: Raw) -> Array:
    """Torque of each joint's motor during each step [N m].

    MuJoCo's sensor knows the servo's torque for the state at the beginning of the step. The integrator acts on that
    for the state at its end, which is far smaller where joints are quick and servos stiff; only a servo at its
    torque limit is integrated as sensed.
    """
    servo, h = world.robot.servo, world.fidelity.step
    sensed = raw.sensed[:, world.sensors.torque]
    v, driven = raw.states[:, world.qvel], world.driven
    if world.drive is not None:
        return sensed  # a drive at its hub is no servo of the joint
    if world.fidelity.motor:
        driven = driven[world.ideal]
    later = -servo.position_gain * h * v[1:] - servo.velocity_gain * (v[1:] - v[:-1])
    torque = sensed.copy()
    torque[:, driven] += later[:, driven]
    model, ids = world.model, world.joints.ids
    low, high = model.jnt_actfrcrange[ids].T
    saturated = model.jnt_actfrclimited[ids].astype(bool) & ((sensed <= low) | (sensed >= high))
    return np.where(saturated, sensed, torque)


def _zmp(soles: Array, wrench: Array, least: float) -> Array:
    """Centre of pressure of all soles on the floor [m]: the measured ZMP (n, 2), NaN where they carry too little.

    Args:
        soles: where they are, (n, n_legs, 3) [m].
        wrench: on each sole at its origin, (n, n_legs, 6) [N, N m].
        least: load on all soles below which the robot is in the air [N].
    """
    f, m = wrench[..., :3], wrench[..., 3:]
    # each wrench moved to the world's origin, m + p x f; there the ZMP is at -m_y / f_z, m_x / f_z
    m_x = (m[..., 0] + soles[..., 1] * f[..., 2] - soles[..., 2] * f[..., 1]).sum(axis=1)
    m_y = (m[..., 1] + soles[..., 2] * f[..., 0] - soles[..., 0] * f[..., 2]).sum(axis=1)
    load = f[..., 2].sum(axis=1)
    load[load <= least] = np.nan
    return np.column_stack([-m_y / load, m_x / load])
