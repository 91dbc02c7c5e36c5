"""Real motors in the MuJoCo model (Urbann 4.1): a voltage PID, a supply with a limit, a winding, back-EMF, friction.

Urbann's motor turns the voltage U = K_P e + K_D ė, limited by the supply, into the joint torque

    T = S · N K_t · (U - N K_t ω) / R - B_v ω - F_c sign ω,      N: gear ratio, ω: joint speed,

with the current following U through the winding's inductance. MuJoCo's `dcmotor` has a controller in torque space that
adds the back-EMF to its voltage, v = (R/K) τ + K ω. The same motor is therefore

    K = N K_t,  R' = R / S,  L' = L / S,  k_p = K K_P / R',  k_d = (K K_D + K²) / R',

where K² / R' takes back what the controller adds; and since k_d multiplies (u_vel - ω) as a whole, the speed setpoint
that the D-term is to see enters as u_vel = ω_target · K_D / (K_D + K). The limit of v is then that of U.
"""

from __future__ import annotations

import mujoco

from gangart.robots import Motor
from gangart.robots.wear import GearWear, Wear

POS_VEL = 3  # MuJoCo's mask for the inputs angle and speed


def add_motor(
    spec: mujoco.MjSpec, joint: str, motor: Motor, wear: Wear, *, inductance: bool, supply: float | None = None
) -> float:
    """Drive a joint by a motor with its controller; returns the factor for its speed setpoint.

    `supply` [V] replaces that of the robot's file, for a battery that is not full.
    """
    K = motor.gear_ratio * motor.torque_constant
    R = motor.resistance / wear.stiffness
    L = motor.inductance / wear.stiffness
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_dcmotor(
        motorconst=[K, K],
        resistance=R,
        inductance=[L if inductance else 0.0, 0.0],
        controller=[
            K * wear.proportional / R,
            K * wear.integral / R,
            (K * wear.derivative + K * K) / R,
            0.0,
            0.0,
            motor.supply if supply is None else supply,
        ],
        ctrlspec=POS_VEL,
    )
    return wear.derivative / (wear.derivative + K)


def add_friction(joint: mujoco.MjsJoint, gear: GearWear) -> None:
    """Friction and inertia of motor and gear on the hinge that the motor turns."""
    joint.armature = gear.inertia
    joint.frictionloss = gear.coulomb
    joint.damping = [gear.viscous, 0.0, 0.0]
