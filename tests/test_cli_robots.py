"""The command line: a person reads tables, a program reads one JSON object, and a mistake is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gangart
from gangart import cli, robots
from gangart.cli import output
from gangart.errors import MissingTool


def test_the_version_is_the_package_s(gangart_says: Any) -> None:
    assert gangart_says("--version") == (0, f"gangart {gangart.__version__}\n", "")


@pytest.mark.parametrize(
    "args", [("--help",), ("robots", "--help"), ("robots", "show", "-h"), ("robots", "check", "-h")]
)
def test_help_teaches_by_examples(gangart_says: Any, args: tuple[str, ...]) -> None:
    code, out, err = gangart_says(*args)
    assert (code, err) == (0, "")
    assert "Usage: gangart" in out
    assert "gangart robots" in out.partition("Examples")[2]


def test_the_examples_of_the_help_are_commands(gangart_says: Any) -> None:
    for module in cli.COMMANDS:
        for line in module.EXAMPLES:
            program, *args = line.split()
            assert program == "gangart"
            code, out, _ = gangart_says(*(a for a in args if not a.startswith("my_robot")), "--help")
            assert code == 0
            assert out


@pytest.mark.parametrize(
    "args", [("robts",), ("robots", "shw"), ("robots", "show"), ("robots", "show", "nao", "--jsn")]
)
def test_a_slip_in_the_usage_ends_with_2(gangart_says: Any, args: tuple[str, ...]) -> None:
    code, out, err = gangart_says(*args)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("robots", "show", "noa"), "gangart: no robot 'noa'; did you mean 'nao'?\n"),
        (("robots", "check", "nowhere/robot.toml"), "gangart: robot file nowhere/robot.toml does not exist\n"),
        (
            ("robots", "--json", "show", "nao"),
            "gangart: --json stands before 'show'; write it at the end of the command\n",
        ),
        (
            ("robots", "show", "nao", "--no-picture", "--picture", "a.png"),
            "gangart: --picture and --no-picture contradict each other; give one of them\n",
        ),
    ],
)
def test_a_mistake_is_one_sentence(gangart_says: Any, args: tuple[str, ...], sentence: str) -> None:
    assert gangart_says(*args) == (2, "", sentence)


def test_an_interruption_ends_with_130(gangart_says: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(robot: str) -> robots.Robot:
        raise KeyboardInterrupt

    monkeypatch.setattr(robots, "load", interrupted)
    code, out, err = gangart_says("robots", "check", "nao")
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_the_list_shows_every_robot(gangart_says: Any) -> None:
    code, out, err = gangart_says("robots")
    assert (code, err) == (0, "")
    for name in robots.names():
        assert f"{robots.load(name).mass:.2f}" in next(line for line in out.splitlines() if line.split()[:1] == [name])


def test_the_list_as_json_holds_the_same(gangart_says: Any) -> None:
    code, out, _ = gangart_says("robots", "--json")
    assert code == 0
    listed = {robot["name"]: robot for robot in json.loads(out)["robots"]}
    assert sorted(listed) == robots.names()
    assert listed["nao"]["mass"] == pytest.approx(4.69869)
    assert listed["nao"]["legs"] == ["left", "right"]
    assert len(listed["nao"]["joints"]) == 22


def test_a_robot_is_shown_in_degrees_and_millimetres(gangart_says: Any) -> None:
    code, out, err = gangart_says("robots", "show", "nao", "--no-picture")
    assert (code, err) == (0, "")
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "LKneePitch -5.3 … 121.0 leg_low 367 7.79" in rows
    assert "left LFoot 150 × 89 4" in rows
    assert "Coupled: one motor turns LHipYawPitch and RHipYawPitch" in rows
    assert any(row.startswith("forward ") and row.endswith(" mm") for row in rows)
    assert all(joint in out for joint in robots.load("nao").joints)


def test_a_robot_as_json_is_in_si_units(gangart_says: Any, documented_keys: Any, nao: robots.Robot) -> None:
    code, out, _ = gangart_says("robots", "show", "nao", "--no-picture", "--json")
    shown = json.loads(out)
    assert set(shown) == documented_keys("robots")
    assert (code, shown["picture"]) == (0, None)
    knee = next(joint for joint in shown["joints"] if joint["name"] == "LKneePitch")
    assert (knee["lower"], knee["upper"]) == pytest.approx((-0.0923279, 2.11255))
    assert knee["no_load_speed"] == pytest.approx(6.4024, abs=1e-4)
    assert [leg["name"] for leg in shown["legs"]] == ["left", "right"]
    assert shown["legs"][0]["outline"] == nao.legs["left"].outline.tolist()
    assert shown["coupled"] == {"RHipYawPitch": "LHipYawPitch"}
    assert nao.walk is not None
    assert shown["walk"]["limits"]["forward"] == nao.walk.limits.forward


def drawn(robot: robots.Robot, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"PNG")
    return path


@pytest.mark.parametrize(("args", "path"), [((), "out/nao.png"), (("--picture", "a/b.png"), "a/b.png")])
def test_the_picture_lies_where_it_was_asked_for(
    gangart_says: Any, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], path: str
) -> None:
    monkeypatch.setattr("gangart.robots.picture.picture", drawn)
    code, out, _ = gangart_says("robots", "show", "nao", *args)
    assert (code, out.splitlines()[-1]) == (0, f"Picture: {path}")
    assert Path(path).read_bytes() == b"PNG"
    assert json.loads(gangart_says("robots", "show", "nao", "--json", *args)[1])["picture"] == path


def test_without_opengl_the_facts_are_shown_and_one_sentence_warns(
    gangart_says: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(robot: robots.Robot, path: Path) -> Path:
        raise MissingTool("no OpenGL here")

    monkeypatch.setattr("gangart.robots.picture.picture", without)
    code, out, err = gangart_says("robots", "show", "nao", "--json")
    assert (code, err) == (0, "gangart: no picture: no OpenGL here\n")
    assert json.loads(out)["picture"] is None


def test_a_picture_that_cannot_be_written_is_refused(gangart_says: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gangart.robots.picture.picture", drawn)
    Path("taken").write_text("a file, not a folder")
    code, out, err = gangart_says("robots", "show", "nao", "--picture", "taken/nao.png")
    assert (code, out) == (2, "")
    assert err.startswith("gangart: cannot write picture taken/nao.png: ")


def test_check_judges_a_user_s_file(gangart_says: Any, tmp_path: Path) -> None:
    source = Path(robots.__file__).parent / "nao"
    text = (source / "robot.toml").read_text(encoding="utf-8")
    (tmp_path / "nao.xml").write_bytes((source / "nao.xml").read_bytes())
    (tmp_path / "robot.toml").write_text(text, encoding="utf-8")
    assert gangart_says("robots", "check", "robot.toml") == (
        0,
        "nao is sound: 4.70 kg, 2 legs, 22 joints, ready to walk\n",
        "",
    )
    (tmp_path / "robot.toml").write_text(
        text.replace('"LKneePitch", "LAnkle', '"LKneePich", "LAnkle', 1), encoding="utf-8"
    )
    sentence = "gangart: leg 'left': joint 'LKneePich' is not in nao.xml; did you mean 'LKneePitch'?\n"
    assert gangart_says("robots", "check", "robot.toml") == (2, "", sentence)


def test_names_with_brackets_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table("[red]", ["[b]"], [["[bold]x[/bold]"]])
    output.print_line("[/i]")
    out = capsys.readouterr().out
    for text in ("[red]", "[b]", "[bold]x[/bold]", "[/i]"):
        assert text in out


def test_json_has_no_nan_and_knows_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    values = {
        "a": np.array([1.0, np.nan, -np.inf]),
        "b": np.float64(2.0),
        "c": np.int64(3),
        "d": (Path("x"), None, True),
    }
    output.print_json({"nested": values, "list": [float("inf")]})
    assert json.loads(capsys.readouterr().out) == {
        "nested": {"a": [1.0, None, None], "b": 2.0, "c": 3, "d": ["x", None, True]},
        "list": [None],
    }


def test_a_value_without_a_form_in_json_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="object has no form in JSON"):
        output.plain({"a": object()})


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys; from gangart.cli import main\ntry: main(['robots', 'show', '--help'])\nexcept SystemExit: pass\n"
    )
    code += "print(sorted({'numpy', 'mujoco', 'numba', 'scipy', 'matplotlib', 'PIL'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ), capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
