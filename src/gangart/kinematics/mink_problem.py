"""Feet, centre of mass, upright base and couplings as mink tasks over one private copy of the model."""

from __future__ import annotations

import math
from typing import Any

import mink
import mujoco
import numpy as np
from mink.exceptions import NoSolutionFound

from gangart.robots import Leg, Robot
from gangart.signals import Array, Ints

_SOLVER = "daqp"
_FIRM = 10.0  # cost of what has to hold even if a foot cannot be reached
_DAMPING = 1.0  # of steps towards feet that are far; it vanishes with the error
_DRAW, _FADE, _FAINT = 1e-2, 0.3, 1e-5  # cost of the drawn posture: at first, per step, at last


class _ComTask(mink.ComTask):
    """mink takes the centre of mass of body 1; ours is that of the robot's base, wherever it stands."""

    def __init__(self, base: int, cost: float) -> None:
        super().__init__(cost=cost)
        self._base = base

    def compute_error(self, configuration: mink.Configuration) -> Array:
        return np.asarray(configuration.data.subtree_com[self._base] - self.target_com)

    def compute_jacobian(self, configuration: mink.Configuration) -> Array:
        jacobian = np.empty((3, configuration.nv))
        mujoco.mj_jacSubtreeCom(configuration.model, configuration.data, jacobian, self._base)
        return jacobian


def is_flat(leg: Leg) -> bool:
    """Whether a leg has a sole that keeps its orientation on the ground."""
    return len(leg.outline) > 2


