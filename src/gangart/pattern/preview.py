"""From a ZMP reference to the motion of the centre of mass: the preview controller of Kajita et al. (ICRA 2003).

The cart-table model has the state (x, ẋ, ẍ), the jerk as input and the ZMP p = x - (z/g) ẍ as output; both axes of the
ground are alike. An integrator on the output error and a feedforward over the coming references are weighted by a
discrete Riccati equation (Katayama 1985). The observer takes a measured ZMP back into the state (Urbann 2.4.7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gangart.compiled import kernel

from gangart.errors import BadValue
from gangart.signals import Array

GRAVITY = 9.81  # [m/s²]
EFFORT = 1e-10  # weight of the jerk against the ZMP error: references are followed within 0.1 mm where they are smooth


@dataclass(frozen=True)
class PreviewGains:
    """The preview controller for one height and one tick."""

    dt: float  # [s]
    A: Array  # (3, 3) cart-table model
    B: Array  # (3,)
    C: Array  # (3,)
    integral: float  # gain on the summed ZMP error
    state: Array  # (3,) gains on the state
    ahead: Array  # (n,) gains on the coming references
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
        effort: weight of the jerk against the ZMP error, R/Q in Kajita's equations; smaller follows the ZMP closer.
        measurement_noise: standard deviation of a measured ZMP [m]; larger trusts the model more.
    """
    from scipy.linalg import solve_discrete_are

    if not (height > 0.0 and dt > 0.0 and preview >= dt):
        raise BadValue(f"preview needs height > 0, dt > 0 and preview >= dt; got {height:g} m, {dt:g} s, {preview:g} s")
    A = np.array([[1.0, dt, dt * dt / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    B = np.array([dt**3 / 6.0, dt * dt / 2.0, dt])
    C = np.array([1.0, 0.0, -height / GRAVITY])

    # augmented with the summed output error as first state (Kajita 2003, eq. 22 ff.)
    A_aug = np.zeros((4, 4))
    A_aug[0, 0], A_aug[0, 1:], A_aug[1:, 1:] = 1.0, C @ A, A
    B_aug = np.concatenate([[C @ B], B])[:, None]
    Q = np.diag([1.0, 0.0, 0.0, 0.0])
    P = solve_discrete_are(A_aug, B_aug, Q, np.array([[effort]]))
    weight = effort + float((B_aug.T @ P @ B_aug).item())
    gain = (B_aug.T @ P / weight).ravel()  # (4,)
    closed = A_aug - B_aug @ (gain @ A_aug)[None, :]

    ahead = np.empty(round(preview / dt))
    ahead[0] = -gain[0]
    x = -closed.T @ P[:, 0]
    for i in range(1, len(ahead)):
        ahead[i] = float(B_aug.ravel() @ x) / weight
        x = closed.T @ x
    return PreviewGains(dt, A, B, C, gain[0], gain @ A_aug[:, 1:], ahead, _observer(A, B, C, measurement_noise))


def _observer(A: Array, B: Array, C: Array, noise: float) -> Array:
    """Steady Kalman gain; the model's own error is a random jerk."""
    from scipy.linalg import solve_discrete_are

    jerk = 10.0  # [m/s³] a push of this kind is what the observer has to find
    process = jerk**2 * np.outer(B, B) + 1e-12 * np.eye(3)
    P = solve_discrete_are(A.T, C[:, None], process, np.array([[noise**2]]))
    return np.asarray(A @ P @ C / float(C @ P @ C + noise**2))


@kernel
def preview_step(A, B, C, integral, gain, ahead, references, first, state, error):
    """Advance both axes by one tick: state (2, 3) and summed error (2,) in place.

    `references` (n, 2) are ZMP references; index `first` is the one of the present tick, the coming ones follow.
    """
    n = len(references)
    for axis in range(2):
        p = C[0] * state[axis, 0] + C[1] * state[axis, 1] + C[2] * state[axis, 2]
        error[axis] += p - references[min(first, n - 1), axis]
        u = -integral * error[axis]
        for j in range(3):
            u -= gain[j] * state[axis, j]
        for j in range(len(ahead)):
            u -= ahead[j] * references[min(first + 1 + j, n - 1), axis]
        x, v, a = state[axis, 0], state[axis, 1], state[axis, 2]
        state[axis, 0] = x + A[0, 1] * v + A[0, 2] * a + B[0] * u
        state[axis, 1] = v + A[1, 2] * a + B[1] * u
        state[axis, 2] = a + B[2] * u


@kernel
def _run(A, B, C, integral, gain, ahead, references, state, error, out):
    for i in range(len(out)):
        out[i] = state
        preview_step(A, B, C, integral, gain, ahead, references, i, state, error)


def preview_motion(gains: PreviewGains, references: Array, steps: int, state: Array | None = None) -> Array:
    """The centre of mass over a whole reference: (steps, 2, 3) with position, velocity, acceleration of x and y.

    `references` (n, 2) may be longer than `steps`: the rest is looked ahead into; beyond its end the last one holds.
    `state` (2, 3) is the start; by default at rest over the first reference.
    """
    if state is None:
        state = np.zeros((2, 3))
        state[:, 0] = references[0]
    out = np.empty((steps, 2, 3))
    g = gains
    _run(g.A, g.B, g.C, g.integral, g.state, g.ahead, references, state.copy(), np.zeros(2), out)
    return out
