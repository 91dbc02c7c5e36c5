"""Sensors with delay, noise and a sample rate: each is as strong as it says, and nothing of it where it is off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gangart.control import BipedEngine
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Command, SensorReading
from gangart.simulation import IDEAL, Fidelity, Sensing, World, simulate

WALK = Command(0.2)
NOISY = Sensing(gyro=0.02, accelerometer=0.3, angle=0.001, speed=0.05, force=0.8, seed=7)
FIELDS = ("position", "velocity", "gyro", "accelerometer", "foot_force")


def readings(
    robot: Robot, sensing: Sensing, ticks: int, fidelity: Fidelity = IDEAL, take: int = 0
) -> list[SensorReading]:
    """What the sensors say at each tick of a walk; `take`: every so many ticks the log is taken."""
    world, engine = World(robot, fidelity, sensing=sensing), BipedEngine(robot)
    world.reset(*engine.stance())
    exact = World(robot, fidelity=replace(fidelity, sensor_delay=0.0))  # the engine sees what is, so all walks are one
    exact.reset(*engine.stance())
    engine.reset(exact.read())
    found = []
    for k in range(ticks):
        found.append(world.read())
        targets = engine.tick(WALK, exact.read())
        world.write(targets)
        exact.write(targets)
        if k % 100 == 99:
            exact.take()
        if k % (take or 100) == (take or 100) - 1:
            world.take()
    return found


def column(found: list[SensorReading], name: str) -> np.ndarray:
    return np.array([getattr(reading, name) for reading in found])


@pytest.fixture(scope="module")
def exact(nao: Robot) -> list[SensorReading]:
    return readings(nao, Sensing(), 250)


def test_noise_is_as_strong_as_it_says_and_white(nao: Robot, exact: list[SensorReading]) -> None:
    found = readings(nao, NOISY, 250)
    sigmas = (NOISY.angle, NOISY.speed, NOISY.gyro, NOISY.accelerometer, NOISY.force)
    for name, sigma in zip(FIELDS, sigmas, strict=True):
        noise = (column(found, name) - column(exact, name)) / sigma
        n = noise.size
        assert abs(noise.mean()) < 4.0 / np.sqrt(n), name
        assert noise.std() == pytest.approx(1.0, abs=4.0 / np.sqrt(2.0 * n)), name
        assert abs(np.mean(noise[1:] * noise[:-1])) < 4.0 / np.sqrt(n), name  # nor does it remember


def test_one_sensors_noise_is_its_own(nao: Robot, exact: list[SensorReading]) -> None:
    """The same numbers whether other sensors have noise or not, which stay exact."""
    both, alone = readings(nao, NOISY, 20), readings(nao, Sensing(gyro=NOISY.gyro, seed=NOISY.seed), 20)
    np.testing.assert_array_equal(column(both, "gyro"), column(alone, "gyro"))
    for name in set(FIELDS) - {"gyro"}:
        np.testing.assert_array_equal(column(alone, name), column(exact[:20], name))


def test_the_same_seed_gives_the_same_bits_and_another_one_others(nao: Robot) -> None:
    one, again = readings(nao, NOISY, 30), readings(nao, NOISY, 30, take=7)
    other = readings(nao, replace(NOISY, seed=8), 30)
    for name in FIELDS:
        np.testing.assert_array_equal(column(one, name), column(again, name))
        assert not np.any(column(one, name)[:, 0] == column(other, name)[:, 0])


def test_a_reading_says_the_same_again(nao: Robot) -> None:
    world = World(nao, sensing=NOISY)
    a, b = world.read(), world.read()
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_encoders_tell_whole_steps_apart(nao: Robot, exact: list[SensorReading]) -> None:
    step = 2.0 * np.pi / 4096.0  # twelve bits
    found = column(readings(nao, Sensing(resolution=step), 250), "position")
    counts = found / step
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    off = found - column(exact, "position")
    assert np.abs(off).max() <= step / 2 + 1e-12
    moving = off[100:, [nao.joints.index(n) for n in ("LKneePitch", "RHipPitch")]]
    assert moving.std() == pytest.approx(step / np.sqrt(12.0), rel=0.1)


@pytest.mark.parametrize("take", [0, 3])
@pytest.mark.parametrize("delay", [0.01, 0.04, 0.13])
def test_the_delay_is_exact(nao: Robot, exact: list[SensorReading], delay: float, take: int) -> None:
    found = readings(nao, Sensing(), 250, replace(IDEAL, sensor_delay=delay), take)
    late = round(delay / nao.tick)
    for name in FIELDS:
        np.testing.assert_array_equal(column(found, name)[late:], column(exact, name)[:-late])
        np.testing.assert_array_equal(column(found, name)[:late], column(exact, name)[[0] * late])
    np.testing.assert_array_equal(column(found, "time"), column(exact, "time"))


@pytest.mark.parametrize("take", [0, 3])
@pytest.mark.parametrize(("rate", "delay"), [(25.0, 0.0), (25.0, 0.02), (50.0, 0.01), (3.0, 0.0)])
def test_readings_are_held_between_samples(
    nao: Robot, exact: list[SensorReading], rate: float, delay: float, take: int
) -> None:
    found = readings(nao, Sensing(rate=rate), 250, replace(IDEAL, sensor_delay=delay), take)
    fine = column(exact, "position")
    for k in range(250):
        sample = max(np.floor((k * nao.tick - delay) * rate + 1e-9) / rate, 0.0)  # when it was taken [s]
        row = sample / nao.tick
        if abs(row - round(row)) < 1e-9:  # at a tick, where we know what was
            np.testing.assert_array_equal(found[k].position, fine[round(row)])
    held = np.all(np.diff(column(found, "position")[100:], axis=0) == 0.0, axis=1)
    assert 1.0 - held.mean() == pytest.approx(min(rate * nao.tick, 1.0), abs=0.02)


def test_noise_is_held_with_the_reading(nao: Robot) -> None:
    found = column(readings(nao, replace(NOISY, rate=25.0), 40), "gyro")
    for k in range(0, 40, 4):
        assert np.all(found[k : k + 4] == found[k])
    assert len(np.unique(found[:, 0])) == 10


def test_a_rate_beyond_the_physics_is_none(nao: Robot, exact: list[SensorReading]) -> None:
    found = readings(nao, Sensing(rate=1e5), 50)
    for name in FIELDS:
        np.testing.assert_array_equal(column(found, name), column(exact[:50], name))


def test_sensors_spoil_what_is_read_and_not_what_happens(nao: Robot) -> None:
    """An engine without feedback walks the same way; the recording tells what happened, and what the sensors were."""
    engine, walks = BipedEngine(nao), []
    for sensing in (Sensing(), NOISY):
        world = World(nao, sensing=sensing)
        world.reset(*engine.stance())
        walks.append(simulate(world, engine, WALK, 1.0))
    for name, values in walks[0].columns().items():
        np.testing.assert_array_equal(values, getattr(walks[1], name))
    assert walks[1].info["sensing"]["gyro"] == NOISY.gyro


def test_it_walks_with_noisy_sensors_and_feedback(nao: Robot) -> None:
    """The noise does reach an engine that listens, which walks on."""
    walks = []
    for sensing in (Sensing(), NOISY):
        engine = BipedEngine(nao, feedback=0.3)
        world = World(nao, sensing=sensing)
        world.reset(*engine.stance())
        walks.append(simulate(world, engine, WALK, 4.0))
    assert walks[1].info["fell"] is None
    assert not np.array_equal(walks[0].position, walks[1].position)


@pytest.mark.parametrize("values", [{"gyro": -0.1}, {"rate": float("nan")}, {"resolution": float("inf")}, {"seed": -1}])
def test_senseless_sensors_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(BadValue, match=f"sensing: {next(iter(values))} is"):
        Sensing(**values)  # type: ignore[arg-type]


def test_absent_force_sensors_feel_no_noise(nao: Robot) -> None:
    quiet = SensorReading(0.0, np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(3), np.zeros((2, 4)))
    force = NOISY.spoil(quiet, 5, np.array([4, 1])).foot_force
    assert np.all(force[0] != 0.0)
    assert force[1, 0] != 0.0
    assert np.all(force[1, 1:] == 0.0)
