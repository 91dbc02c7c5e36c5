"""Bahr 8.3: how calmly the body moves in each gait, as limit cycles over three strides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gangart.control.cyclic import CyclicEngine
from gangart.experiments.gait_track import COLOURS, NAMES, Track, gait_parameters, parameters, track
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.robots import load
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STRIDES = 3
SPEEDS = {"predictive-trot": 0.55, "reactive-trot": 0.35, "fast-walk": 0.4, "slow-walk": 0.1}  # [m/s] the thesis's
OURS = {"predictive-trot": 0.8, "reactive-trot": 0.5, "fast-walk": 0.5, "slow-walk": 0.2, "amble": 0.5}  # [m/s]
FOUND = {  # [m] table 8.3: x, y, together
    "predictive-trot": (0.0053, 0.0107, 0.0107),
    "reactive-trot": (0.0107, 0.0167, 0.0183),
    "fast-walk": (0.0181, 0.0121, 0.0184),
    "slow-walk": (0.0739, 0.0728, 0.0838),
}
BAR = 0.0107  # [m] of the predictive trot
CYCLES = (0.3, 0.32, 0.34, 0.36, 0.38, 0.4)  # [s] of a reactive trot


@dataclass(frozen=True)
class Job:
    """One gait at one speed."""

    gait: str
    speed: float  # [m/s]
    cycle: float = 0.0  # [s]; 0: that of the robot's file


@dataclass(frozen=True, eq=False)
class Sway:
    """How far the base is from where it was wanted, over three strides."""

    job: Job
    offset: Array  # (n, 2) [m] ahead and to the left
    fell: bool

    @property
    def most(self) -> tuple[float, float, float]:
        """Largest offset along x, along y, and in any direction [m]."""
        along = np.abs(self.offset).max(axis=0)
        return float(along[0]), float(along[1]), float(np.hypot(*self.offset.T).max())

    @property
    def strides(self) -> list[Array]:
        """The offset, stride by stride; each ends where the next begins."""
        n = (len(self.offset) - 1) // STRIDES
        return [self.offset[k * n : (k + 1) * n + 1] for k in range(STRIDES)]

    @property
    def drift(self) -> float:
        """How far the last stride has moved away from the first [m]: the error of the speed."""
        first, *_, last = self.strides
        return float(np.hypot(*(last.mean(axis=0) - first.mean(axis=0))))


def offset(way: Track, velocity: float) -> Array:
    """Where the base is, less where a body is that only goes ahead with a velocity [m/s], (n, 2) [m] ahead and left.

    The wanted motion has no lean in it, as in table 8.3. It goes where the robot looks on average, and its origin is
    that which makes the mean of the offsets 0: where and when a target counts as reached is not a matter of calm.
    """
    yaw = float(np.mean(way.yaw[:-1]))
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    seen = way.position[:, :2] @ turn
    seen[:, 0] -= velocity * (way.time - way.time[0])
    return np.asarray(seen - seen[:-1].mean(axis=0))


def sway(job: Job) -> Sway:
    """Walk until the gait is a cycle, then three strides more."""
    robot = load("quadruped")
    gait = robot.gaits[job.gait]
    gait = replace(gait, cycle=job.cycle or gait.cycle)
    way = track(CyclicEngine(robot, gait), Command(job.speed), STRIDES)
    return Sway(job, offset(way, job.speed), way.fell)


def run(setting: Setting) -> Report:
    """All gaits at the thesis's speeds, and at ours."""
    robot = load("quadruped")
    theirs = [Job(name, speed) for name, speed in SPEEDS.items()]
    ours = [] if setting.quick else [Job(name, speed) for name, speed in OURS.items()]
    slower = [Job("reactive-trot", SPEEDS["reactive-trot"], c) for c in (CYCLES[3:4] if setting.quick else CYCLES)]
    jobs = theirs + ours + slower
    found = side_by_side(sway, jobs, partial(_counted, setting, len(jobs)))
    old, new, cycles = found[: len(theirs)], found[len(theirs) : -len(slower)], found[-len(slower) :]
    return Report(
        title="How calmly does the body move?",
        question="The robot walks ahead in each gait until that is a cycle. Over three strides more, what was "
        "computed as its motion, without the lean of the slow walk, is taken off the position of its base: how far "
        "does that leave the origin?",
        found="The predictive trot is the calmest, the slow walk by far the least calm: it leans on purpose.",
        rows=_rows(old),
        verdicts=_verdicts(old, cycles),
        parameters=(
            *parameters(robot),
            *gait_parameters(robot, tuple(dict.fromkeys(j.gait for j in jobs))),
            Parameter("strides", STRIDES, "", "8.3.1"),
            Parameter("random numbers", "none", note="the seed changes nothing"),
        ),
        tables=(
            _table("At the thesis's speeds", old),
            *([_table("At the speeds that ours have to reach", new)] if new else []),
            _cycles_table(cycles),
        ),
        pictures=(Picture("cycles", _CAPTION, _figure(old)),),
    )


