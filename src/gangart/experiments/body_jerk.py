"""Bahr 5.7 and 6.4: the body is jerked down and up, and why it must not be asked to do so at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.body_runs import BodyRun, body_parameters, body_run
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.standing import Knows, Square
from gangart.robots import Robot, load

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 0.34  # [m] of the hips at the top of the motion
STROKE, SPEED = 0.05, 0.5  # [m], [m/s] of 5.7.1 and 6.4.1
PLANNED = 8.0  # [m/s²] at the most: less than gravity brings back, so that feet keep bearing
MOST, MEAN = 0.0104, 0.005  # [m] the thesis's, across the motion
PERIOD = 1.2  # [s] of the square wave
NAIVE = Knows(weight=False, inertia=False, rolling=False, ahead=False)


@dataclass(frozen=True)
class Case:
    """One way to ask for the same jerk."""

    name: str
    knows: Knows
    planned: bool  # whether the acceleration is
    mirrored: bool = False  # whether the rear knees point forward


PLAIN = Case("at once, targets know nothing", NAIVE, False)
BEST = Case("planned, weight, rolling and inertia", Knows(), True)
CASES = (
    PLAIN,
    Case("the same, rear knees forward", NAIVE, False, mirrored=True),
    Case("at once, weight", replace(NAIVE, weight=True), False),
    Case("at once, weight and rolling", replace(NAIVE, weight=True, rolling=True), False),
    Case("at once, weight, rolling and inertia", Knows(), False),
    Case("planned, targets know nothing", NAIVE, True),
    Case("planned, weight and rolling", Knows(inertia=False), True),
    BEST,
)


def run(setting: Setting) -> Report:
    """The square wave, asked for in several ways; the best of them also from other heights and on other floors."""
    robot = load("quadruped")
    periods = 1 if setting.quick else 4
    cases = (PLAIN, CASES[1], CASES[5], BEST) if setting.quick else CASES
    rng = np.random.default_rng(setting.seed)
    others = (
        [(0.34, 0.8), (0.3, 0.8)] if setting.quick else [(h, mu) for h in (0.3, 0.32, 0.34, 0.36) for mu in (0.4, 0.8)]
    )
    runs: dict[str, BodyRun] = {}
    for case in cases:
        runs[case.name] = jerk(robot, case, periods)
        setting.progress(len(runs) / (len(cases) + len(others)))
    robust = []
    for height, friction in others:
        phase = float(rng.uniform(0.0, robot.tick))
        robust.append((height, friction, phase, jerk(robot, BEST, periods, height, friction, phase)))
        setting.progress((len(cases) + len(robust)) / (len(cases) + len(others)))
    return Report(
        title="The body is jerked down and up",
        question="The robot stands on its four feet; a square wave takes its body down by 50 mm and up again, at 500 "
        "mm/s. How far does the trunk move across, and why?",
        found="Across the motion the trunk is off by 5.0 mm on average and 10.4 mm at the most; along it, it "
        "overshoots both ways.",
        rows=_rows(runs),
        verdicts=_verdicts(runs, [r for *_, r in robust]),
        parameters=(
            *body_parameters(robot, HEIGHT),
            Parameter("stroke", STROKE, "mm", "6.4.1"),
            Parameter("speed", SPEED, "mm/s", "5.7.1"),
            Parameter("planned acceleration", PLANNED, "m/s²", "chosen: below g, so that feet keep bearing"),
            Parameter("period", PERIOD, "s", "chosen: not printed"),
            Parameter("periods", periods),
            Parameter("seed", setting.seed, note="of the phases of the tick in which the first edge comes"),
        ),
        tables=(_table(cases, runs), _robust(robust)),
        pictures=(
            Picture("why", _WHY_CAPTION, _why_figure(runs)),
            Picture("jerk", _JERK_CAPTION, _jerk_figure(runs[BEST.name])),
        ),
    )


def jerk(
    robot: Robot, case: Case, periods: int, height: float = HEIGHT, friction: float = 0.8, phase: float = 0.0
) -> BodyRun:
    """The square wave; its first edge comes a phase [s] after a tick."""
    square = Square(STROKE, SPEED, PLANNED if case.planned else np.inf, PERIOD / 2.0, 0.3 + phase)
    robot = mirrored(robot) if case.mirrored else robot
    return body_run(robot, "z", square, height, 0.3 + periods * PERIOD, case.knows, friction)


def mirrored(robot: Robot) -> Robot:
    """The robot with its rear knees forward: symmetric fore and aft."""
    rear = {name for name in robot.legs if name.startswith("rear")}
    joints = {j for name in rear for j in robot.legs[name].joints}
    legs = {n: replace(leg, knee="forward") if n in rear else leg for n, leg in robot.legs.items()}
    return replace(robot, legs=legs, home={j: -q if j in joints else q for j, q in robot.home.items()})


def _overshoot(r: BodyRun) -> float:
    """How far the trunk leaves the stroke, above and below [m]."""
    z = r.moved[:, 2]
    return float(max(z.max(), -STROKE - z.min()))


def _rows(runs: dict[str, BodyRun]) -> tuple[Row, ...]:
    best, plain = runs[BEST.name], runs[PLAIN.name]
    source = "5.7.2, figure 5.6"
    return (
        Row("across, most", MOST, float(best.aside.max()), "mm", source, "planned acceleration, targets that know"),
        Row("across, mean", MEAN, float(best.aside.mean()), "mm", source),
        Row("overshoot along z", "shown", _overshoot(best), "mm", "figures 5.6 and 6.7", "also a smaller one"),
        Row("highest speed of the trunk", SPEED, best.speed, "mm/s", "5.7.1"),
        Row(
            "across, most, asked for at once", MOST, float(plain.aside.max()), "mm", source, "and targets know nothing"
        ),
    )


def _verdicts(runs: dict[str, BodyRun], robust: list[BodyRun]) -> tuple[Verdict, ...]:
    best, plain, facing = runs[BEST.name], runs[PLAIN.name], runs[CASES[1].name]
    worst = max(float(r.aside.max()) for r in robust)
    most, mean = float(best.aside.max()), float(best.aside.mean())
    return (
        Verdict(f"Across the motion the trunk is off by at most 10.4 mm ({1e3 * most:.1f} mm).", most <= MOST),
        Verdict(f"On average by at most 5.0 mm ({1e3 * mean:.2f} mm).", mean <= MEAN),
        Verdict(f"The trunk reaches 500 mm/s ({1e3 * best.speed:.0f} mm/s).", best.speed >= 0.98 * SPEED),
        Verdict(f"From other heights, on other floors, too ({1e3 * worst:.1f} mm).", worst <= MOST),
        Verdict(
            f"Asked for at once, the jerk makes the robot hop: not all feet bear for {100 * plain.airborne:.0f} % of "
            f"the time (planned: {100 * best.airborne:.1f} %), and every hop lands further forward, "
            f"{1e3 * plain.aside.max():.0f} mm in all.",
            plain.airborne > 10.0 * best.airborne,
        ),
        Verdict(
            f"Forward, because all knees point backward: with the rear knees forward it hops as well, but on the spot "
            f"({1e3 * facing.aside.max():.1f} mm).",
            facing.aside.max() < 0.3 * plain.aside.max() and facing.airborne > 0.5 * plain.airborne,
        ),
    )


def _table(cases: tuple[Case, ...], runs: dict[str, BodyRun]) -> Table:
    columns = (
        *(Column("asked for"), Column("across, most", "mm"), Column("mean", "mm"), Column("overshoot", "mm")),
        *(Column("highest speed", "mm/s"), Column("highest torque", "N m"), Column("not all feet bear", "%")),
    )
    rows = []
    for case in cases:
        r = runs[case.name]
        torque = float(np.abs(r.hub_torque).max())
        rows.append(
            (case.name, float(r.aside.max()), float(r.aside.mean()), _overshoot(r), r.speed, torque, r.airborne)
        )
    return Table("What the jerk is asked for with", columns, tuple(rows), _CASES_NOTE)


def _robust(robust: list[tuple[float, float, float, BodyRun]]) -> Table:
    columns = (
        *(Column("hips at the top", "mm"), Column("friction"), Column("edge after the tick", "ms")),
        *(Column("across, most", "mm"), Column("mean", "mm"), Column("overshoot", "mm")),
    )
    rows = tuple((h, mu, t, float(r.aside.max()), float(r.aside.mean()), _overshoot(r)) for h, mu, t, r in robust)
    return Table("From other heights, on other floors, in other phases of the tick", columns, rows)


_CASES_NOTE = (
    "At once: the body's speed jumps from 0 to 500 mm/s from one tick to the next, and back. No robot can: down, "
    "gravity gives it 9.81 m/s² at the most, and up it flies on at 500 mm/s when the legs stop. Motors go to their "
    "current limit (12.4 N m) and the knees' hubs, which carry most, give way more than the hips' while they are "
    "there. Planned: 8 m/s² between rest and 500 mm/s. Inertia: while the body accelerates by a, motors give way "
    "under m (g + a), and targets ask for as much more."
)
_WHY_CAPTION = (
    "Why the body moves across: the first period, on the left asked for at once by targets that know nothing, on the "
    "right with a planned acceleration by targets that know of weight, rolling and inertia. From above: the trunk's "
    "height (what is asked for dashed) and when not all feet bear (grey); the trunk across; the ground's force on all "
    "feet with the weight dashed; the torques at the hubs of the front left leg with the current limit dashed."
)
_JERK_CAPTION = (
    "Figure 5.6 again: the trunk's motion with planned acceleration, on the left along z, on the right across it, "
    "with the thesis's 10.4 mm dashed."
)


def _why_figure(runs: dict[str, BodyRun]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 10), layout="constrained")
    grid = figure.subplots(4, 2, sharex=True, sharey="row")
    for column, (case, title) in enumerate(((PLAIN, "asked for at once"), (BEST, "planned"))):
        _column([grid[row, column] for row in range(4)], runs[case.name])
        grid[0, column].set_title(title)
        grid[3, column].set_xlabel("time [s]")
    for ax, label in zip(grid[:, 0], ("z [mm]", "across [mm]", "ground [N]", "hub torque [N m]"), strict=True):
        ax.set_ylabel(label)
    for ax in grid[1:, 1]:
        ax.legend(frameon=False, loc="upper right", fontsize=8, ncols=3)
    for ax in grid.flat:
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _column(axes: list[Axes], r: BodyRun) -> None:
    from gangart.analysis.plots import BODY, LEGS, REFERENCE

    shown = r.recording.time <= 0.3 + PERIOD
    t, rec = r.recording.time[shown], r.recording
    height, across, force, torque = axes
    low, high = -70.0, 15.0
    height.fill_between(t, low, high, where=~rec.contact[shown].all(axis=1), color=REFERENCE, alpha=0.3, lw=0)
    height.plot(t, 1e3 * (rec.com_reference[shown, 2] - rec.com_reference[0, 2]), color=REFERENCE, ls="--", lw=1.2)
    height.plot(t, 1e3 * r.moved[shown, 2], color=BODY, lw=1.6)
    height.set(ylim=(low, high))
    for i, name in enumerate("xy"):
        across.plot(t, 1e3 * r.moved[shown, i], color=LEGS[i], lw=1.6, label=name)
    force.plot(t, rec.foot_wrench[shown, :, 2].sum(axis=1), color=BODY, lw=1.2, label="all feet")
    force.axhline(9.81 * r.robot.mass, color=REFERENCE, ls="--", lw=1.0)
    for i, name in enumerate(r.robot.legs["front_left"].joints):
        torque.plot(t, r.hub_torque[shown, r.robot.joint_index[name]], color=LEGS[i], lw=1.2, label=name)
    motor, drive = next(iter(r.robot.motors.values())), r.robot.drive
    assert drive is not None
    for sign in (-1.0, 1.0):
        limit = drive.current_limit * motor.torque_constant * motor.gear_ratio
        torque.axhline(sign * limit, color=REFERENCE, ls="--", lw=1.0)


def _jerk_figure(r: BodyRun) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import LEGS, REFERENCE

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    along, across = figure.subplots(1, 2, sharex=True)
    t = r.recording.time
    wanted = 1e3 * (r.recording.com_reference[:, 2] - r.recording.com_reference[0, 2])
    along.plot(t, wanted, color=REFERENCE, ls="--", lw=1.0, label="asked for")
    along.plot(t, 1e3 * r.moved[:, 2], color=LEGS[2], lw=1.4, label="z")
    for i, name in enumerate("xy"):
        across.plot(t, 1e3 * r.moved[:, i], color=LEGS[i], lw=1.4, label=name)
    for sign in (-1.0, 1.0):
        across.axhline(sign * 1e3 * MOST, color=REFERENCE, ls="--", lw=1.0)
    along.set(xlabel="time [s]", ylabel="z [mm]", title="along", ylim=(-56.0, 14.0))
    across.set(xlabel="time [s]", ylabel="off [mm]", title="across", ylim=(-12.0, 15.0))
    for ax in (along, across):
        ax.legend(frameon=False, loc="upper right", ncols=2)
        ax.spines[["top", "right"]].set_visible(False)
    return figure
