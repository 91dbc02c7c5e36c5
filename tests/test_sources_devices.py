"""Gamepad and SpaceMouse: recorded, through a pipe, and as the kernel describes them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import time as clock
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.control.sources import InputDevice, Scale, open_source
from gangart.control.sources.evdev import EV_ABS, EV_KEY, EV_REL, EVENT, SYN_DROPPED, Live, open_events
from gangart.control.sources.find import find, layout_of
from gangart.control.sources.gamepad import BLUETOOTH, GAMEPAD
from gangart.control.sources.layout import Axis
from gangart.control.sources.spacemouse import SPACEMOUSE
from gangart.errors import BadRecording, MissingTool
from gangart.signals import BodyPose, Command, Wish

SCALE = Scale(0.25, 0.2, 0.04, 0.6)
GAITS = ("slow-walk", "fast-walk", "trot")
LB, RB, A, B, VIEW = 0x136, 0x137, 0x130, 0x131, 0x13A
Change = tuple[int, int, int]


def frame(at: float, *changes: Change) -> bytes:
    """What a device tells at once: the events and the report that ends them."""
    seconds, micro = divmod(round(at * 1e6), 1_000_000)
    return b"".join(EVENT.pack(seconds, micro, *change) for change in (*changes, (0, 0, 0)))


def recorded(tmp_path: Path, kind: str, *frames: bytes, said: list[str] | None = None) -> InputDevice:
    path = tmp_path / "device.events"
    path.write_bytes(b"".join(frames))
    source = open_source(f"{kind}:{path}", SCALE, GAITS, ([] if said is None else said).append)
    assert isinstance(source, InputDevice)
    return source


# ------------------------------------------------------------------ a recorded gamepad

START = 1_700_000_000.25  # [s] recordings begin at any time


def test_a_recorded_gamepad_drives_as_its_sticks_were_moved(tmp_path: Path):
    said: list[str] = []
    source = recorded(
        tmp_path, "gamepad",
        frame(START, (EV_ABS, 1, -32768)),  # left stick ahead
        frame(START + 1.0, (EV_ABS, 1, 0), (EV_ABS, 0, -32768)),  # to the left
        frame(START + 2.0, (EV_ABS, 0, 0), (EV_ABS, 3, 32767)),  # right stick to the right
        frame(START + 3.0, (EV_ABS, 3, 0)),
        said=said,
    )  # fmt: skip
    assert not source.live
    assert source.read(0.5).velocity == Command(vx=0.25)
    assert source.read(1.5).velocity == Command(vy=0.04)
    assert source.read(2.5).velocity == Command(wz=-0.6)
    assert said == []
    assert source.read(3.0) == Wish()
    assert said == [f"{tmp_path / 'device.events'} ends after 3.0 s: the robot is to stand still"]
    assert not source.read(5.9).quit
    assert source.read(6.0).quit
    assert len(said) == 1


def test_lb_turns_the_sticks_to_the_body_and_the_buttons_select_gaits(tmp_path: Path):
    said: list[str] = []
    source = recorded(
        tmp_path, "gamepad",
        frame(0.0, (EV_KEY, LB, 1), (EV_ABS, 1, -32768), (EV_ABS, 4, -32768), (EV_ABS, 16, -1)),
        frame(1.0, (EV_KEY, LB, 0), (EV_KEY, B, 1)),
        frame(2.0, (EV_KEY, B, 0), (EV_KEY, RB, 1)),
        frame(2.1, (EV_KEY, RB, 2)), frame(2.2, (EV_KEY, RB, 0)), frame(3.0, (EV_KEY, RB, 1)),
        frame(4.0, (EV_KEY, 0x134, 1)),
        frame(5.0, (EV_KEY, VIEW, 1)),
        said=said,
    )  # fmt: skip
    body = SCALE.body
    assert source.read(0.0) == Wish(Command(), BodyPose(y=body.y, z=body.z, pitch=body.pitch))
    assert source.read(1.0) == Wish(Command(vx=0.25), BodyPose(y=body.y), "fast-walk")
    assert source.read(2.0).gait == "trot"
    assert source.read(2.2).gait == "trot"  # a button that is held repeats, and selects once
    assert source.read(3.0).gait == "slow-walk"  # after the last comes the first
    assert source.read(4.0).gait == "slow-walk"
    assert said == ["there is no gait 4; there are 3"]
    assert source.read(5.0).quit


def test_a_stick_left_alone_stops_the_robot_and_says_so_once(tmp_path: Path):
    said: list[str] = []
    later = 3.0 * GAMEPAD.silence
    source = recorded(
        tmp_path, "gamepad",
        frame(0.0, (EV_ABS, 1, -32768)), frame(later, (EV_ABS, 1, -32000)), frame(2 * later, (EV_ABS, 1, 0)), said=said,
    )  # fmt: skip
    assert source.read(GAMEPAD.silence).velocity.vx == 0.25
    for time in (1.001, 1.5, 2.9):
        assert source.read(time * GAMEPAD.silence).velocity == Command()
    assert len(said) == 1
    assert "the gamepad has told nothing for 10 s with a stick pushed" in said[0]
    assert source.read(later).velocity.vx > 0.24  # it moves again
    source.read(2 * later - 0.1)
    assert len(said) == 2  # and is silent anew


def test_a_report_counts_when_it_is_whole(tmp_path: Path):
    half = frame(1.0, (EV_ABS, 1, -32768))[: EVENT.size]
    source = recorded(tmp_path, "gamepad", frame(0.0, (EV_ABS, 1, 0)), half, frame(2.0), frame(3.0))
    assert source.read(1.5).velocity == Command()
    assert source.read(2.0).velocity == Command(vx=0.25)


def test_after_lost_events_the_sticks_count_as_released(tmp_path: Path):
    """The kernel's buffer ran over: the robot must not go on walking because the release was among what was lost."""
    lost = frame(1.0, (0, SYN_DROPPED, 0), (EV_KEY, VIEW, 1), (EV_ABS, 0, -32768))
    ahead = frame(0.0, (EV_ABS, 1, -32768))
    source = recorded(tmp_path, "gamepad", ahead, lost, frame(2.0, (EV_ABS, 0, -32768)), frame(3.0))
    assert source.read(0.5).velocity == Command(vx=0.25)
    assert source.read(1.5) == Wish()  # nor does the rest of the broken report count
    assert source.read(2.0).velocity == Command(vy=0.04)


