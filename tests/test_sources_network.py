"""The socket: the newest message counts, and nothing that arrives can do harm."""

from __future__ import annotations

import json
import socket
import time as clock
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.control.sources import Network, Scale, open_source
from gangart.control.sources.network import LONGEST, SILENCE
from gangart.errors import BadValue, MissingTool
from gangart.signals import BodyPose, Command, Wish

GAITS = ("walk", "trot")


class Sender:
    """A program that steers."""

    def __init__(self, network: Network) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.to = network.address

    def send(self, data: bytes | None = None, **message: Any) -> None:
        self.socket.sendto(json.dumps(message).encode() if data is None else data, self.to)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def network(said: list[str]):
    with Network(0, gaits=GAITS, say=said.append) as made:
        yield made


@pytest.fixture
def sender(network: Network):
    made = Sender(network)
    yield made
    made.socket.close()


def test_a_message_is_a_whole_wish(network: Network, sender: Sender, said: list[str]):
    assert network.read(0.0) == Wish()
    sender.send(vx=0.1, vy=-0.02, wz=0.3, pose={"z": 0.02, "yaw": -0.1}, gait="trot")
    assert network.read(0.1) == Wish(Command(0.1, -0.02, 0.3), BodyPose(z=0.02, yaw=-0.1), "trot")
    sender.send(vx=0.2)
    assert network.read(0.2) == Wish(Command(vx=0.2), gait="trot")  # only the gait stays
    assert (said, network.ignored) == ([], 0)


def test_the_newest_message_counts(network: Network, sender: Sender):
    for vx in (0.1, 0.2, 0.05):
        sender.send(vx=vx)
    assert network.read(0.0).velocity.vx == 0.05


def test_a_message_that_was_overtaken_is_ignored(network: Network, sender: Sender):
    sender.send(seq=7, vx=0.1)
    sender.send(seq=6, vx=0.2)
    sender.send(seq=7, vx=0.3)
    assert network.read(0.0).velocity.vx == 0.1
    assert network.ignored == 2
    sender.send(seq=8, vx=0.2)
    assert network.read(0.1).velocity.vx == 0.2


def test_silence_stops_the_robot_and_is_said_once(network: Network, sender: Sender, said: list[str]):
    sender.send(vx=0.1, pose={"z": 0.01}, seq=100)
    assert network.read(10.0).velocity.vx == 0.1
    assert network.read(10.0 + SILENCE).velocity.vx == 0.1
    for late in (0.01, 1.0, 100.0):
        assert network.read(10.0 + SILENCE + late) == Wish(pose=BodyPose(z=0.01))
    assert said == ["no message for 0.5 s: the robot is to stand still"]
    sender.send(vx=0.2, seq=0)  # a sender that was started anew counts from the beginning
    assert network.read(200.0).velocity.vx == 0.2
    network.read(201.0)
    assert len(said) == 2


def test_quit_is_not_lost_behind_a_later_message(network: Network, sender: Sender):
    sender.send(quit=True)
    sender.send(vx=0.1)
    assert network.read(0.0).quit


def test_one_at_a_time(network: Network, sender: Sender, said: list[str]):
    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    other.bind(("127.0.0.2", 0))
    sender.send(vx=0.1)
    assert network.read(0.0).velocity.vx == 0.1
    other.sendto(b'{"vx": -0.1}', network.address)
    assert network.read(0.1).velocity.vx == 0.1
    assert said == [
        "a message is ignored: 127.0.0.2 has to wait, for 127.0.0.1 steers; further ones are ignored without a word"
    ]
    other.sendto(b'{"vx": -0.1}', network.address)
    assert network.read(1.0).velocity.vx == -0.1  # the first one fell silent
    other.close()


