"""The keyboard, on a terminal of its own."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
import time as clock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.control.sources import Keyboard, Scale, open_source
from gangart.control.sources.keyboard import FIRST, OTHERS, POSE, REPEAT, WALK, table
from gangart.errors import BadValue, MissingTool
from gangart.signals import BodyPose, Command, Wish

SCALE = Scale(0.25, 0.2, 0.04, 0.6)
GAITS = ("walk", "trot")
HALF = Command(vx=0.125)


class Terminal:
    """A pseudoterminal: the side of the fingers and the side of the program."""

    def __init__(self) -> None:
        self.fingers, self.program = pty.openpty()

    def type(self, keys: str | bytes) -> None:
        os.write(self.fingers, keys.encode() if isinstance(keys, str) else keys)
        clock.sleep(0.002)

    def close(self) -> None:
        for file in (self.fingers, self.program):
            with contextlib.suppress(OSError):
                os.close(file)


@pytest.fixture
def terminal():
    made = Terminal()
    yield made
    made.close()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def keyboard(terminal: Terminal, said: list[str]):
    with Keyboard(SCALE, GAITS, said.append, terminal=terminal.program) as made:
        yield made


def test_the_robot_walks_as_long_as_a_key_is_held(terminal: Terminal, keyboard: Keyboard):
    assert keyboard.read(0.0) == Wish()
    terminal.type("w")
    assert keyboard.read(1.0).velocity == HALF
    assert keyboard.read(1.0 + FIRST - 0.01).velocity == HALF  # the first repetition lets wait
    times = [1.66 + 0.033 * i for i in range(60)]
    for time in times:
        terminal.type("w")
        assert keyboard.read(time).velocity == HALF
    assert keyboard.read(times[-1] + REPEAT - 0.01).velocity == HALF
    assert keyboard.read(times[-1] + REPEAT + 0.01).velocity == Command()


def test_a_key_that_is_tapped_lets_it_walk_for_a_moment(terminal: Terminal, keyboard: Keyboard):
    terminal.type("w")
    keyboard.read(0.0)
    assert keyboard.read(FIRST + 0.01).velocity == Command()


def test_another_key_is_another_direction(terminal: Terminal, keyboard: Keyboard):
    terminal.type("w")
    assert keyboard.read(0.0).velocity == HALF
    terminal.type("d")
    assert keyboard.read(0.5).velocity == Command(wz=-0.3)
    assert keyboard.read(0.5 + FIRST - 0.01).velocity == Command(wz=-0.3)  # it has its own first repetition
    assert keyboard.read(0.5 + FIRST + 0.01).velocity == Command()


@pytest.mark.parametrize("key", [b" ", b"x", b"\x1b", b"#", b"\x1bx", b"\x1b[5~", b"\xc3\xa4", b"\r"])
def test_space_and_whatever_is_no_walk_key_stops_at_once(terminal: Terminal, keyboard: Keyboard, key: bytes):
    terminal.type("w")
    assert keyboard.read(0.0).velocity == HALF
    terminal.type(key)
    assert keyboard.read(0.01).velocity == Command()
    assert keyboard.read(0.02).quit is (key == b"x")


@pytest.mark.parametrize(("key", "shares"), WALK.items())
def test_every_walk_key_does_what_its_table_says(terminal: Terminal, keyboard: Keyboard, key: str, shares):
    arrows = {"up": "\x1b[A", "down": "\x1bOB", "right": "\x1b[C", "left": "\x1bOD"}  # both modes of terminals
    terminal.type("+" * 20 + arrows.get(key, key))
    assert keyboard.read(0.0).velocity == SCALE.velocity(shares)


def test_an_arrow_may_come_in_pieces(terminal: Terminal, keyboard: Keyboard):
    """As a network may deliver it; its last letter alone would be another key."""
    for piece in (b"\x1b", b"["):
        terminal.type(piece)
        assert keyboard.read(0.0) == Wish()
    terminal.type(b"A")
    assert keyboard.read(0.1).velocity == HALF


def test_the_body_stays_where_the_keys_put_it(terminal: Terminal, keyboard: Keyboard):
    terminal.type("rrrrfo")
    body = SCALE.body
    assert keyboard.read(0.0).pose == keyboard.read(99.0).pose == BodyPose(z=0.3 * body.z, roll=0.1 * body.roll)
    terminal.type("r" * 30)
    assert keyboard.read(100.0).pose.z == body.z
    terminal.type("0")
    assert keyboard.read(101.0).pose == BodyPose()


@pytest.mark.parametrize(("key", "moves"), POSE.items())
def test_every_body_key_does_what_its_table_says(terminal: Terminal, keyboard: Keyboard, key: str, moves):
    name, sign = moves
    terminal.type(key)
    assert keyboard.read(0.0).pose == BodyPose(**{name: sign * 0.1 * getattr(SCALE.body, name)})


def test_digits_select_gaits(terminal: Terminal, keyboard: Keyboard, said: list[str]):
    terminal.type("2")
    assert keyboard.read(0.0).gait == "trot"
    terminal.type("3")
    assert keyboard.read(1.0).gait == "trot"
    assert said == ["there is no gait 3; there are 2"]


def test_plus_and_minus_stay_between_a_tenth_and_all(terminal: Terminal, keyboard: Keyboard):
    for keys, vx in (("+w", 0.15), ("-" * 20 + "w", 0.025), ("+" * 20 + "w", 0.25)):
        terminal.type(keys)
        assert keyboard.read(0.0).velocity.vx == pytest.approx(vx)


def test_a_terminal_that_is_gone_stops_the_robot(terminal: Terminal, keyboard: Keyboard, said: list[str]):
    terminal.type("w")
    assert keyboard.read(0.0).velocity == HALF
    os.close(terminal.fingers)
    assert keyboard.read(0.01).velocity == keyboard.read(0.02).velocity == Command()
    assert said == ["the terminal is gone: the robot is to stand still"]


def test_the_terminal_is_given_back_as_it_was(terminal: Terminal):
    before = termios.tcgetattr(terminal.program)
    with Keyboard(SCALE, terminal=terminal.program) as keyboard:
        changed = termios.tcgetattr(terminal.program)
        assert not changed[3] & (termios.ECHO | termios.ICANON)
        assert changed[3] & termios.ISIG  # Ctrl-C is Ctrl-C
        assert changed[1] == before[1]  # lines end as before
    assert termios.tcgetattr(terminal.program) == before
    keyboard.close()
    assert keyboard.read(0.0) == Wish()
    with pytest.raises(ZeroDivisionError), Keyboard(SCALE, terminal=terminal.program):
        raise ZeroDivisionError
    assert termios.tcgetattr(terminal.program) == before


def test_no_terminal_no_keyboard(monkeypatch: pytest.MonkeyPatch):
    readable, writable = os.pipe()
    with pytest.raises(MissingTool, match="the source 'keyboard' needs a terminal"):
        Keyboard(SCALE, terminal=readable)
    os.close(readable)
    os.close(writable)
    with pytest.raises(BadValue, match="one word too many"):
        open_source("keyboard:x", SCALE)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=10))
def test_whatever_is_typed_is_within_the_scale(pieces):
    terminal = Terminal()
    try:
        with Keyboard(SCALE, GAITS, lambda _: None, terminal=terminal.program) as keyboard:
            for i, piece in enumerate(pieces):
                safe = piece.translate(None, b"\x03\x1c")  # what sends a signal to whoever owns the terminal
                os.write(terminal.fingers, safe)
                wish = keyboard.read(0.01 * i)
                assert -0.2 <= wish.velocity.vx <= 0.25
                assert abs(wish.pose.yaw) <= SCALE.body.yaw
            os.write(terminal.fingers, b"\r\r 1")  # and it has not lost its hearing
            clock.sleep(0.002)
            assert keyboard.read(5.0).gait == "walk"
    finally:
        terminal.close()


def test_the_table_names_every_key_once():
    named = [key for keys, _ in table() for key in keys.split(", ")]
    assert sorted(named) == sorted([*WALK, *POSE, *OTHERS])


CHILD = """
import sys, time
from gangart.control.sources import Scale, open_source
with open_source("keyboard", Scale(0.2, 0.2, 0.1, 0.5)) as source:
    print("ready", flush=True)
    while True:
        source.read(time.monotonic())
        time.sleep(0.01)
"""


def test_ctrl_c_ends_a_program_and_gives_the_terminal_back(terminal: Terminal):
    before = termios.tcgetattr(terminal.program)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=terminal.program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    assert termios.tcgetattr(terminal.program) != before
    child.send_signal(signal.SIGINT)
    assert child.wait(10) in (-signal.SIGINT, 1, 130)
    assert termios.tcgetattr(terminal.program) == before
    child.stdout.close()
