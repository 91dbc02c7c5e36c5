"""C_free: where may a foot be, and does a straight way stay there? Joint limits, reach and obstacles (Bahr 5.4).

A way that leaves is refused, not bent: legs move in step, so only who planned the motion can plan another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from gangart.compiled import gufunc
from gangart.errors import BadValue, Unreachable, choose
from gangart.kinematics import leaving
from gangart.kinematics.abduction_legs import AbductionLegs
from gangart.kinematics.leg_angles import JOINT_LIMIT, OUT_OF_REACH, at_index
from gangart.robots import Robot
from gangart.signals import Array

_NEXT = 1e-8  # [m] beyond a border, where rounding no longer hides what it is
Truths = np.ndarray[Any, np.dtype[np.bool_]]


@cache
def _free_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:, :], bool_[:])", "(c),(p),(n,k)->()")
    def free(point, leg, planes, out):  # type: ignore[no-untyped-def]  # numba gives the types
        out[0] = leaving.free(point, leg, planes)

    return free


@cache
def _leaves_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:], float64[:, :], float64[:])", "(c),(c),(p),(n,k)->()")
    def leaves(a, b, leg, planes, out):  # type: ignore[no-untyped-def]  # numba gives the types
        out[0] = leaving.leaves(a, b, leg, planes)

    return leaves


class Workspace:
    """The free configurations of the legs of a robot with `kinematics = "abduction"`, seen from their feet.

    Joints have less than a full turn between their limits; one that has more may have to turn back on the way.
    """

    planes: Array  # (n_legs, n, 5) of each leg's obstacles: normal [1], distance [m], number of the obstacle or -1

    def __init__(self, robot: Robot, legs: AbductionLegs | None = None) -> None:
        """Obstacles of the robot's file stand off by the radius of each ball foot."""
        self.robot = robot
        self.legs = legs or AbductionLegs(robot)
        self._row = {name: i for i, name in enumerate(robot.legs)}
        n = sum(len(obstacle.planes) for obstacle in robot.obstacles.values())
        self.planes = np.zeros((len(robot.legs), n, 5))
        self.planes[..., 4] = -1.0
        for leg, planes in zip(robot.legs.values(), self.planes, strict=True):
            at = 0
            for number, obstacle in enumerate(robot.obstacles.values()):
                if obstacle.stops(leg.name):
                    rows = planes[at : at + len(obstacle.planes)]
                    rows[:, :4], rows[:, 4] = obstacle.planes, number
                    rows[:, 3] += leg.radius
                    at += len(rows)

    def free(self, leg: str, points: Array) -> Truths:
        """Whether the foot may be at points in the base (..., 3) [m]."""
        return cast("Truths", _free_gufunc()(_points(points, 3), *self._of(leg)))

    def leaves(self, leg: str, a: Array, b: Array) -> Array:
        """The fraction (...) of the straight way from a to b, both (..., 3) [m] in the base, at which it leaves C_free.

        0 where a is not free, inf where all of the way is, and the joints can follow it without a jump.
        """
        return cast("Array", _leaves_gufunc()(_points(a, 3), _points(b, 3), *self._of(leg)))

    def all_free(self, points: Array) -> Truths:
        """As free, for all legs: (..., n_legs, 3) to (..., n_legs)."""
        return cast("Truths", _free_gufunc()(_points(points, len(self._row), 3), self.legs.numbers, self.planes))

    def all_leave(self, a: Array, b: Array) -> Array:
        """As leaves, for all legs: (..., n_legs, 3) to (..., n_legs)."""
        a, b = _points(a, len(self._row), 3), _points(b, len(self._row), 3)
        return cast("Array", _leaves_gufunc()(a, b, self.legs.numbers, self.planes))

    def check_line(self, leg: str, a: Array, b: Array) -> None:
        """Raises Unreachable for the first straight way of a foot that leaves C_free; a and b as for `leaves`.

        The sentence names the leg, the point where it would leave, and why.
        """
        self._refuse(leg, a, b, self.leaves(leg, a, b))

    def check_lines(self, a: Array, b: Array) -> None:
        """As check_line, for all legs: a and b are (..., n_legs, 3) [m]."""
        fractions = self.all_leave(a, b)
        if (fractions < leaving.NEVER).any():
            a, b = np.broadcast_arrays(a, b)
            for leg, i in self._row.items():
                self._refuse(leg, a[..., i, :], b[..., i, :], fractions[..., i])

    def why_not(self, leg: str, point: Array) -> str:
        """What keeps a foot from a point in the base (3,) [m]; empty where nothing does."""
        x, y, z = (float(v) for v in _points(point, 3))
        obstacle = leaving.inside(x, y, z, self._of(leg)[1])
        if obstacle >= 0:
            return f"obstacle '{list(self.robot.obstacles)[obstacle]}' is there"
        status, joint, excess = self.legs.look(leg, point)
        names = self.robot.legs[leg].joints
        if status == OUT_OF_REACH and joint == 0:
            return f"it is too near to the axis of '{names[0]}'"
        if status == OUT_OF_REACH:
            return f"it is too {'far from' if excess > 0 else 'near to'} the hip"
        if status == JOINT_LIMIT:
            return f"joint '{names[joint]}' is at its {'upper' if excess > 0 else 'lower'} limit"
        return ""

    def _refuse(self, leg: str, a: Array, b: Array, fractions: Array) -> None:
        bad = np.asarray(fractions) < leaving.NEVER
        if not bad.any():
            return
        index = np.unravel_index(int(np.argmax(bad)), bad.shape)
        a, b = np.broadcast_arrays(a, b)
        fraction, start, end = np.asarray(fractions)[index], a[index], b[index]
        if not np.isfinite([start, end]).all():
            raise BadValue(f"leg '{leg}': a way of the foot has ends that are not finite{at_index(index)}")
        at = start + fraction * (end - start)
        if fraction == 0.0:
            raise Unreachable(
                f"leg '{leg}': the foot's way starts at {_mm(at)}, where it may not be: {self.why_not(leg, at)}"
                f"{at_index(index)}"
            )
        further = at + _NEXT * (end - start) / np.linalg.norm(end - start)
        reason = self.why_not(leg, at) or self.why_not(leg, further) or "the leg would have to swing round"
        raise Unreachable(
            f"leg '{leg}': the foot's straight way from {_mm(start)} to {_mm(end)} leaves what the leg may do at "
            f"{_mm(at)}: {reason}; plan another way or move the body{at_index(index)}"
        )

    def _of(self, leg: str) -> tuple[Array, Array]:
        i = self._row[choose("leg", leg, self._row)]
        return self.legs.numbers[i], self.planes[i]


def _points(points: Array, *shape: int) -> Array:
    """As an array of points whose last axes have this shape."""
    points = np.asarray(points, dtype=np.float64)
    if points.shape[-len(shape) :] != shape:
        raise BadValue(f"points of feet have shape {points.shape}; it has to end with {shape}")
    return points


def _mm(point: Array) -> str:
    return "(" + ", ".join(f"{v * 1e3 + 0.0:.1f}" for v in point) + ") mm"
