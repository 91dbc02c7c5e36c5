"""gangart analyze: how well a recorded walk went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gangart.cli import output, walking

EXAMPLES = ("gangart analyze run.mcap --plot out/",)


def register(app: typer.Typer) -> None:
    """Add `gangart analyze` to the command line."""
    app.command(
        epilog=output.examples(*EXAMPLES, "gangart analyze run.mcap --json", "gangart analyze run.mcap --view")
    )(analyze)


def analyze(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="An MCAP file of `gangart walk --record`.")],
    robot: Annotated[
        str | None, typer.Option(help="The robot, if it is not one of ours: path of its robot.toml.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write pictures into this folder.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Replay it in MuJoCo's viewer.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="With --view: in the browser.")] = False,
    as_json: output.AsJson = False,
) -> None:
    """Measure a recorded walk: speed, tilt, ZMP margin, slip; draw it, or watch it again.

    A file that was cut off gives what is left of it, and a warning.
    """
    from gangart.recordings import load
    from gangart.robots import load as load_robot

    found = load(recording)
    if found.info.get("truncated"):
        output.warn(f"{recording} was cut off; these are the {found.duration:.2f} s that are left of it")
    body = load_robot(robot or found.robot)
    output.tell_of_compiling()
    figures = walking.figures_of(found, body)
    written = walking.draw(found, body, figures, plot) if plot else {}
    if as_json:
        more = {"robot": found.robot, "recording": recording, "truncated": bool(found.info.get("truncated"))}
        output.print_json(walking.as_json(figures, {**more, **written}))
    else:
        walking.print_figures(str(recording), figures)
        for path in written.values():
            output.print_line(f"Written: {path}")
    if view:
        walking.show(found, body, browser)
