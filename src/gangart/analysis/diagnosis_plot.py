"""A diagnosis as a picture: what each cause removed leaves of the tilt, and which symptom goes with which cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gangart.analysis.diagnosis import WORDS, Diagnosis, Symptoms
from gangart.analysis.plots import INK, LEGS, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYMPTOMS = {"f_x": "tilt f_x", "f_y": "tilt f_y", "speed": "speed", "early": "early\ntouch-down", "slip": "slip"}


def diagnosis_plot(diagnosis: Diagnosis, title: str, path: str | Path) -> Path:
    """Write one PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.5, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.1, 1.0])
    _tilts(left, diagnosis)
    _shares(right, diagnosis)
    figure.suptitle(f"{title}: {diagnosis.sentence()}", fontsize=12)
    return save(figure, path)


def _tilts(ax: Axes, d: Diagnosis) -> None:
    """Orientation error of the walk, with each cause removed, and with all of them removed."""
    bars: list[tuple[str, Symptoms]] = [("the walk", d.walk)]
    bars += [(f"without {WORDS[f.cause]}", f.without) for f in d.findings]
    bars.append(("ideal machine", d.ideal))
    y = np.arange(len(bars))[::-1].astype(float)
    for offset, name, colour in ((0.19, "f_x", LEGS[0]), (-0.19, "f_y", LEGS[1])):
        values = [getattr(s, name) for _, s in bars]
        ax.barh(y + offset, values, height=0.36, color=colour, alpha=0.85, label=f"{name} [rad²]")
        for k, ((_, s), value) in enumerate(zip(bars, values, strict=True)):
            said = f" {value:.3g}" + (" (fell)" if s.fell else "")
            ax.text(max(value, 1e-12), y[k] + offset, said, va="center", fontsize=8, color=INK)
    ax.set_yticks(y, [name for name, _ in bars])
    ax.set_xscale("symlog", linthresh=0.1)
    ax.margins(x=0.18)
    ax.set(title="Orientation error", xlabel="sum of squared tilt at 1 kHz [rad²]")
    ax.legend(loc="lower right", fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _shares(ax: Axes, d: Diagnosis) -> None:
    """Which part of each symptom goes when a cause is removed."""
    values = np.array([[f.share[name] for name in SYMPTOMS] for f in d.findings]).reshape(-1, len(SYMPTOMS))
    ax.imshow(np.clip(values, -1.0, 1.0), cmap="RdBu_r", vmin=-1.0, vmax=1.0, aspect="auto")
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            ink = "white" if abs(value) > 0.6 else INK
            ax.text(j, i, f"{-value:+.0%}" if abs(value) < 10 else ">+999%", ha="center", va="center", color=ink)
    ax.set_xticks(range(len(SYMPTOMS)), list(SYMPTOMS.values()))
    ax.set_yticks(range(len(d.findings)), [WORDS[f.cause] for f in d.findings])
    ax.set_title("Change of each symptom when the cause is removed\n(red: the cause is to blame, blue: it helps)")
    ax.tick_params(length=0)
