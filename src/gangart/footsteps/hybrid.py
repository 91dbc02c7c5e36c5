"""The default planner: compare families of motion in closed form, walk the cheapest ones, keep the best."""

from __future__ import annotations

import numpy as np

from gangart.footsteps.families import rank
from gangart.footsteps.hybrid_kernel import best_family, walk_family
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import MOST_STEPS, Task, best_of
from gangart.signals import Array

_KEEP = 6  # families that are walked
_AMONG = 60  # and those that are tried where obstacles stand in the way


def hybrid(task: Task) -> StepPlan:
    """Sidestep, walk back, turn in place or curve: whatever takes fewest steps (Zellhöfer 3.5)."""
    limit = MOST_STEPS

    def walker(body: Array, side: float, ways: Array, steps: Array) -> int:
        nonlocal limit
        n, _ = best_family(task.goal, body, side, ways, task.most, _KEEP, steps, limit)
        if n > 1 and not len(task.field):  # the other foot has to do better to be chosen
            limit = n - 1
        return int(n)

    found = task.walked("hybrid", walker)
    return found if found.arrived or found.ended != "blocked" else _around(task, found)


def _around(task: Task, found: StepPlan) -> StepPlan:
    """Where the best way is blocked: the best of more families, each of which is free or blocked as a whole."""
    plans = [found]
    order, costs = np.empty(_AMONG, dtype=np.int64), np.empty(_AMONG)
    steps = np.empty((MOST_STEPS, 4))
    for body, side, ways in task.beginnings():
        for family in order[: rank(body, task.goal, ways[1, 0], task.most, order, costs)]:
            n = walk_family(family, 1.6, task.goal, body.copy(), side, ways.copy(), task.most, steps, MOST_STEPS)
            if n > 0:
                plans.append(task.plan("hybrid", steps[:n], "arrived"))
    return best_of(plans)
