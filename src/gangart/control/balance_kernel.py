"""What a balance makes of its sensors in a tick, compiled: how fast the body goes, and what of it nobody wanted."""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.kinematics.abduction_kernels import foot, slope
from gangart.signals import Array, Bools, Ints

TOUCHES = 0.012  # [m] above the lowest foot another one still touches the ground


@kernel
def feet_at_rest(
    q: Array,
    speeds: Array,
    gyro: Array,
    tilt: Array,
    legs: Array,
    columns: Ints,
    radius: Array,
    out: Array,
    heights: Array,
) -> None:
    """Velocity (n_legs, 2) [m/s] of the base, ahead and to the left, for which each foot rolls on the ground.

    Args:
        q: joint angles (n_joints,) [rad].
        speeds: of the joints (n_joints,) [rad/s].
        gyro: angular velocity of the base (3,) [rad/s].
        tilt: of the base about x and y (2,) [rad].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        radius: of the feet (n_legs,) [m].
        out: the velocities.
        heights: of the feet over a level plane through the base (n_legs,) [m].
    """
    cr, sr, cp, sp = math.cos(tilt[0]), math.sin(tilt[0]), math.cos(tilt[1]), math.sin(tilt[1])
    J, p = np.empty((3, 3)), np.empty(3)
    for i in range(len(columns)):
        a, b, c = columns[i]
        foot(q[a], q[b], q[c], legs[i], p)
        slope(q[a], q[b], q[c], legs[i], J)
        vx = J[0, 0] * speeds[a] + J[0, 1] * speeds[b] + J[0, 2] * speeds[c] + gyro[1] * p[2] - gyro[2] * p[1]
        vy = J[1, 0] * speeds[a] + J[1, 1] * speeds[b] + J[1, 2] * speeds[c] + gyro[2] * p[0] - gyro[0] * p[2]
        out[i, 0] = radius[i] * (gyro[1] + speeds[b] + speeds[c]) - vx
        out[i, 1] = -radius[i] * (gyro[0] + speeds[a]) - vy
        heights[i] = -sp * p[0] + cp * (sr * p[1] + cr * p[2])


@kernel
def follow_ground(
    heights: Array, rates: Array, feet: Array, standing: Bools, tilt: Array, gains: Array, times: Array, dt: float
) -> None:
    """Raise and lower feet under a body that is tilted: those in the air to the ground, those that stand against it.

    Args:
        heights: by which each foot is raised now (n,) [m]; they go on by `dt`.
        rates: of the heights (n,) [m/s].
        feet: in the level frame (n, 3) [m].
        standing: which stand (n,).
        tilt: of the body about x and y (2,) [rad].
        gains: parts of the tilt that feet in the air make up for, and that standing feet turn back (2,).
        times: in which both do so (2,) [s].
        dt: [s].
    """
    for i in range(len(feet)):
        rise = math.tan(tilt[0]) * feet[i, 1] - math.tan(tilt[1]) * feet[i, 0]  # of the base's plane there
        k = 1 if standing[i] else 0
        wanted = gains[1] * rise if standing[i] else -gains[0] * rise
        before = heights[i]
        heights[i] += (wanted - before) * (1.0 - math.exp(-dt / times[k]))
        rates[i] = (heights[i] - before) / dt


@kernel
def believe(velocity: Array, seen: Array, heights: Array, standing: Bools, trust: float) -> None:
    """Take into a velocity (2,) [m/s], by the part `trust`, the mean of what the feet see that stand firmly.

    A foot that should stand but is above the lowest one does not touch the ground: the body is tilted, or it slips.

    Args:
        velocity: is changed.
        seen: by each foot (n_legs, 2) [m/s].
        heights: of the feet over a level plane (n_legs,) [m].
        standing: which should stand (n_legs,).
        trust: 0…1.
    """
    lowest = np.inf
    for i in range(len(heights)):
        lowest = min(lowest, heights[i])
    n, x, y = 0, 0.0, 0.0
    for i in range(len(standing)):
        if standing[i] and heights[i] < lowest + TOUCHES:
            n, x, y = n + 1, x + seen[i, 0], y + seen[i, 1]
    if n > 0:
        velocity[0] += trust * (x / n - velocity[0])
        velocity[1] += trust * (y / n - velocity[1])


@kernel
def unwanted(seen: Array, wanted: Array, quiet: float, out: Array) -> None:
    """Velocity (2,) [m/s] that nobody wanted, beyond a quiet part.

    Args:
        seen: velocity of the body (2,) [m/s].
        wanted: (>= 2,) [m/s].
        quiet: [m/s].
        out: the velocity.
    """
    out[0], out[1] = seen[0] - wanted[0], seen[1] - wanted[1]
    size = math.hypot(out[0], out[1])
    part = max(size - quiet, 0.0) / size if size > 0.0 else 0.0
    out[0], out[1] = part * out[0], part * out[1]
