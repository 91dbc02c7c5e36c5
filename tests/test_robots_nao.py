"""Facts of the Nao: what is published about the machine holds in the model that we simulate."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from gangart.robots import Robot

FACTS = Path(__file__).parents[2] / "shared" / "robots" / "nao.toml"
MIRROR = np.diag([1.0, -1.0, 1.0])


def tensor(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Inertia about the body's centre of mass, in the body's axes [kg m²]."""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[body])
    R = R.reshape(3, 3)
    return R @ np.diag(model.body_inertia[body]) @ R.T


def left_bodies(model: mujoco.MjModel) -> list[str]:
    return [name for i in range(model.nbody) if (name := model.body(i).name).startswith("L")]


def left_joints(robot: Robot) -> list[str]:
    return [name for name in robot.joints if name.startswith("L")]


def test_the_robot_weighs_what_its_links_weigh(nao: Robot) -> None:
    assert nao.mass == pytest.approx(4.69869, abs=1e-9)  # [kg] sum of the links; Aldebaran prints 4.69852 kg


def test_the_base_floats_and_every_other_joint_is_a_hinge(nao: Robot) -> None:
    assert (nao.model.nq, nao.model.nv) == (7 + 22, 6 + 22)
    assert list(nao.qpos_index) == list(range(7, 29))
    assert list(nao.dof_index) == list(range(6, 28))
    assert [nao.joint_index[name] for name in nao.joints] == list(range(22))


def test_left_and_right_links_are_mirror_images(nao: Robot) -> None:
    model = nao.model
    assert len(left_bodies(model)) == 10
    for name in left_bodies(model):
        left, right = model.body(name), model.body(f"R{name[1:]}")
        assert left.mass == right.mass
        np.testing.assert_array_equal(right.ipos, MIRROR @ left.ipos)
        np.testing.assert_allclose(right.pos, MIRROR @ left.pos, atol=1e-12)
        mirrored = MIRROR @ tensor(model, left.id) @ MIRROR
        np.testing.assert_allclose(tensor(model, right.id), mirrored, rtol=1e-6, atol=1e-12)


def test_left_and_right_joints_are_mirror_images(nao: Robot) -> None:
    # A mirror turns an axis of rotation about: M a is the axis of the opposite sense, so -M a is the mirrored axis.
    for name in left_joints(nao):
        left, right = nao.model.joint(name), nao.model.joint(f"R{name[1:]}")
        mirrored = -MIRROR @ left.axis
        same = np.allclose(right.axis, mirrored)
        assert same or np.allclose(right.axis, -mirrored), name
        if name != "LAnklePitch":  # the only joint whose published limits differ from left to right
            limits = left.range if same else -left.range[::-1]
            np.testing.assert_allclose(right.range, limits, atol=1e-12)


def test_every_tensor_belongs_to_a_solid(nao: Robot) -> None:
    for body in range(1, nao.model.nbody):
        a, b, c = sorted(nao.model.body_inertia[body])
        assert a > 0.0
        assert a + b >= c


def test_motors_turn_the_legs_as_fast_as_published(nao: Robot) -> None:
    fast = {"HipPitch", "KneePitch", "AnklePitch"}
    for leg in nao.legs.values():
        for joint in leg.joints:
            motor = nao.motor_of(joint)
            assert motor is not None
            assert motor.joint_speed == pytest.approx(6.40 if joint[1:] in fast else 4.16, abs=5e-3)  # [rad/s]
            assert motor.joint_torque == pytest.approx(7.79 if joint[1:] in fast else 11.98, abs=5e-3)  # [N m]


def test_twenty_one_motors_turn_twenty_two_joints(nao: Robot) -> None:
    driven = [joint for motor in nao.motors.values() for joint in motor.joints]
    assert len(driven) == 21
    assert set(nao.joints) - set(driven) == {"RHipYawPitch"}
    assert nao.motor_of("RHipYawPitch") is nao.motor_of("LHipYawPitch")


@pytest.mark.parametrize("pushed", ["LHipYawPitch", "RHipYawPitch"])
def test_one_motor_turns_both_hips_alike(nao: Robot, pushed: str) -> None:
    spec = nao.spec()
    spec.option.gravity = [0.0, 0.0, 0.0]
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[nao.qpos_index] = nao.home_position
    apart, moved = 0.0, 0.0
    for step in range(400):
        data.qfrc_applied[model.joint(pushed).dofadr[0]] = 0.4 * np.cos(2 * np.pi * step / 400)  # [N m]
        mujoco.mj_step(model, data)
        left, right = (float(data.joint(f"{side}HipYawPitch").qpos[0]) for side in "LR")
        apart, moved = max(apart, abs(left - right)), max(moved, abs(left))
    assert moved > 0.1  # [rad]
    assert apart < 1e-3  # [rad]


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_sole_touches_the_ground_along_its_outline(nao: Robot, side: str) -> None:
    leg, model = nao.legs[side], nao.model
    foot = model.body(leg.foot).id
    touching = [i for i in range(model.ngeom) if model.geom_bodyid[i] == foot and model.geom_conaffinity[i]]
    assert {int(model.geom_type[i]) for i in touching} == {int(mujoco.mjtGeom.mjGEOM_SPHERE)}
    corners = model.geom_pos[touching, :2] - leg.sole[:2]
    assert sorted(corners.tolist()) == sorted(leg.outline.tolist())
    np.testing.assert_allclose(model.geom_pos[touching, 2] - model.geom_size[touching, 0], leg.sole[2], atol=1e-12)


