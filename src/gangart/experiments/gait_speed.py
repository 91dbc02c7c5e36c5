"""Bahr 8.2: how fast each gait walks, how well it keeps the speed it is told, and what naive plans lose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gangart.control.cyclic import CyclicEngine
from gangart.experiments.gait_track import COLOURS, NAMES, gait_parameters, parameters, track
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Value, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.robots import Gait, load
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THESIS = {"slow-walk": 0.1, "reactive-trot": 0.35, "fast-walk": 0.4, "predictive-trot": 0.55}  # [m/s] figure 8.3
BARS = {"slow-walk": 0.2, "reactive-trot": 0.5, "fast-walk": 0.5, "predictive-trot": 0.8}  # [m/s] to achieve
SEEN = (*NAMES, "amble")
PARTS = (0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0)  # of the gait's own limit ahead
BACK = (-1.0, -0.5, -0.1)  # of the one backward
BEYOND = (1.2, 1.4, 1.6, 2.0)  # times the limit, with the limit lifted
ASIDE = (0.1, 0.5, 1.0)  # of the limits sideways and of turning
CYCLES = 6  # over which a speed is a mean
TOLERANCE = 0.05  # [1] of the command
CREEP = 0.0015  # [m/s], less is standing; and what counts as kept where 5 % are less than that
TURNING = 0.003  # [rad/s], the same for turning


@dataclass(frozen=True)
class Job:
    """One gait with one command."""

    gait: str
    command: Command
    lifted: bool = False  # the gait's limits are out of the way
    without: str = ""  # what the plan leaves out, a key of CAUSES


@dataclass(frozen=True, eq=False)
class Found:
    """How fast it went."""

    job: Job
    velocity: Array  # (3,) [m/s, m/s, rad/s] mean over whole cycles
    fell: bool

    @property
    def wanted(self) -> Array:
        """The command (3,) [m/s, m/s, rad/s]."""
        c = self.job.command
        return np.array([c.vx, c.vy, c.wz])

    @property
    def error(self) -> Array:
        """How much too fast it went (3,) [m/s, m/s, rad/s]."""
        return np.asarray(self.velocity - self.wanted)

    @property
    def kept(self) -> bool:
        """Whether what was wanted came within 5 %, or within what counts as standing where that is more."""
        least = np.array([CREEP, CREEP, TURNING])
        asked = self.wanted != 0.0
        near = np.abs(self.error) <= np.maximum(TOLERANCE * np.abs(self.wanted), least)
        return not self.fell and bool(near[asked].all() if asked.any() else near.all())


class NotPressed(CyclicEngine):
    """Does not know that a body that leans in a circle presses outward."""

    def _motion(self) -> tuple[Array, Array, Array, Array]:
        *joints, base = super()._motion()
        return joints[0], joints[1], joints[2], np.zeros_like(base)


CAUSES = {
    "": "everything known",
    "rolling": "feet do not roll",
    "give": "motors do not give way",
    "pressing": "leaning does not press",
}  # what a plan believes that leaves one cause out


def make(job: Job) -> CyclicEngine:
    """The engine of a job."""
    robot = load("quadruped")
    gait: Gait = robot.gaits[job.gait]
    if job.lifted:
        gait = replace(gait, forward=max(gait.forward, job.command.vx))
    kind = NotPressed if job.without == "pressing" else CyclicEngine
    engine = kind(robot, gait, bearing=job.without != "give")
    if job.without == "rolling":
        engine.radius = np.zeros_like(engine.radius)
    return engine


def speed(job: Job) -> Found:
    """Walk until the gait is a cycle, then measure."""
    engine = make(job)
    cycles = max(CYCLES, round(3.0 / engine.gait.cycle))
    way = track(engine, job.command, cycles)
    return Found(job, np.full(3, np.nan) if way.fell else way.velocity, way.fell)


def run(setting: Setting) -> Report:
    """The whole range of every gait, then what is beyond, beside it and behind it."""
    robot = load("quadruped")
    ahead = _ahead(setting.quick)
    parts = [ahead, _beside(setting.quick), _beyond(setting.quick), _causes(setting.quick)]
    jobs = [job for part in parts for job in part]
    found = iter(side_by_side(speed, jobs, partial(_counted, setting, len(jobs))))
    inside, beside, beyond, why = ([next(found) for _ in part] for part in parts)
    return Report(
        title="How fast does it walk?",
        question="The robot walks in each gait as fast as it is told, from backward over 0 (marching on the spot) to "
        "the gait's limit and beyond. Speeds are means over whole cycles of the way that the base really went. Is it "
        "the speed it was told?",
        found="Slow walk 100, reactive trot 350, fast walk 400, predictive trot 550 mm/s; the fast walk is not stable "
        "below 200 mm/s. Faster ones tip over without a push.",
        rows=_rows(inside),
        verdicts=_verdicts(inside, beside, why),
        parameters=(
            *parameters(robot),
            *gait_parameters(robot, SEEN),
            Parameter("tolerance", TOLERANCE, "%", "of the command"),
            Parameter("counts as standing", CREEP, "mm/s", "and as kept where 5 % are less"),
            Parameter("random numbers", "none", note="the seed changes nothing"),
        ),
        tables=(
            _table("Ahead and backward", inside, 0),
            _beside_table(beside),
            _table("Beyond the gait's limit", beyond, 0, "The limit of the robot file is lifted for these."),
            _causes_table(why),
        ),
        pictures=(Picture("speed", _CAPTION, _figure(inside)),),
    )


def _counted(setting: Setting, jobs: int, done: int) -> None:
    setting.progress(0.98 * done / jobs)


def _ahead(quick: bool) -> list[Job]:
    out = []
    for name in NAMES if quick else SEEN:
        gait = load("quadruped").gaits[name]
        if quick:
            speeds = [0.0, gait.forward]
        else:
            speeds = [part * gait.backward for part in BACK] + [part * gait.forward for part in PARTS]
        out += [Job(name, Command(float(v))) for v in speeds]
    return out


def _beside(quick: bool) -> list[Job]:
    out = []
    for name in ("predictive-trot",) if quick else SEEN:
        gait = load("quadruped").gaits[name]
        for part in (1.0,) if quick else ASIDE:
            out += [Job(name, Command(0.0, part * gait.sideways)), Job(name, Command(0.0, 0.0, part * gait.turn))]
    return out


def _beyond(quick: bool) -> list[Job]:
    if quick:
        return []
    return [
        Job(name, Command(factor * load("quadruped").gaits[name].forward), lifted=True)
        for name in SEEN
        for factor in BEYOND
    ]


def _causes(quick: bool) -> list[Job]:
    """Each cause left out by itself, at the thesis's speeds."""
    names = ("slow-walk",) if quick else NAMES
    leans = {name: load("quadruped").gaits[name].lean > 0.0 for name in names}
    return [
        Job(name, Command(THESIS[name]), without=cause)
        for name in names
        for cause in CAUSES
        if cause != "pressing" or leans[name]
    ]


