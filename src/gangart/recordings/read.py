"""Read a recording back, also one that was cut off in the middle."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from gangart.errors import BadRecording, MissingFile
from gangart.recordings.columns import Columns, Layout
from gangart.recordings.container import CHUNK, FOOTER, FORMAT, LIBRARY, MAGIC, NAME, SUMMARY_END, Op, texts, zstd
from gangart.recordings.rows import RowFormat, Rows
from gangart.signals import Recording

_OPS = frozenset(Op)
_DATA_END = 13  # bytes of the record that ends the data


def load(path: str | Path) -> Recording:
    """Read a recording; if the file was cut off, all rows that are complete, and `info["truncated"]` is true.

    Of a block that was torn while it was written, these are the rows that its compressed bytes still yield.
    Raises MissingFile, or BadRecording if the file is damaged, is no recording, or not one row can be recovered.
    """
    file = _File(Path(path))
    file.check_begin()
    file.check_end()
    file.scan()
    layout, info = file.about()
    rows = RowFormat(layout)
    blocks = [rows.unpack(block) for at, end in file.chunks if len(block := file.rows(at, end, rows))]
    file.check_data()
    if not file.finished:
        if not blocks:
            raise file.cut_off()
        info["truncated"] = True
    columns = _joined(blocks or [layout.empty(0)])
    return Recording(layout.robot, layout.joints, layout.legs, **columns, info=info)  # type: ignore[arg-type]  # by name


def _joined(blocks: list[Columns]) -> Columns:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


@dataclass
class _File:
    """The bytes of one file and what was found in them."""

    path: Path
    data: bytes = field(init=False, repr=False)
    finished: bool = field(init=False)  # whether the writer came to its end
    chunks: list[tuple[int, int]] = field(default_factory=list)  # begin and end of their contents [bytes]
    _crc: tuple[int, int] | None = None  # of how many bytes there is a checksum, and what it is
    _about: tuple[int, int] | None = None  # begin and end of the last metadata [bytes]

    def __post_init__(self) -> None:
        try:
            self.data = self.path.read_bytes()
        except FileNotFoundError as error:
            raise MissingFile(f"recording {self.path} does not exist") from error
        except IsADirectoryError as error:
            raise BadRecording(f"{self.path} is a folder; a recording is one .mcap file") from error
        except (OSError, ValueError) as error:
            raise BadRecording(f"{self.path} cannot be read: {error}") from error
        self.finished = self.data[len(MAGIC) :].endswith(MAGIC)

    def bad(self, what: str, at: int | None = None) -> BadRecording:
        """The error to raise: what is wrong, and where."""
        return BadRecording(f"{self.path}: {what}" + ("" if at is None else f" at byte {at}"))

    def cut_off(self) -> BadRecording:
        """The error of a file that ends before there is anything to recover."""
        return self.bad(f"it is cut off after {len(self.data)} bytes, before its first row")

    def check_begin(self) -> None:
        """Refuse what is no recording of ours."""
        if not self.data.startswith(MAGIC):
            if MAGIC.startswith(self.data):
                raise self.cut_off()
            raise self.bad(f"it is not an MCAP file, for it begins with {self.data[: len(MAGIC)]!r}")
        for op, at, end in self._records():
            if op == Op.HEADER and end > len(self.data):
                break
            try:
                profile, library = texts(self.data[at:end]) if op == Op.HEADER else ("", "")
            except ValueError as error:
                raise self.bad("the header is damaged", at) from error
            if (profile, library) != ("ros2", LIBRARY):
                raise self.bad(f"it is an MCAP file of '{library}', not a recording of {LIBRARY}")
            return
        raise self.cut_off()

    def check_end(self) -> None:
        """Compare the checksums of a file that has its end."""
        if not self.finished:
            return
        footer = len(self.data) - len(MAGIC) - FOOTER.size
        if footer < 0:
            raise self.bad("the footer is damaged", 0)
        op, size, summary, _, crc = FOOTER.unpack_from(self.data, footer)
        if (op, size) != (Op.FOOTER, FOOTER.size - 9) or not _DATA_END <= summary <= footer:
            raise self.bad("the footer is damaged", footer)
        view = memoryview(self.data)
        if crc32(view[summary : footer + SUMMARY_END]) != crc:
            raise self.bad("the summary is damaged: its checksum is wrong", summary)
        end = summary - _DATA_END
        op, size, crc = struct.unpack_from("<BQI", self.data, end)
        if (op, size) != (Op.DATA_END, 4):
            raise self.bad("the end of the data is damaged", end)
        self._crc = end, crc

    def check_data(self) -> None:
        """Compare the checksum of everything before the summary, for what no closer check has found."""
        if self._crc and crc32(memoryview(self.data)[: self._crc[0]]) != self._crc[1]:
            raise self.bad(f"the file is damaged: the checksum of its first {self._crc[0]} bytes is wrong")

    def scan(self) -> None:
        """Find the chunks and the last metadata."""
        for op, at, end in self._records():
            if op == Op.CHUNK:
                self.chunks.append((at, end))
            elif op == Op.METADATA and end <= len(self.data):
                self._about = at, end
            elif op == Op.DATA_END:
                return

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Opcode, begin and end of the contents of each record; the last one may end behind the file."""
        at = len(MAGIC)
        while at + 9 <= len(self.data):
            op, size = struct.unpack_from("<BQ", self.data, at)
            if op not in _OPS:
                if not self.finished and self.data.count(0, at) == len(self.data) - at:
                    return  # a disk that lost its power may leave zeros instead of the end
                raise self.bad(f"the file is damaged: there is no record of kind {op}", at)
            yield op, at + 9, at + 9 + size
            at += 9 + size

    def about(self) -> tuple[Layout, dict[str, Any]]:
        """Whose recording it is, and its info."""
        if self._about is None:
            raise self.cut_off()
        at, end = self._about
        try:
            name, entries = _metadata(self.data[at:end])
            if name != NAME or entries["format"] != FORMAT:
                raise ValueError("another format")
            joints, legs, info = (json.loads(entries[key]) for key in ("joints", "legs", "info"))
            if not (_is_names(joints) and _is_names(legs) and isinstance(info, dict)):
                raise ValueError("wrong types")
            layout = Layout(entries["robot"], tuple(joints), tuple(legs), int(entries["n_force_sensors"]))
        except (KeyError, ValueError, struct.error, RecursionError) as error:
            raise self.bad("the metadata are damaged, or of a newer version of gangart", at) from error
        return layout, info

    def rows(self, at: int, end: int, rows: RowFormat) -> Rows:
        """The rows of one chunk; of a chunk that is cut off, those that are complete."""
        cut = end > len(self.data)
        if cut and self.finished:
            raise self.bad("a chunk is damaged: it goes on behind the end of the file", at)
        if len(self.data) < at + CHUNK.size:
            return rows.template[:0]
        _, _, size, crc, length, method, stored = CHUNK.unpack_from(self.data, at)
        if (length, method) != (4, b"zstd") or stored != end - at - CHUNK.size:
            raise self.bad("a chunk is damaged: its header is wrong", at)
        try:
            raw = zstd.ZstdDecompressor().decompress(self.data[at + CHUNK.size : end], min(size, sys.maxsize))
        except (zstd.ZstdError, MemoryError, EOFError) as error:
            raise self.bad("a chunk is damaged: it cannot be unpacked", at) from error
        if not cut and (len(raw) != size or crc32(raw) != crc or size % rows.dtype.itemsize):
            raise self.bad("a chunk is damaged: its checksum is wrong", at)
        block = np.frombuffer(raw, rows.dtype, len(raw) // rows.dtype.itemsize)
        sound = rows.intact(block if cut else block[:1])  # the checksum vouches for the other rows
        if not cut and sound < len(block[:1]):
            raise self.bad("a chunk does not hold the messages that its metadata announce", at)
        return block[:sound] if cut else block


def _metadata(body: bytes) -> tuple[str, dict[str, str]]:
    """Name and entries of a metadata record."""
    (size,) = struct.unpack_from("<I", body)
    (name,) = texts(body[: 4 + size])
    pairs = texts(body[8 + size :])
    return name, dict(zip(pairs[::2], pairs[1::2], strict=True))


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
