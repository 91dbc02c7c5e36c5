"""One robot on one floor. `write` moves time on to the moment at which the targets are due, `read` gives the sensors.

A tick is one call of MuJoCo's rollout: the physics steps inside it, with the servos' setpoints interpolated between
the last targets and the new ones, are not seen by Python. Everything that happens is logged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array, Ints, JointTargets, SensorReading, StateEstimate
from gangart.simulation.callbacks import silence
from gangart.simulation.drives import at_hubs, fastest, filtered
from gangart.simulation.encoder import encoders
from gangart.simulation.explosion import AT_REST, Diverged, explosion, first_mad
from gangart.simulation.fidelity import IDEAL, Fidelity, Ground
from gangart.simulation.joints import Joints, checked_stance, lies
from gangart.simulation.model import Sensors, build_model, sole_site
from gangart.simulation.push import Push, pushed
from gangart.simulation.reading import sense
from gangart.simulation.sensing import EXACT, Sensing
from gangart.simulation.setpoints import approach, scaled, substeps
from gangart.simulation.soles import SoleSensors

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
_CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
_PUSHED = _CTRL | int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)
_LOG = 2.0  # [s] that the log holds until somebody takes them


@dataclass(frozen=True)
class Raw:
    """A stretch of the world's log, as MuJoCo gave it: n steps between n + 1 instants."""

    states: Array  # (n + 1, n_state) full physics state at each instant
    sensed: Array  # (n, n_sensordata) at the beginning of each step; forces and accelerations are the step's
    setpoints: Array  # (n + 1, n_u) of the servos for each instant: angle [rad], speed [rad/s], angle, speed, ...


