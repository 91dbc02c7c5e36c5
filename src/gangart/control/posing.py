"""One tick of kinematics, with the memory that it needs from the tick before."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from gangart.control.ends import legs_at_end
from gangart.errors import choose
from gangart.kinematics import PostureSolver, posture
from gangart.kinematics.closed_form import ClosedFormPosture
from gangart.kinematics.posture_kernel import tick
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
        self._com_in_base: Array | None = None  # as measured, in the present tick
        if isinstance(self.solver, ClosedFormPosture):
            self._state, self._work = self.solver.new_state(), self.solver.new_work()
            self._note = np.zeros(4, dtype=np.int64)

    def __call__(self, com: Array, feet: Array, joints: Array, measured: Array | None) -> Array:
        """Joint angles [rad]. `joints` gives arms and head, `measured` the joint angles that the robot reports."""
        taken = self.adaptation == "measured" and measured is not None
        self._com_in_base = self.solver.com(measured) if taken and measured is not None else None
        if isinstance(self.solver, ClosedFormPosture):
            if self._com_in_base is not None:
                self._state[:3], self._state[3:] = self._com_in_base, 0.0
            q = self._tick(self.solver, com, feet, joints, self._state, self.place)
            status = int(self._note[0])
        else:
            found = self.solver.solve(com, feet, joints, com_in_base=self._com_in_base, on_failure="clamp")
            self.place = np.append(found.base_position, found.base_yaw)
            q, status = found.joints, int(found.status)
        self.status, self.notes = STATUS[status], ()
        if status:
            self.notes = legs_at_end(self.robot, self.solver, feet[None], q[None], self.place[None])
        return q

    def beside(self, com: Array, feet: Array, joints: Array) -> Array:
        """Joint angles [rad] for a target next to the one of this tick, without a trace in memory or status."""
        if isinstance(self.solver, ClosedFormPosture):
            return self._tick(self.solver, com, feet, joints, self._state.copy(), np.empty(4))
        return self.solver.solve(com, feet, joints, com_in_base=self._com_in_base, on_failure="clamp").joints

    def sequence(self, time: Array, com: Array, feet: Array, joints: Array) -> JointTrajectory:
        """A whole motion at once, time along axis 0, with the iterated adaptation."""
        found = self.solver.sequence(com, feet, joints, on_failure="clamp")
        failed = found.status != 0
        self.status, self.notes = STATUS[int(found.status.max(initial=0))], ()
        if failed.any():
            place = np.column_stack([found.base_position, found.base_yaw])[failed]
            self.notes = legs_at_end(self.robot, self.solver, feet[failed], found.joints[failed], place)
        return JointTrajectory(time, found.joints, found.base_position, found.base_yaw)

    def _tick(
        self, solver: ClosedFormPosture, com: Array, feet: Array, joints: Array, state: Array, place: Array
    ) -> Array:
        q = np.empty(len(joints))
        tolerance = solver.tolerance if self._com_in_base is None else np.inf
        tick(solver.model, com, feet, joints, tolerance, state, self._work, q, place, self._note)
        return q
