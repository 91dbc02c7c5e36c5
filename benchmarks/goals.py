"""Planning steps to a goal: how long each planner takes, and placo's naive planner beside it in the same run.

Times are those of the processor, so that a busy machine counts less.
"""

from __future__ import annotations

import math
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks.peer import NoPeer, PeerFailed, Placo
from benchmarks.row import Row, Setting, at_most, missing, told
from gangart.footsteps import StepLimits, WalkState, plan
from gangart.footsteps.learned import Policy
from gangart.footsteps.obstacles import Obstacle, box
from gangart.robots import Robot, load

_PLAN, _NEXT, _FREE, _ROOM = 1e-3, 50e-6, 50e-3, 500e-3  # [s] the bars
_QUICK = ("hybrid", "aicardi", "indiveri")
_ORIGIN = (0.0, 0.0, 0.0)
_NAIVE = "placo's FootstepsPlannerNaive"


def rows(setting: Setting) -> list[Row]:
    """Medians over random goals."""
    robot = load("nao")
    limits, goals = StepLimits.of(robot), _goals(setting.rounds(300, 30))
    few = goals[: setting.rounds(60, 6)]
    out, ours = [], {}
    for name in (*_QUICK, "spline", "turn-walk-turn", "learned", "learned-neighbours"):
        seconds, steps = _times(name, goals, limits)
        ours[name] = seconds, steps
        note = f"{len(goals)} goals within 2 m, {steps:.1f} steps on average"
        if name in _QUICK:
            out.append(at_most(f"{name}: whole plan", 1e3 * seconds, "ms", 1e3 * _PLAN, note, gangart=seconds))
        else:
            out.append(told(f"{name}: whole plan", 1e3 * seconds, "ms", note, gangart=seconds))
    seconds = _next(goals, limits)
    note = "one step of a walk under way, by the network"
    out.append(at_most("learned: next step", 1e6 * seconds, "µs", 1e6 * _NEXT, note, gangart=seconds))
    seconds, steps = _times("lattice", few, limits)
    note = f"{len(few)} goals, {steps:.1f} steps on average"
    out.append(at_most("lattice, nothing in the way", 1e3 * seconds, "ms", 1e3 * _FREE, note, gangart=seconds))
    seconds, arrived = _rooms(setting.rounds(40, 4), limits)
    note = f"rooms with 20 obstacles, of which {arrived:.0%} have a way that is found"
    out.append(at_most("lattice, 20 obstacles", 1e3 * seconds, "ms", 1e3 * _ROOM, note, gangart=seconds))
    return [*out, *_peer(setting, robot, goals, *ours["hybrid"])]


def _goals(n: int) -> Any:
    return np.random.default_rng(0).uniform(-1.0, 1.0, (n, 3)) * [2.0, 2.0, math.pi]


def _times(name: str, goals: Any, limits: StepLimits) -> tuple[float, float]:
    """Median time [s] and mean number of steps."""
    plan(_ORIGIN, goals[0], limits, (), name)  # warm
    times, steps = [], []
    for goal in goals:
        begin = process_time()
        found = plan(_ORIGIN, goal, limits, (), name)
        times.append(process_time() - begin)
        steps.append(len(found))
    return median(times), float(np.mean(steps))


def _next(goals: Any, limits: StepLimits) -> float:
    state = plan(_ORIGIN, (1.0, 0.0, 0.0), limits).after(2)
    assert isinstance(state, WalkState)
    policy = Policy(limits)
    policy(state, goals[0])
    times = []
    for goal in goals:
        begin = process_time()
        policy(state, goal)
        times.append(process_time() - begin)
    return median(times)


def _rooms(count: int, limits: StepLimits) -> tuple[float, float]:
    """Median time [s] of plans through rooms, and the share that arrives."""
    times, arrived = [], 0
    for seed in range(count):
        obstacles, goal = _room(seed)
        begin = process_time()
        arrived += plan(_ORIGIN, goal, limits, obstacles, "lattice").arrived
        times.append(process_time() - begin)
    return median(times[1:]), arrived / count


def _room(seed: int) -> tuple[tuple[Obstacle, ...], Any]:
    """Twenty pillars within 2 m, and a goal; both ends are free."""
    rng, found = np.random.default_rng(seed), []
    goal = rng.uniform(-1.0, 1.0, 3) * [2.0, 2.0, math.pi]
    while len(found) < 20:
        x, y = rng.uniform(-2.2, 2.2, 2)
        if min(math.hypot(x, y), math.hypot(x - goal[0], y - goal[1])) > 0.35:
            found.append(box(x, y, *rng.uniform(0.05, 0.3, 2), rng.uniform(0.0, math.pi)))
    return tuple(found), goal


def _peer(setting: Setting, robot: Robot, goals: Any, seconds: float, steps: float) -> list[Row]:
    """The same goals by placo, with the same reach of a step."""
    try:
        with Placo(setting.peers, robot) as placo:
            found = placo.ask("goals", walk=_settings(robot), goals=goals.tolist())
    except NoPeer as problem:
        return [missing(f"hybrid / {_NAIVE}", str(problem), failed=isinstance(problem, PeerFailed), gangart=seconds)]
    times, theirs = found["seconds"], found["steps"]
    note = (
        "the same goals and the same reach of a step; placo knows neither pace nor change from step to step, nor"
        " whether feet collide"
    )
    return [
        told(f"time of hybrid / {_NAIVE}", seconds / median(times), "x", note, gangart=seconds, placo=median(times)),
        told(f"steps of hybrid / {_NAIVE}", steps / float(np.mean(theirs)), "x", f"{np.mean(theirs):.1f} of placo's"),
    ]


def _settings(robot: Robot) -> dict[str, float]:
    """The reach of a step in placo's parameters."""
    assert robot.walk is not None
    most, outline = robot.walk.limits, robot.legs["left"].outline
    return {
        "feet_spacing": robot.walk.foot_spacing,
        "foot_length": float(np.ptp(outline[:, 0])),
        "foot_width": float(np.ptp(outline[:, 1])),
        "walk_max_dx_forward": most.step_forward,
        "walk_max_dx_backward": most.step_backward,
        "walk_max_dy": most.step_outward,
        "walk_max_dtheta": most.step_turn_outward,
    }
