"""Anytime A* over footsteps: the reference for how few steps a goal takes, and the planner among obstacles."""

from __future__ import annotations

import numpy as np

from gangart.footsteps.bound import distances, steps_left
from gangart.footsteps.hybrid import hybrid
from gangart.footsteps.lattice_kernel import COLUMNS, search
from gangart.footsteps.step_plan import Ending, StepPlan
from gangart.footsteps.task import MOST_STEPS, Task
from gangart.signals import Array

# Weights of the estimate, and the part of the budget that each search has for improving a plan. The estimate is what
# the best family of motion takes, which a better motion undercuts by a few percent.
_FIRST, _GREEDY = 2.2, 5.0  # for a first plan, and where that finds none
_IMPROVE = ((1.1, 0.25), (0.97, 0.35), (0.9, 0.4))
_FIND = 60_000  # [states] expanded for a first plan, where obstacles block the way of `hybrid`
# How near to an obstacle the middle between the feet comes, and whether it leads over low ones: the guides of a search.
# Feet that stand beside an obstacle or before it keep the first distance, heels the last; nobody comes nearer.
_GUIDES = ((0.11, False), (0.05, False), (0.05, True))  # [m]
_FREE, _OBSTACLES = 1_600, 4_000  # [states] to improve it, without and with obstacles


def lattice(task: Task, effort: float = 1.0) -> StepPlan:
    """A* over footsteps, begun with the plan of `hybrid` and improved until its budget (times `effort`) is used up."""
    found = hybrid(task)
    if task.there:
        return task.plan("lattice", np.empty((0, 4)), "arrived")
    if found.arrived:
        look, rows, seen_all = _Search(task, *_GUIDES[0]), _rows(found), False
    else:
        look, rows, seen_all = _first(task, round(effort * _FIND))
        if not look.arrives:
            reason = _BLOCKED if seen_all else _TOO_FEW.format(round(effort * _FIND))
            ended: Ending = "blocked" if seen_all else "budget"
            # where nothing leads around, the straight way may come nearer
            partial = [task.plan("lattice", way, ended, reason) for way in (rows, _rows(found))]
            return min(partial, key=lambda plan: sum(plan.error()))
    total = effort * (_OBSTACLES if len(task.field) else _FREE)
    for weight, part in _IMPROVE:
        better, _ = look(weight, round(part * total), len(rows), False)
        rows = better if look.arrives else rows
    return task.plan("lattice", rows, "arrived")


_BLOCKED = "obstacles leave no way to the goal"
_TOO_FEW = "no way was found among {} states; a larger effort may find one"


def _first(task: Task, budget: int) -> tuple[_Search, Array, bool]:
    """The search of the first guide that finds a way, or of the last; its rows; and whether it has seen all states."""
    low = (task.field.high == 0.0).any()
    guides = [guide for guide in _GUIDES if low or not guide[1]]
    tries = [(_FIRST, guides[0]), *((_GREEDY, guide) for guide in guides)]
    for weight, guide in tries:
        look = _Search(task, *guide)
        rows, seen_all = look(weight, budget // len(tries), MOST_STEPS, True)
        if look.arrives:
            break
    return look, rows, seen_all


class _Search:
    """The searches of one task along one guide."""

    def __init__(self, task: Task, near: float, over: bool) -> None:
        """Prepare what all of them need."""
        field = task.field
        self.task, self.root, self.arrives = task, _root(task), False
        far, corner = distances(field, self.root[0, :3], task.goal, near, over)
        self.sight = (steps_left(task.limits), far, corner)
        self.world = (field.soles, field.corners, field.discs, field.high)

    def __call__(self, weight: float, budget: int, best: int, first: bool) -> tuple[Array, bool]:
        """Rows of a better plan, or to the nearest state (see `arrives`); and whether all states were seen."""
        task, steps = self.task, np.empty((MOST_STEPS, 4))
        feet = np.array(task.state.feet)
        n, _, seen_all = search(
            self.root, feet, task.goal, task.most, self.sight, self.world, weight, budget, best, first, steps
        )
        self.arrives = n > 0
        return steps[: abs(n)], bool(seen_all)


def _root(task: Task) -> Array:
    """One node for each foot that may go first."""
    found = []
    for body, side, ways in task.beginnings():
        node = np.zeros(COLUMNS)
        node[0:3], node[3:6], node[6] = body, body, side
        node[7:10], node[10:13] = ways
        found.append(node)
    return np.array(found)


def _rows(plan: StepPlan) -> Array:
    """Body frames and sides of a plan's steps, as kernels write them."""
    sides = np.where(plan.foot == 0, 1.0, -1.0)
    return np.column_stack([plan.bodies()[1:], sides])
