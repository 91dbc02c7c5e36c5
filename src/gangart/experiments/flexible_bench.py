"""4.2.3, figure 4.7: a flexible body of many parts bends under a push, and swings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.bar import Bar
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Value, Verdict, shown
from gangart.signals import Array
from gangart.simulation.links import Bend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = 20
STIFFNESS, FRICTION = 40.0, 0.01  # [N m/rad], [N m] of each bend
PUSH = 0.2  # [N] on the tip: small, for the linear theory
SWING = 0.1  # [m] that the tip is let go at
FINE = 2e-4  # [s] physics step where a loss is measured: at 1 ms the integrator itself takes a few percent per swing


@dataclass(frozen=True)
class Static:
    """A push that is held."""

    angles: Array  # (parts - 1,) [rad] in the end
    tip: float  # [m] aside
    theory: float  # [m] by moments over stiffness


@dataclass(frozen=True)
class Swing:
    """A bar let go."""

    time: Array  # (n,) [s]
    angles: Array  # (n, parts - 1) [rad]
    tip: Array  # (n,) [m] aside
    frequency: float  # [Hz] from zero crossings
    maxima: Array  # (k,) [m] of the tip, the first is where it was let go

    @property
    def loss(self) -> float:
        """What the tip loses per swing, on average [m]."""
        return float(np.mean(-np.diff(self.maxima)))


def run(setting: Setting) -> Report:
    """Push it, let it swing, and compare with the linear theory of a chain of rigid parts."""
    bar = Bar(PARTS, Bend(STIFFNESS, FRICTION))
    still = push(bar)
    setting.progress(0.1)
    swing = let_go(replace(bar, step=FINE), 2.0 if setting.quick else 5.0)
    setting.progress(0.6)
    chains = _chains((2, 20) if setting.quick else (2, 5, 10, 20))
    stable = _stability((20, 50) if setting.quick else (2, 20, 50, 100))
    return Report(
        title="A flexible body of 20 parts",
        question="A bar stands on the ground, clamped at the bottom, and is cut into 20 rigid parts with two-axis "
        "springs between them, as thighs and shanks of simulated robots are. It is pushed at its top and let go.",
        found="The body swings as expected, damped by its constant friction. The lower a joint, the more it deviates "
        "from zero, because it carries more weight. More parts, less friction and stiffer springs make the simulation "
        "unstable.",
        rows=_rows(bar, still, swing, stable),
        verdicts=_verdicts(bar, still, swing, stable),
        parameters=_parameters(bar),
        tables=(chains, stable),
        pictures=(Picture("bar", _CAPTION, _figure(bar, still, swing)),),
    )


def push(bar: Bar) -> Static:
    """Push the tip slowly and wait until all is at rest; without friction, which would hold the bends on the way."""
    frequency, _ = bar.mode()
    damped = replace(bar, bend=Bend(STIFFNESS, 0.0, 1.4 * STIFFNESS / (2.0 * np.pi * frequency)))
    steps = round(8.0 / frequency / bar.step)
    angles = damped.run(PUSH * np.minimum(1.0, np.arange(steps) * 4.0 / steps))[-1]
    theory = float(bar.bent(PUSH) @ (bar.length - bar.joints))
    return Static(angles, float(bar.shape(angles)[0][-1]), theory)


def let_go(bar: Bar, duration: float, tip: float = SWING) -> Swing:
    """Let the bar go from its lowest mode, its tip aside by about `tip` [m]."""
    angles = bar.run(np.zeros(round(duration / bar.step)), tip * bar.mode()[1])
    x = bar.shape(angles)[0][:, -1]
    time: Array = bar.step * np.arange(len(x), dtype=np.float64)
    down = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    zeros = down + x[down] / (x[down] - x[down + 1])
    peaks = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > 0.02 * tip)) + 1
    frequency = (len(zeros) - 1) / (bar.step * (zeros[-1] - zeros[0]))
    return Swing(time, angles, x, float(frequency), np.concatenate([x[:1], x[peaks]]))


def friction_loss(bar: Bar) -> float:
    """Linear theory: what constant friction takes from the tip per swing [m]: 4 T Σ|φ| / φᵀKφ, φ for a tip at 1 m."""
    shape = bar.mode()[1]
    return 4.0 * bar.bend.friction * float(np.sum(np.abs(shape)) / (shape @ bar.stiffness() @ shape))


def _chains(parts: tuple[int, ...]) -> Table:
    rows = []
    for n in parts:
        bar = Bar(n, Bend(STIFFNESS))
        still, swing, frequency = push(bar), let_go(bar, 3.0, 0.01), bar.mode()[0]
        rows.append(
            (
                *(n, still.tip, still.theory, still.tip / still.theory - 1.0),
                *(swing.frequency, frequency, swing.frequency / frequency - 1.0),
            )
        )
    columns = (
        *(Column("parts"), Column("tip", "mm"), Column("theory", "mm"), Column("differs by", "%")),
        *(Column("swings", "Hz"), Column("theory", "Hz"), Column("differs by", "%")),
    )
    note = f"Pushed with {PUSH:g} N; let go at 10 mm without friction. More of the same springs make the bar softer."
    return Table("Any number of parts", columns, tuple(rows), note)


def _stability(parts: tuple[int, ...]) -> Table:
    """Bars without friction, stiffer and stiffer: does the tip ever go farther than it was let go at?"""
    rows: list[tuple[Value, ...]] = []
    for n in parts:
        for stiffness in (1e2, 1e4, 1e6):
            bar = Bar(n, Bend(stiffness))
            if np.linalg.eigvalsh(bar.stiffness())[0] <= 0.0:
                rows.append((n, stiffness, "falls over", None))
                continue
            tip = np.abs(bar.shape(bar.run(np.zeros(500), 0.01 * bar.mode()[1]))[0][:, -1])
            worst = float(np.max(tip)) / float(tip[0]) if np.all(np.isfinite(tip)) else float("inf")
            rows.append((n, stiffness, worst <= 1.0 + 1e-6, worst))
    columns = Column("parts"), Column("spring", "N m/rad"), Column("stable"), Column("farthest / first", "%")
    note = (
        "Physics step 1 ms, no friction, no damping. A bar that its springs cannot carry falls over: that is physics."
    )
    return Table("What makes it unstable", columns, tuple(rows), note)


def _unstable(table: Table) -> int:
    return sum(row[2] is False for row in table.rows)


def _rows(bar: Bar, still: Static, swing: Swing, stable: Table) -> tuple[Row, ...]:
    figure, theory = "figure 4.7", "linear theory: {} {}"
    deeper = float(still.angles[0] / still.angles[-1])
    tip, loss = (theory.format(shown(value, "mm"), "mm") for value in (still.theory, friction_loss(bar)))
    frequency = theory.format(shown(bar.mode()[0], "Hz"), "Hz")
    return (
        Row("lowest joint / highest joint", "more", deeper, "", f"{figure}, 4.2.3", f"pushed with {PUSH:g} N"),
        Row("swings, smaller and smaller", "shown", float(len(swing.maxima) - 1), "", figure),
        Row("unstable of the settings below", "some", float(_unstable(stable)), "", "4.2.3", "implicit integrator"),
        Row("tip aside under the push", None, still.tip, "mm", "", f"{tip}, moments over stiffness, weight included"),
        Row("frequency", None, swing.frequency, "Hz", "", f"{frequency}, lowest eigenvalue of the chain"),
        Row("tip loses per swing", None, swing.loss, "mm", "", f"{loss} by constant friction alone"),
    )


def _verdicts(bar: Bar, still: Static, swing: Swing, stable: Table) -> tuple[Verdict, ...]:
    tip, frequency = still.tip / still.theory - 1.0, swing.frequency / bar.mode()[0] - 1.0
    lost, theory = swing.loss, friction_loss(bar)
    return (
        Verdict(f"The static deflection is the theory's within {100 * abs(tip):.1f} %.", abs(tip) < 0.02),
        Verdict(
            "The deviation grows from joint to joint towards the ground.", bool(np.all(np.diff(still.angles) < 0.0))
        ),
        Verdict(f"The frequency is the theory's within {100 * abs(frequency):.2f} %.", abs(frequency) < 0.02),
        Verdict(
            f"The swings get smaller by {1e3 * lost:.1f} mm each, whatever their size, as constant friction lets them "
            f"(theory {1e3 * theory:.1f} mm; the integrator takes a part of its own).",
            bool(np.all(np.diff(swing.maxima) < 0.0)) and abs(lost / theory - 1.0) < 0.15,
        ),
        Verdict(
            "More parts, less friction and stiffer springs do not make it unstable here: all is integrated implicitly."
            if _unstable(stable) == 0
            else f"{_unstable(stable)} of {len(stable.rows)} settings are unstable, as the thesis found.",
        ),
    )


def _parameters(bar: Bar) -> tuple[Parameter, ...]:
    chosen = "chosen: figure 4.7 gives none"
    return (
        Parameter("parts", bar.parts, note="4.2.3"),
        Parameter("length", bar.length, "m", chosen),
        Parameter("mass", bar.mass, "kg", chosen),
        Parameter("width", bar.width, "m", chosen),
        Parameter("spring D_B", bar.bend.stiffness, "N m/rad", chosen),
        Parameter("friction T_RB", bar.bend.friction, "N m", chosen),
        Parameter("push", PUSH, "N", chosen),
        Parameter("let go at", SWING, "m", chosen),
        Parameter("physics step", bar.step, "ms", "4.4: 1 kHz"),
        Parameter("physics step of the swing", FINE, "ms", "at 1 ms the integrator damps as much as the friction"),
        Parameter("random numbers", "none", note="the seed changes nothing"),
    )


_CAPTION = (
    "Figure 4.7 again. Left: the bar at moments of its first swing; dots are the joints. Middle: angles of the joints "
    "under the push, lowest first; the line is the linear theory. Right: the tip after it was let go; dashed, the "
    "envelope that constant friction leaves, which is straight."
)


def _figure(bar: Bar, still: Static, swing: Swing) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import BODY, INK, LEGS, REFERENCE

    figure = Figure(figsize=(12, 4.6), layout="constrained")
    shapes, joints, tip = figure.subplots(1, 3, width_ratios=[0.8, 1.0, 1.7])
    half = round(0.5 / swing.frequency / (swing.time[1] - swing.time[0]))
    for k in np.linspace(0, half, 7).round().astype(int):
        x, z = bar.shape(swing.angles[k])
        shapes.plot(1e3 * x, 1e3 * z, "-o", ms=2.2, lw=1.2, color=LEGS[0], alpha=0.35 + 0.65 * (k in (0, half)))
    shapes.axhline(0.0, color=INK, lw=2.0)
    shapes.set(title="Half a swing", xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
    number = np.arange(1, bar.parts)
    joints.barh(number, 1e3 * still.angles, color=LEGS[1], label="ours")
    joints.plot(1e3 * bar.bent(PUSH), number, color=INK, lw=1.2, label="theory")
    joints.set(
        title=f"Pushed with {PUSH:g} N", xlabel="angle [mrad]", ylabel="joint, 1 is the lowest", yticks=number[::3]
    )
    joints.legend(frameon=False)
    tip.plot(swing.time, 1e3 * swing.tip, color=BODY, lw=1.4, label="tip")
    ends = 1e3 * np.maximum(0.0, swing.maxima[0] - friction_loss(bar) * swing.frequency * swing.time)
    for sign, label in ((1.0, "constant friction, theory"), (-1.0, None)):
        tip.plot(swing.time, sign * ends, color=REFERENCE, lw=1.2, ls="--", label=label)
    tip.set(title="Let go", xlabel="time [s]", ylabel="tip aside [mm]", xlim=(0.0, swing.time[-1]))
    tip.legend(frameon=False, loc="upper right")
    for ax in (shapes, joints, tip):
        ax.spines[["top", "right"]].set_visible(False)
    return figure
