"""Portraits: the robot stands on the floor, fills the picture, and a machine without OpenGL says what it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image

from gangart.errors import BadValue, MissingTool, UnknownName
from gangart.robots import Robot, load
from gangart.robots.offscreen import renderer
from gangart.robots.picture import picture, stage

FALLEN = {"LShoulderPitch": -1.5, "LKneePitch": 1.5, "RHipRoll": -0.6}


@pytest.fixture(scope="module")
def opengl() -> None:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    try:
        with renderer(model, 16, 16):
            pass
    except MissingTool as error:
        pytest.skip(str(error))


def pixels(file: Path) -> np.ndarray:
    with Image.open(file) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"), dtype=float)


def lowest_sole(nao: Robot, data: mujoco.MjData) -> float:
    """Height of the lowest corner of the soles [m]."""
    heights = []
    for leg in nao.legs.values():
        body = data.body(leg.foot)
        corners = np.column_stack([leg.outline, np.zeros(len(leg.outline))]) + leg.sole
        heights.append((body.xpos + corners @ body.xmat.reshape(3, 3).T)[:, 2].min())
    return float(min(heights))


# MuJoCo keeps the corners of a mesh in single precision: 0.045 m is rounded by up to 2e-9 m.
ROUNDING = 0.05 * float(np.finfo(np.float32).eps)


# Flat on the ground, all corners touch it. A tilted sole stands on its rounded edge, which the outline's eight corners
# cut off by less than a millimetre.
@pytest.mark.parametrize(("joints", "gap"), [({}, ROUNDING), (FALLEN, 1e-3)], ids=["home", "crooked"])
def test_the_robot_stands_on_the_floor_in_any_posture(nao: Robot, joints: dict[str, float], gap: float) -> None:
    _, data = stage(nao, joints)
    assert -ROUNDING <= lowest_sole(nao, data) <= gap
    for name, angle in {**nao.home, **joints}.items():
        assert data.joint(name).qpos[0] == angle


SHAPES = {
    "sphere": ("0.1", 0.1),
    "capsule": ("0.05 0.2", 0.05 + 0.2 * np.cos(0.5)),
    "cylinder": ("0.05 0.2", 0.05 * np.sin(0.5) + 0.2 * np.cos(0.5)),
    "box": ("0.1 0.2 0.3", 0.1 * np.sin(0.5) + 0.3 * np.cos(0.5)),
    "ellipsoid": ("0.1 0.2 0.3", np.hypot(0.1 * np.sin(0.5), 0.3 * np.cos(0.5))),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_touches_the_floor_with_its_lowest_point(tmp_path: Path, shape: str) -> None:
    size, reach = SHAPES[shape]
    (tmp_path / "m.xml").write_text(
        f"""<mujoco><compiler angle="radian"/><worldbody><body name="b"><inertial pos="0 0 0" mass="1"
        diaginertia="1 1 1"/><body name="l"><joint name="j" axis="0 1 0"/><inertial pos="0 0 0" mass="1"
        diaginertia="1 1 1"/><geom type="{shape}" size="{size}" euler="0 0.5 0"/></body></body></worldbody></mujoco>"""
    )
    (tmp_path / "robot.toml").write_text(
        'format = 1\nname = "m"\nmodel = "m.xml"\nbase = "b"\n[servo]\nposition_gain = 1\nvelocity_gain = 1\n'
        '[legs.a]\nside = "left"\njoints = ["j"]\nfoot = "l"\n'
    )
    _, data = stage(load(tmp_path))
    assert data.body("b").xpos[2] == pytest.approx(reach, abs=1e-12)


@pytest.mark.usefixtures("opengl")
def test_a_portrait_has_the_size_asked_for_and_shows_the_robot(nao: Robot, tmp_path: Path) -> None:
    file = picture(nao, tmp_path / "new" / "nao.png", size=(250, 200))
    image = pixels(file)
    assert image.shape == (200, 250, 3)
    blue = (image[..., 2] - image[..., 0] > 100).nonzero()  # eyes, shoulders and knees: nothing else is that blue
    assert np.ptp(blue[0]) > 0.5 * 200  # from the head to the knees: the robot fills the picture ...
    assert 0.3 < blue[1].mean() / 250 < 0.7  # ... and stands in its middle


@pytest.mark.usefixtures("opengl")
def test_a_portrait_follows_the_joints_and_repeats_itself(nao: Robot, tmp_path: Path) -> None:
    home, again, crooked = (
        pixels(picture(nao, tmp_path / f"{i}.png", size=(125, 100), joints=joints))
        for i, joints in enumerate(({}, {}, FALLEN))
    )
    np.testing.assert_array_equal(home, again)
    assert np.abs(home - crooked).mean() > 1.0


def test_what_cannot_be_drawn_is_refused(nao: Robot, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no joint 'LKnee'; did you mean 'LKneePitch'\?"):
        picture(nao, tmp_path / "a.png", joints={"LKnee": 0.1})
    with pytest.raises(BadValue, match="picture size is 0 × 10"):
        picture(nao, tmp_path / "a.png", size=(0, 10))


@pytest.mark.skipif(sys.platform != "linux", reason="EGL is Linux's way")
def test_a_machine_without_opengl_says_what_to_install() -> None:
    code = """
import mujoco
from gangart.errors import MissingTool
from gangart.robots.offscreen import renderer
for _ in range(2):
    try:
        with renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 16, 16): pass
    except MissingTool as error:
        print(error)
"""
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL")}
    environment = {**kept, "__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    assert all("apt install libegl1 libgl1-mesa-dri" in line for line in lines)
