"""Bahr 5.6 and 6.3: slow motions of the body on its feet, and what moves with it that should rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.body_runs import AXES, BodyRun, body_parameters, body_run
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.standing import Knows, sine
from gangart.robots import Robot, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 0.32  # [m] of the hips, in the middle of the motion
AMPLITUDE = {"x": 0.05, "y": 0.05, "z": 0.04}  # [m]
PERIOD = 4.0  # [s]
LIMITS = {"x": (0.0079, 0.0037), "z": (0.0089, 0.0061)}  # [m] the thesis's: most, mean
NAIVE = Knows(weight=False, inertia=False, rolling=False, ahead=False)
CASES = {
    "everything": Knows(),
    "without weight": Knows(weight=False),
    "without rolling": Knows(rolling=False),
    "nothing": NAIVE,
}


def run(setting: Setting) -> Report:
    """Sines along x, y and z with targets that know of weight and rolling, and with targets that do not."""
    robot = load("quadruped")
    periods = 1 if setting.quick else 3
    axes = ("x", "z") if setting.quick else ("x", "y", "z")
    cases = ("everything", "without rolling", "nothing") if setting.quick else tuple(CASES)
    jobs = [(axis, case) for axis in axes for case in cases]
    runs: dict[tuple[str, str], BodyRun] = {}
    for axis, case in jobs:
        runs[axis, case] = slow(robot, axis, periods, CASES[case])
        setting.progress(len(runs) / len(jobs))
    return Report(
        title="Slow motions of the body on its feet",
        question="The robot stands on its four feet, and its body swings slowly along one axis. How far does the "
        "trunk leave that axis, in the directions that should rest? As a tracking camera measures it: from where the "
        "trunk stood.",
        found="Forward and back, the trunk is off by 3.7 mm on average and 7.9 mm at the most; up and down by 6.1 and "
        "8.9 mm. The real robot oscillates clearly more than Gazebo's.",
        rows=_rows(runs),
        verdicts=_verdicts(runs),
        parameters=(
            *body_parameters(robot, HEIGHT),
            *(Parameter(f"amplitude along {axis}", a, "mm", "chosen: not printed") for axis, a in AMPLITUDE.items()),
            Parameter("period", PERIOD, "s", "chosen: not printed; far slower than the legs in the air, 5.6.2"),
            Parameter("random numbers", "none", note="the seed changes nothing"),
        ),
        tables=(_table(runs),),
        pictures=(Picture("slow", _CAPTION, _figure(runs)),),
    )


def slow(robot: Robot, axis: str, periods: int, knows: Knows | None = None) -> BodyRun:
    """The body swings along an axis."""
    return body_run(robot, axis, sine(axis, AMPLITUDE[axis], PERIOD), HEIGHT, periods * PERIOD, knows)


def _rows(runs: dict[tuple[str, str], BodyRun]) -> tuple[Row, ...]:
    rows = []
    for axis, name, figure in (
        ("x", "forward and back", "5.6.2, figure 5.5"),
        ("z", "up and down", "5.6.2, figure 5.5"),
    ):
        aside, (most, mean) = runs[axis, "everything"].aside, LIMITS[axis]
        rows.append(Row(f"{name}: off its axis, most", most, float(aside.max()), "mm", figure))
        rows.append(Row(f"{name}: off its axis, mean", mean, float(aside.mean()), "mm", figure))
    return tuple(rows)


def _verdicts(runs: dict[tuple[str, str], BodyRun]) -> tuple[Verdict, ...]:
    def within(axis: str) -> bool:
        aside, (most, mean) = runs[axis, "everything"].aside, LIMITS[axis]
        return bool(aside.max() <= most and aside.mean() <= mean)

    along = max(float(np.abs(run.along).max()) for (_, case), run in runs.items() if case == "everything")
    naive = float(runs["z", "nothing"].aside.max())
    rolled = float(runs["z", "without rolling"].aside.max())
    return (
        Verdict("Forward and back the trunk is off its axis by no more than the thesis's.", within("x")),
        Verdict("Up and down, too.", within("z")),
        Verdict(f"Along its axis it is where it should be within 15 mm ({1e3 * along:.1f} mm).", along <= 0.015),
        Verdict(
            f"Up and down, targets that know nothing lead to {1e3 * naive:.1f} mm. Most of that is feet of 20 mm that "
            f"roll forward as the shanks turn ({1e3 * rolled:.1f} mm when only that is left out).",
            rolled > 0.5 * naive,
        ),
    )


def _table(runs: dict[tuple[str, str], BodyRun]) -> Table:
    columns = (
        *(Column("axis"), Column("targets know of"), Column("off its axis, most", "mm"), Column("mean", "mm")),
        *(Column("off along it", "mm"), Column("highest torque", "N m")),
    )
    rows = tuple(
        (
            axis, case, float(r.aside.max()), float(r.aside.mean()), float(np.abs(r.along).max()),
            float(np.abs(r.hub_torque).max()),
        )
        for (axis, case), r in runs.items()
    )  # fmt: skip
    note = (
        "Weight: motors are springs, and targets ask for as much more as they give way under the robot's weight. "
        "Rolling: a foot that is a ball moves its shank when that turns. Off along the axis counts from where the "
        "plan has the trunk in the world."
    )
    return Table("What targets take into account", columns, rows, note)


_CAPTION = (
    "Figure 5.5 again: on the left where the trunk goes along its axis, on the right what it does in the directions "
    "that should rest, with the thesis's largest error dashed. Dark: targets that know of weight and rolling; light: "
    "targets that do not."
)


def _figure(runs: dict[tuple[str, str], BodyRun]) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import LEGS, REFERENCE

    axes = list(dict.fromkeys(axis for axis, _ in runs))
    figure = Figure(figsize=(11, 2.9 * len(axes)), layout="constrained")
    grid = figure.subplots(len(axes), 2, sharex=True, squeeze=False)
    for (along, aside), axis in zip(grid, axes, strict=True):
        for case, alpha, width in (("nothing", 0.4, 1.2), ("everything", 1.0, 1.6)):
            r = runs[axis, case]
            t = r.recording.time
            along.plot(t, 1e3 * r.moved[:, AXES[axis]], color=LEGS[AXES[axis]], alpha=alpha, lw=width)
            for name, i in AXES.items():
                if name != axis:
                    label = name if case == "everything" else None
                    aside.plot(t, 1e3 * r.moved[:, i], color=LEGS[i], alpha=alpha, lw=width, label=label)
        if axis in LIMITS:
            for sign in (-1.0, 1.0):
                aside.axhline(sign * 1e3 * LIMITS[axis][0], color=REFERENCE, lw=1.0, ls="--")
        along.set(ylabel=f"{axis} [mm]", title=f"the body swings along {axis}")
        aside.set(ylabel="off [mm]", title="what should rest")
        aside.legend(frameon=False, loc="upper right", ncols=2)
    for ax in grid[-1]:
        ax.set_xlabel("time [s]")
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure
