"""Bahr 6.5: a robot that does nothing should not move. Gazebo's did: lying, and standing on stretched legs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.drive_parameters import drive_parameters
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.experiments.side_by_side import side_by_side
from gangart.robots import Robot, load
from gangart.signals import Array, JointTargets
from gangart.simulation import IDEAL, Fidelity, Ground, World

if TYPE_CHECKING:
    import mujoco
    from matplotlib.figure import Figure

BAR = 1e-5  # [m/s]
LONG, SHORT = 600.0, 60.0  # [s]
SETTLED = 30.0  # [s] from where on drift counts as that of a robot that has settled
OFF = 0.01  # [rad] standard deviation of joints that push feet against each other
MOTORS = Fidelity(motor=True)
_STRIDE = 1.0  # [s] from one target to the next, which is the same


@dataclass(frozen=True)
class Posture:
    """How the robot is put down."""

    name: str
    leg: tuple[float, float, float] | None  # [rad] of each leg; None: as at home
    height: float  # [m] of the trunk's middle when it is let go
    gazebo: float  # [m/s] that the thesis measured


POSTURES = (
    Posture("standing", None, 0.32, 0.92e-6),
    Posture("stretched legs", (0.0, 0.0, 0.0), 0.42, 0.152),
    Posture("lying on the trunk", (0.0, 2.4, -2.8), 0.061, 0.044),
    Posture("lying, feet pressed down", (0.0, 2.4, -2.75), 0.062, 0.044),
)

Change = Callable[["mujoco.MjModel"], None]


@dataclass(frozen=True, eq=False)
class Drift:
    """Where the trunk was, once a second."""

    posture: Posture
    place: Array  # (n, 2) [m] on the ground; row k after k seconds
    touching: int  # contacts in the end

    def rate(self, begin: float) -> float:
        """How fast it went from a time [s] on, on the whole [m/s]."""
        a = round(begin / _STRIDE)
        return float(np.linalg.norm(self.place[-1] - self.place[a]) / (_STRIDE * (len(self.place) - 1 - a)))


Job = tuple[Posture, float, Fidelity, Array]
Found = tuple[str, bool, Drift]


def run(setting: Setting) -> Report:
    """Each posture for ten minutes, also with feet that push against each other; then other settings of the physics."""
    robot = load("quadruped")
    duration = SHORT if setting.quick else LONG
    rng = np.random.default_rng(setting.seed)
    jobs: list[Job] = []
    for posture in POSTURES:
        for fidelity in (MOTORS, IDEAL):
            noise = rng.normal(scale=OFF, size=len(robot.joints))
            jobs += [(posture, duration, fidelity, off) for off in (np.zeros_like(noise), noise)]

    def done(count: int) -> None:
        setting.progress(0.9 * count / len(jobs))

    if setting.quick:  # a second process is not worth its start
        found = []
        for job in jobs:
            found.append(_one(job))
            done(len(found))
    else:
        found = side_by_side(_one, jobs, done)
    return Report(
        title="A robot that does nothing does not move",
        question="The robot stands, stands on stretched legs, lies on its trunk, and lies while its feet press on the "
        "floor. How fast does it drift, over ten minutes from the moment when the world begins, and when it has "
        "settled?",
        found="In Gazebo it drifts by 44 mm/s where it lies and by 152 mm/s where it stands on stretched legs, in a "
        "random direction; otherwise by 0.00092 mm/s.",
        rows=_rows(found),
        verdicts=_verdicts(found),
        parameters=(
            *drive_parameters(robot),
            Parameter("mass", robot.mass, "kg"),
            Parameter("friction", Ground().friction),
            Parameter("duration", duration, "s", "5.6.1 watches its camera for 10 minutes"),
            Parameter("settled after", SETTLED, "s"),
            Parameter("joints off by", OFF, "rad", "standard deviation, where feet push against each other"),
            Parameter("seed", setting.seed),
        ),
        tables=(_table(found), _settings(robot, setting)),
        pictures=(Picture("drift", _CAPTION, _figure(found)),),
    )


def _one(job: Job) -> Found:
    posture, duration, fidelity, off = job
    level = "motors" if fidelity.motor else "near-ideal servos"
    return level, bool(off.any()), drift(load("quadruped"), posture, duration, fidelity, off)


def drift(
    robot: Robot, posture: Posture, duration: float, fidelity: Fidelity, off: Array, change: Change = lambda _: None
) -> Drift:
    """Let a robot be for a while [s], each joint as much off [rad]; `change` edits the physics before."""
    world = World(robot, fidelity)
    change(world.model)
    q = robot.home_position if posture.leg is None else np.tile(posture.leg, len(robot.legs))
    q = np.clip(q + off, *robot.joint_limits.T)
    world.reset(q, np.array([0.0, 0.0, posture.height]))
    places: list[Array] = []
    for _ in range(round(duration / _STRIDE)):
        world.write(JointTargets(world.time + _STRIDE, q, np.zeros(len(q))))
        states = world.take().states[:, world.base : world.base + 2]
        places += [states[0]] * (not places) + [states[-1]]
    return Drift(posture, np.array(places), int(world.data.ncon))


def _of(found: list[Found], posture: Posture) -> list[Drift]:
    """All of a posture with motors."""
    return [d for level, _, d in found if d.posture == posture and level == "motors"]


def _rows(found: list[Found]) -> tuple[Row, ...]:
    rows = []
    for posture in POSTURES:
        drifts = _of(found, posture)
        whole, later = (max(d.rate(begin) for d in drifts) for begin in (0.0, SETTLED))
        rows.append(Row(f"{posture.name}, over all", posture.gazebo, whole, "mm/s", "6.5"))
        rows.append(Row(f"{posture.name}, settled", posture.gazebo, later, "mm/s", "6.5"))
    return tuple(rows)


def _verdicts(found: list[Found]) -> tuple[Verdict, ...]:
    whole, later = (max(d.rate(begin) for *_, d in found) for begin in (0.0, SETTLED))
    return (
        Verdict(f"Over all nothing drifts by more than 0.01 mm/s ({1e3 * whole:.5f} mm/s).", whole <= BAR),
        Verdict(f"Once it has settled, neither ({1e3 * later:.6f} mm/s).", later <= BAR),
        Verdict(
            "What moves at first are feet that push against each other: friction in MuJoCo is soft, and they creep "
            "until they push no more. The floor is level, so that nothing is left that could pull the robot away, and "
            "it stays."
        ),
    )


def _table(found: list[Found]) -> Table:
    columns = (
        *(Column("posture"), Column("level"), Column("joints"), Column("contacts")),
        *(Column("over all", "mm/s"), Column("settled", "mm/s"), Column("moved in all", "µm")),
    )
    rows = tuple(
        (
            d.posture.name, level, "feet push" if off else "exact", d.touching, d.rate(0.0), d.rate(SETTLED),
            float(np.linalg.norm(d.place[-1] - d.place[0])),
        )
        for level, off, d in found
    )  # fmt: skip
    return Table("How far robots go that do nothing", columns, rows)


def _settings(robot: Robot, setting: Setting) -> Table:
    """What the physics settings do to standing feet that push against each other."""
    off = np.random.default_rng(setting.seed).normal(scale=OFF, size=len(robot.joints))
    rows = []
    for name, change in CHANGES.items():
        d = drift(robot, POSTURES[0], SHORT, MOTORS, off, change)
        gone = np.linalg.norm(np.diff(d.place, axis=0), axis=1) / _STRIDE
        rows.append((name, d.rate(0.0), float(gone[0]), float(gone[9]), d.rate(SETTLED)))
    columns = (
        *(Column("physics"), Column("over a minute", "mm/s"), Column("in the first second", "mm/s")),
        *(Column("in the tenth", "mm/s"), Column("settled", "mm/s")),
    )
    return Table("Standing, feet pushing against each other, in other physics", columns, tuple(rows), _SETTINGS_NOTE)


def _impratio(model: mujoco.MjModel) -> None:
    model.opt.impratio = 10.0


def _pyramid(model: mujoco.MjModel) -> None:
    import mujoco

    model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL


def _smooth(model: mujoco.MjModel) -> None:
    model.dof_frictionloss[:] = 0.0


CHANGES: dict[str, Change] = {
    "as it is: elliptic cone, impratio 1": lambda _: None,
    "impratio 10": _impratio,
    "pyramidal cone": _pyramid,
    "no dry friction in the joints": _smooth,
}

_SETTINGS_NOTE = (
    "impratio stiffens friction beside pressure, and MuJoCo advises more than 1 against slip. It does slow the creep "
    "down, and so prolongs the settling: after ten seconds these feet are still under way, while those as it is have "
    "come to rest. Dry friction in the joints has no part in it."
)
_CAPTION = (
    "How far robots with motors have gone that do nothing, feet pushing against each other; both scales are "
    "logarithmic. Dashed: the bar of 0.01 mm/s, and what the thesis found in Gazebo."
)


def _figure(found: list[Found]) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import INK, LEGS, REFERENCE

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    ax = figure.subplots()
    shown = [d for level, off, d in found if off and level == "motors"]
    time = _STRIDE * np.arange(1, len(shown[0].place))
    for d, color in zip(shown, LEGS, strict=False):
        gone = np.linalg.norm(d.place[1:] - d.place[0], axis=1)
        ax.plot(time, np.maximum(1e3 * gone, 1e-7), color=color, lw=1.8, label=d.posture.name)
    lines = {"0.01 mm/s": BAR} | {f"Gazebo, {p.name}": p.gazebo for p in POSTURES[:3]}
    for name, rate in lines.items():
        color = INK if rate == BAR else REFERENCE
        ax.plot(time, 1e3 * rate * time, color=color, ls="--", lw=1.1)
        end = (time[-1], 1e3 * rate * time[-1])
        ax.annotate(name, end, xytext=(5, 0), textcoords="offset points", color=color, va="center")
    ax.set(xscale="log", yscale="log", xlabel="time [s]", ylabel="gone [mm]", xlim=(time[0], time[-1]))
    ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.12))
    ax.spines[["top", "right"]].set_visible(False)
    return figure
