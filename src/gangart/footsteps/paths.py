"""Planners that walk off a body path: unicycle controllers, a spline, and turn, walk, turn (Zellhöfer 2.2, 2.3, 4)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gangart.compiled import kernel
from gangart.footsteps.families import direct
from gangart.footsteps.finish import finish
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import Task
from gangart.footsteps.tracking import track
from gangart.footsteps.unicycle import AICARDI, INDIVERI, follow
from gangart.footsteps.ways import PACE_BACKWARD, PACE_FORWARD, PACE_TURN, TURN_INWARD, way
from gangart.signals import Array

_AHEAD, _TURN = 0.008, 0.03  # [m], [rad] between two poses of a path
_POSES = 20_000  # of a path at most
_BESIDE = 4.0  # [steps] from the goal, in all directions at once
_STRETCHES = (0.35, 0.6, 1.0, 1.6)  # length of a Bézier curve's handles over the distance of its ends


def aicardi(task: Task) -> StepPlan:
    """A unicycle under the law of Aicardi and others, which may drive back (5)."""
    return _unicycle(task, "aicardi", AICARDI)


def indiveri(task: Task) -> StepPlan:
    """A unicycle under the law of Indiveri, which only drives ahead (4); it turns in place if the goal lies behind."""
    return _unicycle(task, "indiveri", INDIVERI)


def spline(task: Task) -> StepPlan:
    """The cubic Bézier curve, ahead or back, with the handles that cost least (Zellhöfer 2.2)."""
    return _walk_off(task, "spline", lambda start: best_bezier(start, task.goal, task.most))


def turn_walk_turn(task: Task) -> StepPlan:
    """Turn until the goal lies ahead, walk there, turn as wanted (Zellhöfer 4)."""
    return _walk_off(task, "turn-walk-turn", lambda start: straight_path(start, task.goal))


def _unicycle(task: Task, name: str, law: int) -> StepPlan:
    def path(start: Array) -> Array:
        poses = np.empty((_POSES, 3))
        n = follow(law, start, task.goal, _AHEAD, _TURN, poses, 0.0)
        return poses[:n]

    return _walk_off(task, name, path)


def _walk_off(task: Task, name: str, make: Callable[[Array], Array]) -> StepPlan:
    middle = _middle(task)
    poses = np.vstack([make(middle), task.goal])
    poses[:, 2] = np.unwrap(poses[:, 2])

    def walker(body: Array, side: float, ways: Array, steps: Array) -> int:
        if task.state.next_foot is not None and _beside(body, task):
            return int(finish(body, task.goal, side, ways, task.most, steps, 0, len(steps)))
        return int(track(poses, task.goal, body, side, ways, task.most, steps))

    return task.walked(name, walker, poses)


def _beside(body: Array, task: Task) -> bool:
    """Whether the goal is so near that a walk under way goes straight at it: a path would drive around it once more."""
    rest = np.empty(3)
    way(body, task.goal, rest)
    return bool(direct(rest, task.most) < _BESIDE)


def _middle(task: Task) -> Array:
    """Where the path begins: the body frame of the foot that stands first, or between both feet."""
    if task.state.next_foot is not None:
        return task.state.body(1 - task.state.next_foot, task.limits.spacing)
    left, right = task.state.feet
    yaw = right[2] + math.remainder(left[2] - right[2], math.tau) / 2.0
    return np.array([*((left[:2] + right[:2]) / 2.0), yaw])


def straight_path(start: Array, goal: Array) -> Array:
    """Poses of turning towards the goal, walking straight, and turning."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    distance = math.hypot(dx, dy)
    bearing = math.atan2(dy, dx) if distance > 1e-6 else start[2]
    first, last = (math.remainder(a, math.tau) for a in (bearing - start[2], goal[2] - bearing))
    there = start[2] + first
    parts = [max(math.ceil(abs(v) / s), 1) for v, s in ((first, _TURN), (distance, _AHEAD), (last, _TURN))]
    turn = [[start[0], start[1], start[2] + first * k / parts[0]] for k in range(parts[0] + 1)]
    walk = [[start[0] + dx * k / parts[1], start[1] + dy * k / parts[1], there] for k in range(1, parts[1] + 1)]
    back = [[goal[0], goal[1], there + last * k / parts[2]] for k in range(1, parts[2] + 1)]
    return np.array(turn + walk + back)


def best_bezier(start: Array, goal: Array, most: Array) -> Array:
    """Poses along the Bézier curve of least cost, over its handles' lengths, ahead and back."""
    distance = math.hypot(goal[0] - start[0], goal[1] - start[1])
    if distance < 1e-6:
        return straight_path(start, goal)
    best, poses = np.inf, np.empty((0, 3))
    n = max(int(distance * 1.5 / _AHEAD), 40)
    trial = np.empty((n + 1, 3))
    for sense in (1.0, -1.0):
        for first in _STRETCHES:
            for last in _STRETCHES:
                cost = bezier(start, goal, sense, first * distance, last * distance, most, trial)
                if cost < best:
                    best, poses = cost, trial.copy()
    return poses


@kernel
def bezier(start: Array, goal: Array, sense: float, first: float, last: float, most: Array, out: Array) -> float:
    """Sample a cubic Bézier curve whose tangents are the headings; answers about how many steps it takes.

    Args:
        start: pose x, y [m], yaw [rad].
        goal: pose x, y [m], yaw [rad].
        sense: +1 to go ahead, -1 to go back.
        first: length of the handle at the start [m].
        last: length of the handle at the goal [m].
        most: limits.
        out: (n, 3) takes the poses.
    """
    x1, y1 = start[0] + sense * first * np.cos(start[2]), start[1] + sense * first * np.sin(start[2])
    x2, y2 = goal[0] - sense * last * np.cos(goal[2]), goal[1] - sense * last * np.sin(goal[2])
    n = len(out) - 1
    pace = most[PACE_FORWARD] if sense > 0.0 else most[PACE_BACKWARD]
    inward = 2.0 * most[TURN_INWARD]  # [rad] a closing foot turns along with the path only that much per double step
    cost = 0.0
    for k in range(n + 1):
        u = k / n
        a, b, c, d = (1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u * u * (1 - u), u**3
        out[k, 0] = a * start[0] + b * x1 + c * x2 + d * goal[0]
        out[k, 1] = a * start[1] + b * y1 + c * y2 + d * goal[1]
        da, db, dc = 3 * (1 - u) ** 2, 6 * u * (1 - u), 3 * u * u
        dx = da * (x1 - start[0]) + db * (x2 - x1) + dc * (goal[0] - x2)
        dy = da * (y1 - start[1]) + db * (y2 - y1) + dc * (goal[1] - y2)
        out[k, 2] = np.arctan2(sense * dy, sense * dx)
        if k > 0:
            turn = abs((out[k, 2] - out[k - 1, 2] + np.pi) % (2.0 * np.pi) - np.pi)
            way = np.hypot(out[k, 0] - out[k - 1, 0], out[k, 1] - out[k - 1, 1])
            cost += np.sqrt((way / pace) ** 2 + (turn / max(min(most[PACE_TURN], inward), 1e-9)) ** 2)
    return cost
