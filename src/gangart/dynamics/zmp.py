"""The zero moment point of the whole multibody system (Urbann chapter 3), by MuJoCo's inverse dynamics.

With the base's motion given, inverse dynamics of the free-floating robot yields the wrench that has to act on its base
from outside. On flat ground only the floor can exert it: the point at which it has no horizontal moment is the ZMP
(3.4)-(3.6). That holds in single and in double support alike, since only the total of the ground's forces counts (3.8).
"""

from __future__ import annotations

import mujoco

from gangart.dynamics.inverse import differenced, inverse_dynamics, tick_of, zmp_of
from gangart.robots import Robot
from gangart.signals import Array, JointTrajectory


def multibody_zmp(
    robot: Robot, motion: JointTrajectory, *, still: bool = False, model: mujoco.MjModel | None = None
) -> Array:
    """Zero moment point over a motion [m], shape (n, 2), in the world; NaN where the floor would have to pull.

    Accelerations are differences over two ticks: a reference whose speed jumps, as that of the Bézier ZMP does between
    supports, is met there only as exactly as the motion is fine.

    Args:
        robot: whose joints the motion moves.
        motion: evenly spaced in time, at least four samples; speeds and accelerations are its central differences,
            continued in a straight line to the first and last sample.
        still: set speeds and accelerations to zero, which leaves the ground projection of the centre of mass.
        model: another model of the same structure, for instance with its masses changed; robot.model by default.
    """
    tick_of(motion.time)  # also standing still asks for a proper motion
    return zmp_of(inverse_dynamics(robot, motion, None if still else differenced(motion), model))
