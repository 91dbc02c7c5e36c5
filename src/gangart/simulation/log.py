"""From the world's raw log to the columns of a recording."""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Bools, Ints
from gangart.simulation.model import FOOT
from gangart.simulation.world import Raw, World

TOUCH = 0.01  # part of the robot's weight: a sole that carries less does not count as touching
_NO_LIMITS = np.array([-np.inf, np.inf])


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
        "zmp": _zmp(feet, wrench, least),
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
    driven = world.driven
    if world.drive is not None:
        return sensed  # a drive at its hub is no servo of the joint
    if world.fidelity.motor:
        driven = driven[world.ideal]
    model, ids = world.model, world.joints.ids
    limits = np.where(model.jnt_actfrclimited[ids, None].astype(bool), model.jnt_actfrcrange[ids], _NO_LIMITS)
    torque = sensed.copy()
    _integrated(raw.states, world.qvel, driven, servo.position_gain * h, servo.velocity_gain, limits, torque)
    return torque


@kernel
def _integrated(
    states: Array, speed: Ints, driven: Ints, position_gain: float, velocity_gain: float, limits: Array, torque: Array
) -> None:
    """Servo torques as sensed (n, n_joints), to those that act: `driven` of the joints, where they are within limits.

    states (n + 1, n_state) have speeds in the columns `speed` (n_joints,); the position gain is times the step.
    """
    for i in range(len(torque)):
        for j in driven:
            if limits[j, 0] < torque[i, j] < limits[j, 1]:
                before, after = states[i, speed[j]], states[i + 1, speed[j]]
                torque[i, j] += -position_gain * after - velocity_gain * (after - before)


def _zmp(feet: Array, wrench: Array, least: float) -> Array:
    """Centre of pressure of all soles on the floor [m]: the measured ZMP (n, 2), NaN where they carry too little.

    Args:
        feet: whose first columns are where they are [m], (n, n_legs, FOOT).
        wrench: on each sole at its origin, (n, n_legs, 6) [N, N m].
        least: load on all soles below which the robot is in the air [N].
    """
    out = np.empty((len(feet), 2))
    _pressed(feet, wrench, least, out)
    return out


@kernel
def _pressed(feet: Array, wrench: Array, least: float, out: Array) -> None:
    for i in range(len(out)):
        load, m_x, m_y = 0.0, 0.0, 0.0
        for leg in range(feet.shape[1]):
            p, w = feet[i, leg], wrench[i, leg]
            # moved to the world's origin, m + p x f; there the ZMP is at -m_y / f_z, m_x / f_z
            load += w[2]
            m_x += w[3] + p[1] * w[2] - p[2] * w[1]
            m_y += w[4] + p[2] * w[0] - p[0] * w[2]
        out[i, 0], out[i, 1] = (-m_y / load, m_x / load) if load > least else (np.nan, np.nan)
