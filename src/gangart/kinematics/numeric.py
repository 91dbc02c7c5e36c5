"""Postures of any robot made of hinges: the same interface as the closed form, solved with mink.

Flat soles (an outline with an area) keep position and orientation, ball feet their position only; then the base
takes the mean yaw of the feet. What stays free is drawn to the given joints, ever more weakly, so that it costs no
accuracy in the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gangart.errors import BadValue, Unreachable
from gangart.kinematics.mink_problem import Problem, is_flat, turn_z
from gangart.kinematics.posture import OnFailure, Posture, check_targets
from gangart.kinematics.tree import Tree
from gangart.robots import Robot
from gangart.signals import Array

_ITERATIONS = 100  # steps from one start
_PATIENCE = 15  # steps without progress after which a start is given up
_STEP = 0.4  # [rad] farthest that a joint goes in one step: the linearisation holds that far
_AT_LIMIT = 1e-4  # [rad] a joint this near to its limit is what holds a leg back


@dataclass(frozen=True)
class _Found:
    """Where a search ended."""

    q: Array  # (n_joints,) [rad]
    base: Array  # (4,) x, y, z [m] and yaw [rad]
    errors: dict[str, float]  # what is off, [m] or [rad]
    iterations: int

    @property
    def worst(self) -> float:
        return max(self.errors.values())


class NumericPosture:
    """Feet and centre of mass to `tolerance` for robots without a closed form; milliseconds instead of microseconds."""

    robot: Robot
    tree: Tree

    def __init__(self, robot: Robot, tolerance: float = 1e-7) -> None:
        """Tolerance [m] and [rad] of feet, centre of mass and base. Raises BadRobot if it is not a tree of hinges."""
        if not 1e-9 <= tolerance < math.inf:
            raise BadValue(f"tolerance is {tolerance!r}; the numeric solver takes 1e-9 (m and rad) and more")
        self.robot = robot
        self.tolerance = tolerance
        self.tree = Tree(robot)
        self._problem = Problem(robot)

    def solve(
        self,
        com: Array,
        feet: Array,
        joints: Array,
        *,
        com_in_base: Array | None = None,
        on_failure: OnFailure = "raise",
    ) -> Posture:
        """See PostureSolver.solve; with on_failure="clamp" a failed posture is the nearest one found."""
        return self._run(com, feet, joints, com_in_base, on_failure, warm=False)

    def sequence(self, com: Array, feet: Array, joints: Array, *, on_failure: OnFailure = "raise") -> Posture:
        """See PostureSolver.sequence."""
        return self._run(com, feet, joints, None, on_failure, warm=True)

    def com(self, joints: Array) -> Array:
        """Centre of mass in the base's frame [m]: (..., n_joints) [rad] to (..., 3)."""
        return self.tree.com(joints)

    def feet(self, joints: Array) -> Array:
        """Soles in the base's frame, (..., n_legs, 4, 4)."""
        return self.tree.feet(joints)

    def _run(
        self, com: Array, feet: Array, joints: Array, c: Array | None, on_failure: OnFailure, warm: bool
    ) -> Posture:
        targets = check_targets(self.robot, com, feet, joints, c, on_failure)
        if warm and len(targets.shape) != 1:
            raise BadValue(f"a sequence has one leading axis, time, but the targets have {targets.shape}; use solve")
        n = len(targets.com)
        q, base = np.empty_like(targets.joints), np.empty((n, 4))
        status, iterations = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for i in range(n):
            start = targets.joints[i].copy()
            if warm and i > 0:
                start[self._problem.columns] = q[i - 1, self._problem.columns]
            given = None if targets.com_in_base is None else targets.com_in_base[i]
            found = self._one(targets.com[i], targets.feet[i], start, given)
            q[i], base[i], iterations[i] = found.q, found.base, found.iterations
            status[i], reason = self._judge(found, targets.feet[i])
            if status[i] and on_failure == "raise":
                where = ", ".join(str(int(k)) for k in np.unravel_index(i, targets.shape))
                raise Unreachable(f"{reason} (at index {where})" if where else reason)
        s = targets.shape
        return Posture(
            q.reshape(s + q.shape[1:]),
            base[:, :3].reshape((*s, 3)),
            base[:, 3].reshape(s),
            status.reshape(s),
            iterations.reshape(s),
        )

    def _one(self, com: Array, feet: Array, start: Array, com_in_base: Array | None) -> _Found:
        """The first start that leads to the target, else the nearest end of them all."""
        best: _Found | None = None
        used = 0
        for legs in (start, self.robot.home_position, self._problem.middle):
            q = start.copy()
            q[self._problem.columns] = legs[self._problem.columns]
            found = self._search(com, feet, q, com_in_base)
            used += found.iterations
            if best is None or found.worst < best.worst:
                best = found
            if best.worst <= self.tolerance:
                break
        assert best is not None  # the loop ran
        return _Found(best.q, best.base, best.errors, used)

    def _search(self, com: Array, feet: Array, start: Array, com_in_base: Array | None) -> _Found:
        """Gauss-Newton steps with joint limits, from one start."""
        problem = self._problem
        c = self.tree.com(start) if com_in_base is None else com_in_base
        problem.begin(com, feet, start, c, com_in_base)
        best, best_at = math.inf, 0
        kept: tuple[Array, Array, dict[str, float]] = (*problem.pose(), problem.errors())
        count = 0
        while count < _ITERATIONS:
            errors = problem.errors()
            worst = max(errors.values())
            if worst < best:
                kept = (*problem.pose(), errors)
                if worst < 0.999 * best:
                    best_at = count
                best = worst
            if worst <= self.tolerance or count - best_at > _PATIENCE:
                break
            if not problem.step(count, _STEP):
                break
            count += 1
        return _Found(*kept, iterations=count)

    def _judge(self, found: _Found, feet: Array) -> tuple[int, str]:
        """Status and sentence: which leg is off, by how much, and which of its joints holds it back."""
        if found.worst <= self.tolerance:
            return 0, ""
        off = {leg: found.errors[leg] for leg in self.robot.legs}
        leg = max(off, key=lambda name: off[name])
        what = max(found.errors, key=lambda name: found.errors[name])
        limits = self.robot.joint_limits
        held = [
            name
            for name in self.robot.legs[leg].joints
            if np.abs(limits[(i := self.robot.joint_index[name])] - found.q[i]).min() < _AT_LIMIT
        ]
        distance = f"leg '{leg}': the sole stays {self._miss(leg, found, feet)} from its target"
        if off[leg] <= self.tolerance:
            return 3, f"the {what} stays {found.worst:.3g} m or rad from its target, with all soles at theirs"
        if held:
            limit = math.degrees(found.q[self.robot.joint_index[held[0]]])
            return 2, f"{distance} with joint '{held[0]}' at its limit of {limit:.1f}°; move the body or the foot"
        return 1, f"{distance}, with no joint at a limit: it is out of reach; move the body or the foot"

    def _miss(self, leg: str, found: _Found, feet: Array) -> str:
        """How far a sole of the found posture is from its target, in words."""
        i = list(self.robot.legs).index(leg)
        pose = self.tree.feet(found.q)[i]
        place = np.linalg.norm(found.base[:3] + turn_z(found.base[3]) @ pose[:3, 3] - feet[i, :3])
        if not is_flat(self.robot.legs[leg]):
            return f"{place * 1e3:.1f} mm"
        off = turn_z(found.base[3] - feet[i, 3]) @ pose[:3, :3]
        angle = math.acos(min(max((np.trace(off) - 1.0) / 2.0, -1.0), 1.0))
        return f"{place * 1e3:.1f} mm and {math.degrees(angle):.1f}°"
