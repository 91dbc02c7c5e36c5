"""Why does it not walk as planned? The same walk again, with one cause at a time removed (Urbann chapter 5).

The joint targets stay those of the walk, so that nothing but the machine or the ground differs: near-ideal servos
instead of motors, rigid gears, rigid links, a floor that does not slip. The dynamics that the one-mass model leaves out
are removed by planning the walk anew with a ZMP that is right for the whole body.

Causes amplify each other and stand in for each other, so a cause is asked twice: what goes when it is removed from the
walk, and what comes when it is alone on an otherwise ideal machine. Its blame is the mean of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gangart.analysis.metrics import mean_velocity, orientation, orientation_error, slip, steady_part
from gangart.control import BipedEngine
from gangart.control.biped import WalkPlan
from gangart.control.replay import Replay
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array, Command, Recording
from gangart.simulation import IDEAL, Fidelity, Ground, World, simulate

TRACE = 0.01  # [s] between two samples of a trace
GRIP = 10.0  # friction of a floor on which nothing slips
FLAGS = {"motor": ("motor", "inductance"), "gearbox": ("gearbox",), "links": ("flexible_links",)}
_LITTLE = 0.1  # part of the tilt: what is to blame for less is no cause to name
WORDS = {
    "dynamics": "one-mass model",
    "motor": "motors and their control",
    "gearbox": "gearboxes",
    "links": "bending links",
    "ground": "slippery ground",
}


@dataclass(frozen=True)
class Symptoms:
    """What is wrong with a walk, in numbers that are 0 when it goes as planned."""

    f_x: float  # [rad²] orientation error about x
    f_y: float  # [rad²] and about y
    speed: float  # [m/s] error of the mean speed over the steady part
    early: float  # [s] by which a foot touches down too early, on average
    slip: float  # [m] farthest way of a sole during one support
    fell: bool

    @property
    def tilt(self) -> float:
        """Orientation error about both axes [rad²]."""
        return self.f_x + self.f_y


@dataclass(frozen=True)
class Finding:
    """One cause."""

    cause: str
    without: Symptoms  # the walk with this cause removed
    alone: Symptoms | None  # on an ideal machine, this cause only; None for what cannot stand alone
    share: dict[str, float]  # part of each symptom that goes when the cause is removed; below 0 the cause helps
    blame: float  # part of the tilt f_x + f_y: mean of what goes without the cause and what comes with it alone


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What ails a walk, worst cause first."""

    walk: Symptoms
    ideal: Symptoms  # every cause removed but the one-mass model
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    traces: dict[str, Array]  # (n, 3) time [s], tilt about x and y [rad]: of "walk", "ideal", and without each cause

    def sentence(self) -> str:
        """The diagnosis in a line."""
        if not self.findings:
            return "nothing to find: the walk was simulated without defects"
        worst = self.findings[0]
        if worst.blame < _LITTLE:
            return f"no single cause: none is to blame for more than {_LITTLE * 100.0:.0f} % of the tilt"
        return f"mostly {WORDS[worst.cause]}, to blame for {worst.blame * 100.0:.0f} % of the tilt"


def symptoms(r: Recording) -> Symptoms:
    """Measure what is wrong with a walk."""
    rows = steady_part(r)
    planned = r.com_reference[rows, :2]
    way = float(np.hypot(*(planned[-1] - planned[0])))
    time = float(r.time[rows][-1] - r.time[rows][0])
    vx, vy, _ = mean_velocity(r, rows)
    f_x, f_y = orientation_error(r)
    return Symptoms(
        f_x=f_x,
        f_y=f_y,
        speed=float(np.hypot(vx, vy)) - (way / time if time > 0.0 else 0.0),
        early=early_touch_down(r),
        slip=slip(r),
        fell=r.info.get("fell") is not None,
    )


def early_touch_down(r: Recording) -> float:
    """Mean time by which swing feet touch the ground before they should [s]; late ones count as 0."""
    lead = []
    for leg in range(len(r.legs)):
        edges = np.flatnonzero(np.diff(np.concatenate([[True], r.support[:, leg], [True]]).astype(int)))
        for lift, land in zip(edges[::2], edges[1::2], strict=True):
            if land >= len(r):
                continue
            second = np.arange(lift + (land - lift) // 2, land)  # in the first half the foot is only just leaving
            hit = second[r.contact[second, leg]]
            lead.append(float(r.time[land] - r.time[hit[0]]) if len(hit) else 0.0)
    return float(np.mean(lead)) if lead else 0.0


def diagnose(
    recording: Recording, robot: Robot, wear: Wear | None, progress: Callable[[float], None] | None = None
) -> Diagnosis:
    """Find the causes of what a simulated walk has wrong."""
    fidelity, ground = _conditions(recording)
    targets = Replay.of_recording(recording, robot)
    right, notes = _right_dynamics(recording, robot)
    causes = [c for c, flags in FLAGS.items() if getattr(fidelity, flags[0])]
    causes += ["ground"] if ground.friction < GRIP else []
    runs = 2 + sum(1 if c == "ground" else 2 for c in causes) + (right is not None)
    done = 0

    traces: dict[str, Array] = {}

    def run(name: str, what: Replay, machine: Fidelity, floor: Ground) -> Symptoms:
        nonlocal done
        world = World(robot, machine, floor, wear=wear)
        world.reset(*_stand(recording, what), settle=1.0)
        walked = simulate(world, what, Command(), recording.duration)
        traces[name] = _trace(walked)
        done += 1
        if progress is not None:
            progress(done / runs)
        return symptoms(walked)

    walk = run("walk", targets, fidelity, ground)
    ideal = run("ideal", targets, replace(IDEAL, step=fidelity.step), ground)
    findings = []
    for cause in causes:
        if cause == "ground":
            grip = run(cause, targets, fidelity, replace(ground, friction=GRIP))
            findings.append(_finding(cause, walk, ideal, grip, None))
            continue
        off = replace(fidelity, **dict.fromkeys(FLAGS[cause], False))
        only = replace(IDEAL, step=fidelity.step, **{f: getattr(fidelity, f) for f in FLAGS[cause]})
        without = run(cause, targets, off, ground)
        findings.append(_finding(cause, walk, ideal, without, run(f"{cause} alone", targets, only, ground)))
    if right is not None:
        findings.append(_finding("dynamics", walk, None, run("dynamics", right, fidelity, ground), ideal))
    findings.sort(key=lambda f: -f.blame)
    return Diagnosis(walk, ideal, tuple(findings), notes, traces)


def _finding(
    cause: str, walk: Symptoms, without_any: Symptoms | None, without: Symptoms, alone: Symptoms | None
) -> Finding:
    """`without_any` is the machine to which `alone` adds the cause; None for one that has no symptoms."""
    share = {}
    for name in ("f_x", "f_y", "speed", "early", "slip"):
        before, after = abs(getattr(walk, name)), abs(getattr(without, name))
        share[name] = (before - after) / before if before > 0.0 else 0.0
    asked = []
    if walk.tilt > 0.0 and (walk.fell or not without.fell):  # what falls only without the cause says nothing of it
        asked.append(1.0 - without.tilt / walk.tilt)
    if walk.tilt > 0.0 and alone is not None:
        comes = alone.tilt - (without_any.tilt if without_any else 0.0)
        asked.append(min(comes / walk.tilt, 1.0))  # alone it may do worse, or fall: all of it is enough
    return Finding(cause, without, alone, share, float(np.mean(asked)) if asked else 0.0)


def _trace(r: Recording) -> Array:
    every = max(1, round(TRACE / (r.time[1] - r.time[0]))) if len(r) > 1 else 1
    return np.column_stack([r.time, *orientation(r)])[::every]


def _conditions(r: Recording) -> tuple[Fidelity, Ground]:
    """On what machine and what floor a recording was made."""
    return Fidelity(**r.info["fidelity"]), Ground(**r.info["ground"])


def _stand(r: Recording, what: Replay) -> tuple[Array, Array, float]:
    place = r.base_position[0].copy()
    return what.stance(), place, 0.0


def _right_dynamics(r: Recording, robot: Robot) -> tuple[Replay | None, tuple[str, ...]]:
    """The walk planned anew with a ZMP that is right for the whole body."""
    from gangart.compensation.zmp import compensate_zmp

    asked, settings = r.info.get("command"), dict(r.info.get("settings") or {})
    if not isinstance(asked, dict) or "walk" not in settings:
        return None, ("the one-mass model is left out: the recording does not say one command for the whole walk",)
    limits = replace(robot.walk.limits, **settings["walk"].pop("limits")) if robot.walk else None
    if robot.walk is None or limits is None:
        return None, ("the one-mass model is left out: the robot's file has no [walk]",)
    changed: dict[str, Any] = {k: np.array(v) if isinstance(v, list) else v for k, v in settings["walk"].items()}
    walk = replace(robot.walk, limits=limits, **changed)
    engine = BipedEngine(robot, walk=walk, zmp=settings["zmp"])
    plan, _ = compensate_zmp(engine, Command(**asked), r.duration + 2.0 * robot.tick)
    return _of_plan(plan, robot), ()


def _of_plan(plan: WalkPlan, robot: Robot) -> Replay:
    time = plan.joints.time
    support = plan.footsteps.contacts(time)
    velocity = np.gradient(plan.joints.position, robot.tick, axis=0)
    return Replay(time, plan.joints.position, velocity, plan.body.zmp, plan.body.com, support, robot.tick)


def as_dict(d: Diagnosis) -> dict[str, object]:
    """For JSON, in SI units."""
    return {
        "walk": asdict(d.walk),
        "ideal": asdict(d.ideal),
        "findings": [
            {
                "cause": f.cause,
                "blame": f.blame,
                "share": f.share,
                "without": asdict(f.without),
                "alone": f.alone and asdict(f.alone),
            }
            for f in d.findings
        ],
        "sentence": d.sentence(),
        "notes": list(d.notes),
    }
