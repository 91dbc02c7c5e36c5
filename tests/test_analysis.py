"""The figures of a walk, on recordings whose figures are known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.analysis import WalkFigures, walk_figures
from gangart.analysis.metrics import (
    mean_velocity,
    orientation,
    orientation_error,
    slip,
    smoothed,
    speed_per_second,
    steady_part,
    step_lengths,
    tilt,
    whole_steps,
    yaw,
)
from gangart.analysis.polygon import convex_hull, inside_by, support_margins
from gangart.errors import BadRecording
from gangart.robots import Robot
from gangart.signals import Recording

STEP = 0.4  # [s] of the drawn walk
LIFT = 0.05  # [s] from the beginning of a step to its lift, and from its landing to its end


def quaternion(roll: Any, pitch: Any, heading: Any) -> np.ndarray:
    """Rotation by roll about x, then pitch about y, then yaw about z."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a / 2), np.sin(a / 2)) for a in map(np.asarray, (roll, pitch, heading)))
    return np.stack(
        np.broadcast_arrays(
            cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ),
        axis=-1,
    )  # fmt: skip


def drawn(
    robot: Robot,
    duration: float = 8.0,
    speed: float = 0.2,
    heading: float = 0.0,
    sway: float = 0.0,
    period: float = 1e-3,
    **columns: Any,
) -> Recording:
    """A walk without physics: the base moves evenly along a heading and sways as the feet alternate."""
    n = max(1, round(duration / period))
    time = np.array([k * period for k in range(n)])
    c, s = math.cos(heading), math.sin(heading)
    joints, legs = len(robot.joints), len(robot.legs)
    aside, phase = 0.02 * sway, math.pi * time / STEP
    along = np.column_stack([c * time, s * time]) * speed
    across = np.column_stack([-s * np.sin(phase), c * np.sin(phase)]) * aside
    rush = 1.0 + sway * np.sin(2 * phase + 0.3)  # fast and slow within each step
    velocity = np.column_stack([c * rush, s * rush, 0 * time]) * speed
    velocity[:, :2] += np.column_stack([-s * np.cos(phase), c * np.cos(phase)]) * (aside * math.pi / STEP)
    support = np.ones((n, legs), bool)
    foot = np.zeros((n, legs, 7))
    foot[:, :, 3], foot[:, :, 6] = math.cos(heading / 2), math.sin(heading / 2)
    into, count = np.mod(time + 1e-9, STEP), ((time + 1e-9) / STEP).astype(int)
    for leg in range(legs):
        swings = (count % 2 == leg) & (into > LIFT) & (into < STEP - LIFT)
        support[swings, leg] = False
        # step k takes its foot, in the middle of the swing, to k + 1 step lengths from the start
        last = count - (into < STEP / 2)
        last -= last % 2 != leg
        ahead, left = np.maximum(last + 1, 0) * STEP * speed, 0.05 - 0.1 * leg
        foot[:, leg, 0], foot[:, leg, 1] = c * ahead - s * left, s * ahead + c * left
    zmp = np.einsum("nl,nlk->nk", support, foot[:, :, :2]) / support.sum(axis=1, keepdims=True)
    values: dict[str, Any] = {
        "time": time,
        **dict.fromkeys(("target", "position", "velocity", "torque"), np.zeros((n, joints))),
        "base_position": np.column_stack([along + across, np.full(n, 0.3)]),
        "base_orientation": np.tile(quaternion(0.0, 0.0, heading), (n, 1)),
        "base_velocity": velocity,
        **dict.fromkeys(("base_rotation", "gyro", "accelerometer"), np.zeros((n, 3))),
        "foot_pose": foot,
        "foot_wrench": np.zeros((n, legs, 6)),
        "foot_force": np.zeros((n, legs, 4)),
        "contact": support,
        "zmp": zmp,
        "zmp_reference": zmp,
        "com_reference": np.column_stack([along + across, np.full(n, 0.24)]),
        "support": support,
    }
    return Recording(robot.name, robot.joints, tuple(robot.legs), **values | columns, info={"fell": None})


