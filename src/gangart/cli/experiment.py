"""gangart experiment: what the theses found, found again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangart.cli import output

if TYPE_CHECKING:
    from gangart.experiments import Report

EXAMPLES = ("gangart experiment list", "gangart experiment run gearbox-bench --quick")

_app = typer.Typer(rich_markup_mode="rich", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add `gangart experiment` to the command line."""
    app.add_typer(_app, name="experiment")


@_app.callback(epilog=output.examples(*EXAMPLES))
def experiment() -> None:
    """Published experiments, run again: the thesis's figures beside ours."""


@_app.command("list", epilog=output.examples("gangart experiment list", "gangart experiment list --json"))
def list_(as_json: output.AsJson = False) -> None:
    """Which experiments there are, one line each."""
    from gangart.experiments import EXPERIMENTS

    if as_json:
        found = [{"name": name, "line": e.line, "source": e.pages} for name, e in EXPERIMENTS.items()]
        output.print_json({"experiments": found})
        return
    wide = max(len(name) for name in EXPERIMENTS)
    for name, e in EXPERIMENTS.items():
        output.print_line(f"{name:<{wide}}  {e.line} ({e.pages})")


@_app.command("run", epilog=output.examples(EXAMPLES[1], "gangart experiment run flexible-bench --json --seed 3"))
def run_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of `gangart experiment list`.")],
    quick: Annotated[bool, typer.Option("--quick", help="A shortened version, within a minute.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Write the report into a folder in this one.")] = Path(
        "out/experiments"
    ),
    seed: Annotated[int, typer.Option(help="What is random comes from it.")] = 0,
    as_json: output.AsJson = False,
) -> None:
    """Run one experiment again and write its report: a page with figures (HTML and PNG), and JSON."""
    from gangart.experiments import Setting, run, write
    from gangart.experiments import as_json as report_as_json

    output.tell_of_compiling()
    with _progress(name, hidden=as_json) as progress:
        report = run(name, Setting(quick=quick, seed=seed, progress=progress))
    written = write(report, out)
    if as_json:
        files = {"page": written.page, "data": written.data, "files": list(written.pictures)}
        output.print_json({**report_as_json(report), **files})
        return
    _print(report)
    output.print_line(f"Report: {written.page}")


def _print(report: Report) -> None:
    from gangart.experiments.report import exact, shown

    rows: list[list[Any]] = [
        [row.quantity, exact(row.thesis, row.unit), shown(row.ours, row.unit), row.unit, row.source]
        for row in report.rows
    ]
    output.print_table(report.title, ["quantity", "thesis", "ours", "unit", "source"], rows)
    mark = {True: "✓", False: "✗", None: "·"}
    for verdict in report.verdicts:
        output.print_line(f"{mark[verdict.holds]} {verdict.sentence}")
    output.print_line()


@contextmanager
def _progress(title: str, hidden: bool) -> Iterator[Callable[[float], None]]:
    """A bar on standard error; yields what moves it, from 0 to 1."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda part: bar.update(task, completed=part)
