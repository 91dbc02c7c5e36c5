"""Rows as tables: the ratio and its bar first, the absolute times beside them in grey."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.row import Row

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))  # [s]


def print_rows(title: str, rows: Sequence[Row], console: Console | None = None) -> None:
    """One table, with what was measured below it."""
    console = console or Console(width=None if Console().is_terminal else 140)
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measured", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("bar", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("times", style="dim", no_wrap=True)
    table.add_column("note", style="dim", overflow="fold")
    for row in rows:
        table.add_row(row.name, value_of(row), row.bar, _verdict(row), times_of(row), row.note)
    console.print(table)


def print_summary(rows: Sequence[Row], console: Console | None = None) -> None:
    """How many bars are met, and which are not."""
    console = console or Console()
    barred = [row for row in rows if row.ok is not None]
    failed = [row.name for row in barred if not row.ok]
    console.print(f"{len(barred) - len(failed)} of {len(barred)} bars are met", highlight=False)
    for name in failed:
        console.print(Text(f"not met: {name}", style="red"))


def value_of(row: Row) -> str:
    """The value with its unit, to three digits; a dash where nothing was measured."""
    return "–" if row.value is None else f"{_digits(row.value)} {'×' if row.unit == 'x' else row.unit}"


def times_of(row: Row) -> str:
    """The times behind a row, each in a unit that suits it."""
    return ", ".join(f"{name} {_time(value)}" for name, value in row.seconds.items())


def _verdict(row: Row) -> Text:
    if row.ok is None:
        return Text("")
    return Text("pass", style="green") if row.ok else Text("FAIL", style="bold red")


def _time(seconds: float) -> str:
    scale, unit = next((u for u in _UNITS if seconds >= u[0]), _UNITS[-1])
    return f"{_digits(seconds / scale)} {unit}"


def _digits(value: float) -> str:
    """Three significant digits without an exponent where that is readable."""
    if value == 0.0 or not 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}"
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
