"""MuJoCo has each callback once for all threads: what we install stays until the last of those who need it is done."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import mujoco


class Installed(AbstractContextManager[None]):
    """A callback for as long as somebody is inside; it can be entered again and again."""

    def __init__(self, get: Callable[[], Any], put: Callable[[Any], None], make: Callable[[], Any]) -> None:
        """How to read and to set the callback, and what makes ours; that is asked for once, when it is needed."""
        self._lock, self._users = threading.Lock(), 0
        self._get, self._put, self._make = get, put, cache(make)
        self._before: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                ours = self._make()
                self._before = self._get()
                self._put(ours)
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._put(self._before)


def _nothing() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda _: None)


silence = Installed(mujoco.get_mju_user_warning, mujoco.set_mju_user_warning, _nothing)
"""MuJoCo does not tell of unstable simulations, on the console and in a file of its own: we look and say it."""
