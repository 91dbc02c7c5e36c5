"""4.2.3, figures 4.5 and 4.6: what a gearbox with play and elasticity makes of a motor's torque."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gangart.experiments.algorithms import Bench, GearParameters
from gangart.experiments.one_joint import OneJoint, Trace
from gangart.experiments.report import Column, Parameter, Picture, Report, Row, Setting, Table, Verdict
from gangart.robots import Robot, load
from gangart.robots.wear import GearWear, Wear, worn
from gangart.signals import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TARGET = 0.5  # [rad]
BEGIN = 0.1  # [s] when the target is set, as in figure 4.6
STEP = 0.001  # [s]
FINE = 1e-4  # [s] where only the models are to differ, not their integrators
DURATION = 2.0  # [s]
QUIET = 0.01  # of the largest output: what counts as no torque
GEAR_STEPS = 100  # of Algorithm 4.2 in one of the physics

# Figure 4.6 gives no parameters. These have its time scale: torque after one to two tenths of a second.
WEAR = Wear(
    name="bench", note="", encoder="joint", proportional=40.0, integral=0.0, derivative=8.0, stiffness=0.4, gears={},
    link_stiffness=1.0, link_friction=0.0,
)  # fmt: skip
GEAR = GearWear(viscous=0.02, coulomb=0.0, inertia=0.1, play=0.1, stiffness=5.0, damping=0.0)
INERTIA = 2.0  # [kg m²] of the body


@dataclass(frozen=True)
class Response:
    """What figure 4.6 is about, in numbers."""

    delay: float  # [s] from the target's step until torque arrives at the body
    rising: float  # [s] for which the output still rises while the input falls, before the output's first peak
    dead: float  # [s] without torque when its sign changes first

    @classmethod
    def of(cls, into: Array, out: Array, step: float) -> Response:
        """Measure it in torques per step [N m]; what does not happen is NaN."""
        quiet = QUIET * float(np.max(np.abs(out)))
        pulls, brakes = np.flatnonzero(out > quiet), np.flatnonzero(out < -quiet)
        if not len(pulls):
            return cls(np.nan, np.nan, np.nan)
        first = int(pulls[0])
        brakes = brakes[brakes > first]
        end = int(brakes[0]) if len(brakes) else len(out)
        peak = first + int(np.argmax(out[first:end]))
        rising = (np.diff(out[first : peak + 1]) > 0.0) & (np.diff(into[first : peak + 1]) < 0.0)
        dead = step * (end - 1 - int(pulls[pulls < end][-1])) if len(brakes) else np.nan
        return cls(step * first - BEGIN, step * int(np.sum(rising)), dead)


def run(setting: Setting) -> Report:
    """The bench in MuJoCo beside Algorithms 4.1 and 4.2 in Python, and with every worn preset of the Nao."""
    nao = load("nao")
    bench = OneJoint(nao.motors["leg_low"], WEAR, GEAR, INERTIA, STEP)
    ours, (angle, into, out) = bench.run(target()), thesis(bench)
    setting.progress(0.3)
    here, there = (Response.of(a, b, STEP) for a, b in ((ours.into, ours.out), (into, out)))
    momentum = kept_momentum()
    limit = _limit(bench, (2.0, 2000.0) if setting.quick else (2.0, 20.0, 200.0, 2000.0), setting)
    presets = _presets(nao)
    return Report(
        title="Torque through a gearbox with play and elasticity",
        question="A body on a motor with a gearbox, fixed to the ground, gets a new target angle. What goes into the "
        "gear and what comes out of it? Ours is the gear of every simulated robot, two hinges in MuJoCo; beside it "
        "run Algorithms 4.1 and 4.2 as printed.",
        found="Torque arrives late, because the gear's mass has to cross the play first; it still rises when the "
        "input falls already, because the mass goes on to tighten the spring; and when its sign changes there is no "
        "torque for a while, because the mass is back inside the play.",
        rows=_rows(here, there, momentum),
        verdicts=_verdicts(here, there, momentum, limit),
        parameters=_parameters(bench),
        tables=(limit, *presets),
        pictures=(Picture("torque", _CAPTION, _figure(ours, angle, into, out, here)),),
    )


def target(step: float = STEP) -> Array:
    """A step to the target angle (n,) [rad]."""
    time = step * np.arange(round(DURATION / step))
    return np.where(time >= BEGIN - 0.5 * step, TARGET, 0.0)


def thesis(bench: OneJoint) -> tuple[Array, Array, Array]:
    """The same bench by Algorithms 4.1 and 4.2: angle [rad], torque into the gear and out of it [N m]."""
    gear = bench.gear
    parameters = GearParameters(2.0 * gear.play, gear.stiffness, gear.viscous, gear.inertia)
    assert bench.motor is not None
    steps = round(GEAR_STEPS * bench.step / STEP)
    return Bench(bench.motor, bench.wear, parameters, bench.inertia).run(target(bench.step), bench.step, steps)


def kept_momentum() -> tuple[float, float]:
    """Which part of its momentum a free gear mass and the body have together after they met: ours, Algorithm 4.2."""
    from gangart.experiments.algorithms import GearState, gear_step

    gear, speed = replace(GEAR, viscous=0.0), 1.0
    n = round(1.0 / STEP)
    ours = OneJoint(None, WEAR, gear, INERTIA, STEP).run(np.zeros(n), motor_speed=speed)
    mine = gear.inertia * ours.motor_speed + INERTIA * ours.joint_speed
    parameters = GearParameters(2.0 * gear.play, gear.stiffness, 0.0, gear.inertia)
    mass, body = GearState(speed=speed), 0.0
    for _ in range(n):
        body += gear_step(parameters, mass, 0.0, STEP, GEAR_STEPS) / INERTIA * STEP
    his = gear.inertia * (mass.speed + body) + INERTIA * body  # the mass rides on the body
    return float(mine[-1] / mine[0]), float(his / (gear.inertia * speed))


def _limit(bench: OneJoint, inertias: tuple[float, ...], setting: Setting) -> Table:
    rows = []
    for k, inertia in enumerate(inertias):
        heavy = replace(bench, inertia=inertia, step=FINE)
        ours, (_, _, out) = heavy.run(target(FINE)), thesis(heavy)
        rows.append((inertia, GEAR.inertia / inertia, float(np.std(ours.out - out) / np.std(out))))
        setting.progress(0.3 + 0.6 * (k + 1) / len(inertias))
    return Table(
        "The same gear on heavier bodies",
        (Column("body", "kg m²"), Column("mass of the gear / body", "%"), Column("output differs by", "%")),
        tuple(rows),
        "Algorithm 4.2 lets the gear's mass feel its spring, but not that the joint moves away under it. It is the "
        "limit of our gear for a body that stands still. Physics step here: 0.1 ms.",
    )


def _presets(nao: Robot) -> tuple[Table, ...]:
    """The ankle of every worn Nao, the robot standing on it; no table where nobody has described the wear."""
    joint = nao.legs["left"].joints[-2]
    motor = nao.motor_of(joint)
    assert motor is not None
    inertia, rows = _standing_on(nao, joint), []
    for wear in worn(nao).values():
        gear = wear.gears.get(motor.name)
        if gear is None:
            continue
        trace = OneJoint(motor, wear, gear, inertia, FINE).run(0.2 * target(FINE))
        r = Response.of(trace.into, trace.spring, FINE)
        given = wear.name, wear.encoder, 2.0 * gear.play, gear.stiffness, gear.inertia
        rows.append((*given, r.delay, r.rising, r.dead, float(np.max(trace.angle)) / (0.2 * TARGET) - 1.0))
    columns = (
        *(Column("worn Nao"), Column("encoder"), Column("play", "°"), Column("spring", "N m/rad")),
        *(Column("mass", "kg m²"), Column("delay", "ms"), Column("rising", "ms"), Column("dead", "ms")),
        Column("overshoot", "%"),
    )
    note = (
        f"{joint} turns by {0.2 * TARGET:g} rad with the inertia of the robot that stands on it, {inertia:.3f} kg m², "
        "without its weight. Teeth with damping pass on some torque inside the play, too; the times are those of the "
        "spring."
    )
    return (Table("The ankle of the worn Naos", columns, tuple(rows), note),) if rows else ()


def _standing_on(robot: Robot, joint: str) -> float:
    """Moment of inertia of all but the foot about the axis of an ankle, in the home posture [kg m²]."""
    import mujoco

    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[robot.qpos_index] = robot.home_position
    mujoco.mj_forward(model, data)
    ankle, foot = model.joint(joint).id, model.body(robot.legs["left"].foot).id
    axis, total = data.xaxis[ankle], 0.0
    for body in set(range(1, model.nbody)) - {foot}:
        R = data.ximat[body].reshape(3, 3)
        arm = np.cross(axis, data.xipos[body] - data.xanchor[ankle])
        total += float(axis @ R @ np.diag(model.body_inertia[body]) @ R.T @ axis + model.body_mass[body] * arm @ arm)
    return total


def _rows(here: Response, there: Response, momentum: tuple[float, float]) -> tuple[Row, ...]:
    figure, printed, late = "figure 4.6", "as printed", "delay until torque arrives"
    return (
        Row(late, "several 100 ms", here.delay, "ms", f"{figure}, 4.2.3", "its parameters are unknown"),
        Row("the same, Algorithm 4.2", there.delay, here.delay, "ms", printed),
        Row("output rises while input falls", "shown", here.rising, "ms", figure),
        Row("the same, Algorithm 4.2", there.rising, here.rising, "ms", printed),
        Row("no torque at the change of sign", "shown", here.dead, "ms", figure),
        Row("the same, Algorithm 4.2", there.dead, here.dead, "ms", printed),
        Row(
            "momentum after mass and body met", momentum[1], momentum[0], "%", printed,
            "free mass thrown across the play, no motor, no friction; 100 % is right",
        ),
    )  # fmt: skip


def _verdicts(here: Response, there: Response, momentum: tuple[float, float], limit: Table) -> tuple[Verdict, ...]:
    def near(a: float, b: float) -> bool:
        return abs(a - b) <= max(0.15 * abs(b), 2.0 * STEP)

    last = limit.rows[-1][2]
    assert isinstance(last, float)
    return (
        Verdict(
            f"Torque arrives {1e3 * here.delay:.0f} ms after the target's step "
            f"(Algorithm 4.2: {1e3 * there.delay:.0f} ms).",
            near(here.delay, there.delay),
        ),
        Verdict(
            f"For {1e3 * here.rising:.0f} ms the output rises while the input falls "
            f"(Algorithm 4.2: {1e3 * there.rising:.0f} ms).",
            here.rising > 0.0 and near(here.rising, there.rising),
        ),
        Verdict(
            f"When its sign changes there is no torque for {1e3 * here.dead:.0f} ms "
            f"(Algorithm 4.2: {1e3 * there.dead:.0f} ms).",
            here.dead > 0.0 and near(here.dead, there.dead),
        ),
        Verdict(
            f"Momentum is kept ({100 * momentum[0]:.4f} %); Algorithm 4.2 ends with {100 * momentum[1]:.1f} %.",
            abs(momentum[0] - 1.0) < 1e-6,
        ),
        Verdict(f"On a body that hardly moves both gears give the same torque within {100 * last:.2f} %.", last < 0.01),
    )


def _parameters(bench: OneJoint) -> tuple[Parameter, ...]:
    assert bench.motor is not None
    m, w, g = bench.motor, bench.wear, bench.gear
    chosen = "chosen: figure 4.6 gives none"
    return (
        Parameter("motor", m.name, note="of the Nao's robot file"),
        Parameter("gear ratio N", m.gear_ratio),
        Parameter("torque constant K_t", m.torque_constant, note="N m/A, table 2.2"),
        Parameter("resistance R", m.resistance, "Ω"),
        Parameter("inductance L", m.inductance, "H"),
        Parameter("supply U_bat", m.supply, "V"),
        Parameter("K_P", w.proportional, "V/rad", chosen),
        Parameter("K_I", w.integral, "V/(rad s)", chosen),
        Parameter("K_D", w.derivative, "V s/rad", chosen),
        Parameter("stiffness S", w.stiffness, "", chosen),
        Parameter("encoder", w.encoder, note="the controller sees the body's angle, as in the thesis"),
        Parameter("play l_h", 2.0 * g.play, "rad", chosen),
        Parameter("spring D_g", g.stiffness, "N m/rad", chosen),
        Parameter("mass m_g", g.inertia, "kg m²", chosen),
        Parameter("friction B_g", g.viscous, "N m s/rad", chosen),
        Parameter("inertia of the body", bench.inertia, "kg m²", chosen),
        Parameter("target", TARGET, "rad", chosen),
        Parameter("physics step", bench.step, "ms", "4.4: 1 kHz"),
        Parameter("step of Algorithm 4.2", bench.step / GEAR_STEPS, "ms"),
        Parameter("random numbers", "none", note="the seed changes nothing"),
    )


_CAPTION = (
    "Figure 4.6 again: the target is set at 0.1 s. Lines are ours, dots Algorithms 4.1 and 4.2 in Python with the same "
    "parameters. The grey bands are the times without torque: before the mass has crossed the play, and again when the "
    "sign changes. Below, the angle of the body."
)


def _figure(ours: Trace, angle: Array, into: Array, out: Array, response: Response) -> Figure:
    from matplotlib.figure import Figure

    from gangart.analysis.plots import BODY, INK, LEGS, REFERENCE

    figure = Figure(figsize=(10, 6), layout="constrained")
    torque, turned = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
    brake = ours.time[np.flatnonzero(ours.out < -QUIET * ours.out.max())[0]]
    for a, b in ((BEGIN, BEGIN + response.delay), (brake - response.dead, brake)):
        torque.axvspan(a, b, color=REFERENCE, alpha=0.18, lw=0)
    for values, his, color, name in (
        (ours.into, into, LEGS[0], "into the gear"),
        (ours.out, out, LEGS[1], "out of it"),
    ):
        torque.plot(ours.time, values, color=color, lw=1.8, label=name)
        torque.plot(ours.time[::12], his[::12], ".", color=color, ms=3, label=f"{name}, Algorithm 4.2")
    torque.axhline(0.0, color=INK, lw=0.6)
    torque.set(ylabel="torque [N m]", title="Torque into and out of the gearbox")
    torque.legend(ncols=2, frameon=False)
    turned.axhline(TARGET, color=REFERENCE, lw=1.0, ls="--", label="target")
    turned.plot(ours.time, ours.angle, color=BODY, lw=1.8, label="ours")
    turned.plot(ours.time[::12], angle[::12], ".", color=BODY, ms=3, label="Algorithm 4.2")
    turned.set(xlabel="time [s]", ylabel="angle [rad]", xlim=(0.0, DURATION))
    turned.legend(ncols=3, frameon=False)
    for ax in (torque, turned):
        ax.spines[["top", "right"]].set_visible(False)
    return figure