def _of(found: list[Found], gait: str) -> list[Found]:
    return [f for f in found if f.job.gait == gait]


def fastest(found: list[Found]) -> float:
    """The fastest speed ahead [m/s] that was achieved where the command was kept; 0 if there is none."""
    return max((float(f.velocity[0]) for f in found if f.kept), default=0.0)


def _rows(inside: list[Found]) -> tuple[Row, ...]:
    rows = []
    for name, thesis in THESIS.items():
        rows.append(Row(f"{name}, fastest", thesis, fastest(_of(inside, name)), "mm/s", "figure 8.3", "achieved"))
        still = _still(_of(inside, name))
        rows.append(Row(f"{name}, creeping at 0", None, still, "mm/s", "", "in any direction, marching on the spot"))
    if amble := _of(inside, "amble"):
        rows.append(Row("amble, fastest", None, fastest(amble), "mm/s", "", "not in the thesis"))
    return tuple(rows)


def _still(found: list[Found]) -> float:
    """How fast it creeps at the command 0 [m/s]."""
    (f,) = (f for f in found if not f.wanted.any())
    return float(np.hypot(*f.velocity[:2]))


def _verdicts(inside: list[Found], beside: list[Found], why: list[Found]) -> tuple[Verdict, ...]:
    out = []
    for name, bar in BARS.items():
        own = _of(inside, name)
        top = fastest(own)
        out.append(Verdict(f"The {name} walks {1e3 * bar:.0f} mm/s and more (achieved: {1e3 * top:.0f}).", top >= bar))
    moving = [f for f in inside if f.wanted.any()]
    worst = max(moving, key=_excess)
    out += [
        Verdict(
            f"Every gait keeps its command within 5 %, or {1e3 * CREEP:g} mm/s where that is more, over its whole "
            f"range (worst: {worst.job.gait} at {1e3 * worst.job.command.vx:.0f} mm/s, off by "
            f"{1e3 * worst.error[0]:.1f} mm/s).",
            all(f.kept for f in inside),
        ),
        Verdict(
            f"At 0 none creeps by {1e3 * CREEP:g} mm/s (most: "
            f"{1e3 * max(_still(_of(inside, f.job.gait)) for f in inside):.1f}).",
            all(f.kept for f in inside if not f.wanted.any()),
        ),
        Verdict("Sideways and turning they keep their commands within 5 %.", all(f.kept for f in beside)),
        Verdict(_worst_cause(why)),
    ]
    return tuple(out)


def _excess(found: Found) -> float:
    """How much of its tolerance a walk uses up [1]."""
    if found.fell:
        return float("inf")
    return float(abs(found.error[0]) / max(TOLERANCE * abs(found.wanted[0]), CREEP))


def _worst_cause(why: list[Found]) -> str:
    off: dict[str, list[Found]] = {f.job.without: [] for f in why}
    for f in why:
        off[f.job.without].append(f)
    said = []
    for cause, runs in off.items():
        worst = max(runs, key=lambda f: float("inf") if f.fell else abs(f.error[0] / f.wanted[0]))
        how = "falls" if worst.fell else f"{100.0 * worst.error[0] / worst.wanted[0]:+.1f} %"
        said.append(f"{CAUSES[cause]}: {how} ({worst.job.gait})")
    return "What a plan loses that believes one thing wrongly, where it loses most: " + ", ".join(said) + "."


def _table(title: str, found: list[Found], axis: int, note: str = "") -> Table:
    columns = (
        *(Column("gait"), Column("command", "mm/s"), Column("achieved", "mm/s"), Column("error", "mm/s")),
        *(Column("of the command", "%"), Column("aside", "mm/s"), Column("turns", "°/s"), Column("falls")),
    )
    rows = tuple(
        (
            f.job.gait, float(f.wanted[axis]), float(f.velocity[axis]), float(f.error[axis]),
            float(f.error[axis] / f.wanted[axis]) if f.wanted[axis] else None,
            float(f.velocity[1]), float(f.velocity[2]), f.fell,
        )
        for f in found
    )  # fmt: skip
    return Table(title, columns, rows, note)


def _beside_table(found: list[Found]) -> Table:
    columns = (
        *(Column("gait"), Column("sideways", "mm/s"), Column("turning", "rad/s"), Column("achieved sideways", "mm/s")),
        *(Column("achieved turning", "rad/s"), Column("error", "%"), Column("falls")),
    )
    rows: list[tuple[Value, ...]] = []
    for f in found:
        k = 1 if f.wanted[1] else 2
        error = float(f.error[k] / f.wanted[k])
        rows.append((f.job.gait, *(float(x) for x in (*f.wanted[1:], *f.velocity[1:])), error, f.fell))
    return Table("Sideways and turning", columns, tuple(rows))


def _causes_table(found: list[Found]) -> Table:
    columns = (
        *(Column("gait"), Column("what the plan believes"), Column("command", "mm/s"), Column("achieved", "mm/s")),
        *(Column("error", "%"), Column("aside", "mm/s"), Column("falls")),
    )
    rows = tuple(
        (
            f.job.gait, CAUSES[f.job.without], float(f.wanted[0]), float(f.velocity[0]),
            float(f.error[0] / f.wanted[0]), float(f.velocity[1]), f.fell,
        )
        for f in found
    )  # fmt: skip
    return Table("What keeps a plan from its speed, each cause left out by itself", columns, rows, _WHY)


_WHY = (
    "A ball foot rolls while its shank turns, which takes the robot further or less far than the leg says. Motors "
    "behind a cascade give way under weight, most on the legs that bear most. A body that leans in a circle "
    "accelerates, and presses on the ground beside its centre of mass."
)
_CAPTION = (
    "Speed achieved less speed told, over the command, for every gait. Grey is 5 % of the command, or 1.5 mm/s where "
    "that is more; marks above are the thesis's top speeds."
)


def _figure(inside: list[Found]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    ax = figure.subplots()
    far = max(abs(f.job.command.vx) for f in inside)
    grid = np.linspace(-far, far, 201)
    band = 1e3 * np.maximum(TOLERANCE * np.abs(grid), CREEP)
    ax.fill_between(1e3 * grid, -band, band, color="#8e8e93", alpha=0.2, lw=0)
    for name in dict.fromkeys(f.job.gait for f in inside):
        own = sorted(_of(inside, name), key=lambda f: f.job.command.vx)
        x = [1e3 * f.job.command.vx for f in own]
        ax.plot(x, [1e3 * f.error[0] for f in own], "o-", color=COLOURS[name], ms=4, lw=1.3, label=name)
        if name in THESIS:
            ax.plot(1e3 * THESIS[name], 1.05 * band.max(), "v", color=COLOURS[name], ms=7)
    ax.set(xlabel="command [mm/s]", ylabel="too fast by [mm/s]")
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    ax.spines[["top", "right"]].set_visible(False)
    return figure
