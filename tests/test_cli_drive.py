"""gangart drive: from a device to a robot that walks, and back to the terminal."""

from __future__ import annotations

import fcntl
import json
import math
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.test_sources_devices import frame

from gangart.cli import COMMANDS, drive
from gangart.cli.status import line, speed
from gangart.control import BipedEngine
from gangart.control.sources import Scale, Script, Steering, help_of
from gangart.control.sources.keyboard import WALK
from gangart.errors import BadRobot, BadValue
from gangart.robots import load
from gangart.signals import BodyPose, Command, Wish
from gangart.simulation import Pace, World, simulate

TOUR = """
[[wish]]
at = 0.2
vx = 0.15

[[wish]]
at = 3.0

[[wish]]
at = 4.0
quit = true
"""
DOC = (Path(__file__).parents[1] / "docs" / "command-line.md").read_text(encoding="utf-8")


def test_a_script_is_walked_until_it_quits(gangart_says: Any, tmp_path: Path) -> None:
    (tmp_path / "tour.toml").write_text(TOUR, encoding="utf-8")
    args = ("drive", "nao", "--source", "script:tour.toml", "--speed", "0", "--record", "run.mcap", "--json")
    code, out, err = gangart_says(*args)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["duration"] == pytest.approx(4.01, abs=0.011)
    assert found["speed_per_second"][2] == pytest.approx(0.15, abs=0.03)
    assert found["distance"] > 0.2
    assert not found["fell"]
    assert found["real_time"] > 0.0
    assert set(found) <= set(re.findall(r"`(\w+)`", DOC))
    code, out, _ = gangart_says("analyze", "run.mcap", "--json")
    assert json.loads(out)["distance"] == pytest.approx(found["distance"])


def test_a_recorded_gamepad_gives_the_same_walk_again(gangart_says: Any, tmp_path: Path) -> None:
    (tmp_path / "pad").write_bytes(frame(0.0, (3, 1, -32768)) + frame(2.0, (3, 1, 0)))
    args = ("drive", "nao", "--source", "gamepad:pad", "--speed", "0", "--for", "3", "--json")
    code, first, err = gangart_says(*args)
    assert code == 0
    assert err == "gangart: pad ends after 2.0 s: the robot is to stand still\n"
    again = gangart_says(*args)[1]
    assert [json.loads(text)["distance"] for text in (first, again)] == [json.loads(first)["distance"]] * 2
    assert json.loads(first)["distance"] > 0.1


def test_a_program_steers_through_a_socket(gangart_says: Any) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = threading.Event()

    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while not done.wait(0.02):
                sender.sendto(b'{"vx": 0.2, "gait": null}', ("127.0.0.1", port))

    thread = threading.Thread(target=send)
    thread.start()
    try:
        code, out, err = gangart_says(
            "drive", "nao", "--source", f"socket:{port}", "--for", "3", "--speed", "0", "--json"
        )
    finally:
        done.set()
        thread.join()
    assert (code, err) == (0, "")  # half a second without a message would have been told
    assert json.loads(out)["distance"] > 0.15


