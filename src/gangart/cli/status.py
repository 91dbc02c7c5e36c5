"""One line on standard error that says, while a robot is driven, what is wanted and what it does."""

from __future__ import annotations

import math
import shutil
import sys
import time as wall
from collections import deque
from typing import TYPE_CHECKING

from gangart.cli import output

if TYPE_CHECKING:
    from gangart.signals import Wish
    from gangart.simulation import World

_EVERY = 0.1  # [s] by the wall clock
_BEGIN = "\r\x1b[2K"  # to the first column, and the line is empty


class Status:
    """The line, and sentences in between.

    Args:
        hidden: sentences only.
        period: [s] over which the speed is averaged: a double step, in which the sway is nothing.
    """

    def __init__(self, hidden: bool, period: float = 1.0) -> None:
        self._hidden = hidden
        self._shown = -math.inf  # [s] by the wall clock
        self._period = period
        self._poses: deque[tuple[float, float, float, float]] = deque()  # [s], [m], [m], [rad]

    def __enter__(self) -> Status:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def say(self, sentence: str) -> None:
        """A sentence on a line of its own."""
        self.clear()
        output.warn(sentence)

    def clear(self) -> None:
        """Take the line away."""
        self._write("")

    def show(self, wish: Wish, world: World, pace: float) -> None:
        """What is wanted, what the robot does, and how fast its time goes (1 is real time)."""
        if self._hidden:
            return
        self._poses.append((world.time, *_place(world)))
        while world.time - self._poses[0][0] > self._period + 0.01:
            self._poses.popleft()
        if wall.monotonic() - self._shown >= _EVERY:
            self._shown = wall.monotonic()
            self._write(line(world.time, wish, speed(list(self._poses)), pace))

    def _write(self, text: str) -> None:
        if not self._hidden:
            sys.stderr.write(_BEGIN + text[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()


def _place(world: World) -> tuple[float, float, float]:
    """Where the base is: x, y [m], yaw [rad]."""
    x, y, _, qw, qx, qy, qz = world.instant().states[0, world.base : world.base + 7].tolist()
    return x, y, math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))


def speed(poses: list[tuple[float, float, float, float]]) -> tuple[float, float, float]:
    """Mean velocity [m/s, m/s, rad/s] over time and place, in the frame half-way between the first and the last."""
    (t0, x0, y0, yaw0), (t1, x1, y1, yaw1) = poses[0], poses[-1]
    if t1 <= t0:
        return 0.0, 0.0, 0.0
    turn = math.remainder(yaw1 - yaw0, math.tau)
    c, s = math.cos(yaw0 + turn / 2.0), math.sin(yaw0 + turn / 2.0)
    dx, dy = (x1 - x0) / (t1 - t0), (y1 - y0) / (t1 - t0)
    return c * dx + s * dy, c * dy - s * dx, turn / (t1 - t0)


def line(time: float, wish: Wish, does: tuple[float, float, float], pace: float) -> str:
    """Wanted and done, in millimetres and degrees."""
    v = wish.velocity
    parts = [f"{time:6.1f} s", f"{pace:.2f} × real time"]  # first: a narrow terminal cuts the rest
    for name, wanted, done in (("ahead", v.vx, does[0]), ("aside", v.vy, does[1])):
        parts.append(f"{name} {round(wanted * 1e3):+4d} → {round(done * 1e3):+4d} mm/s")
    parts.append(f"turn {round(math.degrees(v.wz)):+3d} → {round(math.degrees(does[2])):+3d} °/s")
    parts += [wish.gait] if wish.gait is not None else []
    return "   ".join(parts)
