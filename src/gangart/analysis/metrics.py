"""How well did it walk? Figures of a recording."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gangart.analysis.polygon import support_margins
from gangart.errors import BadRecording
from gangart.robots import Robot
from gangart.signals import Array, Bools, Ints, Recording, heading

STEADY = 2.5  # [s] from here on the walk counts as steady (Urbann 5.3.1)
SMOOTHING = 0.05  # [s] window over which the measured ZMP is averaged: contact forces chatter
_SAMPLE = 1e-3  # [s] at which orientation errors are summed (Urbann 5.1.2)


@dataclass(frozen=True)
class WalkFigures:
    """The figures of a walk. What a recording does not tell, e.g. the step length where there was no step, is NaN."""

    fell: bool
    fell_at: float | None  # [s]
    duration: float  # [s]
    mean_velocity: tuple[float, float, float]  # [m/s, m/s, rad/s] of the base in its own frame, over the steady part
    speed_per_second: tuple[float, ...]  # [m/s] forward, for each second
    distance: float  # [m] from start to end
    drift: tuple[float, float]  # [m] base against plan over the steady part, x and y in the world
    step_length: float  # [m] between successive footprints, along the heading
    steps: int  # supports that began
    orientation_error: tuple[float, float]  # [rad²] f_x, f_y (Urbann 5.1, 5.2), summed at 1 kHz
    tilt_max: float  # [rad] largest tilt of the base
    zmp_error: float  # [m] root mean square of measured against reference ZMP
    zmp_margin_min: float  # [m] least distance of the measured ZMP from the edge of the support polygon
    slip: float  # [m] farthest way a sole slid during one support

    def as_dict(self) -> dict[str, Any]:
        """For JSON: SI units, tuples as lists, and null for NaN, which JSON does not know."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def walk_figures(recording: Recording, robot: Robot) -> WalkFigures:
    """Measure a walk."""
    r = recording
    if len(r) == 0:
        raise BadRecording(f"the recording of {r.robot} holds no row: there is nothing to measure")
    if len(r.legs) != len(robot.legs):
        raise BadRecording(
            f"a recording of {len(r.legs)} legs cannot be one of {robot.name}, which has {len(robot.legs)}"
        )
    fell, steady = r.info.get("fell"), steady_part(r)
    zmp = smoothed(r.zmp, r)
    margins = support_margins([leg.outline for leg in robot.legs.values()], r.foot_pose, _touching_lately(r), zmp)
    moved = r.base_position[-1, :2] - r.base_position[0, :2]
    return WalkFigures(
        fell=fell is not None,
        fell_at=fell,
        duration=r.duration + _period(r),
        mean_velocity=mean_velocity(r, steady),
        speed_per_second=tuple(float(v) for v in speed_per_second(r)),
        distance=float(np.hypot(*moved)),
        drift=_drift(r, steady),
        step_length=_mean(step_lengths(r)),
        steps=len(_landings(r)),
        orientation_error=orientation_error(r),
        tilt_max=float(tilt(r).max()),
        zmp_error=math.sqrt(_mean(np.sum((zmp - r.zmp_reference) ** 2, axis=1))),
        zmp_margin_min=_least(margins),
        slip=slip(r),
    )


# ------------------------------------------------------------------ how the base stands


def orientation(r: Recording) -> tuple[Array, Array]:
    """Tilt of the base about x and y [rad]: angle of its y and x axis to the horizontal plane (Urbann 5.1.2)."""
    w, x, y, z = r.base_orientation.T
    return np.arcsin(np.clip(2.0 * (y * z + w * x), -1.0, 1.0)), np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))


def orientation_error(r: Recording) -> tuple[float, float]:
    """f_x, f_y [rad²]: squared tilt, summed over the samples of a 1 kHz recording (Urbann 5.1, 5.2).

    A recording at another rate gives the same sum: each of its rows counts for as many samples as it lasts.
    """
    samples = _period(r) / _SAMPLE
    x, y = orientation(r)
    return float(np.sum(x**2) * samples), float(np.sum(y**2) * samples)


def tilt(r: Recording) -> Array:
    """Angle between the base's z axis and the vertical [rad]."""
    w, x, y, z = r.base_orientation.T
    # of two forms, that which is exact near the vertical
    return np.asarray(np.arctan2(2.0 * np.hypot(x * z + w * y, y * z - w * x), 1.0 - 2.0 * (x * x + y * y)))


def yaw(r: Recording) -> Array:
    """Heading of the base [rad], unwrapped."""
    return np.unwrap(heading(r.base_orientation))


# ------------------------------------------------------------------ how fast it went


