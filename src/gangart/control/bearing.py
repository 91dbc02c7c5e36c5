"""What motors give way under the robot's weight, and what to ask for instead.

A motor behind a cascade is a spring: at standstill its hub gives way by τ_hub / (D P + I). A leg on which the ground
pushes with f, and which has a weight of its own, asks for the joint torques τ = g(q) - Jᵀ f; with A = M q its joints
give way by M⁻¹ M⁻ᵀ τ / (D P + I). A robot that sags lowers its body, moves it against its knees and walks slower on the
legs that bear more: the targets are set as much higher.
"""

from __future__ import annotations

import numpy as np

from gangart.control import load_kernel as kernel
from gangart.control import momentum_kernel as motion
from gangart.errors import BadRobot
from gangart.kinematics import AbductionLegs
from gangart.robots import Robot
from gangart.signals import Array

_G = 9.81  # [m/s²]
_MOMENT = 2e-3  # [s] over which accelerations of links are differenced
_SLOW = 0.02  # [rad/s] from about where on dry friction is full


class Bearing:
    """The give of the motors of a robot with a drive, under its weight."""

    def __init__(self, robot: Robot, legs: AbductionLegs) -> None:
        """Raises BadRobot where there is no drive, or where a hub turns with joints of several legs."""
        drive = robot.drive
        if drive is None:
            raise BadRobot(f"{robot.name}'s file has no [drive]: nobody knows how its motors give way")
        hubs = np.linalg.inv(robot.hubs)
        stiffness = drive.velocity_gain * drive.position_gain + drive.velocity_integral
        give = hubs @ hubs.T / stiffness
        columns = legs.columns
        self._give = np.array([give[np.ix_(c, c)] for c in columns])  # (n_legs, 3, 3) [rad/(N m)]
        self._legs, self._mass = legs, robot.mass
        self._com = _com_at_home(robot)
        self._masses, self._centres = _leg_masses(robot)
        self._radius = np.array([leg.radius for leg in robot.legs.values()])
        self._points = link_points(robot)
        self._rest = rest(robot)
        motors = [robot.motor_of(joint) for joint in robot.joints]
        rotors = np.diag([m.rotor_inertia * m.gear_ratio**2 if m is not None else 0.0 for m in motors])
        inertia = robot.hubs.T @ rotors @ robot.hubs
        dofs = robot.dof_index[columns]
        self._friction = robot.model.dof_frictionloss[dofs]  # (n_legs, 3) [N m] of the joints
        self._damping = robot.model.dof_damping.reshape(robot.model.nv, -1)[dofs, 0]  # (n_legs, 3) [N m s/rad]
        self._rotors = np.array([inertia[np.ix_(c, c)] for c in columns])  # (n_legs, 3, 3) [kg m²]

    def given_way(self, q: Array, feet: Array, shares: Array, pressed: Array, rising: float = 0.0) -> Array:
        """What to add to the targets (n_joints,) [rad].

        Args:
            q: joint angles (n_joints,) [rad].
            feet: in the base (n_legs, 3) [m].
            shares: how much each of them may bear (n_legs,), 0…1.
            pressed: how far from below the centre of mass the robot presses on the ground (2,) [m], as it accelerates.
            rising: the body's acceleration upward [m/s²]; all of the robot weighs as much more.
        """
        felt = max(_G + rising, 0.0)  # nobody can pull at the ground
        out = np.zeros(len(q))
        kernel.give_way(
            q, feet, shares, pressed, felt, self._mass, self._com, self._legs.numbers, self._legs.columns,
            self._masses, self._centres, self._give, out,
        )  # fmt: skip
        return out

    def moved(self, q: Array, speed: Array, acceleration: Array, base: Array, feet: Array, shares: Array) -> Array:
        """What to add to the targets (n_joints,) [rad] while trunk and legs move; the base is level.

        Args:
            q: joint angles (n_joints,) [rad].
            speed: of the joints (n_joints,) [rad/s].
            acceleration: of the joints (n_joints,) [rad/s²].
            base: its acceleration (3,) [m/s²].
            feet: in the base (n_legs, 3) [m].
            shares: how much each of them may bear (n_legs,), 0…1; nothing in the air.
        """
        out = np.zeros(len(q))
        motion.moved(
            q, speed, acceleration, _MOMENT, base, feet, shares, self._legs.numbers, self._legs.columns, self._radius,
            self._points, self._rest, self._rotors, self._friction, self._damping, self._give, _SLOW, out,
        )  # fmt: skip
        return out


def link_points(robot: Robot) -> Array:
    """Six points of each leg's links that move as the link does: mass [kg] and place in its axes (n_legs, 3, 6, 4) [m].

    A sixth of the mass at either side of the centre along each principal axis, as far as makes up the link's inertia.
    """
    import mujoco

    model, out = robot.model, np.empty((len(robot.legs), 3, 6, 4))
    for i, leg in enumerate(robot.legs.values()):
        for k, name in enumerate(leg.joints):
            body = int(model.joint(name).bodyid[0])
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
    import mujoco

    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[robot.qpos_index] = robot.home_position
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    bodies = [int(model.joint(name).bodyid[0]) for leg in robot.legs.values() for name in leg.joints]
    masses, base = np.array(model.body_mass[bodies]), data.body(robot.base)
    moment = robot.mass * data.subtree_com[0] - masses @ data.xipos[bodies]
    mass = robot.mass - float(masses.sum())
    return np.array([mass, *((moment / mass - base.xpos) @ base.xmat.reshape(3, 3))])


def _leg_masses(robot: Robot) -> tuple[Array, Array]:
    """Masses of each leg's links (n_legs, 3) [kg], and their centres in the link's axes (n_legs, 3, 3) [m]."""
    model = robot.model
    bodies = [[int(model.joint(name).bodyid[0]) for name in leg.joints] for leg in robot.legs.values()]
    return np.array(model.body_mass[bodies]), np.array(model.body_ipos[bodies])


def _com_at_home(robot: Robot) -> Array:
    """Centre of mass in the base at home [m]."""
    import mujoco

    data = mujoco.MjData(robot.model)
    data.qpos[robot.qpos_index] = robot.home_position
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    base = data.body(robot.base)
    return np.asarray(data.subtree_com[0] - base.xpos)
