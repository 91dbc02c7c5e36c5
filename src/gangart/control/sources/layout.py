"""What a device's axes and buttons mean, as data."""

from __future__ import annotations

from dataclasses import dataclass

from gangart.control.sources.scale import DRIVEN, within
from gangart.errors import BadValue, choose


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis that drives one part of the wish."""

    name: str  # as people call it, with the direction that counts as positive
    code: int  # of Linux' input events
    drives: str  # a name of `DRIVEN`
    sign: int  # +1, or -1 where the device counts the other way round
    low: int  # the raw values at both ends, where the device does not tell
    high: int
    dead: float = 0.1  # [1] share of the way that still is the middle
    body: bool | None = None  # only while the body button is held (True), is not held (False); always (None)

    def __post_init__(self) -> None:
        choose("part of a wish", self.drives, DRIVEN)
        if not 0.0 <= self.dead < 1.0 or self.low >= self.high or self.sign not in (-1, 1):
            raise BadValue(
                f"axis '{self.name}' goes from {self.low} to {self.high}, sign {self.sign}, dead zone {self.dead:g}; "
                "the ends have to ascend, the sign has to be 1 or -1, and the dead zone has to lie in 0…1"
            )

    def share(self, raw: float, low: int | None = None, high: int | None = None) -> float:
        """How far it is pushed, −1…1 and 0 inside the dead zone, from where it rises steadily."""
        low, high = (self.low, self.high) if low is None or high is None or low >= high else (low, high)
        way = within((2.0 * raw - high - low) / (high - low))
        beyond = max(0.0, abs(way) - self.dead) / (1.0 - self.dead)
        return self.sign * (beyond if way > 0.0 else -beyond)


@dataclass(frozen=True, slots=True)
class Button:
    """One button and what it does."""

    name: str  # as people call it
    code: int  # of Linux' input events
    does: str  # "body" while held, "next" gait, "quit", or the number of a gait, from "1" on

    def __post_init__(self) -> None:
        if not (self.does.isdecimal() and int(self.does) > 0):
            choose("meaning of a button", self.does, MEANINGS)


MEANINGS = {
    "body": "while held, the sticks move the body and the robot stands still",
    "next": "select the next gait",
    "quit": "end the drive",
}

MOTIONS = {  # positive, and what it is called
    "vx": "walk ahead",
    "vy": "walk to the left",
    "wz": "turn left",
    "x": "body forward",
    "y": "body to the left",
    "z": "body up",
    "roll": "body rolls to the right",
    "pitch": "nose down",
    "yaw": "body yaws to the left",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of device."""

    name: str
    axes: tuple[Axis, ...]
    buttons: tuple[Button, ...]
    silence: float  # [s] after which a deflected stick without any news counts as left alone
    release: float = 0.0  # [s] after which an axis that only tells while it is moved (EV_REL) counts as released

    def button(self, does: str) -> int | None:
        """The code of the button with a meaning, if there is one."""
        return next((b.code for b in self.buttons if b.does == does), None)

    def table(self) -> list[tuple[str, str]]:
        """Axes and buttons as people call them, and what they do."""
        rows = [(_held(axis, self) + axis.name, MOTIONS[axis.drives]) for axis in self.axes]
        return rows + [(b.name, MEANINGS.get(b.does, f"select gait {b.does}")) for b in self.buttons]


def _held(axis: Axis, layout: Layout) -> str:
    if not axis.body:
        return ""
    return next(f"{b.name} + " for b in layout.buttons if b.does == "body")
