"""How fast can a Nao walk whose joints are as quick as its motors' voltage lets them be, on every worn machine?

The thesis's RoboCup team of 2010 walked 444.7 mm/s, the best other team 330. For a few durations of the double step a
gait is searched that asks little voltage (`fast_gait`); each is then walked faster and faster where it is hardest: all
worn machines, an empty battery, a smooth floor (on which soft legs slide) and a rough one (on which stiff legs
stumble). The fastest has to walk at all other conditions too, or slow down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gangart.analysis.metrics import mean_velocity, orientation_error, slip, whole_steps
from gangart.compensation import SLIP, Recipe, TorqueOffsets, prepare
from gangart.control import BipedEngine
from gangart.experiments.fast_gait import FastGait, search
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Value, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.experiments.strip import strip
from gangart.robots import Robot, Walk, load
from gangart.robots.wear import load_wear, worn
from gangart.signals import Command, Recording
from gangart.simulation import FULL, Ground, World, simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEARCHED_AT = 0.5  # [m/s]
DOUBLE_STEPS = (0.44, 0.48, 0.52)  # [s]
GENERATIONS = 25
SPEEDS = tuple(round(0.40 + 0.02 * k, 2) for k in range(11))  # [m/s] commanded, one after the other
FRICTIONS, STEPS, SUPPLIES = (0.5, 1.0), (0.001, 0.0005), (18.0, 21.6)
FEEDBACK = 0.5  # of the measured ZMP
LEAST, RECORD, GOAL = 0.4, 0.4447, 0.5  # [m/s] bar, thesis, what we want
_SEEN, _PICTURES = 6.0, 8  # double steps before and in the film, and its pictures
COLOURS = ("#1f6fb2", "#d1662b", "#3a9a5b", "#8a5bb5", "#b23a5a")


@dataclass(frozen=True)
class Job:
    """One walk to simulate."""

    walk: Walk
    speed: float  # [m/s] commanded
    preset: str
    friction: float
    step: float  # [s] of the physics
    supply: float  # [V]
    duration: float  # [s] at full speed


@dataclass(frozen=True)
class Run:
    """How a walk went."""

    job: Job
    fell: bool
    speed: float  # [m/s] mean over the whole double steps at full speed; NaN after a fall
    tilt: tuple[float, float]  # [rad²] f_x, f_y of the whole walk
    slip: float  # [m] farthest way of a sole during one support

    @property
    def walks(self) -> bool:
        """Whether it did what it was told: who stumbles along without falling does not."""
        return not self.fell and self.speed >= 0.95 * self.job.speed


def run(setting: Setting) -> Report:
    """Search, race, and check the winner everywhere."""
    robot = load("nao")
    quick = setting.quick
    names = list(worn(robot))[: 2 if quick else None]
    doubles = (0.52,) if quick else DOUBLE_STEPS
    machines = [TorqueOffsets(robot, load_wear(robot, name)) for name in names]
    gaits = []
    for k, double in enumerate(doubles):
        part = partial(_part, setting.progress, 0.5 * k / len(doubles), 0.5 / len(doubles))
        generations = 2 if quick else GENERATIONS
        gaits.append(
            search(robot, machines, SEARCHED_AT, double, seed=setting.seed + k, generations=generations, progress=part)
        )
    duration = 5.0 if quick else 20.0
    speeds = (0.4,) if quick else SPEEDS
    races = []
    for k, gait in enumerate(gaits):
        races.append(_race(gait.walk, names, speeds, duration))
        setting.progress(0.5 + 0.3 * (k + 1) / len(gaits))
    best = max(range(len(gaits)), key=lambda k: (_fastest(races[k]), -gaits[k].voltage))
    final = _everywhere(gaits[best].walk, names, _fastest(races[best]), speeds, duration, setting, quick)
    return Report(
        title="How fast can it walk?",
        question="Joints are as quick as the voltage of their motors lets them be. Of all gaits at 500 mm/s the one "
        "that asks the least voltage is searched; then it walks 20 s at full speed on every worn Nao, on smooth and "
        "rough floors, with an empty and a full battery, in coarse and fine physics.",
        found="The Dortmund team walked 444.7 mm/s at RoboCup 2010, the best other team 330.",
        rows=_rows(final, gaits[best]),
        verdicts=_verdicts(final),
        parameters=_parameters(robot, gaits[best], final),
        tables=(_table(final), _candidates(gaits, races)),
        pictures=(
            Picture("search", "Largest voltage of the best gait of each generation", _searches(doubles, gaits)),
            Picture("voltage", "Voltage that the left leg asks for", _voltages(robot, gaits[best], machines)),
            _film(robot, final),
        ),
    )  # fmt: skip


def walked(job: Job) -> Run:
    """Simulate one walk."""
    r, gathers = _simulated(job)
    fell = r.info["fell"] is not None or r.info["diverged"] is not None
    full = whole_steps(r, slice(int(np.searchsorted(r.time, gathers)), len(r)))
    speed = float("nan") if fell else mean_velocity(r, full)[0]
    return Run(job, fell, speed, orientation_error(r), slip(r))


def _simulated(job: Job) -> tuple[Recording, float]:
    """A walk, and when it is at full speed [s]."""
    robot = load("nao")
    wear = load_wear(robot, job.preset)
    # straight ahead only: the grid needs no nodes to the sides
    compensation = prepare(BipedEngine(robot, walk=job.walk), wear, Recipe(nodes=(4, 1, 1)), slip=SLIP)
    engine = BipedEngine(robot, walk=job.walk, compensation=compensation, feedback=FEEDBACK)
    world = World(robot, replace(FULL, step=job.step), Ground(job.friction), wear=wear, supply=job.supply)
    world.reset(*engine.stance(), settle=1.0)
    gathers = job.walk.start + job.speed / job.walk.limits.forward_acceleration + 2.0 * job.walk.double_step_duration
    return simulate(world, engine, Command(job.speed), gathers + job.duration), gathers


def _part(progress: Callable[[float], None], begin: float, length: float, part: float) -> None:
    progress(begin + length * part)


def _counted(progress: Callable[[float], None], jobs: int, done: int) -> None:
    progress(0.8 + 0.2 * done / jobs)


def _race(walk: Walk, names: Iterable[str], speeds: Iterable[float], duration: float) -> list[list[Run]]:
    """Faster and faster where it is hardest, until one falls."""
    out = []
    for speed in speeds:
        runs = side_by_side(
            walked, [Job(walk, speed, n, mu, STEPS[0], SUPPLIES[0], duration) for n in names for mu in FRICTIONS]
        )
        out.append(runs)
        if not all(r.walks for r in runs):
            break
    return out


def _fastest(race: list[list[Run]]) -> float:
    """The fastest command [m/s] at which all walked; 0 if there is none."""
    return max((runs[0].job.speed for runs in race if all(r.walks for r in runs)), default=0.0)


def _everywhere(
    walk: Walk,
    names: list[str],
    fastest: float,
    speeds: tuple[float, ...],
    duration: float,
    setting: Setting,
    quick: bool,
) -> list[Run]:
    """All conditions at the fastest command at which all of them are walked; at the slowest, whatever comes of it."""
    runs: list[Run] = []
    conditions = list(product(FRICTIONS, STEPS[:1] if quick else STEPS, SUPPLIES))
    for speed in sorted((s for s in speeds if s <= max(fastest, speeds[0])), reverse=True):
        jobs = [Job(walk, speed, n, *c, duration) for n in names for c in conditions]
        runs = side_by_side(walked, jobs, partial(_counted, setting.progress, len(jobs)))
        if all(r.walks for r in runs):
            return runs
    return runs


def _rows(final: list[Run], gait: FastGait) -> tuple[Row, ...]:
    speeds = np.array([r.speed for r in final])
    where = f"least of {len(final)} conditions"
    return (
        Row("top speed", RECORD, float(speeds.min()), "mm/s", "6", where),
        Row("top speed of the best other team", 0.33, None, "mm/s", "6"),
        Row("command", None, final[0].job.speed, "mm/s"),
        Row("largest voltage that the gait asks for at 500 mm/s", None, gait.voltage, "V", "", "18 and 21.6 are there"),
        Row("farthest slip of a sole", None, max(r.slip for r in final), "mm", "", "during one support"),
    )


def _verdicts(final: list[Run]) -> tuple[Verdict, ...]:
    slowest = min(r.speed for r in final)
    walks = all(r.walks for r in final)
    least = f"{slowest * 1e3:.1f} mm/s where it is slowest" if walks else "it does not"
    return (
        Verdict(
            f"every worn Nao walks at least 400 mm/s for 20 s at every condition ({least})", walks and slowest >= LEAST
        ),
        Verdict("and faster than the 444.7 mm/s of the thesis", walks and slowest > RECORD),
        Verdict("and 500 mm/s", walks and slowest >= GOAL),
    )


def _parameters(robot: Robot, gait: FastGait, final: list[Run]) -> tuple[Parameter, ...]:
    walk = gait.walk
    return (
        Parameter("mass", robot.mass, "kg"),
        Parameter("double step", walk.double_step_duration, "s"),
        *(Parameter(name, value, _UNITS.get(name, "1"), "searched") for name, value in gait.values.items()),
        Parameter("feet apart", walk.foot_spacing, "mm"),
        Parameter("ZMP inward", walk.zmp_inward, "mm"),
        Parameter("acceleration", walk.limits.forward_acceleration, "m/s²"),
        Parameter("feedback of the measured ZMP", FEEDBACK, "1"),
        Parameter("slip allowed for", SLIP, "%"),
        Parameter("time at full speed", final[0].job.duration, "s"),
    )


_UNITS = {"com_height": "mm", "step_height": "mm"}


def _table(final: list[Run]) -> Table:
    columns = (
        Column("worn Nao"), Column("friction"), Column("physics step", "ms"), Column("supply", "V"),
        Column("speed", "mm/s"), Column("f_x", "rad²"), Column("f_y", "rad²"), Column("slip", "mm"), Column("fell"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (r.job.preset, r.job.friction, r.job.step, r.job.supply, r.speed, *r.tilt, r.slip, r.fell) for r in final
    ]
    return Table(f"The winner at {final[0].job.speed * 1e3:.0f} mm/s everywhere", columns, tuple(rows))


def _candidates(gaits: list[FastGait], races: list[list[list[Run]]]) -> Table:
    columns = (
        Column("double step", "s"), Column("double support", "%"), Column("step height", "mm"),
        Column("CoM height", "mm"), Column("voltage", "V"), Column("fastest command", "mm/s"), Column("fails first"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for gait, race in zip(gaits, races, strict=True):
        w, fallen = gait.walk, ", ".join(f"{r.job.preset} (μ = {r.job.friction:g})" for r in race[-1] if not r.walks)
        size = (w.double_step_duration, w.double_support_ratio, w.step_height, w.com_height)
        rows.append((*size, gait.voltage, _fastest(race), fallen))
    note = "Raced on all worn machines with 18 V, on smooth and on rough floor."
    return Table("Gaits that were searched", columns, tuple(rows), note)


def _searches(doubles: tuple[float, ...], gaits: list[FastGait]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.2), layout="constrained")
    ax = figure.subplots()
    for double, gait, colour in zip(doubles, gaits, COLOURS, strict=False):
        ax.plot(range(1, len(gait.history) + 1), gait.history, color=colour, label=f"double step {double:g} s")
    for supply in SUPPLIES:
        ax.axhline(supply, color="#8e8e93", lw=0.8, ls="--")
    ax.set(xlabel="generation", ylabel="[V]")
    ax.legend(frameon=False, fontsize=8)
    return figure


def _film(robot: Robot, final: list[Run]) -> Picture:
    """One double step of the slowest, at full speed."""
    job = min(final, key=lambda r: float(np.nan_to_num(r.speed, nan=np.inf))).job
    recording, _ = _simulated(replace(job, duration=_SEEN * job.walk.double_step_duration))
    caption = f"One double step where it is slowest: {job.preset}, friction {job.friction:g}, {job.supply:g} V"
    last = len(recording) - 1 - round(job.walk.double_step_duration / job.step)  # the robot walks on until the end
    rows = np.linspace(last, len(recording) - 1, _PICTURES).round().astype(int)
    return strip("film", caption, recording, robot, rows.tolist())


def _voltages(robot: Robot, gait: FastGait, machines: list[TorqueOffsets]) -> Figure:
    from matplotlib.figure import Figure

    from gangart.compensation.cycle import motion_torques, steady_from
    from gangart.compensation.zmp import compensate_zmp

    engine = BipedEngine(robot, walk=gait.walk)
    begin = steady_from(engine, Command(SEARCHED_AT))
    plan, _ = compensate_zmp(engine, Command(SEARCHED_AT), begin + gait.walk.double_step_duration + 1.0, 1)
    torque, speed = motion_torques(engine, plan)
    time = plan.joints.time - begin
    rows = (time >= 0.0) & (time <= gait.walk.double_step_duration)
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    ax = figure.subplots()
    left = robot.legs["left"]
    asked = np.max([np.abs(m.voltage(torque, speed, robot.tick)) for m in machines], axis=0)
    for joint in left.joints[1:]:
        ax.plot(time[rows], asked[rows, robot.joint_index[joint]], lw=1.3, label=joint)
    for supply in SUPPLIES:
        ax.axhline(supply, color="#8e8e93", lw=0.8, ls="--")
    ax.set(xlabel="time [s]", ylabel="most of any machine [V]")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure
