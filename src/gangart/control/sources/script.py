"""A script: a list of timed wishes in a file, for experiments and tests."""

from __future__ import annotations

import bisect
import csv
import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gangart.control.sources.message import wish_of
from gangart.control.sources.scale import BODY, VELOCITY
from gangart.control.sources.source import Source
from gangart.errors import BadValue, GangartError, MissingFile, choose
from gangart.signals import Wish

_LARGEST = 16 * 2**20  # [bytes]
_FLAT = (*VELOCITY, *(f"pose.{name}" for name in BODY))


class Script(Source):
    """Wishes at their times; each holds until the next, and the last one for good.

    Args:
        entries: time [s] and wish, in ascending order. Before the first of them the robot stands.
    """

    live = False

    def __init__(self, entries: Sequence[tuple[float, Wish]]) -> None:
        self._times, self._wishes = [at for at, _ in entries], [wish for _, wish in entries]
        if not entries:
            raise BadValue("a script without entries says nothing; it has to have one at least")
        for i, (before, at) in enumerate(zip([0.0, *self._times], self._times, strict=False), start=1):
            if not before <= at < math.inf:
                raise BadValue(
                    f"entry {i} of the script is at {at:g} s, after {before:g} s; times have to ascend from 0"
                )

    def read(self, time: float) -> Wish:
        """The wish of a time [s]."""
        index = bisect.bisect_right(self._times, time) - 1
        return self._wishes[index] if index >= 0 else Wish()

    def close(self) -> None:
        """Nothing is open."""


def load_script(path: Path, gaits: Sequence[str] = ()) -> Script:
    """A script from a TOML file with [[wish]] tables, or from a CSV file with a line per wish."""
    kind = choose("kind of script", path.suffix.lower().lstrip(".") or "file without an ending", ("csv", "toml"))
    rows = _from_toml(path) if kind == "toml" else _from_csv(path)
    entries: list[tuple[float, Wish]] = []
    for i, row in enumerate(rows, start=1):
        try:
            at = row.pop("at", None)
            if isinstance(at, bool) or not isinstance(at, (int, float)) or not 0.0 <= at < 1e9:
                raise BadValue("at is missing" if at is None else "at has to be a time [s] from 0 on")
            entries.append((float(at), wish_of(row, gaits, entries[-1][1].gait if entries else None)))
        except GangartError as error:
            raise BadValue(f"{path}, wish {i}: {error}") from error
    try:
        return Script(entries)
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from error


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise BadValue(f"{path} is larger than {_LARGEST} bytes; that is no script")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as failure:
        raise MissingFile(f"'{path}' does not exist; give the path of a script (.toml or .csv)") from failure
    except UnicodeDecodeError as failure:
        raise BadValue(f"{path} is not text in UTF-8 at byte {failure.start}") from failure
    except OSError as failure:
        raise BadValue(f"'{path}' cannot be read: {failure.strerror}") from failure


def _from_toml(path: Path) -> list[dict[str, Any]]:
    try:
        data = tomllib.loads(_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadValue(f"{path} is no TOML: {error}") from error
    rows = data.pop("wish", None)
    if data or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadValue(f"{path} has to hold [[wish]] tables and nothing else")
    return rows


def _from_csv(path: Path) -> list[dict[str, Any]]:
    reader = csv.DictReader(_text(path).splitlines(), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise BadValue(f"{path}, line {reader.line_num}: {error}") from error
    for name in reader.fieldnames or ():
        try:
            choose("column", name, ("at", *_FLAT, "gait", "quit"))
        except GangartError as error:
            raise BadValue(f"{path}: {error}") from error
    return [_nested(row, f"{path}, line {i}") for i, row in enumerate(rows, start=2)]


def _nested(row: dict[str | Any, Any], where: str) -> dict[str, Any]:
    """A line of a CSV file as a table of a TOML file would have it; an empty cell is left out."""
    found: dict[str, Any] = {"pose": {}}
    for name, cell in row.items():
        if name is None or cell is None:
            raise BadValue(f"{where} has {'more' if name is None else 'fewer'} cells than the first line")
        cell = cell.strip()
        if not cell:
            continue
        table, _, key = name.rpartition(".")
        (found[table] if table else found)[key] = _value(name, cell, where)
    return found


def _value(name: str, cell: str, where: str) -> Any:
    if name == "gait":
        return cell
    if name == "quit":
        return choose("answer", cell.lower(), ("true", "false")) == "true"
    try:
        return float(cell)
    except ValueError as error:
        raise BadValue(f"{where}: {name} is '{cell[:40]}'; it has to be a number") from error
