"""When a swinging foot meets the ground before it should: how it pushes the body, and what that does to its speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.signals import Array, Recording

EARLY = 0.05  # [s] before the plan; a swing ends gently, so some of it every foot is early
_CHATTER = 0.01  # [s] without contact that are no bounce yet


@dataclass(frozen=True)
class TouchDown:
    """One landing. Sideways counts to the side to which the plan moves the body when the foot lands."""

    leg: str
    planned: float  # [s] when it should land
    touched: float  # [s] when it first touches after the middle of its swing; `planned` where it does not before
    bounced: bool  # whether it lost the ground again for a while before it should have landed
    impulse: float  # [N s] sideways, of the ground on this foot until `planned`; below 0 it pushes to the wrong side
    slowed: float  # [m/s] by which the torso's sideways speed falls after the touch, until `planned`
    gained: float  # [m/s] by which that speed should grow in this time
    faster: float  # [m/s] the torso's greatest sideways speed in the double support after it
    wanted: float  # [m/s] what that should be

    @property
    def lead(self) -> float:
        """How much too early [s]."""
        return self.planned - self.touched

    @property
    def early(self) -> bool:
        """Whether it touches too early."""
        return self.lead > EARLY


def touch_downs(r: Recording, speed: Array) -> tuple[TouchDown, ...]:
    """All planned landings of a recording before a fall, in time; `speed` (n,) [m/s] is the torso's, as planned."""
    fell = r.info.get("fell")
    end = len(r) if fell is None else int(np.searchsorted(r.time, fell))
    found = []
    for leg in range(len(r.legs)):
        edges = np.flatnonzero(np.diff(np.concatenate([[True], r.support[:, leg], [True]]).astype(int)))
        for lift, land in zip(edges[::2], edges[1::2], strict=True):
            if land < end:
                found.append(_landing(r, speed, leg, int(lift), int(land)))
    return tuple(sorted(found, key=lambda t: t.planned))


def _landing(r: Recording, speed: Array, leg: int, lift: int, land: int) -> TouchDown:
    """One landing, of a swing between two rows."""
    second = np.arange(lift + (land - lift) // 2, land)  # in the first half the foot is only just leaving
    hits = second[r.contact[second, leg]]
    touch = int(hits[0]) if len(hits) else land
    way = 1.0 if speed[land] >= 0.0 else -1.0
    torso, wanted = way * r.base_velocity[:, 1], way * speed
    dt = r.duration / (len(r) - 1)
    lifts = np.flatnonzero(~r.support[land:].all(axis=1))
    change = slice(land, land + int(lifts[0]) if len(lifts) else len(r))
    return TouchDown(
        leg=r.legs[leg],
        planned=float(r.time[land]),
        touched=float(r.time[touch]),
        bounced=float(np.sum(~r.contact[touch : land + 1, leg])) * dt > _CHATTER,
        impulse=way * float(np.sum(r.foot_wrench[touch:land, leg, 1])) * dt,
        slowed=float(torso[touch] - torso[touch : land + 1].min()),
        gained=float(wanted[land] - wanted[touch]),
        faster=float(torso[change].max()),
        wanted=float(wanted[change].max()),
    )
