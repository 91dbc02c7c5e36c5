"""Bahr 7.5: from any gait to any other, to standing, to lying and to any stance, at random and in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gangart.control.leg_control import LegControl, Stance
from gangart.control.reposition import MARGIN, plan_reposition
from gangart.control.repositioning import RepositionEngine
from gangart.control.rising import plan_stand_up
from gangart.control.segments import RepositionPlan
from gangart.experiments.drive_parameters import drive_parameters
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.strip import strip
from gangart.experiments.switching_tour import FRICTION, MORPH, Switch, Tour, tour
from gangart.robots import Robot, load
from gangart.signals import Array, Command, Recording
from gangart.simulation import Fidelity, Ground, World, simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNT, QUICK = 1000, 25
TOLERANCE = 0.005  # [m] of a margin that is measured
_PICTURES = 8  # of a film


def run(setting: Setting) -> Report:
    """One run, and two films to look at."""
    robot = load("quadruped")
    count = QUICK if setting.quick else COUNT
    done = tour(robot, count, setting.seed, lambda part: setting.progress(0.97 * part))
    return Report(
        title="From any gait to any other",
        question="A robot is told at random to walk in a gait, to stand, to lie down or to take a stance of any kind, "
        "now and then before it has done what it was told before, with random velocities and poses of its body. Does "
        "it fall, and does its centre of mass stay where that was promised?",
        found="The state machine of figure 7.1. Repositioning is left out: its stand-in does not care for stability.",
        rows=_rows(done),
        verdicts=_verdicts(robot, done, count),
        parameters=(
            *drive_parameters(robot),
            Parameter("mass", robot.mass, "kg", "robot file: estimate"),
            Parameter("friction", FRICTION),
            Parameter("promised margin", MARGIN, "mm", "of centre of mass and zero moment point, planned"),
            Parameter("tolerance", TOLERANCE, "mm", "of the margin that is measured"),
            Parameter("switches", count),
            Parameter("seed", setting.seed),
        ),
        tables=(_states(done), _goals(done)),
        pictures=(
            Picture("margins", _MARGINS, _margins_figure(done)),
            _film("reposition", _REPOSITION, robot, _some_plan(robot)),
            _film("stand-up", _STAND_UP, robot, plan_stand_up(LegControl(robot), 0.32)),
        ),
    )


_MARGINS = (
    "Least margin of the true centre of mass inside the feet that bear, of each switch that led through a "
    "repositioning or through standing (left), and over the first two minutes (right; gaits and lying promise none). "
    "Dashed: what is promised."
)
_REPOSITION = (
    "A repositioning: the body shifts over three feet before the fourth lifts. Each picture is evenly spaced in time."
)
_STAND_UP = "Standing up from the trunk: the feet stay where they are, and folded knees stay off the floor."


def measured_margin(done: Tour) -> float:
    """The least while standing or being repositioned [m]."""
    log = done.log
    return float(np.nanmin(log[:, 2])) if np.isfinite(log[:, 2]).any() else float("nan")


def _rows(done: Tour) -> tuple[Row, ...]:
    log = done.log
    long = [s.duration for s in done.switches if not s.interrupted]
    return (
        Row("switches in one run", None, float(len(done.switches)), "", "7.5"),
        Row("simulated time", None, float(log[-1, 0]), "s"),
        Row("falls", None, float(done.fell is not None), ""),
        Row("plans that were refused", None, float(len(done.refusals)), ""),
        Row("least margin, standing and repositioning", "not promised", measured_margin(done), "mm", "7.2"),
        Row("duration of a switch, mean", None, float(np.mean(long)), "s"),
        Row("duration of a switch, longest", None, float(np.max(long)), "s"),
        Row("largest speed of a target", None, float(log[:, 4].max()), "rad/s", "", "over a tick"),
    )


def _verdicts(robot: Robot, done: Tour, count: int) -> tuple[Verdict, ...]:
    margin, log = measured_margin(done), done.log
    assert robot.drive is not None
    gear = next(iter(robot.motors.values())).gear_ratio
    fastest = float(robot.drive.speed_limit / gear / np.diag(robot.hubs).max())
    fewest = int(done.during("repositioning")[:, 3].min()) if len(done.during("repositioning")) else 4
    walking = sum(s.how == MORPH for s in done.switches)
    return (
        Verdict(f"{len(done.switches)} of {count} switches without a fall.", done.fell is None),
        Verdict("Every goal is reached, or left for another.", not done.refusals),
        Verdict(
            f"Promised: {1e3 * MARGIN:.0f} mm; the centre of mass is never less than {1e3 * margin:.1f} mm inside "
            "the feet that bear, standing and being repositioned.",
            margin >= MARGIN - TOLERANCE,
        ),
        Verdict(f"At least three feet bear while the robot is repositioned (fewest: {fewest}).", fewest >= 3),
        Verdict(
            f"Targets never move faster than drives turn ({log[:, 4].max():.1f} of {fastest:.1f} rad/s).",
            bool(log[:, 4].max() < fastest),
        ),
        Verdict(f"{walking} switches were made while walking.", walking > 0),
    )


def _states(done: Tour) -> Table:
    rows = []
    for state in done.states:
        log = done.during(state)
        if len(log):
            known = log[np.isfinite(log[:, 2]), 2]
            least = float(known.min()) if len(known) else None
            rows.append((state, 0.01 * len(log), least, float(log[:, 3].min()), float(log[:, 4].max())))
    columns = (Column("state"), Column("time", "s"), Column("least margin", "mm"), Column("fewest feet that bear"),
               Column("fastest target", "rad/s"))  # fmt: skip
    note = "Feet bear that carry a hundredth of the weight on average over a tick. Trots have instants without any."
    return Table("What it was like in each state", columns, tuple(rows), note)


def _goals(done: Tour) -> Table:
    rows = []
    for goal in sorted({s.goal for s in done.switches}):
        to = [s for s in done.switches if s.goal == goal]
        whole = [s.duration for s in to if not s.interrupted]
        margins = [s.margin for s in to if np.isfinite(s.margin)]
        rows.append(
            (
                goal, float(len(to)), float(sum(s.how == MORPH for s in to)), float(sum(s.interrupted for s in to)),
                float(np.mean(whole)) if whole else None, float(np.max(whole)) if whole else None,
                min(margins) if margins else None,
            )
        )  # fmt: skip
    columns = (Column("to"), Column("switches"), Column("while walking"), Column("left for another"),
               Column("mean", "s"), Column("longest", "s"), Column("least margin", "mm"))  # fmt: skip
    return Table("Where to", columns, tuple(rows))


def _margins_figure(done: Tour) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import BODY, REFERENCE

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    margins = [1e3 * s.margin for s in done.switches if np.isfinite(s.margin)]
    left.hist(margins, bins=np.arange(0.0, 181.0, 5.0), color=BODY)
    left.axvline(1e3 * MARGIN, color=REFERENCE, ls="--", lw=1.2)
    left.set(xlabel="least margin [mm]", ylabel="switches")
    log = done.log[:12000]
    right.plot(log[:, 0], 1e3 * log[:, 2], color=BODY, lw=1.0)
    right.axhline(1e3 * MARGIN, color=REFERENCE, ls="--", lw=1.2)
    right.set(xlabel="time [s]", ylabel="margin [mm]", ylim=(0.0, 190.0))
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _some_plan(robot: Robot) -> RepositionPlan:
    legs = LegControl(robot)
    home = legs.home(0.32)
    apart: Array = np.array([[0.05, 0.03], [0.0, -0.04], [-0.04, 0.03], [-0.06, -0.02]])
    lower: Array = np.array([0.02, 0.01, -0.03, 0.05, 0.05, 0.1])
    return plan_reposition(legs, home, Stance(home.feet + apart, home.pose + lower))


def carried_out(robot: Robot, plan: RepositionPlan) -> Recording:
    """A plan in simulation, from its start."""
    engine, world = RepositionEngine(LegControl(robot), plan), World(robot, Fidelity(motor=True), Ground(FRICTION))
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, Command(), plan.duration + 0.3)


def _film(name: str, caption: str, robot: Robot, plan: RepositionPlan) -> Picture:
    recording = carried_out(robot, plan)
    rows = [int(i) for i in np.linspace(0, len(recording) - 1, _PICTURES)]
    return strip(name, caption, recording, robot, rows, lines=2)


__all__ = ["Switch", "carried_out", "measured_margin", "run"]