def steady_part(r: Recording) -> slice:
    """Rows of whole double steps after the walk has gathered speed and before a fall, both ends included.

    Of a recording too short for that, its second half.
    """
    fell = r.info.get("fell")
    end = len(r) if fell is None else max(1, int(np.searchsorted(r.time, fell)))
    begin = min(int(np.searchsorted(r.time, r.time[0] + STEADY - _period(r) / 2)), end // 2)
    return whole_steps(r, slice(begin, end))


def whole_steps(r: Recording, rows: slice) -> slice:
    """Of these rows those from the first to the last time that one and the same leg lifts, both included.

    Where no leg lifts twice, these rows. Over anything else than whole double steps, the sway of the body from side
    to side would not cancel out.
    """
    lifts = [np.flatnonzero(s[rows][:-1] & ~s[rows][1:]) + 1 + rows.start for s in r.support.T]
    most = max(lifts, key=len)
    return slice(int(most[0]), int(most[-1]) + 1) if len(most) >= 2 else rows


def mean_velocity(r: Recording, rows: slice) -> tuple[float, float, float]:
    """Mean velocity of the base in its own frame between two rows, both included: vx, vy [m/s], wz [rad/s]."""
    heading, time, v = yaw(r)[rows], r.time[rows], r.base_velocity[rows]
    forward, left = _in_frame(heading, v)
    if len(time) < 2:
        return float(forward[0]), float(left[0]), float(r.base_rotation[rows][0, 2])
    lasts = float(time[-1] - time[0])
    return (
        float(np.trapezoid(forward, time)) / lasts,
        float(np.trapezoid(left, time)) / lasts,
        float(heading[-1] - heading[0]) / lasts,
    )


def speed_per_second(r: Recording) -> Array:
    """Forward speed of the base [m/s], averaged over each full second."""
    per = max(1, round(1.0 / _period(r)))
    seconds = len(r) // per
    forward, _ = _in_frame(yaw(r), r.base_velocity)
    return np.asarray(forward[: seconds * per].reshape(seconds, per).mean(axis=1))


def _in_frame(heading: Array, v: Array) -> tuple[Array, Array]:
    """Forward and left parts of vectors (n, >= 2) in the world, seen along a heading (n,) [rad]."""
    c, s = np.cos(heading), np.sin(heading)
    return c * v[:, 0] + s * v[:, 1], -s * v[:, 0] + c * v[:, 1]


def _drift(r: Recording, rows: slice) -> tuple[float, float]:
    moved = r.base_position[rows][-1, :2] - r.base_position[rows][0, :2]
    planned = r.com_reference[rows][-1, :2] - r.com_reference[rows][0, :2]
    return float(moved[0] - planned[0]), float(moved[1] - planned[1])


# ------------------------------------------------------------------ where it trod


def _landings(r: Recording) -> Ints:
    """Row and leg of each support that begins, (n, 2)."""
    found: Ints = np.argwhere(r.support[1:] & ~r.support[:-1])
    found[:, 0] += 1
    return found


def step_lengths(r: Recording) -> Array:
    """Distance of each new footprint from the middle of those that stood until then, along the heading [m]."""
    heading = yaw(r)
    out = []
    for row, leg in _landings(r):
        standing = r.support[row - 1]
        if standing.any():
            to = r.foot_pose[row, leg, :2] - r.foot_pose[row, standing, :2].mean(axis=0)
            out.append(np.cos(heading[row]) * to[0] + np.sin(heading[row]) * to[1])
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


# ------------------------------------------------------------------ the measured ZMP


def smoothed(values: Array, r: Recording) -> Array:
    """Mean of columns (n, m) over SMOOTHING seconds around each row, NaN left out."""
    good = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _sums_around(np.where(good, values, 0.0), r) / _sums_around(good, r)


def _touching_lately(r: Recording) -> Bools:
    """Soles that touched within the smoothing window."""
    return _sums_around(r.contact, r) > 0


def _sums_around(values: Array | Bools, r: Recording) -> Array:
    """Sum of columns (n, m) over SMOOTHING seconds around each row; at both ends, over what there is."""
    n, half = len(values), round(SMOOTHING / 2 / _period(r))
    sums = np.vstack([np.zeros(values.shape[1]), np.cumsum(values, axis=0)])
    rows = np.arange(n)
    return np.asarray(sums[np.minimum(rows + half + 1, n)] - sums[np.maximum(rows - half, 0)])


def _mean(values: Array) -> float:
    good = values[np.isfinite(values)]
    return float(good.mean()) if len(good) else math.nan


def _least(values: Array) -> float:
    good = values[np.isfinite(values)]
    return float(good.min()) if len(good) else math.nan


def _period(r: Recording) -> float:
    """Time between two rows [s]; that of a single row is one sample."""
    return r.duration / (len(r) - 1) if len(r) > 1 else _SAMPLE
