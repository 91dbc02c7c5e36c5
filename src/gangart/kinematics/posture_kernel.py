"""Feet and centre of mass to joint angles, compiled: one tick, and ticks in a row.

The unknown is the centre of mass in the base, c. Given c and the torso's yaw, the base and both feet in it are known
and the legs have a closed form; the yaw is found so that both legs ask the shared hip motor for the same angle. The
angles have a centre of mass C(c), and the right c is the fixed point C(c) = c (Strom, Slavov, Chown 2009). It is found
by Broyden's method, whose matrix is kept from tick to tick: three evaluations per tick of a walk, where plain
repetition takes eleven.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gangart.compiled import kernel
from gangart.kinematics.hip_yaw_pitch import hip_turn, inverse
from gangart.kinematics.tree import place_base, sweep
from gangart.signals import Array, Ints

NOT_CONVERGED = 3  # beside the legs' 0, 1 and 2: the yaw or the centre of mass was not found
MAX_ITERATIONS = 60
STATE = 14  # length of the state that a tick leaves for the next one
_YAW_TOLERANCE = 1e-12  # [rad] between both hip angles: 1e-12 m at the foot
_YAW_STEPS = 20


class Biped(NamedTuple):
    """What the kernels need of the robot."""

    nodes: Ints  # (n_links, 3) `index` of the tree
    links: Array  # (n_links, 11)
    upper: Ints  # (n_upper,) links that are not in a leg, parents first
    lower: Ints  # (12,) links of the legs, parents first
    legs: Array  # (2, 23) see leg_geometry
    columns: Ints  # (2, 6) joints of the legs in q
    coupled: bool  # whether one motor turns both yaw-pitch axes


@kernel
def _foot_in_base(foot: Array, com: Array, c: Array, yaw: float, pose: Array) -> None:
    """Pose (4, 4) of a flat sole (x, y, z, yaw in the world) in the upright base; com in the world is c in the base."""
    cy, sy = math.cos(yaw), math.sin(yaw)
    x, y = foot[0] - com[0], foot[1] - com[1]
    ct, st = math.cos(foot[3] - yaw), math.sin(foot[3] - yaw)
    pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3] = ct, -st, 0.0, c[0] + cy * x + sy * y
    pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3] = st, ct, 0.0, c[1] + cy * y - sy * x
    pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3] = 0.0, 0.0, 1.0, c[2] + foot[2] - com[2]


@kernel
def _hip_difference(model: Biped, com: Array, feet: Array, c: Array, yaw: float, pose: Array) -> float:
    """Left minus right yaw-pitch angle [rad] that the feet ask for when the torso has this yaw."""
    _foot_in_base(feet[0], com, c, yaw, pose)
    c0, s0 = hip_turn(pose, model.legs[0])
    _foot_in_base(feet[1], com, c, yaw, pose)
    c1, s1 = hip_turn(pose, model.legs[1])
    return math.atan2(s0 * c1 - c0 * s1, c0 * c1 + s0 * s1)


@kernel
def _torso_yaw(model: Biped, com: Array, feet: Array, c: Array, start: float, pose: Array) -> tuple[float, bool]:
    """The torso's yaw at which one hip motor serves both legs, by secants; and whether it was found."""
    if not model.coupled:
        return start, True
    yaw = start
    error = _hip_difference(model, com, feet, c, yaw, pose)
    # on straight legs d(error)/d(yaw) is the sum of 1 / cos(tilt), with the senses of the axes
    slope = model.legs[1, 5] / model.legs[1, 3] - model.legs[0, 5] / model.legs[0, 3]
    for _ in range(_YAW_STEPS):
        if abs(error) < _YAW_TOLERANCE:
            return yaw, True
        step = min(max(-error / slope, -0.5), 0.5)
        after = _hip_difference(model, com, feet, c, yaw + step, pose)
        if after != error:
            slope = (after - error) / step
        yaw, error = yaw + step, after
    return yaw, abs(error) < _YAW_TOLERANCE


@kernel
def _middle_yaw(feet: Array) -> float:
    """Mean yaw of both feet, whatever turns are in their angles [rad]."""
    turn = feet[1, 3] - feet[0, 3]
    half = 0.5 * math.atan2(math.sin(turn), math.cos(turn))
    return float(feet[0, 3] + half)