def test_a_robot_of_four_legs_is_driven_in_a_gait_and_told_of_its_limits(gangart_says: Any, tmp_path: Path) -> None:
    (tmp_path / "tour.csv").write_text("at,vx\n0,0.3\n0.5,0.4\n", encoding="utf-8")
    args = ("drive", "quadruped", "--source", "script:tour.csv", "--speed", "0", "--for", "2")
    code, out, err = gangart_says(*args)
    assert code == 0
    assert "forward +0.3 m/s is beyond the limit of" in err  # of the slow walk
    assert re.search(r"fell +no", out)
    found = json.loads(gangart_says(*args, "--gait", "reactive-trot", "--json")[1])
    assert found["gait"] == "reactive-trot"
    assert (found["fell"], found["notes"]) == (False, [])
    assert found["distance"] > 0.2
    code, _, err = gangart_says("drive", "quadruped", "--gait", "trott")
    assert (code, err) == (2, "gangart: no gait 'trott'; did you mean 'trot'?\n")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--for", "0"), "--for is 0 s; it has to be above 0 and below 100000"),
        (("--for", "nan"), "--for is nan s; it has to be above 0 and below 100000"),
        (("--gait", "trot"), "--gait is trot, and nao has no gaits to choose from; leave it out"),
        (("--speed", "-1"), "speed is -1; it has to lie in 0…1000, where 1 is real time and 0 does not wait"),
        (("--source", "mouse"), "no command source 'mouse'; did you mean 'spacemouse'?"),
        (("--source", "script:no.toml"), "'no.toml' does not exist; give the path of a script (.toml or .csv)"),
        (("--friction", "-1"), "ground friction is -1; it has to lie in 0…10, above 0"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(gangart_says: Any, args: tuple[str, ...], sentence: str) -> None:
    assert gangart_says("drive", "nao", *args) == (2, "", f"gangart: {sentence}\n")


# ------------------------------------------------------------------ on a terminal


MAIN = "from gangart.cli import main; main()"


class Driver:
    """Somebody at a terminal who drives the Nao."""

    def __init__(self, folder: Path) -> None:
        self.fingers, self.screen = pty.openpty()
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("4H", 50, 160, 0, 0))
        self.before = termios.tcgetattr(self.screen)
        self.seen = b""
        ends = dict.fromkeys(("stdin", "stdout", "stderr"), self.screen)
        command = [sys.executable, "-c", MAIN, "drive", "nao", "--for", "60", "--record", "run.mcap"]
        self.child = subprocess.Popen(command, cwd=folder, **ends)

    def look(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if select.select([self.fingers], [], [], 0.01)[0]:
                self.seen += os.read(self.fingers, 65536)

    def look_for(self, text: str, patience: float = 90.0) -> None:
        until = time.monotonic() + patience
        while text.encode() not in self.seen:
            waited = self.child.poll() is None and time.monotonic() < until
            assert waited, self.seen.decode(errors="replace")
            self.look(0.05)

    def end(self) -> int:
        until = time.monotonic() + 30.0
        while self.child.poll() is None and time.monotonic() < until:
            self.look(0.05)
        self.look(0.05)
        return self.child.wait(1.0)

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.fingers)
        os.close(self.screen)


@pytest.fixture
def driver(tmp_path: Path):
    made = Driver(tmp_path)
    yield made
    made.close()


def test_somebody_drives_with_the_keyboard_and_quits(driver: Driver) -> None:
    driver.look_for("real time")
    assert b"walk ahead" in driver.seen  # what the keys do
    until = time.monotonic() + 60.0
    while not re.search(rb"ahead +\+125 \xe2", driver.seen) and time.monotonic() < until:  # however busy the machine is
        os.write(driver.fingers, b"w")
        driver.look(0.03)
    os.write(driver.fingers, b"2x")
    assert driver.end() == 0
    assert termios.tcgetattr(driver.screen) == driver.before
    text = driver.seen.decode()
    assert re.search(r"ahead +\+125 → ", text)
    assert "gangart: there is no gait 2; this robot has nothing to select" in text
    assert "steered by keyboard" in text


def test_who_terminates_the_drive_gets_the_terminal_back(driver: Driver, tmp_path: Path) -> None:
    driver.look_for("real time")
    assert termios.tcgetattr(driver.screen) != driver.before
    driver.child.send_signal(signal.SIGTERM)
    assert driver.end() == 143
    assert termios.tcgetattr(driver.screen) == driver.before
    assert (tmp_path / "run.mcap").read_bytes().endswith(b"\x89MCAP0\r\n")  # and a recording that is whole


# ------------------------------------------------------------------ the parts


