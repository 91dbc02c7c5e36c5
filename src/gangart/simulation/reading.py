"""What the sensors read, in one compiled call: after physics has filled the caches, each call of Python is dear."""

from __future__ import annotations

from gangart.compiled import kernel
from gangart.signals import Array, Ints
from gangart.simulation.joints import Encoders
from gangart.simulation.model import FOOT
from gangart.simulation.soles import sole_pressures, sole_wrenches


@kernel
def sense(
    encoders: Encoders,
    state: Array,
    sensed: Array,
    first_foot: int,
    points: Array,
    counts: Ints,
    imu: Array,
    joints: Array,
    wrenches: Array,
    pressures: Array,
) -> None:
    """Encoders and soles at one instant.

    In: a state row; the row of sensor data of the step that led to it, in which the feet's begin at `first_foot`;
    points (n_legs, most, 2) [m] and counts (n_legs,) of the force sensors.
    Out: imu (6,), the first of the sensor data; joints (2, n_joints) [rad], [rad/s]; wrenches (1, n_legs, 6);
    pressures (1, n_legs, most) [N].
    """
    for i in range(len(encoders.angle)):
        joints[0, i] = state[encoders.angle[i]]
        joints[1, i] = state[encoders.speed[i]]
    for i in range(len(encoders.geared)):
        joints[0, encoders.geared[i]] += state[encoders.gear_angle[i]]
        joints[1, encoders.geared[i]] += state[encoders.gear_speed[i]]
    imu[:] = sensed[:6]
    n = wrenches.shape[1]
    feet = sensed[first_foot : first_foot + n * FOOT].reshape((1, n, FOOT))
    pressures[:] = 0.0
    sole_wrenches(feet, wrenches)
    sole_pressures(feet, wrenches, points, counts, pressures)
