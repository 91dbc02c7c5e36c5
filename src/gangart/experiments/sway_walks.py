"""The walks of `forward-sway`: one machine, one level of realism, one compensation, one floor each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gangart.analysis.metrics import WalkFigures, orientation, walk_figures
from gangart.compensation import compensation_of
from gangart.control import BipedEngine
from gangart.robots import Robot, load
from gangart.robots.wear import load_wear
from gangart.signals import Array, Command, Recording
from gangart.simulation import Ground, Sensing, World, fidelity_of, simulate

COMMAND = Command(0.2)
SHOWN = (4.0, 7.0)  # [s] of the tilt that is drawn
DELAY = 0.04  # [s] of readings on the real robot: two ticks of the DCM, and filters
SENSING = Sensing(gyro=0.03, accelerometer=0.3, angle=0.001, force=0.3)

COMPENSATIONS: dict[str, tuple[str, ...]] = {  # the same recipe for every machine
    "none": (),
    "ZMP": ("zmp",),
    "arms": ("arms",),
    "ZMP and arms": ("zmp", "arms"),
    "arms, late readings": ("arms",),
    "patient arms, late readings": ("patient-arms",),
    "constant offsets": ("constant",),
    "offsets": ("offsets",),
    "ZMP and offsets": ("zmp", "offsets"),
    "ZMP, offsets and slip": ("zmp", "offsets", "slip"),
}


@dataclass(frozen=True)
class Job:
    """One walk to simulate."""

    preset: str
    level: str  # of realism, as the thesis names it
    what: str  # of COMPENSATIONS
    friction: float
    duration: float  # [s]


@dataclass(frozen=True, eq=False)
class Walked:
    """How it went."""

    job: Job
    figures: WalkFigures
    time: Array  # (n,) [s] of the tilt
    tilt: Array  # (n,) [rad] about y, within SHOWN

    @property
    def errors(self) -> tuple[float, float]:
        """f_x, f_y [rad²], brought to the 20 s of the thesis."""
        scale = 20.0 / self.figures.duration
        return self.figures.orientation_error[0] * scale, self.figures.orientation_error[1] * scale


def walked(job: Job) -> Walked:
    """Simulate one walk."""
    robot = load("nao")
    r = record(robot, job)
    rows = (r.time > SHOWN[0]) & (r.time < SHOWN[1])
    return Walked(job, walk_figures(r, robot), r.time[rows], orientation(r)[1][rows])


def record(robot: Robot, job: Job) -> Recording:
    """Simulate one walk, all of it."""
    wear, late = load_wear(robot, job.preset), "late" in job.what
    parts = COMPENSATIONS[job.what]
    found = compensation_of(BipedEngine(robot), wear, parts, command=COMMAND, delay=DELAY) if parts else None
    engine = BipedEngine(robot, compensation=found)
    fidelity = replace(fidelity_of(job.level), sensor_delay=DELAY if late else 0.0)
    world = World(robot, fidelity, Ground(job.friction), wear=wear, sensing=SENSING if late else Sensing())
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, COMMAND, job.duration)


def together(walks: list[Walked]) -> Array:
    """f_x and f_y (n, 2) [rad²] of walks."""
    return np.array([w.errors for w in walks])