@kernel
def _legs(
    model: Biped, com: Array, feet: Array, c: Array, yaw: float, found: bool, work: Array, q: Array, note: Ints
) -> float:
    """Leg angles into q for a centre of mass c in the base; note gets status, leg and joint, the excess is returned."""
    pose, angles = work[0:4, 0:4], work[4, 0:6]
    note[0], note[2], note[3] = (0 if found else 3), -1, -1
    excess = 0.0
    for leg in range(2):
        _foot_in_base(feet[leg], com, c, yaw, pose)
        status, joint, beyond = inverse(pose, model.legs[leg], angles)
        if status != 0 and (note[0] == 0 or note[0] == 3):
            note[0], note[2], note[3], excess = status, leg, joint, beyond
        for i in range(6):
            q[model.columns[leg, i]] = angles[i]
    if model.coupled:  # equal to the yaw's tolerance already, unless clipped: the motor has one angle
        first, second = model.columns[0, 0], model.columns[1, 0]
        middle = 0.5 * (q[first] + q[second])
        if note[0] == 0 and abs(q[first] - q[second]) > 1e-9:
            note[0] = 3
        q[first] = middle
        q[second] = middle
    return excess


@kernel
def _start(model: Biped, state: Array, c: Array) -> None:
    """A state without history: centre of mass c, and Broyden's matrix the identity."""
    state[:] = 0.0
    for i in range(3):
        state[i] = c[i]
        state[3 + 4 * i] = 1.0


@kernel
def _broyden(state: Array, error: Array, last: Array, step: Array) -> None:
    """Good Broyden update of the inverse B (state 3..11) after a step that turned the error `last` into `error`."""
    b = state[3:12].reshape((3, 3))
    left0 = step[0] * b[0, 0] + step[1] * b[1, 0] + step[2] * b[2, 0]
    left1 = step[0] * b[0, 1] + step[1] * b[1, 1] + step[2] * b[2, 1]
    left2 = step[0] * b[0, 2] + step[1] * b[1, 2] + step[2] * b[2, 2]
    y0, y1, y2 = last[0] - error[0], last[1] - error[1], last[2] - error[2]
    scale = left0 * y0 + left1 * y1 + left2 * y2
    size = step[0] * step[0] + step[1] * step[1] + step[2] * step[2]
    if abs(scale) > 0.1 * size:  # else the update would tear the matrix apart
        for i in range(3):
            gain = (step[i] - b[i, 0] * y0 - b[i, 1] * y1 - b[i, 2] * y2) / scale
            b[i, 0] += gain * left0
            b[i, 1] += gain * left1
            b[i, 2] += gain * left2


@kernel
def _advance(state: Array, error: Array, step: Array, c: Array) -> None:
    """Step by Broyden's matrix times the error, and take the step."""
    for i in range(3):
        step[i] = state[3 + 3 * i] * error[0] + state[4 + 3 * i] * error[1] + state[5 + 3 * i] * error[2]
        c[i] += step[i]


@kernel
def _mass(model: Biped) -> float:
    """Of the whole robot [kg]."""
    mass = 0.0
    for row in range(model.links.shape[0]):
        mass += model.links[row, 7]
    return mass


@kernel
def _whole_com(model: Biped, q: Array, frames: Array, fixed: Array, mass: float, com: Array) -> None:
    """Centre of mass in the base [m] into com: what hangs on the legs, and `fixed` [kg m] for all the rest."""
    for i in range(3):
        com[i] = fixed[i]
    sweep(model.nodes, model.links, model.lower, q, frames, com)
    for i in range(3):
        com[i] /= mass


@kernel
def _begin(model: Biped, joints: Array, q: Array, frames: Array, fixed: Array, moment: Array, state: Array) -> float:
    """Place what does not hang on the legs, once per tick, and start a state that has none; returns the mass [kg]."""
    mass = _mass(model)
    for i in range(q.shape[0]):
        q[i] = joints[i]
    place_base(model.links, frames, fixed)
    sweep(model.nodes, model.links, model.upper, q, frames, fixed)
    if math.isnan(state[0]):
        _whole_com(model, q, frames, fixed, mass, moment)
        _start(model, state, moment)
    return mass


