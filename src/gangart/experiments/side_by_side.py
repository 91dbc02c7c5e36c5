"""Many simulations side by side, one process for each core; results come in the order of the jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")


def side_by_side(work: Callable[[J], R], jobs: Sequence[J], done: Callable[[int], None] = lambda _: None) -> list[R]:
    """Do all jobs; `work` is a function of a module, and `done` is told how many are ready.

    Which process does a job makes no difference to its result.
    """
    return list(_counted(work, jobs, done))


def _counted(work: Callable[[J], R], jobs: Sequence[J], done: Callable[[int], None]) -> Iterator[R]:
    cores = min(len(jobs), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if cores < 2:
        for count, job in enumerate(jobs):
            yield work(job)
            done(count + 1)
        return
    # spawned, not forked: a fork would inherit the threads of MuJoCo and numba in a state that nobody knows
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        for count, result in enumerate(pool.map(work, jobs)):
            yield result
            done(count + 1)
