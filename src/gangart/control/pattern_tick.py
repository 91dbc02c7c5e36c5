"""The pattern of one tick, compiled into one call: centre of mass, soles and arms, at its end and an instant later.

Between two ticks the physics has thrown everything out of the processor's caches; a call that Python makes then costs
several times what it computes. So all of a tick's pattern is one call, and all of its kinematics another (`Poser`).
"""

from __future__ import annotations

from typing import NamedTuple

from gangart.compiled import kernel
from gangart.pattern.arms import Shoulders, shoulder_angles
from gangart.pattern.preview import PreviewGains, preview_step
from gangart.pattern.swing import soles_into
from gangart.signals import Array, Bools, Ints

INSTANT = 1e-4  # [s] over which joint speeds are differenced


class Window(NamedTuple):
    """What is planned until the next change of the plan, as the kernel takes it."""

    swing: Array  # (2, n_spans, 5) polynomials of the swing curve
    step_height: float  # [m]
    start: Array  # (2, 3) footprints before the first step
    foot: Ints  # (n,)
    pose: Array  # (n, 3)
    lift: Array  # (n,) [s]
    land: Array  # (n,) [s]


class Arms(NamedTuple):
    """The shoulders, and what a compensation adds to them."""

    shoulders: Shoulders
    added: float  # [rad] to each
    rate: float  # [rad/s]


@kernel
def advance(
    gains: PreviewGains,
    window: Window,
    arms: Arms,
    steered: Array,
    index: int,
    state: Array,
    memory: Array,
    drift: Array,
    due: float,
    height: float,
    before: Array,
    com: Array,
    soles: Array,
    standing: Bools,
    joints: Array,
) -> bool:
    """Advance the one-mass model by a tick, and say what the pattern wants at its end and INSTANT later.

    In: steered (n, 2) [m] what the preview controller follows, from `index` on; drift (2,) [m/s] of the centre of mass
    beside the state's own speed; due [s] is the end of the tick; height [m] of the centre of mass; before (n_joints,)
    [rad] the last joint angles.
    In and out: state (2, 3) and memory (2, 4), see `preview_step`.
    Out, of both moments: com (2, 3) [m]; soles (2, 2, 4) and standing (2, 2); joints (2, n_joints) [rad], of which only
    the shoulders differ from before. Returns whether a shoulder is at its limit.
    """
    preview_step(gains, steered, index, state, memory)
    held = False
    for moment in range(2):
        later = INSTANT * moment
        com[moment, 2] = height
        joints[moment] = before
        for axis in range(2):
            com[moment, axis] = state[axis, 0]
            if moment == 1:
                com[1, axis] += later * (state[axis, 1] + drift[axis]) + later**2 / 2.0 * state[axis, 2]
        soles_into(
            window.swing, window.step_height, window.start, window.foot, window.pose, window.lift, window.land,
            due + later, soles[moment], standing[moment],
        )  # fmt: skip
        held = turn_arms(arms, com[moment], soles[moment], later, joints[moment]) or held
    return held


@kernel
def turn_arms(arms: Arms, com: Array, soles: Array, later: float, joints: Array) -> bool:
    """Write the shoulders into joints (n,), as they are `later` [s]; returns whether one is at its limit."""
    s = arms.shoulders
    shoulder_angles(s, com, soles, joints)
    held = False
    for k in range(len(s.columns)):
        low, high = s.limits[k]
        angle = min(max(joints[s.columns[k]] + arms.added + later * arms.rate, low), high)
        held = held or angle in (low, high)
        joints[s.columns[k]] = angle
    return held
