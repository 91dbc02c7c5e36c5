"""Closed-form legs of three joints: hip abduction, hip pitch, knee, and a foot that is a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

import numpy as np

from gangart.compiled import gufunc
from gangart.errors import BadValue, Unreachable, choose
from gangart.kinematics import abduction_kernels as kernels
from gangart.kinematics.abduction_geometry import LOWER, UPPER, leg_numbers
from gangart.kinematics.leg_angles import (
    OUT_OF_REACH,
    LegAngles,
    OnFailure,
    at_index,
    beyond_limit,
    too_far,
)
from gangart.kinematics.tree import Tree
from gangart.robots import Robot
from gangart.signals import Array, Ints


@cache
def _forward_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:])", "(j),(p)->(j)")
    def point(q, leg, out):  # type: ignore[no-untyped-def]  # numba gives the types
        kernels.foot(q[0], q[1], q[2], leg, out)

    return point


@cache
def _jacobian_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:, :])", "(j),(p)->(j,j)")
    def jacobian(q, leg, out):  # type: ignore[no-untyped-def]  # numba gives the types
        kernels.slope(q[0], q[1], q[2], leg, out)

    return jacobian


@cache
def _inverse_gufunc() -> Callable[..., Any]:
    @gufunc("void(float64[:], float64[:], float64[:], int64[:], int64[:], float64[:])", "(j),(p)->(j),(),(),()")
    def angles(point, leg, q, status, joint, excess):  # type: ignore[no-untyped-def]  # numba gives the types
        status[0], joint[0], excess[0], q[0], q[1], q[2] = kernels.angles_to(point, leg)

    return angles


class AbductionLegs:
    """The legs of a robot with `kinematics = "abduction"`, by name, or all of them in one compiled call."""

    numbers: Array  # (n_legs, 13) what the kernels need of each leg, see abduction_geometry
    columns: Ints  # (n_legs, 3) where each leg's joints stand in an array over joints

    def __init__(self, robot: Robot, tree: Tree | None = None, knees: Mapping[str, str] | None = None) -> None:
        """Read lengths, axes and limits from the compiled model; raises BadRobot if a leg is built otherwise.

        knees: "backward" or "forward" for legs that bend otherwise than the robot's file says.
        """
        self.robot = robot
        tree = tree or Tree(robot)
        self._row = {name: i for i, name in enumerate(robot.legs)}
        bends = {name: str(leg.knee) for name, leg in robot.legs.items()}
        for name, knee in (knees or {}).items():
            bends[choose("leg", name, self._row)] = knee
        self.numbers = np.array([leg_numbers(tree, leg, bends[leg.name]) for leg in robot.legs.values()])
        joints = [[robot.joint_index[name] for name in leg.joints] for leg in robot.legs.values()]
        self.columns = np.array(joints, dtype=np.int64)

    def forward(self, leg: str, angles: Array) -> Array:
        """The foot in the base's frame (..., 3) [m] from angles (..., 3) [rad]."""
        return cast("Array", _forward_gufunc()(angles, self._of(leg)))

    def jacobian(self, leg: str, angles: Array) -> Array:
        """Derivative of the foot by the angles in the base's frame (..., 3, 3) [m/rad]."""
        return cast("Array", _jacobian_gufunc()(angles, self._of(leg)))

    def inverse(self, leg: str, point: Array, on_failure: OnFailure = "raise") -> LegAngles:
        """Angles that put the foot to a point in the base's frame (..., 3) [m].

        Raises Unreachable for the first point that the leg cannot take; with on_failure="clamp" such points get the
        leg stretched or folded towards the target (status 1) or the angles clipped to their limits (status 2).
        """
        point = np.asarray(point, dtype=np.float64)
        if point.shape[-1:] != (3,) or not np.isfinite(point).all():
            raise BadValue(f"point of leg '{leg}' has shape {point.shape}; it has to be (..., 3) and finite")
        choose("on_failure", on_failure, ("raise", "clamp"))
        angles, status, joint, excess = _inverse_gufunc()(point, self._of(leg))
        status = np.asarray(status)
        if on_failure == "raise" and status.any():
            i = int(np.argmax(status != 0))
            reason = self.explain(leg, status.flat[i], np.asarray(joint).flat[i], np.asarray(excess).flat[i])
            raise Unreachable(f"{reason}{at_index(np.unravel_index(i, status.shape))}")
        return LegAngles(angles, status)

    def all_forward(self, joints: Array) -> Array:
        """All feet in the base's frame (..., n_legs, 3) [m] from joints (..., n_joints) [rad]."""
        return self._over_joints(kernels.feet, joints, (3,))

    def all_jacobian(self, joints: Array) -> Array:
        """Derivative of each foot by its leg's angles (..., n_legs, 3, 3) [m/rad] from joints (..., n_joints) [rad]."""
        return self._over_joints(kernels.slopes, joints, (3, 3))

    def all_inverse(self, points: Array, joints: Array | None = None) -> tuple[Array, Ints]:
        """Joints (..., n_joints) [rad] that put all feet to points in the base (..., n_legs, 3) [m], and the status.

        The status (..., n_legs) is 0 (exact), 1 (out of reach) or 2 (joint limit); where it is not 0 the angles are as
        with on_failure="clamp", and `inverse` of that leg says why. Given joints are written to, in the legs' columns
        only; otherwise the others are at home.
        """
        points = np.ascontiguousarray(points, dtype=np.float64)
        shape, n_joints = points.shape[:-2], len(self.robot.joints)
        if points.shape[-2:] != self.columns.shape:
            raise BadValue(f"points have shape {points.shape}; they have to be (..., {len(self.columns)}, 3)")
        if joints is None:
            joints = np.empty((*shape, n_joints))
            joints[...] = self.robot.home_position
        elif joints.shape != (*shape, n_joints) or not joints.flags.c_contiguous:
            raise BadValue(
                f"joints to write to have shape {joints.shape}; they have to be contiguous, of {(*shape, n_joints)}"
            )
        status = np.empty((*shape, len(self.columns)), dtype=np.int64)
        kernels.joints_to(
            points.reshape(-1, *self.columns.shape),
            self.numbers,
            self.columns,
            joints.reshape(-1, n_joints),
            status.reshape(-1, len(self.columns)),
        )
        return joints, status

    def look(self, leg: str, point: Array) -> tuple[int, int, float]:
        """Status, joint and excess of one point in the base (3,) [m], see abduction_kernels.angles_to."""
        return kernels.angles_to(np.asarray(point, dtype=np.float64), self._of(leg))[:3]

    def explain(self, leg: str, status: int, joint: int, excess: float) -> str:
        """The sentence to a status, joint and excess of the kernel."""
        numbers, names = self._of(leg), self.robot.legs[leg].joints
        if status == OUT_OF_REACH:
            return too_far(leg, excess, f"the axis of '{names[0]}'" if joint == 0 else "the hip")
        low, high = numbers[[LOWER + joint, UPPER + joint]]
        return beyond_limit(leg, names[joint], excess, (float(low), float(high)))

    def _over_joints(self, run: Callable[..., None], joints: Array, shape: tuple[int, ...]) -> Array:
        joints = np.ascontiguousarray(joints, dtype=np.float64)
        n = len(self.robot.joints)
        if joints.shape[-1:] != (n,):
            raise BadValue(f"joints have shape {joints.shape}; they have to be (..., {n})")
        out = np.empty((*joints.shape[:-1], len(self.columns), *shape))
        run(joints.reshape(-1, n), self.numbers, self.columns, out.reshape(-1, len(self.columns), *shape))
        return out

    def _of(self, leg: str) -> Array:
        return cast("Array", self.numbers[self._row[choose("leg", leg, self._row)]])
