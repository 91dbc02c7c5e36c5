"""A robot walks on the base level: as fast as asked, upright, without sliding, and it stops when told."""

from __future__ import annotations

import numpy as np
import pytest

from gangart.analysis import walk_figures
from gangart.analysis.metrics import mean_velocity, whole_steps
from gangart.control import BipedEngine
from gangart.control.measured_zmp import ZmpSensor
from gangart.pattern.zmp import ZmpName
from gangart.robots import Limits, Robot
from gangart.signals import Command, Recording
from gangart.simulation import Fidelity, Ground, Push, World, simulate

# Orientation errors of the thesis's walk on the base level BS: the bars (Urbann, table 5.3)
F_X, F_Y = 0.0033, 0.0013


@pytest.fixture(scope="module")
def limits(nao: Robot) -> Limits:
    assert nao.walk is not None
    return nao.walk.limits


def random_command(rng: np.random.Generator, limits: Limits) -> Command:
    """Anywhere in the ellipsoid that the limits span."""
    while np.sum((v := rng.uniform(-1.0, 1.0, 3)) ** 2) > 1.0:
        pass
    forward = limits.forward if v[0] > 0 else limits.backward
    return Command(float(v[0] * forward), float(v[1] * limits.sideways), float(v[2] * limits.turn))


# ------------------------------------------------------------------ straight on


@pytest.mark.parametrize("friction", [0.8, 1.0])
@pytest.mark.parametrize("zmp", ["bezier", "stationary"])
def test_it_walks_as_asked(nao: Robot, zmp: ZmpName, friction: float) -> None:
    assert nao.walk is not None
    engine = BipedEngine(nao, zmp=zmp)
    world = World(nao, ground=Ground(friction))
    world.reset(*engine.stance())
    r = simulate(world, engine, Command(0.2), 20.0)
    f = walk_figures(r, nao)
    assert not f.fell
    assert r.info["notes"] == []
    vx, vy, wz = f.mean_velocity
    assert vx == pytest.approx(0.2, rel=0.005)
    assert abs(vy) < 1e-3
    assert abs(wz) < 2e-3
    assert f.orientation_error[0] <= F_X
    assert f.orientation_error[1] <= F_Y
    assert f.slip < 1e-3
    assert f.zmp_margin_min > 0.01
    assert np.abs(r.target - r.position).max() < 2e-3
    low, high = nao.joint_limits.T
    assert (r.position > low).all()
    assert (r.position < high).all()
    # a step every 0.4 s once it walks, and each foot goes up as high as it should
    assert f.steps >= 44
    for leg in range(2):
        for a, b in swings(r, leg):
            assert r.foot_pose[a:b, leg, 2].max() >= 0.9 * nao.walk.step_height
    # where the plan wants one foot in the air, it is
    lifted = ~r.support & (r.foot_pose[:, :, 2] > 0.002)
    assert not (lifted & r.contact).any()


def swings(r: Recording, leg: int) -> list[tuple[int, int]]:
    """First and last row of each whole swing of a leg."""
    edges = np.diff(r.support[:, leg].astype(int))
    lifts, lands = np.flatnonzero(edges < 0) + 1, np.flatnonzero(edges > 0) + 1
    return [(int(a), int(b)) for a, b in zip(lifts, lands, strict=False)]


@pytest.mark.parametrize("step", [0.0005, 0.002])
def test_it_walks_at_other_physics_steps(nao: Robot, step: float) -> None:
    engine = BipedEngine(nao)
    world = World(nao, Fidelity(step=step))
    world.reset(*engine.stance())
    f = walk_figures(simulate(world, engine, Command(0.2), 8.0), nao)
    assert not f.fell
    assert f.mean_velocity[0] == pytest.approx(0.2, rel=0.005)
    assert f.orientation_error[0] <= F_X
    assert f.orientation_error[1] <= F_Y


# ------------------------------------------------------------------ anywhere


