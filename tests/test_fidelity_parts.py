"""The parts of the fidelity ladder, each by itself: motor, gearbox, bending links, encoder."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mujoco import batch, rollout

from gangart import robots
from gangart.experiments.algorithms import MotorState, motor_step
from gangart.robots import Robot
from gangart.robots.wear import GearWear, Wear
from gangart.simulation.encoder import USER, encoders, see_joint_side
from gangart.simulation.gearbox import PLAY, add_gearbox
from gangart.simulation.links import Link, long_links, share, with_bending_links
from gangart.simulation.motors import add_friction, add_motor

WEAR = Wear(
    name="test", note="", encoder="joint", proportional=180.0, integral=0.0, derivative=3.0, stiffness=0.7, gears={},
    link_stiffness=500.0, link_friction=0.1,
)  # fmt: skip
GEAR = GearWear(viscous=0.05, coulomb=0.06, inertia=0.006, play=0.004, stiffness=500.0, damping=0.4)
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS


def one_motor(wear: Wear, *, inductance: bool, step: float = 1e-3, supply: float | None = None) -> Any:
    """A motor on a hinge so heavy that it never moves; with its speed factor and the motor's data."""
    motor = robots.load("nao").motors["leg_high"]
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    body = spec.worldbody.add_body(mass=1.0, inertia=[1e9] * 3, explicitinertial=True)
    body.add_joint(name="joint", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
    factor = add_motor(spec, "joint", motor, wear, inductance=inductance, supply=supply)
    return spec.compile(), factor, motor


@pytest.mark.parametrize(
    "wear", [WEAR, replace(WEAR, stiffness=1.0, derivative=0.0), replace(WEAR, proportional=900.0)]
)
def test_the_motors_torque_is_that_of_algorithm_4_1(wear: Wear) -> None:
    model, factor, motor = one_motor(wear, inductance=False)
    data = mujoco.MjData(model)
    limited = 0
    for error in np.linspace(-0.3, 0.3, 13):
        for wanted in (-4.0, 0.0, 2.5):
            for speed in np.linspace(-8.0, 8.0, 9):
                data.qpos[0], data.qvel[0] = 0.1, speed
                data.ctrl[:] = 0.1 + error, wanted * factor
                mujoco.mj_forward(model, data)
                his = motor_step(motor, wear, MotorState(), error, wanted - speed, speed, 1e-3, inductance=False)
                assert data.actuator_force[0] == pytest.approx(his, rel=1e-6, abs=1e-9)
                limited += abs(wear.proportional * error + wear.derivative * (wanted - speed)) > motor.supply
    assert 30 < limited < 13 * 3 * 9  # on both sides of the supply's limit


def test_a_weaker_battery_limits_earlier() -> None:
    model, _, motor = one_motor(WEAR, inductance=False, supply=10.0)
    data = mujoco.MjData(model)
    data.ctrl[0] = 1.0
    mujoco.mj_forward(model, data)
    K = motor.gear_ratio * motor.torque_constant
    assert data.actuator_force[0] == pytest.approx(WEAR.stiffness * K * 10.0 / motor.resistance, rel=1e-9)


@pytest.mark.parametrize("step", [1e-5, 1e-3])
def test_the_current_rises_exponentially_with_the_time_constant_of_the_winding(step: float) -> None:
    model, _, motor = one_motor(WEAR, inductance=True, step=step)
    data = mujoco.MjData(model)
    state = MotorState()
    tau = motor.inductance / motor.resistance
    final = WEAR.stiffness * motor.supply / motor.resistance
    for _ in range(20):
        data.ctrl[0] = 10.0
        mujoco.mj_step(model, data)
        torque = motor_step(motor, WEAR, state, 10.0, 0.0, 0.0, step, inductance=True)
        assert data.act[0] == pytest.approx(final * (1.0 - np.exp(-data.time / tau)), rel=1e-6)
        assert data.actuator_force[0] == pytest.approx(torque, rel=1e-6)


def test_the_integral_part_sums_up_the_error_as_algorithm_4_1_does() -> None:
    wear = replace(WEAR, integral=50.0)
    model, _, motor = one_motor(wear, inductance=False)
    data, state, his = mujoco.MjData(model), MotorState(), 0.02 * wear.proportional
    his *= motor.gear_ratio * motor.torque_constant * wear.stiffness / motor.resistance  # before anything was summed up
    for _ in range(200):
        data.ctrl[0] = 0.02
        mujoco.mj_step(model, data)  # sums up at its end, he at its beginning
        assert data.actuator_force[0] == pytest.approx(his, rel=1e-6)
        his = motor_step(motor, wear, state, 0.02, 0.0, 0.0, 1e-3, inductance=False)


# --- links ---------------------------------------------------------------------------------------------------------


def rigid(model: mujoco.MjModel, robot: Robot, posture: dict[str, float]) -> tuple[np.ndarray, np.ndarray, float]:
    """Mass matrix of base and joints, centre of mass and mass, all other hinges straight."""
    data = mujoco.MjData(model)
    rows = list(range(6))
    for name, angle in posture.items():
        joint = model.joint(name)
        data.qpos[joint.qposadr[0]] = angle
        rows.append(int(joint.dofadr[0]))
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return full[np.ix_(rows, rows)], data.subtree_com[1].copy(), float(model.body_mass.sum())


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8, 13, 20])
def test_cut_links_that_are_straight_are_the_rigid_robot(nao: Robot, parts: int, rng: np.random.Generator) -> None:
    cut = with_bending_links(nao, replace(WEAR, link_parts=parts), 0.1).compile()
    assert cut.nv == nao.model.nv + 2 * (parts - 1) * len(long_links(nao))
    for _ in range(3):
        posture = {name: float(rng.uniform(-0.8, 0.8)) for name in nao.joints}
        for ours, whole in zip(rigid(cut, nao, posture), rigid(nao.model, nao, posture), strict=True):
            assert np.max(np.abs(ours - whole)) < 1e-12


