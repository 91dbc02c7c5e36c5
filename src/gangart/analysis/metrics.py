"""How well did it walk? Figures of a recording."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gangart.analysis.polygon import support_margins
from gangart.robots import Robot
from gangart.signals import Array, Bools, Recording

STEADY = 2.5  # [s] from here on the walk counts as steady (Urbann 5.3.1)
SMOOTHING = 0.05  # [s] window over which the measured ZMP is averaged: contact forces chatter


@dataclass(frozen=True)
class WalkFigures:
    """The figures of a walk."""

    fell: bool
    fell_at: float | None  # [s]
    duration: float  # [s]
    mean_velocity: tuple[float, float, float]  # [m/s, m/s, rad/s] of the base in its own frame, over the steady part
    speed_per_second: tuple[float, ...]  # [m/s] forward, for each second
    distance: float  # [m] from start to end
    drift: tuple[float, float]  # [m] base against plan over the steady part, x and y in the world
    step_length: float  # [m] between successive footprints, along the heading; NaN without steps
    steps: int  # supports that began
    orientation_error: tuple[float, float]  # [rad²] f_x, f_y (Urbann 5.1, 5.2), summed at 1 kHz
    tilt_max: float  # [rad] largest tilt of the base
    zmp_error: float  # [m] root mean square of measured against reference ZMP
    zmp_margin_min: float  # [m] least distance of the measured ZMP from the edge of the support polygon
    slip: float  # [m] farthest way a sole slid during one support

    def as_dict(self) -> dict[str, Any]:
        """For JSON: SI units, tuples as lists."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def walk_figures(recording: Recording, robot: Robot) -> WalkFigures:
    """Measure a walk."""
    r = recording
    fell = r.info.get("fell")
    steady = steady_part(r)
    zmp = smoothed(r.zmp, r)
    error = zmp - r.zmp_reference
    margins = support_margins(
        [leg.outline for leg in robot.legs.values()], r.foot_pose, _touching_lately(r), zmp
    )
    tilt = np.hypot(*orientation(r))
    moved = r.base_position[-1, :2] - r.base_position[0, :2]
    lengths = step_lengths(r)
    return WalkFigures(
        fell=fell is not None,
        fell_at=fell,
        duration=r.duration + _period(r),
        mean_velocity=mean_velocity(r, steady),
        speed_per_second=tuple(float(v) for v in speed_per_second(r)),
        distance=float(np.hypot(*moved)),
        drift=_drift(r, steady),
        step_length=float(lengths.mean()) if len(lengths) else float("nan"),
        steps=len(lengths),
        orientation_error=orientation_error(r),
        tilt_max=float(tilt.max()),
        zmp_error=float(np.sqrt(np.nanmean(np.sum(error**2, axis=1)))),
        zmp_margin_min=float(np.nanmin(margins)) if np.isfinite(margins).any() else float("nan"),
        slip=slip(r),
    )


def orientation(r: Recording) -> tuple[Array, Array]:
    """Tilt of the base about x and y [rad]: angle of its y and x axis to the horizontal plane (Urbann 5.1.2)."""
    w, x, y, z = r.base_orientation.T
    return np.arcsin(np.clip(2.0 * (y * z + w * x), -1.0, 1.0)), np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))


def orientation_error(r: Recording) -> tuple[float, float]:
    """f_x, f_y [rad²]: squared tilt, summed over the samples of a 1 kHz recording (Urbann 5.1, 5.2)."""
    per_sample = _period(r) / 1e-3
    x, y = orientation(r)
    return float(np.sum(x**2) * per_sample), float(np.sum(y**2) * per_sample)