def _counted(setting: Setting, jobs: int, done: int) -> None:
    setting.progress(0.95 * done / jobs)


def _rows(found: list[Sway]) -> tuple[Row, ...]:
    rows = []
    for s in found:
        for thesis, ours, axis in zip(FOUND[s.job.gait], s.most, ("x", "y", "any direction"), strict=True):
            name = f"{s.job.gait} at {1e3 * s.job.speed:.0f} mm/s, most along {axis}"
            rows.append(Row(name.replace("along any", "in any"), thesis, ours, "mm", "table 8.3"))
    return tuple(rows)


def _verdicts(found: list[Sway], cycles: list[Sway]) -> tuple[Verdict, ...]:
    most = {s.job.gait: s.most[2] for s in found}
    predictive, reactive, fast, slow = (most[g] for g in ("predictive-trot", "reactive-trot", "fast-walk", "slow-walk"))
    mm = {name: f"{1e3 * value:.1f}" for name, value in most.items()}
    return (
        Verdict("None falls.", not any(s.fell for s in found)),
        Verdict(f"The predictive trot sways by 10.7 mm at most ({mm['predictive-trot']} mm).", predictive <= BAR),
        Verdict(
            f"The ranking is the thesis's: predictive trot {mm['predictive-trot']}, reactive trot "
            f"{mm['reactive-trot']}, fast walk {mm['fast-walk']}, slow walk {mm['slow-walk']} mm.",
            predictive < reactive <= fast < slow,
        ),
        Verdict(_by_cycle(cycles, predictive, fast)),
        Verdict("Every gait sways less than the thesis's.", all(most[name] <= FOUND[name][2] for name in NAMES)),
    )


def _by_cycle(cycles: list[Sway], predictive: float, fast: float) -> str:
    """From which cycle on a reactive trot ranks as the thesis's does."""
    ranks = [s for s in cycles if predictive < s.most[2] <= fast]
    gaits = load("quadruped").gaits
    text = f"Our trots have cycles of {gaits['reactive-trot'].cycle:g} s (reactive) and "
    text += f"{gaits['predictive-trot'].cycle:g} s (predictive)"
    if not ranks:
        return f"{text}; with none of the cycles of the table does the reactive one rank as the thesis's."
    first = ranks[0]
    sways = f"it sways by {1e3 * first.most[2]:.1f} mm"
    return f"{text}; from {first.job.cycle:g} s on, where {sways}, the reactive one ranks as the thesis's."


def _table(title: str, found: list[Sway]) -> Table:
    columns = (
        *(Column("gait"), Column("speed", "mm/s"), Column("most along x", "mm"), Column("most along y", "mm")),
        *(Column("most in any direction", "mm"), Column("drift over three strides", "mm"), Column("falls")),
    )
    rows = tuple((s.job.gait, s.job.speed, *s.most, s.drift, s.fell) for s in found)
    return Table(title, columns, rows, _NOTE)


def _cycles_table(found: list[Sway]) -> Table:
    columns = (
        *(Column("cycle", "s"), Column("most along x", "mm"), Column("most along y", "mm")),
        *(Column("most in any direction", "mm"), Column("drift over three strides", "mm"), Column("falls")),
    )
    rows = tuple((s.job.cycle, *s.most, s.drift, s.fell) for s in found)
    speed = 1e3 * SPEEDS["reactive-trot"]
    return Table(f"The reactive trot at {speed:.0f} mm/s, by its cycle", columns, rows, _CYCLES_NOTE)


_CYCLES_NOTE = (
    "A body on two diagonal feet falls to one side until the other pair catches it: the shorter the cycle, the less. "
    "How far ahead feet land, which is what tells the two trots apart, matters less than that."
)
_NOTE = (
    "Drift is how far the third stride lies from the first: the error of the mean velocity, which counts as sway here "
    "as it does in the thesis."
)
_CAPTION = (
    "Figure 8.4 again: offset of the base from the wanted motion, a colour for each of three strides. The scales "
    "differ; dashed is the thesis's largest offset, where it fits in."
)


def _figure(found: list[Sway]) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    from gangart.analysis.plots import LEGS, REFERENCE

    figure = Figure(figsize=(11, 3.4), layout="constrained")
    for ax, s in zip(figure.subplots(1, len(found)), found, strict=True):
        for stride, colour in zip(s.strides, LEGS, strict=False):
            ax.plot(*(1e3 * stride.T), color=colour, lw=1.3)
        span = 1.15e3 * max(s.most[2], 1e-3)
        ax.add_patch(Circle((0.0, 0.0), 1e3 * FOUND[s.job.gait][2], fill=False, color=REFERENCE, ls="--", lw=1.0))
        ax.plot(0.0, 0.0, "+", color=REFERENCE)
        ax.set(xlim=(-span, span), ylim=(-span, span), aspect="equal", xlabel="ahead [mm]")
        ax.set_title(f"{s.job.gait}, {1e3 * s.job.speed:.0f} mm/s", color=COLOURS[s.job.gait], fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("to the left [mm]")
    return figure
