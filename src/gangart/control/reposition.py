"""From one statically stable stance to another (Bahr 7.2): one leg at a time, the body shifted first.

At every instant the centre of mass of the robot's posture lies inside the polygon of the feet that stand, by a margin
that is stated; so does the zero moment point, for the body takes its time. Orders of the feet and places of the body
are searched, the quickest plan is taken, and where there is none the refusal says what would break.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gangart.control import stance_kernel as kernel
from gangart.control.leg_control import LegControl, Stance
from gangart.control.segments import RepositionPlan, Segment, shift_time, swing_time
from gangart.errors import Unreachable
from gangart.signals import Array

MARGIN = 0.02  # [m] that is promised unless told otherwise
_WISH = 0.03  # [m] more than that, where it can be had: the body may then move quickly
_SAMPLES = 12  # of a way, while searching
_FINE = 60  # of a way, when it is decided
_THERE = 5e-4  # [m]
_STEP_HEIGHT = 0.04  # [m]
_APART = 0.05  # [m] between the centres of two balls
_STRIDE = 0.12  # [m] of all feet at once, in a plan of several rounds
_TURN = 0.3  # [rad]
_ROUNDS = 40  # at the most


@dataclass(frozen=True)
class Demands:
    """What a plan has to keep."""

    margin: float = MARGIN  # [m] of centre of mass and zero moment point inside the feet that stand
    step_height: float = _STEP_HEIGHT  # [m]
    there: float = _THERE  # [m] from its goal a foot stays where it is


def plan_reposition(legs: LegControl, start: Stance, goal: Stance, demands: Demands | None = None) -> RepositionPlan:
    """The quickest plan that was found; raises Unreachable with what would break first.

    Feet go straight to their goals where that works; otherwise in rounds, by way of the robot's resting posture.
    """
    demands = demands or Demands()
    for name, stance in (("where it begins", start), ("where it shall end", goal)):
        _check_stance(legs, stance, demands, name)
    try:
        return _direct(legs, start, goal, demands)
    except Unreachable as error:
        refusal = error
    for rounds in _detours(legs, start, goal):
        try:
            return _joined([_direct(legs, a, b, demands) for a, b in pairwise(rounds)])
        except Unreachable:
            continue
    raise refusal


def _check_stance(legs: LegControl, stance: Stance, demands: Demands, name: str) -> None:
    try:
        margin = legs.margin(stance)
    except Unreachable as error:
        raise Unreachable(f"the stance {name} is none: {error}") from error
    if margin < demands.margin:
        raise Unreachable(
            f"the stance {name} has its centre of mass {margin * 1e3:.0f} mm inside its feet; "
            f"{demands.margin * 1e3:.0f} mm are promised"
        )
    feet = stance.feet
    for i in range(len(feet)):
        for j in range(i):
            if np.hypot(*(feet[i] - feet[j])) < _APART:
                names = list(legs.robot.legs)
                raise Unreachable(f"the stance {name} has '{names[j]}' and '{names[i]}' on each other's feet")


def _detours(legs: LegControl, start: Stance, goal: Stance) -> list[list[Stance]]:
    """Ways by stances in between: the resting posture where the body is, where it shall be, and between them."""
    a, b = neutral_below(legs, start), neutral_below(legs, goal)
    far = max(math.hypot(*(b.pose[:2] - a.pose[:2])) / _STRIDE, abs(b.pose[5] - a.pose[5]) / _TURN)
    n = math.ceil(far)
    if n > _ROUNDS:
        return []
    between = [_between(legs, a, b, k / n) for k in range(1, n)] if n else []
    return [[start, b, goal], [start, a, goal], [start, a, *between, b, goal]]


def neutral_below(legs: LegControl, stance: Stance) -> Stance:
    """The robot in its resting posture, level, in the middle of a stance's feet and turned as its base is."""
    home = legs.home(_home_height(legs))
    turn = stance.pose[5]
    off = home.feet.mean(axis=0)  # at rest the middle of the feet need not be that of the base
    c, s = math.cos(turn), math.sin(turn)
    x, y = stance.feet.mean(axis=0) - (c * off[0] - s * off[1], s * off[0] + c * off[1])
    return moved_stance(home, x, y, turn)


def _home_height(legs: LegControl) -> float:
    points = legs.legs.all_forward(legs.robot.home_position)
    return float((legs.radius - points[:, 2]).max())


def moved_stance(stance: Stance, x: float, y: float, turn: float) -> Stance:
    """A stance of a frame that lies at x, y [m], turned by an angle [rad]."""
    c, s = math.cos(turn), math.sin(turn)
    R = np.array([[c, -s], [s, c]])
    pose = stance.pose.copy()
    pose[:2] = R @ pose[:2] + (x, y)
    pose[5] += turn
    return Stance(stance.feet @ R.T + (x, y), pose)


def _between(legs: LegControl, a: Stance, b: Stance, part: float) -> Stance:
    pose = a.pose + part * (b.pose - a.pose)
    return moved_stance(legs.home(_home_height(legs)), pose[0], pose[1], pose[5])


