"""Numba's decorator with the types kept, and compiled code kept on disk. Nothing is compiled before its first call.

Numba renews a kept kernel when its own file changes, not when a kernel that it calls does: after editing one of the
kernels of this room, delete the kept code (`__pycache__`, or `NUMBA_CACHE_DIR`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function for scalars and arrays; it can be called from Python and from other kernels."""
    return cast("F", numba.njit(cache=True, error_model="numpy")(function))


def gufunc(types: str, shapes: str) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Compile a function over core dimensions (`shapes`) that NumPy broadcasts over all leading axes."""
    return cast("Callable[..., Any]", numba.guvectorize([types], shapes, nopython=True, cache=True))
