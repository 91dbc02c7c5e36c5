"""gangart walk: a robot walks in simulation, and the figures say how well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangart.cli import engines, output, walking
from gangart.errors import BadValue

if TYPE_CHECKING:
    from gangart.control import BipedEngine, CyclicEngine
    from gangart.robots import Robot
    from gangart.robots.wear import Wear
    from gangart.signals import Command
    from gangart.simulation import Fidelity

EXAMPLES = ("gangart walk nao --vx 0.2", "gangart walk nao --vx 0.1 --wz 0.3 --plot out/ --record run.mcap")
_MORE = (
    "gangart walk nao --vy 0.03 --stop 8 --duration 12",
    "gangart walk nao --vx 0.2 --zmp stationary --friction 0.25 --json",
    "gangart walk nao --vx 0.15 --push 0.8 --feedback 0.3 --view",
    "gangart walk nao --level VS --wear emil --compensate best",
    "gangart walk quadruped --gait predictive-trot --vx 0.5 --push 17.5 --plot out/",
    "gangart walk quadruped --gait trot --vx 1.0 --push 25 --balance",
)
_SPEED = 0.2  # [m/s] ahead, where no speed is given
_SETTINGS = {  # the rules of the robot file's [walk]
    "double_step_duration": ("--double-step", 0.1, 10.0),
    "double_support_ratio": ("--double-support", 0.02, 0.9),
    "step_height": ("--step-height", 0.0, 1.0),
    "com_height": ("--com-height", 0.001, 10.0),
}
_PUSH = 0.05  # [s] that a push lasts, on two legs
_KICK = 0.001  # [s] and on four (Bahr 8.2)


def register(app: typer.Typer) -> None:
    """Add `gangart walk` to the command line."""
    app.command(epilog=output.examples(*EXAMPLES, *_MORE))(walk)


def walk(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A name, or the path of a robot.toml.")] = "nao",
    vx: Annotated[
        float | None, typer.Option(help="Speed ahead \\[m/s].", show_default="0.2 if no speed is given")
    ] = None,
    vy: Annotated[float | None, typer.Option(help="Speed to the left \\[m/s].", show_default="0")] = None,
    wz: Annotated[float | None, typer.Option(help="Turn to the left \\[rad/s].", show_default="0")] = None,
    duration: Annotated[float, typer.Option(help="How long \\[s].")] = 20.0,
    stop: Annotated[float | None, typer.Option(help="Ask it to stand from this time on \\[s].")] = None,
    gait: Annotated[
        str | None, typer.Option(help="Of a robot with four legs.", show_default="the first of its file")
    ] = None,
    balance: Annotated[bool, typer.Option("--balance", help="On four legs: react to what the sensors say.")] = False,
    zmp: Annotated[str | None, typer.Option(help="ZMP reference: bezier or stationary.", show_default="bezier")] = None,
    double_step: Annotated[float | None, typer.Option(help="Duration of a double step \\[s].")] = None,
    double_support: Annotated[float | None, typer.Option(help="Part of it on both feet, 0.02…0.9.")] = None,
    step_height: Annotated[float | None, typer.Option(help="Height of the swing foot \\[m].")] = None,
    com_height: Annotated[float | None, typer.Option(help="Height of the centre of mass \\[m].")] = None,
    adaptation: Annotated[
        str | None, typer.Option(help="Of the centre of mass: iterated or measured.", show_default="iterated")
    ] = None,
    feedback: Annotated[
        float | None,
        typer.Option(help="Part of the measured ZMP that is fed back, 0…1; 0.3 helps most.", show_default="0"),
    ] = None,
    friction: walking.Friction = 0.8,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            help="Of realism: BS (ideal), VS (all defects), or a sum like BS+MT+GT.",
            show_default="BS; BS+MT for motors with a drive",
        ),
    ] = None,
    wear: walking.WearSet = None,
    compensate: walking.Compensate = None,
    push: Annotated[
        float,
        typer.Option(help=r"Impulse to the left on the base, in the middle of the walk \[N s]; on four legs in 1 ms."),
    ] = 0.0,
    record: walking.Record = None,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write pictures into this folder.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Replay it in MuJoCo's viewer afterwards.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="With --view: in the browser.")] = False,
    as_json: output.AsJson = False,
) -> None:
    """Walk a robot in simulation and measure how well it walked.

    On the base level joints follow their targets nearly ideally, on flat ground; --level VS adds the defects of real
    motors, gearboxes and links. Speeds beyond the robot's limits are limited, and a sentence says so. A robot with four
    legs walks in one of the gaits of its file.
    """
    from gangart.signals import Command

    given = [v for v in (vx, vy, wz) if v is not None]
    command = Command(vx or 0.0, vy or 0.0, wz or 0.0) if given else Command(_SPEED)
    _check_times(duration, stop)
    _in_range("--push", push, -1e6, 1e6, "be a finite number")
    from gangart.robots import load

    found = _changed(
        load(robot),
        double_step_duration=double_step,
        double_support_ratio=double_support,
        step_height=step_height,
        com_height=com_height,
    )
    named = engines.gait_of(found, gait)
    asked_of_two = (zmp, double_step, double_support, com_height, adaptation, feedback, compensate)
    output.tell_of_compiling()
    from gangart.robots.wear import load_wear, worn
    from gangart.simulation import Ground, Push, World, simulate
    from gangart.simulation.model import needs_wear

    fidelity = engines.level_of(found, level)
    used = load_wear(found, wear or next(iter(worn(found)), "")) if needs_wear(found, fidelity) else None
    engine: BipedEngine | CyclicEngine
    if named is not None:
        engine = _on_four_legs(found, named, fidelity, balance, step_height, asked_of_two)
    else:
        _only_on_four("--balance", balance, found)
        settings = {"zmp": zmp or "bezier", "adaptation": adaptation or "iterated", "feedback": feedback or 0.0}
        engine = _on_two_legs(found, settings, used, compensate, command, as_json)
    world = World(found, fidelity, Ground(friction), wear=used)
    world.reset(*engine.stance(), settle=1.0 if used else 0.5)
    if push:
        lasts = _PUSH if named is None else _KICK
        world.push(Push(duration / 2.0, lasts, (0.0, push / lasts, 0.0)))
    with output.progress(f"{found.name} walks", duration, hidden=as_json) as advance:
        recording = simulate(world, engine, _commands(command, stop), duration, record=record, progress=advance)
    for note in (*recording.info["notes"], recording.info["diverged"]):
        if note:
            output.warn(note)
    figures = walking.figures_of(recording, found)
    written = walking.draw(recording, found, figures, plot) if plot else {}
    if as_json:
        asked = {"robot": found.name, "command": [command.vx, command.vy, command.wz], "friction": friction}
        asked |= {"zmp": None if named else zmp or "bezier", "gait": named, "balance": balance if named else None}
        asked |= {"level": fidelity.name, "wear": used and used.name, "diverged": recording.info["diverged"]}
        asked |= {"compensate": compensate}
        output.print_json(
            walking.as_json(figures, {**asked, "notes": recording.info["notes"], "recording": record, **written})
        )
    else:
        walking.print_figures(f"{found.name}: {_said(command)}", figures)
        for path in (record, *written.values()):
            if path is not None:
                output.print_line(f"Written: {path}")
    if view:
        walking.show(recording, found, browser)


def _on_two_legs(
    robot: Robot, settings: dict[str, Any], wear: Wear | None, compensate: str | None, command: Command, quiet: bool
) -> BipedEngine:
    from gangart.control import BipedEngine

    engine = BipedEngine(robot, **settings)
    if compensate is None:
        return engine
    return BipedEngine(robot, **settings, compensation=walking.compensation(engine, wear, compensate, command, quiet))


def _on_four_legs(
    robot: Robot,
    gait: str,
    fidelity: Fidelity,
    balance: bool,
    step_height: float | None,
    asked_of_two: tuple[object, ...],
) -> CyclicEngine:
    import dataclasses

    if any(option is not None for option in asked_of_two):
        raise BadValue(f"{engines.BIPED_ONLY} are for two legs; {robot.name} has four and takes --gait and --balance")
    if step_height is not None:
        settings = dataclasses.replace(robot.gaits[gait], step_height=step_height)
        robot = dataclasses.replace(robot, gaits={**robot.gaits, gait: settings})
    return engines.cyclic_engine(robot, gait, fidelity, balance)


def _only_on_four(option: str, given: bool, robot: Robot) -> None:
    if given:
        raise BadValue(f"{option} is for robots with gaits; {robot.name} has none")


def _check_times(duration: float, stop: float | None) -> None:
    if not 0.0 < duration < 1e5:
        raise BadValue(f"--duration is {duration:g} s; it has to be above 0 and below 100000")
    if stop is not None and not 0.0 <= stop <= duration:
        raise BadValue(f"--stop is {stop:g} s; it has to lie within the duration of {duration:g} s")


def _in_range(option: str, value: float, low: float, high: float, rule: str) -> None:
    if not low <= value <= high:
        raise BadValue(f"{option} is {value:g}; it has to {rule}")


def _changed(robot: Robot, **settings: float | None) -> Robot:
    """The robot with other walk settings than those of its file."""
    import dataclasses

    given = {name: value for name, value in settings.items() if value is not None}
    for name, value in given.items():
        option, low, high = _SETTINGS[name]
        _in_range(option, value, low, high, f"lie in {low:g}…{high:g}")
    if robot.walk is None or not given:
        return robot
    return dataclasses.replace(robot, walk=dataclasses.replace(robot.walk, **given))  # type: ignore[arg-type]  # only numbers


def _commands(command: Command, stop: float | None) -> Command | Callable[[float], Command]:
    if stop is None:
        return command
    stand = type(command)()
    return lambda time: command if time < stop else stand


def _said(command: Command) -> str:
    return f"vx {command.vx:g} m/s, vy {command.vy:g} m/s, wz {command.wz:g} rad/s"
