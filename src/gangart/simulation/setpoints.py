"""What the servos are asked for between two ticks."""

from __future__ import annotations

import math

from gangart.compiled import kernel
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Ints
from gangart.simulation.fidelity import Fidelity


@kernel
def approach(position: Array, velocity: Array, driven: Ints, step: float, setpoints: Array) -> bool:
    """Cubic Hermite curve from the last setpoints to a joint position [rad] and velocity [rad/s].

    Args:
        position: of all joints, (n_joints,) [rad].
        velocity: of all joints, (n_joints,) [rad/s].
        driven: columns of the joints that have a servo, (n_u / 2,).
        step: of the physics [s].
        setpoints: (n + 1, n_u) angle, speed, angle, speed, ...: row 0 is read, the others, one per step, are written.

    Returns:
        Whether all that was written is finite.
    """
    n = len(setpoints) - 1
    h = n * step
    checksum = 0.0
    for k in range(n):
        u = (k + 1) / n
        a, b, c = u * u * (3.0 - 2.0 * u), u * (1.0 - u) * (1.0 - u), u * u * (u - 1.0)
        da, db, dc = 6.0 * u * (1.0 - u) / h, (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)
        for j in range(len(driven)):
            q0, v0, q1, v1 = setpoints[0, 2 * j], setpoints[0, 2 * j + 1], position[driven[j]], velocity[driven[j]]
            setpoints[k + 1, 2 * j] = (1.0 - a) * q0 + a * q1 + h * (b * v0 + c * v1)
            setpoints[k + 1, 2 * j + 1] = da * (q1 - q0) + db * v0 + dc * v1
            checksum += setpoints[k + 1, 2 * j] + setpoints[k + 1, 2 * j + 1]
    return math.isfinite(checksum)


@kernel
def scaled(setpoints: Array, factors: Array, out: Array) -> None:
    """Setpoints (n, n_u) with the speeds multiplied by factors (n_u / 2,)."""
    for k in range(len(setpoints)):
        for j in range(len(factors)):
            out[k, 2 * j] = setpoints[k, 2 * j]
            out[k, 2 * j + 1] = factors[j] * setpoints[k, 2 * j + 1]


def substeps(robot: Robot, fidelity: Fidelity) -> int:
    """Physics steps in a tick."""
    step, tick = fidelity.step, robot.tick
    n = round(tick / step)
    if n < 1 or abs(n * step - tick) > 1e-9:
        fitting = tick / math.ceil(tick / step)
        raise BadValue(f"a physics step of {step:g} s does not divide {robot.name}'s tick of {tick:g} s; "
                       f"take {fitting:.6g} s")  # fmt: skip
    return n
