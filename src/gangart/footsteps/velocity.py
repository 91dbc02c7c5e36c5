"""From a velocity to the next footstep.

The body moves along an arc of constant twist. A step to the left or a turn to the left is made by the left foot, twice
as wide, and the right foot closes up (and the other way round): so the feet never come nearer than their home spacing.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.robots import Limits, Walk
from gangart.signals import Array, Command

LEFT, RIGHT = 0, 1


def sign_of(foot: int) -> float:
    """+1 for the left foot, -1 for the right: the sign of its place beside the body."""
    return 1.0 if foot == LEFT else -1.0


def moved(pose: Array, x: float, y: float, yaw: float = 0.0) -> Array:
    """A plane pose (x, y [m], yaw [rad]) moved in its own frame."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return np.array([pose[0] + c * x - s * y, pose[1] + s * x + c * y, pose[2] + yaw])


def along_arc(pose: Array, x: float, y: float, yaw: float) -> Array:
    """A plane pose after a motion of constant twist whose integral is (x, y [m], yaw [rad]) (exponential of SE(2))."""
    half = yaw / 2.0
    stretch = math.sin(half) / half if abs(half) > 1e-9 else 1.0
    c, s = math.cos(half) * stretch, math.sin(half) * stretch
    return moved(pose, c * x - s * y, s * x + c * y, yaw)


def next_step(
    stance: Array, swing: int, command: Command, duration: float, walk: Walk, ahead: float = 0.0
) -> tuple[Array, bool]:
    """Where the swing foot lands, and whether the foot placement limits moved it.

    Args:
        stance: footprint of the standing foot, x, y [m], yaw [rad].
        swing: LEFT or RIGHT, the foot that steps.
        command: velocity of the body.
        duration: of a single step [s].
        walk: home spacing and limits of the robot.
        ahead: how far ahead of the feet's middle the body stands [m]: the point that moves as commanded.
    """
    side = sign_of(swing)
    body = moved(stance, ahead, side * walk.foot_spacing / 2.0)
    leads_sideways = side * command.vy > 0.0
    leads_turn = side * command.wz > 0.0
    body = along_arc(
        body,
        command.vx * duration,
        command.vy * duration * (2.0 if leads_sideways else 0.0),
        command.wz * duration * (2.0 if leads_turn else 0.0),
    )
    wanted = moved(body, -ahead, side * walk.foot_spacing / 2.0)
    return _placed(stance, side, wanted, walk)


def _placed(stance: Array, side: float, wanted: Array, walk: Walk) -> tuple[Array, bool]:
    """Keep a footprint within the limits seen from the standing foot."""
    limits = walk.limits
    c, s = math.cos(stance[2]), math.sin(stance[2])
    dx, dy = wanted[0] - stance[0], wanted[1] - stance[1]
    forward, left = c * dx + s * dy, -s * dx + c * dy
    outward = side * left - walk.foot_spacing
    turn = side * (wanted[2] - stance[2])
    x = min(max(forward, -limits.step_backward), limits.step_forward)
    y = min(max(outward, -limits.step_inward), limits.step_outward)
    yaw = min(max(turn, -limits.step_turn_inward), limits.step_turn_outward)
    if abs(x - forward) + abs(y - outward) + abs(yaw - turn) < 1e-9:
        return wanted, False
    return moved(stance, x, side * (y + walk.foot_spacing), side * yaw), True


def limit_command(command: Command, limits: Limits) -> tuple[Command, tuple[str, ...]]:
    """The nearest command of the same direction that the robot may be asked for, and a sentence for each limit it met.

    Each component has its own limit; together they share one budget (an ellipsoid), since legs that already stride
    far forward cannot at the same time reach far to the side.
    """
    parts = {
        "forward": (command.vx, limits.forward if command.vx >= 0 else limits.backward, "m/s"),
        "sideways": (command.vy, limits.sideways, "m/s"),
        "turn": (command.wz, limits.turn, "rad/s"),
    }
    load = 0.0
    notes: list[str] = []
    for name, (value, limit, unit) in parts.items():
        if abs(value) > limit * (1.0 + 1e-9):
            notes.append(f"{name} {value:+.3g} {unit} is beyond the limit of {limit:g} {unit}")
        load += (value / limit) ** 2 if limit > 0.0 else (math.inf if value else 0.0)
    if load <= 1.0 + 1e-9:
        return command, ()
    scale = 1.0 / math.sqrt(load)
    limited = Command(command.vx * scale, command.vy * scale, command.wz * scale)
    if not notes:
        notes.append("forward, sideways and turn together exceed what the legs can share")
    notes.append(f"walking at vx {limited.vx:.3g} m/s, vy {limited.vy:.3g} m/s, wz {limited.wz:.3g} rad/s instead")
    return limited, tuple(notes)


def accelerate(now: Command, wanted: Command, duration: float, limits: Limits) -> Command:
    """The velocity of the next step: as near to the wanted one as the acceleration limits allow in `duration` [s]."""

    def towards(value: float, target: float, acceleration: float) -> float:
        change = acceleration * duration
        return value + min(max(target - value, -change), change)

    return Command(
        towards(now.vx, wanted.vx, limits.forward_acceleration),
        towards(now.vy, wanted.vy, limits.sideways_acceleration),
        towards(now.wz, wanted.wz, limits.turn_acceleration),
    )
