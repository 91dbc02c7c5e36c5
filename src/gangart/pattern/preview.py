"""From a ZMP reference to the motion of the centre of mass: the preview controller of Kajita et al. (ICRA 2003).

The cart-table model has the state (x, ẋ, ẍ), the jerk as input and the ZMP p = x - (z/g) ẍ as output; both axes of the
ground are alike. An integrator on the output error and a feedforward over the coming references are weighted by a
discrete Riccati equation (Katayama 1985). The observer takes a measured ZMP back into the state (Urbann 2.4.7).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gangart.compiled import kernel
from gangart.errors import BadValue
from gangart.signals import Array

GRAVITY = 9.81  # [m/s²]
EFFORT = 1e-10  # [s⁶] small: references are followed within 0.1 mm where they are smooth
_PUSH = 0.03  # [m/s³] standard deviation of the jerk by which the real body departs from the model
_SHIFT = 1e-6  # [m] and its derivatives, per tick: no state is ever known for certain


class PreviewGains(NamedTuple):
    """The preview controller for one height and one tick; a tuple, so that kernels take it as it is."""

    dt: float  # [s]
    A: Array  # (3, 3) cart-table model
    B: Array  # (3,)
    C: Array  # (3,)
    integral: float  # [1/s³] gain on the summed ZMP error
    state: Array  # (3,) gains on the state
    ahead: Array  # (n,) [1/s³] gains on the coming references
    observer: Array  # (3,) gains on the difference between measured and expected ZMP

    @property
    def horizon(self) -> int:
        """How many coming references are used."""
        return len(self.ahead)


def preview_gains(
    height: float, dt: float, preview: float, *, effort: float = EFFORT, measurement_noise: float = 0.01
) -> PreviewGains:
    """Solve for the gains.

    Args:
        height: of the centre of mass above the ground [m].
        dt: time between two references [s].
        preview: how far ahead the references are known [s].
        effort: weight of the jerk's change from tick to tick against the ZMP error, R/Q in Kajita's equations [s⁶];
            smaller follows the ZMP closer.
        measurement_noise: standard deviation of a measured ZMP [m]; larger trusts the model more.
    """
    from scipy.linalg import solve_discrete_are

    if not (0.0 < height < math.inf and 0.0 < dt <= preview < math.inf):
        raise BadValue(f"preview needs height > 0, dt > 0 and preview >= dt; got {height:g} m, {dt:g} s, {preview:g} s")
    for name, value in (("effort", effort), ("measurement noise", measurement_noise)):
        if not 0.0 < value < math.inf:
            raise BadValue(f"{name} is {value:g}; it has to be a positive number")
    A = np.array([[1.0, dt, dt * dt / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    B = np.array([dt**3 / 6.0, dt * dt / 2.0, dt])
    C = np.array([1.0, 0.0, -height / GRAVITY])

    # augmented with the summed output error as first state (Kajita 2003, eq. 22 ff.)
    A_aug = np.zeros((4, 4))
    A_aug[0, 0], A_aug[0, 1:], A_aug[1:, 1:] = 1.0, C @ A, A
    B_aug = np.concatenate([[C @ B], B])[:, None]
    Q = np.diag([1.0, 0.0, 0.0, 0.0])
    try:
        P = solve_discrete_are(A_aug, B_aug, Q, np.array([[effort]]))
    except np.linalg.LinAlgError as error:
        raise BadValue(f"no preview controller for effort {effort:g} s⁶ and ticks of {dt:g} s: {error}") from error
    weight = effort + float((B_aug.T @ P @ B_aug).item())
    gain = (B_aug.T @ P / weight).ravel()  # (4,)
    closed = A_aug - B_aug @ (gain @ A_aug)[None, :]

    ahead = np.empty(round(preview / dt))
    ahead[0] = -gain[0]
    x = -closed.T @ P[:, 0]
    for i in range(1, len(ahead)):
        ahead[i] = float(B_aug.ravel() @ x) / weight
        x = closed.T @ x
    return PreviewGains(dt, A, B, C, float(gain[0]), gain @ A_aug[:, 1:], ahead, _observer(A, B, C, measurement_noise))


def _observer(A: Array, B: Array, C: Array, noise: float) -> Array:
    """Steady Kalman gain (3,) that corrects a state by the ZMP measured at the same instant."""
    from scipy.linalg import solve_discrete_are

    process = _PUSH**2 * np.outer(B, B) + _SHIFT**2 * np.eye(3)
    P = solve_discrete_are(A.T, C[:, None], process, np.array([[noise**2]]))
    return np.asarray(P @ C / float(C @ P @ C + noise**2))


def at_rest(place: Array) -> tuple[Array, Array]:
    """State (2, 3) and memory (2, 4) of a body that rests over a place (2,) [m] on the ground."""
    state, memory = np.zeros((2, 3)), np.zeros((2, 4))
    state[:, 0] = memory[:, 0] = place
    return state, memory


@kernel
def preview_step(gains: PreviewGains, references: Array, first: int, state: Array, memory: Array) -> None:
    """Advance both axes by one tick: state (2, 3) and memory (2, 4), the state and jerk of the last tick, in place.

    `references` (n, 2) are ZMP references [m]; index `first` is the one of the present tick, the coming ones follow.
    The jerk is changed from tick to tick (Katayama 1985) rather than summed up anew from all errors (Kajita 2003):
    without surprises both are the same, but a plan that changes its mind then costs no leap of the jerk.
    """
    last = len(references) - 1
    A, B, C = gains.A, gains.B, gains.C
    for axis in range(2):
        x, v, a = state[axis, 0], state[axis, 1], state[axis, 2]
        now = references[min(first, last), axis]
        u = memory[axis, 3] - gains.integral * (C[0] * x + C[1] * v + C[2] * a - now)
        for i in range(3):
            u -= gains.state[i] * (state[axis, i] - memory[axis, i])
        for j in range(len(gains.ahead)):
            coming = references[min(first + 1 + j, last), axis]
            u -= gains.ahead[j] * (coming - now)
            now = coming
        memory[axis, 0], memory[axis, 1], memory[axis, 2], memory[axis, 3] = x, v, a, u
        state[axis, 0] = x + A[0, 1] * v + A[0, 2] * a + B[0] * u
        state[axis, 1] = v + A[1, 2] * a + B[1] * u
        state[axis, 2] = a + B[2] * u


@kernel
def _run(gains: PreviewGains, references: Array, state: Array, memory: Array, out: Array) -> None:
    for i in range(len(out)):
        out[i] = state
        preview_step(gains, references, i, state, memory)


def preview_motion(gains: PreviewGains, references: Array, steps: int, state: Array | None = None) -> Array:
    """The centre of mass over a whole reference: (steps, 2, 3) with position, velocity, acceleration of x and y.

    `references` (n, 2) may be longer than `steps`: the rest is looked ahead into; beyond its end the last one holds.
    `state` (2, 3) is the start; by default at rest over the first reference.
    """
    now, memory = at_rest(references[0])
    if state is not None:
        now[:], memory[:, :3] = state, state
    out = np.empty((steps, 2, 3))
    _run(gains, references, now, memory, out)
    return out