# ------------------------------------------------------------------ tilt


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1))
def test_tilt_is_the_angle_of_the_axes_to_the_ground(nao: Robot, roll: float, pitch: float, heading: float) -> None:
    """(0, 1, 0) and (1, 0, 0) of the base against the plane with the normal (0, 0, 1), Urbann 5.1.2."""
    r = drawn(nao, 0.01, base_orientation=np.tile(quaternion(roll, pitch, heading), (10, 1)))
    about_z = np.array(
        [[math.cos(heading), -math.sin(heading), 0], [math.sin(heading), math.cos(heading), 0], [0, 0, 1]]
    )
    about_y = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    about_x = np.array([[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]])
    R = about_z @ about_y @ about_x
    x, y = orientation(r)
    np.testing.assert_allclose(x, math.asin(R[2, 1]), atol=1e-7)
    np.testing.assert_allclose(y, math.asin(R[2, 0]), atol=1e-7)
    np.testing.assert_allclose(tilt(r), math.acos(min(1.0, R[2, 2])), atol=1e-7)
    np.testing.assert_allclose(yaw(r), heading, atol=1e-9)


def test_orientation_errors_are_sums_of_squares_at_1_khz(nao: Robot, rng: np.random.Generator) -> None:
    """(5.1), (5.2): f_x = sum of phi_x(t)², t over the samples of a millisecond."""
    roll = rng.normal(0.0, 0.01, 3000)
    r = drawn(nao, 3.0, base_orientation=quaternion(roll, 0.0, 0.4))
    f_x, f_y = orientation_error(r)
    assert f_x == pytest.approx(np.sum(roll**2), rel=1e-9)
    assert f_y == pytest.approx(0.0, abs=1e-12)
    f_x, f_y = orientation_error(drawn(nao, 3.0, base_orientation=quaternion(0.0, roll, -2.0)))
    assert f_x == pytest.approx(0.0, abs=1e-12)
    assert f_y == pytest.approx(np.sum(roll**2), rel=1e-9)


@pytest.mark.parametrize("period", [2e-4, 5e-4, 2e-3, 0.01])
def test_orientation_errors_do_not_depend_on_the_rate(nao: Robot, period: float) -> None:
    def error(period: float) -> tuple[float, float]:
        time = np.arange(round(2.0 / period)) * period
        tilted = quaternion(0.02 * np.sin(9 * time), 0.01 * np.cos(5 * time), 0.0)
        return orientation_error(drawn(nao, 2.0, period=period, base_orientation=tilted))

    np.testing.assert_allclose(error(period), error(1e-3), rtol=0.02)


# ------------------------------------------------------------------ speed


@pytest.mark.parametrize("heading", [0.0, 0.7, 3.1, -2.0])
@pytest.mark.parametrize("sway", [0.0, 1.0])
def test_mean_velocity_is_in_the_bases_frame_over_whole_double_steps(nao: Robot, heading: float, sway: float) -> None:
    """However much the body sways within a double step."""
    r = drawn(nao, 8.0, 0.2, heading, sway)
    rows = steady_part(r)
    assert r.time[rows][0] >= 2.5 - 1e-9
    double_steps = (r.time[rows][-1] - r.time[rows][0]) / (2 * STEP)
    assert double_steps == pytest.approx(round(double_steps), abs=1e-3)
    assert double_steps >= 5
    np.testing.assert_allclose(mean_velocity(r, rows), [0.2, 0.0, 0.0], atol=1e-5)


def test_mean_velocity_of_a_turn(nao: Robot) -> None:
    time = np.arange(8000) * 1e-3
    heading = 0.5 * time
    velocity = np.column_stack([0.1 * np.cos(heading) - 0.03 * np.sin(heading),
                                0.1 * np.sin(heading) + 0.03 * np.cos(heading), 0 * time])  # fmt: skip
    r = drawn(nao, 8.0, base_orientation=quaternion(0.0, 0.0, heading), base_velocity=velocity)
    np.testing.assert_allclose(mean_velocity(r, steady_part(r)), [0.1, 0.03, 0.5], atol=1e-9)


