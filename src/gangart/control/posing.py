"""One tick of kinematics, with the memory that it needs from the tick before."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from gangart.control.ends import legs_at_end
from gangart.errors import choose
from gangart.kinematics import PostureSolver, posture
from gangart.kinematics.closed_form import ClosedFormPosture
from gangart.kinematics.posture_kernel import pair
from gangart.robots import Robot
from gangart.signals import Array, JointTrajectory

Adaptation = Literal["iterated", "measured"]
STATUS = ("exact", "out of reach", "joint limit", "not converged")


class Poser:
    """Joint angles that put the feet and the centre of mass where the pattern wants them, tick after tick.

    The centre of mass moves in the body with the posture (Urbann 2.4.3): it is "iterated" to convergence after Strom,
    or taken from the last "measured" angles in a single pass, as the original does. A target that the legs cannot take
    is clamped; `status` and `notes` say so.
    """

    robot: Robot
    solver: PostureSolver
    place: Array  # (4,) base x, y, z [m], yaw [rad]
    status: str  # one of STATUS
    notes: tuple[str, ...]  # which leg and joint is at its end

    def __init__(self, robot: Robot, adaptation: Adaptation) -> None:
        self.robot = robot
        self.adaptation = choose("centre-of-mass adaptation", adaptation, get_args(Adaptation))
        self.solver = posture(robot)
        self.place = np.zeros(4)
        self.reset()

    def reset(self) -> None:
        """Forget the tick before."""
        self.status, self.notes = STATUS[0], ()
        if isinstance(self.solver, ClosedFormPosture):
            self._state = np.stack([self.solver.new_state()] * 2)  # of the tick, and of what follows at once
            self._work, self._places = self.solver.new_work(), np.zeros((2, 4))
            self._note = np.zeros((2, 4), dtype=np.int64)

    def __call__(self, com: Array, feet: Array, joints: Array, measured: Array | None, instant: float) -> Array:
        """Joint angles [rad] and speeds [rad/s] for a tick's end, (2, n_joints).

        Args:
            com: of the tick's end and an instant later, (2, 3) [m].
            feet: (2, n_legs, 4) x, y, z [m], yaw [rad].
            joints: (2, n_joints) [rad], of which arms and head are taken.
            measured: the joint angles that the robot reports, (n_joints,) [rad].
            instant: time between both [s].

        Status and notes are those of the tick's end.
        """
        taken = self.adaptation == "measured" and measured is not None
        com_in_base = self.solver.com(measured) if taken and measured is not None else None
        if isinstance(self.solver, ClosedFormPosture):
            q, status = self._closed_form(self.solver, com, feet, joints, com_in_base, instant), int(self._note[0, 0])
        else:
            q, status = self._numeric(self.solver, com, feet, joints, com_in_base, instant)
        self.status, self.notes = STATUS[status], ()
        if status:
            self.notes = legs_at_end(self.robot, self.solver, feet[:1], q[:1], self.place[None])
        return q

    def _closed_form(
        self,
        solver: ClosedFormPosture,
        com: Array,
        feet: Array,
        joints: Array,
        com_in_base: Array | None,
        instant: float,
    ) -> Array:
        q, tolerance = np.empty_like(joints), solver.tolerance
        if com_in_base is not None:
            self._state[0, :3], self._state[0, 3:], tolerance = com_in_base, 0.0, np.inf
        pair(solver.model, com, feet, joints, tolerance, self._state, self._work, instant, q, self._places, self._note)
        self.place = self._places[0]
        return q

    def _numeric(
        self, solver: PostureSolver, com: Array, feet: Array, joints: Array, com_in_base: Array | None, instant: float
    ) -> tuple[Array, int]:
        now = solver.solve(com[0], feet[0], joints[0], com_in_base=com_in_base, on_failure="clamp")
        self.place = np.append(now.base_position, now.base_yaw)
        near = now.joints + (joints[1] - joints[0])  # legs as they are now
        later = solver.solve(com[1], feet[1], near, com_in_base=com_in_base, on_failure="clamp")
        return np.stack([now.joints, (later.joints - now.joints) / instant]), int(now.status)

    def sequence(self, time: Array, com: Array, feet: Array, joints: Array) -> JointTrajectory:
        """A whole motion at once, time along axis 0, with the iterated adaptation."""
        found = self.solver.sequence(com, feet, joints, on_failure="clamp")
        failed = found.status != 0
        self.status, self.notes = STATUS[int(found.status.max(initial=0))], ()
        if failed.any():
            place = np.column_stack([found.base_position, found.base_yaw])[failed]
            self.notes = legs_at_end(self.robot, self.solver, feet[failed], found.joints[failed], place)
        return JointTrajectory(time, found.joints, found.base_position, found.base_yaw)
