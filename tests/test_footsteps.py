"""From a velocity to footsteps: the body moves as commanded, and limits are kept and told."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from gangart.footsteps import LEFT, RIGHT, accelerate, limit_command, next_step
from gangart.footsteps.velocity import along_arc, moved, sign_of
from gangart.robots import Robot, Walk
from gangart.signals import Command

STEP = 0.4  # [s]
AHEAD = 0.01  # [m]


@pytest.fixture
def walk(nao: Robot) -> Walk:
    assert nao.walk is not None
    return nao.walk


def random_commands(walk: Walk, n: int, seed: int) -> list[Command]:
    """Commands inside the limits, spread over all directions."""
    rng = np.random.default_rng(seed)
    limits = walk.limits
    found = []
    for _ in range(n):
        x, y, z = (d := rng.normal(size=3)) / np.linalg.norm(d) * rng.uniform(0.05, 1.0)
        found.append(Command(x * (limits.forward if x > 0 else limits.backward), y * limits.sideways, z * limits.turn))
    return found


def free(walk: Walk) -> Walk:
    """The same walk without limits of foot placement."""
    names = [f.name for f in dataclasses.fields(walk.limits) if f.name.startswith("step_")]
    return dataclasses.replace(walk, limits=dataclasses.replace(walk.limits, **dict.fromkeys(names, 10.0)))


def body_of(stance: np.ndarray, swing: int, walk: Walk, ahead: float) -> np.ndarray:
    """The body reference point that belongs to a standing foot."""
    return moved(stance, ahead, sign_of(swing) * walk.foot_spacing / 2.0)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_double_step_moves_the_body_as_commanded(walk: Walk, seed: int) -> None:
    """The turn is exact, and so is the way without a turn; else its halves point at most half the turn apart."""
    for command in random_commands(walk, 100, seed):
        for wz in (command.wz, 0.0):
            first = np.array([0.3, -0.2, 0.7])
            lead = LEFT if wz > 0.0 else RIGHT
            second, _ = next_step(first, lead, Command(command.vx, command.vy, wz), STEP, free(walk), AHEAD)
            third, _ = next_step(second, 1 - lead, Command(command.vx, command.vy, wz), STEP, free(walk), AHEAD)
            before, after = (body_of(stance, lead, walk, AHEAD) for stance in (first, third))
            x, y, turn = command.vx * 2 * STEP, command.vy * 2 * STEP, wz * 2 * STEP
            wanted = along_arc(before, x, y, turn)
            assert after[2] == pytest.approx(wanted[2], abs=1e-12)
            assert math.dist(after[:2], wanted[:2]) <= abs(turn) / 2.0 * math.hypot(x / 2, y) + 1e-12


@pytest.mark.parametrize("seed", [1, 2])
def test_a_turn_on_the_spot_turns_about_the_body(walk: Walk, seed: int) -> None:
    for command in random_commands(walk, 50, seed):
        stance = np.array([0.3, -0.2, 0.7])
        landed, _ = next_step(stance, LEFT, Command(wz=command.wz), STEP, free(walk), AHEAD)
        before, after = body_of(stance, LEFT, walk, AHEAD), body_of(landed, RIGHT, walk, AHEAD)
        np.testing.assert_allclose(after[:2], before[:2], rtol=0, atol=1e-12)


def test_along_arc_is_the_limit_of_many_small_motions() -> None:
    pose, n = np.array([0.1, 0.2, 0.3]), 100_000
    x, y, yaw = 0.4, -0.1, 1.2
    small = pose.copy()
    for _ in range(n):
        small = moved(small, x / n, y / n, yaw / n)
    np.testing.assert_allclose(along_arc(pose, x, y, yaw), small, atol=1e-5)
    np.testing.assert_allclose(along_arc(pose, x, y, 0.0), moved(pose, x, y), atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_footprint_is_never_outside_its_limits_and_says_when_it_was(walk: Walk, seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits, told = walk.limits, 0
    for _ in range(300):
        stance = rng.uniform(-3.0, 3.0, 3)
        swing = int(rng.integers(2))
        command = Command(*rng.uniform(-1.0, 1.0, 3))
        wanted, _ = next_step(stance, swing, command, STEP, free(walk))
        pose, clipped = next_step(stance, swing, command, STEP, walk)
        c, s = math.cos(stance[2]), math.sin(stance[2])
        x, y = (
            c * (pose[0] - stance[0]) + s * (pose[1] - stance[1]),
            c * (pose[1] - stance[1]) - s * (pose[0] - stance[0]),
        )
        outward, turn = sign_of(swing) * y - walk.foot_spacing, sign_of(swing) * (pose[2] - stance[2])
        assert -limits.step_backward - 1e-9 <= x <= limits.step_forward + 1e-9
        assert -limits.step_inward - 1e-9 <= outward <= limits.step_outward + 1e-9
        assert -limits.step_turn_inward - 1e-9 <= turn <= limits.step_turn_outward + 1e-9
        assert bool(clipped) == (not np.allclose(pose, wanted, rtol=0, atol=1e-9))
        told += bool(clipped)
    assert 50 < told < 300


def test_the_limit_that_moved_a_footprint_is_named(walk: Walk) -> None:
    stance = np.zeros(3)
    assert next_step(stance, LEFT, Command(vx=1.0), STEP, walk)[1] == ("forward",)
    assert next_step(stance, LEFT, Command(vx=-1.0), STEP, walk)[1] == ("backward",)
    assert next_step(stance, LEFT, Command(vy=1.0), STEP, walk)[1] == ("outward",)
    assert next_step(stance, RIGHT, Command(wz=-1.0), STEP, walk)[1] == ("turn outward",)
    assert next_step(stance, LEFT, Command(vy=-1.0, wz=-1.0), STEP, walk)[1] == ()  # the other foot leads


@pytest.mark.parametrize("seed", [1, 2])
def test_commands_inside_the_limits_are_left_alone(walk: Walk, seed: int) -> None:
    for command in random_commands(walk, 100, seed):
        limited, notes = limit_command(command, walk.limits)
        assert limited is command
        assert notes == ()


@pytest.mark.parametrize("seed", [1, 2])
def test_commands_beyond_keep_their_direction_reach_the_limit_and_are_reported(walk: Walk, seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits = walk.limits
    for inside in random_commands(walk, 100, seed):
        norm = math.hypot(
            inside.vx / (limits.forward if inside.vx > 0 else limits.backward),
            inside.vy / limits.sideways,
            inside.wz / limits.turn,
        )
        factor = rng.uniform(1.01, 1e3) / norm
        asked = Command(inside.vx * factor, inside.vy * factor, inside.wz * factor)
        limited, notes = limit_command(asked, limits)
        values = np.array([limited.vx, limited.vy, limited.wz]) * norm
        np.testing.assert_allclose(values, [inside.vx, inside.vy, inside.wz], rtol=1e-9, atol=1e-15)
        assert notes[-1].startswith("walking at vx")
        assert len(notes) >= 2


def test_a_limit_is_reported_with_value_rule_and_what_is_done_instead(walk: Walk) -> None:
    assert limit_command(Command(vx=0.5), walk.limits)[1] == (
        "forward +0.5 m/s is beyond the limit of 0.25 m/s",
        "walking at vx 0.25 m/s, vy 0 m/s, wz 0 rad/s instead",
    )


def test_what_the_robot_cannot_do_at_all_does_not_stop_the_rest(walk: Walk) -> None:
    limits = dataclasses.replace(walk.limits, sideways=0.0)
    limited, notes = limit_command(Command(0.1, 0.02, 0.0), limits)
    assert limited == Command(0.1, 0.0, 0.0)
    assert notes[0] == "sideways +0.02 m/s is beyond the limit of 0 m/s"


@pytest.mark.parametrize("seed", [1, 2])
def test_acceleration_is_kept_arrives_and_never_leaves_the_limits(walk: Walk, seed: int) -> None:
    limits = walk.limits
    commands = random_commands(walk, 60, seed)
    for now, wanted in itertools.pairwise(commands):
        for _ in range(40):
            after = accelerate(now, wanted, STEP, limits)
            assert abs(after.vx - now.vx) <= limits.forward_acceleration * STEP + 1e-12
            assert abs(after.vy - now.vy) <= limits.sideways_acceleration * STEP + 1e-12
            assert abs(after.wz - now.wz) <= limits.turn_acceleration * STEP + 1e-12
            assert limit_command(after, limits)[1] == ()
            now = after
            if now == wanted:
                break
        assert now == wanted
