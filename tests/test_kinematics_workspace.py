"""Where a foot may be, and the exact place where a straight way leaves that: against brute force and by geometry."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import Delaunay
from tests.abduction_model import HIPS, LATERAL, SHANK, THIGH, build

from gangart.errors import BadRobot, BadValue, UnknownName, Unreachable
from gangart.kinematics import Workspace
from gangart.kinematics.polynomials import MOST, sign_changes
from gangart.robots import Robot, load

WIDE = ((-3.1, 3.0), (-3.1, 3.0), (-2.6, -0.3))  # [rad] limits with a hole around the hip
ROOF = [[0.1, -0.5, -0.12], [0.3, 0.5, 0.5], [0.2, 0.0, -0.3], [0.35, 0.0, 0.1], [0.05, 0.2, 0.1]]
OBSTACLES = f"""
[obstacles.box]
corners = [[-0.3, -0.1, 0.1], [0.3, 0.1, -0.11]]
[obstacles.roof]
corners = {ROOF}
legs = ["front_left"]
"""


@pytest.fixture(scope="module")
def quadruped() -> Workspace:
    return Workspace(load("quadruped"))


@pytest.fixture(scope="module")
def dog(tmp_path_factory) -> Workspace:
    """Almost without joint limits, but with obstacles of which one is for one leg."""
    return Workspace(build(tmp_path_factory.mktemp("dog"), limits=WIDE, more=OBSTACLES))


def hip_of(space: Workspace, leg: str) -> np.ndarray:
    return space.legs.numbers[list(space.robot.legs).index(leg), :3]


def solids(robot: Robot, leg: str) -> list[np.ndarray]:
    """The obstacles of a leg as the test sees them, without the robot's planes: corners."""
    boxes = {
        "quadruped": {
            "trunk": [[-0.265, -0.09, -0.06], [0.265, 0.09, 0.06]],
            "ahead": [[0.0 if "rear" in leg else -2.0, -2.0, -2.0], [2.0 if "rear" in leg else 0.0, 2.0, 2.0]],
            "beside": [[-2.0, 0.0 if "right" in leg else -2.0, -2.0], [2.0, 2.0 if "right" in leg else 0.0, 2.0]],
        },
        "dog": {"box": [[-0.3, -0.1, -0.11], [0.3, 0.1, 0.1]]},
    }[robot.name]
    found = [np.array(box) for box in boxes.values()]
    return [*found, np.array(ROOF)] if robot.name == "dog" and leg == "front_left" else found


def branch(space: Workspace, leg: str, points: np.ndarray, side: float) -> np.ndarray:
    """Angles [rad] with the foot below (1) or above (-1) the hip, as in a textbook; NaN out of reach."""
    l1, l2, l3 = space.legs.numbers[list(HIPS).index(leg), 3:6]
    x, y, z = np.moveaxis(points - hip_of(space, leg), -1, 0)
    with np.errstate(invalid="ignore"):
        height = side * np.sqrt(y**2 + z**2 - l1**2)
        knee = -np.arccos((x**2 + height**2 - l2**2 - l3**2) / (2 * l2 * l3))
    abduction = np.arctan2(z, y) - np.arctan2(-height, l1)
    pitch = np.arctan2(-x, height) - np.arctan2(l3 * np.sin(knee), l2 + l3 * np.cos(knee))
    angles = np.stack([abduction, pitch, knee], axis=-1)
    low = space.robot.joint_limits[[space.robot.joint_index[name] for name in space.robot.legs[leg].joints], 0]
    return angles - 2 * np.pi * np.floor((angles - low) / (2 * np.pi))  # the first turn above the lower limit


def clear(space: Workspace, leg: str, points: np.ndarray) -> np.ndarray:
    """Outside of all obstacles: boxes by comparison, the hull by its tetrahedra."""
    free = np.ones(points.shape[:-1], dtype=bool)
    radius = space.robot.legs[leg].radius
    for corners in solids(space.robot, leg):
        if len(corners) == 2:
            free &= ~((points > corners[0] - radius) & (points < corners[1] + radius)).all(axis=-1)
        else:
            assert radius == 0.0
            free &= Delaunay(corners).find_simplex(points) < 0
    return free


def served(space: Workspace, leg: str, points: np.ndarray) -> np.ndarray:
    """Whether each of the two branches (last axis) has a point of C_free, by other means than gangart's."""
    high = space.robot.joint_limits[[space.robot.joint_index[name] for name in space.robot.legs[leg].joints], 1]
    inside = [(branch(space, leg, points, side) <= high).all(axis=-1) for side in (1.0, -1.0)]
    return np.stack(inside, axis=-1) & clear(space, leg, points)[..., None]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("leg", HIPS)