@pytest.mark.parametrize("seed", range(10))
def test_it_follows_any_command_within_its_limits(nao: Robot, limits: Limits, seed: int) -> None:
    """Ten commands of ten seconds in one walk: each is followed, whatever came before."""
    rng = np.random.default_rng(seed)
    commands = [random_command(rng, limits) for _ in range(10)]
    engine = BipedEngine(nao)
    world = World(nao)
    world.reset(*engine.stance())
    r = simulate(world, engine, lambda time: commands[min(int(time / 10.0 + 1e-6), 9)], 100.0)
    assert r.info["fell"] is None
    assert r.info["notes"] == []
    for k, command in enumerate(commands):
        vx, vy, wz = mean_velocity(r, whole_steps(r, slice(10000 * k + 3000, 10000 * (k + 1))))
        assert vx == pytest.approx(command.vx, rel=0.03, abs=5e-3), command
        assert vy == pytest.approx(command.vy, rel=0.03, abs=5e-3), command
        assert wz == pytest.approx(command.wz, abs=0.02), command


@pytest.mark.parametrize("seed", range(4))
def test_it_stops_within_two_steps(nao: Robot, limits: Limits, seed: int) -> None:
    """From any command, whenever: five stops a seed."""
    rng = np.random.default_rng(100 + seed)
    engine = BipedEngine(nao)
    world = World(nao)
    for _ in range(5):
        command, stop = random_command(rng, limits), float(rng.uniform(2.5, 5.0))
        world.reset(*engine.stance())
        r = simulate(world, engine, lambda time, go=command, at=stop: go if time < at else Command(), stop + 4.0)
        assert r.info["fell"] is None, (command, stop)
        lifts = r.time[1:][np.any(~r.support[1:] & r.support[:-1], axis=1)]
        assert np.sum(lifts > stop + 0.011) <= 2, (command, stop)
        landed = r.time[1:][np.any(r.support[1:] & ~r.support[:-1], axis=1)][-1]
        rests = r.time > landed + 1.0
        assert np.abs(r.base_velocity[rests]).max() < 1e-3, (command, stop)
        feet = r.foot_pose[-1]
        turns = 2.0 * np.arctan2(feet[:, 6], feet[:, 3])
        assert abs(np.sin((turns[0] - turns[1]) / 2)) < 1e-3, (command, stop)
        c, s = np.cos(turns[0]), np.sin(turns[0])
        apart = feet[0, :2] - feet[1, :2]
        np.testing.assert_allclose([c * apart[0] + s * apart[1], -s * apart[0] + c * apart[1]], [0.0, 0.1], atol=2e-3)


# ------------------------------------------------------------------ with feedback of the measured ZMP


@pytest.mark.parametrize("sensor", ["feet", "imu"])
@pytest.mark.parametrize("feedback", [0.3, 1.0])
def test_it_walks_with_feedback(nao: Robot, sensor: ZmpSensor, feedback: float) -> None:
    engine = BipedEngine(nao, feedback=feedback, zmp_sensor=sensor)
    world = World(nao)
    world.reset(*engine.stance())
    f = walk_figures(simulate(world, engine, Command(0.2), 12.0), nao)
    assert not f.fell
    assert f.mean_velocity[0] == pytest.approx(0.2, rel=0.02)
    assert abs(f.mean_velocity[1]) < 5e-3
    if feedback < 1.0:  # all of the correction rocks the standing sole onto its edge
        assert f.zmp_margin_min > 0.005


def falls(robot: Robot, engine: BipedEngine, force: float) -> int:
    """How many pushes to the left throw it over, of eight in a double step that last 50 ms [N].

    To the right is the same half a double step later. A push that only makes it rock may throw it over seconds after.
    """
    world, count = World(robot), 0
    for time in 4.0 + 0.1 * np.arange(8):
        world.reset(*engine.stance())
        world.push(Push(float(time), 0.05, (0.0, force, 0.0)))
        r = simulate(world, engine, Command(0.2), float(time) + 6.0)
        count += r.info["fell"] is not None
    return count


def test_it_walks_on_after_a_small_push(nao: Robot) -> None:
    """Open loop, from 10 N on some moments are bad enough for a fall."""
    assert falls(nao, BipedEngine(nao), 7.0) == 0


@pytest.mark.parametrize(
    ("sensor", "feedback"),
    [
        ("feet", 0.3),
        pytest.param("imu", 0.3, marks=pytest.mark.slow),
        pytest.param("feet", 1.0, marks=pytest.mark.slow),
    ],
)
def test_with_feedback_it_takes_twice_the_push(nao: Robot, sensor: ZmpSensor, feedback: float) -> None:
    """Without it the robot goes on rocking, and larger ones throw it over in the end at about every other moment."""
    assert falls(nao, BipedEngine(nao, feedback=feedback, zmp_sensor=sensor), 14.0) == 0
    assert falls(nao, BipedEngine(nao), 28.0) > 2
