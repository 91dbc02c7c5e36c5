"""Train the learned planners, as `gangart train` does: each step of the lattice's plans to random goals is an example.

Needs scikit-learn, which nothing else in gangart does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gangart.errors import BadValue, MissingTool
from gangart.footsteps.families import direct
from gangart.footsteps.lattice import lattice
from gangart.footsteps.learned import FORMAT
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.policy import FEATURES, features
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import task_of
from gangart.footsteps.velocity import sign_of
from gangart.footsteps.ways import PACE_FORWARD, PACE_SIDEWAYS, PACE_TURN, way
from gangart.signals import Array

_REGION = 2.3  # [m] to each side; a little more than the planners are asked for
_HIDDEN = (64, 64)
_KNOWN = 6000  # examples that the nearest neighbours keep
_NEAR = 2.0  # [steps] nearer than that the policies are not asked
_EFFORT = 0.5
# How much a feature counts for the neighbours: the place of the goal before the step just made.
_SCALE = np.array([1.0, 1.0, 1.5, 1.5, 1.0, 1.0, 0.5, 0.7, 0.3, 0.7])


def examples(limits: StepLimits, plans: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Features (n, 10) and ways (n, 3) in units of the pace, one pair per plan."""
    rng = np.random.default_rng(seed)
    for _ in range(plans):
        # more goals nearby, where the answers change most
        goal = rng.uniform(-1.0, 1.0, 3) * rng.uniform(0.05, 1.0) ** 0.7 * [_REGION, _REGION, 1.0]
        goal[2] = rng.uniform(-np.pi, np.pi)
        yield _examples_of(lattice(task_of((0.0, 0.0, 0.0), goal, limits), _EFFORT), limits.array)


def _examples_of(plan: StepPlan, most: Array) -> tuple[Array, Array]:
    bodies, ways = plan.bodies(), plan.ways()
    seen, made, rest = np.empty((len(plan), FEATURES)), np.empty((len(plan), 3)), np.empty(3)
    keep = []
    for k, foot in enumerate(plan.foot.tolist()):
        way(bodies[k], plan.goal, rest)
        if direct(rest, most) < _NEAR:
            break
        side = sign_of(foot)
        features(bodies[k], plan.goal, side, ways[k - 1] if k else np.zeros(3), most, seen[k])
        unit = [most[PACE_FORWARD], side * 2.0 * most[PACE_SIDEWAYS], side * 2.0 * most[PACE_TURN]]
        made[k] = ways[k] / unit
        keep.append(k)
    return seen[keep], made[keep]


@dataclass(frozen=True, eq=False)
class Taught:
    """What was learned."""

    arrays: dict[str, Any]  # as the file holds them
    error: float  # [1] of the network, root mean square over all examples, in units of the pace


def collect(
    limits: StepLimits, plans: int, seed: int, progress: Callable[[float], None] = lambda _: None
) -> tuple[Array, Array]:
    """All examples of so many plans; `progress` is told how many are made."""
    pairs = []
    for pair in examples(limits, plans, seed):
        pairs.append(pair)
        progress(float(len(pairs)))
    seen, made = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return seen, made


def teach(limits: StepLimits, seen: Array, made: Array, plans: int, seed: int) -> Taught:
    """Train the network and choose the neighbours; what was asked for is noted in the file."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor
    except ImportError as error:
        raise MissingTool("training needs scikit-learn; install it with `pip install scikit-learn`") from error
    scaled = seen * _SCALE
    network = MLPRegressor(
        hidden_layer_sizes=_HIDDEN,
        activation="tanh",
        max_iter=120,
        early_stopping=True,
        n_iter_no_change=15,
        random_state=seed,
    )
    with warnings.catch_warnings(category=ConvergenceWarning, action="ignore"):
        network.fit(scaled, made)  # the weights that did best on examples put aside are kept, also when time is up
    layers = [np.vstack([w, b]) for w, b in zip(network.coefs_, network.intercepts_, strict=True)]
    kept = np.random.default_rng(seed).permutation(len(seen))[:_KNOWN]
    small = {n: layer.astype(np.float32) for n, layer in zip(("first", "second", "third"), layers, strict=True)}
    known = {"known": scaled[kept].astype(np.float16), "answers": made[kept].astype(np.float16)}
    about = {"scale": _SCALE, "limits": limits.array, "made_of": np.array([FORMAT, plans, seed], dtype=np.int64)}
    missed = float(np.sqrt(np.mean((network.predict(scaled) - made) ** 2)))
    return Taught({**small, **known, **about}, missed)


def save(path: Path, taught: Taught) -> int:
    """Write the file; answers its size [bytes]. The same arrays give the same bytes."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **taught.arrays)  # type: ignore[arg-type,unused-ignore]  # the names are ours
    except OSError as error:
        raise BadValue(f"cannot write {path}: {error.strerror or error}") from error
    return path.stat().st_size
