"""References of the zero moment point: where they rest, how they change feet, and that they stay on the soles."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.interpolate import BPoly
from scipy.optimize import brentq
from scipy.spatial import ConvexHull

from gangart.control import BipedEngine
from gangart.errors import UnknownName
from gangart.pattern import ZMP_NAMES, ZmpCurve, zmp_curve
from gangart.robots import Robot, Walk
from gangart.signals import Command, FootstepPlan

DURATION = 9.0  # [s] of a walk


@pytest.fixture(scope="module")
def walk(nao: Robot) -> Walk:
    """Settings in which the ZMP's place is not the middle of anything."""
    assert nao.walk is not None
    return dataclasses.replace(nao.walk, zmp_forward=0.017, zmp_inward=0.005)


@pytest.fixture(scope="module")
def engine(nao: Robot, walk: Walk) -> BipedEngine:
    return BipedEngine(nao, walk=walk)


def random_commands(walk: Walk, n: int, seed: int) -> list[Command]:
    """Commands inside the limits, spread over all directions."""
    rng = np.random.default_rng(seed)
    limits, found = walk.limits, []
    for _ in range(n):
        x, y, z = (d := rng.normal(size=3)) / np.linalg.norm(d) * rng.uniform(0.05, 1.0)
        found.append(Command(x * (limits.forward if x > 0 else limits.backward), y * limits.sideways, z * limits.turn))
    return found


def steps(engine: BipedEngine, command: Command) -> FootstepPlan:
    return engine.plan(lambda t: command if t < DURATION - 3.0 else Command(), DURATION).footsteps


def curve_of(name: str, engine: BipedEngine, plan: FootstepPlan) -> ZmpCurve:
    return zmp_curve(name, plan, engine.walk, engine.timing.double_support)


def place_in_sole(walk: Walk, foot: int, pose: np.ndarray) -> np.ndarray:
    """Where the ZMP belongs in a sole that stands."""
    x, y = walk.zmp_forward, -walk.zmp_inward if foot == 0 else walk.zmp_inward
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array([pose[0] + c * x - s * y, pose[1] + s * x + c * y])


def standing_feet(plan: FootstepPlan) -> list[tuple[int, np.ndarray]]:
    """Which foot stands where during each single support."""
    feet, found = plan.start.copy(), []
    for foot, pose in zip(plan.foot, plan.pose, strict=True):
        found.append((1 - foot, feet[1 - foot].copy()))
        feet[foot] = pose
    return found


