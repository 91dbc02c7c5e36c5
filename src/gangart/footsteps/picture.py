"""Draw plans: soles, the path of the body, obstacles, start and goal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gangart.errors import BadValue
from gangart.footsteps.obstacles import Obstacle
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import feet_around
from gangart.signals import Array

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
    axes.set_aspect("equal")


def _sole(axes: Axes, plan: StepPlan, foot: int, pose: Array, **style: Any) -> None:
    outline = plan.limits.soles()[foot]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    axes.fill(*(outline @ np.array([[c, s], [-s, c]]) + pose[:2]).T, **style)


def save(plans: Sequence[StepPlan], path: Path, obstacles: Sequence[Obstacle] = ()) -> Path:
    """Plans side by side in a picture file."""
    from matplotlib.figure import Figure

    if path.suffix.lower() not in _FORMATS:
        raise BadValue(f"picture {path} has to end in {', '.join(_FORMATS)}")
    columns = min(len(plans), 4)
    rows = -(-len(plans) // columns)
    size = 7.0 if len(plans) == 1 else 4.0
    figure = Figure(figsize=(size * columns, size * rows), layout="constrained")
    for axes, plan in zip(figure.subplots(rows, columns, squeeze=False).flat, plans, strict=False):
        draw(axes, plan, obstacles, numbers=len(plans) == 1)
        axes.set(title=f"{plan.planner}: {len(plan)} steps, {plan.ended}", xlabel="x [m]", ylabel="y [m]")
    for axes in figure.axes[len(plans) :]:
        axes.set_axis_off()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
    except OSError as error:
        raise BadValue(f"cannot write picture {path}: {error.strerror or error}") from error
    return path
