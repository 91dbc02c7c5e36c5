"""Linux' input events, as they come from a device, through a pipe, or out of a file that recorded them.

An event is a `struct input_event` (linux/input.h): what `cat /dev/input/eventN > pad.events` writes is a recording.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from struct import Struct, calcsize, error
from typing import NamedTuple, Protocol

from gangart.control.sources.source import Say
from gangart.errors import BadRecording, MissingFile, MissingTool

EV_SYN, EV_KEY, EV_REL, EV_ABS = 0, 1, 2, 3
SYN_REPORT, SYN_DROPPED = 0, 3
_MOST_KINDS = 0x1F  # EV_MAX
EVENT = Struct("@llHHi")  # seconds, microseconds, type, code, value
_ABSINFO = Struct("@6i")  # value, minimum, maximum, fuzz, flat, resolution
_KEYS = 96  # [bytes] of the bits of all keys (KEY_MAX / 8)
_AT_ONCE = 64  # events of one read
_MOST_READS = 64  # of one look: a device that floods cannot hold up the robot
_LONGEST = 64 * 2**20  # [bytes] of a recording: two days of a hand on a stick
PERMISSION = "add yourself to the group that may: sudo usermod -aG input $USER, and log in again"


class Event(NamedTuple):
    """One change of one axis or button."""

    time: float  # [s] by the clock of whoever reads
    kind: int
    code: int
    value: int


class Events(Protocol):
    """A stream of events; `over` tells why there will be no more."""

    live: bool
    over: str | None

    def read(self, time: float) -> list[Event]:
        """All that have happened until a time [s] since the last look."""

    def ranges(self, codes: set[int]) -> dict[int, tuple[int, int]]:
        """Lowest and highest value of axes, where the device tells them."""

    def state(self, time: float, axes: set[int]) -> list[Event]:
        """Where axes and buttons are now, where the device tells it."""

    def close(self) -> None:
        """No more events are wanted."""


class Recorded:
    """Events out of a file, at the times at which they happened after the first of them."""

    live = False

    def __init__(self, path: Path, say: Say) -> None:
        size = path.stat().st_size
        if size > _LONGEST:
            raise BadRecording(f"{path} has {size} bytes; a recording of a device may have {_LONGEST} at the most")
        self._data, self._at, self._now, self._path = path.read_bytes(), 0, 0.0, path
        self._end = len(self._data) - len(self._data) % EVENT.size
        if not self._end:
            raise BadRecording(f"{path} holds no input event of {EVENT.size} bytes; cat /dev/input/eventN records some")
        if self._end < len(self._data):
            say(f"{path} is cut off: its last {len(self._data) - self._end} bytes are no whole event")
        for at in range(0, self._end, EVENT.size):
            _, micro, kind, _, _ = EVENT.unpack_from(self._data, at)
            if kind > _MOST_KINDS or not 0 <= micro < 1_000_000:
                raise BadRecording(f"{path} is no recording of input events: there is none at byte {at}")
        self._start = self._seconds(0)
        self.over: str | None = None

    def _seconds(self, at: int) -> float:
        seconds, micro, *_ = EVENT.unpack_from(self._data, at)
        return float(seconds + micro * 1e-6)

    def read(self, time: float) -> list[Event]:
        """All that have happened until a time [s]."""
        found: list[Event] = []
        while self._at < self._end:
            happened = max(self._now, self._seconds(self._at) - self._start)  # clocks that are set back stand still
            if happened > time:
                return found
            _, _, kind, code, value = EVENT.unpack_from(self._data, self._at)
            found.append(Event(happened, kind, code, value))
            self._now, self._at = happened, self._at + EVENT.size
        if self.over is None:
            self.over = f"{self._path} ends after {self._now:.1f} s"
        return found

    def ranges(self, codes: set[int]) -> dict[int, tuple[int, int]]:
        """A recording does not hold them."""
        return {}

    def state(self, time: float, axes: set[int]) -> list[Event]:
        """A recording does not hold it."""
        return []

    def close(self) -> None:
        """Nothing is open."""


class Live:
    """Events from a device, or through a pipe; they count as happening when they are read."""

    live = True

    def __init__(self, path: Path) -> None:
        self._file, self._path = _opened(path), path
        self._rest = b""
        self._heard = False
        self.over: str | None = None

    def read(self, time: float) -> list[Event]:
        """All since the last look."""
        data = self._rest + b"".join(self._chunks())
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        return [Event(time, *fields[2:]) for fields in EVENT.iter_unpack(data[:whole])]

    def _chunks(self) -> list[bytes]:
        chunks: list[bytes] = []
        while self.over is None and len(chunks) < _MOST_READS:
            try:
                chunk = os.read(self._file, _AT_ONCE * EVENT.size)
            except BlockingIOError:
                break
            except OSError as failure:
                gone = failure.errno in (errno.ENODEV, errno.EIO)
                self.over = f"{self._path} {'is unplugged' if gone else f'cannot be read: {failure.strerror}'}"
                break
            if not chunk:  # a pipe: nobody writes into it any more, or yet
                self.over = f"{self._path} was closed at its other end" if self._heard else None
                break
            self._heard = True
            chunks.append(chunk)
        return chunks

    def ranges(self, codes: set[int]) -> dict[int, tuple[int, int]]:
        """By EVIOCGABS; a pipe does not know."""
        found = {code: self._absinfo(code) for code in codes}
        return {code: (info[1], info[2]) for code, info in found.items() if info is not None}

    def state(self, time: float, axes: set[int]) -> list[Event]:
        """By EVIOCGABS and EVIOCGKEY; a pipe does not know."""
        found = {code: self._absinfo(code) for code in sorted(axes)}
        events = [Event(time, EV_ABS, code, info[0]) for code, info in found.items() if info is not None]
        keys = self._ask(0x18, _KEYS)
        if keys is None:
            return events
        held = int.from_bytes(keys, "little")
        return events + [Event(time, EV_KEY, code, held >> code & 1) for code in range(8 * _KEYS)]

    def _absinfo(self, code: int) -> tuple[int, ...] | None:
        answer = self._ask(0x40 + code, _ABSINFO.size)
        try:
            return None if answer is None else _ABSINFO.unpack(answer)
        except error:
            return None

    def _ask(self, number: int, size: int) -> bytes | None:
        """An ioctl of the input layer that reads `size` bytes: _IOR('E', number, size)."""
        import fcntl

        try:
            return fcntl.ioctl(self._file, 2 << 30 | size << 16 | ord("E") << 8 | number, bytes(size))
        except OSError:
            return None

    def close(self) -> None:
        """Let the device go."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self.over = self.over or f"{self._path} is closed"


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except PermissionError as failure:
        raise MissingTool(f"{path} may not be read by you; {PERMISSION}") from failure
    except OSError as failure:
        raise MissingTool(f"{path} cannot be opened: {failure.strerror}") from failure


def open_events(path: Path, say: Say) -> Events:
    """A device, a pipe, or a recording: what the path leads to decides."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise BadRecording(f"{path} is a folder; it has to be an input device, a pipe, or a recording of one")
        return Recorded(path, say) if stat.S_ISREG(mode) else Live(path)
    except FileNotFoundError as failure:
        raise MissingFile(f"'{path}' does not exist; give an input device or a recording of one") from failure
    except (OSError, ValueError) as failure:
        if isinstance(failure, (BadRecording, MissingTool)):
            raise
        raise BadRecording(f"'{path}' cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


LONG = 8 * calcsize("@l")  # [bits] of the kernel's words
