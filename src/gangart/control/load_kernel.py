"""How legs share the robot's weight, and by what their joints give way under it, compiled."""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.kinematics.abduction_kernels import slope
from gangart.signals import Array, Bools, Ints

LIGHT = 0.05  # [1] of its share: what a foot bears at least that stands


@kernel
def share_weight(points: Array, shares: Array, weight: float, com: Array, out: Array) -> None:
    """Share a weight [N] over points (n, >= 2) [m] without a moment about `com`: least squares, out (n,) [N].

    `shares` (n,) in 0…1 says how much each may bear: the squares are divided by it.
    """
    A, b = np.zeros((3, 3)), np.array([weight, 0.0, 0.0])
    for i in range(len(points)):
        x, y, w = points[i, 0] - com[0], points[i, 1] - com[1], shares[i]
        A[0, 0] += w
        A[0, 1] += w * x
        A[0, 2] += w * y
        A[1, 1] += w * x * x
        A[1, 2] += w * x * y
        A[2, 2] += w * y * y
    A[1, 0], A[2, 0], A[2, 1] = A[0, 1], A[0, 2], A[1, 2]
    for k in (1, 2):  # of two points in a row, no moment across it can be borne
        A[k, k] += 1e-5 * A[0, 0]
    m = np.linalg.solve(A, b) if A[0, 0] > 0.0 else np.zeros(3)
    for i in range(len(points)):
        x, y = points[i, 0] - com[0], points[i, 1] - com[1]
        out[i] = max(shares[i] * (m[0] + m[1] * x + m[2] * y), 0.0)


@kernel
def weights(q: Array, legs: Array, masses: Array, centres: Array, out: Array) -> None:
    """Joint torques (n, 3) [N m per m/s²] that hold the legs' own weight, the base being level.

    Args:
        q: abduction, pitch and knee of each leg (n, 3) [rad].
        legs: their numbers, as `kinematics.AbductionLegs` has them (n, 13).
        masses: of hip, thigh and shank (n, 3) [kg].
        centres: of these, in their own axes, from their joints (n, 3, 3) [m].
        out: the torques.
    """
    for i in range(len(q)):
        c1, s1 = math.cos(q[i, 0]), math.sin(q[i, 0])
        knee_x, knee_z = -legs[i, 4] * math.sin(q[i, 1]), -legs[i, 4] * math.cos(q[i, 1])  # in the leg's plane
        low = q[i, 1] + q[i, 2]
        c, s = math.cos(q[i, 1]), math.sin(q[i, 1])
        thigh_x, thigh_z = c * centres[i, 1, 0] + s * centres[i, 1, 2], c * centres[i, 1, 2] - s * centres[i, 1, 0]
        c, s = math.cos(low), math.sin(low)
        shank_x, shank_z = c * centres[i, 2, 0] + s * centres[i, 2, 2], c * centres[i, 2, 2] - s * centres[i, 2, 0]
        # height = s1 * (sideways in the leg's plane) + c1 * (up in it); its slope times the mass is the torque
        aside = masses[i, 0] * centres[i, 0, 1] + masses[i, 1] * (legs[i, 3] + centres[i, 1, 1])
        aside += masses[i, 2] * (legs[i, 3] + centres[i, 2, 1])
        up = masses[i, 0] * centres[i, 0, 2] + masses[i, 1] * thigh_z + masses[i, 2] * (knee_z + shank_z)
        out[i, 0] = c1 * aside - s1 * up
        out[i, 1] = -c1 * (masses[i, 1] * thigh_x + masses[i, 2] * (knee_x + shank_x))
        out[i, 2] = -c1 * masses[i, 2] * shank_x


@kernel
def take_loads(
    bears: Array, landed: Bools, standing: Bools, phase: Array, duty: Array, stays: Bools, edge: float
) -> None:
    """How much of its share each leg bears: it takes its load over after landing, and hands it on before it lifts.

    Args:
        bears: 0 in the air, LIGHT…1 on the ground (n,); is changed.
        landed: which stand since they landed, and not from the beginning (n,).
        standing: which stand (n,).
        phase: of each leg (n,).
        duty: part of the cycle that each stands (n,).
        stays: which will not lift (n,).
        edge: part of the cycle in which loads change.
    """
    for i in range(len(bears)):
        taken = phase[i] / edge if landed[i] and not stays[i] else 1.0
        kept = (duty[i] - phase[i]) / edge if phase[i] < duty[i] and not stays[i] else 1.0
        bears[i] = max(min(taken, kept, 1.0), LIGHT) if standing[i] else 0.0


@kernel
def give_way(
    q: Array,
    feet: Array,
    shares: Array,
    pressed: Array,
    felt: float,
    mass: float,
    com: Array,
    legs: Array,
    columns: Ints,
    masses: Array,
    centres: Array,
    give: Array,
    out: Array,
) -> None:
    """By what joints (n_joints,) [rad] give way under the robot's weight; see `bearing.Bearing.given_way`.

    Args:
        q: as all up to `pressed` there.
        feet: in the base (n_legs, 3) [m].
        shares: how much each may bear (n_legs,).
        pressed: from below the centre of mass (2,) [m].
        felt: weight of a mass [m/s²].
        mass: of the robot [kg].
        com: its centre in the base at home [m].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        masses: of the links, as in `weights`.
        centres: of these.
        give: of each leg's joints under torques (n_legs, 3, 3) [rad/(N m)].
        out: the angles; those of other joints stay.
    """
    n = len(columns)
    load, angles, torque, J, below = np.empty(n), np.empty((n, 3)), np.empty((n, 3)), np.empty((3, 3)), np.empty(2)
    below[0], below[1] = com[0] + pressed[0], com[1] + pressed[1]
    share_weight(feet, shares, mass * felt, below, load)
    for i in range(n):
        for k in range(3):
            angles[i, k] = q[columns[i, k]]
    weights(angles, legs, masses, centres, torque)
    for i in range(n):
        slope(angles[i, 0], angles[i, 1], angles[i, 2], legs[i], J)
        for k in range(3):
            torque[i, k] = felt * torque[i, k] - J[2, k] * load[i]
        for k in range(3):
            out[columns[i, k]] = (
                give[i, k, 0] * torque[i, 0] + give[i, k, 1] * torque[i, 1] + give[i, k, 2] * torque[i, 2]
            )