class World:
    """A simulated robot behind the same seam as a real one: `read` and `write`.

    It begins with the robot in its home posture on the floor; `reset` puts it elsewhere.
    """

    def __init__(
        self,
        robot: Robot,
        fidelity: Fidelity = IDEAL,
        ground: Ground | None = None,
        *,
        wear: Wear | None = None,
        supply: float | None = None,
        sensing: Sensing = EXACT,
    ) -> None:
        """`wear` says how strong the defects of the fidelity are; `supply` [V] replaces that of the robot's file.

        `sensing` is what readings suffer from beyond the fidelity's delay.
        """
        self.robot = robot
        self.fidelity = fidelity
        self.wear = wear
        self.ground = ground or Ground()
        self.sensing = sensing
        self.substeps = substeps(robot, fidelity)
        self.model, factors = build_model(robot, fidelity, self.ground, wear, supply)
        self.ideal = factors == 1.0  # (n_u / 2,) which joints have a near-ideal servo
        self.factors = None if np.all(factors == 1.0) else factors  # (n_u / 2,) of the speed setpoints, None: all 1
        self.data = mujoco.MjData(self.model)
        self.sensors = Sensors(robot)
        self.soles = SoleSensors(robot)
        self._wrenches = np.empty((1, len(robot.legs), 6))  # [N, N m] room for those of one instant
        self.pushes: list[Push] = []
        self.driven: Ints = np.array([i for i, j in enumerate(robot.joints) if j not in robot.coupled], dtype=np.int64)
        self._fastest = fastest(robot)
        self._place_columns()
        self._delay = round(fidelity.sensor_delay / fidelity.step)  # [physics steps]
        self._memory = self._delay + sensing.period(fidelity.step)  # [physics steps] that a reading is old at most
        self._exact = sensing.exact
        self.drive = robot.drive if fidelity.motor else None  # what stands between targets and motors
        self.encoders = encoders(self.model)  # what physics needs to run; simulate enters them for the whole walk
        self._rollout = rollout.Rollout(nthread=0)
        self._models, self._datas = [self.model], [self.data]
        self._warmstart = np.zeros((1, self.model.nv))
        self._accelerations = self.data.qacc_warmstart  # MuJoCo's own array
        self._sizes = self.model.nq, self.model.nv
        room = round(_LOG / fidelity.step)
        self._states = np.empty((room + 1, mujoco.mj_stateSize(self.model, _STATE)))
        self._sensed = np.empty((room, self.model.nsensordata))
        self._setpoints = np.empty((room + 1, self.model.nu))
        self._scaled = np.empty((room, self.model.nu))  # with the factors
        self.reset(robot.home_position, np.array([0.0, 0.0, self._standing_height()]))

    def _place_columns(self) -> None:
        """Where quantities stand in a row of the state: time, then qpos, then qvel."""
        model, robot = self.model, self.robot
        self.joints = Joints(model, robot, at_joint=self.wear is None or self.wear.encoder == "joint")
        self.qpos, self.qvel = self.joints.angle, self.joints.speed  # (n_joints,) of the hinges that motors turn
        self.base, self.base_speed = self.joints.base, self.joints.base_speed  # where their columns begin

    def _standing_height(self) -> float:
        """Height of the base at which the lowest sole is on the floor, in the home posture [m]."""
        self.data.qpos[self.qpos - 1] = self.robot.home_position
        mujoco.mj_kinematics(self.model, self.data)
        base = self.data.body(self.robot.base).xpos[2]
        soles = [self.data.site(sole_site(name)).xpos[2] - leg.radius for name, leg in self.robot.legs.items()]
        return float(base - min(soles))

    def reset(self, joints: Array, base_position: Array, base_yaw: float = 0.0, settle: float = 0.5) -> None:
        """Put the robot there and let it come to rest; then time starts at 0, with an empty log and no pushes.

        Args:
            joints: angles, held while it settles, (n_joints,) [rad].
            base_position: (3,) [m].
            base_yaw: [rad]; the base is upright.
            settle: how long it comes to rest [s].
        """
        stance = checked_stance(self.robot, joints, base_position, base_yaw, settle)
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        self.joints.stand(data.qpos, *stance)
        setpoints = np.zeros(model.nu)
        setpoints[0::2] = stance[0][self.driven]
        control = self._servos(setpoints[None])[0].copy()
        with silence, self.encoders:
            self._settle(control, round(settle / self.fidelity.step))
            data.time, data.ctrl = 0.0, control  # a controller with its encoder at the joint changes them
            mujoco.mj_forward(model, data)
        data.ctrl = control
        self._begin_log(setpoints)

    def _settle(self, setpoints: Array, steps: int) -> None:
        """Hold the joints for so many physics steps; an explosion is told when the walk begins."""
        self._exploded = ""
        states = self._states
        mujoco.mj_getState(self.model, self.data, states[0], _STATE)
        self._warmstart[0] = self.data.qacc_warmstart
        control = np.tile(setpoints, (min(steps, len(self._sensed)), 1))
        while steps > 0 and not self._exploded:
            n = min(steps, len(control))
            self._step(0, n, control[:n], _CTRL)
            bad = first_mad(states[: n + 1], self.model.nq, self.model.nv, self.fidelity.step)
            if bad:
                self._exploded = explosion(self.model, states[bad - 1 : bad + 1], self.fidelity.step) + AT_REST
                mujoco.mj_setState(self.model, self.data, states[bad - 1], _STATE)
            states[0] = states[n]
            steps -= n

    def _begin_log(self, setpoints: Array) -> None:
        mujoco.mj_getState(self.model, self.data, self._states[0], _STATE)
        self._setpoints[0] = setpoints  # of the joints: what the servos are given may be those of hubs
        self._first = np.array(self.data.sensordata)
        self._warmstart[0] = self.data.qacc_warmstart
        self._height = float(self._states[0, self.base + 2])
        self._old_states = np.zeros((0, self._states.shape[1]))  # before the log, as far as the sensors' delay reaches
        self._old_sensed = np.zeros((0, self._sensed.shape[1]))
        self.pushes.clear()
        self.rows = 0

    @property
    def time(self) -> float:
        """Simulated time since the reset [s]."""
        return float(self._states[self.rows, 0])

    @property
    def fallen(self) -> bool:
        """Whether the base lies: tilted by more than 60° or sunk below half its height at the reset."""
        z, _, x, y = self._states[self.rows, self.base + 2 : self.base + 6].tolist()
        return bool(lies(z, x, y, self._height))

    def push(self, push: Push) -> None:
        """Schedule a push."""
        bodies = [self.model.body(i).name for i in range(1, self.model.nbody)]
        choose("body", push.body or self.robot.base, bodies)
        if push.time < self.time - self.fidelity.step / 2:
            raise BadValue(f"a push at {push.time:g} s comes too late: in the world it is {self.time:.4g} s")
        self.pushes.append(push)

    def read(self) -> SensorReading:
        """What the sensors say: joints of an instant, gyro, accelerometer and soles of the step that led to it.

        With a sensor delay or a sample rate that instant is past, but the reading's time is now.
        """
        time = self.time
        now = round(time / self.fidelity.step)
        sample = self._sample(now)
        state, sensed = self._lately(self.rows - (now - sample))
        soles, sensors = self.soles, self.sensors
        imu, joints, pressures = np.empty(6), np.empty((2, len(self.qpos))), np.empty((1, *soles.points.shape[:2]))
        sense(
            self.joints.encoders, state, sensed, sensors.feet.start, soles.points, soles.counts,
            imu, joints, self._wrenches, pressures,
        )  # fmt: skip
        reading = SensorReading(time, joints[0], joints[1], imu[:3], imu[3:], pressures[0])
        return reading if self._exact else self.sensing.spoil(reading, sample, self.soles.counts)

    def truth(self) -> StateEstimate:
        """Where the robot really was when the readings were taken: what a perfect observer would say."""
        now = round(self.time / self.fidelity.step)
        state, _ = self._lately(self.rows - (now - self._sample(now)))
        a, b = self.base, self.base_speed
        base = state[a : a + 7].copy(), state[b : b + 6].copy()
        return StateEstimate(self.time, base[0][:3], base[0][3:], base[1][:3], base[1][3:])

    def _sample(self, now: int) -> int:
        """The physics step in which the readings were taken that are there in step `now`."""
        return self.sensing.sample(now - self._delay, self.fidelity.step) if self._memory else now

    def _lately(self, row: int) -> tuple[Array, Array]:
        """The state of a row of the log and what was sensed on the way to it; negative rows have been taken already."""
        if row > 0:
            return self._states[row], self._sensed[row - 1]
        if row == 0 or not len(self._old_states):
            return self._states[0], self._first
        k = max(len(self._old_states) + row, 0)
        return self._old_states[k], self._old_sensed[k]

    def write(self, targets: JointTargets) -> None:
        """Drive the joints to the targets, and time on to the moment at which they are due."""
        step, a = self.fidelity.step, self.rows
        n = round((targets.time - self.time) / step) if math.isfinite(targets.time) else 0
        if n < 1:
            raise BadValue(f"targets for {targets.time:.4f} s came at {self.time:.4f} s: too late")
        b = a + n
        if b > len(self._sensed):
            raise BadValue(f"the world's log of {_LOG:g} s is full: collect it with `take`")
        if not self._approach(targets, self._setpoints[a : b + 1]):
            raise BadValue(f"targets for {targets.time:.4f} s are not finite: a joint has no angle or no speed")
        if self._exploded:
            raise Diverged(self._exploded)
        self._step(a, b, *self._controls(a, b))
        self._accept(a, b)

    def _approach(self, targets: JointTargets, rows: Array) -> bool:
        """Write the setpoints of the joints on their way to the targets; whether they are finite."""
        step, drive = self.fidelity.step, self.drive
        if drive is None:
            return approach(targets.position, targets.velocity, self.driven, step, rows)
        position, velocity = targets.position, targets.velocity
        return filtered(position, velocity, self.driven, step, drive.filter, self._fastest, rows)

    def _servos(self, setpoints: Array) -> Array:
        """What the servos are given for setpoints of the joints (n, n_u)."""
        if self.drive is not None:
            at_hubs(setpoints, self.robot.hubs, self._scaled[: len(setpoints)])
        elif self.factors is not None:
            scaled(setpoints, self.factors, self._scaled[: len(setpoints)])
        else:
            return setpoints
        return self._scaled[: len(setpoints)]

    def _step(self, a: int, b: int, control: Array, spec: int) -> None:
        """The physics from row a to row b, with MuJoCo's name for what the control (b - a, n) consists of."""
        with self.encoders:
            self._rollout.rollout(
                self._models, self._datas, self._states[None, a], control[None], nstep=b - a, skip_checks=True,
                initial_warmstart=self._warmstart, state=self._states[None, a + 1 : b + 1],
                sensordata=self._sensed[None, a:b], control_spec=spec,
            )  # fmt: skip
        self._warmstart[0] = self._accelerations

    def _accept(self, a: int, b: int) -> None:
        """Let the steps from row a to row b into the log, up to where the physics leaves the ground of sense."""
        bad = first_mad(self._states[a : b + 1], *self._sizes, self.fidelity.step)
        if not bad:
            self.rows = b
            return
        self.rows = a + bad - 1
        raise Diverged(explosion(self.model, self._states[self.rows : self.rows + 2], self.fidelity.step))

    def _controls(self, a: int, b: int) -> tuple[Array, int]:
        """Setpoints of the steps a to b, with the forces of the pushes that act meanwhile; and MuJoCo's name for it."""
        setpoints = self._servos(self._setpoints[a + 1 : b + 1])
        if not self.pushes:
            return setpoints, _CTRL
        edges = self.time + self.fidelity.step * np.arange(b - a + 1, dtype=np.float64)
        acting = [p for p in self.pushes if p.time < edges[-1] and p.end > edges[0]]
        if not acting:
            return setpoints, _CTRL
        bodies = [self.model.body(p.body or self.robot.base).id for p in acting]
        forces = pushed(acting, bodies, edges, self.model.nbody)
        return np.hstack([setpoints, forces.reshape(b - a, -1)]), _PUSHED

    def instant(self) -> Raw:
        """The log of a single step of which nothing is known but its beginning: what there is before the first step."""
        state, setpoints = self._states[self.rows], self._setpoints[self.rows]
        return Raw(np.stack([state, state]), self._first[None].copy(), np.stack([setpoints, setpoints]))

    def take(self) -> Raw:
        """Hand over what happened since the last `take`, and make room for more."""
        n = self.rows
        raw = Raw(self._states[: n + 1].copy(), self._sensed[:n].copy(), self._setpoints[: n + 1].copy())
        if self._memory and n:
            led = np.vstack([self._first, raw.sensed[:-1]])
            self._old_states = np.vstack([self._old_states, raw.states[:-1]])[-self._memory :]
            self._old_sensed = np.vstack([self._old_sensed, led])[-self._memory :]
        self._states[0], self._setpoints[0] = raw.states[-1], raw.setpoints[-1]
        if n:
            self._first = raw.sensed[-1]
        self.rows = 0
        return raw
