"""Train the learned planners: python -m gangart.footsteps.training [--plans 3000] [--seed 0] [--robot nao].

The lattice plans to random goals over the whole region; each of its steps is an example. Needs scikit-learn, which
`requirements/dev.txt` installs; the product itself does not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from gangart.footsteps.families import direct
from gangart.footsteps.lattice import lattice
from gangart.footsteps.learned import FILE
from gangart.footsteps.limits import StepLimits
from gangart.footsteps.policy import FEATURES, features
from gangart.footsteps.step_plan import StepPlan
from gangart.footsteps.task import task_of
from gangart.footsteps.velocity import sign_of
from gangart.footsteps.ways import PACE_FORWARD, PACE_SIDEWAYS, PACE_TURN, way
from gangart.robots import load
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


def train(limits: StepLimits, seen: Array, made: Array, seed: int) -> dict[str, Array]:
    """The arrays of the trained file."""
    from sklearn.neural_network import MLPRegressor

    scaled = seen * _SCALE
    network = MLPRegressor(
        hidden_layer_sizes=_HIDDEN,
        activation="tanh",
        max_iter=120,
        early_stopping=True,
        n_iter_no_change=15,
        random_state=seed,
    )
    network.fit(scaled, made)
    layers = [np.vstack([w, b]) for w, b in zip(network.coefs_, network.intercepts_, strict=True)]
    kept = np.random.default_rng(seed).permutation(len(seen))[:_KNOWN]
    names = ("first", "second", "third")
    small = {name: layer.astype(np.float32) for name, layer in zip(names, layers, strict=True)}
    known = {"known": scaled[kept].astype(np.float16), "answers": made[kept].astype(np.float16)}
    return {**small, **known, "scale": _SCALE, "limits": limits.array}


def main() -> None:
    """Collect examples, train, write the file."""
    parser = argparse.ArgumentParser(prog="python -m gangart.footsteps.training", description=__doc__)
    parser.add_argument("--plans", type=int, default=3000, help="how many goals the lattice plans to")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name(FILE))
    asked = parser.parse_args()
    limits = StepLimits.of(load(asked.robot))
    collected = []
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("lattice plans", total=asked.plans)
        for pair in examples(limits, asked.plans, asked.seed):
            collected.append(pair)
            bar.advance(task)
        seen, made = (np.concatenate(part) for part in zip(*collected, strict=True))
        bar.add_task(f"training on {len(seen)} steps", total=None)
        arrays = train(limits, seen, made, asked.seed)
    np.savez_compressed(asked.out, **arrays)  # type: ignore[arg-type,unused-ignore]  # the names are ours
    Console(stderr=True).print(f"{asked.out}: {asked.out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
