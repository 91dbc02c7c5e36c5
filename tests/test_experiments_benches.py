"""The two benches of 4.2.3 and Urbann's algorithms in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gangart.experiments import Setting, run
from gangart.experiments import flexible_bench as flexible
from gangart.experiments import gearbox_bench as gearbox
from gangart.experiments.algorithms import GearParameters, GearState, gear_step
from gangart.experiments.bar import Bar
from gangart.experiments.one_joint import OneJoint
from gangart.robots import Robot
from gangart.simulation.links import Bend


@pytest.fixture(scope="module")
def bench() -> OneJoint:
    from gangart.robots import load

    return OneJoint(load("nao").motors["leg_low"], gearbox.WEAR, gearbox.GEAR, gearbox.INERTIA)


@pytest.mark.parametrize("name", ["gearbox-bench", "flexible-bench"])
def test_every_verdict_of_the_benches_holds(name: str) -> None:
    report = run(name, Setting(quick=True))
    assert [v.sentence for v in report.verdicts if v.holds is False] == []
    assert len(report.verdicts) >= 4


def test_algorithm_4_2_gives_no_torque_inside_the_envelope() -> None:
    gear, state = GearParameters(0.1, 10.0, 0.0, 0.05), GearState(position=0.05)
    assert gear_step(gear, state, 0.0, 1e-3, 10) == 0.0
    assert gear_step(gear, GearState(position=0.15), 0.0, 1e-6, 1) == pytest.approx(10.0 * 0.05)
    assert gear_step(gear, GearState(position=-0.02), 0.0, 1e-6, 1) == pytest.approx(-10.0 * 0.02)


def test_both_gears_show_delay_rise_and_dead_time_alike(bench: OneJoint) -> None:
    ours, (_, into, out) = bench.run(gearbox.target()), gearbox.thesis(bench)
    here = gearbox.Response.of(ours.into, ours.out, gearbox.STEP)
    there = gearbox.Response.of(into, out, gearbox.STEP)
    assert there.delay == pytest.approx(0.125, abs=0.005)
    assert here.delay == pytest.approx(there.delay, abs=0.002)
    assert there.rising > 0.05
    assert here.rising == pytest.approx(there.rising, rel=0.1)
    assert there.dead > 0.05
    assert here.dead == pytest.approx(there.dead, rel=0.15)


def test_on_a_body_that_stands_still_our_gear_is_algorithm_4_2(bench: OneJoint) -> None:
    heavy = replace(bench, inertia=1e5, step=1e-4)
    ours, (_, into, out) = heavy.run(gearbox.target(1e-4)), gearbox.thesis(heavy)
    assert np.std(ours.out - out) < 0.003 * np.std(out)
    assert np.std(ours.into - into) < 0.003 * np.std(into)


def test_what_the_gear_gives_is_what_the_body_gets(bench: OneJoint) -> None:
    trace = replace(bench, step=1e-4).run(gearbox.target(1e-4))
    gained = bench.inertia * (trace.joint_speed[-1] - trace.joint_speed[0])
    assert gained == pytest.approx(1e-4 * np.sum(trace.out[:-1]), rel=1e-3)


def test_momentum_is_kept_between_motor_and_joint(bench: OneJoint) -> None:
    free = OneJoint(None, gearbox.WEAR, replace(gearbox.GEAR, viscous=0.0), gearbox.INERTIA)
    trace = free.run(np.zeros(1000), motor_speed=1.0)
    momentum = free.gear.inertia * trace.motor_speed + free.inertia * trace.joint_speed
    assert np.max(np.abs(momentum / momentum[0] - 1.0)) < 1e-12
    assert np.max(trace.joint_speed) > 0.05  # they met


def test_a_controller_moves_the_side_that_it_measures_to_the_target(bench: OneJoint) -> None:
    """The measured side ends at the target; the body behind a motor-side encoder ends up to the play beside it."""
    play = bench.gear.play
    damped = replace(bench, gear=replace(bench.gear, damping=2.0, stiffness=50.0), inertia=0.5)
    target = np.full(6000, 0.3)
    angles = {
        encoder: replace(damped, wear=replace(bench.wear, encoder=encoder)).run(target).angle[-1]
        for encoder in ("joint", "motor")
    }
    assert angles["joint"] == pytest.approx(0.3, abs=1e-3)
    assert 0.01 * play < abs(angles["motor"] - 0.3) < 1.01 * play


@pytest.mark.parametrize("parts", [2, 7, 20])
def test_a_bar_bends_as_moments_over_stiffness_say(parts: int) -> None:
    still = flexible.push(Bar(parts, Bend(flexible.STIFFNESS)))
    assert still.tip == pytest.approx(still.theory, rel=0.002)
    assert np.all(np.diff(still.angles) < 0.0) if parts > 2 else still.angles[0] > 0.0


@pytest.mark.parametrize("parts", [2, 7, 20])
def test_a_bar_swings_at_the_lowest_eigenvalue(parts: int) -> None:
    bar = Bar(parts, Bend(flexible.STIFFNESS))
    assert flexible.let_go(bar, 3.0, 0.01).frequency == pytest.approx(bar.mode()[0], rel=0.003)


def test_linear_theory_is_the_linearised_model() -> None:
    """Mass matrix and stiffness of the formulas are those that MuJoCo finds by differences."""
    import mujoco

    bar = Bar(6, Bend(30.0))
    model = bar.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    assert np.max(np.abs(full[1::2, 1::2] - bar.inertia())) < 1e-12
    step, moments = 1e-6, np.zeros((5, 5))
    for k in range(5):
        for sign in (1.0, -1.0):
            data.qpos[:] = 0.0
            data.qpos[2 * k + 1] = sign * step
            mujoco.mj_forward(model, data)
            moments[:, k] += sign * (data.qfrc_bias - data.qfrc_passive)[1::2] / (2.0 * step)
    assert np.max(np.abs(moments - bar.stiffness())) < 1e-6 * bar.bend.stiffness


def test_constant_friction_takes_the_same_from_every_swing_and_in_proportion() -> None:
    losses = []
    for friction in (0.005, 0.01, 0.02):
        bar = Bar(10, Bend(flexible.STIFFNESS, friction), step=1e-4)
        swing, free = flexible.let_go(bar, 1.5), flexible.let_go(replace(bar, bend=Bend(flexible.STIFFNESS)), 1.5)
        lost = -np.diff(swing.maxima)[:2] + np.diff(free.maxima)[:2]  # without what the integrator takes
        assert np.ptp(lost) < 0.08 * lost.mean()
        assert lost.mean() == pytest.approx(flexible.friction_loss(bar), rel=0.05)
        losses.append(lost.mean())
    assert np.diff(np.log(losses)) == pytest.approx(np.log(2.0), rel=0.05)


def test_without_friction_a_bar_never_gains(nao: Robot) -> None:
    for parts, stiffness in ((20, 1e3), (50, 1e5)):
        bar = Bar(parts, Bend(stiffness))
        tip = np.abs(bar.shape(bar.run(np.zeros(400), 0.01 * bar.mode()[1]))[0][:, -1])
        assert np.max(tip) <= tip[0] * (1.0 + 1e-6)
