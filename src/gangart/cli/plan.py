"""gangart plan: the steps from where the robot stands to a goal pose."""

from __future__ import annotations

import math
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangart.cli import goal_walk, output, walking
from gangart.errors import BadValue, GangartError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gangart.footsteps import StepLimits, StepPlan
    from gangart.footsteps.obstacles import Obstacle
    from gangart.simulation.goal import GoalWalk

EXAMPLES = ("gangart plan nao --x 1.0 --y 0.5 --yaw 180 --plot plan.png", "gangart plan nao --x -1 --compare")
_MORE = (
    "gangart plan nao --x 1.5 --planner lattice --obstacles room.toml --plot plan.png",
    "gangart plan nao --x 1 --yaw 90 --walk --level VS --friction 0.25 --step-error 10",
    "gangart plan nao --fumanoid-units --x=500 --y=-200 --yaw=90 --planner=aic",
)

_LEVEL, _FRICTION = "BS", 0.8  # of a walk, unless told otherwise


def register(app: typer.Typer) -> None:
    """Add `gangart plan` to the command line."""
    app.command(epilog=output.examples(*EXAMPLES, *_MORE))(plan)


def plan(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A name, or the path of a robot.toml.")] = "nao",
    x: Annotated[float, typer.Option(help="Goal: how far ahead \\[m].")] = 0.0,
    y: Annotated[float, typer.Option(help="Goal: how far to the left \\[m].")] = 0.0,
    yaw: Annotated[float, typer.Option(help="Goal: how far turned to the left [°].")] = 0.0,
    planner: Annotated[
        str,
        typer.Option(
            help="hybrid, lattice, aicardi, indiveri, spline, turn-walk-turn, learned, learned-neighbours,"
            " or a file of `gangart train`."
        ),
    ] = "hybrid",
    compare: Annotated[bool, typer.Option("--compare", help="Run all planners.")] = False,
    obstacles: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Polygons (.toml, .json) or an occupancy grid (.png, .npy).")
    ] = None,
    resolution: Annotated[float, typer.Option(help="Edge of a cell of that grid \\[m].")] = 0.05,
    plot: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Draw feet and path into this picture, and walks beside them.")
    ] = None,
    walk: Annotated[
        bool, typer.Option("--walk", help="Walk there in simulation: planned anew before each step, and blindly.")
    ] = False,
    step_error: Annotated[float, typer.Option(help="With --walk: steps are longer than asked by this part [%].")] = 0.0,
    level: walking.Level = _LEVEL,
    wear: walking.WearSet = None,
    friction: walking.Friction = _FRICTION,
    compensate: walking.Compensate = None,
    feedback: walking.Feedback = 0.0,
    record: walking.Record = None,
    fumanoid_units: Annotated[
        bool, typer.Option("--fumanoid-units", help="Millimetres, and y and yaw to the right; also aic and ind.")
    ] = False,
    as_json: output.AsJson = False,
) -> None:
    """Plan the steps to a goal pose, as seen from where the robot stands.

    A plan that does not arrive is a result, not an error: it says why, and its steps are those that come nearest.
    With --walk the robot walks there twice: online, where it is told before each step where it really is and plans the
    rest anew, and open loop, where it follows the first plan blindly. Options from --step-error on belong to the walk.
    """
    from gangart.footsteps import PLANNERS, StepLimits
    from gangart.footsteps.fumanoid import PLANNERS as THEIRS
    from gangart.footsteps.fumanoid import from_fumanoid
    from gangart.footsteps.obstacles import read
    from gangart.robots import load

    goal = from_fumanoid(x, y, yaw) if fumanoid_units else (x, y, math.radians(yaw))
    _check_goal(x, y, yaw)
    _check_walk(walk, compare, step_error)
    if not walk:
        _check_not_walking(
            {
                "--step-error": step_error != 0.0, "--level": level != _LEVEL, "--wear": bool(wear),
                "--friction": friction != _FRICTION, "--compensate": bool(compensate), "--feedback": feedback != 0.0,
                "--record": record is not None,
            }
        )  # fmt: skip
    found = load(robot)
    limits = StepLimits.of(found)
    names = PLANNERS if compare else (THEIRS.get(planner, planner) if fumanoid_units else planner,)
    in_the_way = read(obstacles, resolution) if obstacles else ()
    output.tell_of_compiling()
    machine = walking.machine_of(found, level, wear, friction)
    wanted = goal_walk.Wanted(compensate, feedback, step_error / 100.0, record)
    runs = _run(names, goal, limits, in_the_way, compare)
    walked = goal_walk.walks(runs[0][0], machine, wanted, in_the_way, as_json) if walk and runs[0][0].arrived else {}
    drawn = _draw([made for made, _ in runs], plot, in_the_way, walked)
    if as_json:
        shown = [_as_json(made, seconds) for made, seconds in runs]
        rest: dict[str, Any] = {"planners": shown} if compare else shown[0]
        if walk:
            rest["walk"] = goal_walk.as_json(walked, machine, wanted) if walked else None
        output.print_json({"robot": found.name, "goal": goal, **rest, "plot": drawn})
        return
    if compare:
        _print_compared(runs)
    else:
        _print(*runs[0], fumanoid_units)
    if walked:
        goal_walk.show(walked)
        if record:
            output.print_line(f"Written: {record}")
    elif walk:
        output.print_line("Nothing was walked: the plan does not arrive")
    if drawn:
        output.print_line(f"Written: {drawn}")


