"""Bahr 5.5 and 6.2: how straight is a foot's straight path, and up to which speed?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.drive_parameters import drive_parameters
from gangart.experiments.leg_bench import FootTrace, LegBench, Line, Sent
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.robots import Robot, load
from gangart.signals import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEG = "front_right"  # the thesis's own, chapter 5
SPEEDS = (1.0, 1.5, 2.0, 2.5, 3.0)  # [m/s]
BAR = 2.0  # [m/s] the thesis's highest speed
TOLERANCE = 0.02  # [m]
REPETITIONS = 5
SENT: dict[Sent, str] = {
    "ahead": "that to the next target",
    "instant": "that of the path at the target",
    "none": "none",
}
OFF = 0.001  # [m] standard deviation of where a repetition begins
LOW, HIGH = 0.38, 0.18  # [m] of the foot below the hip: stretched to 0.95 of the leg, folded to 0.45
STRIDE, ASIDE, BELOW = 0.15, 0.05, 0.28  # [m] the diagonal runs from -STRIDE, -ASIDE to STRIDE, ASIDE


@dataclass(frozen=True, eq=False)
class Pass:
    """One path at one speed, there and back."""

    path: str
    speed: float  # [m/s]
    way: tuple[tuple[Line, FootTrace], ...]

    @property
    def deviation(self) -> float:
        """Largest distance of the foot from the path [m]."""
        return max(float(line.distance(trace.foot).max()) for line, trace in self.way)

    @property
    def aside(self) -> float:
        """Largest distance from the path's infinite line: what overshooting its end adds is left out [m]."""
        return max(float(_across(line, trace.foot).max()) for line, trace in self.way)


def run(setting: Setting) -> Report:
    """Two paths at five speeds, five times each."""
    robot = load("quadruped")
    bench, speeds = LegBench(robot, LEG), (1.0, BAR, 3.0) if setting.quick else SPEEDS
    rng = np.random.default_rng(setting.seed)
    passes: list[Pass] = []
    for path in paths(bench):
        for speed in speeds:
            passes += [one_pass(bench, path, speed, rng) for _ in range(REPETITIONS)]
            setting.progress(0.7 * len(passes) / (2 * len(speeds) * REPETITIONS))
    why = {sent: passes if sent == "ahead" else _at(bench, sent, np.random.default_rng(setting.seed)) for sent in SENT}
    return Report(
        title="A foot on straight paths",
        question="The trunk is fixed in the air. A foot goes there and back on a diagonal at constant height, and "
        "down and up over the leg's reach, with 100 targets a second behind the input filter; how far does it leave "
        "the path? Its ends are part of the path: who overshoots them has left it. Every repetition begins in another "
        "phase of the tick, about a millimetre beside the path.",
        found="Up to 2000 mm/s the foot stays within 20 mm on both paths; at 3000 mm/s it does not. That is the "
        "highest speed of the robot's legs from then on.",
        rows=_rows(passes),
        verdicts=_verdicts(passes, why),
        parameters=_parameters(robot, setting),
        tables=(_table(passes, speeds), _sent_table(why)),
        pictures=(
            Picture("paths", _PATHS_CAPTION, _paths_figure(passes)),
            Picture("deviation", _DEVIATION_CAPTION, _deviation_figure(passes, speeds)),
        ),
    )


def paths(bench: LegBench) -> tuple[Line, Line]:
    """The diagonal at constant height, and the vertical."""
    hip = bench.legs.forward(bench.leg, np.zeros(3)) + np.array([0.0, 0.0, 0.4])
    aside = np.array([STRIDE, ASIDE, 0.0])
    middle = hip - np.array([0.0, 0.0, BELOW])
    return (
        Line("diagonal", middle - aside, middle + aside),
        Line("vertical", hip - np.array([0.0, 0.0, LOW]), hip - np.array([0.0, 0.0, HIGH])),
    )


def one_pass(bench: LegBench, path: Line, speed: float, rng: np.random.Generator, sent: Sent = "ahead") -> Pass:
    """There and back, each in a phase of the tick and from a place that chance chooses."""
    back = Line(path.name, path.end, path.start)
    way = tuple(
        (line, bench.run(line, speed, float(rng.uniform()), rng.normal(scale=OFF / np.sqrt(3.0), size=3), sent))
        for line in (path, back)
    )
    return Pass(path.name, speed, way)


def _at(bench: LegBench, sent: Sent, rng: np.random.Generator) -> list[Pass]:
    """All paths at 2 and 3 m/s with targets that bring that speed."""
    return [
        one_pass(bench, path, speed, rng, sent)
        for path in paths(bench)
        for speed in (BAR, 3.0)
        for _ in range(REPETITIONS)
    ]


def _across(line: Line, points: Array) -> Array:
    unit = (line.end - line.start) / line.length
    off = points - line.start
    return np.asarray(np.linalg.norm(off - (off @ unit)[:, None] * unit, axis=1))


def _of(passes: list[Pass], path: str, speed: float) -> list[Pass]:
    return [p for p in passes if p.path == path and p.speed == speed]


def _rows(passes: list[Pass]) -> tuple[Row, ...]:
    rows = []
    for path in ("diagonal", "vertical"):
        found = [p.deviation for p in _of(passes, path, BAR)]
        rows.append(Row(f"{path} at 2 m/s, farthest off", "below 20 mm", max(found), "mm", "figure 5.4"))
        rows.append(Row(f"{path} at 2 m/s, mean of the farthest", None, float(np.mean(found)), "mm", "figure 5.4"))
    worst = max(p.deviation for p in passes if p.speed == SPEEDS[-1])
    rows.append(Row("3 m/s, farthest off", "above 20 mm", worst, "mm", "figure 5.3"))
    return tuple(rows)


def _verdicts(passes: list[Pass], why: dict[Sent, list[Pass]]) -> tuple[Verdict, ...]:
    worst = {speed: max(p.deviation for p in passes if p.speed == speed) for speed in {p.speed for p in passes}}
    slow = max(d for speed, d in worst.items() if speed <= BAR)
    instant = {speed: max(p.deviation for p in why["instant"] if p.speed == speed) for speed in (BAR, 3.0)}
    return (
        Verdict(f"Up to 2 m/s every foot stays within 20 mm (at most {1e3 * slow:.1f} mm).", slow <= TOLERANCE),
        Verdict(
            f"What decides is the speed that goes with each target: that of the path at the target leads to "
            f"{1e3 * instant[BAR]:.0f} mm at 2 m/s, because it is held for a tick and runs past the path's end.",
            instant[BAR] > slow,
        ),
        Verdict(
            f"At 3 m/s ours stays at {1e3 * worst[3.0]:.1f} mm, with the path's speed {1e3 * instant[3.0]:.0f} mm; "
            f"the thesis's left its 20 mm."
        ),
    )


def _table(passes: list[Pass], speeds: tuple[float, ...]) -> Table:
    columns = (
        *(Column("path"), Column("speed", "mm/s"), Column("least", "mm"), Column("mean", "mm"), Column("most", "mm")),
        *(Column("most across", "mm"), Column("highest torque", "N m")),
    )
    rows = []
    for path in ("diagonal", "vertical"):
        for speed in speeds:
            chosen = _of(passes, path, speed)
            found = [p.deviation for p in chosen]
            torque = max(float(np.abs(t.torque[t.time >= 0.0]).max()) for p in chosen for _, t in p.way)
            least, mean, most = min(found), float(np.mean(found)), max(found)
            rows.append((path, speed, least, mean, most, max(p.aside for p in chosen), torque))
    note = (
        f"Of {REPETITIONS} repetitions each, there and back. Across: from the infinite line, so that overshooting the "
        f"end does not count. Torque of the motors at the hubs, which the current limits to 12.4 N m."
    )
    return Table("Farthest from the path", columns, tuple(rows), note)


def _sent_table(why: dict[Sent, list[Pass]]) -> Table:
    columns = (Column("path"), Column("speed", "mm/s"), *(Column(name, "mm") for name in SENT.values()))
    rows = tuple(
        (path, speed, *(max(p.deviation for p in _of(found, path, speed)) for found in why.values()))
        for path in ("diagonal", "vertical")
        for speed in (BAR, 3.0)
    )
    return Table("Farthest from the path, by the speed that goes with each target", columns, rows, _SENT_NOTE)


