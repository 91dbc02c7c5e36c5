"""A user's own machine: a robot.toml beside a URDF or an MJCF is all that it takes."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from gangart import robots
from gangart.errors import BadRobot
from gangart.robots.picture import stage

SERVO = "[servo]\nposition_gain = 100.0\nvelocity_gain = 1.0\n"


def link(name: str, mass: float, inertia: tuple[float, float, float] = (1e-3, 1e-3, 1e-3)) -> str:
    xx, yy, zz = inertia
    tensor = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{tensor}</inertial></link>'


def joint(name: str, parent: str, child: str, xyz: str, kind: str = "revolute") -> str:
    limits = (
        '<axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="20" velocity="8"/>' if kind == "revolute" else ""
    )
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{limits}</joint>'


def biped(**replaced: str) -> str:
    """A URDF of two legs of hip and knee each, with feet on fixed joints."""
    parts = {"trunk": link("trunk", 3.0)}
    for side, y in (("left", 0.1), ("right", -0.1)):
        parts |= {
            f"{side}_thigh": link(f"{side}_thigh", 0.5),
            f"{side}_shank": link(f"{side}_shank", 0.4),
            f"{side}_foot": link(f"{side}_foot", 0.1),
            f"{side}_hip": joint(f"{side}_hip", "trunk", f"{side}_thigh", f"0 {y} -0.1"),
            f"{side}_knee": joint(f"{side}_knee", f"{side}_thigh", f"{side}_shank", "0 0 -0.2"),
            f"{side}_ankle": joint(f"{side}_ankle", f"{side}_shank", f"{side}_foot", "0 0 -0.2", "fixed"),
        }
    return f'<robot name="biped">{"".join((parts | replaced).values())}</robot>'


def biped_toml() -> str:
    legs = "".join(
        f'[legs.{side}]\nside = "{side}"\njoints = ["{side}_hip", "{side}_knee"]\nfoot = "{side}_foot"\n'
        for side in ("left", "right")
    )
    return f'format = 1\nname = "biped"\nmodel = "biped.urdf"\nbase = "trunk"\n{legs}{SERVO}'


def write(folder: Path, model: str, text: str, name: str = "biped.urdf") -> Path:
    (folder / name).write_text(model, encoding="utf-8")
    file = folder / "robot.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, model: str, text: str, name: str, sentence: str) -> None:
    with pytest.raises(BadRobot, match=re.escape(sentence)) as refusal:
        robots.load(write(folder, model, text, name))
    assert "\n" not in str(refusal.value)


def test_a_urdf_becomes_a_robot(tmp_path: Path) -> None:
    robot = robots.load(write(tmp_path, biped(), biped_toml()))
    assert robot.mass == pytest.approx(3.0 + 2 * (0.5 + 0.4 + 0.1))
    assert robot.joints == ("left_hip", "left_knee", "right_hip", "right_knee")
    assert {name: leg.joints for name, leg in robot.legs.items()} == {
        "left": ("left_hip", "left_knee"),
        "right": ("right_hip", "right_knee"),
    }
    np.testing.assert_array_equal(robot.joint_limits, [[-1.5, 1.5]] * 4)
    assert (robot.walk, robot.leg_kinematics, robot.imu.body) == (None, "numeric", "trunk")


def test_a_foot_on_a_fixed_joint_stays_a_body_at_its_place(tmp_path: Path) -> None:
    robot = robots.load(write(tmp_path, biped(), biped_toml()))
    data = mujoco.MjData(robot.model)
    mujoco.mj_forward(robot.model, data)
    np.testing.assert_allclose(data.body("left_foot").xpos - data.body("trunk").xpos, [0, 0.1, -0.5], atol=1e-12)


def test_the_base_of_a_urdf_falls_freely(tmp_path: Path) -> None:
    robot = robots.load(write(tmp_path, biped(), biped_toml()))
    data = mujoco.MjData(robot.model)
    steps = 100
    mujoco.mj_step(robot.model, data, steps)
    dt = robot.model.opt.timestep
    # the semi-implicit Euler method falls g dt² n (n + 1) / 2 in n steps
    assert data.qpos[2] == pytest.approx(-9.81 * dt**2 * steps * (steps + 1) / 2, rel=1e-9)


def test_every_spec_is_a_fresh_copy(tmp_path: Path) -> None:
    robot = robots.load(write(tmp_path, biped(), biped_toml()))
    robot.spec().body("trunk").mass = 100.0
    assert robot.spec().compile().body("trunk").mass == 3.0


HOPPER = """<mujoco><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 0.5">
<inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>{base}
<body name="leg"><joint name="{hinge}" axis="0 1 0"/><inertial pos="0 0 -0.1" {inertial}/></body>
</body></worldbody></mujoco>"""
SOUND = {"base": "", "hinge": "hip", "inertial": 'mass="0.5" diaginertia="1e-3 1e-3 1e-4"'}
HOPPER_TOML = f"""format = 1
name = "hopper"
model = "hopper.xml"
base = "trunk"
[legs.only]
side = "left"
joints = ["hip"]
foot = "leg"
sole = [0.0, 0.0, -0.3]
{SERVO}"""


@pytest.mark.parametrize("base", ["", "<freejoint/>"])
def test_an_mjcf_of_one_leg_becomes_a_robot_with_a_free_base(tmp_path: Path, base: str) -> None:
    robot = robots.load(write(tmp_path, HOPPER.format(**SOUND | {"base": base}), HOPPER_TOML, "hopper.xml"))
    assert robot.mass == pytest.approx(2.5)
    assert (robot.joints, list(robot.legs)) == (("hip",), ["only"])
    assert (robot.model.nq, robot.model.nv) == (8, 7)
    assert np.isinf(robot.joint_limits).all()
    assert robot.legs["only"].outline.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"inertial": 'mass="0" diaginertia="0 0 0"'},
            "hopper.xml: body 'leg' moves but has no mass; give it an <inert",
        ),
        (
            {"inertial": 'mass="1" diaginertia="1 1 3"'},
            "hopper.xml: body 'leg' has an inertia that no solid has: of its",
        ),
        ({"inertial": 'mass="1" fullinertia="1 1 1 2 0 0"'}, "hopper.xml: body 'leg' has an inertia that no solid has"),
        (
            {"base": '<joint name="rail" type="slide"/>'},
            "base 'trunk' hangs on joint 'rail' of hopper.xml; it has to be",
        ),
        ({"hinge": ""}, "hopper.xml: a hinge of body 'leg' has no name; every hinge needs one"),
        ({"hinge": "hpi"}, "leg 'only': joint 'hip' is not in hopper.xml; did you mean 'hpi'?"),
        ({"base": "<nonsense/>"}, "hopper.xml: MuJoCo cannot read it: "),
    ],
)
def test_an_mjcf_that_no_machine_can_have_is_refused(tmp_path: Path, change: dict[str, str], sentence: str) -> None:
    refused(tmp_path, HOPPER.format(**SOUND | change), HOPPER_TOML, "hopper.xml", sentence)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("not XML at all", "biped.urdf is not XML: "),
        ("", "biped.urdf is not XML: "),
        ("<html/>", "biped.urdf holds <html>; a model is a <mujoco> (MJCF) or a <robot> (URDF)"),
        (
            biped(left_shank='<link name="left_shank"/>', left_ankle="", left_foot=""),
            "biped.urdf: link 'left_shank' moves",
        ),
        (biped(trunk='<link name="trunk"/>'), "biped.urdf: link 'trunk' moves but has no <inertial>"),
        (biped(left_foot=link("left_foot", 0.1, (1, 1, 3))), "body 'left_foot' has an inertia that no solid has"),
        (biped(left_foot=link("left_fot", 0.1)), "biped.urdf"),
    ],
)
def test_a_urdf_that_no_machine_can_have_is_refused(tmp_path: Path, model: str, sentence: str) -> None:
    refused(tmp_path, model, biped_toml(), "biped.urdf", sentence)


def test_a_urdf_stands_on_the_floor_of_its_picture(tmp_path: Path) -> None:
    _, data = stage(robots.load(write(tmp_path, biped(), biped_toml())))  # no shapes: drawn as bones
    trunk, foot = data.body("trunk").xpos[2], data.body("left_foot").xpos[2]
    assert trunk - foot == pytest.approx(0.5)
    assert 0.0 < foot < 0.05  # half the thickness of the bone that ends in it


def test_a_link_without_mass_may_carry_a_fixed_one_with_mass(tmp_path: Path) -> None:
    model = biped(left_shank='<link name="left_shank"/>')
    assert robots.load(write(tmp_path, model, biped_toml())).mass == pytest.approx(3.0 + 2 * 1.0 - 0.4)
