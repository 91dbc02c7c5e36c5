"""gangart robots: which bodies there are, what one of them is made of, and whether a file describes one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangart.cli import output
from gangart.errors import BadValue, MissingTool

if TYPE_CHECKING:
    from gangart.robots import Robot

EXAMPLES = ("gangart robots", "gangart robots show nao", "gangart robots check my_robot/robot.toml")

_Which = Annotated[str, typer.Argument(metavar="ROBOT", help="A name from the list, or the path of a robot.toml.")]

_app = typer.Typer(rich_markup_mode="rich", invoke_without_command=True)


def register(app: typer.Typer) -> None:
    """Add `gangart robots` to the command line."""
    app.add_typer(_app, name="robots")


@_app.callback(epilog=output.examples(*EXAMPLES))
def robots(ctx: typer.Context, as_json: output.AsJson = False) -> None:
    """Which robots there are, and what they are made of.

    Without a further command: list the robots that come with gangart.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise BadValue(f"--json stands before '{ctx.invoked_subcommand}'; write it at the end of the command")
        return
    from gangart.robots import load, names

    found = [load(name) for name in names()]
    if as_json:
        output.print_json({"robots": [_summary(robot) for robot in found]})
        return
    rows = [[r.name, r.title, f"{r.mass:.2f}", len(r.legs), len(r.joints)] for r in found]
    output.print_table("Robots", ["name", "title", "mass [kg]", "legs", "joints"], rows)


@_app.command(epilog=output.examples("gangart robots show nao", "gangart robots show nao --json --no-picture"))
def show(
    robot: _Which,
    picture: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Where to write its picture.", show_default="out/ROBOT.png")
    ] = None,
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Do not draw it.")] = False,
    as_json: output.AsJson = False,
) -> None:
    """What a robot is made of: mass, legs, joints, motors, feet, what its walk may be asked for; and its picture."""
    from gangart.robots import load

    if picture is not None and no_picture:
        raise BadValue("--picture and --no-picture contradict each other; give one of them")
    found = load(robot)
    drawn = None if no_picture else _draw(found, picture or Path("out") / f"{found.name}.png")
    if as_json:
        output.print_json({**_details(found), "picture": drawn})
        return
    _print(found)
    if drawn:
        output.print_line(f"Picture: {drawn}")


@_app.command(epilog=output.examples("gangart robots check my_robot/robot.toml"))
def check(robot: _Which, as_json: output.AsJson = False) -> None:
    """Whether a robot.toml and its model fit together; if not, one sentence says why (exit code 2)."""
    from gangart.robots import load

    found = load(robot)
    if as_json:
        output.print_json(_summary(found))
        return
    parts = f"{found.mass:.2f} kg, {_count(len(found.legs), 'leg')}, {_count(len(found.joints), 'joint')}"
    walk = "ready to walk" if found.walk else "no [walk] yet"
    output.print_line(f"{found.name} is sound: {parts}, {walk}")


def _draw(robot: Robot, path: Path) -> Path | None:
    from gangart.robots.picture import picture

    try:
        return picture(robot, path)
    except MissingTool as error:
        output.warn(f"no picture: {error}")
        return None
    except OSError as error:
        raise BadValue(f"cannot write picture {path}: {error.strerror or error}") from error


def _summary(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "title": robot.title,
        "mass": robot.mass,
        "legs": list(robot.legs),
        "joints": list(robot.joints),
    }


def _details(robot: Robot) -> dict[str, Any]:
    """Everything that `show` knows, in SI units."""
    return {
        **_summary(robot),
        "model": robot.model_path,
        "base": robot.base,
        "tick": robot.tick,
        "legs": [asdict(leg) for leg in robot.legs.values()],
        "joints": [_joint(robot, name) for name in robot.joints],
        "coupled": robot.coupled,
        "home": {name: float(angle) for name, angle in zip(robot.joints, robot.home_position, strict=True)},
        "walk": asdict(robot.walk) if robot.walk else None,
    }


def _joint(robot: Robot, name: str) -> dict[str, Any]:
    lower, upper = robot.joint_limits[robot.joint_index[name]]
    motor = robot.motor_of(name)
    return {
        "name": name,
        "lower": lower,
        "upper": upper,
        "motor": motor.name if motor else None,
        "no_load_speed": motor.joint_speed if motor else None,
        "stall_torque": motor.joint_torque if motor else None,
    }


def _print(robot: Robot) -> None:
    output.print_line(robot.name, style="bold")
    if robot.title:
        output.print_line(robot.title)
    joints = _count(len(robot.joints), "joint")
    output.print_line(f"{robot.mass:.3f} kg, {joints}, a command every {1e3 * robot.tick:g} ms")
    output.print_line()
    for leg in robot.legs.values():
        _print_joints(robot, f"Leg {leg.name}", leg.joints)
    on_legs = {joint for leg in robot.legs.values() for joint in leg.joints}
    _print_joints(robot, "Other joints", tuple(j for j in robot.joints if j not in on_legs))
    _print_feet(robot)
    _print_walk(robot)
    for follower, leader in robot.coupled.items():
        output.print_line(f"Coupled: one motor turns {leader} and {follower}")


def _print_joints(robot: Robot, title: str, joints: tuple[str, ...]) -> None:
    import math

    if not joints:
        return
    rows = []
    for joint in (_joint(robot, name) for name in joints):
        low, high = math.degrees(joint["lower"]), math.degrees(joint["upper"])
        limits = f"{low:.1f} … {high:.1f}" if math.isfinite(high - low) else "none"
        if joint["motor"]:
            drive = [joint["motor"], f"{math.degrees(joint['no_load_speed']):.0f}", f"{joint['stall_torque']:.2f}"]
        else:
            drive = ["", "", ""]
        rows.append([joint["name"], limits, *drive])
    output.print_table(title, ["joint", "limits [°]", "motor", "no-load speed [°/s]", "stall torque [N m]"], rows)


def _print_feet(robot: Robot) -> None:
    rows = []
    for leg in robot.legs.values():
        length, width = 1e3 * (leg.outline.max(axis=0) - leg.outline.min(axis=0))
        sole = f"{length:.0f} × {width:.0f}" if len(leg.outline) > 1 else "ball"
        rows.append([leg.name, leg.foot, sole, len(leg.force_sensors)])
    output.print_table("Feet", ["leg", "body", "sole [mm]", "force sensors"], rows)


def _print_walk(robot: Robot) -> None:
    import math

    if robot.walk is None:
        output.print_line("No [walk] in its file: it can stand, but nothing says how it walks.")
        return
    limits = robot.walk.limits
    rows = [
        ["forward", f"{1e3 * limits.forward:.0f} mm/s", f"{1e3 * limits.step_forward:.0f} mm"],
        ["backward", f"{1e3 * limits.backward:.0f} mm/s", f"{1e3 * limits.step_backward:.0f} mm"],
        ["sideways", f"{1e3 * limits.sideways:.0f} mm/s", f"{1e3 * limits.step_outward:.0f} mm"],
        ["turning", f"{math.degrees(limits.turn):.0f} °/s", f"{math.degrees(limits.step_turn_outward):.0f} °"],
    ]
    output.print_table("Walk, at most", ["", "speed", "one step"], rows)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
