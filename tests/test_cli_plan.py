"""gangart plan and gangart train, as people and programs use them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

DOC = Path(__file__).parents[1] / "docs" / "command-line.md"


def documented_keys() -> set[str]:
    table = DOC.read_text(encoding="utf-8").partition("## Keys of")[2].partition("## Recordings")[0]
    return {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def keys_of(found: Any) -> set[str]:
    """All keys, however deep."""
    if isinstance(found, dict):
        return set(found).union(*(keys_of(v) for v in found.values()))
    return set().union(*(keys_of(v) for v in found)) if isinstance(found, list) else set()


def test_a_plan_is_one_json_object_with_documented_keys(gangart_says: Any) -> None:
    code, out, err = gangart_says("plan", "nao", "--x", "0.5", "--y", "0.2", "--yaw", "90", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert keys_of(found) <= documented_keys()
    assert found["ended"] == "arrived"
    assert found["goal"] == pytest.approx([0.5, 0.2, 1.5707963])
    assert len(found["steps"]) == found["count"]
    assert found["steps"][-1]["pose"][2] == pytest.approx(1.5707963)


def test_the_table_has_a_row_for_each_step(gangart_says: Any, tmp_path: Path) -> None:
    _, as_json, _ = gangart_says("plan", "--x", "0.3", "--json")
    code, out, _ = gangart_says("plan", "--x", "0.3", "--plot", "plan.png")
    assert code == 0
    assert len(re.findall(r"^\s+\d+\s+(?:left|right)", out, re.MULTILINE)) == json.loads(as_json)["count"]
    assert "Arrived." in out
    assert (tmp_path / "plan.png").stat().st_size > 10_000


def test_the_fumanoids_commands_can_be_pasted(gangart_says: Any) -> None:
    """x=500 y=-200 yaw=90 of theirs is 0.5 m ahead, 0.2 m to the left, turned right."""
    _, theirs, _ = gangart_says(
        "plan", "--fumanoid-units", "--x=500", "--y=-200", "--yaw=90", "--planner=aic", "--json"
    )
    _, ours, _ = gangart_says("plan", "--x=0.5", "--y=0.2", "--yaw=-90", "--planner=aicardi", "--json")
    one, other = json.loads(theirs), json.loads(ours)
    assert one["planner"] == "aicardi"
    assert one["goal"] == pytest.approx(other["goal"])
    assert one["count"] == other["count"]
    _, table, _ = gangart_says("plan", "--fumanoid-units", "--x=0", "--y=100")
    assert "right [mm]" in table


def test_all_planners_are_compared(gangart_says: Any) -> None:
    code, out, _ = gangart_says("plan", "--x", "-1", "--compare", "--json")
    found = json.loads(out)
    assert code == 0
    assert {p["planner"] for p in found["planners"]} >= {"hybrid", "lattice", "aicardi", "indiveri", "learned"}
    assert all(p["ended"] == "arrived" for p in found["planners"])


def test_a_walk_is_shown_online_and_open_loop(gangart_says: Any) -> None:
    told = ("plan", "--x", "0.3", "--yaw", "30", "--walk", "--step-error", "10")
    code, out, err = gangart_says(*told, "--record", "run.mcap", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert keys_of(found) <= documented_keys()
    online, blind = found["walk"]["online"], found["walk"]["open_loop"]
    assert online["arrived"]
    assert online["position_error"] < 0.02
    assert blind["position_error"] == pytest.approx(0.03, rel=0.5)
    assert found["walk"]["step_error"] == pytest.approx(0.1)
    code, again, _ = gangart_says("analyze", "run.mcap", "--json")
    assert (code, json.loads(again)["fell"]) == (0, False)


def test_a_plan_that_does_not_arrive_says_why_and_is_not_walked(gangart_says: Any, tmp_path: Path) -> None:
    walls = [[[0.6, -1], [0.7, -1], [0.7, 1], [0.6, 1]]]
    (tmp_path / "room.json").write_text(json.dumps({"obstacles": [{"corners": c} for c in walls]}))
    code, out, _ = gangart_says("plan", "--x", "1", "--obstacles", "room.json", "--walk", "--planner", "spline")
    assert code == 0
    assert "Not arrived (blocked): step" in out
    assert "Left to go:" in out
    assert "--planner lattice" in out
    assert "Nothing was walked: the plan does not arrive" in out


def test_a_policy_is_trained_and_plans(gangart_says: Any, tmp_path: Path) -> None:
    code, out, _ = gangart_says("train", "--plans", "10", "--seed", "3", "--out", "steps.npz", "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) <= documented_keys()
    assert found["size"] == (tmp_path / "steps.npz").stat().st_size
    code, out, _ = gangart_says("plan", "--x", "0.4", "--planner", "steps.npz", "--json")
    assert (code, json.loads(out)["planner"]) == (0, "steps.npz")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("plan", "--x", "nan"), "--x is nan; it has to be a finite number"),
        (("plan", "--yaw", "inf"), "--yaw is inf; it has to be a finite number"),
        (("plan", "--planner", "hybird"), "no planner 'hybird'; did you mean 'hybrid'?"),
        (("plan", "--planner", "none.npz"), "trained file none.npz does not exist; make it with `gangart train`"),
        (("plan", "--obstacles", "none.toml"), "obstacle file none.toml does not exist"),
        (("plan", "--x", "1", "--plot", "plan.txt"), "picture plan.txt has to end in .png, .svg, .pdf"),
        (("plan", "--walk", "--compare"), "--walk and --compare exclude each other"),
        (("plan", "--walk", "--step-error", "70"), "--step-error is 70 %; it has to lie in -50…50"),
        (("plan", "--step-error", "5"), "--step-error without --walk would change nothing"),
        (("plan", "--level", "VS", "--record", "r.mcap"), "--level, --record without --walk would change nothing"),
        (("plan", "--walk", "--level", "XX"), "no level of realism 'XX'"),
        (("plan", "quadruped", "--x", "1"), "quadruped"),
        (("train", "--plans", "1"), "--plans is 1; it has to lie in 10…1000000"),
        (("train", "--seed", "-1"), "--seed is -1; it has to be 0 or more"),
        (("train", "--out", "steps.txt"), "--out is steps.txt; it has to end in .npz"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(gangart_says: Any, command: tuple[str, ...], sentence: str) -> None:
    code, out, err = gangart_says(*command)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
