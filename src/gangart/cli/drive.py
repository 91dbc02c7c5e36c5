"""gangart drive: a robot walks in simulation as somebody steers it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gangart.cli import engines, output, walking
from gangart.cli.status import Status
from gangart.errors import BadValue

if TYPE_CHECKING:
    from gangart.control import BipedEngine, GaitSelector
    from gangart.robots import Robot
    from gangart.signals import Command
    from gangart.simulation import World

EXAMPLES = ("gangart drive nao --source keyboard",)
_MORE = (
    "gangart drive nao --source gamepad --record run.mcap",
    "gangart drive nao --source gamepad:pad.events --for 30",
    "gangart drive nao --source socket:9870 --for 60",
    "gangart drive quadruped --gait predictive-trot",
    "gangart drive nao --source script:tour.toml --speed 0 --json",
)
_MOST_NOTES = 4
_TERMINATED = 143  # exit code, as shells count: 128 + SIGTERM


def register(app: typer.Typer) -> None:
    """Add `gangart drive` to the command line."""
    app.command(epilog=output.examples(*EXAMPLES, *_MORE))(drive)


def drive(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A name, or the path of a robot.toml.")] = "nao",
    source: Annotated[
        str,
        typer.Option(
            metavar="SOURCE",
            help="Who steers: keyboard, gamepad[:PATH], spacemouse[:PATH], socket:[HOST:]PORT or script:PATH. "
            "A PATH is a device, a pipe, or a recording of one. A socket has no login: without HOST it hears this "
            "machine only.",
        ),
    ] = "keyboard",
    gait: Annotated[
        str | None, typer.Option(help="Of a robot with four legs.", show_default="the first of its file")
    ] = None,
    duration: Annotated[float, typer.Option("--for", metavar="SECONDS", help="How long at the most.")] = 300.0,
    speed: Annotated[
        float, typer.Option(help="Seconds of simulation per second: 1 is real time, 0 as fast as it goes.")
    ] = 1.0,
    friction: Annotated[float, typer.Option(help="Of the soles on the ground.")] = 0.8,
    record: Annotated[Path | None, typer.Option(metavar="PATH", help="Write everything to an MCAP file.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write pictures into this folder.")] = None,
    as_json: output.AsJson = False,
) -> None:
    """Steer a robot while it walks in simulation, in real time.

    On the keyboard, w, s, a, d, q, e, j, l and the arrows walk as long as they are held, + and - change the speed,
    space stops, and x quits. All keys, sticks and buttons are listed when the drive begins. A device that is lost or
    silent stops the robot. Ctrl-C ends the drive without figures; what was recorded is kept.
    """
    if not 0.0 < duration < 1e5:
        raise BadValue(f"--for is {duration:g} s; it has to be above 0 and below 100000")
    from gangart.control.sources import Scale, Steering, help_of, open_source
    from gangart.robots import load
    from gangart.simulation import Ground, Pace, World, simulate

    found = load(robot)
    gait = engines.gait_of(found, gait)
    scale = Scale.of(found)
    status = Status(hidden=as_json or not sys.stderr.isatty(), period=_period(found, gait))
    pace = Pace(speed, status.say)
    output.tell_of_compiling()
    engine = _engine(found, gait)
    world = World(found, engines.level_of(found, None), Ground(friction))
    _warm_up(world, engine)
    world.reset(*engine.stance())
    gaits = getattr(engine, "gaits", ())
    with status, _terminated_properly(), open_source(source, scale, gaits, status.say) as steers:
        if not as_json and (rows := help_of(source)):
            output.print_table(f"{found.name}: how to steer", ["press", "does"], rows)
        steering = Steering(steers, engine, status.say)

        def commands(time: float) -> Command:
            pace.wait(time)
            return steering(time)

        recording = simulate(
            world,
            engine,
            commands,
            duration,
            record=record,
            info={"source": source},
            progress=lambda time: status.show(steering.wish, world, pace.achieved(time)),
            until=lambda: steering.wish.quit,
        )
    achieved = pace.achieved(world.time)
    for note in _few([*recording.info["notes"], recording.info["diverged"] or ""]):
        output.warn(note)
    figures = walking.figures_of(recording, found)
    written = walking.draw(recording, found, figures, plot) if plot else {}
    if as_json:
        asked = {"robot": found.name, "gait": gait, "source": source, "friction": friction, "real_time": achieved}
        asked |= {"diverged": recording.info["diverged"], "notes": recording.info["notes"]}
        output.print_json(walking.as_json(figures, {**asked, "recording": record, **written}))
        return
    walking.print_figures(f"{found.name}: steered by {source}, {achieved:.2f} times real time", figures)
    for path in (record, *written.values()):
        if path is not None:
            output.print_line(f"Written: {path}")


def _engine(robot: Robot, gait: str | None) -> BipedEngine | GaitSelector:
    """What drives this robot."""
    from gangart.control import BipedEngine, GaitSelector

    if gait is None:
        return BipedEngine(robot)
    return GaitSelector(robot, gait, bearing=engines.level_of(robot, None).motor)


def _warm_up(world: World, engine: BipedEngine | GaitSelector) -> None:
    """Compile whatever a drive needs now: later, somebody would wait for the robot to move."""
    from gangart.signals import Command
    from gangart.simulation import simulate

    world.reset(*engine.stance())
    simulate(world, engine, Command(), world.robot.tick)


def _period(robot: Robot, gait: str | None) -> float:
    """Of its walk [s]."""
    if gait is not None:
        return robot.gaits[gait].cycle
    return robot.walk.double_step_duration if robot.walk is not None else 1.0


def _few(notes: list[str]) -> list[str]:
    """The first of many sentences: who steers beyond a limit does so at every speed anew."""
    said = [note for note in notes if note]
    left = len(said) - _MOST_NOTES
    return said if left <= 0 else [*said[:_MOST_NOTES], f"and {left} more like these; --json holds them all"]


@contextmanager
def _terminated_properly() -> Iterator[None]:
    """Who terminates the drive gets the terminal back as it was, and a recording that is whole."""

    def leave(*_: object) -> None:
        sys.exit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
