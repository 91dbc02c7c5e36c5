"""Which angle to ask a worn joint for, so that it comes to the angle that is wanted.

`SupportOffsets` is what the Dortmund team did for RoboCup 2010: a constant per joint while its leg stands alone.
`TorqueOffsets` is what the thesis proposes instead (chapter 6): offsets that follow the planned torque. They are the
inverse of motor, gear and links (Urbann 4.1, 4.2): a motor with the voltage U = K_P (u - q) turns it into
S K U / R - B_v q' - F_c sign q' - J q'' less the back-EMF, so that for a torque τ at the joint it wants

    u - q = (R / (S K) (τ + B_v q' + F_c s(q') + J q'') + K q') / K_P,    K: torque constant times gear ratio,

and behind a sensor on the motor's side the gear gives way by τ / D_g + play · s(τ), the links by their bending. s is a
sign that changes gently, because a jump of the setpoint would shake the robot. Read the other way round, the same
formula tells the torque that a joint feels from how far its sensor stays behind what was asked (`felt`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.compensation.bending import bending
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array, Bools

GENTLE_SPEED = 0.1  # [rad/s] within which friction changes its sign
GENTLE_TORQUE = 0.3  # [N m] within which play changes its side


@dataclass(frozen=True, eq=False)
class SupportOffsets:
    """Constant offsets of the joints of a leg that stands alone (RoboCup 2010)."""

    robot: Robot
    single: dict[str, float]  # [rad] by joint

    def __post_init__(self) -> None:
        for name, value in self.single.items():
            if name not in self.robot.joint_index or not np.isfinite(value):
                raise BadValue(f"support offset of joint '{name}' is {value}; it has to be a number for a known joint")

    def __call__(self, standing: Bools) -> Array:
        """Offsets (..., n_joints) [rad] while legs stand, (..., n_legs)."""
        out = np.zeros((*standing.shape[:-1], len(self.robot.joints)))
        for k, leg in enumerate(self.robot.legs.values()):
            alone = standing[..., k] & (standing.sum(axis=-1) == 1)
            for joint in leg.joints:
                out[..., self.robot.joint_index[joint]] += np.where(alone, self.single.get(joint, 0.0), 0.0)
        return out


class TorqueOffsets:
    """Offsets from planned torques, for all joints whose motor the wear describes; the others get 0.

    Works on one tick and on whole motions alike: every argument is an array (..., n_joints).
    """

    def __init__(self, robot: Robot, wear: Wear, *, motor: bool = True, gear: bool = True, links: bool = True) -> None:
        """What is switched off is taken to be ideal."""
        self.robot, self.wear = robot, wear
        n = len(robot.joints)
        self._compliance, self._back_emf = np.zeros(n), np.zeros(n)  # [rad/(N m)], [s]
        self._viscous, self._coulomb, self._inertia = np.zeros(n), np.zeros(n), np.zeros(n)
        self._rate = np.zeros(n)  # [s] K_D / K_P
        self._gear, self._play = np.zeros(n), np.zeros(n)  # [rad/(N m)], [rad]
        for i, joint in enumerate(robot.joints):
            kind = robot.motor_of(joint)
            worn = None if kind is None else wear.gears.get(kind.name)
            if kind is None or worn is None:
                continue
            if motor:
                K = kind.gear_ratio * kind.torque_constant
                self._compliance[i] = kind.resistance / (wear.stiffness * K * wear.proportional)
                self._back_emf[i] = K / wear.proportional
                self._rate[i] = wear.derivative / wear.proportional
                self._viscous[i], self._coulomb[i], self._inertia[i] = worn.viscous, worn.coulomb, worn.inertia
            if gear and wear.encoder == "motor":  # a sensor at the joint sees the gear give way by itself
                self._gear[i], self._play[i] = 1.0 / worn.stiffness, worn.play
        self._bending: Array = np.zeros((n, n))
        if links:
            W = bending(robot, wear.link_parts)
            self._bending = W.T @ W / wear.link_stiffness
        driver = np.array([robot.joint_index[robot.coupled.get(joint, joint)] for joint in robot.joints])
        self._together = (driver[:, None] == driver[None, :]).astype(float)  # a motor feels all joints that it turns
        self._mean = self._together / self._together.sum(axis=0)  # and can ask for one angle only

    def __call__(self, torque: Array, speed: Array, acceleration: Array) -> Array:
        """Offsets [rad] for joint torques [N m], speeds [rad/s] and accelerations [rad/s²]."""
        friction = self._viscous * speed + self._coulomb * np.tanh(speed / GENTLE_SPEED)
        load = torque @ self._together + friction + self._inertia * acceleration
        motor = self._compliance * load + self._back_emf * speed
        return np.asarray(motor + self.give(torque))

    def felt(self, error: Array, error_rate: Array, speed: Array) -> Array:
        """Joint torques [N m] from servo errors [rad], their change [rad/s] and speeds [rad/s], accelerations left out.

        A joint without wear feels 0; of a motor's load every joint that it turns gets the same part.
        """
        known = self._compliance > 0.0
        voltage = error + self._rate * error_rate - self._back_emf * speed
        load = np.divide(voltage, self._compliance, out=np.zeros(voltage.shape), where=known)
        friction = self._viscous * speed + self._coulomb * np.tanh(speed / GENTLE_SPEED)
        return np.asarray((load - friction) / self._together.sum(axis=0))

    def give(self, torque: Array) -> Array:
        """The part of the offsets that lies behind the angle sensors [rad]: gears and links give way by as much."""
        gives = self._gear * torque + self._play * np.tanh(torque / GENTLE_TORQUE) + torque @ self._bending
        return np.asarray(gives @ self._mean)
