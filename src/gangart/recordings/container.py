"""The MCAP file around the messages (https://mcap.dev/spec): records, and the two ends of the file.

`rosbags` reads such files; its writer makes a directory, and takes some microseconds per message, of which a minute of
walking has a million. So the few records that a recording needs are written here.
"""

from __future__ import annotations

import json
import struct
import sys
from enum import IntEnum
from typing import Any

from gangart.errors import BadValue
from gangart.recordings.columns import Layout

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["CHUNK", "FOOTER", "FORMAT", "LIBRARY", "MAGIC", "NAME", "SUMMARY_END", "Op", "zstd"]

MAGIC = b"\x89MCAP0\r\n"
LIBRARY = "gangart"  # who wrote the file, in its header
NAME = "gangart"  # of the metadata record that says whose recording it is
FORMAT = "1"  # of the rows; a reader refuses others
CHUNK = struct.Struct("<QQQII4sQ")  # first and last time, size, CRC-32, compression and its length, stored size
FOOTER = struct.Struct("<BQQQI")  # opcode, length, begin of the summary, of its offsets, CRC-32
SUMMARY_END = FOOTER.size - 4  # bytes of the footer that its own CRC covers


class Op(IntEnum):
    """What a record is."""

    HEADER = 0x01
    FOOTER = 0x02
    SCHEMA = 0x03
    CHANNEL = 0x04
    MESSAGE = 0x05
    CHUNK = 0x06
    MESSAGE_INDEX = 0x07
    CHUNK_INDEX = 0x08
    ATTACHMENT = 0x09
    ATTACHMENT_INDEX = 0x0A
    STATISTICS = 0x0B
    METADATA = 0x0C
    METADATA_INDEX = 0x0D
    SUMMARY_OFFSET = 0x0E
    DATA_END = 0x0F


def record(op: Op, *parts: bytes) -> bytes:
    """One record: opcode, length, content."""
    body = b"".join(parts)
    return struct.pack("<BQ", op, len(body)) + body


def text(value: str | bytes) -> bytes:
    """A string, or an array of bytes, behind its length."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(data)) + data


def mapping(values: dict[str, str]) -> bytes:
    """A map of strings."""
    return text(b"".join(text(key) + text(value) for key, value in values.items()))


def texts(body: bytes) -> list[str]:
    """The strings that a body consists of, each behind its length."""
    found, at = [], 0
    while at < len(body):
        size, at = int.from_bytes(body[at : at + 4], "little"), at + 4
        if at + size > len(body):
            raise ValueError("a string goes on behind its record")
        found.append(body[at : at + size].decode())
        at += size
    return found


def metadata(layout: Layout, info: dict[str, Any]) -> bytes:
    """The record that says whose recording it is; BadValue if `info` is more than JSON can say."""
    try:
        note = json.dumps(info)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadValue(f"info of a recording has to be JSON: {error}") from error
    values = {
        "format": FORMAT,
        "robot": layout.robot,
        "joints": json.dumps(layout.joints),
        "legs": json.dumps(layout.legs),
        "n_force_sensors": str(layout.n_force_sensors),
        "info": note,
    }
    return record(Op.METADATA, text(NAME), mapping(values))