def _check_goal(x: float, y: float, yaw: float) -> None:
    for option, value in (("--x", x), ("--y", y), ("--yaw", yaw)):
        if not math.isfinite(value):
            raise BadValue(f"{option} is {value}; it has to be a finite number")


def _check_walk(walk: bool, compare: bool, step_error: float) -> None:
    if walk and compare:
        raise BadValue("--walk and --compare exclude each other: choose the --planner that is to walk")
    if not -50.0 <= step_error <= 50.0:
        raise BadValue(f"--step-error is {step_error:g} %; it has to lie in -50…50")


def _check_not_walking(given: Mapping[str, bool]) -> None:
    """Refuse what only a walk heeds, before somebody believes that it was heeded."""
    unheeded = [name for name, is_given in given.items() if is_given]
    if unheeded:
        raise BadValue(f"{', '.join(unheeded)} without --walk would change nothing; add --walk or leave it out")


def _run(
    names: Sequence[str],
    goal: tuple[float, float, float],
    limits: StepLimits,
    obstacles: Sequence[Obstacle],
    compare: bool,
) -> list[tuple[StepPlan, float]]:
    """Plans and the times they took [s]; a first plan pays for compiling and tables."""
    from gangart.footsteps import plan as plan_steps

    runs = []
    for name in names:
        try:
            plan_steps((0.0, 0.0, 0.0), goal, limits, obstacles, name)
        except GangartError as error:
            if not compare or "learned" not in name:
                raise
            output.warn(str(error))
            continue
        begin = perf_counter()
        runs.append((plan_steps((0.0, 0.0, 0.0), goal, limits, obstacles, name), perf_counter() - begin))
    return runs


def _draw(
    plans: list[StepPlan], path: Path | None, obstacles: Sequence[Obstacle], walked: Mapping[str, GoalWalk]
) -> Path | None:
    from gangart.footsteps.picture import save

    if path is None:
        return None
    return save(plans, path, obstacles, {goal_walk.WORDS[key]: w.treads() for key, w in walked.items()})


def _as_json(plan: StepPlan, seconds: float) -> dict[str, Any]:
    steps = [
        {"foot": ("left", "right")[foot], "pose": pose, "way": way}
        for foot, pose, way in zip(plan.foot.tolist(), plan.pose, plan.ways(), strict=True)
    ]
    off, askew = plan.error()
    return {
        "planner": plan.planner,
        "ended": plan.ended,
        "reason": plan.reason or None,
        "count": len(plan),
        "length": plan.length,
        "turned": plan.turned,
        "position_error": off,
        "yaw_error": askew,
        "planning_time": seconds,
        "steps": steps,
    }


def _print(plan: StepPlan, seconds: float, fumanoid_units: bool) -> None:
    from gangart.footsteps.fumanoid import to_fumanoid

    rows = []
    for k, (foot, pose, way) in enumerate(zip(plan.foot.tolist(), plan.pose, plan.ways(), strict=True), start=1):
        if fumanoid_units:
            place = [f"{v:.0f}" for v in (*to_fumanoid(pose), *to_fumanoid(way))]
        else:
            place = [f"{pose[0]:.3f}", f"{pose[1]:.3f}", f"{math.degrees(pose[2]):.1f}"]
            place += [f"{1e3 * way[0]:.0f}", f"{1e3 * way[1]:.0f}", f"{math.degrees(way[2]):.1f}"]
        rows.append([k, ("left", "right")[foot], *place])
    if fumanoid_units:
        columns = ["x [mm]", "y [mm]", "yaw [°]", "ahead [mm]", "right [mm]", "turn right [°]"]
    else:
        columns = ["x [m]", "y [m]", "yaw [°]", "ahead [mm]", "left [mm]", "turn [°]"]
    output.print_table(f"{plan.planner}: {len(plan)} steps", ["step", "foot", *columns], rows)
    off, askew = plan.error()
    end = "Arrived" if plan.arrived else f"Not arrived ({plan.ended}): {plan.reason}"
    output.print_line(
        f"{end}. Way {plan.length:.2f} m, turned {math.degrees(plan.turned):.0f}°, planned in {1e3 * seconds:.2f} ms"
    )
    if not plan.arrived:
        output.print_line(f"Left to go: {off:.3f} m, {math.degrees(askew):.1f}°")
    if plan.ended == "blocked" and plan.planner != "lattice":
        output.print_line("A way around is what --planner lattice looks for")


def _print_compared(runs: list[tuple[StepPlan, float]]) -> None:
    rows = [
        [p.planner, len(p), f"{p.length:.2f}", f"{math.degrees(p.turned):.0f}", f"{1e3 * seconds:.2f}", p.ended]
        for p, seconds in runs
    ]
    output.print_table("All planners", ["planner", "steps", "way [m]", "turned [°]", "time [ms]", "ended"], rows)
    for p, _ in runs:
        if p.reason:
            output.print_line(f"{p.planner}: {p.reason}")