def test_thighs_and_shanks_bend_and_nothing_else(nao: Robot) -> None:
    assert sorted(link for link, _ in long_links(nao)) == ["LThigh", "LTibia", "RThigh", "RTibia"]


@given(st.integers(1, 40), st.lists(st.floats(-0.2, 0.2), min_size=18, max_size=18), st.sampled_from([-0.3, 0.2]))
def test_parts_share_mass_centre_and_tensor_of_any_link(parts: int, places: list[float], length: float) -> None:
    points = np.array(places).reshape(6, 3) + np.diag([0.01, 0.02, 0.03]).repeat(2, axis=0)  # six masses of 0.1 kg
    centre, around = points.mean(axis=0), points - points.mean(axis=0)
    S = 0.1 * around.T @ around + 1e-6 * np.eye(3)
    link = Link(0.6, centre, np.trace(S) * np.eye(3) - S, length)
    centres, tensor = share(link, parts)
    off = centres - centre
    whole = parts * tensor + 0.6 / parts * sum(r @ r * np.eye(3) - np.outer(r, r) for r in off)
    assert centres.mean(axis=0) == pytest.approx(centre, abs=1e-12)
    assert np.max(np.abs(whole - link.tensor)) < 1e-12
    principal = np.linalg.eigvalsh(tensor)
    assert principal[0] > 0.0
    assert principal[0] + principal[1] >= principal[2] * (1.0 - 1e-9)  # or no body could have it
    assert np.all(np.diff(centres[:, 2]) * length >= 0.0)  # in the order in which they hang


# --- encoder -------------------------------------------------------------------------------------------------------


def geared(joints: int, step: float = 1e-3) -> tuple[mujoco.MjModel, list[tuple[int, int, float]]]:
    """A pendulum of geared joints whose controllers see the joint's side; and for each (qpos, qvel, factor)."""
    motor = robots.load("nao").motors["leg_low"]
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    spec.nuser_actuator = USER
    body, factors = spec.worldbody, []
    for k in range(joints):
        body = body.add_body(pos=[0.0, 0.0, -0.1], mass=0.3, ipos=[0.0, 0.0, -0.05], inertia=[1e-3] * 3)
        body.explicitinertial = True
        hinge = body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[k % 2, (k + 1) % 2, 0.0])
        factors.append(add_motor(spec, f"j{k}", motor, WEAR, inductance=True))
        add_friction(hinge, GEAR)
        add_gearbox(spec, hinge, GEAR)
    model = spec.compile()
    places = []
    for k, factor in enumerate(factors):
        see_joint_side(model, f"j{k}", f"j{k}{PLAY}", factor)
        gear = model.joint(f"j{k}{PLAY}")
        places.append((int(gear.qposadr[0]), int(gear.dofadr[0]), factor))
    return model, places


