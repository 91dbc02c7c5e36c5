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
from gangart.control.masses import com_at_home, leg_masses, link_points, rest
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
        self._com = com_at_home(robot)
        self._masses, self._centres = leg_masses(robot)
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
