"""gangart walk and gangart analyze, as people and programs use them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

DOC = Path(__file__).parents[1] / "docs" / "command-line.md"
PROMISED = ("fell", "duration", "mean_velocity", "orientation_error", "zmp_margin_min")


def numbers(out: str) -> dict[str, Any]:
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def test_walk_prints_one_json_object_with_documented_keys(gangart_says: Any, documented_keys: Any) -> None:
    code, out, err = gangart_says("walk", "nao", "--vx", "0.2", "--duration", "6", "--json")
    found = numbers(out)
    assert (code, err) == (0, "")
    assert set(PROMISED) <= set(found) <= documented_keys("walk")
    assert found["fell"] is False
    assert found["duration"] == pytest.approx(6.0, abs=1e-3)
    assert found["mean_velocity"] == pytest.approx([0.2, 0.0, 0.0], abs=0.002)
    assert found["zmp_margin_min"] > 0.01


def test_walk_without_a_speed_walks_ahead(gangart_says: Any) -> None:
    _, out, _ = gangart_says("walk", "--duration", "4", "--json")
    assert numbers(out)["command"] == [0.2, 0.0, 0.0]


def test_the_table_says_what_the_json_says(gangart_says: Any) -> None:
    _, out, _ = gangart_says("walk", "nao", "--vx", "0.1", "--duration", "4")
    _, as_json, _ = gangart_says("walk", "nao", "--vx", "0.1", "--duration", "4", "--json")
    shown = re.search(r"mean speed ahead\s+([\d.]+)", out)
    assert shown
    assert float(shown[1]) == pytest.approx(numbers(as_json)["mean_velocity"][0] * 1e3, abs=0.06)


def test_a_recorded_walk_can_be_analyzed_and_is_the_same_walk(gangart_says: Any, documented_keys: Any) -> None:
    _, walked, _ = gangart_says("walk", "nao", "--wz", "0.3", "--duration", "4", "--record", "run.mcap", "--json")
    code, out, err = gangart_says("analyze", "run.mcap", "--json")
    assert (code, err) == (0, "")
    again = numbers(out)
    assert set(again) <= documented_keys("walk")
    for key in PROMISED:
        assert again[key] == pytest.approx(numbers(walked)[key], rel=1e-9, abs=1e-9)


def test_a_recording_that_was_cut_off_is_analyzed_with_a_warning(gangart_says: Any, tmp_path: Path) -> None:
    gangart_says("walk", "nao", "--vx", "0.1", "--duration", "5", "--record", "run.mcap")
    data = (tmp_path / "run.mcap").read_bytes()
    (tmp_path / "half.mcap").write_bytes(data[: len(data) // 2])
    code, out, err = gangart_says("analyze", "half.mcap", "--json")
    found = numbers(out)
    assert code == 0
    assert found["truncated"] is True
    assert 1.0 < found["duration"] < 4.0
    assert re.fullmatch(r"gangart: half\.mcap was cut off; .* left of it\n", err)


def test_plots_are_pictures(gangart_says: Any, tmp_path: Path) -> None:
    from PIL import Image

    code, out, err = gangart_says("walk", "nao", "--vx", "0.2", "--duration", "4", "--plot", "out", "--json")
    assert code == 0
    found = numbers(out)
    with Image.open(tmp_path / found["plot"]) as plot:
        assert plot.width > 1000
        assert len(plot.convert("RGB").getcolors(1 << 24) or []) > 50
    if "strip of pictures" not in err:  # without OpenGL the plot alone is written
        with Image.open(tmp_path / found["film"]) as film:
            assert film.width > 3 * film.height


def test_a_command_beyond_the_limits_is_limited_and_said(gangart_says: Any) -> None:
    code, out, err = gangart_says("walk", "nao", "--vx", "0.9", "--duration", "6", "--json")
    found = numbers(out)
    assert code == 0
    assert "forward +0.9 m/s is beyond the limit" in err
    assert found["notes"]
    assert found["mean_velocity"][0] == pytest.approx(0.25, rel=0.03)


def test_stop_ends_standing(gangart_says: Any) -> None:
    _, out, _ = gangart_says("walk", "nao", "--vx", "0.2", "--duration", "8", "--stop", "4", "--json")
    found = numbers(out)
    assert not found["fell"]
    assert abs(found["speed_per_second"][-1]) < 1e-3


def test_a_hard_push_fells_the_robot_and_the_figures_say_so(gangart_says: Any) -> None:
    code, out, _ = gangart_says("walk", "nao", "--vx", "0.1", "--duration", "6", "--push", "5", "--json")
    found = numbers(out)
    assert code == 0  # a fall is a result
    assert found["fell"] is True
    assert 3.0 < found["fell_at"] < 4.5


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("walk", "nao", "--vx", "nan"), "command vx is nan; it has to be a finite number"),
        (("walk", "nao", "--vx", "inf"), "command vx is inf; it has to be a finite number"),
        (("walk", "nao", "--duration", "-1"), "--duration is -1 s; it has to be above 0 and below 100000"),
        (("walk", "nao", "--duration", "nan"), "--duration is nan s; it has to be above 0 and below 100000"),
        (("walk", "noa"), "no robot 'noa'; did you mean 'nao'?"),
        (("walk", "nao", "--zmp", "bezir"), "no ZMP reference 'bezir'; did you mean 'bezier'?"),
        (("walk", "there/is/none.toml"), "robot file there/is/none.toml does not exist"),
        (("walk", "nao", "--friction", "-1"), "ground friction is -1; it has to lie in 0…10, above 0"),
        (("walk", "nao", "--push", "nan"), "--push is nan; it has to be a finite number"),
        (("walk", "nao", "--step-height", "-0.1"), "--step-height is -0.1; it has to lie in 0…1"),
        (("walk", "nao", "--com-height", "nan"), "--com-height is nan; it has to lie in 0.001…10"),
        (("walk", "nao", "--double-step", "0"), "--double-step is 0; it has to lie in 0.1…10"),
        (("walk", "nao", "--feedback", "2"), "feedback is 2; it has to lie in 0…1"),
        (("walk", "nao", "--stop", "50"), "--stop is 50 s; it has to lie within the duration of 20 s"),
        (("analyze", "none.mcap"), "recording none.mcap does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(gangart_says: Any, args: tuple[str, ...], sentence: str) -> None:
    assert gangart_says(*args) == (2, "", f"gangart: {sentence}\n")


def test_something_that_is_no_recording_is_refused(gangart_says: Any, tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_bytes(b"\x89PNG nothing of the kind")
    code, out, err = gangart_says("analyze", "run.mcap")
    assert (code, out) == (2, "")
    assert err.startswith("gangart: run.mcap")
    assert err.count("\n") == 1


def test_a_quadruped_walks_in_a_gait_and_takes_a_push(gangart_says: Any, documented_keys: Any) -> None:
    asked = ("quadruped", "--gait", "predictive-trot", "--vx", "0.5", "--push", "10", "--duration", "5")
    code, out, err = gangart_says("walk", *asked, "--json")
    told = numbers(out)
    assert (code, err) == (0, "")
    assert set(told) <= documented_keys("walk")
    assert told["fell"] is False
    assert (told["gait"], told["balance"], told["zmp"], told["level"]) == ("predictive-trot", False, None, "BS+MT")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("quadruped", "--zmp", "bezier"), "are for two legs; quadruped has four"),
        (("quadruped", "--gait", "predictiv-trot"), "did you mean 'predictive-trot'?"),
        (("nao", "--gait", "trot"), "nao has no gaits to choose from"),
        (("nao", "--balance"), "--balance is for robots with gaits"),
        (("quadruped", "--level", "VS"), "nobody has described its wear"),
    ],
)
def test_what_other_legs_do_not_know_is_one_sentence(asked: tuple[str, ...], said: str, gangart_says: Any) -> None:
    code, out, err = gangart_says("walk", *asked)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
