"""Urbann's simulator of 2010 in plain NumPy and Python, as he printed it: what our physics is compared with.

Product code never calls it: the motor, the gear and the links of `gangart.simulation` are parts of the MuJoCo model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gangart.robots import Motor
from gangart.robots.wear import Wear


@dataclass
class MotorState:
    """What a motor remembers from one step to the next."""

    resistor: float = 0.0  # [V] U_R, at the winding's resistance
    integral: float = 0.0  # [rad s] of the angle's error


def motor_step(
    motor: Motor, wear: Wear, state: MotorState, error: float, rate: float, speed: float, dt: float, *, inductance: bool
) -> float:
    """Algorithm 4.1 with the back-EMF of (4.1): one time step of voltage PID, supply limit, winding and torque.

    He gives the back-EMF to the friction, K_s = S K²/R, which is the same where there is no inductance.

    Args:
        motor: data at its own shaft.
        wear: gains of the controller and the stiffness S.
        state: is moved on by one step.
        error: q_T - q_A [rad].
        rate: of the error [rad/s].
        speed: of the joint on the motor's side [rad/s].
        dt: the step [s].
        inductance: whether the current takes its time.

    Returns:
        Torque at the joint without friction [N m].
    """
    K = motor.gear_ratio * motor.torque_constant
    state.integral += error * dt
    U = wear.proportional * error + wear.integral * state.integral + wear.derivative * rate
    U = min(max(U, -motor.supply), motor.supply)  # lines 2-4; he means both signs
    part = -math.expm1(-dt * motor.resistance / motor.inductance) if inductance else 1.0
    state.resistor += (U - K * speed - state.resistor) * part  # line 5
    return state.resistor / motor.resistance * wear.stiffness * K  # line 6


@dataclass
class GearState:
    """Where the gear's mass is in its envelope."""

    position: float = 0.0  # [rad] p_m; the envelope reaches from 0 to l_h
    speed: float = 0.0  # [rad/s]


@dataclass(frozen=True)
class GearParameters:
    """The parameters of Algorithm 4.2, with gear wheels of radius 1."""

    envelope: float  # [rad] l_h
    spring: float  # [N m/rad] D_g
    friction: float  # [N m s/rad] B_g, of the mass against its surroundings
    mass: float  # [kg m²] m_g


def gear_step(gear: GearParameters, state: GearState, torque: float, dt: float, steps: int) -> float:
    """Algorithm 4.2 for one step of the physics, in `steps` steps of the gear: the mean torque on the joint [N m]."""
    h, total = dt / steps, 0.0
    for _ in range(steps):
        over = min(state.position, 0.0) + max(state.position - gear.envelope, 0.0)  # p_h, lines 4-10
        spring = gear.spring * over
        state.position += state.speed * h
        state.speed += (torque - spring - gear.friction * state.speed) / gear.mass * h
        total += spring * h / dt
    return total


@dataclass(frozen=True)
class Bench:
    """The bench of figure 4.5 in his simulator: a body on a motor with a gear, turned to a target angle."""

    motor: Motor
    wear: Wear
    gear: GearParameters
    inertia: float  # [kg m²] of the body

    def run(self, target: np.ndarray, dt: float, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angle of the body [rad], torque into the gear and out of it [N m], for a target angle per step [rad]."""
        electric, mass = MotorState(), GearState()
        angle = speed = 0.0
        rows = np.empty((len(target), 3))
        for k, aim in enumerate(target):
            torque = motor_step(
                self.motor, self.wear, electric, aim - angle, -speed, speed + mass.speed, dt, inductance=True
            )
            out = gear_step(self.gear, mass, torque, dt, steps)
            rows[k] = angle, torque, out
            speed += out / self.inertia * dt
            angle += speed * dt
        return rows[:, 0], rows[:, 1], rows[:, 2]