def _joined(plans: list[RepositionPlan]) -> RepositionPlan:
    segments = tuple(s for plan in plans for s in plan.segments)
    return RepositionPlan(plans[0].start, plans[-1].goal, segments, min(p.margin for p in plans))


def _direct(legs: LegControl, start: Stance, goal: Stance, demands: Demands) -> RepositionPlan:
    """Each foot moves at most once."""
    search = _Search(legs, start, goal, demands)
    for share in ("even", "first", "last"):
        search.run(share)
        for plan in sorted(search.found, key=lambda plan: plan.duration):
            refusal = refused(legs, plan, demands)
            if refusal is None:
                return plan
            search.refuse(math.inf, refusal)
        search.found.clear()
    raise Unreachable(search.why)


class _Search:
    """Depth first over the orders of the feet, and over some places of the body for each."""

    def __init__(self, legs: LegControl, start: Stance, goal: Stance, demands: Demands) -> None:
        self._legs, self._start, self._goal, self._demands = legs, start, goal, demands
        self._from, self._to = legs.anchors(start), legs.anchors(goal)
        self._moves = [i for i in range(len(self._to)) if np.hypot(*(self._to[i] - self._from[i])) > demands.there]
        self.found: list[RepositionPlan] = []
        self._best = math.inf
        self.why, self._how_far = "", -math.inf

    def run(self, share: str) -> None:
        """Look for plans; `share` says when height and attitude change: "even"ly with the feet, "first" or "last"."""
        self._share, self._best = share, math.inf
        self._extend(self._from, self._start.pose, (), 0.0, math.inf)

    def refuse(self, how_far: float, why: str) -> None:
        """Keep what broke latest in a plan: that is what one would like to know."""
        if how_far >= self._how_far:
            self._how_far, self.why = how_far, why

    def _extend(self, anchors: Array, pose: Array, segments: tuple[Segment, ...], time: float, margin: float) -> None:
        done = [s.swing for s in segments if s.swing >= 0]
        left = [i for i in self._moves if i not in done]
        if time + self._at_least(left) >= self._best:
            return
        if not left:
            self._finish(anchors, pose, segments, time, margin)
            return
        for leg in left:
            for there in self._places(anchors, pose, leg, len(done) + 1):
                shift = self._shift(anchors, pose, there, len(done))
                swing = self._swing(anchors, there, leg, len(done)) if shift else None
                if shift is None or swing is None:
                    continue
                moved = anchors.copy()
                moved[leg] = self._to[leg]
                least = min(margin, shift.margin, swing.margin)
                self._extend(moved, there, (*segments, shift, swing), time + shift.duration + swing.duration, least)
                break  # the first place that works is the nearest

    def _at_least(self, left: list[int]) -> float:
        """How long it takes in any case [s] until these feet are at their goals."""
        ways = (float(np.hypot(*(self._to[i] - self._from[i]))) for i in left)
        return sum(swing_time(way, self._demands.step_height) for way in ways)

    def _finish(self, anchors: Array, pose: Array, segments: tuple[Segment, ...], time: float, margin: float) -> None:
        last = self._shift(anchors, pose, self._goal.pose, len(self._moves))
        if last is None:
            return
        self._best = min(self._best, time + last.duration)
        segments = tuple(s for s in (*segments, last) if s.duration)
        self.found.append(RepositionPlan(self._start, self._goal, segments, min(margin, last.margin)))

    def _places(self, anchors: Array, pose: Array, leg: int, count: int) -> Iterator[Array]:
        """Poses of the body to lift a leg from, the nearest with a large margin first."""
        part = {"even": count / (len(self._moves) + 1), "first": 1.0, "last": 0.0}[self._share]
        held = self._start.pose + part * (self._goal.pose - self._start.pose)
        held[:2] = pose[:2]
        feet = np.delete(self._feet(anchors, pose), leg, axis=0)
        p = self._com(anchors, held)
        if p is None:
            return
        promised = self._demands.margin
        for margin in (promised + _WISH, promised + _WISH / 2.0, promised + _WISH / 8.0):
            for near in (p[:2], p[:2] + self._goal.pose[:2] - pose[:2]):
                target = nearest_inside(feet, margin, near)
                if target is not None:
                    there = held.copy()
                    there[:2] += target - p[:2]
                    yield there

    def _feet(self, anchors: Array, pose: Array) -> Array:
        feet, q = np.empty((2, len(anchors), 3))
        numbers = self._legs.legs.numbers
        bad = kernel.stand(anchors, pose, -1, np.zeros(3), numbers, self._legs.radius, feet, q)
        return feet[:, :2] if bad < 0 else anchors

    def _com(self, anchors: Array, pose: Array) -> Array | None:
        try:
            _, q = self._legs.posture(anchors, pose)
        except Unreachable:
            return None
        return self._legs.com(q, pose)

    def _shift(self, anchors: Array, a: Array, b: Array, done: int) -> Segment | None:
        if not (a != b).any():
            return Segment(a, b, -1, anchors, anchors, 0.0, 0.0, math.inf)
        margin = self._probe(anchors, a, b, -1, done)
        if margin is None:
            return None
        return Segment(a, b, -1, anchors, anchors, 0.0, shift_time(a, b, margin - self._demands.margin), margin)

    def _swing(self, anchors: Array, pose: Array, leg: int, done: int) -> Segment | None:
        margin = self._probe(anchors, pose, pose, leg, done)
        if margin is None:
            return None
        after = anchors.copy()
        after[leg] = self._to[leg]
        height = self._demands.step_height
        time = swing_time(float(np.hypot(*(after[leg] - anchors[leg]))), height)
        return Segment(pose, pose, leg, anchors, after, height, time, margin)

    def _probe(self, anchors: Array, a: Array, b: Array, swing: int, done: int) -> float | None:
        """The least margin on a way, or None where it breaks, and then why is kept."""
        bad, where, margin = probed(self._legs, anchors, a, b, swing, self._to, self._demands.step_height, _SAMPLES)
        if bad < 0 and margin >= self._demands.margin:
            return margin
        self.refuse(2 * done + (swing >= 0) + where / _SAMPLES, self._sentence(bad, swing, margin))
        return None

    def _sentence(self, bad: int, swing: int, margin: float) -> str:
        names = list(self._legs.robot.legs)
        when = f"while foot '{names[swing]}' goes to its place" if swing >= 0 else "while the body shifts"
        if bad >= 0:
            return f"there is no way to that stance: {when}, leg '{names[bad]}' would not reach its foot"
        return (
            f"there is no way to that stance: {when}, the centre of mass would be {margin * 1e3:.0f} mm inside "
            f"the feet that stand; {self._demands.margin * 1e3:.0f} mm are promised"
        )


