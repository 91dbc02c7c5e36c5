"""Write a recording while it happens, block by block, or all at once."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gangart.errors import BadRecording, BadValue, MissingFile
from gangart.recordings.columns import Columns, Layout
from gangart.recordings.container import (
    CHUNK,
    FOOTER,
    LIBRARY,
    MAGIC,
    NAME,
    SUMMARY_END,
    Op,
    mapping,
    metadata,
    record,
    text,
    zstd,
)
from gangart.recordings.rows import RowFormat
from gangart.recordings.topics import STORE
from gangart.signals import Array, Bools, Recording

_CHUNK_BYTES = 2**20  # uncompressed; what a viewer has to unpack to jump to an instant
_LEVEL = 1  # of zstd: the rows are mostly constants, more effort gains little


@dataclass(frozen=True)
class _Written:
    """What is safely in the file; replaced as a whole, so that an interruption leaves the old or the new one."""

    size: int = 0  # [bytes]
    crc: int = 0  # CRC-32 of these bytes
    rows: int = 0
    start: int = 2**63  # [ns] first time
    end: int = 0  # [ns] last time
    chunks: tuple[bytes, ...] = ()  # their index records


class RecordingWriter:
    """A recording in the making: `append` blocks of rows; each is in the file, readable, when the call returns.

    Use it as a context manager. `info` may be changed until the end. If the process is killed, `load` finds all rows
    that were appended; if the `with` block is left by an exception, the file is finished and
    `info["interrupted"]` names the exception.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        robot: str,
        joints: Sequence[str],
        legs: Sequence[str],
        n_force_sensors: int,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = Path(path)
        self.info = dict(info or {})
        self._layout = Layout(robot, tuple(joints), tuple(legs), n_force_sensors)
        self._format = RowFormat(self._layout)
        self._rows = self._format.blank(max(1, _CHUNK_BYTES // self._format.dtype.itemsize))
        self._about = metadata(self._layout, self.info)
        self._written = _Written()
        try:
            self._file = self.path.open("wb", buffering=0)
        except FileNotFoundError as error:
            raise MissingFile(f"folder {self.path.parent} does not exist; make it before recording into it") from error
        except OSError as error:
            raise BadRecording(f"{self.path} cannot be written: {error.strerror}") from error
        start = MAGIC + record(Op.HEADER, text("ros2"), text(LIBRARY))
        self._about_at = [(len(start), len(self._about))]
        self._put(start + self._about + b"".join(self._schemas() + self._channels()))

    def append(self, columns: Mapping[str, Array | Bools]) -> None:
        """Add rows, and hand them to the operating system: all columns of a Recording, by name, e.g. of one second."""
        if self._file.closed:
            raise BadValue(f"{self.path} is finished; append before close()")
        block = self._layout.checked(columns)
        for first in range(0, len(block["time"]), len(self._rows)):
            self._append_chunk({name: c[first : first + len(self._rows)] for name, c in block.items()})

    def close(self) -> None:
        """Finish the file with its index and the last state of `info`; nothing can be appended any more."""
        if self._file.closed:
            return
        try:
            about = metadata(self._layout, self.info)
            if about != self._about:
                place = self._written.size, len(about)
                self._put(about)
                self._about_at.append(place)
        finally:  # even if info cannot be written, the rows shall be
            with self._file:
                self._put(record(Op.DATA_END, struct.pack("<I", self._written.crc)))
                self._put(self._summary())
                self._file.truncate()  # what a failed write may have left behind

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.info["interrupted"] = kind.__name__
        self.close()

    def _append_chunk(self, columns: Columns) -> None:
        rows = self._rows[: len(columns["time"])]
        time = self._format.pack(columns, rows)
        raw = rows.view(np.uint8).data
        packed = zstd.compress(raw, level=_LEVEL)
        start, end = int(time.min()), int(time.max())
        sizes = (len(raw), crc32(raw), 4, b"zstd", len(packed))
        chunk = record(Op.CHUNK, CHUNK.pack(start, end, *sizes), packed)
        at = self._written.size
        indices = self._message_indices(time)
        ids = np.arange(1, len(indices) + 1)
        offsets = at + len(chunk) + len(indices[0]) * (ids - 1)
        index = record(
            Op.CHUNK_INDEX,
            struct.pack("<QQQQ", start, end, at, len(chunk)),
            text(_pairs(ids, offsets, "<u2").tobytes()),
            struct.pack("<Q", sum(map(len, indices))),
            text("zstd"),
            struct.pack("<QQ", len(packed), len(raw)),
        )
        old = self._written
        new = _Written(0, 0, old.rows + len(rows), min(old.start, start), max(old.end, end), (*old.chunks, index))
        self._put(b"".join((chunk, *indices)), new)

    def _message_indices(self, time: NDArray[np.uint64]) -> list[bytes]:
        row_starts = np.arange(len(time)) * self._format.dtype.itemsize
        return [
            record(Op.MESSAGE_INDEX, struct.pack("<H", channel), text(_pairs(time, row_starts + at, "<u8").tobytes()))
            for channel, at in enumerate(self._format.starts, start=1)
        ]

    def _schemas(self) -> list[bytes]:
        return [
            record(
                Op.SCHEMA,
                struct.pack("<H", number),
                text(kind),
                text("ros2msg"),
                text(STORE.generate_msgdef(kind, ros_version=2)[0]),
            )
            for number, kind in enumerate(self._types(), start=1)
        ]

    def _channels(self) -> list[bytes]:
        types, settings = self._types(), mapping({"offered_qos_profiles": "[]"})
        return [
            record(
                Op.CHANNEL,
                struct.pack("<HH", number, 1 + types.index(topic.type)),
                text(topic.name),
                text("cdr"),
                settings,
            )
            for number, topic in enumerate(self._format.topics, start=1)
        ]

    def _types(self) -> list[str]:
        return sorted({topic.type for topic in self._format.topics})

    def _summary(self) -> bytes:
        done, channels = self._written, len(self._format.topics)
        statistics = record(
            Op.STATISTICS,
            struct.pack("<QHIIII", done.rows * channels, len(self._types()), channels, 0, len(self._about_at),
                        len(done.chunks)),
            struct.pack("<QQ", done.start if done.rows else 0, done.end),
            text(b"".join(struct.pack("<HQ", c, done.rows) for c in range(1, channels + 1))),
        )  # fmt: skip
        abouts = [record(Op.METADATA_INDEX, struct.pack("<QQ", *place), text(NAME)) for place in self._about_at]
        records = b"".join((*self._schemas(), *self._channels(), *done.chunks, *abouts, statistics))
        footer = FOOTER.pack(Op.FOOTER, FOOTER.size - 9, done.size, 0, 0)[:SUMMARY_END]
        return records + footer + struct.pack("<I", crc32(records + footer)) + MAGIC

    def _put(self, data: bytes, then: _Written | None = None) -> None:
        """Write behind what is safely there, so that a write that failed half way cannot hide the later ones."""
        try:
            self._file.seek(self._written.size)
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise BadRecording(f"{self.path} cannot be written: {error.strerror}") from error
        size, crc = self._written.size + len(data), crc32(data, self._written.crc)
        self._written = replace(then or self._written, size=size, crc=crc)


def save(recording: Recording, path: str | Path) -> None:
    """Write a recording into one MCAP file; a file that was there is replaced only when the new one is complete."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        with RecordingWriter(
            part,
            robot=recording.robot,
            joints=recording.joints,
            legs=recording.legs,
            n_force_sensors=recording.foot_force.shape[-1],
            info=recording.info,
        ) as writer:
            writer.append(recording.columns())
        try:
            part.replace(path)
        except OSError as error:
            raise BadRecording(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def _pairs(keys: NDArray[Any], values: NDArray[Any], key: str) -> NDArray[np.void]:
    pairs = np.empty(len(keys), np.dtype([("key", key), ("value", "<u8")]))
    pairs["key"], pairs["value"] = keys, values
    return pairs
