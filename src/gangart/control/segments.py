"""What a repositioning consists of: shifts of the body, swings of single legs, and how long they take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.control import stance_kernel as kernel
from gangart.control.swing_kernel import swing_way
from gangart.signals import Array

if TYPE_CHECKING:
    from gangart.control.leg_control import LegControl, Stance

HAND_OVER = 0.2  # [s] in which a leg's load goes to the others before it lifts, and comes back after it has landed
_G = 9.81  # [m/s²]
_PEAK = 10.0 / math.sqrt(3.0)  # largest acceleration of `swing_way`, for a way of 1 in a time of 1
_FASTEST = 15.0 / 8.0  # and its largest speed
_SLACK = 0.004  # [m] by which the zero moment point may leave the centre of mass at least
_SPEED, _TURN = 0.2, 0.6  # [m/s], [rad/s] of the body at the most
_FOOT_SPEED = 0.5  # [m/s] of a foot, likewise
_SHORTEST = 0.3  # [s]


@dataclass(frozen=True, eq=False)
class Segment:
    """The body goes from one pose to another, or stays and one leg swings."""

    a: Array  # (6,) pose of the base at the beginning: x, y, z [m], roll, pitch, yaw [rad]
    b: Array  # (6,) and at the end
    swing: int  # the leg that swings, -1: none
    before: Array  # (n_legs, 2) [m] anchors of the feet
    after: Array  # (n_legs, 2) [m] after it
    height: float  # [m] of the swing
    duration: float  # [s]
    margin: float  # [m] the least of the centre of mass inside the feet that stand
    load: tuple[float, float] = (1.0, 1.0)  # part of the weight that the legs bear, at the beginning and at the end

    def part(self, time: float) -> float:
        """Part of the way's time after a time [s] in the segment: a swing waits until the leg is free."""
        if self.swing < 0:
            return min(max(time / self.duration, 0.0), 1.0)
        return min(max((time - HAND_OVER) / (self.duration - 2.0 * HAND_OVER), 0.0), 1.0)

    def sampled(self, legs: LegControl, samples: int) -> tuple[Array, Array]:
        """Feet in the ground frame and in the base (samples + 1, n_legs, 3) [m], evenly over the way."""
        n = len(self.before)
        feet, base, q = np.empty((samples + 1, n, 3)), np.empty((samples + 1, n, 3)), np.empty((n, 3))
        lift, land = self.ends(legs) if self.swing >= 0 else (np.zeros(3), np.zeros(3))
        pose, point = np.empty(6), np.zeros(3)
        for k in range(samples + 1):
            part = k / samples
            kernel.pose_between(self.a, self.b, part, pose)
            kernel.swung(lift, land, self.height, part, point)
            kernel.stand(self.before, pose, self.swing, point, legs.legs.numbers, legs.radius, feet[k], q)
            base[k] = legs.in_base(feet[k], pose)
        return feet, base

    def ends(self, legs: LegControl) -> tuple[Array, Array]:
        """Where the swinging foot lifts and lands (3,) [m]."""
        lift, _ = legs.posture(self.before, self.a)
        land, _ = legs.posture(self.after, self.a)
        return lift[self.swing].copy(), land[self.swing].copy()


@dataclass(frozen=True, eq=False)
class RepositionPlan:
    """Shifts and swings, one after the other, that bring the robot from one stance to another."""

    start: Stance
    goal: Stance
    segments: tuple[Segment, ...]
    margin: float  # [m] the least of the centre of mass inside the feet that stand
    load: float = 1.0  # part of the weight that the legs bear in the end, where there is no segment

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(sum(s.duration for s in self.segments))

    @property
    def order(self) -> tuple[int, ...]:
        """The legs that swing, in their order."""
        return tuple(s.swing for s in self.segments if s.swing >= 0)


def shift_time(a: Array, b: Array, slack: float) -> float:
    """How long the body takes [s] so that its zero moment point stays within a slack [m] of its centre of mass."""
    way, rise = float(np.hypot(b[0] - a[0], b[1] - a[1])), abs(b[2] - a[2])
    turn = float(np.abs(b[3:] - a[3:]).max())
    height = max(a[2], b[2])
    still = math.sqrt(_PEAK * height * (way + height * turn) / (_G * max(slack, _SLACK)))
    return float(max(_SHORTEST, still, _FASTEST * max(way, rise) / _SPEED, _FASTEST * turn / _TURN))


def swing_time(way: float, height: float) -> float:
    """How long a leg takes [s] from handing on its load to having it back."""
    return 2.0 * HAND_OVER + max(_SHORTEST, _FASTEST * way / _FOOT_SPEED, 4.0 * height / _FOOT_SPEED)


def smooth(part: float) -> tuple[float, float]:
    """A way that begins and ends at rest: its part, and its slope over the part of the time."""
    return swing_way(part), 30.0 * part * part * (1.0 - part) * (1.0 - part)


def free_of_load(segment: Segment, time: float) -> float:
    """Part of the swinging leg's load that the others have, after a time [s] in a segment."""
    if segment.swing < 0:
        return 0.0
    edge = min(time, segment.duration - time) / HAND_OVER
    return swing_way(min(max(edge, 0.0), 1.0))
