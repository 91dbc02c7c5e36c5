"""Plots of a recorded walk: its path, the ZMP against the support polygon, speed and tilt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gangart.analysis.metrics import WalkFigures, orientation, smoothed, speed_per_second, steady_part, yaw
from gangart.robots import Robot
from gangart.signals import Array, Recording, heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGS = ("#1f6fb2", "#d1662b", "#3a9a5b", "#8a5bb5", "#b23a5a", "#7a7a3a")  # by leg, in the robot's order
INK, REFERENCE, BODY = "#1c1c1e", "#8e8e93", "#5e5ce6"


def walk_plot(recording: Recording, robot: Robot, figures: WalkFigures, path: str | Path) -> Path:
    """Write one PNG: path from above, ZMP over two double steps from above and over time, speed and tilt."""
    from matplotlib.figure import Figure

    r = recording
    figure = Figure(figsize=(13, 9.2), layout="constrained")
    grid = figure.add_gridspec(3, 2, height_ratios=[0.8, 1.5, 0.9])
    rows = _window(r)
    zmp = smoothed(r.zmp, r)
    _path(figure.add_subplot(grid[0, :]), r, robot)
    _zmp_from_above(figure.add_subplot(grid[1, 0]), r, robot, zmp, rows)
    _zmp_over_time(figure.add_subplot(grid[1, 1]), r, robot, zmp, rows)
    _speed(figure.add_subplot(grid[2, 0]), r)
    _tilt(figure.add_subplot(grid[2, 1]), r, figures)
    figure.suptitle(_title(r, figures), fontsize=12)
    return save(figure, path)


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as PNG, folders included."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def _title(r: Recording, figures: WalkFigures) -> str:
    vx, vy, wz = figures.mean_velocity
    fall = f", fell at {figures.fell_at:.1f} s" if figures.fell else ""
    speed = f"{vx * 1e3:.1f} mm/s ahead, {vy * 1e3:.1f} mm/s aside, {np.degrees(wz):.1f} °/s"
    return f"{r.robot}: {figures.duration:.1f} s, {speed}{fall}"


def _window(r: Recording) -> slice:
    """Rows of about two double steps in the middle of the steady walk."""
    steady = steady_part(r)
    lifts = np.flatnonzero(~r.support[1:, 0] & r.support[:-1, 0]) + 1
    middle = (steady.start + steady.stop) // 2
    k = int(np.searchsorted(lifts, middle))
    if k < 1 or k + 1 >= len(lifts):
        return slice(0, len(r))
    return slice(int(lifts[k - 1]), int(lifts[k + 1]))


def _outline(robot: Robot, leg: int, pose: Array) -> Array:
    """Corners of a sole in the world, closed, (n + 1, 2) [m]; pose (7,) position and quaternion."""
    sole = list(robot.legs.values())[leg]
    corners = sole.outline
    if sole.radius:  # a ball's shadow
        turn = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
        corners = sole.radius * np.column_stack([np.cos(turn), np.sin(turn)])
    angle = heading(pose[3:])
    c, s = np.cos(angle), np.sin(angle)
    closed: Array = np.vstack([corners, corners[:1]]) @ np.array([[c, s], [-s, c]]) + pose[:2]
    return closed


def _footprints(r: Recording, rows: slice) -> list[tuple[int, int, int]]:
    """Stances that touch the rows: leg, first and last row."""
    found = []
    for leg in range(len(r.legs)):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], r.support[:, leg], [False]]).astype(int)))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            if b > rows.start and a < rows.stop:
                found.append((leg, int(a), int(b) - 1))
    return found


def _draw_footprints(ax: Axes, r: Recording, robot: Robot, rows: slice, R: Array, origin: Array) -> None:
    for leg, a, b in _footprints(r, rows):
        corners = (_outline(robot, leg, r.foot_pose[(a + b) // 2, leg]) - origin) @ R
        ax.fill(corners[:, 0] * 1e3, corners[:, 1] * 1e3, color=LEGS[leg % 6], alpha=0.16, lw=0)
        ax.plot(corners[:, 0] * 1e3, corners[:, 1] * 1e3, color=LEGS[leg % 6], lw=0.8)


def _path(ax: Axes, r: Recording, robot: Robot) -> None:
    everything = slice(0, len(r))
    _draw_footprints(ax, r, robot, everything, np.eye(2), np.zeros(2))
    ax.plot(*(r.base_position[:, :2].T * 1e3), color=BODY, lw=1.2, label="base")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(title="From above", xlabel="x [mm]", ylabel="y [mm]")
    ax.legend(loc="upper right", frameon=False)
    ax.set_anchor("W")


def _zmp_from_above(ax: Axes, r: Recording, robot: Robot, zmp: Array, rows: slice) -> None:
    R, origin = _local(r, rows)
    _draw_footprints(ax, r, robot, rows, R, origin)
    for points, style in ((r.zmp_reference, _REFERENCE), (zmp, _MEASURED), (r.com_reference[:, :2], _COM)):
        local = (points[rows] - origin) @ R * 1e3
        ax.plot(local[:, 0], local[:, 1], **style)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(title="ZMP over two double steps, from above", xlabel="ahead [mm]", ylabel="left [mm]")
    ax.legend(loc="lower right", fontsize=8, framealpha=0.9)


def _zmp_over_time(ax: Axes, r: Recording, robot: Robot, zmp: Array, rows: slice) -> None:
    """Sideways ZMP over time; the bands are the soles on the ground (as Urbann's figure 5.1)."""
    R, origin = _local(r, rows)
    time = r.time[rows]
    for leg, a, b in _footprints(r, rows):
        a, b = max(a, rows.start), min(b, rows.stop - 1)
        side = ((_outline(robot, leg, r.foot_pose[(a + b) // 2, leg]) - origin) @ R)[:, 1] * 1e3
        ax.fill_between([r.time[a], r.time[b]], side.min(), side.max(), color=LEGS[leg % 6], alpha=0.16, lw=0)
    for points, style in ((r.zmp_reference, _REFERENCE), (zmp, _MEASURED), (r.com_reference[:, :2], _COM)):
        ax.plot(time, ((points[rows] - origin) @ R)[:, 1] * 1e3, **style)
    ax.set(title="ZMP sideways; bands: soles on the ground", xlabel="time [s]", ylabel="left [mm]")
    ax.set_xlim(time[0], time[-1])


_MEASURED: dict[str, Any] = {"color": INK, "lw": 1.3, "label": "ZMP measured (50 ms mean)"}
_REFERENCE: dict[str, Any] = {"color": REFERENCE, "lw": 1.6, "ls": "--", "label": "ZMP reference"}
_COM: dict[str, Any] = {"color": BODY, "lw": 1.2, "label": "centre of mass (plan)"}


def _local(r: Recording, rows: slice) -> tuple[Array, Array]:
    """Axes ahead and left, and the origin, of the mean place over the rows: p_local = (p_world - origin) @ R."""
    heading = float(yaw(r)[rows].mean())
    c, s = np.cos(heading), np.sin(heading)
    return np.array([[c, -s], [s, c]]), r.com_reference[rows, :2].mean(axis=0)


def _speed(ax: Axes, r: Recording) -> None:
    speed = speed_per_second(r) * 1e3
    seconds = np.arange(len(speed)) + 0.5
    ax.bar(seconds, speed, width=0.85, color=LEGS[0], alpha=0.55)
    ax.set(title="Forward speed in each second", xlabel="time [s]", ylabel="[mm/s]")


def _tilt(ax: Axes, r: Recording, figures: WalkFigures) -> None:
    x, y = (np.degrees(a) for a in orientation(r))
    fx, fy = figures.orientation_error
    ax.plot(r.time, x, color=LEGS[0], lw=0.8, label=f"about x, f_x = {fx:.3g}")
    ax.plot(r.time, y, color=LEGS[1], lw=0.8, label=f"about y, f_y = {fy:.3g}")
    ax.set(title="Tilt of the base", xlabel="time [s]", ylabel="[°]")
    ax.legend(loc="upper right", fontsize=8, frameon=False)