def test_force_sensors_lie_within_the_sole(nao: Robot) -> None:
    for leg in nao.legs.values():
        edge = np.roll(leg.outline, -1, axis=0) - leg.outline
        for sensor in leg.force_sensors:
            to = sensor - leg.outline
            assert (edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0] > 0.0).all()  # left of every edge


def test_soles_lie_flat_in_the_home_posture(nao: Robot) -> None:
    data = mujoco.MjData(nao.model)
    data.qpos[nao.qpos_index] = nao.home_position
    mujoco.mj_forward(nao.model, data)
    for leg in nao.legs.values():
        np.testing.assert_allclose(data.body(leg.foot).xmat.reshape(3, 3), np.eye(3), atol=1e-12)


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    if not FACTS.exists():
        pytest.skip("the sheet of published facts is not beside the repository")
    return tomllib.loads(FACTS.read_text(encoding="utf-8"))


def ours(link: str) -> str:
    return link.replace("ForeArm", "LowerArm")


def test_links_are_the_published_ones(nao: Robot, facts: dict[str, Any]) -> None:
    links = {ours(name): link for name, link in facts["link"].items()}
    for i in range(1, nao.model.nbody):
        body = nao.model.body(i)
        link = facts["link"]["LowerArm_H21"] if body.name.endswith("LowerArm") else links[body.name]
        xx, yy, zz, xy, xz, yz = link["inertia_com"]
        assert body.mass[0] == link["mass"]
        assert body.ipos.tolist() == link["com"]
        published = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        np.testing.assert_allclose(tensor(nao.model, i), published, rtol=1e-6, atol=1e-12)
    assert nao.mass == pytest.approx(facts["check"]["sum_h21_links_kg"], abs=1e-9)


def test_joints_are_the_published_ones(nao: Robot, facts: dict[str, Any]) -> None:
    assert set(nao.joints) == set(facts["joint"])
    for name, fact in facts["joint"].items():
        joint = nao.model.joint(name)
        body = nao.model.body(joint.bodyid[0])
        assert body.name == ours(fact["child"])
        assert nao.model.body(body.parentid[0]).name == fact["parent"]
        assert body.pos.tolist() == fact["origin"]
        assert nao.joint_limits[nao.joint_index[name]].tolist() == fact["limits_rad"]
        np.testing.assert_allclose(joint.axis, fact["axis"], atol=1e-6)
        motor = nao.motor_of(name)
        assert motor is not None
        assert motor.gear_ratio == fact["gear_ratio"]
        assert motor.joint_speed == pytest.approx(fact["no_load_speed"], rel=1e-4)
        assert motor.joint_torque == pytest.approx(fact["stall_torque"], rel=1e-3)


def test_lengths_and_sensors_are_the_published_ones(nao: Robot, facts: dict[str, Any]) -> None:
    length, fsr = facts["lengths_v32"], facts["sensors"]["fsr"]
    data = mujoco.MjData(nao.model)
    mujoco.mj_forward(nao.model, data)
    hip, knee, foot = (data.body(name).xpos for name in ("LThigh", "LTibia", "LFoot"))
    np.testing.assert_allclose(
        hip - data.body("Torso").xpos, [0, length["HipOffsetY"], -length["HipOffsetZ"]], atol=1e-12
    )
    np.testing.assert_allclose(hip - knee, [0, 0, length["ThighLength"]], atol=1e-12)
    np.testing.assert_allclose(knee - foot, [0, 0, length["TibiaLength"]], atol=1e-12)
    assert nao.imu.position.tolist() == facts["sensors"]["imu"]["accelerometer_pos"]
    for side, leg in nao.legs.items():
        assert leg.sole.tolist() == [0, 0, -length["FootHeight"]]
        assert leg.force_sensors.tolist() == list(fsr[side].values())
        published = {(x, y if side == "left" else -y) for x, y in facts["foot"]["sole_polygon_left"]}
        assert {tuple(corner) for corner in leg.outline.tolist()} <= published
