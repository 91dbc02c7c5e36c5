"""Recordings that were cut off, damaged, or are none: the rows that are left, or one sentence."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.stores.ros2_jazzy import std_msgs__msg__String
from tests.test_recordings import assert_same, block, example, writer_for

from gangart.errors import BadRecording, GangartError, MissingFile
from gangart.recordings import load, save

RECORDING = example(900, joints=4)
BLOCKS = [(0, 250), (250, 251), (251, 600), (600, 900)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a finished recording, and how long the file was after the head and after each block."""
    path = tmp_path_factory.mktemp("whole") / "run.mcap"
    with writer_for(path, RECORDING, info={"command": "walk"}) as writer:
        sizes = [path.stat().st_size]
        for start, stop in BLOCKS:
            writer.append(block(RECORDING, start, stop))
            sizes.append(path.stat().st_size)
        writer.info["state"] = "done"
    return path.read_bytes(), sizes


def loaded(tmp_path, data):
    path = tmp_path / "run.mcap"
    path.write_bytes(data)
    return load(path)


def check_cut(tmp_path, whole, size):
    """A file that was cut off holds a prefix, with every block that was complete; or says where it ends."""
    data, sizes = whole
    certain = max([0, *(stop for (_, stop), end in zip(BLOCKS, sizes[1:], strict=True) if end <= size)])
    path = tmp_path / "run.mcap"
    path.write_bytes(data[:size])
    try:
        found = load(path)
    except BadRecording as error:
        told = f"{path}: it is cut off after {size} bytes, before its first row"
        return 0 if certain == 0 and str(error) == told else pytest.fail(str(error))
    assert found.info["truncated"] is True
    assert found.info["command"] == "walk"
    assert certain <= len(found) <= len(RECORDING)
    assert_same(found, RECORDING, len(found))
    return len(found)


def test_cut_anywhere(tmp_path, whole, rng):
    for size in rng.integers(len(whole[0]), size=150):
        check_cut(tmp_path, whole, int(size))


def test_cut_at_every_byte_around_the_seams(tmp_path, whole):
    data, sizes = whole
    seams = {n + d for n in (sizes[0], sizes[1], sizes[3], len(data) - 37) for d in range(-12, 13)}
    for size in sorted(seams | {*range(500), *range(len(data) - 45, len(data))}):
        if size < len(data):
            check_cut(tmp_path, whole, size)


def test_more_bytes_never_give_fewer_rows(tmp_path, whole):
    counts = [check_cut(tmp_path, whole, size) for size in range(0, len(whole[0]), len(whole[0]) // 97)]
    assert counts == sorted(counts)
    assert len(set(counts)) > 2 * len(BLOCKS)  # also a block that is cut off gives rows


def test_zeros_behind_the_last_block(tmp_path, whole):
    """What a disk may hold after the power failed."""
    data, sizes = whole
    found = loaded(tmp_path, data[: sizes[2]] + bytes(5000))
    assert found.info["truncated"] is True
    assert_same(found, RECORDING, BLOCKS[1][1])


def test_repaired_by_saving_again(tmp_path, whole):
    found = loaded(tmp_path, whole[0][: whole[1][3]])
    save(found, tmp_path / "again.mcap")
    again = load(tmp_path / "again.mcap")
    assert_same(again, RECORDING, len(found))
    assert again.info["truncated"] is True  # a repaired file still lacks its end


def test_flipped_byte_never_changes_a_number(tmp_path, whole, rng):
    for place in rng.integers(len(whole[0]) - 8, size=150):
        data = bytearray(whole[0])
        data[place] ^= int(rng.integers(1, 256))
        with pytest.raises(BadRecording):
            loaded(tmp_path, data)


def test_flipped_byte_at_both_ends(tmp_path, whole):
    head = set(range(0, whole[1][0], 29))
    for at in sorted(head | set(range(len(whole[0]) - 60, len(whole[0])))):
        data = bytearray(whole[0])
        data[at] ^= 1 << at % 8
        try:
            found = loaded(tmp_path, data)
        except BadRecording:
            continue
        assert at >= len(data) - 8  # only the closing magic is no loss: the file looks as if its end were missing
        assert_same(found, RECORDING)
        assert found.info["truncated"] is True


def test_cut_and_scrambled(tmp_path, whole, rng):
    for _ in range(200):
        data = bytearray(whole[0][: rng.integers(1000, len(whole[0]))])
        for _ in range(rng.integers(1, 5)):  # at any place, and where the records are short
            start = int(rng.integers(rng.choice([len(data), whole[1][0]])))
            noise = rng.bytes(int(rng.integers(1, 12)))
            data[start : start + len(noise)] = noise
        with suppress(GangartError):  # and no other
            assert 0 < len(loaded(tmp_path, data)) <= len(RECORDING)


def test_garbage(tmp_path, whole, rng):
    for _ in range(200):
        data = whole[0][: rng.integers(200)] + rng.bytes(int(rng.integers(300)))
        with pytest.raises(BadRecording):
            loaded(tmp_path, data)


def test_metadata_that_do_not_fit_the_rows(tmp_path, whole):
    """The names are part of the messages, so that they cannot be exchanged unnoticed in a file without its end."""
    data = whole[0][: whole[1][2]]
    other = data.replace(b'["left", "right"]', b'["lift", "right"]')
    with pytest.raises(BadRecording, match="does not hold the messages that its metadata announce at byte"):
        loaded(tmp_path, other)
    changes = [(b'"right"]', b'"right"}'), (b'["left", ', b"[123456, "), (b"n_force_sensors", b"m_force_sensors")]
    for old, new in changes:
        with pytest.raises(BadRecording, match="metadata are damaged"):
            loaded(tmp_path, data.replace(old, new))


def test_foreign_mcap(tmp_path):
    store = get_typestore(Stores.ROS2_JAZZY)
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        chatter = writer.add_connection("/chatter", "std_msgs/msg/String", typestore=store)
        writer.write(chatter, 1, store.serialize_cdr(std_msgs__msg__String("hello"), "std_msgs/msg/String"))
    with pytest.raises(BadRecording, match=r"is an MCAP file of 'rosbags-.*', not a recording of gangart"):
        load(tmp_path / "bag" / "bag.mcap")
    with pytest.raises(BadRecording, match=r"is a folder; a recording is one \.mcap file"):
        load(tmp_path / "bag")
    with pytest.raises(BadRecording, match="is not an MCAP file, for it begins with b'rosbag2_'"):
        load(tmp_path / "bag" / "metadata.yaml")
    with pytest.raises(MissingFile, match="does not exist"):
        load(tmp_path / "bag" / "other.mcap")
    with pytest.raises(BadRecording, match="cannot be read"):
        load(tmp_path / "bag" / "bag.mcap" / "run.mcap")


def test_killed_process_loses_nothing_that_was_appended(tmp_path):
    path = tmp_path / "run.mcap"
    script = """
import os, signal, sys
from tests.test_recordings import block, example, writer_for
recording = example(600)
writer = writer_for(sys.argv[1], recording)
writer.append(block(recording, 0, 500))
os.kill(os.getpid(), signal.SIGKILL)
"""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script, path],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])},
    )
    assert done.returncode == -signal.SIGKILL
    assert_same(load(path), example(600), 500)
    assert np.isnan(load(path).zmp).any()
