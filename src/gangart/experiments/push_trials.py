"""Pushes from the side while a quadruped walks, one after the other, and how often it stays up."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gangart.control.balance import Balance
from gangart.control.cyclic import CyclicEngine
from gangart.experiments.gait_track import FRICTION, LEVEL, gathers, go, new_world
from gangart.experiments.proportion import wilson
from gangart.robots import Gait, load
from gangart.signals import Command, heading
from gangart.simulation import Push, Sensing, World

LASTS = 0.001  # [s] of a push, 8.2.1
WATCHED = 2.0  # [s] after a push in which a robot that is going to fall does so
ENOUGH = 0.95  # [1] of the pushes have to be survived
DELAY = 0.02  # [s] of the sensors of a robot that balances
NOISE = Sensing(gyro=0.01, accelerometer=0.1, angle=0.001, speed=0.05)


@dataclass(frozen=True)
class Job:
    """Some pushes of one strength."""

    gait: str
    speed: float  # [m/s]
    impulse: float  # [N s]
    pushes: int
    seed: tuple[int, ...]  # of times and sides, and of the sensors' noise
    balance: bool = False
    spread: float | None = None  # [m] by which feet stand farther out than at home; None is as the gait has it
    friction: float = FRICTION


@dataclass(frozen=True)
class Level:
    """How often a gait survives pushes of one strength."""

    gait: str
    speed: float  # [m/s]
    impulse: float  # [N s]
    survived: int
    pushes: int
    balance: bool = False
    spread: float | None = None  # as in `Job`
    friction: float = FRICTION

    @property
    def share(self) -> float:
        """Of pushes that it survived [1]."""
        return self.survived / self.pushes

    @property
    def sure(self) -> tuple[float, float]:
        """Between which shares [1] the true one lies in 95 of 100 cases."""
        return wilson(self.survived, self.pushes)


def survived(job: Job) -> int:
    """Push the robot at random times from random sides, and count how often it is still up 2 s later.

    Each push comes at any phase of the gait alike. Who stays up walks on and is pushed again; after a fall another
    robot begins anew.
    """
    random = np.random.default_rng(job.seed)
    engine = make(job)
    world, up = None, 0
    for _ in range(job.pushes):
        if world is None:
            world = _walking(engine, job, int(random.integers(2**31)))
        side, wait = random.choice((-1.0, 1.0)), random.uniform(0.0, engine.gait.cycle)
        up += _stays_up(world, engine, job, float(side), float(wait))
        if world.fallen:
            world = None
    return up


def make(job: Job) -> CyclicEngine:
    """The engine of a job: a gait as its file has it, or with its limit at the speed that is asked for."""
    robot = load("quadruped")
    gait: Gait = robot.gaits[job.gait]
    spread = gait.spread if job.spread is None else job.spread
    gait = replace(gait, forward=max(gait.forward, job.speed), spread=spread)
    return CyclicEngine(robot, gait, balance=Balance() if job.balance else None)


def _walking(engine: CyclicEngine, job: Job, noise: int) -> World:
    fidelity = replace(LEVEL, sensor_delay=DELAY) if job.balance else LEVEL
    sensing = replace(NOISE, seed=noise) if job.balance else None
    world = new_world(engine, fidelity, sensing, job.friction)
    command = Command(job.speed)
    go(world, engine, command, gathers(engine, command))
    return world


def _stays_up(world: World, engine: CyclicEngine, job: Job, side: float, wait: float) -> bool:
    """Walk on for a while [s], push, and watch. A robot that was pushed before has turned: its side is meant."""
    command = Command(job.speed)
    at, force = world.time + wait, side * job.impulse / LASTS
    yaw = float(heading(world.truth().base_orientation))
    world.push(Push(at, LASTS, (-np.sin(yaw) * force, np.cos(yaw) * force, 0.0)))
    go(world, engine, command, at + LASTS + WATCHED)
    return not world.fallen


def limit(levels: list[Level]) -> float:
    """The strongest pushes [N s] that are survived often enough, as are all weaker ones; 0 if there are none."""
    found = 0.0
    for level in sorted(levels, key=lambda x: x.impulse):
        if level.share < ENOUGH:
            break
        found = level.impulse
    return found
