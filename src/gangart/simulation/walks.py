"""What many simulations did, and the bookkeeping of those that still run: falls and explosions end them one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.signals import Array, Ints
from gangart.simulation.explosion import AT_REST, explosion, first_mad
from gangart.simulation.fidelity import Fidelity
from gangart.simulation.joints import Joints
from gangart.simulation.setpoints import substeps
from gangart.simulation.simulate import AFTER_FALL

_BLOCK = 0.5  # [s] that run in one call


@dataclass(frozen=True, eq=False)
class Walks:
    """What many simulations did, from the first instant on; what comes after a simulation's end is NaN."""

    time: Array  # (n,) [s]
    states: Array  # (n_sim, n, n_state) full physics state: time, qpos, qvel, act
    steps: Ints  # (n_sim,) physics steps until the end of the walk, a second after a fall, or before an explosion
    fell: Array  # (n_sim,) [s] when it fell, NaN where it did not
    diverged: tuple[str | None, ...]  # (n_sim,) why the physics came to no end
    joints: Joints  # where things stand in a row of the states

    @property
    def position(self) -> Array:
        """Joint angles (n_sim, n, n_joints) [rad]."""
        return self.joints.angles(self.states)

    @property
    def velocity(self) -> Array:
        """Joint speeds (n_sim, n, n_joints) [rad/s]."""
        return self.joints.speeds(self.states)

    @property
    def base_position(self) -> Array:
        """Of the base in the world, (n_sim, n, 3) [m]."""
        return self.states[..., self.joints.base : self.joints.base + 3]

    @property
    def base_orientation(self) -> Array:
        """Base to world, (n_sim, n, 4) wxyz."""
        return self.states[..., self.joints.base + 3 : self.joints.base + 7]


class Run:
    """Follows the simulations of one walk: which of them still run, and what they have done."""

    def __init__(
        self,
        models: Sequence[mujoco.MjModel],
        joints: Joints,
        fidelity: Fidelity,
        robot: Robot,
        ticks: int,
        every: int,
    ) -> None:
        """A walk of some ticks; of its steps one row per `every` is kept."""
        self._models, self._joints, self._step, self._every = models, joints, fidelity.step, every
        self._tick = substeps(robot, fidelity)  # [steps]
        self._watch = self._tick * max(1, round(AFTER_FALL / robot.tick))  # [steps] that a fallen robot is watched
        self.block = self._tick * max(1, round(_BLOCK / robot.tick))  # [steps] that run in one call
        self.count = self._tick * ticks  # [steps]
        n = len(models)
        self.running: Ints = np.arange(n)
        self.last = np.empty((n, 0))  # (n_sim, n_state) before the next block
        self._why: list[str | None] = [None] * n
        self._end = np.full(n, self.count)  # [steps]
        self._fell = np.full(n, np.nan)

    def blocks(self, steps: int) -> Iterator[int]:
        """First step of each block of so many steps, for as long as any simulation runs."""
        for a in range(0, steps, self.block):
            if len(self.running):
                yield a

    def settle(self, found: Array) -> None:
        """A block (n_run, n, n_state) before the walk."""
        for i, rows in zip(self.running, found, strict=True):
            n, why = self._sane(i, rows)
            self.last[i] = rows[n - 1] if n else self.last[i]
            if why:
                self._end[i], self._why[i] = 0, why + AT_REST
        self.running = np.array([i for i in self.running if self._end[i] > 0], dtype=np.int64)

    def begin(self, rows: Array) -> None:
        """The first instant; where it exploded before, the last one that made sense."""
        self.last[self.running] = rows[self.running]
        self.last[:, 0] = 0.0
        self._height = self.last[:, self._joints.base + 2].copy()
        self._states = np.full((len(self.last), self.count // self._every + 1, self.last.shape[1]), np.nan)
        self._states[:, 0] = self.last

    def keep(self, a: int, found: Array) -> None:
        """A block (n_run, n, n_state) of the walk, from step a on."""
        for i, rows in zip(self.running, found, strict=True):
            n, why = self._sane(i, rows)
            self._look_for_fall(i, a, rows[:n])
            if why and a + n < self._end[i]:
                self._end[i], self._why[i] = a + n, why
            n = min(n, self._end[i] - a)
            first = -(a + 1) % self._every  # of the rows after steps a + 1, a + 2 ... the first that is kept
            kept = rows[first : n : self._every]
            at = (a + 1 + first) // self._every
            self._states[i, at : at + len(kept)] = kept
            self.last[i] = rows[-1]
        later = a + found.shape[1]
        self.running = np.array([i for i in self.running if self._end[i] > later], dtype=np.int64)

    def _sane(self, i: int, rows: Array) -> tuple[int, str]:
        """How many of the rows make sense, and what is to be said of the next one."""
        model = self._models[i]
        led = np.vstack([self.last[i], rows])
        bad = first_mad(led, model.nq, model.nv, self._step)
        return (bad - 1, explosion(model, led[bad - 1 : bad + 1], self._step)) if bad else (len(rows), "")

    def _look_for_fall(self, i: int, a: int, rows: Array) -> None:
        """As `simulate` looks: at the end of each tick."""
        n = self._tick
        lying = np.flatnonzero(self._joints.lie(rows[n - 1 :: n], self._height[i]))
        if np.isnan(self._fell[i]) and len(lying):
            row = n * (int(lying[0]) + 1) - 1
            self._fell[i] = rows[row, 0]
            self._end[i] = min(self._end[i], a + row + 1 + self._watch)

    def walks(self) -> Walks:
        """What is there now."""
        time = self._step * self._every * np.arange(self._states.shape[1], dtype=np.float64)
        return Walks(time, self._states, self._end, self._fell, tuple(self._why), self._joints)
