"""Columns to bytes and back: one row is the messages of all topics, one behind the other, always equally long.

So a block of rows is a structured NumPy array over a template, and no message is ever serialised by itself. The
template is what `rosbags` serialises; only the places where the numbers stand are worked out here, by the rules of CDR:
strings and sequences begin with a uint32 length, and every number is aligned to its own size.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Nodetype

from gangart.recordings.columns import Columns, Layout
from gangart.recordings.topics import STORE, Index, Topic, topics
from gangart.signals import Array, Bools

Rows = NDArray[np.void]

_MESSAGE = struct.Struct("<BQHIQQ")  # opcode, length, channel, sequence, log time, publish time
_TIMES = _MESSAGE.size - 16  # where the two times begin
_ENCAPSULATION = 4  # bytes before the CDR data proper


class RowFormat:
    """How one row of a recording looks in the file."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.topics = topics(layout)  # one message of each is a row, in this order
        self.starts: list[int] = []  # byte of a row where the message of each topic begins
        self._slots: list[tuple[str, str, Index]] = []  # field of the row, column, part of the column
        self._times: list[str] = []  # fields (2 uint64) [ns]
        self._stamps: list[str] = []  # fields (2 uint32) [s, ns]
        fields: dict[str, tuple[np.dtype[Any], int]] = {}
        template = bytearray()
        for channel, topic in enumerate(self.topics, start=1):
            self.starts.append(len(template))
            body = bytes(STORE.serialize_cdr(topic.message, topic.type))
            self._place(topic, len(template), fields)
            template += _MESSAGE.pack(0x05, _MESSAGE.size - 9 + len(body), channel, 0, 0, 0) + body
        self.dtype = np.dtype({
            "names": list(fields),
            "formats": [kind for kind, _ in fields.values()],
            "offsets": [at for _, at in fields.values()],
            "itemsize": len(template),
        })  # fmt: skip
        self.template = np.frombuffer(bytes(template), self.dtype)
        self._fixed = np.ones(len(template), bool)  # bytes that are the same in every row
        for kind, at in fields.values():
            self._fixed[at : at + kind.itemsize] = False

    def _place(self, topic: Topic, start: int, fields: dict[str, tuple[np.dtype[Any], int]]) -> None:
        offsets = cdr_offsets(topic.message, topic.type)
        body = start + _MESSAGE.size
        fields[f"{topic.name} time"] = np.dtype(("<u8", 2)), start + _TIMES
        self._times.append(f"{topic.name} time")
        if "header.stamp" in offsets:
            fields[f"{topic.name} stamp"] = np.dtype(("<u4", 2)), body + offsets["header.stamp"]
            self._stamps.append(f"{topic.name} stamp")
        example = self.layout.empty(1)
        for path, (column, index) in topic.slots.items():
            part = example[column][(0, *index)]
            if part.size:
                kind = "u1" if part.dtype == bool else "<f8"
                fields[f"{topic.name} {path}"] = np.dtype((kind, part.shape)), body + offsets[path]
                self._slots.append((f"{topic.name} {path}", column, index))

    def blank(self, count: int) -> Rows:
        """That many rows to pack into; copied as bytes, because NumPy would leave out what lies between the fields."""
        return np.tile(self.template.view(np.uint8), count).view(self.dtype)

    def pack(self, columns: Mapping[str, Array | Bools], rows: Rows) -> NDArray[np.uint64]:
        """Write checked columns into as many blank (or used) rows; return their times [ns]."""
        time = np.rint(columns["time"] * 1e9).astype(np.uint64)
        for name in self._times:
            rows[name] = time[:, None]
        stamp = np.stack(np.divmod(time, np.uint64(10**9)), axis=1)
        for name in self._stamps:
            rows[name] = stamp
        turned = {**columns, "base_velocity": _rotate(columns["base_orientation"], columns["base_velocity"], back=True)}
        for name, column, index in self._slots:
            rows[name] = turned[column][(slice(None), *index)]
        return time

    def unpack(self, rows: Rows) -> Columns:
        """The columns that were packed into these rows."""
        columns = self.layout.empty(len(rows))
        columns["time"] = rows[self._times[0]][:, 0] / 1e9
        for name, column, index in self._slots:
            columns[column][(slice(None), *index)] = rows[name]
        columns["base_velocity"] = _rotate(columns["base_orientation"], columns["base_velocity"])
        return columns

    def intact(self, rows: Rows) -> int:
        """How many rows, from the first on, have every message header, name and constant where it belongs."""
        bytes_of = rows.view(np.uint8).reshape(len(rows), self.dtype.itemsize)
        wrong = (bytes_of[:, self._fixed] != self.template.view(np.uint8)[self._fixed]).any(axis=1)
        return int(np.argmax(wrong)) if wrong.any() else len(rows)


def cdr_offsets(message: Any, kind: str) -> dict[str, int]:
    """Where each field of a serialised message begins [bytes]; of a sequence, where its first element does."""
    found: dict[str, int] = {}
    end = _walk_message(kind, message, (), _ENCAPSULATION, found)
    if end != len(STORE.serialize_cdr(message, kind)):
        raise AssertionError(f"CDR layout of {kind} differs from the serializer's")
    return found


def _walk_message(kind: str, message: Any, path: tuple[str, ...], at: int, found: dict[str, int]) -> int:
    for name, node in STORE.fielddefs[kind][1]:
        at = _walk(node, getattr(message, name), (*path, name), at, found)
    return at


def _walk(node: Any, value: Any, path: tuple[str, ...], at: int, found: dict[str, int]) -> int:
    kind, detail = node
    if kind == Nodetype.NAME:
        return _walk_message(detail, value, path, at, found)
    if kind == Nodetype.BASE:
        text = detail[0] == "string"
        size = 4 if text else np.dtype(detail[0]).itemsize
        at += (_ENCAPSULATION - at) % size
        for depth in range(len(path)):
            found.setdefault(".".join(path[: depth + 1]), at)
        return at + size + (len(value.encode()) + 1 if text else 0)
    if kind == Nodetype.SEQUENCE:
        at += -at % 4 + 4
    for element in value:
        at = _walk(detail[0], element, path, at, found)
    return at


@np.errstate(all="ignore")  # a simulation that blew up is recorded, too
def _rotate(orientation: Array | Bools, vectors: Array | Bools, back: bool = False) -> Array:
    """Turn row vectors from the base's frame into the world, or back; inverses of each other up to rounding.

    Vectors that cannot be turned (inf, or an orientation of zeros or NaN) stay as they are, so that they are not lost.
    """
    unit = orientation / np.linalg.norm(orientation, axis=1, keepdims=True)
    w, axis = unit[:, :1], (-unit if back else unit)[:, 1:]
    twice = 2.0 * np.cross(axis, vectors)
    turned = vectors + w * twice + np.cross(axis, twice)
    return np.asarray(np.where(np.isfinite(turned).all(axis=1, keepdims=True), turned, vectors))
