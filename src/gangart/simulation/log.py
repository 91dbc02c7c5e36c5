"""From the world's raw log to the columns of a recording."""

from __future__ import annotations

import numpy as np

from gangart.signals import Array, Bools
from gangart.simulation.model import FOOT
from gangart.simulation.soles import feel
from gangart.simulation.world import Raw, World

CONTACT_FORCE = 0.5  # [N] below this a sole does not count as touching


def columns(world: World, raw: Raw) -> dict[str, Array | Bools]:
    """What the world knows of a recording's columns: one row per physics step, state and sensors at its beginning."""
    states, sensed = raw.states[:-1], raw.sensed
    robot, sensors, base = world.robot, world.sensors, world.base
    speed = 1 + world.model.nq + int(world.model.jnt_dofadr[world.model.body_jntadr[world.model.body(robot.base).id]])
    feet = sensed[:, sensors.feet].reshape(len(sensed), len(robot.legs), FOOT)
    wrench, pressure = feel(feet, world.pressure)
    return {
        "time": states[:, 0],
        "target": _targets(world, raw.setpoints),
        "position": states[:, world.qpos],
        "velocity": states[:, world.qvel],
        "torque": sensed[:, sensors.torque],
        "base_position": states[:, base : base + 3],
        "base_orientation": states[:, base + 3 : base + 7],
        "base_velocity": states[:, speed : speed + 3],
        "base_rotation": states[:, speed + 3 : speed + 6],
        "gyro": sensed[:, sensors.gyro],
        "accelerometer": sensed[:, sensors.accelerometer],
        "foot_pose": feet[:, :, 0:7],
        "foot_wrench": wrench,
        "foot_force": pressure,
        "contact": wrench[:, :, 2] > CONTACT_FORCE,
        "zmp": _zmp(feet),
    }


def _targets(world: World, setpoints: Array) -> Array:
    """Angle setpoints of all joints; a coupled joint has that of the joint whose motor turns it."""
    robot = world.robot
    driven = {robot.joints[i]: k for k, i in enumerate(world.driven)}
    return setpoints[:, [2 * driven[robot.coupled.get(j, j)] for j in robot.joints]]


def _zmp(feet: Array) -> Array:
    """Centre of pressure of all soles on the floor [m]: the measured ZMP. NaN in the air. `feet` (n, n_legs, 17)."""
    force, torque, point = feet[..., 8:11], feet[..., 11:14], feet[..., 14:17]
    fz = force[..., 2].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # each foot's wrench at its point, moved to height 0: m + p x f, then -m_y / f_z and m_x / f_z
        x = (point[..., 0] * force[..., 2] - point[..., 2] * force[..., 0] - torque[..., 1]).sum(axis=1) / fz
        y = (point[..., 1] * force[..., 2] - point[..., 2] * force[..., 1] + torque[..., 0]).sum(axis=1) / fz
    zmp = np.column_stack([x, y])
    zmp[fz <= CONTACT_FORCE] = np.nan
    return zmp
