"""A device with axes and buttons as a command source."""

from __future__ import annotations

from collections.abc import Sequence

from gangart.control.sources.evdev import EV_ABS, EV_KEY, EV_REL, EV_SYN, SYN_DROPPED, SYN_REPORT, Event, Events
from gangart.control.sources.layout import Layout
from gangart.control.sources.scale import Scale, within
from gangart.control.sources.source import Say, Source, to_log
from gangart.signals import Command, Wish

_LONGEST = 256  # events of one report; a device has fewer axes and buttons
REST = 3.0  # [s] after the end of a recording in which the robot comes to stand


class InputDevice(Source):
    """A gamepad or a SpaceMouse, by its layout.

    Args:
        events: of the device.
        layout: what its axes and buttons mean.
        scale: what all the way stands for.
        gaits: names, in the order of the buttons that select them.
        say: takes a sentence, for instance that the device is lost.
    """

    def __init__(
        self, events: Events, layout: Layout, scale: Scale, gaits: Sequence[str] = (), say: Say = to_log
    ) -> None:
        self.live = events.live
        self._events, self._layout, self._scale, self._say = events, layout, scale, say
        self._gaits = tuple(gaits)
        self._codes = {axis.code for axis in layout.axes}
        self._ranges = events.ranges(self._codes)
        self._raw: dict[int, int] = {}  # an axis that has told nothing yet is at rest
        self._moved: dict[int, float] = {}  # [s] when a relative axis told something last
        self._pressed: set[int] = set()
        self._frame: list[Event] | None = []  # since the last report; None after events were lost
        self._heard = 0.0  # [s] the last event
        self._over: float | None = None  # [s] since when there are no more
        self._told = False  # that the device is silent
        self._gait: str | None = None
        self._quit = False

    def read(self, time: float) -> Wish:
        """What the sticks and buttons want now [s]."""
        for event in self._events.read(time):
            self._heard, self._told = event.time, False
            self._take(event)
        self._release(time)
        shares = self._shares()
        if self._stopped(time, any(shares.values())):
            shares = dict.fromkeys(shares, 0.0)
        moving = Command() if self._body() else self._scale.velocity(shares)
        return Wish(moving, self._scale.pose(shares), self._gait, self._quit)

    def close(self) -> None:
        """Let the device go."""
        self._events.close()

    def _take(self, event: Event) -> None:
        """Collect what belongs to one report of the device, and believe it when it is whole."""
        if (event.kind, event.code) == (EV_SYN, SYN_DROPPED):
            self._frame = None
        elif (event.kind, event.code) == (EV_SYN, SYN_REPORT):
            if self._frame is None:
                self._look_again(event.time)
            for change in self._frame or ():
                self._change(change)
            self._frame = []
        elif self._frame is not None:
            self._frame = [*self._frame, event] if len(self._frame) < _LONGEST else None

    def _look_again(self, time: float) -> None:
        """Events were lost: what the device does not tell now counts as released, and no button as newly pressed."""
        for known in (self._raw, self._moved, self._pressed):
            known.clear()
        for event in self._events.state(time, self._codes):
            if event.kind == EV_KEY and event.value:
                self._pressed.add(event.code)
            elif event.kind == EV_ABS:
                self._raw[event.code] = event.value

    def _change(self, event: Event) -> None:
        if event.kind in (EV_ABS, EV_REL) and event.code in self._codes:
            self._raw[event.code] = event.value
            if event.kind == EV_REL:
                self._moved[event.code] = event.time
        elif event.kind == EV_KEY and event.value == 0:
            self._pressed.discard(event.code)
        elif event.kind == EV_KEY and event.value == 1:
            self._pressed.add(event.code)
            self._press(event.code)

    def _press(self, code: int) -> None:
        does = next((button.does for button in self._layout.buttons if button.code == code), "")
        if does == "quit":
            self._quit = True
        elif does == "next" and self._gaits:
            after = self._gaits.index(self._gait) + 1 if self._gait in self._gaits else 0
            self._gait = self._gaits[after % len(self._gaits)]
        elif does.isdecimal():
            self._gait = gait_of(int(does), self._gaits, self._say) or self._gait

    def _release(self, time: float) -> None:
        """Relative axes leave out zeros: silence says that they are at rest again."""
        for code, moved in list(self._moved.items()):
            if time - moved > self._layout.release:
                del self._moved[code], self._raw[code]

    def _body(self) -> bool:
        return self._layout.button("body") in self._pressed

    def _shares(self) -> dict[str, float]:
        body = self._body()
        shares = dict.fromkeys((axis.drives for axis in self._layout.axes), 0.0)
        for axis in self._layout.axes:
            if axis.code in self._raw and axis.body in (None, body):
                share = axis.share(self._raw[axis.code], *self._ranges.get(axis.code, (None, None)))
                shares[axis.drives] = within(shares[axis.drives] + share)
        return shares

    def _stopped(self, time: float, deflected: bool) -> bool:
        """Whether the device is lost, or was left alone with a stick that is not at rest."""
        if self._events.over is not None:
            if self._over is None:
                self._over = time
                self._say(f"{self._events.over}: the robot is to stand still")
            if not self.live and time - self._over >= REST:
                self._quit = True
            return True
        silent = deflected and time - self._heard > self._layout.silence
        if silent and not self._told:
            self._told = True
            self._say(
                f"the {self._layout.name} has told nothing for {self._layout.silence:g} s with a stick pushed: "
                "the robot is to stand still until it moves again"
            )
        return silent


def gait_of(number: int, gaits: Sequence[str], say: Say) -> str | None:
    """The gait of a button, counted from 1; a sentence where there is none."""
    if number <= len(gaits):
        return gaits[number - 1]
    say(f"there is no gait {number}; " + (f"there are {len(gaits)}" if gaits else "this robot has nothing to select"))
    return None
