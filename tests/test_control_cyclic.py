"""Cyclic gaits on four legs: what the plan keeps to, and that the robot does what the plan says."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from gangart.analysis.metrics import mean_velocity
from gangart.control import cyclic_kernel as kernel
from gangart.control import load_kernel
from gangart.control.cyclic import CyclicEngine
from gangart.gaits import FOOTFALLS, timing
from gangart.robots import load
from gangart.signals import Command, Recording, SensorReading
from gangart.simulation import Fidelity, Ground, World, simulate

MOTORS = Fidelity(motor=True)
LEGS = ("front_left", "front_right", "rear_left", "rear_right")


def walked(gait: str, command: Command, duration: float = 6.0) -> Recording:
    robot = load("quadruped")
    engine = CyclicEngine(robot, gait)
    world = World(robot, MOTORS, Ground(0.8))
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, command, duration)


def speed(recording: Recording, cycle: float) -> tuple[float, float, float]:
    begin = 2500
    cycles = int((recording.duration - 2.6) / cycle)
    return mean_velocity(recording, slice(begin, begin + round(cycles * cycle * 1000) + 1))


@pytest.mark.parametrize("name", FOOTFALLS)
@pytest.mark.parametrize("overlap", [0.0, 0.2])
def test_every_foot_stands_for_its_part_of_the_cycle_and_all_for_the_overlap(name: str, overlap: float) -> None:
    t = timing(name, overlap, 0.5, LEGS)
    standing = t.standing(np.arange(20000) / 20000)
    np.testing.assert_allclose(standing.mean(axis=0), t.duty, atol=2e-4)
    if name != "gallop":  # whose pairs are not quite pairs
        assert standing.all(axis=1).mean() == pytest.approx(overlap, abs=5e-4)


def test_weights_are_the_torques_that_mujoco_needs_against_gravity(rng: np.random.Generator) -> None:
    robot = load("quadruped")
    engine = CyclicEngine(robot, "predictive-trot")
    bearing, data = engine.bearing, mujoco.MjData(robot.model)
    assert bearing is not None
    for _ in range(20):
        q = rng.uniform(*robot.joint_limits.T)
        out = np.empty((4, 3))
        load_kernel.weights(q[engine.legs.columns], engine.legs.numbers, bearing._masses, bearing._centres, out)
        data.qpos[:7], data.qpos[robot.qpos_index] = [0, 0, 0, 1, 0, 0, 0], q
        mujoco.mj_forward(robot.model, data)
        np.testing.assert_allclose(9.81 * out.ravel(), data.qfrc_bias[robot.dof_index], atol=1e-9)


def test_shared_weight_is_the_whole_weight_and_turns_nothing(rng: np.random.Generator) -> None:
    for shares in ([1, 1, 1, 1], [1, 0, 1, 1], [0.3, 1, 1, 0.5]):
        points = np.array([[0.2, 0.1], [0.2, -0.1], [-0.2, 0.1], [-0.2, -0.1]]) + rng.uniform(-0.02, 0.02, (4, 2))
        com, out = np.array([-0.05, 0.02]) + rng.uniform(-0.01, 0.01, 2), np.empty(4)
        load_kernel.share_weight(points, np.array(shares, float), 200.0, com, out)
        assert out.sum() == pytest.approx(200.0, rel=1e-2)
        np.testing.assert_allclose(out @ (points - com), 0.0, atol=0.02)
        assert (out >= 0.0).all()


def test_ground_that_is_carried_goes_where_the_body_does_not(rng: np.random.Generator) -> None:
    v, start = np.array([0.5, -0.2, 0.8]), rng.uniform(-0.3, 0.3, (4, 3))
    once, often = start.copy(), start.copy()
    kernel.carry(once, v, 0.4)
    for _ in range(40):
        kernel.carry(often, v, 0.01)
    np.testing.assert_allclose(once, often, atol=1e-12)
    kernel.carry(once, -v, 0.4)
    np.testing.assert_allclose(once, start, atol=1e-12)


@pytest.mark.parametrize("gait", ["slow-walk", "fast-walk", "reactive-trot", "predictive-trot"])
def test_speeds_of_the_targets_are_the_slopes_of_the_targets(gait: str) -> None:
    robot = load("quadruped")
    engine = CyclicEngine(robot, gait, bearing=False)
    engine.stance()
    blank, targets = np.zeros(12), []
    for k in range(400):
        reading = SensorReading(0.01 * k, blank, blank, np.zeros(3), np.zeros(3), np.zeros((4, 0)))
        targets.append(engine.tick(Command(0.1, 0.02, 0.05), reading))
    q, v = (np.array([getattr(t, name) for t in targets]) for name in ("position", "velocity"))
    middle = (v[1:] + v[:-1]) / 2.0
    assert np.abs(np.diff(q, axis=0) / 0.01 - middle).mean() < 0.05


@pytest.mark.parametrize(
    ("gait", "vx"), [("predictive-trot", 0.5), ("reactive-trot", 0.35), ("fast-walk", 0.4), ("predictive-trot", 0.0)]
)
def test_it_walks_as_fast_as_it_is_told(gait: str, vx: float) -> None:
    recording = walked(gait, Command(vx))
    assert recording.info["fell"] is None
    vx_measured, vy, _ = speed(recording, load("quadruped").gaits[gait].cycle)
    assert vx_measured == pytest.approx(vx, rel=0.05, abs=0.005)
    assert abs(vy) < 0.005
