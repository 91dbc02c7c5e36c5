"""gangart diagnose: why a walk does not go as planned."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gangart.cli import output
from gangart.errors import BadValue

if TYPE_CHECKING:
    from gangart.analysis.diagnosis import Diagnosis, Symptoms
    from gangart.robots import Robot
    from gangart.robots.wear import Wear
    from gangart.signals import Recording

EXAMPLES = ("gangart diagnose run.mcap", "gangart diagnose --robot nao --vx 0.2 --wear bert")


def register(app: typer.Typer) -> None:
    """Add `gangart diagnose` to the command line."""
    app.command(epilog=output.examples(*EXAMPLES))(diagnose)


def diagnose(
    recording: Annotated[
        Path | None, typer.Argument(metavar="[RECORDING]", help="A simulated walk of `gangart walk --record`.")
    ] = None,
    robot: Annotated[str, typer.Option(help="Without a recording: walk this robot first.")] = "nao",
    vx: Annotated[float, typer.Option(help="Without a recording: speed ahead \\[m/s].")] = 0.2,
    vy: Annotated[float, typer.Option(help="Without a recording: speed to the left \\[m/s].")] = 0.0,
    wz: Annotated[float, typer.Option(help="Without a recording: turn to the left \\[rad/s].")] = 0.0,
    duration: Annotated[float, typer.Option(help="Without a recording: how long \\[s].")] = 20.0,
    friction: Annotated[float, typer.Option(help="Without a recording: of the soles on the ground.")] = 1.0,
    wear: Annotated[
        str | None, typer.Option(help="The set of wear of the robot's worn.toml.", show_default="the first")
    ] = None,
    plot: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the picture.")] = Path("out"),
    as_json: output.AsJson = False,
) -> None:
    """Find out why a walk does not go as planned.

    The same joint targets are simulated again with one cause at a time removed: motors, gearboxes, bending links,
    slippery ground; and the walk is planned anew with the dynamics that the one-mass model leaves out. The table
    says what each cause does to tilt, speed, early touch-down and slip, worst first.
    """
    from gangart.robots import load

    output.tell_of_compiling()
    if recording is not None:
        from gangart.recordings import load as load_recording

        found = load_recording(recording)
        body = load(found.robot if robot == "nao" else robot)
    else:
        body = load(robot)
        found = _walk(body, (vx, vy, wz), duration, friction, wear, as_json)
    if "fidelity" not in found.info:
        raise BadValue(f"{recording} does not say how it was simulated: only simulated walks can be diagnosed yet")
    from gangart.analysis.diagnosis import as_dict
    from gangart.analysis.diagnosis import diagnose as find
    from gangart.analysis.diagnosis_plot import diagnosis_plot

    used = _wear(body, wear or found.info.get("wear"))
    with output.progress("looking for causes", 1.0, hidden=as_json) as advance:
        diagnosis = find(found, body, used, advance)
    title = f"{body.name}, wear {used.name}" if used else body.name
    path = diagnosis_plot(diagnosis, title, plot / f"{body.name}-diagnosis.png")
    for note in diagnosis.notes:
        output.warn(note)
    if as_json:
        output.print_json({**as_dict(diagnosis), "robot": body.name, "wear": used and used.name, "plot": path})
        return
    _print(title, diagnosis)
    output.print_line(f"Written: {path}")


def _wear(robot: Robot, name: str | None) -> Wear | None:
    from gangart.robots.wear import load_wear

    return load_wear(robot, name) if name else None


def _walk(
    robot: Robot, velocity: tuple[float, float, float], duration: float, friction: float, wear: str | None, quiet: bool
) -> Recording:
    from gangart.control import BipedEngine
    from gangart.robots.wear import load_wear, worn
    from gangart.signals import Command
    from gangart.simulation import FULL, Ground, World, simulate

    if not 0.0 < duration < 1e4:
        raise BadValue(f"--duration is {duration:g} s; it has to be above 0 and below 10000")
    name = wear or next(iter(worn(robot)), "")
    engine = BipedEngine(robot)
    world = World(robot, FULL, Ground(friction), wear=load_wear(robot, name))
    world.reset(*engine.stance(), settle=1.0)
    with output.progress(f"{robot.name} walks", duration, hidden=quiet) as advance:
        return simulate(world, engine, Command(*velocity), duration, progress=advance)


def _print(title: str, d: Diagnosis) -> None:
    from gangart.analysis.diagnosis import WORDS
    from gangart.analysis.diagnosis_plot import percent

    rows = [("the walk", "", *_cells(d.walk))]
    rows += [(f"without {WORDS[f.cause]}", percent(f.blame), *_cells(f.without, f.share)) for f in d.findings]
    rows.append(("ideal machine, planned as is", "", *_cells(d.ideal)))
    alone = [(f.cause, f.alone) for f in d.findings if f.alone is not None and f.cause != "dynamics"]
    rows += [(f"{WORDS[cause]} alone", "", *_cells(found)) for cause, found in alone]
    columns = ["", "blame", "f_x [rad²]", "f_y [rad²]", "speed error [mm/s]", "early [ms]", "slip [mm]"]
    output.print_table(f"{title}: {d.sentence()}", columns, rows)


def _cells(s: Symptoms, share: dict[str, float] | None = None) -> tuple[str, ...]:
    """One row; with the shares that went, the tilt says how much it changed."""
    from gangart.analysis.diagnosis_plot import change

    if s.fell:
        return ("fell", "fell", "", "", "")
    tilt = [f"{v:.3g}" + (f" ({change(share[k])})" if share else "") for k, v in (("f_x", s.f_x), ("f_y", s.f_y))]
    rest = (f"{s.speed * 1e3:+.1f}", f"{s.early * 1e3:.0f}", f"{s.slip * 1e3:.1f}")
    return (*tilt, *("-" if math.isnan(float(v)) else v for v in rest))
