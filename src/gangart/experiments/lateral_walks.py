"""The walks of 5.2: slow, straight on, with steps so long that the real robot rocks itself over sideways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gangart.analysis import WalkFigures, walk_figures
from gangart.compensation import Compensation, Recipe, prepare
from gangart.control import BipedEngine
from gangart.experiments.torso_path import torso_path
from gangart.experiments.touch_down import TouchDown, touch_downs
from gangart.pattern.zmp import ZmpName
from gangart.robots import Robot
from gangart.robots.robot import Walk
from gangart.robots.wear import Wear
from gangart.signals import Command, Recording
from gangart.simulation import FULL, Fidelity, Ground, World, simulate

COMMAND = Command(0.05)
DOUBLE_STEP = 2.0  # [s]
PLACE = 0.055  # [m] where the ZMP rests beside the middle (5.1.1, figure 5.1): the middle of the sole
FRICTION = 1.0
FREE = 0.7  # [rad] 40°
PLAIN, ZMP, BOTH = "none", "ZMP", "ZMP and offsets"
COMPENSATIONS = (PLAIN, ZMP, BOTH)
_KEPT = 10.0  # [s] of each recording: a minute of them all would not fit into the memory
_RECIPE = Recipe(nodes=(1, 1, 1))


@dataclass(frozen=True, eq=False)
class Trial:
    """One simulated walk."""

    preset: str
    zmp: ZmpName
    compensation: str  # one of COMPENSATIONS
    level: str  # of realism
    walked: float  # [s] until it fell, or as long as it was simulated
    figures: WalkFigures
    landings: tuple[TouchDown, ...]  # all before a fall
    recording: Recording  # its first seconds

    @property
    def fell(self) -> bool:
        """Whether it fell."""
        return self.figures.fell


def settings(robot: Robot, double_step: float = DOUBLE_STEP, place: float = PLACE, ratio: float | None = None) -> Walk:
    """The robot's walk with other steps, for walking straight on at one speed.

    Args:
        robot: whose walk is changed.
        double_step: [s].
        place: of the ZMP in a single support, from the middle between the feet [m].
        ratio: part of the time on both feet; None takes the robot's own.
    """
    walk = BipedEngine(robot).walk
    return replace(
        walk,
        double_step_duration=double_step,
        double_support_ratio=walk.double_support_ratio if ratio is None else ratio,
        zmp_inward=walk.foot_spacing / 2.0 - place,
        # nothing else is asked for, so that compensations are prepared for just this speed
        limits=replace(walk.limits, forward=COMMAND.vx, backward=0.0, sideways=0.0, turn=0.0),
    )


def with_free_rolls(robot: Robot, folder: Path) -> Robot:
    """The robot with rolls of hips and ankles that turn 40° either way; its model is written into a folder."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(robot.model_path))
    legs = {joint for leg in robot.legs.values() for joint in leg.joints if joint.endswith("Roll")}
    for joint in legs:
        spec.joint(joint).range = (-FREE, FREE)
    path = folder / "free.xml"
    path.write_text(spec.to_xml(), encoding="utf-8")
    return replace(robot, model_path=path)


def compensation(robot: Robot, walk: Walk, zmp: ZmpName, wear: Wear, what: str) -> Compensation | None:
    """What an engine with these settings gets."""
    if what == PLAIN:
        return None
    return prepare(BipedEngine(robot, walk=walk, zmp=zmp), wear if what == BOTH else None, _RECIPE)


def trial(
    robot: Robot,
    wear: Wear,
    zmp: ZmpName,
    duration: float,
    *,
    walk: Walk | None = None,
    what: str = PLAIN,
    fidelity: Fidelity = FULL,
) -> Trial:
    """Walk a worn robot for a while [s]."""
    walk = walk or settings(robot)
    engine = BipedEngine(robot, walk=walk, zmp=zmp, compensation=compensation(robot, walk, zmp, wear, what))
    world = World(robot, fidelity, Ground(FRICTION), wear=wear)
    world.reset(*engine.stance(), settle=1.0)
    recording = simulate(world, engine, COMMAND, duration)
    figures = walk_figures(recording, robot)
    walked = duration if figures.fell_at is None else figures.fell_at
    path = torso_path(recording, robot)
    landings = touch_downs(recording, path.sideways(path.wanted, recording.time))
    kept = beginning(recording, _KEPT)
    return Trial(wear.name, zmp, what, fidelity.name, walked, figures, landings, kept)


def beginning(r: Recording, lasts: float) -> Recording:
    """The first seconds of a recording, without hold on the rest."""
    rows = int(np.searchsorted(r.time, r.time[0] + lasts))
    return replace(r, **{name: column[:rows].copy() for name, column in r.columns().items()})  # type: ignore[arg-type]