@pytest.mark.parametrize("name", ZMP_NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_references_are_continuous_and_begin_and_end_between_the_feet(
    engine: BipedEngine, name: str, seed: int
) -> None:
    for command in random_commands(engine.walk, 10, seed):
        plan = steps(engine, command)
        curve = curve_of(name, engine, plan)
        for a, b in zip(curve.points[:-1, 3], curve.points[1:, 0], strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(curve.end[:-1], curve.begin[1:])
        time = np.arange(0.0, DURATION, 1e-4)
        # an eased change is at most twice as fast as an even one, a Bézier curve at most three times
        longest = np.linalg.norm(np.diff(curve.points, axis=1), axis=2).sum(axis=1)
        fastest = (3.0 * longest / (curve.end - curve.begin)).max()
        assert np.linalg.norm(np.diff(curve(time), axis=0), axis=1).max() <= fastest * 1e-4 * (1 + 1e-9)
        last = {f: plan.pose[plan.foot == f][-1] for f in (0, 1)}
        for at, feet in ((-1.0, dict(enumerate(plan.start))), (2 * DURATION, last)):
            middle = sum(place_in_sole(engine.walk, f, pose) for f, pose in feet.items()) / 2.0
            np.testing.assert_allclose(curve(np.array([at]))[0], middle, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_stationary_reference_rests_in_the_standing_sole(engine: BipedEngine, seed: int) -> None:
    for command in random_commands(engine.walk, 10, seed):
        plan = steps(engine, command)
        curve = curve_of("stationary", engine, plan)
        for (foot, pose), lift, land in zip(standing_feet(plan), plan.lift, plan.land, strict=True):
            points = curve(np.linspace(lift, land, 20))
            np.testing.assert_allclose(points, np.tile(place_in_sole(engine.walk, foot, pose), (20, 1)), atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stationary_change_is_the_two_dimensional_bezier_curve(engine: BipedEngine, seed: int) -> None:
    """Urbann 2.4.5: places a, a, b, b at the times 0, 1/2, 1/2, 1 of the double support."""
    plan = steps(engine, random_commands(engine.walk, 1, seed)[0])
    curve = curve_of("stationary", engine, plan)
    when = BPoly(np.array([[0.0], [0.5], [0.5], [1.0]]), [0.0, 1.0])
    feet = standing_feet(plan)
    for k in range(1, len(plan)):
        a, b = (place_in_sole(engine.walk, *feet[j]) for j in (k - 1, k))
        begin, end = plan.land[k - 1], plan.lift[k]
        for part in np.linspace(0.0, 1.0, 23):
            s = brentq(lambda s, part=part: float(when(s)) - part, -1e-9, 1.0 + 1e-9, xtol=1e-14)
            wanted = a + (3.0 * s * s - 2.0 * s**3) * (b - a)
            found = curve(np.array([begin + part * (end - begin)]))[0]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)


def test_the_bezier_reference_moves_evenly_forward(engine: BipedEngine) -> None:
    """Urbann 5.2.2: along x at constant speed, in single and in double supports."""
    plan = steps(engine, Command(0.2))
    curve = curve_of("bezier", engine, plan)
    step = engine.timing.step * 0.2
    ways = np.diff(plan.pose[:, 0])
    steady = np.flatnonzero(np.isclose(ways, step, rtol=0, atol=1e-12))
    assert len(steady) > 4
    time = np.linspace(plan.land[steady[1]], plan.lift[steady[-2]], 500)
    np.testing.assert_allclose(np.diff(curve(time)[:, 0]) / np.diff(time), 0.2, rtol=1e-9)


def test_the_bezier_reference_goes_through_its_control_points_sideways(engine: BipedEngine) -> None:
    plan = steps(engine, Command(0.2))
    curve = curve_of("bezier", engine, plan)
    inward = engine.walk.zmp_inward + engine.walk.bezier
    single = BPoly(inward[:, None], [0.0, 1.0])
    for (foot, pose), lift, land in zip(standing_feet(plan), plan.lift, plan.land, strict=True):
        part = np.linspace(0.0, 1.0, 11)
        side = 1.0 if foot == 0 else -1.0
        y = curve(lift + part * (land - lift))[:, 1]
        np.testing.assert_allclose(side * (pose[1] - y), single(part), atol=1e-12)
    for k in range(1, len(plan)):  # both inner points of a change are in the middle
        a, b = curve(np.array([plan.land[k - 1], plan.lift[k]]))[:, 1]
        middle = curve(np.array([(plan.land[k - 1] + plan.lift[k]) / 2.0]))[0, 1]
        assert middle == pytest.approx((a + b) / 2.0, abs=1e-12)


@pytest.mark.parametrize("name", ZMP_NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mirrored_command_gives_a_mirrored_reference(engine: BipedEngine, name: str, seed: int) -> None:
    time = np.linspace(0.0, DURATION, 400)
    for command in random_commands(engine.walk, 8, seed):
        other = Command(command.vx, -command.vy, -command.wz)
        a, b = (curve_of(name, engine, steps(engine, c))(time) for c in (command, other))
        np.testing.assert_allclose(a, b * [1.0, -1.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ZMP_NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_references_stay_inside_the_support_polygon(nao: Robot, engine: BipedEngine, name: str, seed: int) -> None:
    outlines = [leg.outline for leg in nao.legs.values()]
    for command in random_commands(engine.walk, 15, seed):
        plan = steps(engine, command)
        time = np.arange(0.0, DURATION, 0.01)
        points, standing = curve_of(name, engine, plan)(time), plan.contacts(time)
        feet = plan.start.copy()
        polygons: dict[bytes, np.ndarray] = {}
        k = 0
        for t, point, stands in zip(time, points, standing, strict=True):
            while k < len(plan) and t >= plan.land[k]:
                feet[plan.foot[k]] = plan.pose[k]
                k += 1
            key = feet.tobytes() + stands.tobytes()
            if key not in polygons:
                corners = [_placed(outlines[f], feet[f]) for f in (0, 1) if stands[f]]
                polygons[key] = ConvexHull(np.vstack(corners)).equations
            edges = polygons[key]
            assert (edges[:, :2] @ point + edges[:, 2]).max() < -0.005, f"{command} at {t:.2f} s"


def _placed(outline: np.ndarray, pose: np.ndarray) -> np.ndarray:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return outline @ np.array([[c, s], [-s, c]]) + pose[:2]


def test_without_steps_the_reference_rests_between_the_feet(engine: BipedEngine) -> None:
    plan = engine.plan(Command(), 1.0).footsteps
    for name in ZMP_NAMES:
        points = curve_of(name, engine, plan)(np.linspace(-1.0, 3.0, 9))
        np.testing.assert_allclose(points, np.tile([engine.walk.zmp_forward, 0.0], (9, 1)), atol=1e-15)


def test_an_unknown_reference_is_refused_by_name(engine: BipedEngine) -> None:
    plan = engine.plan(Command(), 1.0).footsteps
    with pytest.raises(UnknownName, match="no ZMP reference 'stationery'; did you mean 'stationary'"):
        curve_of("stationery", engine, plan)
