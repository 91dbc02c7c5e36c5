"""Why the torso is not where it should be: do the joints give way, does the sole leave the ground, do the links bend?

The thesis sets the torso's true position beside the one that forward kinematics makes of the measured joint angles over
a foot that stands flat (5.2.1): where both agree, nothing tips. With the true pose of the sole in between, what is
left is the bending of the links.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gangart.dynamics.motion import bearing_leg
from gangart.kinematics import Tree
from gangart.robots import Robot
from gangart.signals import Array, Ints, Recording


@dataclass(frozen=True, eq=False)
class TorsoPath:
    """Where the base is, (n, 3) [m] in the world each."""

    wanted: Array  # over a flat sole with the joints that were asked for
    joints: Array  # over a flat sole with the joints as they were
    soles: Array  # over the sole as it stood, with the joints as they were
    true: Array  # as it was
    bearing: Ints  # (n,) the leg over which that is

    def parts(self) -> dict[str, Array]:
        """The deviation of the torso (n, 3) [m], by cause; together they are all of it."""
        return {
            "the joints give way": self.joints - self.wanted,
            "the foot tips": self.soles - self.joints,
            "the links bend": self.true - self.soles,
        }

    def sideways(self, path: Array, time: Array) -> Array:
        """How fast a path goes to the left (n,) [m/s], at times (n,) [s]; each bearing foot by itself."""
        edges = [0, *(np.flatnonzero(np.diff(self.bearing)) + 1).tolist(), len(time)]
        speed = np.zeros(len(time))
        for begin, end in pairwise(edges):
            if end - begin > 1:
                speed[begin:end] = np.gradient(path[begin:end, 1], time[begin:end])
        return speed


def torso_path(r: Recording, robot: Robot) -> TorsoPath:
    """Follow the torso over the standing foot; in a double support that is the foot that stood before."""
    leg, tree, rows = bearing_leg(r.support), Tree(robot), np.arange(len(r))
    true_sole = _pose(r.foot_pose[rows, leg])
    flat = _flat(true_sole, leg)
    above = [np.linalg.inv(tree.feet(joints)[rows, leg]) for joints in (r.target, r.position)]
    wanted, found = ((flat @ T)[:, :3, 3] for T in above)
    return TorsoPath(wanted, found, (true_sole @ above[1])[:, :3, 3], r.base_position, leg)


def _flat(sole: Array, leg: Ints) -> Array:
    """Level soles (n, 4, 4) on the ground, where each stood when it began to bear."""
    begin = np.concatenate([[True], leg[1:] != leg[:-1]])
    first = np.maximum.accumulate(np.where(begin, np.arange(len(leg)), 0))
    yaw = np.arctan2(sole[first, 1, 0], sole[first, 0, 0])
    out = np.tile(np.eye(4), (len(leg), 1, 1))
    out[:, 0, 0], out[:, 1, 1] = np.cos(yaw), np.cos(yaw)
    out[:, 1, 0], out[:, 0, 1] = np.sin(yaw), -np.sin(yaw)
    out[:, :2, 3] = sole[first, :2, 3]
    return out


def _pose(place: Array) -> Array:
    """Positions and quaternions wxyz (n, 7) to (n, 4, 4)."""
    from scipy.spatial.transform import Rotation

    out = np.tile(np.eye(4), (len(place), 1, 1))
    out[:, :3, :3] = Rotation.from_quat(place[:, 3:], scalar_first=True).as_matrix()
    out[:, :3, 3] = place[:, :3]
    return out
