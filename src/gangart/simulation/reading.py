"""What the sensors read, in one compiled call: after physics has filled the caches, each call of Python is dear."""

from __future__ import annotations

from gangart.compiled import kernel
from gangart.signals import Array, Ints
from gangart.simulation.joints import Encoders
from gangart.simulation.soles import sole_pressures, sole_wrenches


@kernel
def sense(
    encoders: Encoders,
    state: Array,
    feet: Array,
    points: Array,
    counts: Ints,
    joints: Array,
    wrenches: Array,
    pressures: Array,
) -> None:
    """Encoders and soles at one instant.

    In: a state row; feet (1, n_legs, 17) of the step that led to it; points (n_legs, most, 2) [m] and counts (n_legs,)
    of the force sensors.
    Out: joints (2, n_joints) [rad], [rad/s]; wrenches (1, n_legs, 6); pressures (1, n_legs, most) [N], 0 before.
    """
    for i in range(len(encoders.angle)):
        joints[0, i] = state[encoders.angle[i]]
        joints[1, i] = state[encoders.speed[i]]
    for i in range(len(encoders.geared)):
        joints[0, encoders.geared[i]] += state[encoders.gear_angle[i]]
        joints[1, encoders.geared[i]] += state[encoders.gear_speed[i]]
    sole_wrenches(feet, wrenches)
    sole_pressures(feet, wrenches, points, counts, pressures)
