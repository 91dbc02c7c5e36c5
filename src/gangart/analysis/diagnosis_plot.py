"""A diagnosis as a picture: how the torso tilts with and without the worst cause, and which symptom goes with which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gangart.analysis.diagnosis import WORDS, Diagnosis, Finding, Symptoms
from gangart.analysis.plots import INK, LEGS, REFERENCE, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYMPTOMS = {  # title, unit, factor from SI
    "f_x": ("tilt f_x", "rad²", 1.0),
    "f_y": ("tilt f_y", "rad²", 1.0),
    "speed": ("speed error", "mm/s", 1e3),
    "early": ("early landing", "ms", 1e3),
    "slip": ("slip", "mm", 1e3),
}
_SHOWN = 6.0  # [s] of the traces, the last ones
_BLAME, _WALK = "#b2182b", INK


def diagnosis_plot(diagnosis: Diagnosis, title: str, path: str | Path) -> Path:
    """Write one PNG."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(13.0, 8.2), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    grid = figure.add_gridspec(2, 2, height_ratios=[0.8, 1.0], width_ratios=[0.8, 1.0])
    _traces(figure.add_subplot(grid[0, :]), diagnosis)
    _tilts(figure.add_subplot(grid[1, 0]), diagnosis)
    _matrix(figure.add_subplot(grid[1, 1]), diagnosis)
    figure.suptitle(f"{title}: {diagnosis.sentence()}", fontsize=13, fontweight="bold")
    return save(figure, path)


def _traces(ax: Axes, d: Diagnosis) -> None:
    """The torso's tilt where it is worse: the walk, without the worst cause, and on an ideal machine."""
    axis = 1 if d.walk.f_y >= d.walk.f_x else 0
    lines = [("walk", "the walk", _WALK, 1.6)]
    for f in d.findings[:1]:
        shown = (
            (f"{f.cause} alone", f"{WORDS[f.cause]} alone")
            if f.without.fell
            else (f.cause, f"without {WORDS[f.cause]}")
        )
        lines.append((*shown, _BLAME, 1.6))
    lines.append(("ideal", "ideal machine", REFERENCE, 1.2))
    end = d.traces["walk"][-1, 0]
    for name, label, colour, width in lines:
        time, *tilt = d.traces[name].T
        rows = (time >= end - _SHOWN) & (time <= end)
        ax.plot(time[rows], np.degrees(tilt[axis][rows]), color=colour, lw=width, label=label)
    ax.axhline(0.0, color=REFERENCE, lw=0.6)
    ax.set_title(f"Tilt of the torso about {'xy'[axis]}", loc="left")
    ax.set(xlabel="time [s]", ylabel="tilt [°]")
    ax.margins(x=0.0)
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=3, frameon=False, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)


def _tilts(ax: Axes, d: Diagnosis) -> None:
    """Orientation error of the walk, with each cause removed, and with all of them removed."""
    bars: list[tuple[str, Symptoms]] = [("the walk", d.walk)]
    bars += [(f"without {WORDS[f.cause]}", f.without) for f in d.findings]
    bars.append(("ideal machine", d.ideal))
    stood = [value for _, s in bars if not s.fell for value in (s.f_x, s.f_y)]
    longest = max(stood, default=1.0) or 1.0  # a fall is off every scale
    y = np.arange(len(bars))[::-1].astype(float)
    for offset, name, colour in ((0.19, "f_x", LEGS[0]), (-0.19, "f_y", LEGS[1])):
        values = [getattr(s, name) for _, s in bars]
        shown = [1.1 * longest if s.fell else value for (_, s), value in zip(bars, values, strict=True)]
        ax.barh(y + offset, shown, height=0.36, color=colour, alpha=0.85, label=name)
        for k, ((_, s), value) in enumerate(zip(bars, values, strict=True)):
            said = " fell" if s.fell else f" {_digits(value)}"
            ax.text(shown[k], y[k] + offset, said, va="center", fontsize=9, color=INK)
    ax.set_yticks(y, [name for name, _ in bars])
    ax.set_xlim(0.0, 1.25 * longest)
    ax.set_title("Orientation error: squared tilt, summed at 1 kHz", loc="left")
    ax.set_xlabel("[rad²]")
    ax.legend(loc="lower right", frameon=False)
    ax.spines[["top", "right"]].set_visible(False)


def _matrix(ax: Axes, d: Diagnosis) -> None:
    """The blame of each cause for the tilt, and what becomes of each symptom without it."""
    share = np.array([[f.blame, *(f.share[name] for name in SYMPTOMS)] for f in d.findings])
    share = share.reshape(-1, 1 + len(SYMPTOMS))
    for i, f in enumerate(d.findings):
        share[i, 1:] = 0.0 if f.without.fell else share[i, 1:]
    ax.imshow(np.clip(share, -1.0, 1.0), cmap="RdBu_r", vmin=-1.2, vmax=1.2, aspect="auto")
    for i, f in enumerate(d.findings):
        cells = [percent(f.blame)]
        cells += ["fell" if f.without.fell else _cell(f, name) for name in SYMPTOMS]
        for j, said in enumerate(cells):
            ink = "white" if abs(share[i, j]) > 0.7 else INK
            weight = "normal" if j else "bold"
            ax.text(j, i, said, ha="center", va="center", color=ink, fontsize=9, linespacing=1.3, fontweight=weight)
    ax.axvline(0.5, color="white", lw=6.0)
    ax.set_xticks(
        range(1 + len(SYMPTOMS)), ["blame for\nthe tilt", *(_heading(d.walk, s) for s in SYMPTOMS)], fontsize=9
    )
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(d.findings)), [WORDS[f.cause].replace(" and ", "\nand ") for f in d.findings])
    ax.set_xlabel("Right: each symptom without the cause (red: it is to blame, blue: it helps)")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _cell(f: Finding, name: str) -> str:
    return f"{_digits(getattr(f.without, name) * SYMPTOMS[name][2])}\n{change(f.share[name])}"


def _heading(walk: Symptoms, name: str) -> str:
    title, unit, factor = SYMPTOMS[name]
    return f"{title}\n" + ("fell" if walk.fell else f"{_digits(getattr(walk, name) * factor)} {unit}")


def percent(part: float) -> str:
    """A part as people read it: '−3 %'."""
    return f"{round(part * 100.0)} %".replace("-", "\N{MINUS SIGN}")


def change(share: float) -> str:
    """How a symptom changes when a cause takes this share of it away: '−88 %'."""
    return f"{-share * 100.0:+.0f} %".replace("-", "\N{MINUS SIGN}") if abs(share) < 10.0 else "> +999 %"


def _digits(value: float) -> str:
    """Two digits that matter, and no more than people read."""
    if not np.isfinite(value):
        return "–"
    if value and abs(value) < 0.01:
        return "< 0.01" if value > 0.0 else "> −0.01"
    return f"{value:.2f}" if abs(value) < 1.0 else f"{value:.1f}" if abs(value) < 100.0 else f"{value:.0f}"