def setpoints(model: mujoco.MjModel, steps: int, rng: np.random.Generator) -> np.ndarray:
    wanted = np.zeros((steps, model.nu))
    wanted[:, 0::2] = 0.2 * np.sin(np.arange(steps)[:, None] * 1e-2 + rng.uniform(0.0, 6.0, model.nu // 2))
    return wanted


def by_python(model: mujoco.MjModel, places: list[tuple[int, int, float]], control: np.ndarray) -> np.ndarray:
    """States of a run whose setpoints Python corrects before every step."""
    data, rows = mujoco.MjData(model), []
    row = np.empty(mujoco.mj_stateSize(model, STATE))
    for u in control:
        u = u.copy()
        for k, (q, v, factor) in enumerate(places):
            u[2 * k] -= data.qpos[q]
            u[2 * k + 1] -= data.qvel[v] * factor
        data.ctrl[:] = u
        mujoco.mj_step(model, data)
        mujoco.mj_getState(model, data, row, STATE)
        rows.append(row.copy())
    return np.array(rows)


def rolled(model: mujoco.MjModel, control: np.ndarray) -> np.ndarray:
    data = mujoco.MjData(model)
    start = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, start, STATE)
    return rollout.rollout(model, data, start[None], control[None])[0][0]


def test_the_compiled_encoder_is_the_correction_in_python_bit_for_bit(rng: np.random.Generator) -> None:
    model, places = geared(4)
    control = setpoints(model, 600, rng)
    expected = by_python(model, places, control)
    with encoders(model):
        assert np.array_equal(rolled(model, control), expected)
    assert np.max(np.abs(expected[:, 2])) > GEAR.play  # the gears did something
    assert not np.array_equal(rolled(model, control), expected)  # and without encoders it is another run


def test_the_encoder_runs_in_a_batch_of_two_threads(rng: np.random.Generator) -> None:
    model, places = geared(3)
    controls = np.stack([setpoints(model, 200, rng) for _ in range(6)])
    many = batch.Batch(model, nsim=6, nthread=2)
    ctrl, qpos = many.bind("ctrl"), many.bind("qpos")
    with encoders(model):
        for k in range(200):
            ctrl[:] = controls[:, k]
            many.step()
    for control, found in zip(controls, qpos, strict=True):
        assert np.array_equal(found, by_python(model, places, control)[-1, 1 : 1 + model.nq])


def test_the_encoder_leaves_other_models_alone(nao: Robot, rng: np.random.Generator) -> None:
    model, _ = geared(2)
    bare, _ = geared(2)
    bare.actuator_user[:] = 0.0
    control = setpoints(model, 100, rng)
    alone = rolled(bare, control)
    other = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/></body></worldbody>'
        '<actuator><motor joint="a"/></actuator></mujoco>'
    )
    free = rolled(other, np.ones((100, 1)))
    with encoders(model):
        assert np.array_equal(rolled(bare, control), alone)
        assert np.array_equal(rolled(other, np.ones((100, 1))), free)


def test_the_encoder_is_taken_out_again_whatever_happens() -> None:
    model, _ = geared(1)
    before = mujoco.get_mjcb_control()
    with encoders(model):
        inside = mujoco.get_mjcb_control()
        with encoders(model):  # two worlds at once
            pass
        assert mujoco.get_mjcb_control() is not None
        assert inside is not None
    assert mujoco.get_mjcb_control() is before
    with pytest.raises(RuntimeError, match="in between"), encoders(model):
        raise RuntimeError("in between")
    assert mujoco.get_mjcb_control() is before
    rigid_model = mujoco.MjModel.from_xml_string("<mujoco/>")
    with encoders(rigid_model):
        assert mujoco.get_mjcb_control() is before


def test_the_encoder_costs_little(nao: Robot, rng: np.random.Generator) -> None:
    """Less than a twentieth of a step; the best of interleaved runs, as others use this machine, too."""
    from gangart.robots.wear import worn
    from gangart.simulation import FULL, World

    wear = next(iter(worn(nao).values()))
    model = World(nao, FULL, wear=replace(wear, encoder="joint")).model
    assert np.count_nonzero(model.actuator_user[:, 0]) == 11  # all motors of the legs
    control = np.zeros((300, model.nu))
    with encoders(model):
        states = rolled(model, control)
    start = np.concatenate([[0.0], model.qpos0, np.zeros(model.nv)])
    before = np.vstack([start, states[:-1, : len(start)]])
    corrected = control.copy()  # the same motion without encoders, bit for bit
    for i in np.flatnonzero(model.actuator_user[:, 0]):
        q, v, factor = model.actuator_user[i]
        corrected[:, 2 * i] -= before[:, int(q)]
        corrected[:, 2 * i + 1] -= before[:, model.nq + int(v)] * factor
    assert np.array_equal(rolled(model, corrected), states)

    def took(seeing: bool) -> float:
        with encoders(model) if seeing else nullcontext():
            begin = time.perf_counter()
            rolled(model, control if seeing else corrected)
            return time.perf_counter() - begin

    best = {True: np.inf, False: np.inf}
    for _ in range(15):
        for seeing in best:
            best[seeing] = min(best[seeing], took(seeing))
    assert best[True] < 1.05 * best[False]
