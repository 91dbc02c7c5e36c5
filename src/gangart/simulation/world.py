"""One robot on one floor. `write` moves time on to the moment at which the targets are due, `read` gives the sensors.

A tick is one call of MuJoCo's rollout: the physics steps inside it, with the servos' setpoints interpolated between
the last targets and the new ones, are not seen by Python. Everything that happens is logged.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.signals import Array, JointTargets, SensorReading
from gangart.simulation.fidelity import IDEAL, Fidelity, Ground
from gangart.simulation.model import FOOT, Sensors, build_spec
from gangart.simulation.soles import feel, pressure_maps

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
_CTRL = mujoco.mjtState.mjSTATE_CTRL
_ROWS = 4096  # physics steps that the log holds until somebody takes them
_PUSHED = _CTRL | mujoco.mjtState.mjSTATE_XFRC_APPLIED


@dataclass(frozen=True)
class Push:
    """A force on a body for a while."""

    time: float  # [s] when it begins
    duration: float  # [s]
    force: tuple[float, float, float]  # [N] in the world
    body: str = ""  # the robot's base if empty

    def __post_init__(self) -> None:
        values = (self.time, self.duration, *self.force)
        if not np.isfinite(values).all() or self.duration < 0.0:
            raise BadValue(f"push {self} has to be finite numbers with a duration of at least 0 s")


@dataclass(frozen=True)
class Raw:
    """A stretch of the world's log, as MuJoCo gave it."""

    states: Array  # (n + 1, n_state) full physics state before each step and after the last
    sensed: Array  # (n, n_sensordata) at the state before each step
    setpoints: Array  # (n, n_u) of the servos during each step: angle, speed, angle, speed, ...