def test_the_steady_part_ends_before_a_fall(nao: Robot) -> None:
    r = drawn(nao, 8.0)
    r.info["fell"] = 6.0
    rows = steady_part(r)
    assert 2.5 <= r.time[rows][0] < r.time[rows][-1] < 6.0


def test_without_two_lifts_all_rows_count(nao: Robot) -> None:
    stands = drawn(nao, 6.0, support=np.ones((6000, 2), bool))
    assert steady_part(stands) == slice(2500, 6000)
    assert steady_part(drawn(nao, 1.0)) in (slice(500, 1000), whole_steps(drawn(nao, 1.0), slice(500, 1000)))
    assert whole_steps(drawn(nao, 8.0), slice(3000, 3500)) == slice(3000, 3500)


def test_speed_per_second(nao: Robot) -> None:
    time = np.arange(3500) * 1e-3
    velocity = np.column_stack([0 * time, np.floor(time + 1e-9), 0 * time])
    r = drawn(nao, 3.5, heading=math.pi / 2, base_velocity=velocity)
    np.testing.assert_allclose(speed_per_second(r), [0.0, 1.0, 2.0], atol=1e-12)


# ------------------------------------------------------------------ feet


@pytest.mark.parametrize("heading", [0.0, 2.5])
@pytest.mark.parametrize("speed", [0.2, -0.1])
def test_step_lengths_are_between_successive_footprints(nao: Robot, heading: float, speed: float) -> None:
    r = drawn(nao, 4.0, speed, heading)
    lengths = step_lengths(r)
    assert len(lengths) == 10  # of 4 s, with the last landing before the end
    np.testing.assert_allclose(lengths, STEP * speed, atol=1e-9)


def test_slip_is_the_farthest_way_of_a_standing_sole(nao: Robot) -> None:
    r = drawn(nao, 4.0)
    assert slip(r) == 0.0
    foot = r.foot_pose.copy()
    stands = np.flatnonzero(r.support[:, 0] & (r.time > 1.25) & (r.time < 1.6))
    foot[stands[100:], 0, 0] += 0.003
    foot[stands[150:], 0, 1] -= 0.004
    assert slip(replace(r, foot_pose=foot)) == pytest.approx(0.005)
    # in the air there is nothing to slip on
    assert slip(replace(r, foot_pose=foot, contact=np.zeros_like(r.contact))) == 0.0


# ------------------------------------------------------------------ the support polygon


def hull_of(points: np.ndarray) -> np.ndarray:
    out = np.full((2 * len(points) + 2, 2), np.nan)
    return out[: convex_hull(points.copy(), out)]


def margin(points: np.ndarray, x: float, y: float) -> float:
    hull = hull_of(points)
    return inside_by(hull, len(hull), x, y)


def by_force(points: np.ndarray, p: np.ndarray) -> float:
    """Straight from the definitions: an edge is a pair of points that has all others on one side."""
    nearest, inside = math.inf, True
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            edge = b - a
            sides = edge[0] * (points[:, 1] - a[1]) - edge[1] * (points[:, 0] - a[0])
            if (edge == 0.0).all() or (sides.min() < -1e-12 and sides.max() > 1e-12):
                continue
            t = np.clip((p - a) @ edge / (edge @ edge), 0.0, 1.0)
            nearest = min(nearest, math.hypot(*(p - a - t * edge)))
            side = edge[0] * (p[1] - a[1]) - edge[1] * (p[0] - a[0])
            inside &= bool(side * (sides.max() if sides.max() > 1e-12 else sides.min()) >= 0.0)
    return nearest if inside else -nearest


