"""The keyboard of a terminal, also through ssh: the robot walks as long as a key is held.

A terminal tells of keys that are pressed and of their repetition, not of keys that are let go: a key counts as held
until its repetition fails to come. So one key is one direction, and letting go of it is the dead man's switch.
"""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Mapping, Sequence

from gangart.control.sources.device import gait_of
from gangart.control.sources.layout import MOTIONS
from gangart.control.sources.scale import BODY, Scale, within
from gangart.control.sources.source import Say, Source, to_log
from gangart.errors import MissingTool
from gangart.signals import Command, Wish

FIRST = 0.75  # [s] from a key to its repetition, at the most: X waits for 0.66 s, the console for 0.25 s
REPEAT = 0.3  # [s] between two repetitions, at the most: 0.03 to 0.1 s, and what a network adds

WALK: Mapping[str, Mapping[str, float]] = {
    "w": {"vx": 1.0},
    "s": {"vx": -1.0},
    "a": {"wz": 1.0},
    "d": {"wz": -1.0},
    "q": {"vx": 1.0, "wz": 1.0},
    "e": {"vx": 1.0, "wz": -1.0},
    "j": {"vy": 1.0},
    "l": {"vy": -1.0},
    "up": {"vx": 1.0},
    "down": {"vx": -1.0},
    "left": {"wz": 1.0},
    "right": {"wz": -1.0},
}
POSE: Mapping[str, tuple[str, int]] = {  # each stroke moves the body by a tenth of its way, and there it stays
    "r": ("z", 1), "f": ("z", -1), "t": ("x", 1), "g": ("x", -1), "c": ("y", 1), "v": ("y", -1),
    "i": ("pitch", 1), "k": ("pitch", -1), "o": ("roll", 1), "u": ("roll", -1), "n": ("yaw", 1), "m": ("yaw", -1),
}  # fmt: skip
OTHERS: Mapping[str, str] = {
    "space": "stop at once, as does Esc or any key without a meaning",
    "+": "walk faster, by a tenth of the limits",
    "-": "walk more slowly",
    "0": "body back to its normal pose",
    "1": "select the first gait, and so on to 9",
    "x": "end the drive",
}
_STEP = 0.1  # [1] of the way
_START = 0.5  # [1] of the limits, until + or - is pressed
_OPPOSITE = {
    "vx": "walk backward",
    "vy": "walk to the right",
    "wz": "turn right",
    "x": "body backward",
    "y": "body to the right",
    "z": "body down",
    "roll": "body rolls to the left",
    "pitch": "nose up",
    "yaw": "body yaws to the right",
}
_KEY = re.compile(rb"[^\x1b]|\x1b(?:\[[ -?]*[^ -?\x1b]|O[^\x1b]|[^\[O\x1b]|(?:\[[ -?]*|O)?(?=\x1b))")
_LONGEST = 16  # [bytes] of the sequence of a key
_ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
_MOST = 4096  # [bytes] of one look
_Mode = list[int | list[bytes | int]]  # of a terminal


class Keyboard(Source):
    """The keys of a terminal.

    Args:
        scale: what all the way stands for.
        gaits: names, in the order of the digits that select them.
        say: takes a sentence, for instance that the terminal is gone.
        terminal: its file number; standard input.
    """

    def __init__(
        self, scale: Scale, gaits: Sequence[str] = (), say: Say = to_log, *, terminal: int | None = None
    ) -> None:
        self._file = sys.stdin.fileno() if terminal is None else terminal
        if not os.isatty(self._file):
            raise MissingTool("the source 'keyboard' needs a terminal, and standard input is none; take another source")
        self._scale, self._gaits, self._say = scale, tuple(gaits), say
        self._before: _Mode | None = _raw(self._file)
        self._rest = b""
        self._key, self._until = "", 0.0  # the walk key that is held, and until when [s]
        self._speed = _START
        self._body = dict.fromkeys(BODY, 0.0)
        self._gait: str | None = None
        self._quit = self._lost = False

    def read(self, time: float) -> Wish:
        """What the keys want now [s]."""
        for key in self._keys():
            self._press(key, time)
        if time > self._until or self._lost or self._rest:  # the last: Esc, or half a key
            self._key = ""
        shares = {name: share * self._speed for name, share in WALK.get(self._key, {}).items()}
        velocity = self._scale.velocity(shares) if shares else Command()
        return Wish(velocity, self._scale.pose(self._body), self._gait, self._quit)

    def close(self) -> None:
        """Give the terminal back as it was."""
        import termios

        before, self._before = self._before, None
        if before is not None:
            try:
                termios.tcsetattr(self._file, termios.TCSADRAIN, before)
            except termios.error:  # it is gone
                self._lost = True

    def _press(self, key: str, time: float) -> None:
        if key in WALK:
            patience = REPEAT if key == self._key else FIRST
            self._until = max(self._until if key == self._key else 0.0, time + patience)
            self._key = key
        elif key in POSE:
            name, sign = POSE[key]
            self._body[name] = within(round(self._body[name] + sign * _STEP, 6))
        elif key in "+-":
            self._speed = min(max(round(self._speed + (_STEP if key == "+" else -_STEP), 6), _STEP), 1.0)
        elif key == "0":
            self._body = dict.fromkeys(BODY, 0.0)
        elif key in "123456789":
            self._gait = gait_of(int(key), self._gaits, self._say) or self._gait
        else:
            self._key = ""  # whatever it is, somebody wanted something else
            self._quit = self._quit or key in ("x", "\x04")  # Ctrl-D, as everywhere

    def _keys(self) -> list[str]:
        """The names of the keys since the last look."""
        data = self._rest + self._bytes()
        found, at = [], 0
        for match in _KEY.finditer(data):
            if match.start() != at:
                break
            at = match.end()
            found.append(_name(match[0]))
        self._rest = data[at:] if len(data) - at < _LONGEST else b""  # a sequence of which the end is to come
        return found

    def _bytes(self) -> bytes:
        if self._lost or self._before is None or not select.select([self._file], [], [], 0.0)[0]:
            return b""
        try:
            data = os.read(self._file, _MOST)
        except OSError:
            data = b""
        if not data:
            self._lost = True
            self._say("the terminal is gone: the robot is to stand still")
        return data


def _name(key: bytes) -> str:
    """As the tables call it."""
    if key.startswith(b"\x1b"):
        return _ARROWS.get(key[2:], "unknown")
    text = key.decode("ascii", errors="replace").lower()
    return "space" if text == " " else text


def _raw(terminal: int) -> _Mode:
    """Let keys through one by one and unseen; Ctrl-C works as before, Ctrl-Z would leave a robot that nobody steers."""
    import termios

    before = termios.tcgetattr(terminal)
    mode = termios.tcgetattr(terminal)
    mode[3] &= ~(termios.ICANON | termios.ECHO)
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    mode[6][termios.VSUSP] = os.fpathconf(terminal, "PC_VDISABLE").to_bytes(1, "little")
    termios.tcsetattr(terminal, termios.TCSADRAIN, mode)
    return before


def table() -> list[tuple[str, str]]:
    """The keys and what they do."""
    rows: dict[str, list[str]] = {}
    for key, shares in WALK.items():
        does = " and ".join(MOTIONS[name] if share > 0.0 else _OPPOSITE[name] for name, share in shares.items())
        rows.setdefault(does, []).append(key)
    found = [(", ".join(keys), does) for does, keys in rows.items()]
    found += [(key, MOTIONS[name] if sign > 0 else _OPPOSITE[name]) for key, (name, sign) in POSE.items()]
    return found + list(OTHERS.items())
