"""How commands speak: tables for people, one JSON object for programs, warnings beside both."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object in SI units instead.")]

_WIDE = 120  # [characters] of a line when nobody looks: a pipe or a file


def examples(*lines: str) -> str:
    """The epilog of a help text: commands to try, one per line."""
    from rich.markup import escape

    return "\n\n".join(["[bold]Examples[/bold]", *(f"[cyan]{escape(line)}[/cyan]" for line in lines)])


def console() -> Console:
    """Standard output, wide where it is not a terminal."""
    from rich.console import Console

    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(file=sys.stdout, width=None if narrow else _WIDE, highlight=False)


def print_line(text: str = "", style: str | None = None) -> None:
    """One line of text, as it is: brackets are not markup."""
    console().print(text, style=style, markup=False, soft_wrap=True)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; columns after the first are set right, where they hold numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows = [[str(cell) for cell in row] for row in rows]
    made = Table(title=Text(title, style="bold"), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for i, column in enumerate(columns):
        right = bool(rows) and all(_is_numeric(row[i]) for row in rows)
        made.add_column(Text(column), justify="right" if right else "left")
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    console().print(made)


def print_json(data: Mapping[str, Any]) -> None:
    """Exactly one JSON object on standard output; what is not a number (NaN, infinity) becomes null."""
    typer.echo(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False))


def warn(sentence: str) -> None:
    """A sentence on standard error, on one line."""
    typer.echo(f"gangart: {' '.join(sentence.split())}", err=True)


def tell_of_compiling() -> None:
    """Say so when kernels are compiled: only a first run does that, and it takes its time."""
    from gangart.compiled import tell_when_compiling

    tell_when_compiling(lambda: warn("compiling the kernels; this happens once and takes about half a minute"))


@contextmanager
def progress(title: str, total: float, hidden: bool = False, unit: str = "s") -> Iterator[Callable[[float], None]]:
    """A bar on standard error over `total` seconds of simulated time, or of something else; yields what moves it."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    digits = 1 if unit == "s" else 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.completed:.{digits}f}} of {{task.total:g}} {unit}"),
    )
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def plain(value: Any) -> Any:
    """Arrays, paths, tuples and mappings as JSON knows them."""
    if isinstance(value, Mapping):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # NumPy, without importing it here
        return plain(value.tolist())
    if isinstance(value, Iterable):
        return [plain(v) for v in value]
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _is_numeric(cell: str) -> bool:
    return not cell.strip(" 0123456789.,+-−…–")
