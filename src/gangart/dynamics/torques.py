"""Joint torques in every phase of a walk (Urbann 3.2, and 3.4 that he leaves open), vectorised over the motion.

One pass of mj_inverse lets the robot float: it yields the joints' forces and the wrench that is missing on the base.
The ground supplies that wrench through the soles, and what it does there at the joints, Jᵀ w, is taken off these.
On one leg that is the recursion of algorithm 3.1 from the standing foot; on several, `split` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.dynamics.inverse import Forces, inverse_dynamics, zmp_of
from gangart.dynamics.legs import Legs, planted_legs
from gangart.dynamics.split import carried, split, total_at
from gangart.dynamics.supports import check_contacts, patterns, shares, sole_limits
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array, Bools, JointTrajectory


@dataclass(frozen=True, eq=False)
class Torques:
    """What a motion takes: torques at the joints, and what the ground does."""

    joint: Array  # (n, n_joints) [N m] about each joint's axis
    wrench: (
        Array  # (n, n_legs, 6) ground's force [N] and torque about the sole's origin [N m], world axes; 0 in the air
    )
    zmp: Array  # (n, 2) [m] in the world; NaN where the floor would have to pull
    motor: Array  # (n, n_motors) [N m] of each motor behind its gear; a motor for two joints delivers the sum
    motors: tuple[str, ...]  # the joints that the motors are named after


def joint_torques(robot: Robot, motion: JointTrajectory, contacts: Bools, *, friction: float = 0.8) -> Torques:
    """Torques that let the robot do a motion, in single and in multiple support.

    A leg that stands alone carries everything, also where its sole would tip or slip. Several legs share so that the
    sum of squared joint torques is least within friction cones, soles, and shares that rise from 0 after landing and
    fall to 0 before lifting: torques are continuous where the motion's accelerations are. Both limits give way where
    the motion's ZMP leaves the soles.

    Args:
        robot: whose joints the motion moves.
        motion: evenly spaced in time, at least four samples. The base stays upright.
        contacts: (n, n_legs) which legs stand; at least one in every sample.
        friction: Coulomb coefficient of the soles on the ground.
    """
    if not (np.isfinite(friction) and friction > 0.0):
        raise BadValue(f"friction is {friction!r}; it has to be a positive number")
    check_contacts(robot, motion.time, contacts)
    share = shares(contacts)
    legs, rates = planted_legs(robot, motion, share)
    forces = inverse_dynamics(robot, motion, rates)
    wrench = _ground(robot, forces, legs, share, friction)
    joint = carried(forces, legs, wrench)
    motor, motors = _at_motors(robot, joint)
    return Torques(joint, wrench, zmp_of(forces), motor, motors)


def _ground(robot: Robot, forces: Forces, legs: Legs, share: Array, friction: float) -> Array:
    """The ground's wrenches on all soles, (n, n_legs, 6)."""
    wrench = np.zeros((*share.shape, 6))
    limits: list[Array] | None = None
    for standing, rows in patterns(share > 0.0):
        if len(standing) == 1:
            wrench[rows, standing[0]] = total_at(forces, legs, rows, int(standing[0]))
        else:
            limits = limits or [sole_limits(leg, friction) for leg in robot.legs.values()]
            wrench[rows[:, None], standing] = split(forces, legs, rows, standing, limits, share)
    return wrench


def _at_motors(robot: Robot, joint: Array) -> tuple[Array, tuple[str, ...]]:
    """A coupled joint hangs on another one's motor, which turns both alike and so delivers the sum."""
    motors = tuple(name for name in robot.joints if name not in robot.coupled)
    out = joint[:, [robot.joint_index[name] for name in motors]]
    for name, driver in robot.coupled.items():
        out[:, motors.index(driver)] += joint[:, robot.joint_index[name]]
    return out, motors
