"""One leg in mink: a model of the leg alone, hanging from a fixed base."""

from __future__ import annotations

from time import perf_counter

import mink
import mujoco
import numpy as np

from benchmarks.timing import quiet
from gangart.robots import Robot
from gangart.signals import Array

_GIVE_UP = 100  # solves without convergence
_SOLE = "the sole to place"


class MinkLeg:
    """Poses of a sole, each sought from the resting posture."""

    single = 0.0  # [s] mean time of one solve_ik in the last round
    iterations = 0.0  # solves per pose
    reached = 0.0  # part of the poses that were reached

    def __init__(self, robot: Robot, leg: str, poses: Array, tolerance: float) -> None:
        """Poses (n, 4, 4) of the sole in the base; tolerance in m and rad."""
        model = _leg_alone(robot, leg)
        self._tolerance = tolerance
        self._configuration = mink.Configuration(model)
        self._home = np.zeros(model.nq)
        for name in robot.legs[leg].joints:
            self._home[model.joint(name).qposadr[0]] = robot.home.get(name, 0.0)
        self._task = mink.FrameTask(_SOLE, "site", position_cost=1.0, orientation_cost=1.0)
        self._limits = [mink.ConfigurationLimit(model, gain=1.0)]
        base = np.eye(4)
        base[:3, 3] = model.body(robot.base).pos
        self._targets = [mink.SE3.from_matrix(base @ pose) for pose in poses]

    def converge(self) -> float:
        """Mean time from the resting posture to a pose [s]; `single` is that of one solve on the way."""
        whole = solving = 0.0
        count = reached = 0
        with quiet():
            for target in self._targets:
                self._configuration.update(self._home)
                self._task.set_target(target)
                for _ in range(_GIVE_UP):
                    begin = perf_counter()
                    velocity = self._solve()
                    solved = perf_counter()
                    self._configuration.integrate_inplace(velocity, 1.0)
                    whole += perf_counter() - begin
                    solving += solved - begin
                    count += 1
                    if np.abs(self._task.compute_error(self._configuration)).max() < self._tolerance:
                        reached += 1
                        break
        n = len(self._targets)
        self.single, self.iterations, self.reached = solving / count, count / n, reached / n
        return whole / n

    def _solve(self) -> Array:
        return np.asarray(
            mink.solve_ik(self._configuration, [self._task], dt=1.0, solver="daqp", limits=self._limits, damping=1e-9)
        )


def _leg_alone(robot: Robot, leg: str) -> mujoco.MjModel:
    """The mechanism without its free joint and the other limbs, and a site at the sole."""
    spec = robot.spec()
    base, foot = spec.body(robot.base), spec.body(robot.legs[leg].foot)
    chain = [foot]
    while chain[-1].parent.name != base.name:
        chain.append(chain[-1].parent)
    for limb in list(base.bodies):
        if limb.name != chain[-1].name:
            spec.delete(limb)
    for joint in list(base.joints):
        spec.delete(joint)
    foot.add_site(name=_SOLE, pos=robot.legs[leg].sole)
    return spec.compile()
