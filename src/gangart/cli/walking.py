"""What commands that walk share: the machine that walks, and how the figures of a walk are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangart.cli import output
from gangart.errors import BadValue, MissingTool

if TYPE_CHECKING:
    from gangart.analysis import WalkFigures
    from gangart.compensation import Compensation
    from gangart.control import BipedEngine
    from gangart.robots import Robot
    from gangart.robots.wear import Wear
    from gangart.signals import Command, Recording
    from gangart.simulation import Fidelity, World

Friction = Annotated[float, typer.Option(help="Of the soles on the ground.")]
Level = Annotated[
    str, typer.Option("--level", help="Of realism: BS (ideal), VS (all defects), or a sum like BS+MT+GT.")
]
WearSet = Annotated[str | None, typer.Option(help="Set of wear of the robot's worn.toml.", show_default="the first")]
Compensate = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="best, or some of zmp, offsets, constant, arms, patient-arms, slip: a,b,c."),
]
Feedback = Annotated[float, typer.Option(help="Part of the measured ZMP that is fed back, 0…1; 0.3 helps most.")]
Record = Annotated[Path | None, typer.Option(metavar="PATH", help="Write everything to an MCAP file.")]


@dataclass(frozen=True)
class Machine:
    """A robot as the command line wants it simulated."""

    robot: Robot
    fidelity: Fidelity
    wear: Wear | None
    friction: float

    def world(self, engine: BipedEngine) -> World:
        """A world with the robot standing as an engine wants it."""
        from gangart.simulation import Ground, World

        world = World(self.robot, self.fidelity, Ground(self.friction), wear=self.wear)
        world.reset(*engine.stance(), settle=1.0 if self.wear else 0.5)
        return world


def compensation(engine: BipedEngine, wear: Wear | None, names: str, command: Command, quiet: bool) -> Compensation:
    """What `--compensate` names, for an engine that has none."""
    from gangart.compensation import BEST, compensation_of

    parts = BEST if names == "best" else [name.strip() for name in names.split(",")]
    with output.progress("preparing compensations", 1.0, hidden=quiet) as advance:
        return compensation_of(engine, wear, parts, command=command, progress=advance)


def machine_of(robot: Robot, level: str, wear: str | None, friction: float) -> Machine:
    """A robot on a level of realism, with one of its sets of wear where the level needs it."""
    from gangart.robots.wear import load_wear, worn
    from gangart.simulation import fidelity_of

    fidelity = fidelity_of(level)
    used = load_wear(robot, wear or next(iter(worn(robot)), "")) if fidelity.needs_wear else None
    return Machine(robot, fidelity, used, friction)


def figures_of(recording: Recording, robot: Robot) -> WalkFigures:
    """The figures of a walk."""
    from gangart.analysis import walk_figures

    return walk_figures(recording, robot)


def print_figures(title: str, f: WalkFigures) -> None:
    """The figures of a walk as a table, in millimetres and degrees."""
    vx, vy, wz = f.mean_velocity
    fx, fy = f.orientation_error
    rows = [
        ("fell", f"after {f.fell_at:.2f} s" if f.fell_at is not None else "no", "", ""),
        ("duration", f"{f.duration:.2f}", "s", ""),
        ("mean speed ahead", f"{vx * 1e3:.1f}", "mm/s", "of the base in its own frame, steady part"),
        ("mean speed aside", f"{vy * 1e3:.1f}", "mm/s", "to the left"),
        ("mean turn", f"{math.degrees(wz):.2f}", "°/s", "to the left"),
        ("distance", f"{f.distance * 1e3:.0f}", "mm", "from start to end"),
        ("drift", f"{math.hypot(*f.drift) * 1e3:.1f}", "mm", "base against plan, steady part"),
        ("steps", str(f.steps), "", ""),
        ("step length", f"{f.step_length * 1e3:.1f}", "mm", "between successive footprints"),
        ("orientation error f_x", f"{fx:.3g}", "rad²", "sum of squared tilt at 1 kHz"),
        ("orientation error f_y", f"{fy:.3g}", "rad²", ""),
        ("largest tilt", f"{math.degrees(f.tilt_max):.3f}", "°", ""),
        ("ZMP error", f"{f.zmp_error * 1e3:.1f}", "mm", "root mean square, measured against reference"),
        ("least ZMP margin", f"{f.zmp_margin_min * 1e3:.1f}", "mm", "to the edge of the support polygon"),
        ("farthest slip", f"{f.slip * 1e3:.2f}", "mm", "of a sole during one support"),
    ]
    known = [(name, "–" if value == "nan" else value, unit, note) for name, value, unit, note in rows]
    output.print_table(title, ["figure", "value", "unit", "note"], known)


def draw(recording: Recording, robot: Robot, figures: WalkFigures, folder: Path) -> dict[str, Path]:
    """Write the plots into a folder; what cannot be drawn is said, not fatal."""
    from gangart.analysis.film import film
    from gangart.analysis.plots import walk_plot

    written: dict[str, Path] = {}
    try:
        written["plot"] = walk_plot(recording, robot, figures, folder / f"{recording.robot}-zmp.png")
        written["film"] = film(recording, robot, folder / f"{recording.robot}-walk.png")
    except MissingTool as error:
        output.warn(f"no strip of pictures: {error}")
    except OSError as error:
        raise BadValue(f"cannot write plots into {folder}: {error.strerror or error}") from error
    return written


def show(recording: Recording, robot: Robot, browser: bool) -> None:
    """Replay in MuJoCo's viewer."""
    from gangart.analysis.replay import OPEN_PORT, replay, wants_browser

    browser = browser or wants_browser()
    if browser:
        output.warn(OPEN_PORT)
    replay(recording, robot, browser=browser)


def as_json(figures: WalkFigures, more: dict[str, Any]) -> dict[str, Any]:
    """The figures with what else the command has to say, for JSON."""
    return {**figures.as_dict(), **more}
