"""docs/robot-file.md tells the truth: all keys, the example, the sentences."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from gangart import robots
from gangart.errors import BadRobot, GangartError
from gangart.robots.load import KEYS

DOC = (Path(__file__).parents[1] / "docs" / "robot-file.md").read_text(encoding="utf-8")
HEADINGS = {
    "gaits.*": "### `[gaits.NAME]`",
    "": "### The top of the file",
    "legs.*": "### `[legs.NAME]`",
    "arms.*": "### `[arms.NAME]`",
}
HEADINGS |= {"motors.*": "### `[motors.NAME]`", "obstacles.*": "### `[obstacles.NAME]`"}
(EXAMPLE,) = re.findall(r"^```toml\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
(SENTENCES,) = re.findall(r"^```text\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)

LINK = '<link name="{}"><inertial><mass value="1"/>'
LINK += '<inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
JOINT = '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><axis xyz="0 1 0"/>'
JOINT += '<limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>'


def biped() -> str:
    parts = [LINK.format("trunk", 1)]
    for side in ("left", "right"):
        parts += [LINK.format(f"{side}_{link}", 1) for link in ("shank", "foot")]
        parts += [JOINT.format(f"{side}_hip", "trunk", f"{side}_shank")]
        parts += [JOINT.format(f"{side}_knee", f"{side}_shank", f"{side}_foot")]
    return f'<robot name="biped">{"".join(parts)}</robot>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("my_robot")
    path.mkdir()
    (path / "biped.urdf").write_text(biped(), encoding="utf-8")
    (path / "robot.toml").write_text(EXAMPLE, encoding="utf-8")
    return path


def section(table: str) -> str:
    heading = HEADINGS.get(table, f"### `[{table}]`")
    assert heading in DOC, heading
    return DOC.partition(heading)[2].partition("\n### ")[0].partition("\n## ")[0]


@pytest.mark.parametrize("table", KEYS, ids=lambda table: table or "top")
def test_every_key_of_the_loader_is_explained_and_no_other(table: str) -> None:
    explained = set(re.findall(r"^\| `(\w+)` \|", section(table), re.MULTILINE))
    tables = {key.partition(".")[0] for key in KEYS} | {"home", "coupled", "transmission"} if not table else set()
    assert explained == set(KEYS[table]) - tables


def test_home_and_coupled_are_explained() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", section("home]` and `[coupled"), re.MULTILINE)) == {"home", "coupled"}


def required(table: str) -> set[str]:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| required", section(table), re.MULTILINE)
    return set(rows)


def inner(data: dict[str, Any], table: str) -> dict[str, Any]:
    """A table of the file; * is the first of its names."""
    for name in table.split(".") if table else ():
        data = next(iter(data.values())) if name == "*" else data[name]
    return data


@pytest.mark.parametrize("table", KEYS, ids=lambda table: table or "top")
def test_required_keys_are_those_that_the_loader_requires(folder: Path, table: str) -> None:
    name = "quadruped" if table in ("drive", "gaits.*", "obstacles.*") else "nao"
    source = Path(robots.__file__).parent / name
    shutil.copy(source / f"{name}.xml", folder)
    text = (source / "robot.toml").read_text(encoding="utf-8")
    for key in re.findall(r"^\| `(\w+)` \|", section(table), re.MULTILINE):
        data = tomllib.loads(text)
        inner(data, table).pop(key, None)
        (folder / "robot.toml").write_text(tomli_w.dumps(data), encoding="utf-8")
        if key in required(table):
            with pytest.raises(BadRobot, match=f"'{key}' is missing"):
                robots.load(folder)
        else:
            assert robots.load(folder).joints


def test_the_minimal_robot_loads(folder: Path) -> None:
    robot = robots.load(folder / "robot.toml")
    assert list(robot.legs) == ["left", "right"]
    assert set(tomllib.loads(EXAMPLE)) == {"format", "name", "model", "base", "legs", "servo"}


MOTOR = "gear_ratio = 1\nno_load_speed = 1\nstall_torque = 1\nnominal_torque = 1\nsupply = 1\n"
WALK = "[walk]\ncom_height = 1\ndouble_step_duration = 1\ndouble_support_ratio = 0.2\nstep_height = 0\n"
WALK += "foot_spacing = 0.1\nbezier = [0, 0, 0, 0]\npreview = nan\n[walk.limits]\n"
MOTORS = f'[motors.hip]\njoints = ["left_hip", "left_knee"]\n{MOTOR}[motors.knee]\njoints = ["left_knee"]\n{MOTOR}'
DENT = "outline = [[0, 0], [2, 0], [2, 2], [1, 0.5]]\n"
MISTAKES: list[tuple[str, str]] = [
    ('base = "trunk"', 'base = "trunk"\ntitle = '),
    ("position_gain", "positon_gain"),
    ("velocity_gain = 1.0\n", ""),
    ("[servo]", f"{WALK}[servo]"),
    ("[legs.right]", f"{DENT}[legs.right]"),
    ('"trunk"', '"trnk"'),
    ('"left_knee"', '"left_kne"'),
    ('["left_hip", "left_knee"]', '["left_knee", "left_hip"]'),
    ('"left_knee"', '"right_knee"'),
    ("[servo]", "[home]\nleft_knee = 2.0\n[servo]"),
    ("[servo]", f"{MOTORS}[servo]"),
]


def test_the_sentences_are_those_that_the_loader_says(folder: Path) -> None:
    said = [sentence_of("noa")]
    for old, new in MISTAKES:
        assert old in EXAMPLE
        (folder / "robot.toml").write_text(EXAMPLE.replace(old, new, 1), encoding="utf-8")
        said.append(sentence_of(folder / "robot.toml"))
    (folder / "robot.toml").write_text(EXAMPLE, encoding="utf-8")
    for link in ('<link name="left_shank"/>', LINK.format("left_foot", 3)):
        name = re.search(r'name="(\w+)"', link)[1]
        (folder / "biped.urdf").write_text(biped().replace(LINK.format(name, 1), link), encoding="utf-8")
        said.append(sentence_of(folder / "robot.toml"))
    (folder / "robot.toml").unlink()
    said.insert(1, sentence_of(folder / "robot.toml"))

    def without_place(sentences: list[str]) -> list[str]:
        return [re.sub(r"\(at line \d+, column \d+\)", "", sentence) for sentence in sentences]

    assert without_place(said) == without_place(SENTENCES.splitlines())


def sentence_of(robot: str | Path) -> str:
    with pytest.raises(GangartError) as refusal:
        robots.load(robot)
    return str(refusal.value)
