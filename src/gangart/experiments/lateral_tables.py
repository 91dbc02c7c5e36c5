"""The tables of the sideways sway: every walk in a line."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gangart.experiments.lateral_walks import BOTH, PLAIN, ZMP, Trial
from gangart.experiments.report import Column, Table, Value


def walks_table(walks: list[Trial]) -> Table:
    """How long they walked, how they tilted, how they landed."""
    columns = (
        Column("worn Nao"), Column("ZMP"), Column("compensation"), Column("walked", "s"), Column("fell"),
        Column("largest tilt", "°"), Column("f_x in 20 s", "rad²"), Column("f_y in 20 s", "rad²"),
        Column("too early", "%"), Column("by", "ms"), Column("push", "N s"), Column("speed beyond the plan", "mm/s"),
    )  # fmt: skip
    rows = [_walk(t) for t in sorted(walks, key=lambda t: t.preset)]
    note = (
        "Too early: the part of all landings, more than 50 ms before the plan. By, push (below 0: to the wrong side) "
        "and speed (the torso's greatest sideways in the double support afterwards) are means over all landings."
    )
    return Table("Both references on every worn Nao", columns, tuple(rows), note)


def _walk(t: Trial) -> tuple[Value, ...]:
    tilts: tuple[Value, ...] = (None, None, None)
    if not t.fell:
        f_x, f_y = (f * 20.0 / t.walked for f in t.figures.orientation_error)
        tilts = (t.figures.tilt_max, f_x, f_y)
    ls = t.landings
    means: list[Value] = [float(np.mean(v)) for v in zip(*((x.early, x.lead, x.impulse) for x in ls), strict=True)]
    # offsets are part of what the joints are asked for, so that the plan of the torso cannot be read from it
    faster = None if t.compensation == BOTH else float(np.mean([x.faster - x.wanted for x in ls]))
    return (t.preset, t.zmp, t.compensation, t.walked, t.fell, *tilts, *means, faster)


def landings_table(t: Trial, title: str) -> Table:
    """The first landings of one walk."""
    columns = (
        Column("foot"), Column("should land at", "s"), Column("touches too early by", "ms"), Column("bounces"),
        Column("push", "N s"), Column("torso slows down by", "mm/s"), Column("should gain", "mm/s"),
        Column("fastest afterwards", "mm/s"), Column("should be", "mm/s"),
    )  # fmt: skip
    rows = tuple(
        (x.leg, x.planned, x.lead, x.bounced, x.impulse, x.slowed, x.gained, x.faster, x.wanted) for x in t.landings[:6]
    )
    return Table(
        title, columns, rows, "Sideways, to the side to which the plan moves the body; a push below 0 is wrong."
    )


def levels_table(levels: list[Trial]) -> Table:
    """The stationary walk on every level of realism."""
    presets = list(dict.fromkeys(t.preset for t in levels))
    columns = [Column("level"), *(Column(f"{p}: {q}") for p in presets for q in ("f_x in 20 s [rad²]", "too early"))]
    rows: list[tuple[Value, ...]] = []
    for level in dict.fromkeys(t.level for t in levels):
        cells: list[Value] = [level]
        for p in presets:
            t = next(t for t in levels if (t.preset, t.level) == (p, level))
            cells.append(f"fell after {t.walked:.1f} s" if t.fell else t.figures.orientation_error[0] * 20.0 / t.walked)
            cells.append(f"{sum(x.early for x in t.landings)} of {len(t.landings)}")
        rows.append(tuple(cells))
    return Table("Stationary ZMP, plain, on every level of realism", tuple(columns), tuple(rows))


def steps_table(steps: dict[float, list[Trial]]) -> Table:
    """Who falls at other double steps."""
    columns = [Column("double step", "s"), *(Column(f"{z}, {c}") for z, c in _kinds())]
    rows: list[tuple[Value, ...]] = []
    for step, trials in steps.items():
        cells = [_who(t for t in trials if (t.zmp, t.compensation) == kind) for kind in _kinds()]
        rows.append((step, *cells))
    note = "Who falls, and after how many seconds of 20. The real robot falls from 1.5 to 2.3 s (5.2)."
    return Table("Other double steps, full realism", tuple(columns), tuple(rows), note)


def _kinds() -> list[tuple[str, str]]:
    return [(z, c) for z in ("stationary", "bezier") for c in (PLAIN, ZMP)]


def _who(trials: Iterable[Trial]) -> str:
    fallen = [f"{t.preset} {t.walked:.1f}" for t in trials if t.fell]
    return ", ".join(fallen) or "–"


def near_table(near: dict[str, list[Trial]]) -> Table:
    """Who falls where one thing is otherwise."""
    columns = (Column("otherwise"), Column("falls, after s of 20"))
    rows = tuple((what, _who(trials)) for what, trials in near.items())
    note = (
        "How near to walking the fall is, and whether it is owed to joint limits, which the plan meets: "
        "the engine notes that rolls of hips and ankles come to their ends."
    )
    return Table("Stationary ZMP, plain, double step 2 s, one thing otherwise", columns, rows, note)