def _parameters(robot: Robot, setting: Setting) -> tuple[Parameter, ...]:
    chosen = "chosen: the thesis says over the expected workspace"
    return (
        *drive_parameters(robot),
        Parameter("leg", LEG, note="the thesis's"),
        Parameter("vertical path below the hip, lowest", LOW, "mm", chosen),
        Parameter("vertical path below the hip, highest", HIGH, "mm", chosen),
        Parameter("diagonal, forward and back", STRIDE, "mm", chosen),
        Parameter("diagonal, outward and inward", ASIDE, "mm", chosen),
        Parameter("diagonal, below the hip", BELOW, "mm", chosen),
        Parameter("repetitions", REPETITIONS, note="5.5.1"),
        Parameter("off at the begin", OFF, "mm", "standard deviation"),
        Parameter("seed", setting.seed),
    )


_SENT_NOTE = (
    "A target and its speed are held until the next tick. The input filter aims at the target plus 2 / w times its "
    "speed, 40 mm ahead at 2 m/s: where a path ends between two ticks, the speed of its last whole tick carries the "
    "foot past the end. The speed to the next target, which is the one that holds for the tick, does not. Without any "
    "speed the foot is later by about 20 ms, and even straighter."
)
_PATHS_CAPTION = (
    "Figure 5.3 again: the foot of one repetition, above at 2 and below at 3 m/s. On the left the diagonal seen from "
    "above, on the right the vertical seen from the side. Grey is 20 mm around the path, ends included. Scales are "
    "equal."
)
_DEVIATION_CAPTION = (
    "Figure 5.4 again: how far feet leave the path by speed. Bars are means of five repetitions with their least and "
    "most; the line is the tolerance of 20 mm."
)


def _paths_figure(passes: list[Pass]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained")
    axes = figure.subplots(2, 2, width_ratios=[3.0, 1.0])
    for row, speed in enumerate((BAR, 3.0)):
        for column, (path, seen) in enumerate((("diagonal", (0, 1)), ("vertical", (0, 2)))):
            _one_path(axes[row, column], _of(passes, path, speed)[0], seen)
            axes[row, column].set_title(f"{path}, {speed:g} m/s")
    axes[0, 0].legend(frameon=False)
    return figure


def _one_path(ax: Axes, p: Pass, seen: tuple[int, int]) -> None:
    from gangart.analysis.plots import LEGS, REFERENCE

    line, plane = p.way[0][0], list(seen)
    ends = 1e3 * np.array([line.start, line.end])[:, plane]
    ax.fill(*_around(ends, 1e3 * TOLERANCE).T, color=REFERENCE, alpha=0.22, lw=0)
    ax.plot(*ends.T, color=REFERENCE, lw=1.0, ls="--")
    for (_, trace), color, name in zip(p.way, LEGS, ("there", "back"), strict=False):
        moving = trace.time >= -0.02
        ax.plot(*1e3 * trace.foot[moving][:, plane].T, color=color, lw=1.6, label=name)
    ax.set(xlabel="x [mm]", ylabel=f"{'xyz'[seen[1]]} [mm]", aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)


def _around(ends: Array, radius: float) -> Array:
    """Outline of all that is within a radius of the line between two points (2, 2)."""
    along = np.arctan2(*(ends[1] - ends[0])[::-1])
    half = np.linspace(-np.pi / 2.0, np.pi / 2.0, 30)
    round_ends = [along + half, along + np.pi + half]
    rims = [
        end + radius * np.column_stack([np.cos(a), np.sin(a)]) for end, a in zip(ends[::-1], round_ends, strict=True)
    ]
    return np.vstack(rims)


def _deviation_figure(passes: list[Pass], speeds: tuple[float, ...]) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import LEGS, REFERENCE

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    for ax, path in zip(figure.subplots(1, 2, sharey=True), ("diagonal", "vertical"), strict=True):
        found = 1e3 * np.array([[p.deviation for p in _of(passes, path, speed)] for speed in speeds])
        mean = found.mean(axis=1)
        spread = np.array([mean - found.min(axis=1), found.max(axis=1) - mean])
        ax.bar([f"{speed:g}" for speed in speeds], mean, yerr=spread, color=LEGS[0], width=0.6, capsize=4)
        ax.axhline(1e3 * TOLERANCE, color=REFERENCE, ls="--", lw=1.0)
        ax.set(title=path, xlabel="speed [m/s]")
        ax.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("farthest from the path [mm]")
    return figure