# ------------------------------------------------------------------ a recorded SpaceMouse


def pushed(at: float, *values: int) -> bytes:
    """A cap that is pushed: three relative axes; the kernel leaves out zeros."""
    return frame(at, *((EV_REL, code, value) for code, value in enumerate(values) if value))


def test_a_recorded_spacemouse_moves_six_ways_at_once(tmp_path: Path):
    frames = []
    for i in range(100):  # one second ahead, left, up, nose down, rolled to the right and turned to the left
        frames += [frame(i * 0.01, (EV_REL, 0, -175), (EV_REL, 1, -175), (EV_REL, 2, -350))]
        frames += [frame(i * 0.01 + 0.005, (EV_REL, 3, -350), (EV_REL, 4, -350), (EV_REL, 5, -175))]
    source = recorded(tmp_path, "spacemouse", *frames, pushed(2.0, 0, -350, 0))
    body = SCALE.body
    wish = source.read(0.5)
    assert min(wish.velocity.vx, wish.velocity.vy, wish.velocity.wz) > 0.0
    assert wish.pose == BodyPose(z=body.z, roll=body.roll, pitch=body.pitch)
    assert wish.velocity.vx / SCALE.forward == pytest.approx(wish.velocity.wz / SCALE.turn)
    assert source.read(0.995 + SPACEMOUSE.release - 0.01).velocity.vx == pytest.approx(wish.velocity.vx)
    assert source.read(0.995 + SPACEMOUSE.release + 0.001) == Wish()  # it was released
    assert source.read(1.999) == Wish()


def test_positions_of_a_newer_spacemouse_hold_until_they_change(tmp_path: Path):
    source = recorded(
        tmp_path, "spacemouse",
        frame(0.0, (EV_ABS, 1, -350)), frame(1.0, (EV_ABS, 1, 0)),
        frame(1.1, (EV_KEY, 0x100, 1), (EV_ABS, 1, 350)), frame(1.2, (EV_KEY, 0x101, 1)), frame(3.0),
    )  # fmt: skip
    assert source.read(0.9).velocity == Command(vx=0.25)
    assert source.read(1.0) == Wish()
    assert source.read(1.15) == Wish(pose=BodyPose(x=-SCALE.body.x))
    assert source.read(1.3).gait == "slow-walk"


