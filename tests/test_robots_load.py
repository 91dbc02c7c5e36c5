"""A robot file is either sound or refused in one sentence that names the place, the value and the way out."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from gangart import robots
from gangart.errors import BadRobot, GangartError, MissingFile, UnknownName

FOLDER = Path(robots.__file__).parent / "nao"
TEXT = (FOLDER / "robot.toml").read_text(encoding="utf-8")
NAO = tomllib.loads(TEXT)
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with a copy of the model; each test writes its own robot.toml there."""
    path = tmp_path_factory.mktemp("robot")
    shutil.copy(FOLDER / "nao.xml", path)
    return path


def load_text(folder: Path, text: str | bytes) -> robots.Robot:
    file = folder / "robot.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return robots.load(file)


def load_changed(folder: Path, change: Change) -> robots.Robot:
    data = copy.deepcopy(NAO)
    change(data)
    return load_text(folder, tomli_w.dumps(data))


def put(value: Any, *path: Any) -> Change:
    """Set one value of the file; `...` takes it away."""

    def change(data: dict[str, Any]) -> None:
        for key in path[:-1]:
            data = data[key]
        if value is ...:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


def replaced_joint(leg: str, i: int, name: str) -> Change:
    return put(name, "legs", leg, "joints", i)


REFUSED = {
    "unknown joint": (
        replaced_joint("left", 3, "LKneePich"),
        "leg 'left': joint 'LKneePich' is not in nao.xml; did you mean 'LKneePitch'?",
    ),
    "unknown foot": (put("LFot", "legs", "left", "foot"), "body 'LFot' is not in nao.xml; did you mean 'LFoot'?"),
    "unknown arm joint": (put("Wing", "arms", "left", "swing"), "arm 'left': joint 'Wing' is not in nao.xml; known: "),
    "unknown imu body": (put("Trso", "imu", "body"), "[imu]: body 'Trso' is not in nao.xml; did you mean 'Torso'?"),
    "unknown home joint": (put(0.1, "home", "Tail"), "[home]: joint 'Tail' is not in nao.xml; known: HeadPitch, "),
    "unknown motor joint": (put("X", "motors", "leg_low", "joints", 0), "motor 'leg_low': joint 'X' is not in nao.xml"),
    "unknown base": (put("Torzo", "base"), "base 'Torzo' is not a body of nao.xml; did you mean 'Torso'?"),
    "inner base": (
        put("Neck", "base"),
        "base 'Neck' hangs on 'Torso' of nao.xml; the outermost body has to be the base",
    ),
    "unknown key": (put(1.0, "servo", "positon_gain"), "[servo]: 'positon_gain' is not a key here; did you mean 'pos"),
    "unknown key, nothing near": (put(1, "xyzzy"), "'xyzzy' is not a key here; known: arms, base, "),
    "unknown key of a step": (put(1, "walk", "limits", "step", "foward"), "[walk.limits.step]: 'foward' is not a key"),
    "missing key": (put(..., "motors", "leg_low", "supply"), "[motors.leg_low]: 'supply' is missing; it has to be a n"),
    "missing table": (put(..., "servo"), "'servo' is missing; it has to be a table"),
    "missing legs": (put(..., "legs"), "'legs' is missing; it has to be a table"),
    "no legs": (put({}, "legs"), "[legs] is empty; a robot needs at least one"),
    "millimetres": (put([0, 0, -45], "legs", "left", "sole"), "lengths are in metres, within -10 and 10"),
    "wrong type": (put("long", "walk", "com_height"), "[walk]: 'com_height' has to be a number, got 'long'"),
    "truth is no number": (put(True, "tick"), "'tick' has to be a number, got True"),
    "table instead of text": (put({}, "base"), "'base' has to be a text, got {}"),
    "blank text": (put(" ", "base"), "'base' is blank"),
    "text instead of table": (put("none", "walk"), "'walk' has to be a table, got 'none'"),
    "name that is no file name": (put("my/robot", "name"), "'name' is 'my/robot'"),
    "NaN": (put(float("nan"), "walk", "preview"), "[walk]: 'preview' is nan; it has to lie between 0.1 and 10"),
    "infinite": (
        put(float("inf"), "servo", "position_gain"),
        "'position_gain' is inf; it has to be finite and at least",
    ),
    "NaN in a list": (
        put(float("nan"), "legs", "left", "sole", 0),
        "[legs.left]: 'sole' has to be a list of 3 numbers",
    ),
    "text in a list": (put("1", "walk", "bezier", 0), "[walk]: 'bezier' has to be a list of 4 numbers, got ['1', "),
    "list of another length": (
        put([0.0], "imu", "position"),
        "[imu]: 'position' has to be a list of 3 numbers, got [0.0]",
    ),
    "points of three": (
        put([[0, 0, 0]], "legs", "left", "outline"),
        "'outline' has to be a list of [x, y] points, got",
    ),
    "negative gain": (
        put(-1.0, "servo", "velocity_gain"),
        "'velocity_gain' is -1.0; it has to be finite and at least 0",
    ),
    "negative limit": (put(-0.1, "walk", "limits", "step", "outward"), "[walk.limits.step]: 'outward' is -0.1"),
    "no acceleration": (put(0, "walk", "limits", "turn_acceleration"), "'turn_acceleration' is 0; it has to be finite"),
    "weak motor": (put(1.0, "motors", "leg_low", "nominal_torque"), "'nominal_torque' is 1.0; it has to lie between"),
    "unknown side": (put("lft", "legs", "left", "side"), "[legs.left]: 'side' cannot be 'lft'; did you mean 'left'?"),
    "unknown kinematics": (
        put("magic", "kinematics"),
        "'kinematics' cannot be 'magic'; known: abduction, hip-yaw-pitch, numeric",
    ),
    "another format": (put(2, "format"), "'format' is 2; this gangart reads format 1"),
    "joint twice": (replaced_joint("left", 0, "LHipRoll"), "[legs.left]: 'joints' names 'LHipRoll' twice"),
    "no joints": (put([], "legs", "left", "joints"), "[legs.left]: 'joints' has to be a list of names, got []"),
    "joint of the other leg": (
        replaced_joint("left", 5, "RAnkleRoll"),
        "joint 'RAnkleRoll' does not move foot 'LFoot'",
    ),
    "joints upside down": (
        put(NAO["legs"]["left"]["joints"][::-1], "legs", "left", "joints"),
        "leg 'left': joints have to be listed from the hip to the foot: LHipYawPitch, LHipRoll, LHipPitch, ",
    ),
    "two motors": (put("HeadYaw", "motors", "leg_low", "joints", 0), "joint 'HeadYaw' already has motor 'leg_low'"),
    "motor of a follower": (
        put("RHipYawPitch", "motors", "leg_low", "joints", 0),
        "is coupled to 'LHipYawPitch', whose",
    ),
    "follower with a motor": (
        put("HeadYaw", "coupled", "HeadPitch"),
        "joint 'HeadPitch' is coupled to 'HeadYaw', whose",
    ),
    "chain of followers": (
        lambda data: data.update(motors={}, coupled={"HeadYaw": "HeadPitch", "HeadPitch": "LElbowYaw"}),
        "[coupled]: 'HeadYaw' follows 'HeadPitch', which follows another joint itself",
    ),
    "home beyond a limit": (
        put(-1.0, "home", "LKneePitch"),
        "joint 'LKneePitch' at -57.3° is outside its limits -5.3…121",
    ),
    "home left out where 0 is beyond a limit": (
        put(..., "home", "LElbowRoll"),
        "[home]: joint 'LElbowRoll' at 0.0° is outside its limits -89.5…-0.5°",
    ),
    "home in degrees": (
        put(45.0, "home", "LKneePitch"),
        "[home]: 'LKneePitch' is 45.0; it has to lie between -6.28319 a",
    ),
    "home of two coupled": (put(-0.2, "home", "LHipYawPitch"), "are coupled, so their angles have to be equal"),
    "dented sole": (
        put([0.0, 0.0], "legs", "left", "outline", 0),
        "[legs.left]: 'outline' is not convex; list its corn",
    ),
    "sole of two corners": (
        put([[0, 0], [1, 0]], "legs", "left", "outline"),
        "'outline' has 2 corners; it has to have 1",
    ),
    "corner twice": (put([[0, 0], [0, 0], [1, 0], [0, 1]], "legs", "left", "outline"), "'outline' is not convex"),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_contradiction_is_one_sentence(folder: Path, change: Change, sentence: str) -> None:
    with pytest.raises(BadRobot) as refusal:
        load_changed(folder, change)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("walk = = 1", "is not TOML: "),
        (b"\x7fELF\x02\x01\xff\xfe", "is not TOML: "),
        ("a = " + "[" * 10_000, "is not TOML"),
        ("format = 0x" + "f" * 5_000, "'format' is a number without end"),
        ("", "'format' is missing; it has to be a number"),
    ],
)
def test_what_is_not_a_robot_file_is_refused(folder: Path, content: str | bytes, sentence: str) -> None:
    with pytest.raises(BadRobot, match=re.escape(sentence)):
        load_text(folder, content)


