"""Draw plans: soles, the path of the body, obstacles, start and goal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gangart.errors import BadValue
from gangart.footsteps.obstacles import Obstacle
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import feet_around
from gangart.signals import Array, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, RIGHT, GREY, INK = "#1f6fb2", "#d1662b", "#8e8e93", "#1c1c1e"
_FORMATS = (".png", ".svg", ".pdf")


def draw(axes: Axes, plan: StepPlan, obstacles: Sequence[Obstacle] = (), *, numbers: bool = True) -> None:
    """One plan into axes [m]."""
    for obstacle in obstacles:
        low = obstacle.height <= plan.limits.step_height
        axes.fill(*np.array(obstacle.corners).T, facecolor="#e5e5ea" if low else "#aeaeb2", edgecolor=GREY, lw=0.5)
    for foot in range(2):
        _sole(axes, plan, foot, plan.start.feet[foot], facecolor="none", edgecolor=GREY, lw=0.8)
        home = feet_around(plan.goal, plan.limits.spacing)[foot]
        _sole(axes, plan, foot, home, facecolor="none", edgecolor=INK, lw=1.0, ls=":")
    for k, (foot, pose) in enumerate(zip(plan.foot.tolist(), plan.pose, strict=True)):
        colour = (LEFT, RIGHT)[foot]
        _sole(axes, plan, foot, pose, facecolor=colour, alpha=0.25, edgecolor=colour, lw=0.5)
        if numbers:
            axes.text(pose[0], pose[1], str(k + 1), ha="center", va="center", fontsize=6, color=INK)
    bodies = plan.bodies()
    axes.plot(bodies[:, 0], bodies[:, 1], color=INK, lw=0.8, alpha=0.7)
    for pose, colour in ((bodies[0], GREY), (plan.goal, INK)):
        x, y, yaw = pose.tolist()
        tip = (x + 0.15 * np.cos(yaw), y + 0.15 * np.sin(yaw))
        axes.annotate("", tip, (x, y), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.4})
        axes.update_datalim([tip])  # else an arrow that points out of the picture is left out
    axes.set_aspect("equal")


def _sole(axes: Axes, plan: StepPlan, foot: int, pose: Array, **style: Any) -> None:
    outline = plan.limits.soles()[foot]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    axes.fill(*(outline @ np.array([[c, s], [-s, c]]) + pose[:2]).T, **style)


def _tall(plans: Sequence[StepPlan]) -> float:
    """About how high pictures are for their width."""
    points = np.vstack([np.vstack([p.start.feet[:, :2], p.pose[:, :2], p.goal[None, :2]]) for p in plans])
    wide, high = np.ptp(points, axis=0) + 0.3
    return float(np.clip(high / wide, 0.4, 1.4)) + 0.1


Treads = tuple[Ints, Array]  # which foot trod (n,), and where: x, y [m], yaw [rad] (n, 3)


def draw_treads(axes: Axes, plan: StepPlan, treads: Treads, obstacles: Sequence[Obstacle] = ()) -> None:
    """Where a robot trod, over start and goal of the plan."""
    draw(axes, dataclasses.replace(plan, foot=plan.foot[:0], pose=plan.pose[:0]), obstacles)
    for foot, pose in zip(treads[0].tolist(), treads[1], strict=True):
        colour = (LEFT, RIGHT)[foot]
        _sole(axes, plan, foot, pose, facecolor=colour, alpha=0.25, edgecolor=colour, lw=0.5)


def save(
    plans: Sequence[StepPlan],
    path: Path,
    obstacles: Sequence[Obstacle] = (),
    walked: Mapping[str, Treads] | None = None,
) -> Path:
    """Plans side by side in a picture file, and beside them where a robot trod that `walked` the first of them."""
    from matplotlib.figure import Figure

    if path.suffix.lower() not in _FORMATS:
        raise BadValue(f"picture {path} has to end in {', '.join(_FORMATS)}")
    count = len(plans) + len(walked or {})
    columns = min(count, 4)
    rows = -(-count // columns)
    size = 7.0 if len(plans) == 1 else 4.0
    figure = Figure(figsize=(size * columns, size * rows * _tall(plans)), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False, sharex=bool(walked), sharey=bool(walked)).flat)
    for axes, plan in zip(panels, plans, strict=False):
        draw(axes, plan, obstacles, numbers=len(plans) == 1)
        axes.set(title=f"{plan.planner}: {len(plan)} steps, {plan.ended}", xlabel="x [m]", ylabel="y [m]")
    for axes, (word, treads) in zip(panels[len(plans) :], (walked or {}).items(), strict=False):
        draw_treads(axes, plans[0], treads, obstacles)
        axes.set(title=f"walked {word}: {max(len(treads[0]) - 2, 0)} steps", xlabel="x [m]")
    for axes in panels[count:]:
        axes.set_axis_off()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
    except OSError as error:
        raise BadValue(f"cannot write picture {path}: {error.strerror or error}") from error
    return path