# ------------------------------------------------------------------ files that are none


def test_recordings_that_are_none(tmp_path: Path):
    path = tmp_path / "pad.events"
    whole = frame(0.0, (EV_ABS, 1, -32768))
    for data, sentence in (
        (b"", "holds no input event of 24 bytes; cat /dev/input/eventN records some"),
        (whole[:23], "holds no input event"),
        (whole + b"gangart is no event, is it?", "there is none at byte 48"),
    ):
        path.write_bytes(data)
        with pytest.raises(BadRecording, match=sentence):
            open_source(f"gamepad:{path}", SCALE)


def test_a_recording_that_was_cut_off_is_used_as_far_as_it_goes(tmp_path: Path):
    said: list[str] = []
    data = frame(0.0, (EV_ABS, 1, -32768)) + frame(1.0, (EV_ABS, 1, 0))
    source = recorded(tmp_path, "gamepad", data[:-30], said=said)
    assert said == [f"{tmp_path / 'device.events'} is cut off: its last 18 bytes are no whole event"]
    assert source.read(0.0) == Wish()  # the one whole report, and the end


WITHIN = {"vx": (-0.2, 0.25), "vy": (-0.04, 0.04), "wz": (-0.6, 0.6)}


def check(wish: Wish) -> None:
    for name, (low, high) in WITHIN.items():
        assert low - 1e-12 <= getattr(wish.velocity, name) <= high + 1e-12
    for name in ("x", "y", "z", "roll", "pitch", "yaw"):
        assert abs(getattr(wish.pose, name)) <= getattr(SCALE.body, name)
    assert wish.gait in (None, *GAITS)


SOME = st.builds(
    EVENT.pack,
    st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3),
    st.integers(0, 999_999),
    st.integers(0, 5),
    st.integers(0, 8) | st.sampled_from([LB, RB, A, VIEW, 0x100, 0x101]),
    st.integers(-(2**31), 2**31 - 1),
)


