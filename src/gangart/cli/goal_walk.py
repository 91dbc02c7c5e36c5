"""The part of `gangart plan` that walks: the same goal with and without knowing where the robot is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gangart.cli import output, walking

if TYPE_CHECKING:
    from gangart.control import BipedEngine
    from gangart.footsteps import Obstacle, StepPlan
    from gangart.simulation.goal import GoalWalk

WORDS = {"online": "online", "open_loop": "open loop"}


@dataclass(frozen=True)
class Wanted:
    """What the command line asks of a walk."""

    compensate: str | None
    feedback: float
    step_error: float  # [1]
    record: Path | None


def walks(
    plan: StepPlan, machine: walking.Machine, wanted: Wanted, obstacles: Sequence[Obstacle], quiet: bool
) -> dict[str, GoalWalk]:
    """The walk that plans anew before each step, and that which follows the plan blindly."""
    from gangart.control import BipedEngine
    from gangart.signals import Command
    from gangart.simulation.goal import patience_for, walk_to

    compensation = None
    if wanted.compensate is not None:
        bare = BipedEngine(machine.robot, feedback=wanted.feedback)
        compensation = walking.compensation(bare, machine.wear, wanted.compensate, Command(0.2), quiet)
    engine: BipedEngine = BipedEngine(
        machine.robot, feedback=wanted.feedback, compensation=compensation, planner=plan.planner, obstacles=obstacles,
        step_error=wanted.step_error,
    )  # fmt: skip
    x, y, yaw = plan.goal.tolist()
    found, patience = {}, patience_for(plan, engine)
    for key, word in WORDS.items():
        world, online = machine.world(engine), key == "online"
        record = wanted.record if online else None
        with output.progress(f"{machine.robot.name} walks, {word}", patience, hidden=quiet) as advance:
            found[key] = walk_to(
                world, engine, (x, y, yaw), online=online, patience=patience, record=record, progress=advance
            )
        for note in (*found[key].recording.info["notes"], found[key].recording.info["diverged"]):
            if note:
                output.warn(f"{word}: {note}")
    return found


def as_json(found: Mapping[str, GoalWalk], machine: walking.Machine, wanted: Wanted) -> dict[str, Any]:
    """What `--json` says of the walks."""
    wear = machine.wear.name if machine.wear else None
    about: dict[str, Any] = {"level": machine.fidelity.name, "wear": wear, "friction": machine.friction}
    about |= {"compensate": wanted.compensate, "step_error": wanted.step_error, "recording": wanted.record}
    notes = {key: {"notes": w.recording.info["notes"]} for key, w in found.items()}
    return about | {key: {**w.as_dict(), **notes[key]} for key, w in found.items()}


def show(found: Mapping[str, GoalWalk]) -> None:
    """The walks beside each other as a table."""
    w = list(found.values())
    rows = [
        ("fell", *(_fall(x) for x in w)),
        ("arrived", *("yes" if x.arrived else "no" for x in w)),
        ("distance from the goal [mm]", *(f"{1e3 * x.position_error:.1f}" for x in w)),
        ("missing turn [°]", *(f"{math.degrees(x.yaw_error):.2f}" for x in w)),
        ("steps", *(x.steps for x in w)),
        ("time [s]", *(f"{x.recording.duration:.1f}" for x in w)),
    ]
    output.print_table("Walked in simulation", ["", *(WORDS[key] for key in found)], rows)


def _fall(walk: GoalWalk) -> str:
    fell = walk.recording.info["fell"]
    return "no" if fell is None else f"after {fell:.2f} s"