class Problem:
    """One inverse kinematics problem, set up once and begun anew for each target."""

    columns: Ints  # joints of the legs in an array over joints
    middle: Array  # (n_joints,) [rad] home position with the legs in the middle of their range

    def __init__(self, robot: Robot) -> None:
        """Copy the model and set up the tasks; the robot is a tree of hinges (see Tree)."""
        self.robot = robot
        legs = robot.legs.values()
        self.columns = np.array([robot.joint_index[name] for leg in legs for name in leg.joints], dtype=np.int64)
        self.middle = self._middle()
        self._model = self._compile()
        self._base = self._model.body(robot.base).id
        self._qpos = np.array([self._model.joint(name).qposadr[0] for name in robot.joints])
        self._free = int(self._model.jnt_qposadr[self._model.body_jntadr[self._base]])
        self._configuration = mink.Configuration(self._model)
        self._turned = any(is_flat(leg) for leg in legs)  # the feet decide about the yaw
        self._feet = {
            leg.name: mink.FrameTask(_site(leg), "site", 1.0, float(is_flat(leg)), lm_damping=_DAMPING) for leg in legs
        }
        self._com = _ComTask(self._base, _FIRM)
        self._upright = mink.FrameTask(robot.base, "body", 0.0, [_FIRM, _FIRM, 0.0 if self._turned else _FIRM])
        self._yaw = mink.FrameTask(robot.base, "body", 0.0, [0.0, 0.0, _DRAW])
        self._posture = mink.PostureTask(self._model, _DRAW)
        self._couplings = [mink.EqualityConstraintTask(self._model, _FIRM)] if self._model.neq else []
        self._frozen = self._freeze()
        self._limits = [mink.ConfigurationLimit(self._model, gain=1.0)]

    def begin(self, com: Array, feet: Array, start: Array, c: Array, com_in_base: Array | None) -> None:
        """Set the targets and stand upright between the feet, the centre of mass (c in the base) where it should be."""
        self._mean = math.atan2(np.sin(feet[:, 3]).mean(), np.cos(feet[:, 3]).mean())
        # the mean may be a turn away from the feet: stay with the first one
        self._mean += 2.0 * math.pi * round((feet[0, 3] - self._mean) / (2.0 * math.pi))
        self._target_com, self._target_feet, self._given = com, feet, com_in_base
        q = self._configuration.q
        legs = self.columns
        limits = self.robot.joint_limits[legs]
        angles = start.copy()
        angles[legs] = np.clip(angles[legs], limits[:, 0], limits[:, 1])
        q[self._qpos] = angles
        q[self._free : self._free + 3] = com - turn_z(self._mean) @ c
        q[self._free + 3 : self._free + 7] = math.cos(self._mean / 2), 0.0, 0.0, math.sin(self._mean / 2)
        self._configuration.update(q)
        self._com.set_target(com)
        self._com.set_cost(_FIRM if com_in_base is None else 0.0)
        self._upright.set_position_cost(0.0 if com_in_base is None else _FIRM)
        self._posture.set_target(q)
        self._yaw.set_target(_pose(np.zeros(3), turn_z(self._mean)))
        self._aim()

    def step(self, count: int, longest: float) -> bool:
        """One Gauss-Newton step of at most `longest` [rad]; False where the quadratic program has no solution."""
        draw = max(_DRAW * _FADE**count, _FAINT)
        self._posture.set_cost(draw)
        self._yaw.set_orientation_cost([0.0, 0.0, draw])
        tasks = [*self._feet.values(), self._com, self._upright, self._yaw, self._posture, *self._couplings]
        try:
            velocity = mink.solve_ik(
                self._configuration,
                tasks,
                dt=1.0,
                solver=_SOLVER,
                limits=self._limits,
                constraints=self._frozen,
                primal_tol=1e-11,
            )
        except NoSolutionFound:
            return False
        turned = float(np.abs(velocity[3:]).max())
        self._configuration.integrate_inplace(velocity * min(1.0, longest / max(turned, 1e-12)), 1.0)
        self._aim()
        return True

    def errors(self) -> dict[str, float]:
        """Largest error of each leg by name, and of the rest, in m and rad."""
        found: dict[str, float] = {}
        for leg in self.robot.legs.values():
            found[leg.name] = _largest(self._feet[leg.name], self._configuration)
        if self._given is None:
            found["centre of mass"] = _largest(self._com, self._configuration)
        found["base"] = _largest(self._upright, self._configuration)
        for task in self._couplings:
            found["coupling of joints"] = float(np.abs(task.compute_error(self._configuration)).max(initial=0.0))
        return found

    def pose(self) -> tuple[Array, Array]:
        """Joint angles [rad], and base x, y, z [m] and yaw [rad]."""
        q = self._configuration.q
        limits, legs = self.robot.joint_limits, self.columns
        angles = q[self._qpos]
        angles[legs] = np.clip(angles[legs], limits[legs, 0], limits[legs, 1])  # the solver's rounding
        return angles, np.array([*q[self._free : self._free + 3], self._yaw_now()])

    def _yaw_now(self) -> float:
        rotation = self._configuration.data.xmat[self._base].reshape(3, 3)
        off = math.atan2(rotation[1, 0], rotation[0, 0]) - self._mean
        return self._mean + math.remainder(off, 2.0 * math.pi)

    def _aim(self) -> None:
        """Renew the targets that depend on where the robot is: the upright base, and ball feet as they are turned."""
        yaw = self._yaw_now() if self._turned else self._mean
        place = np.zeros(3) if self._given is None else self._target_com - turn_z(yaw) @ self._given
        self._upright.set_target(_pose(place, turn_z(yaw)))
        for leg, foot in zip(self.robot.legs.values(), self._target_feet, strict=True):
            site = self._configuration.data.site(_site(leg))
            rotation = turn_z(foot[3]) if is_flat(leg) else site.xmat.reshape(3, 3)
            self._feet[leg.name].set_target(_pose(foot[:3], rotation))

    def _compile(self) -> Any:
        """The robot's model with a site at each sole, its couplings, and limits on the joints of the legs only."""
        spec = self.robot.spec()
        for leg in self.robot.legs.values():
            spec.body(leg.foot).add_site(name=_site(leg), pos=leg.sole)
        joint = mujoco.mjtEq.mjEQ_JOINT
        there = {frozenset((e.name1, e.name2)) for e in spec.equalities if e.type == joint}
        for follower, leader in self.robot.coupled.items():
            if frozenset((follower, leader)) not in there:
                line = np.zeros(11)
                line[1] = 1.0
                kind = mujoco.mjtObj.mjOBJ_JOINT
                spec.add_equality(type=joint, name1=follower, name2=leader, objtype=kind, data=line)
        model = spec.compile()
        legs = {self.robot.joints[i] for i in self.columns}
        for name in self.robot.joints:
            if name not in legs:  # arms and head are given, and stay as given
                model.jnt_limited[model.joint(name).id] = 0
        return model

    def _freeze(self) -> list[Any]:
        legs = set(self.columns.tolist())
        others = [name for i, name in enumerate(self.robot.joints) if i not in legs]
        dofs = [int(self._model.joint(name).dofadr[0]) for name in others]
        return [mink.DofFreezingTask(self._model, dofs)] if dofs else []

    def _middle(self) -> Array:
        middle = self.robot.home_position.copy()
        limits = self.robot.joint_limits[self.columns]
        bounded = np.isfinite(limits).all(axis=1)
        middle[self.columns[bounded]] = limits[bounded].mean(axis=1)
        return middle


def _site(leg: Leg) -> str:
    return f"gangart sole of {leg.name}"


def turn_z(yaw: float) -> Array:
    """Rotation about z by an angle [rad]."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _pose(position: Array, rotation: Array) -> mink.SE3:
    return mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(rotation), position)


def _largest(task: Any, configuration: mink.Configuration) -> float:
    """The largest component of a task's error that counts."""
    return float(np.abs(task.compute_error(configuration))[task.cost > 0].max(initial=0.0))
