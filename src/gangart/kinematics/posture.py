"""Feet and centre of mass to all joint angles, with the base upright. One interface, two ways to solve it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from gangart.errors import BadValue, choose
from gangart.robots import Robot
from gangart.signals import Array, Ints

OnFailure = Literal["raise", "clamp"]
TOLERANCE = 1e-8  # [m] of the centre of mass


@dataclass(frozen=True)
class Posture:
    """Joint angles, the pose of the upright base that belongs to them, and how the search ended."""

    joints: Array  # (..., n_joints) [rad]
    base_position: Array  # (..., 3) [m] base in the world
    base_yaw: Array  # (...) [rad] roll and pitch of the base are 0
    status: Ints  # (...) 0 exact, 1 out of reach, 2 joint limit, 3 not converged
    iterations: Ints  # (...) evaluations of the whole body


class PostureSolver(Protocol):
    """Anything that finds joint angles for feet and a centre of mass."""

    def solve(
        self,
        com: Array,
        feet: Array,
        joints: Array,
        *,
        com_in_base: Array | None = None,
        on_failure: OnFailure = "raise",
    ) -> Posture:
        """Each posture on its own, over leading axes.

        com (..., 3) [m] and feet (..., n_legs, 4) x, y, z [m], yaw [rad] of the soles are in the world; joints
        (..., n_joints) [rad] gives arms and head, and where the legs start.

        The centre of mass is met exactly; with com_in_base (..., 3) [m], that of the last measured angles, it is taken
        to be there, in a single pass. Raises Unreachable, or with on_failure="clamp" reports a status.
        """
        ...

    def sequence(self, com: Array, feet: Array, joints: Array, *, on_failure: OnFailure = "raise") -> Posture:
        """As `solve` for ticks in a row along axis 0: each starts where the one before ended."""
        ...

    def com(self, joints: Array) -> Array:
        """Centre of mass in the base's frame [m], (..., 3)."""
        ...

    def feet(self, joints: Array) -> Array:
        """Soles in the base's frame, (..., n_legs, 4, 4)."""
        ...


def posture(robot: Robot) -> PostureSolver:
    """The way from feet and centre of mass to joint angles that fits the robot: closed form or numeric."""
    if robot.leg_kinematics == "hip-yaw-pitch":
        from gangart.kinematics.closed_form import ClosedFormPosture

        return ClosedFormPosture(robot)
    from gangart.kinematics.numeric import NumericPosture

    return NumericPosture(robot)


@dataclass(frozen=True)
class Targets:
    """Checked input of a solver, flattened: n postures of `shape`."""

    shape: tuple[int, ...]
    com: Array  # (n, 3)
    feet: Array  # (n, n_legs, 4)
    joints: Array  # (n, n_joints)
    com_in_base: Array | None  # (n, 3)


def check_targets(
    robot: Robot, com: Array, feet: Array, joints: Array, com_in_base: Array | None, on_failure: str
) -> Targets:
    """Broadcast the leading axes against each other; raises BadValue for wrong shapes and what is not finite."""
    choose("on_failure", on_failure, ("raise", "clamp"))
    wanted = {"com": (3,), "feet": (len(robot.legs), 4), "joints": (len(robot.joints),), "com_in_base": (3,)}
    given = {"com": com, "feet": feet, "joints": joints}
    if com_in_base is not None:
        given["com_in_base"] = com_in_base
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}
    for name, array in arrays.items():
        core = wanted[name]
        if array.shape[max(array.ndim - len(core), 0) :] != core:
            tail = ", ".join(str(n) for n in core)
            raise BadValue(f"{name} has shape {array.shape}; for robot '{robot.name}' it has to be (..., {tail})")
        if not np.isfinite(array).all():
            raise BadValue(f"{name} holds values that are not finite; all of them have to be numbers")
    lead = {name: array.shape[: array.ndim - len(wanted[name])] for name, array in arrays.items()}
    try:
        shape = np.broadcast_shapes(*lead.values())
    except ValueError:
        text = ", ".join(f"{name} {axes}" for name, axes in lead.items())
        raise BadValue(f"the leading axes {text} do not broadcast; give one for all or equally many") from None
    n = int(np.prod(shape, dtype=np.int64))
    flat = {
        name: np.ascontiguousarray(np.broadcast_to(array, shape + wanted[name]).reshape((n, *wanted[name])))
        for name, array in arrays.items()
    }
    return Targets(shape, flat["com"], flat["feet"], flat["joints"], flat.get("com_in_base"))
