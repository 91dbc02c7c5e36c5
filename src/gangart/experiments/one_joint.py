"""The bench of figure 4.5: one body on a motor with a gearbox that is fixed to the ground; the axis is vertical."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from gangart.robots import Motor
from gangart.robots.wear import GearWear, Wear
from gangart.signals import Array
from gangart.simulation.encoder import USER, encoders, see_joint_side
from gangart.simulation.gearbox import PLAY, add_gearbox
from gangart.simulation.motors import add_friction, add_motor

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
_JOINT = "joint"


@dataclass(frozen=True, eq=False)
class Trace:
    """What happened on the bench, one row per physics step."""

    time: Array  # (n,) [s]
    angle: Array  # (n,) [rad] of the body
    into: Array  # (n,) [N m] torque of the motor into the gear
    out: Array  # (n,) [N m] torque of the gear on the body
    spring: Array  # (n,) [N m] the part of it that the gear's spring gives: none inside the play
    motor_speed: Array  # (n,) [rad/s] of the gear's mass, seen from the joint
    joint_speed: Array  # (n,) [rad/s] of the body


@dataclass(frozen=True)
class OneJoint:
    """Motor, gear and body. Without a motor the gear's mass flies freely."""

    motor: Motor | None
    wear: Wear
    gear: GearWear
    inertia: float  # [kg m²] of the body about the axis
    step: float = 0.001  # [s] of the physics

    def model(self) -> mujoco.MjModel:
        """The bench in MuJoCo, of the same parts as a robot at full fidelity."""
        spec = mujoco.MjSpec()
        spec.option.timestep = self.step
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
        spec.option.gravity = [0.0, 0.0, 0.0]
        spec.nuser_actuator = USER
        body = spec.worldbody.add_body(mass=1.0, inertia=[self.inertia] * 3, explicitinertial=True)
        hinge = body.add_joint(name=_JOINT, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        factor = 1.0
        if self.motor is not None:
            factor = add_motor(spec, _JOINT, self.motor, self.wear, inductance=True)
        add_friction(hinge, self.gear)
        add_gearbox(spec, hinge, self.gear)
        model = spec.compile()
        if self.motor is not None and self.wear.encoder == "joint":
            see_joint_side(model, _JOINT, _JOINT + PLAY, factor)
        return model

    def run(self, target: Array, motor_speed: float = 0.0) -> Trace:
        """Let the body follow a target angle per step (n,) [rad].

        At the start all is at rest, the encoder shows the target zero, and the gear's mass touches the lower edge of
        its play, where Algorithm 4.2 begins; `motor_speed` [rad/s] throws it across.
        """
        model = self.model()
        data = mujoco.MjData(model)
        data.qpos[:] = [-self.gear.play if self.wear.encoder == "joint" else 0.0, self.gear.play]
        data.qvel[:] = [motor_speed, -motor_speed]
        start = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, start, _STATE)
        control = np.zeros((len(target), model.nu))
        control[:, :1] = target[:, None]
        with encoders(model):
            states, _ = rollout.rollout(model, data, start[None], control[None], nstep=len(target))
        return self._trace(np.vstack([start, states[0]]), model)

    def _trace(self, states: Array, model: mujoco.MjModel) -> Trace:
        turned, gear, motor_speed, gear_speed = states[:, 1:5].T
        over = np.sign(gear) * np.maximum(np.abs(gear) - self.gear.play, 0.0)
        spring = -self.gear.stiffness * over
        out = spring - self.gear.damping * gear_speed
        into = np.zeros(len(states))
        if self.motor is not None:
            into = self.motor.gear_ratio * self.motor.torque_constant * states[:, 5]  # the current is its activation
        return Trace(
            time=states[:-1, 0],
            angle=(turned + gear)[:-1],
            into=into[1:],  # MuJoCo drives a step with the current at its end, as Algorithm 4.1 does
            out=0.5 * (out[:-1] + out[1:]),
            spring=0.5 * (spring[:-1] + spring[1:]),
            motor_speed=motor_speed[:-1],
            joint_speed=(motor_speed + gear_speed)[:-1],
        )
