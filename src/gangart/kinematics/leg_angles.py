"""What all closed-form legs share: their report, the triangle of thigh and shank, the sentences of a refusal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gangart.compiled import kernel
from gangart.signals import Array, Ints

OK, OUT_OF_REACH, JOINT_LIMIT = 0, 1, 2  # what the inverse kinematics report
OnFailure = Literal["raise", "clamp"]
REACH_TOLERANCE = 1e-12  # [m] a leg this near to straight is straight: rounding must not bend a knee or be out of reach
LIMIT_TOLERANCE = 1e-9  # [rad] rounding of a joint at its limit is not beyond it


@dataclass(frozen=True)
class LegAngles:
    """What one leg's inverse kinematics found."""

    angles: Array  # (..., n_joints) [rad] from the hip down
    status: Ints  # (...) 0 exact, 1 out of reach, 2 joint limit


FINE: Ints = np.zeros((), dtype=np.int64)  # the status of one target that is met
FINE.flags.writeable = False


@kernel
def beyond_reach(d: float, reach: float, fold: float) -> float:
    """How much a distance [m] is beyond what the leg can stretch, or (negative) below what it can fold to."""
    if d > reach + REACH_TOLERANCE:
        return d - reach
    return d - fold if d < fold - REACH_TOLERANCE else 0.0


@kernel
def knee_triangle(d: float, near: float, far: float) -> tuple[float, float, float]:
    """Two links [m] whose ends are `d` [m] apart: bend of the knee in [0, π], and that end seen from the near one.

    The far end lies `along` across the near link and `up` along it [m], counted from the near link's free end:
    along = far sin(bend), up = near + far cos(bend). Half angles are exact where the knee is nearly straight,
    which an arccosine is not.
    """
    reach, fold = near + far, abs(near - far)
    straight = (reach - d) * (reach + d) if d < reach - REACH_TOLERANCE else 0.0
    folded = max((d - fold) * (d + fold), 0.0)
    bend = 2.0 * math.atan2(math.sqrt(straight), math.sqrt(folded))
    return bend, math.sqrt(straight * folded) / (2.0 * near), (d * d + near * near - far * far) / (2.0 * near)


def too_far(leg: str, excess: float, what: str = "the hip") -> str:
    """The sentence for a target `excess` [m] too far from (negative: too near to) a place of the leg."""
    far = "far from" if not excess < 0 else "near to"
    return f"leg '{leg}': the target is {abs(excess) * 1e3:.1f} mm too {far} {what}; move the body or the foot"


def beyond_limit(leg: str, joint: str, excess: float, limits: tuple[float, float]) -> str:
    """The sentence for a joint `excess` [rad] beyond its limits [rad] (negative: below the lower one)."""
    above = not excess < 0
    return (
        f"leg '{leg}': joint '{joint}' would be {math.degrees(abs(excess)):.1f}° "
        f"{'above its upper' if above else 'below its lower'} limit of {math.degrees(limits[above]):.1f}°; "
        "choose a target inside the leg's workspace"
    )


def at_index(index: tuple[Any, ...]) -> str:
    """Which element of a batch is meant; nothing where there is no batch."""
    return f" (at index {', '.join(str(int(i)) for i in index)})" if index else ""
