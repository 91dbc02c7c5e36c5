"""Worn robots on a slippery floor walk to goal poses with steps of a wrong length, knowing where they are or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gangart.control import BipedEngine
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Value, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.footsteps import StepLimits, plan
from gangart.robots import load
from gangart.robots.wear import load_wear, worn
from gangart.simulation import FULL, Ground, World
from gangart.simulation.goal import GoalWalk, patience_for, walk_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gangart.control.route import Pose

FRICTION = 0.25
STEP_ERROR = 0.1
GOALS, QUICK = 200, 10
NEAR, ASKEW = 0.03, math.radians(3.0)  # [m], [rad] the bars
REGION = 2.0  # [m] to each side
WAYS = ("online", "open loop")
_BLUE, _ORANGE, _INK = "#1f6fb2", "#d1662b", "#1c1c1e"


@dataclass(frozen=True)
class Job:
    """One goal for one worn robot."""

    number: int
    goal: Pose
    wear: str
    step_error: float  # [1]


@dataclass(frozen=True)
class Result:
    """How one walk ended."""

    arrived: bool
    fell: bool
    duration: float  # [s]
    steps: int
    planned: int  # steps of the plan at the start
    position_error: float  # [m]
    yaw_error: float  # [rad]


def run(setting: Setting) -> Report:
    """Every goal twice: planned anew before each step from the true pose, and the plan at the start walked blindly."""
    jobs = jobs_of(setting.seed, QUICK if setting.quick else GOALS)
    pairs = side_by_side(walked, jobs, lambda count: setting.progress(count / len(jobs)))
    online, blind = (list(results) for results in zip(*pairs, strict=True))
    return Report(
        title="Walking to a goal with steps of the wrong length",
        question="Does a worn Nao on a slippery floor end where it was told to, if its steps are a tenth too long or"
        " too short and it plans them anew from where it is?",
        found="The plan of the prototype is made once; that steps slip and come out longer or shorter than asked for is"
        " not regarded, and named as what an online planner would have to mend. There are no figures.",
        rows=_rows(online, blind),
        verdicts=_verdicts(online, blind),
        parameters=_parameters(setting, len(jobs)),
        tables=(_by_robot(jobs, online, blind), _worst(jobs, online, blind)),
        pictures=(
            Picture(
                "ends",
                "How far from its goal each walk ended, and how much turn was missing. Left: planned anew before each"
                " step; right: the plan made at the start, walked blindly. The dashed lines are the bars.",
                _ends(online, blind),
            ),
        ),
    )


def jobs_of(seed: int, count: int) -> list[Job]:
    """Random goals; the worn robots take turns, and so do steps that are too long and too short."""
    rng = np.random.default_rng(seed)
    names = list(worn(load("nao")))
    jobs = []
    for k in range(count):
        x, y, yaw = rng.uniform(-1.0, 1.0, 3) * [REGION, REGION, math.pi]
        error = STEP_ERROR if (k // len(names)) % 2 == 0 else -STEP_ERROR
        jobs.append(Job(k, (float(x), float(y), float(yaw)), names[k % len(names)], error))
    return jobs


@cache
def _machine(preset: str, step_error: float) -> tuple[BipedEngine, World]:
    robot, wear = load("nao"), load_wear(load("nao"), preset)
    return BipedEngine(robot, step_error=step_error), World(robot, FULL, Ground(FRICTION), wear=wear)


def walked(job: Job) -> tuple[Result, Result]:
    """The walk online and the walk along the same plan, blindly."""
    return _walk(job, online=True), _walk(job, online=False)


def _walk(job: Job, *, online: bool) -> Result:
    engine, world = _machine(job.wear, job.step_error)
    made = plan((0.0, 0.0, 0.0), job.goal, StepLimits.of(engine.robot))
    world.reset(*engine.stance(), settle=1.0)
    found: GoalWalk = walk_to(world, engine, job.goal, online=online, patience=patience_for(made, engine))
    lasts = found.recording.duration
    return Result(found.arrived, found.fell, lasts, found.steps, len(made), found.position_error, found.yaw_error)


def within(result: Result) -> bool:
    """Whether a walk meets the bars."""
    return not result.fell and result.position_error <= NEAR and result.yaw_error <= ASKEW


def _rows(online: Sequence[Result], blind: Sequence[Result]) -> tuple[Row, ...]:
    rows = []
    for word, results in zip(WAYS, (online, blind), strict=True):
        off, askew = _errors(results)
        rows += [
            Row(f"{word}: falls", None, sum(r.fell for r in results)),
            Row(f"{word}: final distance, median", None, float(np.median(off)), "mm"),
            Row(f"{word}: final distance, largest", None, float(off.max()), "mm"),
            Row(f"{word}: final turn that is missing, median", None, float(np.median(askew)), "°"),
            Row(f"{word}: final turn that is missing, largest", None, float(askew.max()), "°"),
            Row(f"{word}: ends within 3 cm and 3°", None, float(np.mean([within(r) for r in results])), "%"),
            Row(f"{word}: steps over those planned", None, sum(r.steps for r in results) / _planned(results), "1"),
        ]
    return tuple(rows)


def _planned(results: Sequence[Result]) -> int:
    return max(sum(r.planned for r in results), 1)


def _errors(results: Sequence[Result]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([r.position_error for r in results]), np.array([r.yaw_error for r in results])


def _verdicts(online: Sequence[Result], blind: Sequence[Result]) -> tuple[Verdict, ...]:
    n, near = len(online), sum(within(r) for r in online)
    falls = sum(r.fell for r in online)
    return (
        Verdict(f"online, {near} of {n} walks end within 3 cm and 3° of their goal", near == n),
        Verdict(f"online, {falls} of {n} walks end in a fall", falls == 0),
        Verdict(f"the same plans, walked blindly, end there in {sum(within(r) for r in blind)} of {n} walks"),
    )


def _parameters(setting: Setting, count: int) -> tuple[Parameter, ...]:
    robot = load("nao")
    return (
        Parameter("mass", robot.mass, "kg"),
        Parameter("level of realism", FULL.name),
        Parameter("friction", FRICTION, "1"),
        Parameter("step error", STEP_ERROR, "%", "each step that much too long for one half of the walks, too short for"
                  " the other: ahead, aside and in turning"),
        Parameter("goals", count, "", f"of seed {setting.seed}, within {REGION:g} m to each side, all headings"),
        Parameter("planner", "hybrid"),
        Parameter("compensation", "none"),
        Parameter("pose", "true", "", "what the robot knows of where it is, online"),
    )  # fmt: skip


def _by_robot(jobs: Sequence[Job], online: Sequence[Result], blind: Sequence[Result]) -> Table:
    columns = (
        Column("worn Nao"), Column("steps", "%"), Column("walks"), Column("online, largest", "mm"),
        Column("online, largest", "°"), Column("online, falls"), Column("open loop, median", "mm"),
        Column("open loop, median", "°"), Column("open loop, falls"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for wear in dict.fromkeys(j.wear for j in jobs):
        for error in (STEP_ERROR, -STEP_ERROR):
            mine = [k for k, j in enumerate(jobs) if j.wear == wear and j.step_error == error]
            if not mine:
                continue
            on, off = [online[k] for k in mine], [blind[k] for k in mine]
            (far, askew), (far_blind, askew_blind) = _errors(on), _errors(off)
            rows.append((
                wear, error, len(mine), float(far.max()), float(askew.max()), sum(r.fell for r in on),
                float(np.median(far_blind)), float(np.median(askew_blind)), sum(r.fell for r in off),
            ))  # fmt: skip
    return Table("Each worn Nao", columns, tuple(rows), "Steps: how much longer they are than asked for.")


def _worst(jobs: Sequence[Job], online: Sequence[Result], blind: Sequence[Result]) -> Table:
    columns = (
        Column("walk"), Column("x", "m"), Column("y", "m"), Column("yaw", "°"), Column("worn Nao"),
        Column("steps", "%"), Column("online", "mm"), Column("online", "°"), Column("open loop", "mm"),
        Column("open loop", "°"),
    )  # fmt: skip
    order = sorted(range(len(jobs)), key=lambda k: -max(online[k].position_error / NEAR, online[k].yaw_error / ASKEW))
    rows: list[tuple[Value, ...]] = [
        (jobs[k].number, *jobs[k].goal, jobs[k].wear, jobs[k].step_error, online[k].position_error,
         online[k].yaw_error, blind[k].position_error, blind[k].yaw_error)
        for k in order[:10]
    ]  # fmt: skip
    return Table("The ten that ended farthest from their goals", columns, tuple(rows))


def _ends(online: Sequence[Result], blind: Sequence[Result]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    for ax, word, results, colour in zip(figure.subplots(1, 2), WAYS, (online, blind), (_BLUE, _ORANGE), strict=True):
        off, askew = _errors(results)
        ax.plot(off * 1e3, np.degrees(askew), "o", ms=4, alpha=0.6, color=colour)
        ax.axvline(NEAR * 1e3, color=_INK, ls="--", lw=0.8)
        ax.axhline(math.degrees(ASKEW), color=_INK, ls="--", lw=0.8)
        ax.set(
            title=word, xlabel="distance from the goal [mm]", ylabel="missing turn [°]", xlim=(0, None), ylim=(0, None)
        )
    return figure