coordinates = st.floats(-1.0, 1.0).map(lambda v: round(v, 3))
places = st.tuples(coordinates, coordinates)


@given(st.lists(places, min_size=3, max_size=16), places)
def test_margins_are_those_of_the_definition(points: list[tuple[float, float]], p: tuple[float, float]) -> None:
    cloud = np.array(points)
    if len(hull_of(cloud)) < 3:
        return
    assert margin(cloud, *p) == pytest.approx(by_force(cloud, np.array(p)), abs=1e-9)


@given(st.lists(places, min_size=1, max_size=16))
def test_a_hull_holds_its_points_and_turns_left(points: list[tuple[float, float]]) -> None:
    cloud = np.array(points)
    hull = hull_of(cloud)
    assert {tuple(h) for h in hull} <= set(points)
    for p in cloud:
        assert margin(cloud, *p) >= -1e-12 if len(hull) > 2 else margin(cloud, *p) >= -1e-9
    if len(hull) > 2:
        after, beyond = np.roll(hull, -1, axis=0) - hull, np.roll(hull, -2, axis=0) - hull
        assert (after[:, 0] * beyond[:, 1] - after[:, 1] * beyond[:, 0] > 0.0).all()


def test_margins_of_figures_that_everybody_knows() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5]])
    assert len(hull_of(square)) == 4
    assert margin(square, 0.5, 0.5) == 0.5
    assert margin(square, 0.9, 0.4) == pytest.approx(0.1)
    assert margin(square, 1.0, 0.3) == 0.0
    assert margin(square, 1.2, 0.5) == pytest.approx(-0.2)
    assert margin(square, 4.0, 5.0) == -5.0  # from the corner, not from an edge's line
    line = np.array([[0.0, 0.0], [1.0, 0.0], [0.4, 0.0]])
    assert margin(line, 0.5, 0.0) == 0.0
    assert margin(line, 0.5, 0.2) == pytest.approx(-0.2)
    assert margin(line, 2.0, 0.0) == -1.0
    assert margin(np.array([[1.0, 1.0]]), 1.0, 3.0) == -2.0


def test_the_support_polygon_follows_feet_and_contacts() -> None:
    sole = np.array([[0.1, 0.05], [-0.1, 0.05], [-0.1, -0.05], [0.1, -0.05]])
    pose = np.zeros((4, 2, 7))
    pose[:, :, 3] = 1.0
    pose[:, 0, 1], pose[:, 1, 1] = 0.1, -0.1
    pose[2, 0, 3:] = quaternion(0.0, 0.0, math.pi / 2)
    contact = np.array([[True, True], [True, False], [True, False], [False, False]])
    points = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.19], [0.0, 0.1]])
    margins = support_margins([sole, sole], pose, contact, points)
    np.testing.assert_allclose(margins[:3], [0.1, -0.05, 0.01], atol=1e-12)
    assert np.isnan(margins[3])
    assert np.isnan(support_margins([sole, sole], pose[:1], contact[:1], np.array([[0.0, math.nan]]))).all()


def test_soles_may_have_different_numbers_of_corners() -> None:
    ball, plate = np.array([[0.0, 0.0]]), np.array([[0.1, 0.0], [0.0, 0.1], [-0.1, 0.0], [0.0, -0.1]])
    pose = np.zeros((1, 2, 7))
    pose[:, :, 3] = 1.0
    pose[:, 0, 0] = 1.0
    margins = support_margins([ball, plate], pose, np.array([[True, True]]), np.array([[1.1, 0.0]]))
    np.testing.assert_allclose(margins, -0.1)


# ------------------------------------------------------------------ ZMP


