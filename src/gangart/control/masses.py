"""What a robot of legs weighs where, as plans need it: links as points, all that is no leg, the whole at home."""

from __future__ import annotations

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.signals import Array, Ints


def link_points(robot: Robot) -> Array:
    """Six points of each leg's links that move as the link does: mass [kg] and place in its axes (n_legs, 3, 6, 4) [m].

    A sixth of the mass at either side of the centre along each principal axis, as far as makes up the link's inertia.
    """
    model, out = robot.model, np.empty((len(robot.legs), 3, 6, 4))
    for i, bodies in enumerate(_link_bodies(robot)):
        for k, body in enumerate(bodies):
            mass, axes = float(model.body_mass[body]), np.empty(9)
            mujoco.mju_quat2Mat(axes, model.body_iquat[body])
            inertia = model.body_inertia[body]
            far = np.sqrt(np.maximum(3.0 * (inertia.sum() / 2.0 - inertia) / mass, 0.0))
            away = (axes.reshape(3, 3) * far).T
            out[i, k, :, 0] = mass / 6.0
            out[i, k, :, 1:] = model.body_ipos[body] + np.vstack([away, -away])
    return out


def rest(robot: Robot) -> Array:
    """Mass of what is no leg [kg], and its centre in the base at home [m] (4,)."""
    data, bodies = _at_home(robot), _link_bodies(robot).ravel()
    masses, base = robot.model.body_mass[bodies], data.body(robot.base)
    moment = robot.mass * data.subtree_com[0] - masses @ data.xipos[bodies]
    mass = robot.mass - float(masses.sum())
    return np.array([mass, *((moment / mass - base.xpos) @ base.xmat.reshape(3, 3))])


def leg_masses(robot: Robot) -> tuple[Array, Array]:
    """Masses of each leg's links (n_legs, 3) [kg], and their centres in the link's axes (n_legs, 3, 3) [m]."""
    bodies = _link_bodies(robot)
    return np.array(robot.model.body_mass[bodies]), np.array(robot.model.body_ipos[bodies])


def com_at_home(robot: Robot) -> Array:
    """Centre of mass in the base at home [m]."""
    data = _at_home(robot)
    return np.asarray(data.subtree_com[0] - data.body(robot.base).xpos)


def _link_bodies(robot: Robot) -> Ints:
    """MuJoCo's number of the body behind each joint of each leg (n_legs, 3)."""
    return np.array([[int(robot.model.joint(j).bodyid[0]) for j in leg.joints] for leg in robot.legs.values()])


def _at_home(robot: Robot) -> mujoco.MjData:
    data = mujoco.MjData(robot.model)
    data.qpos[robot.qpos_index] = robot.home_position
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    return data
