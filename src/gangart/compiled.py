"""Numba's decorators with the types kept, and compiled code kept on disk. Nothing is compiled before its first call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function for scalars and arrays; it can be called from Python and from other kernels."""
    dispatcher = numba.njit(cache=True, error_model="numpy")(function)
    _renew_with_package(dispatcher)
    return cast("F", dispatcher)


def gufunc(types: str, shapes: str) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Compile a function over core dimensions (`shapes`) that NumPy broadcasts over all leading axes."""
    return cast("Callable[..., Any]", numba.guvectorize([types], shapes, nopython=True, cache=True))


def tell_when_compiling(tell: Callable[[], None]) -> None:
    """Call `tell` once, before the first kernel that is not yet kept on disk is compiled."""
    from numba.core import event

    class Teller(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not Teller.told:
                Teller.told = True
                tell()

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Teller())


@cache
def _package_stamp() -> tuple[float, int]:
    """Changes whenever a source file with kernels does."""
    sources = [path for path in Path(__file__).parent.rglob("*.py") if b"gangart.compiled" in path.read_bytes()]
    stats = [path.stat() for path in (Path(__file__), *sources)]
    return max(s.st_mtime for s in stats), sum(s.st_size for s in stats)


def _renew_with_package(dispatcher: Any) -> None:
    """Numba renews a kept kernel when its own file changes, not when one that it calls does: look at all of them."""
    file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None and hasattr(file, "_source_stamp"):
        file._source_stamp = _package_stamp()
