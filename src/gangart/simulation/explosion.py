"""When the physics comes to no solution: where a simulation exploded, and which joint went first."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from gangart.compiled import kernel
from gangart.errors import GangartError
from gangart.signals import Array

MAD = 1e4  # [rad/s] and [m/s]: nothing that walks moves so fast

AT_REST = "; this was while it came to rest, before the walk"


class Diverged(GangartError, ArithmeticError):
    """The physics came to no solution."""


@kernel
def first_mad(states: Array, nq: int, nv: int, step: float) -> int:
    """The first row of states (n + 1, n_state) that makes no sense, 0 if all but the first row do.

    Where MuJoCo finds no solution, it stops the clock.
    """
    for k in range(1, len(states)):
        if not states[k, 0] - states[k - 1, 0] >= 0.5 * step:
            return k
        for i in range(1 + nq, 1 + nq + nv):
            if not abs(states[k, i]) < MAD:
                return k
    return 0


def explosion(model: mujoco.MjModel, states: Array, step: float) -> str:
    """What to say of a simulation that made sense up to the first of two rows of states (2, n_state)."""
    speeds = np.abs(states[:, 1 + model.nq : 1 + model.nq + model.nv])
    known = np.where(np.isnan(speeds), math.inf, speeds)  # what has no number any more went first
    dof = int(np.argmax(known[1 if known[1].max() >= MAD else 0]))
    joint = model.joint(int(model.dof_jntid[dof]))
    along = joint.type[0] == mujoco.mjtJoint.mjJNT_SLIDE or (
        joint.type[0] == mujoco.mjtJoint.mjJNT_FREE and dof < joint.dofadr[0] + 3
    )
    return (
        f"the simulation exploded: joint {joint.name}: {known[:, dof].max():.2g} {'m/s' if along else 'rad/s'} at t = "
        f"{states[0, 0]:.3f} s; take a physics step below {step:g} s, or softer gains and springs"
    )
