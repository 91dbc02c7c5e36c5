"""Figures 5.6 to 5.13 again: where the torso and the ZMP go sideways, and how the torso tilts meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gangart.analysis.metrics import orientation, tilt
from gangart.compensation import compensate_zmp
from gangart.control import BipedEngine, WalkPlan
from gangart.dynamics import multibody_zmp
from gangart.experiments.lateral_walks import COMMAND, Trial, settings
from gangart.experiments.report import Picture
from gangart.experiments.torso_path import torso_path
from gangart.pattern.zmp import ZmpName
from gangart.robots import Robot
from gangart.signals import Array, Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEGIN, AFTER, LONGEST = 0.5, 0.1, 5.2  # [s] the figures' first, how long they go on after a fall, their last
TUMBLES = 0.3  # [rad] tilt from which on no foot bears
INK, GREY, BLUE, ORANGE, GREEN = "#1c1c1e", "#8e8e93", "#1f6fb2", "#d1662b", "#3a9a5b"
COLOURS = (GREY, GREEN, "#8a5bb5", "#c9a227", "#b23a5a", ORANGE, BLUE)


def pictures(plain: Trial, compensated: Trial, bezier: Trial, levels: list[Trial], robot: Robot) -> tuple[Picture, ...]:
    """All figures of one worn robot: its stationary walk plain and ZMP-compensated, its Bézier walk, all levels."""
    name = f"worn Nao {plain.preset}"
    base = next(t for t in levels if t.level == "BS")
    return (
        Picture("zmp", f"Torso and ZMP sideways, {name}: figures 5.6 and 5.8", _zmp(plain, compensated, robot)),
        Picture("tilt", f"Tilt about x, {name}; grey: the left foot touches, as in figures 5.7 and 5.11; the base "
                "level beside it as in figure 5.14", _tilt(plain, compensated, base)),
        Picture("torso", f"Torso by true pose and by forward kinematics, {name}; grey: the left foot touches, as in "
                "figure 5.10", _torso(plain, robot)),
        Picture("levels", f"Torso sideways on every level of realism, {name}: figure 5.9", _levels(levels, robot)),
        Picture("references", "The two ZMP references sideways: figure 5.12", _references(robot)),
        Picture("bezier", f"Torso sideways with both ZMP references, {name}: figure 5.13",
                _bezier(plain, bezier, robot)),
    )  # fmt: skip


def _end(*trials: Trial) -> float:
    """Where a figure of these walks ends [s]."""
    falls = [t.walked for t in trials if t.fell]
    return min([LONGEST, *(f + AFTER for f in falls)])


def _rows(time: Array, end: float) -> slice:
    return slice(int(np.searchsorted(time, BEGIN)), int(np.searchsorted(time, end)))


def _touching(ax: Any, r: Recording, end: float) -> None:
    """Shade the times at which the left foot touches the ground."""
    rows = _rows(r.time, end)
    ax.fill_between(r.time[rows], 0.0, 1.0, where=r.contact[rows, 0], transform=ax.get_xaxis_transform(),
                    color="#000000", alpha=0.1, lw=0.0)  # fmt: skip


def _side(ax: Any, r: Recording, values: Array, end: float, **style: Any) -> None:
    """A column in m, shown in mm, or in m/s, shown in mm/s."""
    rows = _rows(r.time, end)
    ax.plot(r.time[rows], values[rows] * 1e3, **({"lw": 1.2} | style))


def _plans(robot: Robot, zmp: ZmpName, end: float) -> tuple[WalkPlan, WalkPlan]:
    """As the one-mass model plans it, and with algorithm 5.1."""
    engine = BipedEngine(robot, walk=settings(robot), zmp=zmp)
    return engine.plan(COMMAND, end + 1.0), compensate_zmp(engine, COMMAND, end + 1.0)[0]


def _zmp(plain: Trial, compensated: Trial, robot: Robot) -> Figure:
    from matplotlib.figure import Figure

    end = _end(plain)
    figure = Figure(figsize=(9.5, 6.0), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True)
    for ax, t, plan in zip(axes, (plain, compensated), _plans(robot, "stationary", end), strict=True):
        time, rows = plan.body.time, _rows(plan.body.time, end)
        ax.plot(time[rows], plan.body.zmp[rows, 1] * 1e3, color=INK, ls="--", lw=1.2, label="ZMP, wanted")
        whole = multibody_zmp(robot, plan.joints)[rows, 1]
        ax.plot(time[rows], whole * 1e3, color=GREY, lw=1.2, label="ZMP of the whole body")
        wanted = _upright(t.recording, torso_path(t.recording, robot).wanted)
        _side(ax, t.recording, wanted[:, 1], end, color=GREEN, label="torso, wanted")
        _side(ax, t.recording, t.recording.base_position[:, 1], end, color=ORANGE, lw=1.5, label="torso")
        ax.set(ylabel="left [mm]", ylim=(-150, 110))
        ax.set_title("without compensation" if t is plain else "ZMP-compensated (algorithm 5.1)", fontsize=10)
    axes[0].legend(loc="lower left", fontsize=8, ncols=4)
    axes[1].set_xlabel("time [s]")
    return figure


def _tilt(plain: Trial, compensated: Trial, base: Trial) -> Figure:
    from matplotlib.figure import Figure

    end = _end(plain)
    figure = Figure(figsize=(9.5, 3.4), layout="constrained")
    ax = figure.subplots()
    _touching(ax, plain.recording, end)
    for t, colour, label in ((base, GREY, "BS"), (compensated, GREEN, "VS, ZMP-compensated"), (plain, ORANGE, "VS")):
        rows = _rows(t.recording.time, end)
        angle = np.degrees(orientation(t.recording)[0])
        ax.plot(t.recording.time[rows], angle[rows], color=colour, lw=1.3, label=label)
    ax.set(xlabel="time [s]", ylabel="tilt about x [°]", ylim=(-6, 14))
    ax.legend(loc="upper left", fontsize=8, ncols=3)
    return figure


def _torso(t: Trial, robot: Robot) -> Figure:
    from matplotlib.figure import Figure

    end, r, path = _end(t), t.recording, torso_path(t.recording, robot)
    figure = Figure(figsize=(9.5, 8.0), layout="constrained")
    where, speed, why = figure.subplots(3, 1, sharex=True)
    ways = (("wanted", path.wanted, INK, "--"), ("joints, over a flat foot", path.joints, BLUE, "-"),
            ("true", path.true, ORANGE, "-"))  # fmt: skip
    for label, p, colour, style in ways:
        seen = _upright(r, p)
        _side(where, r, seen[:, 1], end, color=colour, ls=style, label=label)
        _side(speed, r, path.sideways(seen, r.time), end, color=colour, ls=style, label=label)
    for (label, part), colour in zip(path.parts().items(), (BLUE, ORANGE, GREEN), strict=True):
        _side(why, r, _upright(r, part)[:, 1], end, color=colour, label=label)
    for ax, title in ((where, "left [mm]"), (speed, "to the left [mm/s]"), (why, "off the plan [mm]")):
        _touching(ax, r, end)
        ax.set_ylabel(title)
    where.set_ylim(-150, 110)
    speed.set_ylim(-750, 750)
    why.set_ylim(-60, 40)
    where.legend(loc="lower left", fontsize=8, ncols=3)
    why.legend(loc="lower left", fontsize=8, ncols=3)
    why.set_xlabel("time [s]")
    return figure


def _upright(r: Recording, path: Array) -> Array:
    """A path, as long as the robot does not tumble: then no foot bears any more."""
    return np.where((tilt(r) < TUMBLES)[:, None], path, np.nan)


def _levels(levels: list[Trial], robot: Robot) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    ax = figure.subplots()
    end = _end(*levels)
    wanted = torso_path(levels[0].recording, robot).wanted[:, 1]
    _side(ax, levels[0].recording, wanted, end, color=INK, ls="--", label="wanted", zorder=9)
    for t, colour in zip(levels, COLOURS, strict=False):
        _side(ax, t.recording, t.recording.base_position[:, 1], end, color=colour, label=t.level)
    ax.set(xlabel="time [s]", ylabel="torso, left [mm]", ylim=(-150, 110))
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return figure


def _references(robot: Robot) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.0), layout="constrained")
    ax = figure.subplots()
    names: tuple[tuple[ZmpName, str], ...] = (("stationary", ORANGE), ("bezier", BLUE))
    for zmp, colour in names:
        body = BipedEngine(robot, walk=settings(robot), zmp=zmp).plan(COMMAND, LONGEST + 1.0).body
        rows = _rows(body.time, LONGEST)
        ax.plot(body.time[rows], body.zmp[rows, 1] * 1e3, "--", color=colour, lw=1.3, label=f"{zmp}: ZMP")
        ax.plot(body.time[rows], body.com[rows, 1] * 1e3, color=colour, lw=1.0, label=f"{zmp}: centre of mass")
    ax.set(xlabel="time [s]", ylabel="left [mm]")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return figure


def _bezier(plain: Trial, bezier: Trial, robot: Robot) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 5.4), layout="constrained")
    where, speed = figure.subplots(2, 1, sharex=True)
    end = _end(plain)
    for t, colour in ((plain, ORANGE), (bezier, BLUE)):
        path = torso_path(t.recording, robot)
        for p, style, what in ((path.wanted, "--", "wanted"), (path.true, "-", "torso")):
            seen = _upright(t.recording, p)
            _side(where, t.recording, seen[:, 1], end, color=colour, ls=style, label=f"{t.zmp}: {what}")
            _side(speed, t.recording, path.sideways(seen, t.recording.time), end, color=colour, ls=style)
    where.set(ylabel="left [mm]", ylim=(-150, 110))
    speed.set(ylabel="to the left [mm/s]", ylim=(-750, 750), xlabel="time [s]")
    where.legend(loc="lower left", fontsize=8, ncols=4)
    return figure
