"""The bench of Bahr 3.6 and 4.3: one hub of the robot in the air, and a weight on a rope over a wheel on its flange.

Motor, cascade and input filter are those that drive the robot: `drives.add_drive`, `drives.filtered`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from mujoco import rollout

from gangart.robots import Robot
from gangart.signals import Array
from gangart.simulation.drives import add_drive, at_hubs, fastest, filtered

G = 9.81  # [m/s²]
FLANGE = 1e-4  # [kg m²] the flange and the small weight on it; the rotor's inertia is the motor's own
_JOINT, _ROPE, _LOAD = "hub", "rope", "load"
_REST = 1.0  # [s] in which the load comes to rest before the first target
_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS


@dataclass(frozen=True, eq=False)
class HubTrace:
    """What happened on the bench, one row per physics step; the target is sent at time 0."""

    time: Array  # (n,) [s]
    asked: Array  # (n,) [rad] of the hub, behind the input filter
    angle: Array  # (n,) [rad] of the hub
    speed: Array  # (n,) [rad/s] of the hub
    torque: Array  # (n,) [N m] of the motor at the hub


@dataclass(frozen=True, eq=False)
class HubBench:
    """One hub of a robot with a drive, fixed in the room."""

    robot: Robot
    load: float = 0.0  # [kg] on the rope
    radius: float = 0.1  # [m] of the wheel
    filtered: bool = True  # whether targets pass the drive's input filter
    step: float = 0.001  # [s] of the physics

    @property
    def one(self) -> Robot:
        """A robot of nothing but this hub: what the drive's code is asked about."""
        motor = next(iter(self.robot.motors.values()))
        return replace(
            self.robot, joints=(_JOINT,), motors={motor.name: replace(motor, joints=(_JOINT,))}, transmission={}
        )

    def model(self) -> mujoco.MjModel:
        """The bench in MuJoCo: a hinge with the robot's actuator, a mass that hangs from its wheel."""
        spec = mujoco.MjSpec()
        spec.option.timestep = self.step
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
        spec.option.gravity = [0.0, 0.0, -G]
        flange = spec.worldbody.add_body(mass=0.1, inertia=[FLANGE] * 3, explicitinertial=True)
        flange.add_joint(name=_JOINT, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
        if self.load:
            hanging = spec.worldbody.add_body(mass=self.load, inertia=[1e-3] * 3, explicitinertial=True)
            hanging.add_joint(name=_LOAD, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0.0, 0.0, -1.0])
            rope = spec.add_tendon(name=_ROPE, limited=True, range=[-10.0, 0.0])  # pulls and does not push
            rope.wrap_joint(_LOAD, 1.0)
            rope.wrap_joint(_JOINT, -self.radius)
            rope.solref_limit = [2.0 * self.step, 1.0]
        drive = self.robot.drive
        assert drive is not None
        add_drive(spec, self.one, _JOINT, drive, None)
        spec.add_sensor(
            name="torque",
            type=mujoco.mjtSensor.mjSENS_ACTUATORFRC,
            objtype=mujoco.mjtObj.mjOBJ_ACTUATOR,
            objname=_JOINT,
        )
        return spec.compile()

    def run(self, position: Array, velocity: Array) -> HubTrace:
        """Let the hub follow targets, one per tick (n_ticks,) [rad] and [rad/s], after it came to rest at 0."""
        model = self.model()
        data = mujoco.MjData(model)
        start = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, start, _STATE)
        rest = np.zeros(round(_REST / self.robot.tick))
        asked = self._asked(np.append(rest, position), np.append(rest, velocity))
        states, sensed = rollout.rollout(model, data, start[None], asked[None, 1:], nstep=len(asked) - 1)
        begin, hub = round(_REST / self.step), model.joint(_JOINT)
        rows = np.vstack([start, states[0]])[begin:-1]
        return HubTrace(
            time=rows[:, 0] - _REST,
            asked=asked[begin:-1, 0],
            angle=rows[:, 1 + hub.qposadr[0]],
            speed=rows[:, 1 + model.nq + hub.dofadr[0]],
            torque=sensed[0, begin:, 0],
        )

    def _asked(self, position: Array, velocity: Array) -> Array:
        """What the cascade is given, at every instant (n + 1, 2): held targets behind the filter."""
        one, drive, n = self.one, self.robot.drive, round(self.robot.tick / self.step)
        assert drive is not None
        joint = np.zeros((len(position) * n + 1, 2))
        if not self.filtered:  # straight to the cascade, and held
            joint[1:] = np.repeat(np.column_stack([position, velocity]), n, axis=0)
            return joint
        first, quickest = np.zeros(1, dtype=np.int64), fastest(one)
        for k in range(len(position)):
            rows = joint[k * n : (k + 1) * n + 1]
            filtered(position[k : k + 1], velocity[k : k + 1], first, self.step, drive.filter, quickest, rows)
        hub = np.empty_like(joint)
        at_hubs(joint, one.hubs, hub)
        return hub
