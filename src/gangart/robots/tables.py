"""Strict reading of TOML tables: every key is known, present and of its type, or one sentence says which is not."""

from __future__ import annotations

import math
from collections.abc import Collection
from reprlib import repr as _short
from typing import Any

import numpy as np

from gangart.errors import BadRobot, suggest
from gangart.signals import Array

_FAR = 10.0  # [m] no legged robot is larger; who writes millimetres learns it here


class Table:
    """A TOML table that knows its file and its place in it, and the keys that it may have (None: any names)."""

    def __init__(self, data: Any, file: str, path: str = "", keys: Collection[str] | None = None) -> None:
        self.where = f"{file} [{path}]" if path else file
        if not isinstance(data, dict):
            raise BadRobot(f"{self.where} has to be a table, got {_show(data)}")
        for key in data:
            if keys is not None and key not in keys:
                raise BadRobot(f"{self.where}: '{key}' is not a key here; {suggest(key, keys)}")
        self._file, self._path, self._data = file, path, data

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def names(self) -> list[str]:
        """The keys that are there, in the order of the file."""
        return list(self._data)

    def table(self, key: str, keys: Collection[str] | None = None, default: dict[str, Any] | None = None) -> Table:
        """A table inside this one; without a default it has to be there."""
        path = f"{self._path}.{key}" if self._path else key
        return Table(self._take(key, default, dict, "a table"), self._file, path, keys)

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default it has to be there and may not be blank."""
        value: str = self._take(key, default, str, "a text")
        if default is None and not value.strip():
            raise BadRobot(f"{self.where}: '{key}' is blank; it has to be a text")
        return value

    def number(self, key: str, low: float = -math.inf, high: float = math.inf, default: float | None = None) -> float:
        """A finite number in [low, high], in the unit of the key."""
        value = self._take(key, default, (int, float), "a number")
        if not low <= value <= high or not _is_finite(value):  # `not <=` also catches NaN
            raise BadRobot(f"{self.where}: '{key}' is {_show(value)}; it has to {_range(low, high)}")
        return float(value)

    def array(self, key: str, shape: tuple[int, ...], default: list[Any] | None = None) -> Array:
        """Lengths [m] of the given shape, none beyond 10 m; -1 in front stands for any number of rows."""
        word = "a list of " + (f"{shape[0]} numbers" if len(shape) == 1 else f"[{', '.join('xyz'[: shape[1]])}] points")
        raw = self._take(key, default, list, word)
        if not _has_shape(raw, shape):
            raise BadRobot(f"{self.where}: '{key}' has to be {word}, got {_show(raw)}")
        value = np.array(raw, dtype=float).reshape(len(raw), *shape[1:])
        if np.abs(value).max(initial=0.0) > _FAR:
            raise BadRobot(
                f"{self.where}: '{key}' is {_show(raw)}; lengths are in metres, within -{_FAR:g} and {_FAR:g}"
            )
        value.flags.writeable = False
        return value

    def list_of_names(self, key: str) -> tuple[str, ...]:
        """A list of different strings, at least one."""
        value = self._take(key, None, list, "a list of names")
        if not value or not all(isinstance(v, str) for v in value):
            raise BadRobot(f"{self.where}: '{key}' has to be a list of names, got {_show(value)}")
        for i, name in enumerate(value):
            if name in value[:i]:
                raise BadRobot(f"{self.where}: '{key}' names '{name}' twice")
        return tuple(value)

    def one_of(self, key: str, choices: Collection[str], default: str | None = None) -> str:
        """One of the given words."""
        value = self.text(key, default)
        if value not in choices:
            raise BadRobot(f"{self.where}: '{key}' cannot be '{value}'; {suggest(value, choices)}")
        return value

    def _take(self, key: str, default: Any, kind: type | tuple[type, ...], word: str) -> Any:
        if key not in self._data:
            if default is None:
                raise BadRobot(f"{self.where}: '{key}' is missing; it has to be {word}")
            return default
        value = self._data[key]
        if not isinstance(value, kind) or isinstance(value, bool):  # for Python, true is also an int
            raise BadRobot(f"{self.where}: '{key}' has to be {word}, got {_show(value)}")
        return value


def _show(value: Any) -> str:
    """The value as the message shows it: not longer than a line."""
    try:
        return _short(value)
    except ValueError:  # Python does not print an integer of more than 4300 digits, but TOML can hold one
        return "a number without end"


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # TOML knows integers of any length
        return False


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether nested lists of finite numbers have this shape; -1 stands for any length."""
    if not shape:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and _is_finite(value)
    fits = isinstance(value, list) and shape[0] in (-1, len(value))
    return fits and all(_has_shape(v, shape[1:]) for v in value)


def _range(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "be finite"
    if math.isinf(high):
        return f"be finite and at least {low:g}"
    return f"lie between {low:g} and {high:g}"