def test_smoothing_leaves_out_what_is_not_there(nao: Robot) -> None:
    r = drawn(nao, 0.3)
    values = np.column_stack([np.arange(300.0), np.full(300, 7.0)])
    values[100:110] = math.nan
    out = smoothed(values, r)
    np.testing.assert_allclose(out[:, 1], 7.0)
    assert out[50, 0] == pytest.approx(50.0)
    assert out[105, 0] == pytest.approx(np.nanmean(values[80:131, 0]))
    assert out[0, 0] == pytest.approx(values[:26, 0].mean())
    assert out[-1, 0] == pytest.approx(values[-26:, 0].mean())
    values[:] = math.nan
    assert np.isnan(smoothed(values, r)).all()


def test_zmp_figures(nao: Robot) -> None:
    r = drawn(nao, 4.0)
    between = replace(r, zmp=r.foot_pose[:, :, :2].mean(axis=1))  # outside the sole wherever one foot swings
    assert walk_figures(r, nao).zmp_margin_min > 0.0 > walk_figures(between, nao).zmp_margin_min
    apart = np.tile([0.003, 0.004], (len(r), 1))
    still = replace(r, zmp=apart, zmp_reference=0 * apart)
    assert walk_figures(still, nao).zmp_error == pytest.approx(0.005)


# ------------------------------------------------------------------ all figures


def test_the_figures_of_a_drawn_walk(nao: Robot) -> None:
    f = walk_figures(drawn(nao, 8.0, 0.2, 0.7, sway=1.0), nao)
    assert (f.fell, f.fell_at) == (False, None)
    assert f.duration == pytest.approx(8.0)
    np.testing.assert_allclose(f.mean_velocity, [0.2, 0.0, 0.0], atol=1e-5)
    assert f.distance == pytest.approx(0.2 * 7.999, abs=1e-3)
    np.testing.assert_allclose(f.drift, 0.0, atol=1e-12)
    assert (f.steps, f.slip, f.tilt_max) == (20, 0.0, pytest.approx(0.0, abs=1e-9))
    assert f.step_length == pytest.approx(0.08)


@pytest.mark.parametrize("rows", [1, 2, 10, 50, 51, 60, 500])
def test_short_recordings_have_figures(nao: Robot, rows: int) -> None:
    f = walk_figures(drawn(nao, rows / 1000), nao)
    assert f.duration == pytest.approx(rows / 1000)
    assert f.steps == (rows > 350)
    assert math.isnan(f.step_length) == (f.steps == 0)
    assert json.loads(json.dumps(f.as_dict(), allow_nan=False))["step_length"] == (
        None if f.steps == 0 else f.step_length
    )


def test_without_a_zmp_its_figures_are_nan_and_null(nao: Robot) -> None:
    r = drawn(nao, 3.0)
    f = walk_figures(replace(r, zmp=np.full((3000, 2), np.nan), contact=np.zeros((3000, 2), bool)), nao)
    assert math.isnan(f.zmp_error)
    assert math.isnan(f.zmp_margin_min)
    told = json.loads(json.dumps(f.as_dict(), allow_nan=False))
    assert told["zmp_error"] is None
    assert told["zmp_margin_min"] is None
    assert told["mean_velocity"][0] == pytest.approx(0.2)
    assert set(told) == set(WalkFigures.__dataclass_fields__)


def test_times_that_have_lost_their_last_digits_change_nothing(nao: Robot) -> None:
    r = drawn(nao, 8.0, 0.2, 0.3, 1.0)
    added = replace(r, time=np.cumsum(np.full(8000, 1e-3)) - 1e-3)
    assert (added.time != r.time).any()
    a, b = walk_figures(r, nao), walk_figures(added, nao)
    for name, value in a.as_dict().items():
        same = value if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)
        assert b.as_dict()[name] == same, name


def test_a_recording_that_tells_nothing_is_refused(nao: Robot) -> None:
    r = drawn(nao, 0.1)
    empty = {name: column[:0] for name, column in r.columns().items()}
    with pytest.raises(BadRecording, match="holds no row"):
        walk_figures(replace(r, **empty), nao)
    with pytest.raises(BadRecording, match="3 legs cannot be one of nao, which has 2"):
        walk_figures(replace(r, legs=("a", "b", "c")), nao)
