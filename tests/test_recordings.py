"""Recordings: what is saved comes back, other tools read it, and what was appended is in the file."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from gangart.errors import BadRecording, BadValue, MissingFile
from gangart.recordings import RecordingWriter, load, save
from gangart.recordings.columns import Layout
from gangart.recordings.rows import RowFormat, cdr_offsets
from gangart.signals import Recording

BODIES = {2: ("left", "right"), 4: ("front_left", "front_right", "rear_left", "rear_right"), 6: tuple("abcdef")}


def example(rows=700, joints=3, legs=2, sensors=4, seed=1):
    """A recording full of numbers that all differ, with unit quaternions; without ground contact for a while."""
    random = np.random.default_rng(seed)
    layout = Layout("stilt", tuple(f"Joint {i} ä"[: 5 + 2 * i] for i in range(joints)), BODIES[legs], sensors)
    columns = {name: random.normal(scale=30.0, size=(rows, *shape)) for name, shape in layout.shapes().items()}
    columns["time"] = 0.5 + np.arange(rows) * 1e-3
    columns["base_orientation"] /= np.linalg.norm(columns["base_orientation"], axis=-1, keepdims=True)
    columns["zmp"][rows // 3 : rows // 2] = math.nan
    for flag in ("contact", "support"):
        columns[flag] = columns[flag] > 0
    return Recording(layout.robot, layout.joints, layout.legs, **columns, info={"seed": seed, "command": [0.2, None]})


def assert_same(found, expected, rows=None):
    """Same names, and the first rows of all columns: to the bit, but for what ROS has in other units or frames."""
    assert (found.robot, found.joints, found.legs) == (expected.robot, expected.joints, expected.legs)
    for name, column in expected.columns().items():
        tolerance = {"time": 1e-9, "base_velocity": 1e-12}.get(name, 0.0)
        got = found.columns()[name]
        assert got.dtype == column.dtype
        np.testing.assert_allclose(got, column[:rows], rtol=0, atol=tolerance, err_msg=name)


def writer_for(path, recording, **changes):
    n = recording.foot_force.shape[2]
    given = {"robot": recording.robot, "joints": recording.joints, "legs": recording.legs, "n_force_sensors": n}
    return RecordingWriter(path, **{**given, **changes})


def block(recording, start, stop):
    return {name: column[start:stop] for name, column in recording.columns().items()}


def messages(path):
    """All messages by topic, each with its time [ns], as rosbags' own reader and ROS's own definitions see them."""
    store, found = get_typestore(Stores.ROS2_HUMBLE), {}
    with AnyReader([Path(path)]) as reader:
        for connection, time, raw in reader.messages():
            message = store.deserialize_cdr(raw, connection.msgtype)
            found.setdefault(connection.topic, []).append((time, message))
            assert reader.deserialize(raw, connection.msgtype).__msgtype__ == message.__msgtype__
    return found


@pytest.mark.parametrize("legs", BODIES)
@pytest.mark.parametrize("sensors", [0, 1, 4])
def test_saved_is_loaded(tmp_path, legs, sensors):
    recording = example(legs=legs, sensors=sensors)
    save(recording, tmp_path / "run.mcap")
    loaded = load(tmp_path / "run.mcap")
    assert_same(loaded, recording)
    assert loaded.info == recording.info
    assert [p.name for p in tmp_path.iterdir()] == ["run.mcap"]


@pytest.mark.parametrize(("rows", "joints"), [(0, 3), (1, 3), (5, 0)])
def test_smallest_recordings(tmp_path, rows, joints):
    recording = replace(example(rows, joints), info={})
    save(recording, str(tmp_path / "run.mcap"))
    loaded = load(str(tmp_path / "run.mcap"))
    assert_same(loaded, recording)
    assert loaded.info == {}


def test_orientations_that_are_no_rotation_do_not_lose_the_velocity(tmp_path):
    recording = example(6)
    recording.base_orientation[:3] = [[0, 0, 0, 0], [math.nan] * 4, [0, 0, 3, 4]]
    save(recording, tmp_path / "run.mcap")
    assert_same(load(tmp_path / "run.mcap"), recording)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
def test_simulation_that_blew_up_is_recorded(tmp_path, value):
    recording = example(9)
    for name, column in recording.columns().items():
        if name != "time" and column.dtype == float:
            column[5:] = value
    save(recording, tmp_path / "run.mcap")
    loaded = load(tmp_path / "run.mcap")
    assert_same(loaded, recording)


def test_each_row_is_one_standard_message_per_topic(tmp_path):
    recording = example(40)
    save(recording, tmp_path / "run.mcap")
    found = messages(tmp_path / "run.mcap")
    assert {topic: m[0][1].__msgtype__ for topic, m in found.items() if "right" not in topic} == {
        "/joint_states": "sensor_msgs/msg/JointState",
        "/joint_targets": "sensor_msgs/msg/JointState",
        "/odom": "nav_msgs/msg/Odometry",
        "/imu": "sensor_msgs/msg/Imu",
        "/zmp": "geometry_msgs/msg/PointStamped",
        "/zmp_reference": "geometry_msgs/msg/PointStamped",
        "/com_reference": "geometry_msgs/msg/PointStamped",
        "/feet/left/pose": "geometry_msgs/msg/PoseStamped",
        "/feet/left/wrench": "geometry_msgs/msg/WrenchStamped",
        "/feet/left/pressure": "std_msgs/msg/Float64MultiArray",
        "/feet/left/contact": "std_msgs/msg/Bool",
        "/feet/left/support": "std_msgs/msg/Bool",
    }
    for topic, received in found.items():
        assert len(received) == len(recording), topic
        for (time, message), expected in zip(received, recording.time, strict=True):
            assert time == round(expected * 1e9)
            if hasattr(message, "header"):
                assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == time


def test_messages_mean_what_ros_means(tmp_path):
    recording, k = example(40), 17
    save(recording, tmp_path / "run.mcap")
    at = {topic: received[k][1] for topic, received in messages(tmp_path / "run.mcap").items()}
    state, odometry, imu, pose = at["/joint_states"], at["/odom"], at["/imu"], at["/feet/right/pose"].pose
    assert tuple(state.name) == tuple(at["/joint_targets"].name) == recording.joints
    np.testing.assert_array_equal(state.effort, recording.torque[k])
    np.testing.assert_array_equal(at["/joint_targets"].position, recording.target[k])

    w, x, y, z = recording.base_orientation[k]
    q = odometry.pose.pose.orientation
    assert (q.w, q.x, q.y, q.z) == (w, x, y, z)
    R_world_base = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    v = odometry.twist.twist.linear  # nav_msgs/Odometry: the twist is in the child's frame
    np.testing.assert_allclose([v.x, v.y, v.z], R_world_base.T @ recording.base_velocity[k], atol=1e-12)
    turn = odometry.twist.twist.angular
    assert [turn.x, turn.y, turn.z] == recording.base_rotation[k].tolist()

    assert imu.orientation_covariance[0] == -1  # sensor_msgs/Imu: there is no orientation
    assert imu.linear_acceleration.z == recording.accelerometer[k, 2]
    p, q = pose.position, pose.orientation
    assert [p.x, p.y, p.z, q.w, q.x, q.y, q.z] == recording.foot_pose[k, 1].tolist()
    assert at["/feet/left/wrench"].wrench.torque.y == recording.foot_wrench[k, 0, 4]
    assert at["/feet/right/pressure"].data.tolist() == recording.foot_force[k, 1].tolist()
    assert at["/feet/left/contact"].data == recording.contact[k, 0]
    assert at["/feet/left/support"].data == recording.support[k, 0]
    reference = at["/zmp_reference"].point
    assert [reference.x, reference.y, reference.z] == [*recording.zmp_reference[k], 0.0]
    assert math.isnan(at["/zmp"].point.x)  # in the air


@pytest.mark.parametrize("joints", [0, 1, 3])
def test_blocks_of_messages_are_the_serializer_s_bytes(joints):
    recording = example(5, joints)
    layout = Layout(recording.robot, recording.joints, recording.legs, 4)
    form, store = RowFormat(layout), get_typestore(Stores.ROS2_JAZZY)
    rows = form.blank(5)
    form.pack(recording.columns(), rows)
    ends = [*form.starts[1:], form.dtype.itemsize]
    for topic, start, end in zip(form.topics, form.starts, ends, strict=True):
        for row in rows.view(np.uint8).reshape(5, -1):
            written = row[start + 31 : end].tobytes()
            again = store.serialize_cdr(store.deserialize_cdr(written, topic.type), topic.type)
            assert bytes(again) == written, topic.name
        assert cdr_offsets(topic.message, topic.type)


def test_index_finds_every_message(tmp_path):
    """A viewer that jumps to an instant uses the index instead of reading everything."""
    recording = example(900)
    save(recording, tmp_path / "run.mcap")
    with Reader(tmp_path / "run.mcap") as reader:
        assert reader.message_count == 900 * len(reader.connections)
        assert (reader.start_time, reader.end_time) == (500_000_000, 1_399_000_001)
        zmp = [c for c in reader.connections if c.topic == "/zmp"]
        times = [t for _, t, _ in reader.messages(zmp, start=1_000_000_000, stop=1_010_000_000)]
    assert times == list(range(1_000_000_000, 1_010_000_000, 1_000_000))


def test_official_mcap_library_finds_nothing_wrong(tmp_path):
    mcap = pytest.importorskip("mcap.reader")
    save(example(300), tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = mcap.NonSeekingReader(file, validate_crcs=True)
        assert sum(1 for _ in reader.iter_messages()) == 300 * 17
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = mcap.SeekingReader(file, validate_crcs=True)
        assert sum(1 for _ in reader.iter_messages(topics=["/imu"])) == 300
        assert reader.get_summary().statistics.message_count == 300 * 17
        assert [m.name for m in reader.iter_metadata()] == ["gangart"]


def test_appended_blocks_are_the_recording(tmp_path):
    recording = example(1000)
    with writer_for(tmp_path / "run.mcap", recording, info={"state": "begun"}) as writer:
        for start, stop in [(0, 1), (1, 1), (1, 333), (333, 1000)]:
            writer.append(block(recording, start, stop))
        writer.info["state"] = "done"
    loaded = load(tmp_path / "run.mcap")
    assert_same(loaded, recording)
    assert loaded.info == {"state": "done"}
    assert len(messages(tmp_path / "run.mcap")["/zmp"]) == 1000


def test_every_block_is_readable_when_append_returns(tmp_path):
    recording, path = example(600), tmp_path / "run.mcap"
    writer = writer_for(path, recording, info={"command": "walk"})
    for stop in (200, 400, 600):
        writer.append(block(recording, stop - 200, stop))
        loaded = load(path)
        assert_same(loaded, recording, stop)
        assert loaded.info == {"command": "walk", "truncated": True}
    writer.close()
    writer.close()
    assert load(path).info == {"command": "walk"}
    with pytest.raises(BadValue, match="is finished; append before close"):
        writer.append(block(recording, 0, 1))


def test_interrupted_run_is_finished_and_says_so(tmp_path):
    recording = example(50)

    def run():
        with writer_for(tmp_path / "run.mcap", recording) as writer:
            writer.append(recording.columns())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert_same(load(tmp_path / "run.mcap"), recording)
    assert load(tmp_path / "run.mcap").info == {"interrupted": "KeyboardInterrupt"}


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_torn_write_hides_nothing_that_comes_later(tmp_path, failure):
    class Torn:
        """A file whose next write stops half way."""

        def __init__(self, file):
            self.file, self.failures = file, [failure]

        def write(self, data):
            if self.failures and len(data) > 1000:
                self.file.write(data[: len(data) // 2])
                raise self.failures.pop()
            return self.file.write(data)

        def __getattr__(self, name):
            return getattr(self.file, name)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

    recording, path = example(300), tmp_path / "run.mcap"
    writer = writer_for(path, recording)
    writer.append(block(recording, 0, 100))
    writer._file = Torn(writer._file)
    with pytest.raises((BadRecording, KeyboardInterrupt)):
        writer.append(block(recording, 100, 200))
    assert_same(load(path), recording, len(load(path)))
    writer.append(block(recording, 100, 150))
    writer.close()
    assert_same(load(path), recording, 150)
    assert len(messages(path)["/imu"]) == 150


def test_file_is_replaced_only_by_a_complete_one(tmp_path):
    path = tmp_path / "run.mcap"
    save(example(20), path)
    for wrong in (replace(example(30), info={"f": print}), replace(example(30), gyro=np.zeros((30, 2)))):
        with pytest.raises(BadValue):
            save(wrong, path)
    assert_same(load(path), example(20))
    assert [p.name for p in tmp_path.iterdir()] == ["run.mcap"]


def test_rows_survive_info_that_json_cannot_say(tmp_path):
    recording = example(20)
    writer = writer_for(tmp_path / "run.mcap", recording)
    writer.append(recording.columns())
    writer.info["f"] = print
    with pytest.raises(BadValue, match="has to be JSON"):
        writer.close()
    assert_same(load(tmp_path / "run.mcap"), recording)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gyro": None}, "column 'gyro' is missing"),
        ({"colour": np.zeros(10)}, "column 'colour' is unknown"),
        ({"gyro": np.zeros((9, 3))}, r"'gyro' has shape \(9, 3\); it has to be \(10, 3\)"),
        ({"zmp": [["a", "b"]] * 10}, "'zmp' does not hold numbers"),
        ({"time": np.linspace(-0.1, 1, 10)}, "time -0.1 s cannot be stamped"),
        ({"time": np.full(10, math.nan)}, "time nan s cannot be stamped"),
        ({"time": np.full(10, 2.0**31)}, "from 0 to 2147483648 s"),
    ],
)
def test_wrong_blocks_are_refused_and_leave_no_trace(tmp_path, change, message):
    recording = example(10)
    with writer_for(tmp_path / "run.mcap", recording) as writer:
        columns = {name: column for name, column in {**recording.columns(), **change}.items() if column is not None}
        with pytest.raises(BadValue, match=message):
            writer.append(columns)
        writer.append(recording.columns())
    assert_same(load(tmp_path / "run.mcap"), recording)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"legs": ("left leg", "right")}, "leg 'left leg' cannot name a ROS topic"),
        ({"legs": ("left", "left")}, "leg 'left' occurs twice"),
        ({"joints": ("a", "b", "a")}, "joint 'a' occurs twice"),
        ({"n_force_sensors": -1}, "-1 force sensors"),
        ({"info": {"x": {1, 2}}}, "info of a recording has to be JSON"),
    ],
)
def test_wrong_names_are_refused_before_a_file_exists(tmp_path, change, message):
    with pytest.raises(BadValue, match=message):
        writer_for(tmp_path / "run.mcap", example(1), **change)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingFile, match=r"folder .* does not exist"):
        save(example(1), tmp_path / "no" / "run.mcap")
    with pytest.raises(BadRecording, match="cannot be written"):
        save(example(1), tmp_path)
    with pytest.raises(BadRecording, match="cannot be written"):
        writer_for(tmp_path / "file" / "run.mcap", example(1))
