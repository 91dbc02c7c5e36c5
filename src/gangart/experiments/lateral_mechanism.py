"""The fall of 5.2.1 in numbers: who gives way before the touch-down, what the touch-down does, how it ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.experiments.lateral_walks import Trial
from gangart.experiments.torso_path import torso_path
from gangart.experiments.touch_down import TouchDown
from gangart.robots import Robot

_BEFORE_END = 0.5  # [s] before it lies: it tips, but does not yet tumble


@dataclass(frozen=True)
class Mechanism:
    """What a walk that falls goes through, sideways."""

    trial: Trial
    landing: TouchDown  # the first that is too early
    sag: float  # [m] the farthest that the joints let the torso go from the plan in the single support before it
    still: float  # [m] the farthest that tipping does in that time
    tips: float  # [m] by which the torso tips over the standing foot's edge, from the touch to the next lift
    tipped: float  # [1] part of the deviation that is the tipping of the foot, shortly before the robot lies


def mechanism(t: Trial, robot: Robot) -> Mechanism | None:
    """Measure it; None where no foot is too early."""
    landing = next((x for x in t.landings if x.early), None)
    if landing is None:
        return None
    r, path = t.recording, torso_path(t.recording, robot)
    joints, foot, _ = (part[:, 1] for part in path.parts().values())
    touch, land = np.searchsorted(r.time, (landing.touched, landing.planned))
    lifts = np.flatnonzero(~r.support[:, r.legs.index(landing.leg)])
    single = slice(int(lifts[lifts < touch][0]), int(touch))
    lifted = np.flatnonzero(~r.support[land:].all(axis=1))
    after = slice(int(touch), int(land + lifted[0]) if len(lifted) else len(r))
    late = min(int(np.searchsorted(r.time, t.walked - _BEFORE_END)), len(r) - 1)
    deviation = r.base_position[late, 1] - path.wanted[late, 1]
    return Mechanism(
        t,
        landing,
        sag=float(np.abs(joints[single]).max()),
        still=float(np.abs(foot[single]).max()),
        tips=float(np.abs(foot[after]).max()),
        tipped=float(foot[late] / deviation),
    )