def test_missing_files_are_named(folder: Path) -> None:
    with pytest.raises(MissingFile, match=r"robot file .*nowhere\.toml does not exist"):
        robots.load(folder / "nowhere.toml")
    with pytest.raises(MissingFile, match=r"model file .*nao\.mjcf does not exist"):
        load_changed(folder, put("nao.mjcf", "model"))
    with pytest.raises(MissingFile, match="cannot be read"):
        robots.load(folder / ("x" * 300 + ".toml"))


def test_an_unknown_robot_is_answered_with_the_nearest_or_with_all() -> None:
    with pytest.raises(UnknownName, match=r"^no robot 'noa'; did you mean 'nao'\?$"):
        robots.load("noa")
    with pytest.raises(UnknownName, match=r"^no robot 'xyzzy'; known: .*nao"):
        robots.load("xyzzy")


def test_every_robot_of_ours_loads_by_its_folder_name() -> None:
    assert "nao" in robots.names()
    for name in robots.names():
        assert robots.load(name).name == name


def test_folder_file_and_name_give_the_same_robot(nao: robots.Robot) -> None:
    for found in (robots.load(FOLDER), robots.load(FOLDER / "robot.toml"), robots.load(str(FOLDER))):
        assert (found.name, found.joints, found.home, found.model_path) == (
            nao.name,
            nao.joints,
            nao.home,
            nao.model_path,
        )


