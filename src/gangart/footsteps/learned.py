"""Planners that have learned from the lattice: the next step in microseconds (Zellhöfer 2.1)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from gangart.errors import BadValue, MissingFile
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.policy import next_way, walk_policy
from gangart.footsteps.state import WalkState
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import Task, best_of
from gangart.footsteps.velocity import sign_of
from gangart.signals import Array

FILE = "learned.npz"
_MOST = 120  # [steps] before a policy counts as lost
_LOST = f"the policy has not come near the goal in {_MOST} steps"
_TRAIN = "python -m gangart.footsteps.training"


def learned(task: Task) -> StepPlan:
    """The steps of the neural network, one after the other."""
    return _walked(task, "learned", True)


def neighbours(task: Task) -> StepPlan:
    """The steps of the nearest neighbours, one after the other."""
    return _walked(task, "learned-neighbours", False)


def next_step_way(state: WalkState, goal: Array, limits: StepLimits, *, network: bool = True) -> Array:
    """The way of the next step alone, (3,): ahead, left [m], turn [rad]. For a state that says which foot is next."""
    if state.next_foot is None:
        raise BadValue("a policy answers for the foot that steps next; say which in the state")
    foot, out = state.next_foot, np.empty(3)
    ways, body = np.array(state.ways[[foot, 1 - foot]]), state.body(1 - foot, limits.spacing)
    next_way(body, goal, sign_of(foot), ways, limits.array, network, tables(limits), out)
    return out


def _walked(task: Task, name: str, network: bool) -> StepPlan:
    if task.there:
        return task.plan(name, np.empty((0, 4)), "arrived")
    known, plans = tables(task.limits), []
    for body, side, ways in task.beginnings():
        steps = np.empty((2 * _MOST, 4))
        n = walk_policy(task.goal, body, side, ways, task.most, network, known, steps, _MOST)
        plans.append(task.plan(name, steps[: abs(n)], "arrived" if n > 0 else "budget", _LOST))
    return best_of(plans)


def tables(limits: StepLimits) -> Any:
    """What was learned for these limits, as the kernels take it."""
    found, trained_for = _read()
    if not np.allclose(limits.array, trained_for, rtol=1e-6):
        raise BadValue(f"the learned planners know the Nao's step limits only; for others train them with `{_TRAIN}`")
    return found


@cache
def _read() -> Any:
    path = files("gangart.footsteps") / FILE
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            names = ("first", "second", "third", "known", "answers", "scale")
            found = tuple(np.ascontiguousarray(data[name], dtype=float) for name in names)
            return found, np.asarray(data["limits"], dtype=float)
    except FileNotFoundError as error:
        raise MissingFile(f"{FILE} of the learned planners is missing; make it with `{_TRAIN}`") from error
