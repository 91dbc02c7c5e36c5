"""Command sources that need no device: scale, layouts, scripts, names."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.control.sources import SOURCES, Axis, Button, Scale, Script, Source, commands, load_script, open_source
from gangart.control.sources.gamepad import BLUETOOTH, GAMEPAD
from gangart.control.sources.scale import BODY, VELOCITY
from gangart.control.sources.spacemouse import SPACEMOUSE
from gangart.errors import BadRecording, BadValue, GangartError, MissingFile, UnknownName
from gangart.footsteps.velocity import limit_command
from gangart.signals import BodyPose, Command, Wish

SCALE = Scale(0.25, 0.2, 0.04, 0.6)
SHARE = st.floats(-1.0, 1.0)
HALF = Command(vx=0.1)


@given(st.fixed_dictionaries(dict.fromkeys(VELOCITY, SHARE)))
def test_no_position_of_the_sticks_exceeds_what_the_robot_may_be_asked_for(nao, shares):
    velocity = Scale.of(nao).velocity(shares)
    limited, notes = limit_command(velocity, nao.walk.limits)
    assert (limited, notes) == (velocity, ())
    for name in VELOCITY:  # and the direction is that of the sticks
        assert math.copysign(1.0, getattr(velocity, name)) == math.copysign(1.0, shares[name]) or shares[name] == 0.0


def test_all_the_way_is_the_limit():
    assert SCALE.velocity({"vx": 1.0}) == Command(0.25, 0.0, 0.0)
    assert SCALE.velocity({"vx": -1.0}) == Command(-0.2, 0.0, 0.0)
    assert SCALE.velocity({"vy": 1.0}) == Command(0.0, 0.04, 0.0)
    assert SCALE.velocity({"wz": -1.0}) == Command(0.0, 0.0, -0.6)
    assert SCALE.pose(dict.fromkeys(BODY, -1.0)) == BodyPose(*(-getattr(SCALE.body, name) for name in BODY))


def test_a_scale_is_finite_and_not_negative():
    for value in (-0.1, math.nan, math.inf):
        with pytest.raises(BadValue, match="the full scale of turn is"):
            Scale(0.2, 0.2, 0.1, value)
    with pytest.raises(BadValue, match="the full scale of roll is"):
        Scale(0.2, 0.2, 0.1, 0.1, BodyPose(roll=-0.1))


AXES = sorted({*GAMEPAD.axes, *BLUETOOTH.axes, *SPACEMOUSE.axes}, key=lambda axis: (axis.name, axis.drives, axis.low))


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: f"{axis.name}: {axis.drives}")
def test_an_axis_rises_from_end_to_end_and_rests_in_the_middle(axis: Axis):
    raws = range(axis.low, axis.high + 1, max(1, (axis.high - axis.low) // 999))
    shares = [axis.sign * axis.share(raw) for raw in raws]
    assert shares == sorted(shares)
    assert (axis.sign * axis.share(axis.low), axis.sign * axis.share(axis.high)) == (-1.0, 1.0)
    assert axis.share((axis.low + axis.high) // 2) == 0.0
    assert max(b - a for a, b in itertools.pairwise(shares)) < (0.01 if axis.high > 1 else 1.01)  # no jump


def test_an_axis_follows_the_range_of_its_device():
    axis = Axis("stick", 0, "vx", 1, -100, 100, dead=0.0)
    assert axis.share(128, 0, 256) == 0.0
    assert axis.share(192, 0, 256) == 0.5
    assert axis.share(1000, 0, 256) == 1.0
    assert axis.share(50, 7, 7) == 0.5  # a device that tells nonsense


def test_wrong_layouts_are_refused():
    with pytest.raises(BadValue, match="sign has to be 1 or -1"):
        Axis("stick", 0, "vx", 0, -1, 1)
    with pytest.raises(UnknownName, match="no part of a wish 'vz'"):
        Axis("stick", 0, "vz", 1, -1, 1)
    with pytest.raises(UnknownName, match="no meaning of a button 'quid'; did you mean 'quit'"):
        Button("A", 0, "quid")


class Clock:
    """A source that tells at which time it was asked."""

    def __init__(self, live: bool) -> None:
        self.live = live

    def read(self, time: float) -> Wish:
        return Wish(Command(vx=time))


def test_a_live_source_is_asked_by_the_wall_clock_and_a_recorded_one_by_the_robots():
    wall = iter([100.0, 107.0])
    assert commands(Clock(live=True), lambda: next(wall))(1.0).vx == 7.0
    assert commands(Clock(live=False), lambda: next(wall))(1.0).vx == 1.0


# ------------------------------------------------------------------ scripts

TOML = """
[[wish]]
at = 1.0
vx = 0.1

[[wish]]
at = 2.5
pose = { z = 0.02, roll = -0.1 }
gait = "trot"