@kernel
def tick(
    model: Biped,
    com: Array,
    feet: Array,
    joints: Array,
    tolerance: float,
    state: Array,
    work: Array,
    q: Array,
    place: Array,
    note: Ints,
) -> float:
    """Joint angles for one instant, without allocating anything.

    In: com (3,) [m] and feet (2, 4) x, y, z [m], yaw [rad] in the world; joints (n_joints,) [rad], of which arms and
    head are kept; tolerance [m] of the centre of mass, infinite for a single pass with the centre of mass in `state`.
    In and out: state (STATE,), all NaN to start from `joints`; work (n_links + 6, 12) scratch.
    Out: q (n_joints,) [rad]; place (4,) base x, y, z [m] and yaw [rad] in the world; note (4,) status, iterations,
    and which leg and joint failed. Returns the excess: [m] for status 1 and 3, [rad] for status 2.
    """
    n = model.links.shape[0]
    frames, small = work[:n], work[n:]
    error, last, step, fixed, c = small[5, 0:3], small[5, 3:6], small[5, 6:9], small[5, 9:12], small[4, 6:9]
    moment = small[4, 9:12]
    mass = _begin(model, joints, q, frames, fixed, moment, state)
    for i in range(3):
        c[i] = state[i]
    middle = _middle_yaw(feet)
    size, before, excess, yaw, count = math.inf, math.inf, 0.0, middle, 0
    while count < MAX_ITERATIONS:
        count += 1
        yaw, found = _torso_yaw(model, com, feet, c, middle + state[12], small)
        excess = _legs(model, com, feet, c, yaw, found, small, q, note)
        state[12] = yaw - middle if found else 0.0
        if tolerance == math.inf:
            size = 0.0
            break
        _whole_com(model, q, frames, fixed, mass, moment)
        for i in range(3):
            error[i] = moment[i] - c[i]
        size = math.sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])
        if not size > tolerance:
            break
        if size > before:
            _start(model, state, c)  # the matrix misleads: go on with plain repetition
        elif count > 1:
            _broyden(state, error, last, step)
        _advance(state, error, step, c)
        for i in range(3):
            last[i] = error[i]
        before = size
    for i in range(3):
        state[i] = c[i]
    cy, sy = math.cos(yaw), math.sin(yaw)
    place[0] = com[0] - cy * c[0] + sy * c[1]
    place[1] = com[1] - sy * c[0] - cy * c[1]
    place[2] = com[2] - c[2]
    place[3] = yaw
    note[1] = count
    if note[0] == 0 and not size <= tolerance:
        note[0], excess = 3, size
    return excess


@kernel
def pair(
    model: Biped,
    com: Array,
    feet: Array,
    joints: Array,
    tolerance: float,
    state: Array,
    work: Array,
    instant: float,
    q: Array,
    place: Array,
    note: Ints,
) -> None:
    """`tick` for the first of two moments an instant [s] apart, and for the second from what it has left.

    Arguments are those of `tick` with an axis of two before them, except for the tolerance and the scratch memory;
    state (2, STATE) keeps the first's. Into q go angles [rad], and speeds [rad/s] in place of the second's.
    """
    tick(model, com[0], feet[0], joints[0], tolerance, state[0], work, q[0], place[0], note[0])
    state[1] = state[0]
    tick(model, com[1], feet[1], joints[1], tolerance, state[1], work, q[1], place[1], note[1])
    for i in range(q.shape[1]):
        q[1, i] = (q[1, i] - q[0, i]) / instant


@kernel
def ticks(
    model: Biped,
    com: Array,
    feet: Array,
    joints: Array,
    tolerance: float,
    state: Array,
    work: Array,
    q: Array,
    place: Array,
    note: Ints,
    excess: Array,
    warm: bool,
) -> None:
    """`tick` along axis 0. warm: state (STATE,) runs through all; else state (n, STATE) holds one for each."""
    for t in range(com.shape[0]):
        own = state[0] if warm else state[t]
        excess[t] = tick(model, com[t], feet[t], joints[t], tolerance, own, work, q[t], place[t], note[t])