class Wall:
    """A clock that only goes on while somebody sleeps, or as it is told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_the_pace_is_that_of_the_wall_clock(factor: float) -> None:
    wall, said = Wall(), list[str]()
    pace = Pace(factor, said.append, clock=lambda: wall.now, sleep=wall.sleep)
    for i in range(501):
        pace.wait(2.0 + i * 0.01)
        wall.now += 0.001 / factor  # work
    assert wall.now - 100.0 == pytest.approx((5.0 + 0.001) / factor)
    assert pace.achieved(7.0) == pytest.approx(factor, rel=1e-3)
    assert (said, pace.lost) == ([], 0.0)


def test_who_cannot_keep_up_says_so_once_and_does_not_hurry_afterwards() -> None:
    wall, said = Wall(), list[str]()
    pace = Pace(1.0, said.append, clock=lambda: wall.now, sleep=wall.sleep)
    for i in range(200):
        pace.wait(i * 0.01)
        wall.now += 0.02  # twice as slow
    assert said == ["this machine cannot keep up with 1 times real time; it goes on more slowly"]
    assert pace.achieved(2.0) == pytest.approx(0.5, rel=0.01)
    before = wall.now
    for i in range(200, 300):
        pace.wait(i * 0.01)
    assert wall.now - before == pytest.approx(1.0, abs=0.2)
    assert len(said) == 1


def test_at_speed_0_nobody_waits() -> None:
    wall = Wall()
    pace = Pace(0.0, print, clock=lambda: wall.now, sleep=wall.sleep)
    assert math.isnan(pace.achieved(0.0))
    for i in range(100):
        pace.wait(i * 0.01)
    assert wall.slept == 0.0
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(BadValue, match="0 does not wait"):
            Pace(wrong, print)


ARC = [(0.1 * i, math.sin(0.03 * i), 1.0 - math.cos(0.03 * i), 0.03 * i + 3.1) for i in range(9)]


def test_the_speed_of_a_circle_is_that_of_its_tangent() -> None:
    """0.3 rad/s on a radius of 1 m; the base looks 3.1 rad to the left of its way, and over the seam at 180°."""
    ahead, aside, turn = speed([(t, x, y, math.remainder(yaw, math.tau)) for t, x, y, yaw in ARC])
    assert (ahead, aside) == pytest.approx((0.3 * math.cos(3.1), -0.3 * math.sin(3.1)), abs=1e-3)
    assert turn == pytest.approx(0.3)
    assert speed(ARC[:1]) == (0.0, 0.0, 0.0)


def test_the_line_says_what_is_wanted_and_what_is_done() -> None:
    wish = Wish(Command(0.1, -0.02, 0.5), gait="trot")
    assert line(12.34, wish, (0.099, -1e-6, 0.0), 0.997) == (
        "  12.3 s   1.00 × real time   ahead +100 →  +99 mm/s   aside  -20 →   +0 mm/s   turn +29 →  +0 °/s   trot"
    )


class Dancer(BipedEngine):
    """An engine that takes more than a velocity."""

    gaits = ("walk", "waltz")

    def obey(self, wish: Wish) -> None:
        self.heard = [*getattr(self, "heard", []), wish]


ENTRIES = [(0.0, Wish(Command(0.1))), (0.05, Wish(pose=BodyPose(z=-0.01), gait="waltz")), (0.2, Wish(quit=True))]


def test_an_engine_that_takes_more_gets_pose_and_gait(nao) -> None:
    engine, said = Dancer(nao), list[str]()
    steering = Steering(Script(ENTRIES), engine, said.append)
    world = World(nao)
    world.reset(*engine.stance())
    recording = simulate(world, engine, steering, 10.0, until=lambda: steering.wish.quit)
    assert recording.duration == pytest.approx(0.21, abs=0.011)
    assert {wish.gait for wish in engine.heard} == {None, "waltz"}
    assert engine.heard[-1].quit
    assert said == []


def test_what_an_engine_does_not_take_is_said_once(nao) -> None:
    said: list[str] = []
    steering = Steering(Script(ENTRIES), BipedEngine(nao), said.append)
    assert [steering(0.01 * i).vx for i in range(8)] == [0.1] * 5 + [0.0] * 3
    assert said == ["this robot's engine takes a velocity only: poses of the body and gaits are ignored"]


# ------------------------------------------------------------------ what the texts say


def test_the_help_names_every_walk_key() -> None:
    named = re.search(r"On the keyboard, (.*?) and the arrows", drive.drive.__doc__ or "")
    assert named
    assert set(named[1].split(", ")) == {key for key in WALK if len(key) == 1}


def test_units_are_seen_in_every_help(gangart_says: Any) -> None:
    """Square brackets are markup for the help, and swallow a unit that is not escaped."""
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2]
        _, out, _ = gangart_says(name, "--help")
        assert not re.search(r"\w \.(?!\w)", out), name


def test_the_docs_list_every_key_button_and_axis() -> None:
    text = (Path(__file__).parents[1] / "docs" / "driving.md").read_text(encoding="utf-8")
    for kind in ("keyboard", "gamepad", "spacemouse"):
        section = text.partition(f"## {kind.capitalize()}")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", section, re.MULTILINE)
        assert rows == help_of(kind), kind
    assert help_of("socket:1") == help_of("script:x") == []


def test_scale_of_the_nao_is_its_limits(nao) -> None:
    assert Scale.of(nao) == Scale(0.25, 0.2, 0.04, 0.6)


def test_scale_of_a_robot_with_gaits_is_its_fastest() -> None:
    robot = load("quadruped")
    scale = Scale.of(robot)
    assert scale.forward == max(gait.forward for gait in robot.gaits.values())
    assert scale.turn == max(gait.turn for gait in robot.gaits.values())
    with pytest.raises(BadRobot, match=r"neither \[walk\] nor \[gaits\]"):
        Scale.of(replace(robot, gaits={}))


def test_of_many_notes_a_few_are_said() -> None:
    notes = [f"note {i}" for i in range(9)]
    assert drive._few([*notes[:3], ""]) == notes[:3]
    assert drive._few(notes) == [*notes[:4], "and 5 more like these; --json holds them all"]