@given(st.sampled_from(["gamepad", "spacemouse"]), st.lists(SOME, max_size=60))
def test_any_events_stay_within_the_scale(tmp_path_factory, kind, events):
    path = tmp_path_factory.getbasetemp() / "any.events"
    path.write_bytes(b"".join(events) + frame(4.0))
    source = open_source(f"{kind}:{path}", SCALE, GAITS, lambda _: None)
    for time in (0.0, 0.5, 2.0, 1e6, 1e19):
        check(source.read(time))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_recording_or_a_sentence(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.events"
    path.write_bytes(data)
    try:
        source = open_source(f"gamepad:{path}", SCALE, GAITS, lambda _: None)
    except BadRecording as error:
        sentence = str(error)
    else:
        sentence = str(path)
        check(source.read(1e9))
    assert str(path) in sentence


# ------------------------------------------------------------------ a virtual device


@pytest.fixture
def pipe(tmp_path: Path):
    path = tmp_path / "pad"
    os.mkfifo(path)
    return path


def test_a_gamepad_through_a_pipe(pipe: Path):
    said: list[str] = []
    with open_source(f"gamepad:{pipe}", SCALE, GAITS, said.append) as source:
        assert source.live
        assert source.read(0.0) == Wish()  # nobody writes yet
        writer = os.open(pipe, os.O_WRONLY)
        data = frame(0.0, (EV_ABS, 1, -32768)) + frame(0.0, (EV_KEY, A, 1))
        os.write(writer, data[:40])  # a pipe may cut an event in two
        assert source.read(1.0) == Wish()
        os.write(writer, data[40:])
        assert source.read(2.0) == Wish(Command(vx=0.25), gait="slow-walk")
        assert source.read(2.1) == Wish(Command(vx=0.25), gait="slow-walk")  # held
        os.close(writer)
        assert source.read(3.0) == source.read(4.0) == Wish(gait="slow-walk")
        assert said == [f"{pipe} was closed at its other end: the robot is to stand still"]
        assert not source.read(100.0).quit  # the one who steers may come back to quit by other means
    source.close()


def test_a_flood_holds_nobody_up(pipe: Path):
    source = open_source(f"gamepad:{pipe}", SCALE, GAITS, lambda _: None)
    writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    jitter = b"".join(EVENT.pack(0, 0, EV_ABS, 1, i) for i in range(100))  # without a report, and without an end
    for _ in range(200):
        with contextlib.suppress(BlockingIOError):
            os.write(writer, jitter)
        start = clock.perf_counter()
        check(source.read(0.0))
        assert clock.perf_counter() - start < 0.1
    os.close(writer)
    source.close()


class Kernel:
    """Answers the ioctls of the input layer as linux/input.h defines them."""

    def __init__(self, axes: dict[int, tuple[int, int, int]], keys: set[int]) -> None:
        self.axes, self.keys = axes, keys

    def ioctl(self, _file: int, request: int, _buffer: bytes) -> bytes:
        for code, (value, low, high) in self.axes.items():
            if request == 0x80184540 + code:  # EVIOCGABS
                return struct.pack("6i", value, low, high, 16, 128, 0)
        if request == 0x80604518:  # EVIOCGKEY(96)
            return sum(1 << key for key in self.keys).to_bytes(96, "little")
        raise OSError(25, "Inappropriate ioctl for device")


def test_a_device_tells_its_ranges_and_its_state_after_lost_events(pipe: Path, monkeypatch: pytest.MonkeyPatch):
    kernel = Kernel({0: (128, 0, 255), 1: (0, 0, 255)}, {LB})
    monkeypatch.setattr(fcntl, "ioctl", kernel.ioctl)
    source = open_source(f"gamepad:{pipe}", SCALE, GAITS)
    assert source.read(0.0) == Wish()  # a stick that says 0 of 0…255 before it was ever moved is not pushed
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, frame(0.0, (EV_ABS, 1, 0)))
    assert source.read(1.0).velocity == Command(vx=0.25)
    kernel.axes[1] = (255, 0, 255)
    os.write(writer, frame(0.0, (0, SYN_DROPPED, 0)))
    assert source.read(2.0) == Wish(pose=BodyPose(pitch=-SCALE.body.pitch))
    os.close(writer)
    source.close()


def test_a_device_that_is_unplugged_stops_the_robot(pipe: Path, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    source = open_source(f"gamepad:{pipe}", SCALE, GAITS, said.append)
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, frame(0.0, (EV_ABS, 1, -32768)))
    assert source.read(0.0).velocity.vx > 0.0

    def gone(*_: object) -> bytes:
        raise OSError(19, "No such device")

    monkeypatch.setattr(os, "read", gone)
    assert source.read(0.1) == source.read(0.2) == Wish()
    assert said == [f"{pipe} is unplugged: the robot is to stand still"]
    os.close(writer)
    source.close()


# ------------------------------------------------------------------ which devices there are

XBOX = {"name": "Microsoft X-Box One S pad", "vendor": "045e", "product": "02ea", "key": "7cdb000000000000 0 0 0 0",
        "abs": "3003f", "rel": "0"}  # fmt: skip
BY_AIR = {**XBOX, "name": "Xbox Wireless Controller", "product": "02e0", "abs": "30627"}
NAVIGATOR = {"name": "3Dconnexion SpaceNavigator", "vendor": "046d", "product": "c626", "key": "3 0 0 0 0", "abs": "0",
             "rel": "3f"}  # fmt: skip
COMPACT = {**NAVIGATOR, "name": "3Dconnexion SpaceMouse Compact", "vendor": "256f", "product": "c635", "abs": "3f",
           "rel": "0"}  # fmt: skip
MOUSE = {"name": "Logitech USB Optical Mouse", "vendor": "046d", "product": "c077", "key": "70000 0 0 0 0", "abs": "0",
         "rel": "903"}  # fmt: skip


