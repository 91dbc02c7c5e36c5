"""From a velocity to the next footstep.

A double step moves the body by a constant twist. A step to the left or a turn to the left is made by the
left foot, twice as wide, and the right foot closes up (and the other way round): so the feet need not pass nearer to
each other than their home spacing.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.robots import Limits, Walk
from gangart.signals import Array, Command

LEFT, RIGHT = 0, 1
_ROUNDING = 1e-9  # [m], [rad] or of a limit: what is nearer to a limit than this does not break it


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
) -> tuple[Array, tuple[str, ...]]:
    """Where the swing foot lands, and which of the foot placement limits moved it ("forward", "inward" ...).

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
    # the foot that closes up goes straight on: its way is seen from a foot that has the whole turn already, while the
    # torso, between both, has half of it
    body = along_arc(
        body,
        command.vx * duration,
        command.vy * duration * (2.0 if leads_sideways else 0.0),
        command.wz * duration * (2.0 if leads_turn else 0.0),
    )
    wanted = moved(body, -ahead, side * walk.foot_spacing / 2.0)
    return _placed(stance, side, wanted, walk)


def _placed(stance: Array, side: float, wanted: Array, walk: Walk) -> tuple[Array, tuple[str, ...]]:
    """Keep a footprint within the limits seen from the standing foot."""
    limits = walk.limits
    c, s = math.cos(stance[2]), math.sin(stance[2])
    dx, dy = wanted[0] - stance[0], wanted[1] - stance[1]
    outward = side * (c * dy - s * dx) - walk.foot_spacing
    met: list[str] = []

    def within(value: float, least: float, most: float, too_low: str, too_high: str) -> float:
        if value < -least - _ROUNDING or value > most + _ROUNDING:
            met.append(too_low if value < 0.0 else too_high)
        return min(max(value, -least), most)

    x = within(c * dx + s * dy, limits.step_backward, limits.step_forward, "backward", "forward")
    y = within(outward, limits.step_inward, limits.step_outward, "inward", "outward")
    turn = side * (wanted[2] - stance[2])
    yaw = within(turn, limits.step_turn_inward, limits.step_turn_outward, "turn inward", "turn outward")
    if not met:
        return wanted, ()
    return moved(stance, x, side * (y + walk.foot_spacing), side * yaw), tuple(met)


def limit_command(command: Command, limits: Limits) -> tuple[Command, tuple[str, ...]]:
    """The nearest command of the same direction that the robot may be asked for, and a sentence for each limit it met.

    Each component has its own limit; together they share one budget (an ellipsoid), since legs that already stride
    far forward cannot at the same time reach far to the side. A component that the robot lacks (limit 0) is left out.
    """
    most = {
        "vx": ("forward", limits.forward) if command.vx >= 0.0 else ("backward", limits.backward),
        "vy": ("sideways", limits.sideways),
        "wz": ("turn", limits.turn),
    }
    values: dict[str, float] = {}
    notes: list[str] = []
    for key, (name, limit) in most.items():
        value = float(getattr(command, key))
        if abs(value) > limit * (1.0 + _ROUNDING):
            unit = "rad/s" if key == "wz" else "m/s"
            notes.append(f"{name} {value:+.3g} {unit} is beyond the limit of {limit:g} {unit}")
        values[key] = value if limit > 0.0 else 0.0
    load = math.hypot(*(values[key] / limit for key, (_, limit) in most.items() if limit > 0.0))
    if load <= 1.0 + _ROUNDING and not notes:
        return command, ()
    scale = 1.0 / max(load, 1.0)
    limited = Command(scale * values["vx"], scale * values["vy"], scale * values["wz"])
    if not notes:
        notes.append("forward, sideways and turn together exceed what the legs can share")
    notes.append(f"walking at vx {limited.vx:.3g} m/s, vy {limited.vy:.3g} m/s, wz {limited.wz:.3g} rad/s instead")
    return limited, tuple(notes)


def accelerate(now: Command, wanted: Command, duration: float, limits: Limits) -> Command:
    """The velocity of the next step: as far towards the wanted one as the acceleration limits allow in `duration` [s].

    All components change in step, so that every velocity on the way is inside the limits if both ends are.
    """
    change = {
        "vx": (wanted.vx - now.vx, limits.forward_acceleration),
        "vy": (wanted.vy - now.vy, limits.sideways_acceleration),
        "wz": (wanted.wz - now.wz, limits.turn_acceleration),
    }
    share = max(abs(by) / (acceleration * duration) for by, acceleration in change.values())
    if share <= 1.0:
        return wanted
    return Command(*(getattr(now, key) + by / share for key, (by, _) in change.items()))