def probed(
    legs: LegControl, anchors: Array, a: Array, b: Array, swing: int, to: Array, height: float, samples: int
) -> tuple[int, int, float]:
    """See `stance_kernel.probe`."""
    target = to[swing] if swing >= 0 else np.zeros(2)
    return kernel.probe(
        anchors,
        a,
        b,
        swing,
        target,
        height,
        legs.legs.numbers,
        legs.radius,
        legs.masses,
        legs.centres,
        legs.rest,
        samples,
    )


def refused(legs: LegControl, plan: RepositionPlan, demands: Demands) -> str | None:
    """Look closely at a plan: the sentence that refuses it, or None."""
    names = list(legs.robot.legs)
    for s in plan.segments:
        bad, _, margin = probed(legs, s.before, s.a, s.b, s.swing, s.after, s.height, _FINE)
        if bad >= 0 or margin < demands.margin - 1e-4:
            return f"there is no way to that stance: its margin would fall to {margin * 1e3:.1f} mm on the way"
        feet, base = s.sampled(legs, _FINE)
        fractions = legs.workspace.all_leave(base[:-1], base[1:])
        if np.isfinite(fractions).any():
            k, leg = np.argwhere(np.isfinite(fractions))[0]
            try:
                legs.workspace.check_line(names[leg], base[k, leg], base[k + 1, leg])
            except Unreachable as error:
                return str(error)
        if s.swing >= 0:
            others = np.delete(feet, s.swing, axis=1)
            near = np.linalg.norm(others - feet[:, s.swing : s.swing + 1], axis=2)
            if near.min() < _APART:
                k, other = np.unravel_index(int(near.argmin()), near.shape)
                other += other >= s.swing
                return f"foot '{names[s.swing]}' would meet foot '{names[other]}' on its way"
    return None


def nearest_inside(triangle: Array, margin: float, point: Array) -> Array | None:
    """The place nearest to a point (2,) that lies inside a triangle (3, 2) by a margin [m]; None if there is none."""
    sides = np.array([math.dist(triangle[(i + 1) % 3], triangle[(i + 2) % 3]) for i in range(3)])
    incentre = sides @ triangle / sides.sum()
    ab, ac = triangle[1] - triangle[0], triangle[2] - triangle[0]
    radius = abs(ab[0] * ac[1] - ab[1] * ac[0]) / sides.sum()
    if radius < margin:
        return None
    small = incentre + (1.0 - margin / radius) * (triangle - incentre)  # all that is inside by the margin
    if kernel.inside(small, np.ones(3, dtype=bool), point[0], point[1]) >= 0.0:
        return np.asarray(point)
    best = [_on_edge(small[i], small[(i + 1) % 3], point) for i in range(3)]
    return min(best, key=lambda place: math.dist(place, point))


def _on_edge(a: Array, b: Array, point: Array) -> Array:
    edge = b - a
    square = float(edge @ edge)
    along = min(max(float((point - a) @ edge) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return np.asarray(a + along * edge)


__all__ = ["MARGIN", "Demands", "RepositionPlan", "moved_stance", "nearest_inside", "neutral_below", "plan_reposition"]
