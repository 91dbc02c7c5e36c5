"""The simulation loop with engine, log and columns against the bare physics of the very same steps."""

from __future__ import annotations

from statistics import median

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.row import Row, Setting, at_most, told
from benchmarks.timing import ratio, seconds, take_turns
from gangart.control import BipedEngine
from gangart.control.engine import Engine
from gangart.control.replay import Replay
from gangart.robots import load
from gangart.robots.wear import Wear
from gangart.signals import Array, Command, Recording
from gangart.simulation import IDEAL, Fidelity, Raw, World, simulate

DURATION, SPEED = 10.0, 0.2  # [s], [m/s]
BAR = 1.25
_FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


def rows(setting: Setting) -> list[Row]:
    """simulate() over bare MuJoCo."""
    run = Run(DURATION)
    run.walk()  # warm, and the setpoints for the bare physics
    run.rollout(), run.loop()
    found = take_turns(setting.rounds(9, 3), simulate=run.walk, rollout=run.rollout, mj_step=run.loop)
    whole, steps = median(found["simulate"]), len(run.setpoints)
    return [
        at_most(
            "simulate() / mujoco.rollout", ratio(found["simulate"], found["rollout"]), "x", BAR,
            f"{DURATION:g} s at {SPEED:g} m/s, recorded in memory, over one rollout of the same {steps} steps and"
            f" setpoints, {run.agreement()}; {DURATION / whole:.0f} times real time",
            simulate=whole, rollout=median(found["rollout"]),
        ),
        told(
            "simulate() / loop of mj_step", ratio(found["simulate"], found["mj_step"]), "x",
            "the same over a Python loop that sets the setpoints and calls mj_step",
            simulate=whole, mj_step=median(found["mj_step"]),
        ),
    ]  # fmt: skip


class _KeepingWorld(World):
    """Keeps the log that it hands over."""

    kept: list[Raw]

    def take(self) -> Raw:
        raw = super().take()
        self.kept.append(raw)
        return raw

    def controls(self) -> Array:
        """What the servos got (n, n_u) in each step that was kept, with all that an encoder at the joint changed."""
        found = np.concatenate([raw.setpoints[1:] for raw in self.kept])  # the first is from before the first step
        before = np.concatenate([raw.states[:-1] for raw in self.kept])
        if self.factors is not None:
            found[:, 1::2] *= self.factors
        for i in np.flatnonzero(self.model.actuator_user[:, 0]):
            q, v, factor = self.model.actuator_user[i]
            found[:, 2 * i] -= before[:, int(q)]
            found[:, 2 * i + 1] -= before[:, self.model.nq + int(v)] * factor
        return found


class Run:
    """One walk, with everything and with the physics alone; each method gives its time [s]."""

    recording: Recording
    setpoints: Array  # (n, n_u) of the servos, step by step
    bare: Array  # (n, n_state) after each step of the physics alone

    def __init__(self, duration: float, fidelity: Fidelity = IDEAL, wear: Wear | None = None) -> None:
        """A Nao on the default ground; the walk lasts `duration` [s]."""
        robot = load("nao")
        self.duration = duration
        walking = BipedEngine(robot)
        self.engine: Engine = walking
        self._stance = walking.stance()
        self.world = _KeepingWorld(robot, fidelity, wear=wear)
        self.world.reset(*self._stance)
        self._model, data = self.world.model, self.world.data
        self._begin = np.empty(mujoco.mj_stateSize(self._model, _FULL))
        mujoco.mj_getState(self._model, data, self._begin, _FULL)
        self._warmstart = np.array(data.qacc_warmstart)
        self._data = mujoco.MjData(self._model)
        self._rollout = rollout.Rollout(nthread=0)

    def walk(self) -> float:
        """Engine, physics, log and recording; standing up is not counted."""
        self.world.reset(*self._stance)
        self.world.kept = []
        found = seconds(self._simulate)
        self.setpoints = self.world.controls()
        return found

    def replay(self) -> None:
        """From now on the targets of the last walk are replayed: an engine that thinks of nothing."""
        self.engine = Replay.of_recording(self.recording, self.world.robot)

    def rollout(self) -> float:
        """The physics in one call of MuJoCo."""
        n = len(self.setpoints)
        self.bare, sensed = np.empty((n, len(self._begin))), np.empty((n, self._model.nsensordata))
        return seconds(
            lambda: self._rollout.rollout(
                [self._model], [self._data], self._begin[None], self.setpoints[None], nstep=n, skip_checks=True,
                initial_warmstart=self._warmstart[None], state=self.bare[None], sensordata=sensed[None],
            )
        )  # fmt: skip

    def loop(self) -> float:
        """The physics step by step from Python."""
        mujoco.mj_setState(self._model, self._data, self._begin, _FULL)
        self._data.qacc_warmstart[:] = self._warmstart
        return seconds(self._step_by_step)

    def agreement(self) -> str:
        """That both have done the same, or how far they are apart."""
        off = float(np.abs(self.world.joints.angles(self.bare[:-1]) - self.recording.position[1:]).max())
        return "which ends in the same bits" if off == 0.0 else f"whose joint angles differ by up to {off:.1g} rad"

    def _simulate(self) -> None:
        self.recording = simulate(self.world, self.engine, Command(SPEED), self.duration)

    def _step_by_step(self) -> None:
        model, data = self._model, self._data
        for setpoint in self.setpoints:
            data.ctrl[:] = setpoint
            mujoco.mj_step(model, data)
