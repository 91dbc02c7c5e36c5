"""A robot of four legs that is told at random what to do next, and how safely it does that, in one simulated run.

The run is as long as it takes, so only figures are kept: one row per tick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gangart.control import stance_kernel
from gangart.control.leg_control import LegControl, Stance
from gangart.control.selector import LIE, STAND, GaitSelector
from gangart.errors import Unreachable
from gangart.robots import Robot
from gangart.signals import Array, BodyPose, Bools, Command, heading
from gangart.simulation import Fidelity, Ground, World
from gangart.simulation.log import TOUCH, columns

FRICTION = 0.8
_PATIENCE = 60.0  # [s] in which every goal has to be reached
_MARGIN = 0.06  # [m] of a random stance, so that body and feet may err
STANCE = "stance"
MORPH, STOP = "walking", "stop"


@dataclass(frozen=True, eq=False)
class Switch:
    """What was asked for, and what came of it."""

    start: str  # what the robot was
    goal: str  # "stand", "lie", "stance" or a gait
    how: str  # "walking", or by a "stop"
    interrupted: bool  # whether something else was selected before it was done
    time: float  # [s] when it was asked for
    duration: float  # [s] until it was done
    margin: float  # [m] the least of the centre of mass inside the feet that touch the ground; inf where none counts
    legs: int  # how many legs touched the ground at least


@dataclass
class Tour:
    """A run: what was asked for, in its order, and what each tick was like."""

    switches: list[Switch] = field(default_factory=list)
    fell: float | None = None  # [s]
    refusals: list[str] = field(default_factory=list)
    rows: list[tuple[float, ...]] = field(default_factory=list)  # time [s], state, margin [m], feet, speed [rad/s]
    states: tuple[str, ...] = ("lying", "standing", "repositioning", "walking", "stopping")

    @property
    def log(self) -> Array:
        """Time [s], number of the state, margin [m], feet on the ground, largest speed of a target [rad/s]: (n, 5)."""
        return np.array(self.rows)

    def during(self, state: str) -> Array:
        """The rows of a state."""
        log = self.log
        return np.asarray(log[log[:, 1] == self.states.index(state)])


def tour(robot: Robot, count: int, seed: int, progress: Callable[[float], None] = lambda part: None) -> Tour:
    """Ask for so many things; ends early with a fall."""
    return _Run(robot, seed).through(count, progress)


class _Run:
    def __init__(self, robot: Robot, seed: int) -> None:
        self.robot, self.rng = robot, np.random.default_rng(seed)
        self.selector = GaitSelector(robot)
        self.legs = LegControl(robot)
        self.world = World(robot, Fidelity(motor=True), Ground(FRICTION))
        self.world.reset(*self.selector.stance(), settle=1.0)
        self.world.take()
        self.selector.reset(self.world.read())
        self.tour, self.command = Tour(), Command()
        self.gaits = [name for name in robot.gaits if robot.gaits[name].height == 0.32]
        self._last: Array | None = None
        self._least = TOUCH * robot.mass * 9.81  # [N] from which on a foot bears

    def through(self, count: int, progress: Callable[[float], None]) -> Tour:
        for k in range(count):
            self._switch(self._goal())
            progress((k + 1) / count)
            if self.tour.fell is not None:
                break
        return self.tour

    # ------------------------------------------------------------------ what to ask for

    def _goal(self) -> str | Stance:
        """Gaits mostly; now and then stances of any kind, standing and lying."""
        draw = self.rng.uniform()
        if draw < 0.25:
            return self._stance()
        if draw < 0.31:
            return LIE
        if draw < 0.4:
            return STAND
        return str(self.rng.choice([name for name in self.gaits if name != self.selector.selected]))

    def _stance(self) -> Stance:
        home = self.legs.home(0.32)
        while True:
            turned = self.rng.uniform(-1.0, 1.0, 6) * [0.03, 0.03, 0.04, 0.1, 0.1, 0.2]
            stance = Stance(home.feet + self.rng.uniform(-0.05, 0.05, (4, 2)), home.pose + turned)
            try:
                if self.legs.margin(stance) >= _MARGIN:
                    return stance
            except Unreachable:
                continue

    def _command(self) -> Command:
        """Within what every gait does."""
        x, y, turn = self.rng.uniform(-1.0, 1.0, 3) * [0.3, 0.1, 0.3]
        return Command(float(x), float(y), float(turn))

    def _pose(self) -> BodyPose:
        x, y, z, roll, pitch, yaw = (
            float(v) for v in self.rng.uniform(-1.0, 1.0, 6) * [0.01, 0.01, 0.02, 0.05, 0.05, 0.1]
        )
        return BodyPose(x, y, z, roll, pitch, yaw)

    # ------------------------------------------------------------------ one of them

    def _switch(self, goal: str | Stance) -> None:
        s, start = self.selector, self._name(self.selector.selected)
        morphs = s.state == "walking" and isinstance(goal, str) and goal in self.robot.gaits[s.gait].into
        s.select(goal)
        self.command = self._command()
        s.pose = self._pose() if self.rng.uniform() < 0.3 else BodyPose()
        begin, row = self.world.time, len(self.tour.rows)
        impatient = bool(self.rng.uniform() < 0.1)
        until = float(self.rng.uniform(0.05, 3.0)) if impatient else _PATIENCE
        while not self._done() and self.world.time - begin < until and self.tour.fell is None:
            self._tick()
        done = self._done()
        duration = self.world.time - begin
        if s.notes and isinstance(goal, Stance) and s.selected is not goal:
            self.tour.refusals.append(s.notes[0])
        if done:
            self._wait(float(self.rng.uniform(0.3, 2.0)))
        elif not impatient and self.tour.fell is None:
            self.tour.refusals.append(f"{self._name(goal)} was not reached from {start} in {_PATIENCE:g} s")
        rows = np.array(self.tour.rows[row:])
        how, over = MORPH if morphs else STOP, impatient and not done
        margin, feet = float(np.nanmin(rows[:, 2], initial=np.inf)), int(rows[:, 3].min())
        self.tour.switches.append(Switch(start, self._name(goal), how, over, begin, duration, margin, feet))

    def _name(self, goal: str | Stance) -> str:
        return goal if isinstance(goal, str) else STANCE

    def _done(self) -> bool:
        s = self.selector
        if isinstance(s.selected, str) and s.selected in self.robot.gaits:
            return s.state == "walking" and s.gait == s.selected and not s.walker.changing
        return s.state in ("standing", "lying") and s._at == s.selected

    def _wait(self, time: float) -> None:
        for _ in range(round(time / self.robot.tick)):
            if self.tour.fell is None:
                self._tick()

    def _tick(self) -> None:
        s, world = self.selector, self.world
        targets = s.tick(self.command, world.read())
        world.write(targets)
        log = columns(world, world.take())
        moved = 0.0 if self._last is None else float(np.abs(targets.position - self._last).max()) / self.robot.tick
        self._last = targets.position
        contact = np.asarray(log["foot_wrench"])[:, :, 2].mean(axis=0) > self._least  # on average over the tick
        feet = np.asarray(log["foot_pose"])[-1, :, :2]
        margin = np.nan
        if s.state in ("standing", "repositioning") and not s.lies:
            p = self._com(log)
            margin = stance_kernel.inside(np.ascontiguousarray(feet), contact, p[0], p[1])
        self.tour.rows.append((world.time, self.tour.states.index(s.state), margin, int(contact.sum()), moved))
        if world.fallen and not s.lies:
            self.tour.fell = world.time

    def _com(self, log: Mapping[str, Array | Bools]) -> Array:
        """The true centre of mass in the world [m]."""
        orientation = np.asarray(log["base_orientation"])[-1]
        w, x, y, z = orientation
        roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        pitch, yaw = np.arcsin(2.0 * (w * y - z * x)), heading(orientation)
        pose = np.array([*np.asarray(log["base_position"])[-1], roll, pitch, yaw])
        return self.legs.com(np.asarray(log["position"])[-1][self.legs.legs.columns], pose)