def yaw(r: Recording) -> Array:
    """Heading of the base [rad], unwrapped."""
    w, x, y, z = r.base_orientation.T
    return np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def steady_part(r: Recording) -> slice:
    """Rows of whole double steps after the walk has gathered speed; the whole recording where it is too short."""
    n, dt = len(r), _period(r)
    begin = min(round(STEADY / dt), n // 2)
    double_step = round(float(r.info.get("double_step_duration", 0.0)) / dt)
    length = n - 1 - begin
    if double_step and length >= double_step:
        length -= length % double_step
    return slice(begin, begin + length + 1)


def mean_velocity(r: Recording, rows: slice) -> tuple[float, float, float]:
    """Mean velocity of the base in its own frame: vx, vy [m/s], wz [rad/s]."""
    heading, v = yaw(r)[rows], r.base_velocity[rows]
    c, s = np.cos(heading), np.sin(heading)
    time = max(r.time[rows][-1] - r.time[rows][0], 1e-9)
    return (
        float(np.mean(c * v[:, 0] + s * v[:, 1])),
        float(np.mean(-s * v[:, 0] + c * v[:, 1])),
        float((heading[-1] - heading[0]) / time),
    )


def speed_per_second(r: Recording) -> Array:
    """Forward speed of the base [m/s], averaged over each full second."""
    per = round(1.0 / _period(r))
    seconds = len(r) // per
    heading = yaw(r)
    forward = np.cos(heading) * r.base_velocity[:, 0] + np.sin(heading) * r.base_velocity[:, 1]
    return forward[: seconds * per].reshape(seconds, per).mean(axis=1) if seconds else np.zeros(0)


def _drift(r: Recording, rows: slice) -> tuple[float, float]:
    moved = r.base_position[rows][-1, :2] - r.base_position[rows][0, :2]
    planned = r.com_reference[rows][-1, :2] - r.com_reference[rows][0, :2]
    return float(moved[0] - planned[0]), float(moved[1] - planned[1])


def step_lengths(r: Recording) -> Array:
    """Distance of each new footprint from the standing foot's, along the heading [m]."""
    landed = np.flatnonzero(np.any(r.support[1:] & ~r.support[:-1], axis=1)) + 1
    heading = yaw(r)
    out = []
    for i in landed:
        leg = int(np.flatnonzero(r.support[i] & ~r.support[i - 1])[0])
        others = [k for k in range(len(r.legs)) if k != leg and r.support[i, k]]
        if others:
            to = r.foot_pose[i, leg, :2] - r.foot_pose[i, others, :2].mean(axis=0)
            out.append(np.cos(heading[i]) * to[0] + np.sin(heading[i]) * to[1])
    return np.array(out)


def slip(r: Recording) -> float:
    """The farthest that a sole slid while it was meant to stand [m]."""
    farthest = 0.0
    for leg in range(len(r.legs)):
        standing = r.support[:, leg] & r.contact[:, leg]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], standing, [False]]).astype(int)))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            way = r.foot_pose[a:b, leg, :2] - r.foot_pose[a, leg, :2]
            farthest = max(farthest, float(np.hypot(way[:, 0], way[:, 1]).max()))
    return farthest


def smoothed(values: Array, r: Recording) -> Array:
    """Moving average over SMOOTHING seconds, NaN left out."""
    width = max(1, round(SMOOTHING / _period(r)))
    good = np.isfinite(values)
    kernel = np.ones(width)
    out = np.empty_like(values)
    for i in range(values.shape[1]):
        total = np.convolve(np.where(good[:, i], values[:, i], 0.0), kernel, mode="full")[: len(values)]
        count = np.convolve(good[:, i].astype(float), kernel, mode="full")[: len(values)]
        shift = width // 2
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / count
        out[:, i] = np.concatenate([mean[shift:], np.repeat(mean[-1:], shift)])
    return out


def _touching_lately(r: Recording) -> Bools:
    """Soles that touched within the smoothing window."""
    width = max(1, round(SMOOTHING / _period(r)))
    shift = width // 2
    out = np.zeros_like(r.contact)
    for leg in range(len(r.legs)):
        near = np.convolve(r.contact[:, leg].astype(float), np.ones(2 * shift + 1), mode="same")
        out[:, leg] = near > 0.5
    return out


def _period(r: Recording) -> float:
    """Time between two rows [s]."""
    return float(np.median(np.diff(r.time[: min(len(r), 1000)]))) if len(r) > 1 else 1e-3