def test_a_clockwise_outline_is_turned_round(folder: Path, nao: robots.Robot) -> None:
    clockwise = NAO["legs"]["right"]["outline"][::-1]
    leg = load_changed(folder, put(clockwise, "legs", "right", "outline")).legs["right"]
    np.testing.assert_array_equal(leg.outline, nao.legs["right"].outline)


def test_a_star_turns_left_everywhere_and_is_still_refused(folder: Path) -> None:
    star = [[float(np.cos(a)), float(np.sin(a))] for a in 4 * np.pi / 5 * np.arange(5)]
    with pytest.raises(BadRobot, match="not convex"):
        load_changed(folder, put(star, "legs", "left", "outline"))


def test_a_wrong_choice_of_opengl_is_one_sentence() -> None:
    code = "from gangart import errors, robots\ntry: robots.load('nao')\nexcept errors.MissingTool as e: print(e)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MUJOCO_GL": "junk"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("MuJoCo does not start with MUJOCO_GL='junk' ("), done.stderr


def test_what_may_be_left_out_has_its_default(folder: Path) -> None:
    def bare(data: dict[str, Any]) -> None:
        for key in ("title", "tick", "kinematics", "coupled", "imu", "arms", "motors", "walk"):
            del data[key]
        for leg in data["legs"].values():
            for key in ("sole", "outline", "force_sensors"):
                del leg[key]

    robot = load_changed(folder, bare)
    assert (robot.tick, robot.leg_kinematics, robot.walk, robot.imu.body) == (0.01, "numeric", None, "Torso")
    assert robot.arms == robot.motors == robot.coupled == {}
    assert robot.legs["left"].outline.tolist() == [[0.0, 0.0]]
    assert robot.legs["left"].force_sensors.shape == (0, 2)
    assert robot.motor_of("HeadYaw") is None


def test_a_robot_cannot_be_changed_by_accident(nao: robots.Robot) -> None:
    with pytest.raises(ValueError, match="read-only"):
        nao.legs["left"].outline[0, 0] = 1.0
    with pytest.raises(AttributeError):
        nao.base = "Head"  # type: ignore[misc]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values of the file, inner ones included."""
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        inner = []
    return [path][: len(path)] + [p for key, v in inner for p in places(v, (*path, key))]


JUNK = st.one_of(
    st.none().map(lambda _: ...),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["Torso", "LFoot", "HeadYaw", "RHipYawPitch", "left", "nao.xml", ".", "/dev/null", "robot.toml"]),
    st.lists(st.floats(-1, 1), max_size=4),
    st.lists(st.lists(st.floats(-1, 1), min_size=2, max_size=2), max_size=5),
    st.lists(st.sampled_from([*NAO["legs"]["left"]["joints"], "HeadYaw", ""]), max_size=7),
    st.dictionaries(st.sampled_from(["a", "body", "LHipRoll", ""]), st.floats() | st.text(max_size=3), max_size=2),
)


def sound_or_refused(load: Callable[[], robots.Robot]) -> None:
    """The law of the loader: a robot that holds what it promises, or a sentence."""
    try:
        robot = load()
    except GangartError:
        return
    assert np.isfinite(robot.mass)
    assert robot.home_position.shape == (len(robot.joints),)
    low, high = robot.joint_limits.T
    assert ((low <= robot.home_position) & (robot.home_position <= high)).all()
    for leg in robot.legs.values():
        assert set(leg.joints) <= set(robot.joints)
        assert np.isfinite(leg.outline).all()


@given(st.lists(st.tuples(st.sampled_from(places(NAO)), JUNK), min_size=1, max_size=3))
def test_any_change_is_loaded_or_refused(folder: Path, changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data = copy.deepcopy(NAO)
    for path, value in changes:
        try:
            put(value, *path)(data)
        except (KeyError, IndexError, TypeError):  # an earlier change took this place away
            continue
    sound_or_refused(lambda: load_text(folder, tomli_w.dumps(data)))


@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=12))
def test_any_slip_of_the_keyboard_is_loaded_or_refused(folder: Path, at: int, erased: int, typed: str) -> None:
    sound_or_refused(lambda: load_text(folder, TEXT[:at] + typed + TEXT[at + erased :]))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(folder: Path, content: bytes) -> None:
    with pytest.raises(GangartError):
        load_text(folder, content)
