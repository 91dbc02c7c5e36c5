"""Check a plan from its footprints alone. Shares no code with the planners, so that both cannot err alike.

Footprints are complex numbers here: position x + iy, heading e^(i yaw).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gangart.footsteps.limits import StepLimits
from gangart.footsteps.obstacles import Obstacle
from gangart.footsteps.step_plan import StepPlan
from gangart.signals import Array

_ROUNDING = 1e-6  # [m], [rad] or of a limit


@dataclass(frozen=True)
class Breach:
    """A rule that a step breaks."""

    step: int  # counted from 0; the number of steps for the end of the plan
    rule: str
    value: float  # [m], [rad] or 1
    limit: float

    def __str__(self) -> str:
        return f"step {self.step + 1}: {self.rule} is {self.value:.6g} and may be {self.limit:.6g}"


def verify(plan: StepPlan, obstacles: tuple[Obstacle, ...] = (), tolerance: float = 1e-6) -> list[Breach]:
    """All breaches of the limits, and of the goal if the plan says that it arrived; none for a sound plan."""
    found = list(_order(plan))
    found += _steps(plan)
    found += _contacts(plan, obstacles)
    if plan.arrived:
        found += _arrival(plan, tolerance)
    return found


def _order(plan: StepPlan) -> Iterator[Breach]:
    feet = plan.foot.tolist()
    for k in range(1, len(feet)):
        if feet[k] == feet[k - 1]:
            yield Breach(k, "the same foot again", 1.0, 0.0)
    if feet and plan.start.next_foot is not None and feet[0] != plan.start.next_foot:
        yield Breach(0, "the wrong foot first", 1.0, 0.0)


def _steps(plan: StepPlan) -> Iterator[Breach]:
    most = plan.limits
    prints = [(complex(*p[:2]), np.exp(1j * p[2])) for p in plan.start.feet]
    last = [np.array(w) for w in plan.start.ways]  # of each foot: ahead, left, turn
    for k, (foot, pose) in enumerate(zip(plan.foot.tolist(), plan.pose, strict=True)):
        side = 1.0 if foot == 0 else -1.0
        place, heading = prints[1 - foot]
        there, facing = complex(*pose[:2]), np.exp(1j * pose[2])
        turn = float(np.angle(facing / heading))
        yield from _reach(k, (there - place) / heading, side, turn, most)
        # body frames lie half a spacing inward of the soles; the way is seen in the mean heading
        body = place + side * 0.5j * most.spacing * heading
        after = there - side * 0.5j * most.spacing * facing
        seen = (after - body) / (heading * np.exp(0.5j * turn))
        way = np.array([seen.real, seen.imag, turn])
        yield from _changes(k, way, last[1 - foot], last[foot], most)
        prints[foot], last[foot] = (there, facing), way


def _reach(k: int, offset: complex, side: float, turn: float, most: StepLimits) -> Iterator[Breach]:
    outward = side * offset.imag - most.spacing
    for rule, value, low, high in (
        ("reach ahead", offset.real, -most.backward, most.forward),
        ("reach outward", outward, -most.inward, most.outward),
        ("turn outward", side * turn, -most.turn_inward, most.turn_outward),
    ):
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            yield Breach(k, rule, value, low if value < low else high)


def _changes(k: int, way: Array, other: Array, same: Array, most: StepLimits) -> Iterator[Breach]:
    mean = (way + other) / 2.0
    ahead = most.pace_forward if mean[0] > 0 else most.pace_backward
    shares = [(mean[0], ahead), (mean[1], most.pace_sideways), (mean[2], most.pace_turn)]
    load = sum((v / p) ** 2 if p > 0.0 else (0.0 if abs(v) < 1e-8 else np.inf) for v, p in shares) ** 0.5
    if load > 1.0 + _ROUNDING:
        yield Breach(k, "pace", load, 1.0)
    for rule, value, limit in (
        ("change ahead", abs(way[0] - other[0]), most.change_ahead),
        ("change sideways", abs(way[1] - same[1]), most.change_sideways),
        ("change of turn", abs(way[2] - same[2]), most.change_turn),
    ):
        if value > limit + _ROUNDING:
            yield Breach(k, rule, value, limit)


def _arrival(plan: StepPlan, tolerance: float) -> Iterator[Breach]:
    ends = [np.array(f) for f in plan.start.feet]
    for foot, pose in zip(plan.foot.tolist(), plan.pose, strict=True):
        ends[foot] = pose
    facing = np.exp(1j * plan.goal[2])
    for side, end in zip((1.0, -1.0), ends, strict=True):
        home = complex(*plan.goal[:2]) + side * 0.5j * plan.limits.spacing * facing
        off = abs(complex(*end[:2]) - home)
        askew = abs(float(np.angle(np.exp(1j * end[2]) / facing)))
        if off > tolerance or askew > tolerance:
            yield Breach(len(plan), "distance of a foot from its goal", max(off, askew), tolerance)


def _contacts(plan: StepPlan, obstacles: tuple[Obstacle, ...]) -> Iterator[Breach]:
    """Soles on each other, soles on obstacles, and high obstacles between the feet or in the way of the swing foot."""
    soles = plan.limits.soles()
    now = [_corners(soles[f], plan.start.feet[f]) for f in range(2)]
    for k, (foot, pose) in enumerate(zip(plan.foot.tolist(), plan.pose, strict=True)):
        landed, stance = _corners(soles[foot], pose), now[1 - foot]
        if len(set(map(tuple, soles[foot].tolist()))) > 2 and _meet(landed, stance):
            yield Breach(k, "overlap of the soles", 1.0, 0.0)
        for obstacle in obstacles:
            area = np.asarray(obstacle.corners)
            if _meet(landed, area):
                yield Breach(k, "overlap with an obstacle", 1.0, 0.0)
            elif obstacle.height > plan.limits.step_height:
                swept, between = np.vstack([now[foot], landed]), np.vstack([stance, landed])
                if _meet(swept, area) or _meet(between, area):
                    yield Breach(k, "a high obstacle in the way", 1.0, 0.0)
        now[foot] = landed


def _corners(sole: Array, pose: Array) -> Array:
    turned = (sole[:, 0] + 1j * sole[:, 1]) * np.exp(1j * pose[2]) + complex(*pose[:2])
    return np.column_stack([turned.real, turned.imag])


def _meet(a: Array, b: Array) -> bool:
    """Whether the convex hulls of two point sets share an area: no line of a hull edge separates them."""
    for points in (a, b):
        hull = _hull(points)
        for p, q in zip(hull, np.roll(hull, -1, axis=0), strict=True):
            normal = np.array([q[1] - p[1], p[0] - q[0]])
            if (a @ normal).max() <= (b @ normal).min() + 1e-9 or (b @ normal).max() <= (a @ normal).min() + 1e-9:
                return False
    return True


def _hull(points: Array) -> Array:
    """Corners of the convex hull, one after the other (gift wrapping)."""
    unique = np.unique(points, axis=0)
    if len(unique) < 3:
        return unique
    hull = [int(unique[:, 0].argmin())]
    while True:
        here, best = unique[hull[-1]], -1
        for k in range(len(unique)):
            if k == hull[-1]:
                continue
            if best < 0:
                best = k
                continue
            u, v = unique[best] - here, unique[k] - here
            cross = u[0] * v[1] - u[1] * v[0]
            if cross < -1e-15 or (abs(cross) <= 1e-15 and v @ v > u @ u):
                best = k
        if best == hull[0] or len(hull) > len(unique):
            return unique[hull]
        hull.append(best)
