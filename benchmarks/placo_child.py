"""Runs in the peers' environment, without gangart: answers requests of `benchmarks.peer`, one line of JSON each."""

from __future__ import annotations

import gc
import json
import os
import sys
from time import perf_counter, process_time
from typing import Any

import numpy as np
import placo  # type: ignore[import-not-found]  # it is in the peers' environment only


class Peer:
    """One robot in placo, and what is asked of it."""

    def __init__(self, urdf: str, joints: dict[str, float], coupled: dict[str, str]) -> None:
        self.robot = placo.HumanoidRobot("", placo.Flags.ignore_collisions, urdf)
        self.home, self.coupled = joints, coupled
        self.go_home()

    def go_home(self) -> None:
        """Joints [rad] as they rest, the base in the origin."""
        for name, angle in self.home.items():
            self.robot.set_joint(name, angle)
        self.robot.set_T_world_frame("trunk", np.eye(4))
        self.robot.update_kinematics()

    def plan(self, walk: dict[str, float], steps: int, stride: float, com: list[float]) -> dict[str, Any]:
        """Time of WalkPatternGenerator.plan for a straight walk [s]; footsteps and supports are made before."""
        parameters = placo.HumanoidParameters()
        for name, value in walk.items():
            setattr(parameters, name, value)
        supports = self._supports(parameters, steps, stride)
        generator = placo.WalkPatternGenerator(self.robot, parameters)
        begin = perf_counter()
        self.trajectory = generator.plan(supports, np.array(com), 0.0)
        seconds = perf_counter() - begin
        self.parameters = parameters
        singles = sum(not support.is_both() for support in supports)
        return {"seconds": seconds, "steps": singles, "end": self.trajectory.t_end, "dt": parameters.dt()}

    def angles(self, dt: float) -> dict[str, Any]:
        """Time of the joint angles along the last plan, one WalkTasks update and one solve for each dt [s]."""
        self.go_home()
        solver = placo.KinematicsSolver(self.robot)
        for follower, leader in self.coupled.items():
            solver.add_gear_task().set_gear(follower, leader, 1.0)
        tasks = placo.WalkTasks()
        tasks.initialize_tasks(solver, self.robot)
        left = self.trajectory.get_T_world_left(0.0)
        tasks.reach_initial_pose(left, self.parameters.feet_spacing, self.parameters.walk_com_height, 0.0)
        times = dt * np.arange(round(self.trajectory.t_end / dt) + 1)
        off = 0.0
        seconds = 0.0
        for t in times:
            begin = perf_counter()
            tasks.update_tasks_from_trajectory(self.trajectory, float(t))
            self.robot.update_kinematics()
            solver.solve(True)
            seconds += perf_counter() - begin
            if t == times[-1] or round(t / dt) % 10 == 0:  # looking costs time, which is not counted
                self.robot.update_kinematics()
                off = max(off, *(float(np.abs(error).max()) for error in _errors(tasks)))
        return {"seconds": seconds, "off": off}

    def leg(self, joints: list[str], poses: list[list[list[float]]], tolerance: float) -> dict[str, Any]:
        """Mean times [s] of one solve and of the way to the tolerance, for the left sole at poses in the base.

        All other joints than the leg's are masked, which makes the solver faster.
        """
        self.go_home()
        solver = placo.KinematicsSolver(self.robot)
        solver.mask_fbase(True)
        for name in set(self.home) - set(joints):
            solver.mask_dof(name)
        task = solver.add_frame_task("left_foot", np.eye(4))
        task.configure("left_foot", "soft", 1.0, 1.0)
        single, whole, iterations, reached = 0.0, 0.0, 0, 0
        for pose in poses:
            self.go_home()
            task.T_world_frame = np.array(pose)
            for _ in range(100):
                begin = perf_counter()
                solver.solve(True)
                solved = perf_counter()
                self.robot.update_kinematics()
                whole += perf_counter() - begin
                single += solved - begin
                iterations += 1
                error = max(np.abs(task.position().error()).max(), np.abs(task.orientation().error()).max())
                if error < tolerance:
                    reached += 1
                    break
        n = len(poses)
        return {
            "solve": single / iterations,
            "converge": whole / n,
            "iterations": iterations / n,
            "reached": reached / n,
        }

    def goals(self, walk: dict[str, float], goals: list[list[float]]) -> dict[str, Any]:
        """Times [s] and numbers of steps of FootstepsPlannerNaive from standing to goals x, y [m], yaw [rad]."""
        parameters = placo.HumanoidParameters()
        for name, value in walk.items():
            setattr(parameters, name, value)
        half = parameters.feet_spacing / 2.0
        start = [_pose(0.0, 0.0, 0.0, side * half) for side in (1.0, -1.0)]
        seconds, steps = [], []
        for goal in goals:
            planner = placo.FootstepsPlannerNaive(parameters)
            planner.configure(*(_pose(*goal, side * half) for side in (1.0, -1.0)))
            begin = process_time()
            found = planner.plan(placo.HumanoidRobot_Side.left, *start)
            seconds.append(process_time() - begin)
            steps.append(len(found) - 2)  # without the feet at the start
        return {"seconds": seconds, "steps": steps}

    def _supports(self, parameters: Any, steps: int, stride: float) -> Any:
        planner = placo.FootstepsPlannerRepetitive(parameters)
        planner.configure(stride, 0.0, 0.0, steps)
        left, right = np.eye(4), np.eye(4)
        left[1, 3], right[1, 3] = parameters.feet_spacing / 2.0, -parameters.feet_spacing / 2.0
        footsteps = planner.plan(placo.HumanoidRobot_Side.left, left, right)
        make = placo.FootstepsPlanner.make_supports
        return make(footsteps, 0.0, True, parameters.has_double_support(), True)


def _pose(x: float, y: float, yaw: float, left: float) -> Any:
    """A foot that stands to the left of a pose on the ground [m], [rad]."""
    T, c, s = np.eye(4), np.cos(yaw), np.sin(yaw)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:2, 3] = x - s * left, y + c * left
    return T


def _errors(tasks: Any) -> list[Any]:
    feet = [tasks.left_foot_task, tasks.right_foot_task]
    ends = [part.error() for foot in feet for part in (foot.position(), foot.orientation())]
    return [*ends, tasks.com_task.error(), tasks.trunk_orientation_task.error()]


def main() -> None:
    """Answer until the requests end."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the library prints must not get between the answers
    gc.disable()
    peer = Peer(**json.loads(sys.stdin.readline()))
    print("{}", file=answers)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(peer, request.pop("do"))(**request)), file=answers)
        gc.collect()


if __name__ == "__main__":
    main()
