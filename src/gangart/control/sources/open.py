"""From what a user writes behind `--source` to the source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gangart.control.sources.device import InputDevice
from gangart.control.sources.evdev import open_events
from gangart.control.sources.find import described, find, layout_of
from gangart.control.sources.keyboard import Keyboard, table
from gangart.control.sources.network import Network
from gangart.control.sources.scale import Scale
from gangart.control.sources.script import load_script
from gangart.control.sources.source import Say, Source, to_log
from gangart.errors import BadValue, choose

_Made = Callable[[str, Scale, Sequence[str], Say], Source]


def open_source(spec: str, scale: Scale, gaits: Sequence[str] = (), say: Say = to_log) -> Source:
    """A command source by its name and, behind a colon, what belongs to it.

    Args:
        spec: "keyboard"; "gamepad" or "spacemouse" for the first one that is connected, with ":PATH" behind it for a
            certain device, a pipe or a recording; "socket:PORT" or "socket:HOST:PORT"; "script:PATH".
        scale: what a stick or a key that is pushed all the way stands for.
        gaits: that can be selected, in the order of their buttons.
        say: takes sentences for the one who steers.
    """
    kind, _, rest = spec.partition(":")
    return SOURCES[choose("command source", kind, SOURCES)](rest, scale, gaits, say)


def help_of(spec: str) -> list[tuple[str, str]]:
    """The keys, or the axes and buttons, of a source and what they do; none for a socket or a script."""
    kind = spec.partition(":")[0]
    if kind in ("gamepad", "spacemouse"):
        return layout_of(kind, None).table()
    return table() if kind == "keyboard" else []


def _keyboard(rest: str, scale: Scale, gaits: Sequence[str], say: Say) -> Source:
    if rest:
        raise BadValue(f"'keyboard:{rest}' is one word too many; the keyboard is that of this terminal: 'keyboard'")
    return Keyboard(scale, gaits, say)


def _device(kind: str) -> _Made:
    def made(rest: str, scale: Scale, gaits: Sequence[str], say: Say) -> Source:
        device = described(Path(rest)) if rest else find(kind)
        path = Path(rest) if device is None else device.path
        return InputDevice(open_events(path, say), layout_of(kind, device), scale, gaits, say)

    return made


def _network(rest: str, scale: Scale, gaits: Sequence[str], say: Say) -> Source:
    host, _, port = rest.rpartition(":")
    if not (port.isascii() and port.isdecimal() and len(port) < 6):
        raise BadValue(f"'socket:{rest}' names no port; write for instance 'socket:9870', or 'socket:0.0.0.0:9870'")
    return Network(int(port), host.strip("[]") or "127.0.0.1", gaits, say)


def _script(rest: str, scale: Scale, gaits: Sequence[str], say: Say) -> Source:
    if not rest:
        raise BadValue("'script' names no file; write for instance 'script:tour.toml'")
    return load_script(Path(rest), gaits)


SOURCES: dict[str, _Made] = {
    "keyboard": _keyboard,
    "gamepad": _device("gamepad"),
    "spacemouse": _device("spacemouse"),
    "socket": _network,
    "script": _script,
}
