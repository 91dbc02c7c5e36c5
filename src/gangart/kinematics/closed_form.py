"""Postures of a biped with hip-yaw-pitch legs: closed-form legs inside a compiled search for the centre of mass."""

from __future__ import annotations

import numpy as np

from gangart.errors import BadRobot, BadValue, Unreachable
from gangart.kinematics.hip_yaw_pitch import HipYawPitchLegs
from gangart.kinematics.posture import TOLERANCE, OnFailure, Posture, Targets, check_targets
from gangart.kinematics.posture_kernel import NOT_CONVERGED, STATE, Biped, ticks
from gangart.kinematics.tree import Tree
from gangart.robots import Robot
from gangart.signals import Array, Ints


class ClosedFormPosture:
    """Exact feet (to rounding) and centre of mass (to `tolerance`) for a biped with hip-yaw-pitch legs.

    `model`, `new_state` and `new_work` are what `posture_kernel.tick` takes, for an engine that calls it by itself.
    """

    robot: Robot
    tree: Tree
    legs: HipYawPitchLegs
    model: Biped

    def __init__(self, robot: Robot, tolerance: float = TOLERANCE) -> None:
        """Tolerance [m] of the centre of mass. Raises BadRobot if the robot is no such biped."""
        if not 0.0 < tolerance < np.inf:
            raise BadValue(f"tolerance is {tolerance!r} m; it has to be positive and finite")
        self.robot = robot
        self.tolerance = tolerance
        self.tree = Tree(robot)
        self.legs = HipYawPitchLegs(robot, self.tree)
        self.model = _biped(robot, self.tree, self.legs)

    def solve(
        self,
        com: Array,
        feet: Array,
        joints: Array,
        *,
        com_in_base: Array | None = None,
        on_failure: OnFailure = "raise",
    ) -> Posture:
        """See PostureSolver.solve."""
        targets = check_targets(self.robot, com, feet, joints, com_in_base, on_failure)
        n = len(targets.com)
        state = np.full((n, STATE), np.nan)
        if targets.com_in_base is None:
            return self._run(targets, state, self.tolerance, False, on_failure)
        state[:] = 0.0
        state[:, :3] = targets.com_in_base
        return self._run(targets, state, np.inf, False, on_failure)

    def sequence(
        self,
        com: Array,
        feet: Array,
        joints: Array,
        *,
        on_failure: OnFailure = "raise",
        state: Array | None = None,
    ) -> Posture:
        """See PostureSolver.sequence; `state` (see new_state) goes on from one call to the next.

        A run that is cut into calls gives the same bits as one call.
        """
        targets = check_targets(self.robot, com, feet, joints, None, on_failure)
        if len(targets.shape) != 1:
            raise BadValue(f"a sequence has one leading axis, time, but the targets have {targets.shape}; use solve")
        state = self.new_state() if state is None else state
        return self._run(targets, state[None], self.tolerance, True, on_failure)

    def com(self, joints: Array) -> Array:
        """Centre of mass in the base's frame [m]: (..., n_joints) [rad] to (..., 3)."""
        return self.tree.com(joints)

    def feet(self, joints: Array) -> Array:
        """Soles in the base's frame, (..., n_legs, 4, 4)."""
        return self.tree.feet(joints)

    def new_state(self) -> Array:
        """What one tick hands to the next, at the beginning of a run."""
        return np.full(STATE, np.nan)

    def new_work(self) -> Array:
        """Scratch memory of a tick."""
        return np.empty((len(self.tree.links) + 6, 12))

    def _run(self, targets: Targets, state: Array, tolerance: float, warm: bool, on_failure: OnFailure) -> Posture:
        n = len(targets.com)
        q, place = np.empty_like(targets.joints), np.empty((n, 4))
        note, excess = np.zeros((n, 4), dtype=np.int64), np.zeros(n)
        work = self.new_work()
        ticks(
            self.model, targets.com, targets.feet, targets.joints, tolerance, state, work, q, place, note, excess, warm
        )
        if on_failure == "raise" and note[:, 0].any():
            first = int(np.argmax(note[:, 0] != 0))
            where = np.unravel_index(first, targets.shape)
            at = f" (at index {', '.join(str(int(i)) for i in where)})" if where else ""
            raise Unreachable(f"{self._explain(note[first], float(excess[first]))}{at}")
        s = targets.shape
        return Posture(
            joints=q.reshape(s + q.shape[1:]),
            base_position=place[:, :3].reshape((*s, 3)),
            base_yaw=place[:, 3].reshape(s),
            status=note[:, 0].reshape(s),
            iterations=note[:, 1].reshape(s),
        )

    def _explain(self, note: Ints, excess: float) -> str:
        status, _, leg, joint = (int(n) for n in note)
        if status != NOT_CONVERGED:
            return self.legs.explain(list(self.robot.legs)[leg], status, joint, excess)
        if excess > 0.0:
            return (
                f"the centre of mass stays {excess * 1e3:.3g} mm from its target for any posture on these feet; "
                "move it towards the feet"
            )
        return "no yaw of the torso lets the shared hip motor serve both feet; turn the feet less against each other"


def _biped(robot: Robot, tree: Tree, legs: HipYawPitchLegs) -> Biped:
    """The arrays of the kernel, after a check that there are two legs and at most their first joints share a motor."""
    if len(robot.legs) != 2:
        raise BadRobot(f"robot '{robot.name}' has {len(robot.legs)} legs; kinematics = \"hip-yaw-pitch\" takes two")
    left, right = robot.legs.values()
    pair = {left.joints[0], right.joints[0]}
    of_legs = set(left.joints) | set(right.joints)
    coupled = False
    for follower, leader in robot.coupled.items():
        if {follower, leader} == pair:
            coupled = True
        elif {follower, leader} & of_legs:
            raise BadRobot(
                f"[coupled]: '{follower}' follows '{leader}', but in a hip-yaw-pitch biped only '{left.joints[0]}' and "
                f"'{right.joints[0]}' may share a motor; use kinematics = \"numeric\""
            )
    lower = sorted(tree.row[name] for name in of_legs)
    upper = [row for row in tree.rows.tolist() if row not in lower]
    return Biped(
        nodes=tree.index,
        links=tree.links,
        upper=np.array(upper, dtype=np.int64),
        lower=np.array(lower, dtype=np.int64),
        legs=legs.numbers,
        columns=np.array([[robot.joint_index[name] for name in leg.joints] for leg in (left, right)], dtype=np.int64),
        coupled=coupled,
    )
