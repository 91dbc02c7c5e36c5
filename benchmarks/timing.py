"""Timing: the garbage collector waits, and what is compared takes turns, so that all see the same load."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from typing import Any


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection inside."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(function: Callable[[], Any]) -> float:
    """Wall time of one call [s]."""
    with quiet():
        begin = perf_counter()
        function()
        return perf_counter() - begin


def take_turns(rounds: int, **measures: Callable[[], float]) -> dict[str, list[float]]:
    """Each measure once per round, in the given order; the results by name, one per round."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].append(measure())
    return found


def ratio(above: list[float], below: list[float]) -> float:
    """Median over the rounds of the ratios within a round."""
    return median(a / b for a, b in zip(above, below, strict=True))
