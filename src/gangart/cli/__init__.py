"""The command line. Every room's commands are one module here; what is heavy is imported inside the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from gangart import __version__
from gangart.cli import analyze, diagnose, drive, experiment, output, plan, robots, train, walk
from gangart.errors import GangartError

# A module of commands has register(app), which adds its commands; the help lists them in this order.
COMMANDS = (walk, drive, plan, train, analyze, diagnose, experiment, robots)

app = typer.Typer(
    name="gangart",
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in COMMANDS:
    module.register(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"gangart {__version__}")
        raise typer.Exit


@app.callback(epilog=output.examples(*(line for module in COMMANDS for line in module.EXAMPLES)))
def gangart(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Make legged machines walk, see why they do not walk as planned, and close that gap.

    Every command takes [bold]--help[/bold] and [bold]--json[/bold] (one object, SI units).
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 what was asked for cannot be, 130 interrupted."""
    try:
        app(args=args, prog_name="gangart")
    except GangartError as error:
        output.warn(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
