"""Which angle to ask a worn joint for, so that it comes to the angle that is wanted.

Offsets that follow the planned torque are what the thesis proposes (chapter 6) instead of constant ones. They are the
inverse of motor, gear and links (Urbann 4.1, 4.2): a motor with the voltage U = K_P (u - q) turns it into
S K U / R - B_v q' - F_c sign q' - J q'' less the back-EMF, so that for a torque τ at the joint it wants

    u - q = (R / (S K) (τ + B_v q' + F_c s(q') + J q'') + K q') / K_P,    K: torque constant times gear ratio,

where s is a sign that changes gently, because a jump of the setpoint would shake the robot; and since K_D answers to
the change of u - q, that runs after it with the time K_D / K_P. A sensor on the motor's side does not see its gear give
way (`Teeth`), none sees the links bend (`bending`): the motor has to go as much further. Of two joints that one motor
turns, each gives way by its own load, but both can only be asked for the same: what one is short of, the joints in the
same place make up for as far as their axes are the same.
"""

from __future__ import annotations

import mujoco
import numpy as np

from gangart.compensation.bending import bending
from gangart.compensation.teeth import Teeth
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array

GENTLE_SPEED = 0.1  # [rad/s] within which friction changes its sign


class TorqueOffsets:
    """Offsets from planned torques, for all joints whose motor the wear describes; the others get 0."""

    def __init__(self, robot: Robot, wear: Wear, *, motor: bool = True, gear: bool = True, links: bool = True) -> None:
        """What is switched off is taken to be ideal."""
        n = len(robot.joints)
        self._compliance, self._back_emf = np.zeros(n), np.zeros(n)  # [rad/(N m)], [s]
        self._viscous, self._coulomb, self._inertia = np.zeros(n), np.zeros(n), np.zeros(n)
        self._proportional = wear.proportional  # [V/rad]
        self._follows = wear.derivative / wear.proportional  # [s]
        self._teeth: dict[int, Teeth] = {}  # by joint
        for i, joint in enumerate(robot.joints):
            kind = robot.motor_of(joint)
            worn = None if kind is None else wear.gears.get(kind.name)
            if kind is None or worn is None:
                continue
            if motor:
                K = kind.gear_ratio * kind.torque_constant
                self._compliance[i] = kind.resistance / (wear.stiffness * K * wear.proportional)
                self._back_emf[i] = K / wear.proportional
                self._viscous[i], self._coulomb[i], self._inertia[i] = worn.viscous, worn.coulomb, worn.inertia
            if gear:
                self._teeth[i] = Teeth(worn.stiffness, worn.play, worn.damping)
        self._bending: Array = np.zeros((n, n))
        if links:
            W = bending(robot, wear.link_parts)
            self._bending = W.T @ W / wear.link_stiffness
        self._driver = np.array([robot.joint_index[robot.coupled.get(joint, joint)] for joint in robot.joints])
        self._together = (self._driver[:, None] == self._driver).astype(float)  # a motor feels all joints that it turns
        self._mean = self._together / self._together.sum(axis=0)  # and can ask for one angle only
        self._instead = helpers(robot)
        self._sees_gear = wear.encoder == "joint"
        # whether left and right are: not where one sensor for two joints sees the gear of its own side only
        self.alike = not (gear and self._sees_gear and robot.coupled)

    def __call__(self, torque: Array, speed: Array, dt: float) -> Array:
        """Offsets (n, n_joints) [rad] of a motion from rest, rows `dt` [s] apart: torques [N m], speeds [rad/s]."""
        gear, bent = self._gives(torque, dt)
        behind = gear + bent - (gear[:, self._driver] if self._sees_gear else 0.0)
        asked = behind @ self._mean
        error = self._error(torque, speed, gear + bent, dt)
        return np.asarray(self._follow(error, dt) + asked + (behind - asked) @ self._instead)

    def voltage(self, torque: Array, speed: Array, dt: float) -> Array:
        """What the motors need (n, n_joints) [V] for a motion from rest, whether their supply gives it or not."""
        gear, bent = self._gives(torque, dt)
        return self._proportional * self._error(torque, speed, gear + bent, dt)

    def _gives(self, torque: Array, dt: float) -> tuple[Array, Array]:
        """By how much gears give way, and links as seen from the joints, each (n, n_joints) [rad]."""
        gear = np.zeros(torque.shape)
        for i, teeth in self._teeth.items():
            gear[:, i] = teeth.give(torque[:, i], dt)
        return gear, torque @ self._bending

    def _error(self, torque: Array, speed: Array, gives: Array, dt: float) -> Array:
        """U / K_P (n, n_joints) [rad] for these torques [N m] and joint speeds [rad/s], with what gives way [rad]."""
        speed = speed + np.gradient(gives @ self._mean, dt, axis=0)  # of the motor, which runs ahead
        acceleration = np.gradient(speed, dt, axis=0)
        friction = self._viscous * speed + self._coulomb * np.tanh(speed / GENTLE_SPEED)
        load = (torque + friction + self._inertia * acceleration) @ self._together
        return np.asarray(self._compliance * load + self._back_emf * speed)

    def _follow(self, error: Array, dt: float) -> Array:
        """The u - q (n, n_joints) for which K_P (u - q) + K_D d(u - q)/dt is K_P times this."""
        from scipy.signal import lfilter

        T = self._follows
        if T == 0.0:
            return error
        a = np.exp(-dt / T)
        b = T / dt * (1.0 - a)
        # exact for an error that runs straight between rows
        out, _ = lfilter([1.0 - b, b - a], [1.0, -a], error, axis=0, zi=(b * error[0])[None])
        return np.asarray(out)


def helpers(robot: Robot) -> Array:
    """Which joints turn a leg instead of one that shares its motor: rad of joint k per rad of joint i, (n, n)."""
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    out = np.zeros((len(robot.joints), len(robot.joints)))
    shared = {*robot.coupled, *robot.coupled.values()}
    for leg in robot.legs.values():
        ids = {name: robot.model.joint(name).id for name in leg.joints}
        for name in shared & set(leg.joints):
            for other in set(leg.joints) - shared:
                if np.allclose(data.xanchor[ids[name]], data.xanchor[ids[other]], rtol=0.0, atol=1e-3):
                    same = data.xaxis[ids[name]] @ data.xaxis[ids[other]]
                    out[robot.joint_index[name], robot.joint_index[other]] = same
    return out