@pytest.fixture
def plugged(tmp_path: Path):
    """Plug devices into a /sys and a /dev of our own."""

    def plug(*described: dict[str, str]) -> tuple[Path, Path]:
        for i, about in enumerate(described):
            device = tmp_path / "sys" / f"event{i + 7}" / "device"
            for folder in ("id", "capabilities"):
                (device / folder).mkdir(parents=True)
            for name, text in about.items():
                inside = {"name": "", "vendor": "id", "product": "id"}.get(name, "capabilities")
                (device / inside / name).write_text(f"{text}\n", encoding="utf-8")
            (tmp_path / "dev").mkdir(exist_ok=True)
            (tmp_path / "dev" / f"event{i + 7}").touch()
        return tmp_path / "sys", tmp_path / "dev"

    return plug


def test_devices_are_found_by_what_they_can(plugged):
    places = plugged(MOUSE, NAVIGATOR, XBOX, COMPACT)
    assert find("gamepad", *places).name == XBOX["name"]
    assert find("gamepad", *places).path == places[1] / "event9"
    assert find("spacemouse", *places).name == NAVIGATOR["name"]


@pytest.mark.parametrize("about", [NAVIGATOR, COMPACT])
def test_old_and_new_spacemice_are_found(plugged, about):
    assert find("spacemouse", *plugged(MOUSE, XBOX, about)).name == about["name"]


def test_by_bluetooth_the_right_stick_has_other_codes(plugged):
    assert layout_of("gamepad", find("gamepad", *plugged(BY_AIR))) is BLUETOOTH

    def codes(axes: tuple[Axis, ...]) -> list[int]:
        return [axis.code for axis in axes]

    assert codes(BLUETOOTH.axes) == [{3: 2, 4: 5}.get(code, code) for code in codes(GAMEPAD.axes)]


def test_by_cable_it_has_the_usual_ones(plugged):
    assert layout_of("gamepad", find("gamepad", *plugged(XBOX))) is GAMEPAD


def test_what_is_not_connected_is_said_with_what_is(plugged, tmp_path: Path):
    with pytest.raises(
        MissingTool, match=r"no gamepad is connected; input devices that are: none. 'gamepad:PATH' takes"
    ):
        find("gamepad", tmp_path / "no", tmp_path / "no")
    with pytest.raises(MissingTool, match=r"no spacemouse is connected; .*: 'Logitech USB Optical Mouse'"):
        find("spacemouse", *plugged(MOUSE))


def test_who_may_not_read_a_device_learns_how(plugged, monkeypatch: pytest.MonkeyPatch):
    places = plugged(XBOX)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(
        MissingTool, match=r"'Microsoft X-Box One S pad' is .*event7, which you may not read; add yourself"
    ):
        find("gamepad", *places)

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(MissingTool, match=r"may not be read by you; .*: sudo usermod -aG input \$USER"):
        Live(places[1] / "event7")


# ------------------------------------------------------------------ a device of the kernel itself


@pytest.mark.skipif(not os.access("/dev/uinput", os.W_OK), reason="/dev/uinput is not there, or not for us")
def test_a_virtual_gamepad_of_the_kernel():
    ui = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
    try:
        for bit in (EV_KEY, EV_ABS):
            fcntl.ioctl(ui, 0x40045564, bit)  # UI_SET_EVBIT
        for key in (A, B, LB):
            fcntl.ioctl(ui, 0x40045565, key)  # UI_SET_KEYBIT
        low, high = [0] * 64, [0] * 64
        for axis in (0, 1, 3, 4):
            fcntl.ioctl(ui, 0x40045567, axis)  # UI_SET_ABSBIT
            low[axis], high[axis] = -1000, 1000
        about = struct.pack("80s4HI", b"gangart test pad", 6, 0x45E, 0x2EA, 1, 0)
        os.write(ui, about + struct.pack("256i", *high, *low, *[0] * 128))
        fcntl.ioctl(ui, 0x5501)  # UI_DEV_CREATE
        clock.sleep(0.5)  # until /dev has it
        device = find("gamepad")
        with InputDevice(open_events(device.path, print), layout_of("gamepad", device), SCALE, GAITS) as source:
            os.write(ui, frame(0.0, (EV_ABS, 1, -1000), (EV_KEY, A, 1)))
            clock.sleep(0.05)
            assert source.read(0.1) == Wish(Command(vx=0.25), gait="slow-walk")
            fcntl.ioctl(ui, 0x5502)  # UI_DEV_DESTROY
            clock.sleep(0.05)
            assert source.read(0.2).velocity == Command()
    finally:
        os.close(ui)
