"""One tick of kinematics, with the memory that it needs from the tick before."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from gangart.errors import choose
from gangart.kinematics.posture import posture
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
    is clamped, and `status` says so.
    """

    def __init__(self, robot: Robot, adaptation: Adaptation) -> None:
        self.robot = robot
        self.adaptation = choose("centre-of-mass adaptation", adaptation, get_args(Adaptation))
        self.solver = posture(robot)
        self.place = np.zeros(4)  # base x, y, z [m], yaw [rad]
        self.reset()

    def reset(self) -> None:
        """Forget the tick before."""
        self.status = STATUS[0]
        if isinstance(self.solver, ClosedFormPosture):
            self._state, self._work = self.solver.new_state(), self.solver.new_work()
            self._note = np.zeros(4, dtype=np.int64)

    def __call__(self, com: Array, feet: Array, joints: Array, measured: Array | None) -> Array:
        """Joint angles [rad]. `joints` gives arms and head, `measured` the joint angles that the robot reports."""
        c = self.solver.com(measured) if self.adaptation == "measured" and measured is not None else None
        if not isinstance(self.solver, ClosedFormPosture):
            found = self.solver.solve(com, feet, joints, com_in_base=c, on_failure="clamp")
            self.place = np.append(found.base_position, found.base_yaw)
            self.status = STATUS[int(found.status)]
            return found.joints
        tolerance = self.solver.tolerance
        if c is not None:
            self._state[:3], self._state[3:], tolerance = c, 0.0, np.inf
        q = np.empty(len(joints))
        tick(self.solver.model, com, feet, joints, tolerance, self._state, self._work, q, self.place, self._note)
        self.status = STATUS[self._note[0]]
        return q

    def beside(self, com: Array, feet: Array, joints: Array) -> Array:
        """Joint angles for a neighbouring target, without a trace in the memory or the status."""
        if not isinstance(self.solver, ClosedFormPosture):
            return self.solver.solve(com, feet, joints, on_failure="clamp").joints
        q, state = np.empty(len(joints)), self._state.copy()
        tolerance = self.solver.tolerance if self.adaptation == "iterated" else np.inf
        tick(self.solver.model, com, feet, joints, tolerance, state, self._work, q, np.empty(4), self._note.copy())
        return q

    def sequence(self, time: Array, com: Array, feet: Array, joints: Array) -> JointTrajectory:
        """A whole motion at once, time along axis 0, with the iterated adaptation."""
        found = self.solver.sequence(com, feet, joints, on_failure="clamp")
        worst = int(found.status.max(initial=0))
        self.status = STATUS[worst]
        return JointTrajectory(time, found.joints, found.base_position, found.base_yaw)