[[wish]]
at = 4
wz = 0.3
quit = true
"""
CSV = """at,vx,wz,pose.z,pose.roll,gait,quit
1.0,0.1,,,,,
2.5,,,0.02,-0.1,trot,false
4,,0.3,,,,true
"""


@pytest.mark.parametrize(("name", "text"), [("tour.toml", TOML), ("tour.csv", CSV)])
def test_a_script_says_at_each_time_what_its_file_says(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with open_source(f"script:{tmp_path / name}", SCALE, ("walk", "trot")) as source:
        assert source.read(0.999) == Wish()
        assert source.read(1.0) == source.read(2.499) == Wish(HALF)
        assert source.read(2.5) == Wish(pose=BodyPose(z=0.02, roll=-0.1), gait="trot")
        assert source.read(1e6) == Wish(Command(wz=0.3), gait="trot", quit=True)
        assert commands(source)(1.5) == HALF


REFUSED = [
    ("a.toml", "[[wish]]\nvx = 0.1", "wish 1: at is missing"),
    ("a.toml", "[[wish]]\nat = -1.0", r"wish 1: at has to be a time \[s\] from 0 on"),
    ("a.toml", "[[wish]]\nat = nan", "wish 1: at has to be a time"),
    ("a.toml", "[[wish]]\nat = 0\nvx = inf", "wish 1: vx is inf; it has to be a number within -10 and 10"),
    ("a.toml", "[[wish]]\nat = 0\nvz = 1", "wish 1: 'vz' is not part of a wish; known: vx, vy"),
    ("a.toml", "[[wish]]\nat = 0\ngait = 'trott'", "wish 1: no gait 'trott'; did you mean 'trot'"),
    ("a.toml", "[[wish]]\nat = 2\n[[wish]]\nat = 1", "entry 2 of the script is at 1 s, after 2 s"),
    ("a.toml", "wish = 3", r"has to hold \[\[wish\]\] tables"),
    ("a.toml", "[[wish", "is no TOML"),
    ("a.toml", "wish = []", "a script without entries"),
    ("a.csv", "at,vz\n0,1", "no column 'vz'"),
    ("a.csv", "at,vx\n0,fast", "line 2: vx is 'fast'; it has to be a number"),
    ("a.csv", "at,vx\n0,1,2", "line 2 has more cells"),
    ("a.csv", "at,vx\n0", "line 2 has fewer cells"),
    ("a.csv", "at,vx", "a script without entries"),
    ("a.csv", "", "a script without entries"),
    ("a.yaml", "", "no kind of script 'yaml'; known: csv, toml"),
]


@pytest.mark.parametrize(("name", "text", "sentence"), REFUSED)
def test_a_wrong_script_is_refused_with_its_place(tmp_path: Path, name: str, text: str, sentence: str):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(GangartError, match=sentence):
        load_script(tmp_path / name, ("trot",))


def test_a_script_that_is_not_there(tmp_path: Path):
    with pytest.raises(MissingFile, match=r"no.toml' does not exist; give the path of a script"):
        load_script(tmp_path / "no.toml")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadValue, match=r"folder\.csv' cannot be read"):
        load_script(tmp_path / "folder.csv")
    with pytest.raises(BadValue, match="without entries"):
        Script([])


def loads_or_refuses(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        source: Source = load_script(path, ("trot",))
    except GangartError as error:
        sentence = str(error)
    else:
        sentence = ""
        for time in (0.0, 1.0, 1e9):
            assert isinstance(source.read(time), Wish)
    assert not sentence or (str(path) in sentence and "\n" not in sentence)


@given(st.sampled_from(["a.toml", "a.csv"]), st.binary(max_size=200))
def test_any_bytes_are_a_script_or_a_sentence(tmp_path_factory, name, data):
    loads_or_refuses(tmp_path_factory.getbasetemp() / name, data)


@given(
    st.sampled_from([("a.toml", TOML), ("a.csv", CSV)]), st.integers(0, 200), st.integers(0, 20), st.binary(max_size=8)
)
def test_a_damaged_script_is_a_script_or_a_sentence(tmp_path_factory, script, at, cut, noise):
    name, text = script
    data = text.encode()
    loads_or_refuses(tmp_path_factory.getbasetemp() / name, data[:at] + noise + data[at + cut :])


def test_a_deep_script_is_refused(tmp_path: Path):
    (tmp_path / "a.toml").write_text("wish = " + "[" * 100_000, encoding="utf-8")
    with pytest.raises(BadValue, match="is no TOML"):
        load_script(tmp_path / "a.toml")


# ------------------------------------------------------------------ names

WRONG = [
    ("joystick", UnknownName, "no command source 'joystick'; known: gamepad, keyboard, script, socket, spacemouse"),
    ("game", UnknownName, "did you mean 'gamepad'"),
    ("", UnknownName, "no command source ''"),
    ("keyboard:de", BadValue, "'keyboard:de' is one word too many"),
    ("socket", BadValue, "'socket:' names no port; write for instance 'socket:9870'"),
    ("socket:port", BadValue, "names no port"),
    ("socket:65536", BadValue, "port is 65536; it has to lie in 0…65535"),
    ("socket:no..where:9870", GangartError, "'no..where' is no address to listen on"),
    ("script", BadValue, "'script' names no file"),
    ("gamepad:/no/such/pad", MissingFile, "'/no/such/pad' does not exist; give an input device or a recording"),
    ("gamepad:\0", GangartError, "embedded null"),
    ("spacemouse:/", BadRecording, "/ is a folder; it has to be an input device, a pipe, or a recording"),
]


@pytest.mark.parametrize(("spec", "kind", "sentence"), WRONG)
def test_a_wrong_source_is_refused_with_the_way_out(spec: str, kind: type[Exception], sentence: str):
    with pytest.raises(kind, match=sentence):
        open_source(spec, SCALE)


def test_every_source_is_one():
    assert sorted(SOURCES) == ["gamepad", "keyboard", "script", "socket", "spacemouse"]
