"""What stands between a plan of feet and the motors (Bahr 7.4): kinematics, what legs may do, and what motors give way.

Whoever plans speaks of feet on the ground and of the pose of the body; whoever drives gets joint targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.control import cyclic_kernel
from gangart.control import stance_kernel as kernel
from gangart.control.bearing import Bearing
from gangart.control.masses import com_at_home, leg_masses, rest
from gangart.errors import BadRobot, BadValue, Unreachable
from gangart.kinematics import AbductionLegs, Workspace
from gangart.robots import Robot
from gangart.signals import Array, Bools

_NO_POINT = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Stance:
    """Feet on the floor and the body above them, in a ground frame: z = 0 is the floor."""

    feet: Array  # (n_legs, 2) [m] x, y of the balls
    pose: Array  # (6,) x, y, z [m], roll, pitch, yaw [rad] of the base

    def __post_init__(self) -> None:
        feet, pose = np.array(self.feet, dtype=np.float64), np.array(self.pose, dtype=np.float64)
        if feet.ndim != 2 or feet.shape[1] != 2 or pose.shape != (6,):
            raise BadValue(
                f"stance has feet of shape {feet.shape} and a pose of shape {pose.shape}; "
                "they have to be (n_legs, 2) and (6,)"
            )
        if not (np.isfinite(feet).all() and np.isfinite(pose).all()):
            raise BadValue("stance has feet or a pose that are not finite")
        object.__setattr__(self, "feet", feet)
        object.__setattr__(self, "pose", pose)


class LegControl:
    """The legs of one robot, for plans of feet on the ground and of the body above them."""

    def __init__(self, robot: Robot, *, bearing: bool = True) -> None:
        """Raises BadRobot for a robot without four closed-form legs; `bearing` as for `CyclicEngine`."""
        if robot.leg_kinematics != "abduction" or len(robot.legs) != 4:
            raise BadRobot(f'this needs four legs with kinematics = "abduction"; {robot.name} has others')
        self.robot = robot
        self.legs = AbductionLegs(robot)
        self.workspace = Workspace(robot, self.legs)
        self.bearing = Bearing(robot, self.legs) if bearing and robot.drive is not None else None
        self.radius = np.array([leg.radius for leg in robot.legs.values()])
        self.masses, self.centres = leg_masses(robot)
        self._home_com = com_at_home(robot)
        self.rest = rest(robot)
        self.rest[1:] *= self.rest[0]  # as `stance_kernel.centre` wants it: mass [kg], and mass times its centre

    def home(self, height: float, spread: float = 0.0) -> Stance:
        """Feet below the hips as in the resting posture, but `spread` [m] farther out, the base at a height [m]."""
        feet = self.legs.all_forward(self.robot.home_position)[:, :2]
        feet[:, 1] += np.copysign(spread, feet[:, 1])
        return Stance(feet, np.array([0.0, 0.0, height, 0.0, 0.0, 0.0]))

    def anchors(self, stance: Stance) -> Array:
        """Where balls stand when their shanks are upright (n_legs, 2) [m]; raises Unreachable."""
        q = self.angles_of(stance)
        roll, out = np.empty(2), stance.feet.copy()
        for i in range(len(out)):
            kernel.rolled(q[i], stance.pose, self.radius[i], roll)
            out[i] -= roll
        return out

    def angles_of(self, stance: Stance) -> Array:
        """Of each leg (n_legs, 3) [rad]; raises Unreachable with the leg that does not reach, and why."""
        points = self.in_base(np.column_stack([stance.feet, self.radius]), stance.pose)
        for name, point in zip(self.robot.legs, points, strict=True):
            why = self.workspace.why_not(name, point)
            if why:
                raise Unreachable(f"leg '{name}' cannot stand at {_mm(point)} beside the base: {why}")
        q, _ = self.legs.all_inverse(points)
        return np.asarray(q[self.legs.columns])

    def in_base(self, feet: Array, pose: Array) -> Array:
        """Feet of the ground frame (n_legs, 3) [m] as the base sees them."""
        out = np.empty_like(feet)
        cyclic_kernel.in_base(feet, pose, out)
        return out

    def posture(self, anchors: Array, pose: Array, swing: int = -1, point: Array = _NO_POINT) -> tuple[Array, Array]:
        """Feet (n_legs, 3) [m] and angles (n_legs, 3) [rad]; raises Unreachable. See `stance_kernel.stand`."""
        feet, q = np.empty((2, len(anchors), 3))
        bad = kernel.stand(anchors, pose, swing, point, self.legs.numbers, self.radius, feet, q)
        if bad >= 0:
            raise Unreachable(f"leg '{list(self.robot.legs)[bad]}' does not reach its foot")
        return feet, q

    def com(self, q: Array, pose: Array) -> Array:
        """Centre of mass in the ground frame (3,) [m] for angles of the legs (n_legs, 3) [rad]."""
        out = np.empty(3)
        kernel.centre(q, pose, self.legs.numbers, self.masses, self.centres, self.rest, out)
        return out

    def margin(self, stance: Stance, stands: Bools | None = None) -> float:
        """How far the centre of mass lies inside the polygon of the feet that stand [m]."""
        p = self.com(self.angles_of(stance), stance.pose)
        stands = np.ones(len(stance.feet), dtype=bool) if stands is None else stands
        return float(kernel.inside(stance.feet, stands, p[0], p[1]))

    def joints(self, q: Array) -> Array:
        """Angles of the legs (n_legs, 3) as those of all joints (n_joints,) [rad]."""
        out = self.robot.home_position.copy()
        out[self.legs.columns] = q
        return out

    def asked(
        self,
        q: Array,
        feet: Array,
        pose: Array,
        pressed: Array,
        *,
        load: float = 1.0,
        swing: int = -1,
        free: float = 0.0,
    ) -> Array:
        """What to ask the motors for (n_joints,) [rad], so that the legs get their angles.

        Args:
            q: angles of the legs (n_legs, 3) [rad].
            feet: in the ground frame (n_legs, 3) [m].
            pose: of the base (6,).
            pressed: where the robot presses on the ground (2,) [m], in the ground frame.
            load: part of the weight that the legs bear.
            swing: a leg that swings, or is about to, or did; -1: none.
            free: part of its load that the others have.
        """
        joints = self.joints(q)
        if self.bearing is None or load == 0.0:
            return joints
        c, s = np.cos(pose[5]), np.sin(pose[5])
        x, y = pressed[0] - pose[0], pressed[1] - pose[1]
        away = np.array([c * x + s * y, c * y - s * x]) - self._home_com[:2]
        points, shares = self.in_base(feet, pose), np.ones(len(q))
        given = np.zeros(len(joints))
        if free < 1.0:
            given += (1.0 - free) * self.bearing.given_way(joints, points, shares, away)
        if free > 0.0:
            shares[swing] = 0.0
            given += free * self.bearing.given_way(joints, points, shares, away)
        return joints + load * given


def _mm(point: Array) -> str:
    return "(" + ", ".join(f"{v * 1e3 + 0.0:.0f}" for v in point) + ") mm"
