"""Planners that have learned from the lattice: the next step in microseconds (Zellhöfer 2.1)."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from gangart.errors import BadValue, MissingFile
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.policy import FEATURES, NEIGHBOURS, next_way, walk_policy
from gangart.footsteps.state import WalkState
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import Task, best_of
from gangart.footsteps.velocity import sign_of
from gangart.signals import Array

FILE = "learned.npz"
FORMAT = 1  # of the trained file
_MOST = 120  # [steps] before a policy counts as lost
_LOST = f"the policy has not come near the goal in {_MOST} steps"
_TRAIN = "gangart train"
_ARRAYS: dict[str, tuple[int, ...]] = {
    "first": (FEATURES + 1, -1),
    "second": (-1, -1),
    "third": (-1, 3),
    "known": (-1, FEATURES),
}
_ARRAYS |= {"answers": (-1, 3), "scale": (FEATURES,), "limits": (14,), "made_of": (3,)}


def learned(task: Task) -> StepPlan:
    """The steps of the neural network, one after the other."""
    return _walked(task, "learned", True, _shipped())


def neighbours(task: Task) -> StepPlan:
    """The steps of the nearest neighbours, one after the other."""
    return _walked(task, "learned-neighbours", False, _shipped())


def learned_from(path: str) -> Callable[[Task], StepPlan]:
    """The planner that was trained into a file."""
    trained = read(Path(path))
    return lambda task: _walked(task, path, True, trained)


@dataclass(frozen=True, eq=False)
class Trained:
    """What a trained file holds."""

    tables: Any  # as the kernels take them
    limits: Array  # (14,) that it was trained for


class Policy:
    """The next step alone, in microseconds."""

    def __init__(self, limits: StepLimits, *, network: bool = True, trained: Trained | None = None) -> None:
        """For a robot's limits; by the neural network, or by the nearest neighbours."""
        self._known, self._network = _for(limits, trained or _shipped()), network
        self._most, self._spacing = limits.array, limits.spacing

    def __call__(self, state: WalkState, goal: Array) -> Array:
        """The way of the next step, (3,): ahead, left [m], turn [rad]. For a state that says which foot is next."""
        if state.next_foot is None:
            raise BadValue("a policy answers for the foot that steps next; say which in the state")
        foot, out = state.next_foot, np.empty(3)
        ways, body = state.ways[[foot, 1 - foot]], state.body(1 - foot, self._spacing)
        next_way(body, goal, sign_of(foot), ways, self._most, self._network, self._known, out)
        return out


def _walked(task: Task, name: str, network: bool, trained: Trained) -> StepPlan:
    known, plans = _for(task.limits, trained), []
    if task.there:
        return task.plan(name, np.empty((0, 4)), "arrived")
    for body, side, ways in task.beginnings():
        steps = np.empty((2 * _MOST, 4))
        n = walk_policy(task.goal, body, side, ways, task.most, network, known, steps, _MOST)
        plans.append(task.plan(name, steps[: abs(n)], "arrived" if n > 0 else "budget", _LOST))
    return best_of(plans)


def _for(limits: StepLimits, trained: Trained) -> Any:
    """The tables, if they were trained for these limits."""
    if not np.allclose(limits.array, trained.limits, rtol=1e-6):
        raise BadValue(
            f"this policy was trained for other step limits; make one for this robot with `{_TRAIN}`, and name its file"
        )
    return trained.tables


@cache
def _shipped() -> Trained:
    path = files("gangart.footsteps") / FILE
    assert isinstance(path, Path)
    return read(path)


def read(path: Path) -> Trained:
    """What a trained file holds, checked."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            found = {name: np.ascontiguousarray(data[name], dtype=float) for name in _ARRAYS}
    except FileNotFoundError as error:
        raise MissingFile(f"trained file {path} does not exist; make it with `{_TRAIN}`") from error
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise BadValue(f"{path} is not a file that `{_TRAIN}` has written: {error}") from error
    for name, shape in _ARRAYS.items():
        array = found[name]
        fits = array.ndim == len(shape) and all(
            want in (-1, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits or not np.isfinite(array).all() or array.size == 0:
            raise BadValue(f"{path}: '{name}' of the shape {array.shape} is not what `{_TRAIN}` writes")
    first, second, third, known, answers = (found[n] for n in ("first", "second", "third", "known", "answers"))
    chain = first.shape[1] + 1 == len(second) and second.shape[1] + 1 == len(third) and len(known) == len(answers)
    if not chain or len(known) < NEIGHBOURS:
        raise BadValue(f"{path}: the layers of the network or the examples do not fit together")
    if found["made_of"][0] != FORMAT:
        raise BadValue(f"{path} has the format {found['made_of'][0]:g}, and this gangart reads {FORMAT}: train it anew")
    return Trained((first, second, third, known, answers, found["scale"]), found["limits"])