MALFORMED = [
    (b"", "b'' is no JSON"),
    (b"vx=1", "b'vx=1' is no JSON"),
    (b"\xff\xfe{}", "is no JSON"),
    (b"[" * 1000, "is no JSON"),
    (b"[]", r"a wish is an object with some of vx, vy, wz, pose, gait, quit; got \[\]"),
    (b'"vx"', "a wish is an object"),
    (b'{"vx": NaN}', "vx is nan; it has to be a number within -10 and 10"),
    (b'{"vx": 1e999}', "vx is inf"),
    (b'{"vx": 1' + b"0" * 900 + b"}", "vx is "),
    (b'{"vx": true}', "vx is True"),
    (b'{"vx": "0.1"}', "vx is '0.1'"),
    (b'{"vx": null}', "vx is None"),
    (b'{"wz": -10.1}', "wz is -10.1; it has to be a number within -10 and 10"),
    (b'{"v": 0.1}', "'v' is not part of a wish; known: vx, vy, wz"),
    (b'{"pose": 3}', "pose is 3; it has to be an object with some of x, y, z, roll, pitch, yaw"),
    (b'{"pose": {"z": Infinity}}', "z is inf"),
    (b'{"pose": {"vx": 0.1}}', "'vx' is not part of a wish; known: x, y, z"),
    (b'{"gait": "trott"}', "no gait 'trott'; did you mean 'trot'"),
    (b'{"gait": 3}', "gait is 3; it has to be a name"),
    (b'{"quit": 1}', "quit is 1; it has to be true or false"),
    (b'{"seq": -1}', "seq is -1; it has to be a whole number from 0 on"),
    (b'{"seq": 1.5}', "seq is 1.5"),
    (b'{"seq": true}', "seq is True"),
    (b'{"vx": 0.1}' + b" " * LONGEST, "a message may have 1024 bytes at the most"),
]


@pytest.mark.parametrize(("data", "sentence"), MALFORMED)
def test_what_is_no_message_is_ignored_with_one_sentence(network, sender, said, data, sentence):
    sender.send(vx=0.1)
    for _ in range(3):
        sender.send(data)
    assert network.read(0.0) == Wish(Command(vx=0.1))
    assert network.ignored == 3
    assert len(said) == 1
    with pytest.raises(AssertionError, match=sentence):
        raise AssertionError(said[0])


def test_a_message_of_the_longest_length_is_one(network: Network, sender: Sender):
    sender.send(b'{"vx": 0.1}'.ljust(LONGEST))
    assert network.read(0.0).velocity.vx == 0.1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYED = st.dictionaries(st.sampled_from(["vx", "vy", "wz", "pose", "gait", "quit", "seq"]), JSON, max_size=4)


@pytest.fixture(scope="module")
def fuzzed():
    with Network(0, gaits=GAITS, say=lambda _: None) as made:
        sender = Sender(made)
        yield made, sender, iter(range(10**9))
        sender.socket.close()


@given(st.binary(max_size=LONGEST + 100) | KEYED.map(lambda message: json.dumps(message).encode()))
def test_any_datagram_is_a_wish_within_the_bounds_or_ignored(fuzzed, data):
    network, sender, seconds = fuzzed
    before = network.ignored
    sender.send(data)
    wish = network.read(float(next(seconds)))
    taken = network.ignored == before
    assert taken or (network.ignored == before + 1 and wish.velocity == Command())
    for value in (wish.velocity.vx, wish.velocity.vy, wish.velocity.wz, wish.pose.z, wish.pose.roll):
        assert abs(value) <= 10.0
    assert wish.gait in (None, *GAITS)
    if taken:
        assert isinstance(json.loads(data), dict)


def test_a_flood_holds_nobody_up(network: Network, sender: Sender):
    for i in range(5000):
        sender.send(seq=i, vx=0.1)
    start = clock.perf_counter()
    assert network.read(0.0).velocity.vx == 0.1
    assert clock.perf_counter() - start < 0.5


def test_only_this_machine_is_heard_unless_asked_for(said: list[str]):
    scale = Scale(0.2, 0.2, 0.1, 0.5)
    with open_source("socket:0", scale, say=said.append) as network:
        assert isinstance(network, Network)
        assert network.address[0] == "127.0.0.1"
        assert said == []
        with pytest.raises(MissingTool, match=r"cannot listen on 127\.0\.0\.1, port \d+: .*; try another port"):
            Network(network.address[1])
    with open_source("socket:0.0.0.0:0", scale, say=said.append):
        assert len(said) == 1
        assert "whoever reaches port" in said[0]
    with pytest.raises(BadValue, match="silence is 0"):
        Network(0, silence=0.0)
