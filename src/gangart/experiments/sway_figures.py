"""The pictures of `forward-sway`: figures 5.15 to 5.21."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gangart.control import BipedEngine
from gangart.dynamics import joint_torques
from gangart.experiments.sway_walks import COMMAND, SHOWN, Walked
from gangart.kinematics.posture import posture
from gangart.robots import Robot
from gangart.signals import Array, Bools, Recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1f6fb2", "#d1662b", "#3a9a5b", "#8a5bb5", "#b23a5a")
INK, SOFT = "#1c1c1e", "#8e8e93"
_PITCH = ("HipPitch", "KneePitch", "AnklePitch")


def tilts(levels: list[Walked], walks: list[Walked], best: str) -> Figure:
    """Figures 5.16 and 5.17: tilt about y, of the first machine."""
    figure, (top, bottom) = _axes(2, 5.4)
    first = levels[0].job.preset
    shown_levels = [
        w for w in levels if w.job.preset == first and w.job.level in ("VS", "BS+MT", "BS+GT", "BS+FK", "BS")
    ]
    shown_walks = [w for w in walks if w.job.preset == first and w.job.friction == 1.0]
    shown_walks = [w for w in shown_walks if w.job.what in ("none", "ZMP", "arms", "offsets", best)]
    for ax, chosen in ((top, shown_levels), (bottom, shown_walks)):
        for w, colour in zip(chosen, COLOURS, strict=False):
            label = w.job.level if ax is top else w.job.what
            ax.plot(w.time, np.degrees(w.tilt), color=colour, lw=1.0, label=label)
        ax.set_ylabel("tilt about y [°]")
        ax.legend(loc="upper right", fontsize=8, ncols=5)
    top.set_title(f"worn Nao {first}: levels of realism; compensations")
    bottom.set_xlabel("time [s]")
    return figure


def speeds(walks: list[Walked], best: str) -> Figure:
    """Figure 5.15: forward speed in each second, friction 0.25 as in the thesis where it was simulated."""
    figure, (ax,) = _axes(1, 3.2)
    friction = min(w.job.friction for w in walks)
    for preset, colour in zip(dict.fromkeys(w.job.preset for w in walks), COLOURS, strict=False):
        for what, style in (("none", ":"), (best, "-")):
            w = next(w for w in walks if (w.job.preset, w.job.what, w.job.friction) == (preset, what, friction))
            speed = np.array(w.figures.speed_per_second) * 1e3
            ax.plot(np.arange(len(speed)) + 0.5, speed, style, color=colour, lw=1.3, label=f"{preset}, {what}")
    ax.axhline(COMMAND.vx * 1e3, color=SOFT, lw=0.8)
    ax.set(xlabel="time [s]", ylabel="[mm/s]", ylim=(150, 230), title=f"friction {friction:g}")
    figure.legend(loc="outside right upper", fontsize=7, frameon=False)
    return figure


def feet(robot: Robot, before: Recording, after: Recording) -> Figure:
    """Figures 5.18 to 5.20: where soles touch, how far they are apart, and where they are in the robot."""
    figure, (places, apart, inside) = _axes(3, 7.2)
    for r, style, word in ((before, ":", "none"), (after, "-", "compensated")):
        rows = _shown(r)
        for leg, colour in zip(range(2), COLOURS, strict=False):
            x = np.where(r.contact[rows, leg], r.foot_pose[rows, leg, 0], np.nan)
            places.plot(r.time[rows], x, style, color=colour, lw=1.2, label=f"{r.legs[leg]}, {word}")
        both = np.asarray(r.contact[rows]).all(axis=1)
        distance = np.abs(r.foot_pose[rows, 0, 0] - r.foot_pose[rows, 1, 0])
        apart.plot(r.time[rows], np.where(both, distance, np.nan) * 1e3, style, color=INK, lw=1.4, label=word)
        solver = posture(robot)
        sampled = np.arange(len(r))[rows][::5]
        for q, colour, name in ((r.target, SOFT, "asked"), (r.position, COLOURS[0], "reached")):
            if word == "none" or name == "reached":
                inside_x = [solver.feet(q[k])[0, 0, 3] * 1e3 for k in sampled]
                inside.plot(r.time[sampled], inside_x, style, color=colour, lw=1.1, label=f"{name}, {word}")
    apart.axhline(COMMAND.vx * _step(before) * 1e3, color=SOFT, lw=0.8)
    places.set(ylabel="forward [m]", title="soles on the ground")
    apart.set(ylabel="[mm]", title="feet apart, both on the ground")
    inside.set(xlabel="time [s]", ylabel="[mm]", title="left sole in the robot's frame")
    for ax in (places, apart, inside):
        ax.legend(loc="upper left", fontsize=7, ncols=4)
    return figure


def torques(robot: Robot, before: Recording, offset: Recording) -> Figure:
    """Figure 5.21: torques that the plan takes, and by how much joints under them are off, without and with offsets."""
    plan = BipedEngine(robot).plan(COMMAND, SHOWN[1])
    torque = joint_torques(robot, plan.joints, plan.footsteps.contacts(plan.joints.time)).joint
    planned = plan.joints.time > SHOWN[0]
    figure, axes = _axes(2, 5.0)
    for name, colour in zip(_PITCH, COLOURS, strict=False):
        k = robot.joint_index[f"R{name}"]
        axes[0].plot(plan.joints.time[planned], torque[planned, k], color=colour, lw=1.2, label=f"R{name}")
        for r, style in ((before, ":"), (offset, "-")):
            rows = _shown(r)
            wanted = np.interp(r.time[rows], plan.joints.time, plan.joints.position[:, k])
            axes[1].plot(r.time[rows], np.degrees(r.position[rows, k] - wanted), style, color=colour, lw=1.0)
    axes[0].set(ylabel="planned torque [N m]")
    axes[1].set(xlabel="time [s]", ylabel="angle error [°]", title="dotted: as it is; drawn: with offsets")
    for ax in axes:
        _shade(ax, before)
    axes[0].legend(loc="upper right", fontsize=8, ncols=3)
    return figure


def _axes(rows: int, height: float) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, height), layout="constrained")
    return figure, list(figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0])


def _shown(r: Recording) -> Bools:
    return np.asarray((r.time > SHOWN[0]) & (r.time < SHOWN[1]))


def _step(r: Recording) -> float:
    return float(r.info["double_step_duration"]) / 2.0


def _shade(ax: Axes, r: Recording) -> None:
    """Grey where the right leg stands alone."""
    rows = _shown(r)
    alone: Array = (r.support[rows, 1] & ~r.support[rows, 0]).astype(float)
    ax.fill_between(r.time[rows], 0.0, alone, color=SOFT, alpha=0.2, transform=ax.get_xaxis_transform(), lw=0)
