"""Machines that explode: they are named, the run ends cleanly, and what happened until then is kept."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangart.analysis.diagnosis import diagnose
from gangart.control import BipedEngine
from gangart.errors import BadValue
from gangart.identification import worn as search_worn
from gangart.recordings import load as load_recording
from gangart.robots import Robot
from gangart.robots.wear import load_wear
from gangart.signals import Command, Recording
from gangart.simulation import FULL, Push, World, simulate
from gangart.simulation.explosion import explosion, first_mad

SAID = r"the simulation exploded: joint (\S+): (\S+) rad/s at t = (\d+\.\d+) s; .*softer gains and springs"


def endless(robot: Robot) -> Robot:
    """A robot whose battery limits nothing: gains that are too high can do their worst."""
    return replace(robot, motors={name: replace(motor, supply=1e6) for name, motor in robot.motors.items()})


def walk(robot: Robot, gain: float, record: Path | None = None, duration: float = 2.0) -> Recording:
    engine = BipedEngine(robot)
    world = World(robot, FULL, wear=replace(load_wear(robot, "bert"), proportional=gain))
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, Command(0.2), duration, record=record)


def test_an_explosion_is_named_and_the_recording_goes_up_to_it(nao: Robot, tmp_path: Path) -> None:
    r = walk(endless(nao), 1e9, tmp_path / "run.mcap")
    found = re.fullmatch(SAID, r.info["diverged"])
    assert found
    assert found[1] in nao.joints
    assert float(found[2]) >= 1e4
    assert 500 < len(r) < 2000
    assert r.time[-1] == pytest.approx(float(found[3]), abs=2e-3)
    assert all(np.isfinite(values).all() for values in r.columns().values())
    assert np.abs(r.velocity).max() < 1e4
    again = load_recording(tmp_path / "run.mcap")
    assert again.info["diverged"] == r.info["diverged"]
    assert "truncated" not in again.info or not again.info["truncated"]
    for name, values in r.columns().items():  # a file tells nanoseconds apart, and turns velocities into its own frame
        np.testing.assert_allclose(values, getattr(again, name), rtol=1e-9, atol=1e-9)


def test_a_gain_a_thousand_times_too_high_only_chatters(nao: Robot) -> None:
    """With the battery that the robot has; controllers see the joint's side of the gear."""
    r = walk(nao, 1000.0 * load_wear(nao, "bert").proportional)
    assert r.info["diverged"] is None
    assert len(r) == 2000
    assert np.abs(r.velocity).max() < 20.0


def test_an_explosion_before_the_walk_leaves_the_instant_at_which_it_should_have_begun(
    nao: Robot, tmp_path: Path
) -> None:
    r = walk(endless(nao), 1e11, tmp_path / "run.mcap")
    assert re.search(r"joint \S+: .* while it came to rest, before the walk", r.info["diverged"])
    assert len(r) == 1
    assert r.time[0] == 0.0
    assert all(np.isfinite(values).all() for values in r.columns().values())
    assert len(load_recording(tmp_path / "run.mcap")) == 1


def test_a_world_that_has_exploded_can_be_used_again(nao: Robot) -> None:
    engine = BipedEngine(nao)
    world = World(nao)
    before = []
    for push in (None, Push(0.5, 0.05, (0.0, 1e8, 0.0)), None):
        world.reset(*engine.stance())
        if push:
            world.push(push)
        before.append(simulate(world, engine, Command(0.2), 1.0))
    assert re.search(r"joint \S+: .*/s at t = 0\.5\d\d s", before[1].info["diverged"])
    assert before[2].info["diverged"] is None
    np.testing.assert_array_equal(before[0].position, before[2].position)


def test_the_fastest_joint_is_named_in_its_unit(nao: Robot) -> None:
    """Also where speeds are no numbers any more: then it is the one that went first."""
    model = World(nao).model
    for name, column, unit in (("base", 1, "m/s"), ("base", 4, "rad/s"), ("LKneePitch", 0, "rad/s")):
        states = np.zeros((2, 1 + model.nq + model.nv))
        states[:, 0] = 0.829, 0.83
        dof = int(model.joint(name).dofadr[0]) + column
        for value, said in ((4e5, "4e+05"), (np.nan, "inf"), (-np.inf, "inf")):
            states[1, 1 + model.nq + dof] = value
            assert first_mad(states, model.nq, model.nv, 0.001) == 1
            assert f"joint {name}: {said} {unit} at t = 0.829 s" in explosion(model, states, 0.001)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[float], Path]:
    """A user's folder with a Nao whose battery limits nothing, and a gain of its own."""

    def make(gain: float) -> Path:
        from gangart.robots import load

        place = tmp_path / "mine"
        shutil.copytree(load("nao").folder, place)
        for name, key, value in (("robot.toml", "supply", "1e6"), ("worn.toml", "proportional", repr(gain))):
            text = (place / name).read_text(encoding="utf-8")
            text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
            assert count
            (place / name).write_text(text, encoding="utf-8")
        return place / "robot.toml"

    return make


@pytest.mark.parametrize("gain", [1e9, 1e11])  # in the walk, and before it
def test_the_command_line_says_so_and_goes_on(
    gangart_says: Any, folder: Callable[[float], Path], tmp_path: Path, gain: float
) -> None:
    robot = str(folder(gain))
    code, out, err = gangart_says(
        "walk", robot, "--level", "VS", "--wear", "bert", "--duration", "2", "--record", "run.mcap", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert re.match(r"gangart: the simulation exploded: joint \S+: \S+ rad/s at t = ", err)
    assert err.count("\n") == 1
    assert found["diverged"] in err
    assert found["fell"] is False
    assert found["duration"] < 1.5
    assert {p.name for p in tmp_path.iterdir()} == {"mine", "run.mcap"}  # and MuJoCo writes no log of its own
    code, out, _ = gangart_says("analyze", "run.mcap", "--json")
    assert code == 0
    assert json.loads(out)["duration"] == pytest.approx(found["duration"])


def test_a_diagnosis_of_an_explosion_comes_to_its_end(nao: Robot) -> None:
    robot = endless(nao)
    wear = replace(load_wear(nao, "bert"), proportional=1e9)
    found = diagnose(walk(robot, 1e9), robot, wear)
    assert {f.cause for f in found.findings} >= {"motor", "gearbox", "links"}


def test_where_there_was_no_walk_there_is_nothing_to_diagnose(nao: Robot) -> None:
    robot = endless(nao)
    with pytest.raises(BadValue, match="holds no walk"):
        diagnose(walk(robot, 1e11), robot, replace(load_wear(nao, "bert"), proportional=1e11))


def test_a_search_survives_explosions(nao: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws from gains that explode, before and in the walk; none of them passes for a worn robot."""
    monkeypatch.setitem(search_worn.RANGES, "proportional", search_worn.Range(1e9, 1e12))
    found = list(search_worn.search(endless(nao), seed=1, draws=4))
    assert len(found) == 4
    assert not any(c.fits for c in found)
    assert all(c.figures.duration < 15.0 for c in found)
