"""A diagnosis has to find what was put in: a robot with one defect is ill of that one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangart.analysis.diagnosis import FLAGS, WORDS, Diagnosis, Symptoms, _finding, diagnose, symptoms
from gangart.control import BipedEngine
from gangart.robots import Robot
from gangart.robots.wear import load_wear
from gangart.signals import Command, Recording
from gangart.simulation import FULL, IDEAL, Fidelity, Ground, World, simulate

DURATION = 3.0  # [s]


def walk(nao: Robot, preset: str, fidelity: Fidelity, friction: float = 1.0) -> Recording:
    engine = BipedEngine(nao)
    world = World(nao, fidelity, Ground(friction), wear=load_wear(nao, preset))
    world.reset(*engine.stance(), settle=1.0)
    return simulate(world, engine, Command(0.2), DURATION)


def found(nao: Robot, preset: str, fidelity: Fidelity) -> tuple[Recording, Diagnosis]:
    recording = walk(nao, preset, fidelity)
    return recording, diagnose(recording, nao, load_wear(nao, preset))


@pytest.fixture(scope="module")
def whole(nao: Robot) -> tuple[Recording, Diagnosis]:
    return found(nao, "ada", FULL)


@pytest.mark.parametrize("cause", FLAGS)
def test_the_only_defect_is_found_and_its_removal_leaves_the_ideal_machine(nao: Robot, cause: str) -> None:
    only = replace(IDEAL, **dict.fromkeys(FLAGS[cause], True))
    _, d = found(nao, "emil", only)
    (finding,) = [f for f in d.findings if f.cause == cause]
    assert finding.without == d.ideal
    assert finding.alone == d.walk
    assert finding.blame > 0.9
    assert d.findings[0] is finding
    assert {f.cause for f in d.findings} == {cause, "ground", "dynamics"}


def test_the_replayed_walk_ails_like_the_recorded_one(whole: tuple[Recording, Diagnosis]) -> None:
    recording, d = whole
    was = symptoms(recording)
    assert d.walk.f_x == pytest.approx(was.f_x, rel=0.1)
    assert d.walk.f_y == pytest.approx(was.f_y, rel=0.1)
    assert (was.fell, d.walk.fell) == (False, False)


def test_causes_are_ranked_by_the_tilt_that_goes_with_them(whole: tuple[Recording, Diagnosis]) -> None:
    _, d = whole
    assert d.findings[0].cause == "motor"
    blame = [f.blame for f in d.findings]
    assert blame == sorted(blame, reverse=True)
    for f in d.findings:
        assert f.share["f_x"] == pytest.approx(1.0 - f.without.f_x / d.walk.f_x)
    assert WORDS["motor"] in d.sentence()


def test_blame_is_shared_fairly_by_two_causes(nao: Robot) -> None:
    _, d = found(nao, "ada", replace(FULL, flexible_links=False))
    motor, gear = ({f.cause: f for f in d.findings}[cause] for cause in ("motor", "gearbox"))
    assert (motor.without, gear.without) == (gear.alone, motor.alone)
    assert motor.blame + gear.blame == pytest.approx(1.0 - d.ideal.tilt / d.walk.tilt)  # Shapley's efficiency


def test_a_machine_that_falls_only_without_a_cause_is_judged_by_the_cause_alone() -> None:
    upright, worse = Symptoms(2.0, 8.0, 0.0, 0.0, 0.0, False), Symptoms(900.0, 900.0, 0.0, 0.0, 0.0, True)
    ideal, alone = Symptoms(0.0, 0.0, 0.0, 0.0, 0.0, False), Symptoms(1.0, 5.0, 0.0, 0.0, 0.0, False)
    assert _finding("motor", upright, ideal, worse, alone).blame == pytest.approx(0.6)
    assert _finding("motor", worse, ideal, upright, None).blame == pytest.approx(0.99, abs=0.01)


def test_traces_belong_to_the_symptoms(whole: tuple[Recording, Diagnosis]) -> None:
    _, d = whole
    assert {"walk", "ideal", *WORDS} <= set(d.traces)
    for name, s in (("walk", d.walk), *((f.cause, f.without) for f in d.findings)):
        tilt = d.traces[name][:, 1:]
        np.testing.assert_allclose((tilt**2).sum(axis=0) * 10.0, [s.f_x, s.f_y], rtol=0.05)  # one in ten samples


def test_where_nothing_helps_no_cause_is_named(whole: tuple[Recording, Diagnosis]) -> None:
    _, d = whole
    harmless = tuple(replace(f, blame=0.05) for f in d.findings)
    assert replace(d, findings=harmless).sentence().startswith("no single cause")


def test_the_command_diagnoses_a_recording_and_draws_it(
    gangart_says: Any, documented_keys: Any, tmp_path: Path
) -> None:
    walked = ("walk", "nao", "--level", "VS", "--wear", "emil", "--duration", "3", "--record", "run.mcap")
    assert gangart_says(*walked)[0] == 0
    code, out, _ = gangart_says("diagnose", "run.mcap", "--plot", "there", "--json")
    d = json.loads(out)
    assert (code, d["wear"], d["findings"][0]["cause"]) == (0, "emil", "motor")
    assert {*d, *d["walk"], *d["findings"][0]} == documented_keys("diagnose")
    assert (tmp_path / d["plot"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("nothing.mcap",), "nothing.mcap"),
        (("--wear", "anna"), "'anna'"),
        (("--vx", "nan"), "vx is nan"),
        (("--duration", "-1"), "--duration is -1 s"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(gangart_says: Any, args: tuple[str, ...], sentence: str) -> None:
    code, out, err = gangart_says("diagnose", *args)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
