"""How the swing foot gets from one footprint to the next (Urbann 2.4.6).

A B-spline of degree 4 with nine control points, over the phase 0…1 of the single support; the inner five of the way are
a setting of the walk. By default the horizontal way is done before the foot is down (98.5 % of it when a fifth of the
time is left, 99.9 % in the last tenth), so that the foot touches down vertically; speed and acceleration are zero at
both ends, so that neither lifting nor touching down kicks the body. The thesis raises the control points by sixths of
the height, which leaves such a kick.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Bools, FootstepPlan, Ints

DEGREE = 4
SWING = np.array([0.0, 0.2, 0.65, 1.0, 1.0])  # inner control points of the way; 0: old footprint, 1: new one
# control points of the height (scaled below to reach 1)
HEIGHT = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def swing_polynomials(swing: Array = SWING) -> Array:
    """Way and height over each span's phase: (2 curves, 5 spans, 5 coefficients), the highest power first."""
    return _polynomials(tuple(swing))


@cache
def _polynomials(swing: tuple[float, ...]) -> Array:
    from scipy.interpolate import BSpline, PPoly

    spans = len(HEIGHT) - DEGREE
    knots = np.concatenate([np.zeros(DEGREE), np.linspace(0.0, 1.0, spans + 1), np.ones(DEGREE)])
    curves = []
    for control in (np.array([0.0, 0.0, *swing, 1.0, 1.0]), HEIGHT):
        pieces = PPoly.from_spline(BSpline(knots, control, DEGREE))
        curves.append(pieces.c[:, DEGREE : DEGREE + spans].T)
    out = np.array(curves)
    out[1] /= _evaluate(out[1], 0.5)  # the control points are symmetric: the top is in the middle
    return np.ascontiguousarray(out)


def soles_at(plan: FootstepPlan, step_height: float, time: Array, swing: Array = SWING) -> tuple[Array, Bools]:
    """Soles at the given times [s] of a plan, with `step_height` [m] at the top of each swing.

    `swing` (5,) says how the way goes, as in a robot's walk settings.

    Returns:
        x, y, z [m] and yaw [rad] of the soles in the world, (n, n_legs, 4); and which of them stand, (n, n_legs).
    """
    out = np.empty((len(time), len(plan.start), 4))
    support = np.empty((len(time), len(plan.start)), dtype=np.bool_)
    curve = swing_polynomials(swing)
    _soles(curve, step_height, plan.start, plan.foot, plan.pose, plan.lift, plan.land, time, out, support)
    return out, support


@kernel
def _evaluate(pieces: Array, phase: float) -> float:
    spans = len(pieces)
    k = min(int(phase * spans), spans - 1)
    u = phase - k / spans
    value = 0.0
    for c in pieces[k]:
        value = value * u + c
    return value


@kernel
def soles_into(
    polynomials: Array,
    height: float,
    start: Array,
    foot: Ints,
    pose: Array,
    lift: Array,
    land: Array,
    t: float,
    out: Array,
    support: Bools,
) -> None:
    """The soles at one time [s] into out (n_legs, 4), and which of them stand into support (n_legs,)."""
    for leg in range(len(start)):
        place = out[leg]
        place[0], place[1], place[2], place[3] = start[leg, 0], start[leg, 1], 0.0, start[leg, 2]
        support[leg] = True
    for k in range(len(foot)):
        place = out[foot[k]]
        if t >= land[k]:
            place[0], place[1], place[3] = pose[k, 0], pose[k, 1], pose[k, 2]
        elif t >= lift[k]:
            phase = (t - lift[k]) / (land[k] - lift[k])
            way = _evaluate(polynomials[0], phase)
            place[0] += way * (pose[k, 0] - place[0])
            place[1] += way * (pose[k, 1] - place[1])
            place[2] = height * _evaluate(polynomials[1], phase)
            place[3] += way * (pose[k, 2] - place[3])
            support[foot[k]] = False


@kernel
def _soles(
    polynomials: Array,
    height: float,
    start: Array,
    foot: Ints,
    pose: Array,
    lift: Array,
    land: Array,
    time: Array,
    out: Array,
    support: Bools,
) -> None:
    for i in range(len(time)):
        soles_into(polynomials, height, start, foot, pose, lift, land, time[i], out[i], support[i])