def test_free_is_reach_limits_and_obstacles(quadruped, dog, leg, seed):
    for space in (quadruped, dog):
        points = hip_of(space, leg) + np.random.default_rng(seed).uniform(-0.45, 0.45, (20_000, 3))
        free = space.free(leg, points)
        assert np.array_equal(free, served(space, leg, points).any(axis=-1))
        assert 0.02 < free.mean() < 0.98


def lines(space: Workspace, leg: str, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ways between free points, long and short ones."""
    points = hip_of(space, leg) + rng.uniform(-0.45, 0.45, (100 * n, 3))
    free = points[space.free(leg, points)][: 2 * n]
    a, b = free[:n], free[n:]
    return a, np.concatenate([b[: n // 2], a[n // 2 :] + 0.1 * (b - a)[n // 2 :]])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("leg", ["front_left", "rear_right"])
@pytest.mark.parametrize("name", ["quadruped", "dog"])
def test_ways_leave_where_brute_force_finds_it(request, name, leg, seed):
    """Sampled at 2000 points, a way is refused between the last free point and the first that is not."""
    space: Workspace = request.getfixturevalue(name)
    a, b = lines(space, leg, np.random.default_rng(seed), 300)
    fraction = space.leaves(leg, a, b)
    t = np.linspace(0.0, 1.0, 2001)
    inside = served(space, leg, a[:, None] + t[:, None] * (b - a)[:, None])
    stays = np.where(inside.all(axis=1), len(t), np.argmin(inside, axis=1)).max(axis=1)  # points of the better branch
    leaves = stays < len(t)
    assert 0.05 < leaves.mean() < 0.95
    assert np.isfinite(fraction[leaves]).all()
    assert (fraction[leaves] <= t[stays[leaves]] + 1e-9).all()
    # what brute force does not see are corners that are cut by less than a step of it
    for i in np.flatnonzero(fraction < t[np.minimum(stays, len(t)) - 1] - 1e-9):
        near = a[i] + (fraction[i] + np.linspace(-1e-3, 1e-3, 200_001)[:, None]) * (b - a)[i]
        fine = served(space, leg, near)
        assert not fine[100_000:].all(axis=0).any()
        assert fine[:99_990].all(axis=0).any()
    assert (fraction < t[np.minimum(stays, len(t)) - 1] - 1e-9).mean() < 0.03


@pytest.mark.parametrize("leg", HIPS)
def test_the_place_of_leaving_is_exact(quadruped, dog, leg, rng):
    for space in (quadruped, dog):
        a, b = lines(space, leg, rng, 500)
        fraction = space.leaves(leg, a, b)
        out = np.isfinite(fraction)
        step = 1e-6 / np.linalg.norm(b - a, axis=1)[out]
        here = served(space, leg, a[out])
        before = served(space, leg, a[out] + (fraction[out] - step)[:, None] * (b - a)[out]) & here
        beyond = served(space, leg, a[out] + (fraction[out] + step)[:, None] * (b - a)[out]) & before
        assert before.any(axis=-1).all()
        assert (beyond.sum(axis=-1) < before.sum(axis=-1)).all()  # one branch ends here, and no other goes on


def test_a_way_through_the_fold_of_the_knee_leaves_and_comes_back(dog):
    """Both ends are free, and the hole between them is the sphere that the knee's limit leaves around the hip."""
    top = hip_of(dog, "rear_left") + np.array([0.0, LATERAL, 0.0])
    hole = np.sqrt(THIGH**2 + SHANK**2 + 2 * THIGH * SHANK * np.cos(2.6))
    a, b = top + np.array([[-0.2, 0.0, -0.05], [0.2, 0.0, -0.05]])
    assert dog.free("rear_left", np.stack([a, b])).all()
    leaves = dog.leaves("rear_left", a, b)
    assert a[0] + leaves * 0.4 == pytest.approx(top[0] - np.sqrt(hole**2 - 0.05**2), abs=1e-9)
    with pytest.raises(Unreachable, match=r"leg 'rear_left': .* joint 'rear_left_knee' is at its lower limit; plan"):
        dog.check_line("rear_left", a, b)
    dog.check_line("rear_left", *(top + np.array([[-0.2, 0.0, -hole - 1e-6], [0.2, 0.0, -hole - 1e-6]])))


def test_a_way_into_the_trunk_is_refused_with_its_place(dog):
    sentence = (
        "leg 'front_right': the foot's straight way from (0.0, -90.0, -200.0) mm to (0.0, -90.0, 60.0) mm leaves "
        "what the leg may do at (0.0, -90.0, -110.0) mm: obstacle 'box' is there; plan another way or move the body"
    )
    a, b = np.array([0.0, -0.09, -0.2]), np.array([0.0, -0.09, 0.06])
    with pytest.raises(Unreachable, match=re.escape(sentence)):
        dog.check_line("front_right", a, b)


def test_a_ball_foot_keeps_its_radius_away(quadruped):
    a, b = np.array([0.24, 0.17, -0.3]), np.array([0.24, -0.05, -0.3])
    assert quadruped.leaves("front_left", a, b) == pytest.approx(0.15 / 0.22, abs=1e-8)


def test_a_box_that_a_way_only_touches_is_not_in_the_way(dog):
    a, b = np.array([0.1, 0.11, -0.11]), np.array([0.32, 0.11, -0.11])
    down = np.array([0.0, -0.05, 0.0])
    for way in ((a, b), (a + down, b + down)):  # beside the box, then along its lower face
        assert dog.leaves("front_right", *way) == dog.leaves("front_right", *(np.array(way) - np.array([0, 0, 1e-6])))


def test_a_way_along_a_limit_stays(quadruped):
    """The plane in which a joint is at its limit belongs to C_free, and so does the stretched leg."""
    space, leg = quadruped, "front_left"
    limit = space.robot.joint_limits[0, 1]
    q = np.array([[limit, 0.7, -1.4], [limit, 1.0, -1.7], [limit, 0.4, -0.9]])
    p = space.legs.forward(leg, q)
    assert space.free(leg, p).all()
    assert not np.isfinite(space.leaves(leg, p, np.roll(p, 1, axis=0))).any()
    down = space.legs.forward(leg, np.zeros(3))
    assert space.leaves(leg, down, down + np.array([0.0, 0.0, 0.1])) == np.inf
    assert space.leaves(leg, down, down) == np.inf


def test_joints_follow_without_a_jump_and_a_swing_round_is_refused(dog, rng):
    """Where a foot passes the hip's axis, both ends and all between can be free, but not for one branch."""
    a, b = lines(dog, "rear_right", rng, 2000)
    fraction = dog.leaves("rear_right", a, b)
    points = a[:, None] + np.linspace(0.0, 1.0, 1001)[:, None] * (b - a)[:, None]
    inside = served(dog, "rear_right", points)
    jumps = np.stack(
        [np.abs(np.diff(branch(dog, "rear_right", points, s), axis=1)).max(axis=(1, 2)) for s in (1, -1)], axis=-1
    )
    stays = ~np.isfinite(fraction)
    assert jumps[stays][inside[stays].all(axis=1)].max() < 0.3
    swings = np.flatnonzero(inside.any(axis=2).all(axis=1) & ~inside.all(axis=1).any(axis=1))
    assert len(swings) > 5
    for i in swings:
        with pytest.raises(Unreachable, match="the leg would have to swing round"):
            dog.check_line("rear_right", a[i], b[i])


def test_all_legs_are_each_leg_and_a_batch_is_its_elements(quadruped, rng):
    home = quadruped.legs.all_forward(quadruped.robot.home_position)
    assert quadruped.all_free(home).all()
    a = home + rng.uniform(-0.1, 0.1, (3, 50, 4, 3))
    b = home + rng.uniform(-0.2, 0.2, (50, 4, 3))
    fraction, free = quadruped.all_leave(a, b), quadruped.all_free(a)
    for i, leg in enumerate(HIPS):
        np.testing.assert_array_equal(quadruped.leaves(leg, a[..., i, :], b[..., i, :]), fraction[..., i])
        np.testing.assert_array_equal(quadruped.free(leg, a[..., i, :]), free[..., i])
        for index in np.ndindex(3, 5):
            assert quadruped.leaves(leg, a[index][i], b[index[1], i]) == fraction[(*index, i)]
    assert ((fraction == 0.0) == ~free).all()


def test_a_stride_of_all_legs_stays_and_the_first_that_leaves_is_named(quadruped):
    home = quadruped.legs.all_forward(quadruped.robot.home_position)
    quadruped.check_lines(home - [0.1, 0.0, 0.0], home + np.array([0.1, 0.0, 0.05]))
    far = np.broadcast_to(home, (2, 4, 3)).copy()
    far[1, 2] -= [0.0, 0.0, 0.2]
    with pytest.raises(Unreachable, match=r"leg 'rear_left': .* it is too far from the hip; .* \(at index 1\)"):
        quadruped.check_lines(home, far)
    place = ", ".join(f"{1e3 * v:.1f}" for v in far[1, 2])
    with pytest.raises(Unreachable, match=rf"leg 'rear_left': the foot's way starts at \({place}\) mm, wh"):
        quadruped.check_lines(far, home)
    with pytest.raises(Unreachable, match=r"leg 'front_left': .* joint 'FL1' is at its upper limit"):
        quadruped.check_line("front_left", home[0], home[0] + [0.0, 0.3, 0.2])


def test_a_foot_on_the_hips_axis_is_told_apart(dog):
    near = hip_of(dog, "rear_left") + np.array([-0.2, 0.03, -0.05])
    assert "too near to the axis of 'rear_left_abduction'" in dog.why_not("rear_left", near)
    assert dog.why_not("rear_left", dog.legs.forward("rear_left", np.array([0.1, 0.3, -1.0]))) == ""


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda space: space.free("middle", np.zeros(3)), UnknownName),
        (lambda space: space.free("rear_left", np.zeros(2)), BadValue),
        (lambda space: space.leaves("rear_left", np.zeros(3), np.zeros(())), BadValue),
        (lambda space: space.all_free(np.zeros((3, 3))), BadValue),
        (lambda space: space.check_lines(np.zeros((4, 3)), np.zeros(3)), BadValue),
        (lambda space: space.check_line("rear_left", np.full(3, np.nan), np.zeros(3)), BadValue),
    ],
)
def test_wrong_input_is_refused(quadruped, ask, error):
    with pytest.raises(error):
        ask(quadruped)