class World:
    """A simulated robot behind the same seam as a real one: `read` and `write`."""

    def __init__(self, robot: Robot, fidelity: Fidelity = IDEAL, ground: Ground | None = None) -> None:
        self.robot = robot
        self.fidelity = fidelity
        self.ground = ground or Ground()
        self.model = build_spec(robot, fidelity, self.ground).compile()
        self.data = mujoco.MjData(self.model)
        self.sensors = Sensors(robot)
        self.pushes: list[Push] = []
        self.substeps = round(robot.tick / fidelity.step)
        self.pressure = pressure_maps(robot)
        self._rollout = rollout.Rollout(nthread=0)
        self._models, self._datas = [self.model], [self.data]
        self._warmstart = np.zeros((1, self.model.nv))
        self.driven = np.array([i for i, j in enumerate(robot.joints) if j not in robot.coupled])
        self.qpos, self.qvel = robot.qpos_index + 1, robot.dof_index + 1 + self.model.nq  # in a state row
        self.base = 1 + int(self.model.jnt_qposadr[self.model.body_jntadr[self.model.body(robot.base).id]])
        self._hermite: dict[int, tuple[Array, Array]] = {}
        self._states = np.empty((_ROWS + 1, mujoco.mj_stateSize(self.model, _STATE)))  # one row per physics step
        self._sensed = np.empty((_ROWS, self.model.nsensordata))
        self._setpoints = np.empty((_ROWS, self.model.nu))
        self.reset(robot.home_position, np.array([0.0, 0.0, self._standing_height()]))

    def _standing_height(self) -> float:
        """Height of the base at which the lowest sole is on the floor, in the home posture [m]."""
        self.data.qpos[self.robot.qpos_index] = self.robot.home_position
        mujoco.mj_kinematics(self.model, self.data)
        base = self.data.body(self.robot.base).xpos[2]
        soles = [self.data.site(f"gangart/{leg} sole").xpos[2] for leg in self.robot.legs]
        return float(base - min(soles))

    def reset(self, joints: Array, base_position: Array, base_yaw: float = 0.0, settle: float = 0.5) -> None:
        """Put the robot there, joints [rad] held, and let it come to rest for `settle` seconds; time starts at 0."""
        mujoco.mj_resetData(self.model, self.data)
        a = self.base - 1
        self.data.qpos[a : a + 3] = base_position
        self.data.qpos[a + 3 : a + 7] = [np.cos(base_yaw / 2), 0.0, 0.0, np.sin(base_yaw / 2)]
        self.data.qpos[self.robot.qpos_index] = joints
        self.data.ctrl[0::2], self.data.ctrl[1::2] = joints[self.driven], 0.0
        for _ in range(round(settle / self.fidelity.step)):
            mujoco.mj_step(self.model, self.data)
        self.data.time = 0.0
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_getState(self.model, self.data, self._states[0], _STATE)
        self._first = np.array(self.data.sensordata)
        self._warmstart[0] = self.data.qacc_warmstart
        self.pushes.clear()
        self.rows = 0
        self._height = float(self._states[0, self.base + 2])
        self._last = (joints[self.driven].copy(), np.zeros(len(self.driven)))

    @property
    def time(self) -> float:
        """Simulated time since the reset [s]."""
        return float(self._states[self.rows, 0])

    def push(self, push: Push) -> None:
        """Schedule a push."""
        body = push.body or self.robot.base
        choose("body", body, [self.model.body(i).name for i in range(1, self.model.nbody)])
        self.pushes.append(push)

    def read(self) -> SensorReading:
        """The sensors as of the last physics step."""
        sensed = self._sensed[self.rows - 1] if self.rows else self._first
        state = self._states[self.rows]
        return SensorReading(
            time=float(state[0]),
            position=state[self.qpos],
            velocity=state[self.qvel],
            gyro=sensed[self.sensors.gyro],
            accelerometer=sensed[self.sensors.accelerometer],
            foot_force=feel(sensed[self.sensors.feet].reshape(1, -1, FOOT), self.pressure)[1][0],
        )

    def write(self, targets: JointTargets) -> None:
        """Drive the joints to the targets, and time on to the moment at which they are due."""
        n = round((targets.time - self.time) / self.fidelity.step)
        if n < 1:
            raise BadValue(f"targets for {targets.time:.4f} s came at {self.time:.4f} s: too late")
        if self.rows + n > len(self._sensed):
            raise BadValue("the world's log is full: collect it with `take`")
        a, b = self.rows, self.rows + n
        setpoints = self._setpoints[a:b]
        self._interpolate(targets, n, setpoints)
        control, spec = self._with_pushes(setpoints)
        self._rollout.rollout(
            self._models, self._datas, self._states[None, a], control[None], nstep=n, skip_checks=True,
            initial_warmstart=self._warmstart, state=self._states[None, a + 1 : b + 1],
            sensordata=self._sensed[None, a:b], control_spec=spec,
        )  # fmt: skip
        self._warmstart[0] = self.data.qacc_warmstart
        self.rows = b

    def _interpolate(self, targets: JointTargets, n: int, out: Array) -> None:
        """Cubic Hermite curve from the last targets to the new ones: setpoints of angle and speed for each step."""
        if n not in self._hermite:
            u = np.arange(1, n + 1) / n
            place = np.column_stack([1 - 3 * u**2 + 2 * u**3, u - 2 * u**2 + u**3, 3 * u**2 - 2 * u**3, u**3 - u**2])
            slope = np.column_stack([6 * u**2 - 6 * u, 1 - 4 * u + 3 * u**2, 6 * u - 6 * u**2, 3 * u**2 - 2 * u])
            self._hermite[n] = (place, slope / (n * self.fidelity.step))
        place, slope = self._hermite[n]
        h = n * self.fidelity.step
        q, v = targets.position[self.driven], targets.velocity[self.driven]
        ends = np.stack([self._last[0], self._last[1] * h, q, v * h])
        np.matmul(place, ends, out=out[:, 0::2])
        np.matmul(slope, ends, out=out[:, 1::2])
        self._last = (q, v)

    def _with_pushes(self, setpoints: Array) -> tuple[Array, int]:
        """Append the forces of the pushes that act during these steps, if there are any."""
        if not self.pushes:
            return setpoints, int(_CTRL)
        step = self.fidelity.step
        times = self.time + step * np.arange(len(setpoints))
        begin, end = times[0] - step / 2, times[-1] + step / 2
        acting = [p for p in self.pushes if p.time < end and p.time + p.duration > begin]
        if not acting:
            self.data.xfrc_applied[:] = 0.0
            return setpoints, int(_CTRL)
        forces = np.zeros((len(setpoints), self.model.nbody, 6))
        for p in acting:
            body = self.model.body(p.body or self.robot.base).id
            during = (times > p.time - step / 2) & (times < p.time + p.duration - step / 2)
            forces[during, body, :3] += p.force
        return np.hstack([setpoints, forces.reshape(len(setpoints), -1)]), int(_PUSHED)

    @property
    def fallen(self) -> bool:
        """Whether the base lies: tilted by more than 60° or sunk below half its height at the reset."""
        state, z = self._states[self.rows], self.base + 2
        x, y = state[z + 2], state[z + 3]
        return bool(1.0 - 2.0 * (x * x + y * y) < 0.5 or state[z] < 0.5 * self._height)

    def take(self) -> Raw:
        """Hand over what happened since the last `take`, and make room for more."""
        n = self.rows
        raw = Raw(self._states[: n + 1].copy(), self._sensed[:n].copy(), self._setpoints[:n].copy())
        self._states[0] = self._states[n]
        if n:
            self._first = raw.sensed[-1]
        self.rows = 0
        return raw
