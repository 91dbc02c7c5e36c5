"""What motors give way under the robot's weight, and what to ask for instead.

A motor behind a cascade is a spring: at standstill its hub gives way by τ_hub / (D P + I). A leg on which the ground
pushes with f, and which has a weight of its own, asks for the joint torques τ = g(q) - Jᵀ f; with A = M q its joints
give way by M⁻¹ M⁻ᵀ τ / (D P + I). A robot that sags lowers its body, moves it against its knees and walks slower on the
legs that bear more: the targets are set as much higher.
"""

from __future__ import annotations

import numpy as np

from gangart.control import cyclic_kernel as kernel
from gangart.errors import BadRobot
from gangart.kinematics import AbductionLegs
from gangart.robots import Robot
from gangart.signals import Array

_G = 9.81  # [m/s²]


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
        inertia = _leg_inertias(robot, legs)
        self._lag = np.array([g @ i for g, i in zip(self._give, inertia, strict=True)])  # (n_legs, 3, 3) [s²]

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

    def swung(self, acceleration: Array) -> Array:
        """What to add to the targets of legs (n_legs, 3) [rad] that accelerate so (n_legs, 3) [rad/s²] in the air."""
        return np.asarray((self._lag @ acceleration[:, :, None])[:, :, 0])


def _leg_inertias(robot: Robot, legs: AbductionLegs) -> Array:
    """Inertia of each leg's joints at home, links and rotors (n_legs, 3, 3) [kg m²].

    A leg that swings with one other moves the rest of the robot the other way: its links count by so much less.
    """
    import mujoco

    data = mujoco.MjData(robot.model)
    data.qpos[robot.qpos_index] = robot.home_position
    mujoco.mj_forward(robot.model, data)
    whole = np.zeros((robot.model.nv, robot.model.nv))
    mujoco.mj_fullM(robot.model, data, whole)
    swinging = 2.0 * float(_leg_masses(robot)[0][0].sum())
    links = whole[np.ix_(robot.dof_index, robot.dof_index)] * (1.0 - swinging / robot.mass)
    motors = [robot.motor_of(joint) for joint in robot.joints]
    rotors = np.diag([m.rotor_inertia * m.gear_ratio**2 if m is not None else 0.0 for m in motors])
    inertia = links + robot.hubs.T @ rotors @ robot.hubs
    return np.array([inertia[np.ix_(c, c)] for c in legs.columns])


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
