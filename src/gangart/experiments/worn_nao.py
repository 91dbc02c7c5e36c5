"""The search that found the worn Naos of worn.toml, again: which sets of wear walk as badly as the real robot?"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.analysis import WalkFigures
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Value, Verdict
from gangart.identification.worn import (
    COMMAND,
    DURATION,
    RANGES,
    WANTED,
    Candidate,
    drawn,
    fits,
    note_of,
    place,
    search,
    spread,
    walked,
)
from gangart.robots import Robot, load
from gangart.robots.wear import Wear, worn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED, DRAWS = 2010, 60  # that found worn.toml
_QUICK = 6  # draws that are walked in the shortened version
GREY, BLUE, INK = "#b8b8bd", "#1f6fb2", "#1c1c1e"
COLOURS = ("#1f6fb2", "#d1662b", "#3a9a5b", "#8a5bb5", "#b23a5a", "#c9a227", "#5b7f95")


@dataclass(frozen=True)
class Found:
    """What the search gave, and what is shipped."""

    candidates: list[Candidate]
    kept: list[Candidate]
    shipped: dict[str, tuple[Wear, WalkFigures]]
    numbers: dict[str, str]  # the draw of SEED that each shipped one is; none where it is no draw of it

    @property
    def fitting(self) -> list[Candidate]:
        """The draws that walk as badly as wanted."""
        return [c for c in self.candidates if c.fits]

    def name(self, c: Candidate) -> str:
        """The shipped one that a draw is, or nothing."""
        return next((name for name, (wear, _) in self.shipped.items() if written(wear) == written(c.wear)), "")


def run(setting: Setting) -> Report:
    """Draw, walk, keep what fits and differs most; then walk what is shipped."""
    robot = load("nao")
    found = _search(robot, setting)
    return Report(
        title="Worn Naos, searched again",
        question="The parameters of no real Nao are published. Sets of motor control, friction, play and elasticity "
        "are drawn within physical bounds and walked at 0.2 m/s with full realism; those that tilt and hurry like the "
        "thesis's robot, within a factor of two, fit. Are the five that differ most those of worn.toml, and does each "
        "of them still fit?",
        found="The thesis's robot has f_x 7.0 and f_y 13.9 rad² in 20 s, and walks 209 mm/s instead of 200.",
        rows=_rows(found),
        verdicts=_verdicts(found, setting),
        parameters=_parameters(robot, found, setting),
        tables=(_shipped(found), _fitting(found)),
        pictures=(
            Picture("tilt", "Tilt of all draws that walk; the frame is what fits, the cross the thesis", _tilts(found)),
            Picture("sets", "Where the shipped sets stand within the bounds (0…1)", _sets(found)),
        ),
    )


def written(wear: Wear) -> tuple[str, ...]:
    """A set of wear as worn.toml has it: six digits, without name and note."""
    numbers = (wear.proportional, wear.integral, wear.derivative, wear.stiffness, wear.link_stiffness)
    gears = (astuple(gear) for _, gear in sorted(wear.gears.items()))
    each = (*numbers, wear.link_friction, wear.link_parts, *(v for gear in gears for v in gear))
    return (wear.encoder, *wear.gears, *(f"{v:.6g}" for v in each))


def _search(robot: Robot, setting: Setting) -> Found:
    presets, draws = worn(robot), _QUICK if setting.quick else DRAWS
    share = draws / (draws + len(presets))
    candidates = list(search(robot, seed=setting.seed, draws=draws, progress=lambda p: setting.progress(p * share)))
    shipped = {name: (wear, walked(robot, wear)) for name, wear in presets.items()}
    number = {written(wear): wear.name for wear, _ in drawn(robot, seed=SEED, draws=DRAWS)}
    numbers = {name: number[written(wear)] for name, wear in presets.items() if written(wear) in number}
    return Found(candidates, spread(candidates, len(presets)), shipped, numbers)


def _rows(found: Found) -> tuple[Row, ...]:
    figures = [f for _, f in found.shipped.values()]
    f_x, f_y = np.median([f.orientation_error for f in figures], axis=0)
    fell = sum(c.figures.fell for c in found.candidates)
    return (
        Row("f_x", 7.0061, float(f_x), "rad²", "table 5.2", "median of the shipped ones"),
        Row("f_y", 13.8960, float(f_y), "rad²", "table 5.2", "median of the shipped ones"),
        Row("speed", 0.20918, float(np.median([f.mean_velocity[0] for f in figures])), "mm/s", "5.3.1",
            "the thesis's at friction 0.25"),
        Row("draws", None, len(found.candidates)),
        Row("of them walk 20 s", None, len(found.candidates) - fell),
        Row("of them fit", None, len(found.fitting)),
    )  # fmt: skip


def _verdicts(found: Found, setting: Setting) -> tuple[Verdict, ...]:
    unfit = [name for name, (_, figures) in found.shipped.items() if not fits(figures)]
    draws = ", ".join(f"{name} is {number}" for name, number in found.numbers.items())
    stale = [name for name, (wear, figures) in found.shipped.items() if wear.note != note_of(wear, figures)]
    return (
        Verdict(f"every shipped worn Nao fits{_but(unfit)}", not unfit),
        Verdict(f"each is a draw of seed {SEED}, to all digits of worn.toml ({draws})",
                len(found.numbers) == len(found.shipped)),
        _again(found, setting),
        Verdict(f"the notes in worn.toml have the figures of this code{_but(stale)}", not stale),
    )  # fmt: skip


def _again(found: Found, setting: Setting) -> Verdict:
    """Whether the five that are kept are those that are shipped."""
    if setting.seed != SEED or setting.quick:
        return Verdict(f"whether those that differ most are the shipped ones shows the full run with --seed {SEED}")
    names = [found.name(c) or c.wear.name for c in found.kept]
    return Verdict(f"the {len(names)} that differ most are the shipped ones ({', '.join(names)})",
                   sorted(names) == sorted(found.shipped))  # fmt: skip


def _but(names: list[str]) -> str:
    return f"; not {', '.join(names)}" if names else ""


def _parameters(robot: Robot, found: Found, setting: Setting) -> tuple[Parameter, ...]:
    units = {"proportional": "V/rad", "derivative": "V s/rad", "play": "rad", "rotor": "kg m²"}
    return (
        Parameter("mass", robot.mass, "kg"),
        Parameter("speed", COMMAND.vx, "mm/s"),
        Parameter("duration", DURATION, "s"),
        Parameter("friction", 1.0, "1"),
        Parameter("draws", len(found.candidates), "", f"of seed {setting.seed}; worn.toml has {DRAWS} of seed {SEED}"),
        *(Parameter(f"wanted {key}", f"{low:g}…{high:g}") for key, (low, high) in WANTED.items()),
        *(Parameter(f"drawn {key}", f"{r.low:g}…{r.high:g}", "", f"{units.get(key, '')} even in the logarithm".strip())
          for key, r in RANGES.items()),
    )  # fmt: skip


def _shipped(found: Found) -> Table:
    columns = (
        Column("worn Nao"), Column("draw"), Column("f_x", "rad²"), Column("f_y", "rad²"), Column("speed", "mm/s"),
        Column("fits"), Column("note in worn.toml"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name, found.numbers.get(name), *f.orientation_error, f.mean_velocity[0], fits(f), wear.note)
        for name, (wear, f) in found.shipped.items()
    ]
    return Table("What is shipped, walked again", columns, tuple(rows))


def _fitting(found: Found) -> Table:
    columns = (
        Column("draw"), Column("shipped as"), Column("kept"), Column("encoder"), Column("K_P", "V/rad"),
        Column("K_D", "V s/rad"), Column("S"), Column("play", "°"), Column("gear", "N m/rad"),
        Column("links", "N m/rad"), Column("f_x", "rad²"), Column("f_y", "rad²"), Column("speed", "mm/s"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (c.wear.name, found.name(c) or None, c in found.kept, c.wear.encoder, c.wear.proportional, c.wear.derivative,
         c.wear.stiffness, c.draws["play"], c.draws["gear"], c.wear.link_stiffness, *c.figures.orientation_error,
         c.figures.mean_velocity[0])
        for c in found.fitting
    ]  # fmt: skip
    note = "Play and gear as drawn for both kinds of motor; each kind has its own, up to a quarter off."
    return Table("All draws that fit", columns, tuple(rows), note)


def _tilts(found: Found) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(7.0, 4.6), layout="constrained")
    ax = figure.subplots()
    walks = [c.figures.orientation_error for c in found.candidates if not c.figures.fell]
    ax.plot(*zip(*walks, strict=True), "o", color=GREY, ms=4, label="draws")
    (low_x, high_x), (low_y, high_y) = WANTED["f_x"], WANTED["f_y"]
    ax.add_patch(Rectangle((low_x, low_y), high_x - low_x, high_y - low_y, fill=False, ec=INK, lw=1.0))
    for (name, (_, figures)), colour in zip(found.shipped.items(), COLOURS, strict=False):
        ax.plot(*figures.orientation_error, "o", color=colour, ms=8, label=name)
    ax.plot(7.0061, 13.8960, "x", color=INK, ms=9, mew=2, label="thesis")
    ax.set(xscale="log", yscale="log", xlabel="f_x [rad²]", ylabel="f_y [rad²]")
    for axis, ticks in ((ax.xaxis, (3.5, 5, 7, 10, 14)), (ax.yaxis, (7, 10, 14, 20, 28, 40))):
        axis.set_ticks(ticks, [f"{t:g}" for t in ticks])
        axis.set_ticks([], minor=True)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure


def _sets(found: Found) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    ax = figure.subplots()
    names = [*RANGES, "encoder"]
    for c in found.fitting:
        name = found.name(c)
        colour = COLOURS[list(found.shipped).index(name)] if name else GREY
        style = {"lw": 1.8, "zorder": 3, "label": name} if name else {"lw": 0.6, "alpha": 0.6}
        ax.plot(place(c), color=colour, **style)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8)
    ax.set(ylim=(-0.02, 1.02), ylabel="within the bounds")
    if any(found.name(c) for c in found.fitting):
        figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure
