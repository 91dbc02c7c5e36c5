"""Bahr 8.2: how strong a push from the side may be in each gait, found by repeating pushes, not by a single one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gangart.experiments.gait_track import COLOURS, gait_parameters, parameters
from gangart.experiments.push_trials import DELAY, LASTS, NOISE, WATCHED, Job, Level, limit, survived
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.robots import Robot, load

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THESIS = {"slow-walk": 14.0, "fast-walk": 17.5, "reactive-trot": 17.5, "predictive-trot": 17.5}  # [N s] figure 8.3
SPEEDS = {"slow-walk": 0.1, "fast-walk": 0.5, "reactive-trot": 0.5, "predictive-trot": 0.5}  # [m/s]
LEVELS = (7.0, 14.0, 17.5, 20.0, 25.0)  # [N s]
BALANCED = ("trot", "predictive-trot")  # the first of them that the robot's file has
BALANCED_AT = (0.0, 0.5, 1.0)  # [m/s]
BALANCED_LEVELS = (15.0, 25.0, 30.0, 35.0, 40.0)  # [N s]
LEAST = 35.0  # [N s] with balance: twice what the thesis's trots take open loop
NARROW = 25.0  # [N s] in the stance of the resting posture
SLIPPERY = 0.5  # friction on which that stance slips before it tips
OFTEN, SELDOM, QUICK = 100, 20, 5  # pushes of a level up to the bar, beyond it, and in the quick version
BATCH = 20  # pushes of one job at most
_BLUES = ("#8fbfe8", "#1f6fb2", "#123f66")


def run(setting: Setting) -> Report:
    """Open loop in the thesis's gaits, then with balance in the gait that is meant for it."""
    robot = load("quadruped")
    balanced = next(name for name in BALANCED if name in robot.gaits)
    plans = (_open_loop(setting.quick), _with_balance(balanced, setting.quick), _causes(balanced, setting.quick))
    levels = iter(pushed([level for plan in plans for level in plan], setting))
    opened, held, causes = ([next(levels) for _ in plan] for plan in plans)
    return Report(
        title="How strong a push does it take?",
        question="While the robot walks it is pushed from the side, for 1 ms at its trunk, at random times and from "
        "random sides. A push is survived if the robot is still up 2 s later. The limit is the strongest push that "
        "is survived 95 times of 100, as are all weaker ones: strong pushes may go well where weaker ones do not.",
        found="The slow walk takes pushes of up to 14 N s (14 kN for 1 ms), the other three about 17.5 N s.",
        rows=_rows(opened, held),
        verdicts=_verdicts(opened, held),
        parameters=_parameters(robot, balanced, setting),
        tables=(
            _table("Open loop", opened),
            _table(f"{balanced} with balance, late and noisy sensors", held),
            _causes_table(causes),
        ),
        pictures=(Picture("survival", _CAPTION, _figure(opened, held)),),
    )


def pushed(plan: list[Level], setting: Setting) -> list[Level]:
    """Do the pushes of a plan, several at a time; each level has times and sides of its own."""
    jobs, belongs = [], []
    for k, level in enumerate(plan):
        for begin in range(0, level.pushes, BATCH):
            n, seed = min(BATCH, level.pushes - begin), (setting.seed, k, begin)
            job = Job(level.gait, level.speed, level.impulse, n, seed, level.balance, level.spread, level.friction)
            jobs.append(job)
            belongs.append(k)
    counts = side_by_side(survived, jobs, partial(_counted, setting, len(jobs)))
    sums = [0] * len(plan)
    for k, count in zip(belongs, counts, strict=True):
        sums[k] += count
    return [replace(x, survived=n) for x, n in zip(plan, sums, strict=True)]


def _counted(setting: Setting, jobs: int, done: int) -> None:
    setting.progress(0.98 * done / jobs)


def _open_loop(quick: bool) -> list[Level]:
    """What is to be pushed how often: the bar and all below it as often as it says."""
    out = []
    for gait, bar in THESIS.items():
        for impulse in (bar,) if quick else LEVELS:
            often = QUICK if quick else OFTEN if impulse <= bar else SELDOM
            out.append(Level(gait, SPEEDS[gait], impulse, 0, often))
    return out


def _with_balance(gait: str, quick: bool) -> list[Level]:
    out = []
    for speed in BALANCED_AT:
        for impulse in (LEAST,) if quick else BALANCED_LEVELS:
            often = QUICK if quick else OFTEN if impulse <= LEAST else SELDOM
            out.append(Level(gait, speed, impulse, 0, often, True))
    return out


def _causes(gait: str, quick: bool) -> list[Level]:
    """What is left where feet stand no farther out than at home, where the floor is slippery, or without balance."""
    often = QUICK if quick else OFTEN
    out = []
    for speed in BALANCED_AT:
        out += [Level(gait, speed, impulse, 0, often, True, spread=0.0) for impulse in (NARROW, LEAST)]
        out.append(Level(gait, speed, LEAST, 0, often, True, spread=0.0, friction=SLIPPERY))
        out.append(Level(gait, speed, LEAST, 0, often))
    return out


def _of(levels: list[Level], gait: str, speed: float) -> list[Level]:
    return [x for x in levels if x.gait == gait and x.speed == speed]


def _kinds(levels: list[Level]) -> list[tuple[str, float]]:
    return list(dict.fromkeys((x.gait, x.speed) for x in levels))


def _rows(opened: list[Level], held: list[Level]) -> tuple[Row, ...]:
    rows = []
    for gait, speed in _kinds(opened):
        at = f"{gait} at {1e3 * speed:.0f} mm/s"
        rows.append(Row(f"{at}, limit", THESIS[gait], limit(_of(opened, gait, speed)), "N s", "figure 8.3"))
        (bar,) = (x for x in _of(opened, gait, speed) if x.impulse == THESIS[gait])
        low, high = bar.sure
        sure = f"{bar.survived} of {bar.pushes}; the true share lies in {100 * low:.0f}…{100 * high:.0f} %"
        rows.append(Row(f"{at}, survived at {bar.impulse:g} N s", None, bar.share, "%", "", sure))
    for gait, speed in _kinds(held):
        at = f"{gait} with balance at {1e3 * speed:.0f} mm/s"
        rows.append(Row(f"{at}, limit", None, limit(_of(held, gait, speed)), "N s", "", "the thesis has no feedback"))
    return tuple(rows)


def _verdicts(opened: list[Level], held: list[Level]) -> tuple[Verdict, ...]:
    out = []
    for gait, speed in _kinds(opened):
        found, bar = limit(_of(opened, gait, speed)), THESIS[gait]
        text = f"Open loop the {gait} survives 95 of 100 pushes of {bar:g} N s, and of all weaker ones"
        out.append(Verdict(f"{text} (limit {found:g} N s).", found >= bar))
    for gait, speed in _kinds(held):
        found = limit(_of(held, gait, speed))
        text = f"With balance the {gait} at {speed:g} m/s survives 95 of 100 pushes of {LEAST:g} N s, and all weaker"
        out.append(Verdict(f"{text} (limit {found:g} N s).", found >= LEAST))
    return tuple(out)


def _table(title: str, levels: list[Level]) -> Table:
    columns = (
        *(Column("gait"), Column("speed", "mm/s"), Column("impulse", "N s"), Column("pushes"), Column("survived")),
        *(Column("share", "%"), Column("at least", "%"), Column("at most", "%")),
    )
    rows = tuple((x.gait, x.speed, x.impulse, x.pushes, x.survived, x.share, *x.sure) for x in levels)
    return Table(title, columns, rows, "At least and at most: Wilson's interval of 95 %.")


def _causes_table(levels: list[Level]) -> Table:
    columns = (
        *(Column("speed", "mm/s"), Column("impulse", "N s"), Column("balance"), Column("stance"), Column("friction")),
        *(Column("pushes"), Column("survived")),
    )
    rows = tuple(
        (x.speed, x.impulse, x.balance, "wide" if x.spread is None else "narrow", x.friction, x.pushes, x.survived)
        for x in levels
    )
    note = "A robot of which the outer feet slip does not tip over them. Narrow: feet as in the resting posture."
    return Table("What makes it so", columns, rows, note)


def _parameters(robot: Robot, balanced: str, setting: Setting) -> tuple[Parameter, ...]:
    return (
        *parameters(robot),
        *gait_parameters(robot, tuple(dict.fromkeys((*THESIS, balanced)))),
        Parameter("duration of a push", LASTS, "ms", "8.2.1"),
        Parameter("watched after a push", WATCHED, "s", "then the next comes, at any phase of the gait alike"),
        Parameter("sensors' delay with balance", DELAY, "ms"),
        Parameter("noise of the gyro with balance", NOISE.gyro, "rad/s"),
        Parameter("noise of the accelerometer with balance", NOISE.accelerometer, "m/s²"),
        Parameter("noise of angles with balance", NOISE.angle, "rad"),
        Parameter("noise of joint speeds with balance", NOISE.speed, "rad/s"),
        Parameter("seed", setting.seed, note="of times, sides and noise; each level and batch has its own stream"),
    )


_CAPTION = (
    "Pushes survived by their impulse, with the interval in which the true share lies in 95 of 100 cases. Dotted: "
    "the thesis's limits, 14 N s for the slow walk and 17.5 N s for the others; dashed: 95 %. On the right with "
    f"balance, under noise and 20 ms of delay; dotted there the bar of {LEAST:g} N s."
)


def _figure(opened: list[Level], held: list[Level]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for k, (gait, speed) in enumerate(_kinds(opened)):
        _curve(left, _of(opened, gait, speed), COLOURS[gait], f"{gait}, {speed:g} m/s", 0.2 * (k - 1.5))
    for k, ((gait, speed), colour) in enumerate(zip(_kinds(held), _BLUES, strict=False)):
        _curve(right, _of(held, gait, speed), colour, f"{gait}, {speed:g} m/s", 0.2 * (k - 1))
    for ax, title, marks in ((left, "Open loop", sorted(set(THESIS.values()))), (right, "With balance", [LEAST])):
        ax.axhline(95.0, color="#8e8e93", lw=1.0, ls="--")
        for mark in marks:
            ax.axvline(mark, color="#8e8e93", lw=1.2, ls=":")
        ax.set(xlabel="impulse [N s]", title=title, ylim=(-3.0, 103.0))
        ax.legend(frameon=False, fontsize=8, loc="lower left")
        ax.spines[["top", "right"]].set_visible(False)
    left.set_ylabel("survived [%]")
    return figure


def _curve(ax: Axes, levels: list[Level], colour: str, label: str, aside: float) -> None:
    """A gait's shares, shifted a little so that intervals do not hide one another."""
    share = [100.0 * x.share for x in levels]
    ends = [tuple(100.0 * s for s in x.sure) for x in levels]
    bars = [
        [s - low for s, (low, _) in zip(share, ends, strict=True)],
        [h - s for s, (_, h) in zip(share, ends, strict=True)],
    ]
    bars = [[max(b, 0.0) for b in side] for side in bars]  # at 100 % the last digit may be below 0
    ax.errorbar(
        [x.impulse + aside for x in levels], share, bars, fmt="o-", color=colour, ms=4, lw=1.3, capsize=2, label=label
    )