def test_what_is_not_finite_is_not_free(quadruped):
    home = quadruped.legs.all_forward(quadruped.robot.home_position)[0]
    assert not quadruped.free("front_left", np.full(3, np.nan))
    for bad in (np.nan, np.inf):
        assert np.isfinite(quadruped.leaves("front_left", home, home * bad))


@given(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=4), st.floats(-3.0, 3.0))
def test_polynomials_change_their_sign_where_their_roots_are(roots, factor):
    c = np.zeros(5)
    c[: len(roots) + 1] = factor * np.poly(roots)[::-1]
    out = np.empty(MOST)
    found = out[: sign_changes(c, out)]
    assert ((found >= 0.0) & (found <= 1.0)).all()
    alone = [r for i, r in enumerate(roots) if min([1.0, *np.abs(np.delete(roots, i) - r)]) > 1e-3]
    for root in alone:
        if 1e-6 < root < 1.0 - 1e-6 and abs(factor) > 1e-3:
            assert np.abs(found - root).min() < 1e-9


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("corners = [[0, 0, 0], [1, 1, 0]]", "flat box; two opposite corners differ in x, y and z"),
        ("corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "span no solid; it takes four points or more"),
        ("corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", "span no solid"),
        ("corners = []", "span no solid"),
        ("corners = [[0, 0], [1, 1]]", "'corners' has to be a list of [x, y, z] points"),
        ("corners = [[-0.1, 0, 0], [100, 1, 1]]", "lengths are in metres"),
        ('corners = [[0, 0, 0], [1, 1, 1]]\nlegs = ["front_lift"]', "no leg 'front_lift'; did you mean 'front_left'?"),
        ("corners = [[0, 0, 0], [1, 1, 1]]\nbox = 1", "'box' is not a key here"),
    ],
)
def test_an_obstacle_that_is_none_is_refused(tmp_path, table, sentence):
    with pytest.raises(BadRobot, match=re.escape(sentence)):
        build(tmp_path, more=f"[obstacles.wall]\n{table}\n")


def test_depth_in_an_obstacle_is_the_way_out(dog, rng):
    box, roof = dog.robot.obstacles.values()
    assert len(box.planes) == 6
    assert (box.stops("rear_left"), roof.stops("rear_left"), roof.stops("front_left")) == (True, False, True)
    points = rng.uniform([-0.3, -0.1, -0.11], [0.3, 0.1, 0.1], (100, 3))
    ways = np.minimum(points - [-0.3, -0.1, -0.11], [0.3, 0.1, 0.1] - points).min(axis=1)
    np.testing.assert_allclose(box.depth(points), ways, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(roof.planes[:, :3], axis=1), 1.0)
    assert roof.depth(np.array(ROOF)).max() < 1e-12
