"""What a benchmark says: rows with a value, the bar it has to meet, and the times behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Setting:
    """What a run of the benchmarks was asked for."""

    quick: bool  # fewer repetitions
    peers: Path  # the virtual environment with placo

    def rounds(self, full: int, quick: int) -> int:
        """How often to repeat."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Row:
    """One measured figure."""

    name: str
    value: float | None  # None where nothing was measured
    unit: str  # "x" for a ratio
    bar: str  # what it has to meet; empty for a figure that only informs
    ok: bool | None  # None without a bar or a value
    note: str  # what was measured against what
    seconds: dict[str, float] = field(default_factory=dict)  # [s] absolute times behind the value


def at_most(name: str, value: float, unit: str, bar: float, note: str, **seconds: float) -> Row:
    """A figure that must not be larger than the bar; the times behind it in seconds."""
    return Row(name, value, unit, f"≤ {bar:g}", value <= bar, note, seconds)


def at_least(name: str, value: float, unit: str, bar: float, note: str, **seconds: float) -> Row:
    """A figure that must not be smaller than the bar; the times behind it in seconds."""
    return Row(name, value, unit, f"≥ {bar:g}", value >= bar, note, seconds)


def told(name: str, value: float, unit: str, note: str, **seconds: float) -> Row:
    """A figure without a bar."""
    return Row(name, value, unit, "", None, note, seconds)


def missing(name: str, why: str, *, failed: bool = False, **seconds: float) -> Row:
    """Nothing was measured, and why; `failed` if it should have been."""
    return Row(name, None, "", "", False if failed else None, why, seconds)
