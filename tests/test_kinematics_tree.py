"""The tree's kinematics are MuJoCo's and Pinocchio's, for our robots and for any other made of hinges."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from gangart import robots
from gangart.errors import BadRobot, UnknownName
from gangart.kinematics import HipYawPitchLegs, Tree
from gangart.robots import Robot

ODD = """
<mujoco model="odd">
  <compiler angle="degree" autolimits="true"/>
  <worldbody>
    <body name="ground_mark" pos="1 2 3"/>
    <body name="trunk" pos="0.3 0.2 1" quat="0.8 0.6 0 0">
      {free}
      <geom type="box" size="0.1 0.2 0.05" mass="3" pos="0.02 0 0.01"/>
      <body name="mast" pos="0 0.1 0.2" euler="10 20 30">
        <geom type="sphere" size="0.04" mass="0.7" pos="0 0 0.1"/>
        <body name="top" pos="0 0 0.2" euler="0 40 0">
          <joint name="pan" axis="0 0 1" ref="15" pos="0.01 0.02 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0.1 0" mass="0.4"/>
        </body>
      </body>
      <body name="leg" pos="0 -0.1 -0.1" euler="5 0 -35">
        <joint name="swing" axis="1 2 -0.5" pos="0.01 0 0.03" range="-60 60"/>
        <joint name="lift" axis="0 1 0" ref="-20"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="0.9"/>
        <body name="shin" pos="0 0 -0.3" euler="0 0 90">
          <joint name="knee" axis="-1 0 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.02 0 -0.3" mass="0.5"/>
          <body name="foot" pos="0.02 0 -0.3" euler="0 30 0"><geom type="sphere" size="0.03" mass="0.1"/></body>
        </body>
      </body>
    </body>
    {stray}
  </worldbody>
</mujoco>
"""
TOML = """
format = 1
name = "odd"
model = "odd.xml"
base = "trunk"
[servo]
position_gain = 100.0
velocity_gain = 1.0
[legs.only]
side = "left"
joints = ["swing", "lift", "knee"]
foot = "foot"
sole = [0.01, 0.02, -0.03]
"""


def odd_robot(folder: Path, free: str = "<freejoint/>", stray: str = "", body: str = ODD) -> Robot:
    (folder / "odd.xml").write_text(body.format(free=free, stray=stray), encoding="utf-8")
    (folder / "robot.toml").write_text(TOML, encoding="utf-8")
    return robots.load(folder)


@pytest.fixture(params=["nao", "odd"])
def robot(request, tmp_path, nao) -> Robot:
    return nao if request.param == "nao" else odd_robot(tmp_path)


def draw(robot: Robot, seed: int, n: int) -> np.ndarray:
    low, high = np.clip(robot.joint_limits, -np.pi, np.pi).T
    return np.random.default_rng(seed).uniform(low, high, (n, len(low)))


@pytest.mark.parametrize("seed", [3, 4])
def test_bodies_soles_and_centre_of_mass_are_mujocos(robot, seed):
    tree, model = Tree(robot), robot.model
    data = mujoco.MjData(model)
    base = model.body(robot.base).id
    names = [model.body(int(b)).name for b in np.flatnonzero(model.body_rootid == base)]
    q = draw(robot, seed, 50)
    com, soles, bodies = tree.com(q), tree.feet(q), tree.bodies(names, q)
    free = model.jnt_qposadr[model.body_jntadr[base]]
    for i in range(len(q)):
        data.qpos[free : free + 7] = 0, 0, 0, 1, 0, 0, 0
        data.qpos[robot.qpos_index] = q[i]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        np.testing.assert_allclose(com[i], data.subtree_com[base], atol=1e-13)
        for name, pose in zip(names, bodies[i], strict=True):
            np.testing.assert_allclose(pose[:3, 3], data.body(name).xpos, atol=1e-13)
            np.testing.assert_allclose(pose[:3, :3], data.body(name).xmat.reshape(3, 3), atol=1e-13)
        for leg, pose in zip(robot.legs.values(), soles[i], strict=True):
            foot = data.body(leg.foot)
            np.testing.assert_allclose(pose[:3, 3], foot.xpos + foot.xmat.reshape(3, 3) @ leg.sole, atol=1e-13)
            np.testing.assert_allclose(pose[3], [0, 0, 0, 1])


def pinocchio_model(pin, robot: Robot):
    """A Pinocchio model from MuJoCo's numbers, for bodies with one hinge each that runs through their origin."""
    mj, model = robot.model, pin.Model()
    base = mj.body(robot.base).id
    carrier = {base: model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")}
    for body in range(1, mj.nbody):
        if body != base:
            joint = int(mj.body_jntadr[body])
            assert mj.body_jntnum[body] == 1
            assert not mj.jnt_pos[joint].any()
            placed = pin.SE3(pin.Quaternion(*mj.body_quat[body]).matrix(), mj.body_pos[body])
            hinge = pin.JointModelRevoluteUnaligned(*mj.jnt_axis[joint])
            carrier[body] = model.addJoint(carrier[int(mj.body_parentid[body])], hinge, placed, mj.joint(joint).name)
        inertia = pin.Inertia(mj.body_mass[body], mj.body_ipos[body], np.diag(mj.body_inertia[body]))
        model.appendBodyToJoint(carrier[body], inertia, pin.SE3.Identity())
    return model


@pytest.mark.parametrize("seed", [5, 6])
def test_soles_and_centre_of_mass_are_pinocchios(nao, seed):
    pin = pytest.importorskip("pinocchio")
    model = pinocchio_model(pin, nao)
    data = model.createData()
    tree = Tree(nao)
    order = [nao.joint_index[name] for name in list(model.names)[2:]]
    for q in draw(nao, seed, 50):
        com = pin.centerOfMass(model, data, np.concatenate([[0, 0, 0, 0, 0, 0, 1], q[order]]))
        np.testing.assert_allclose(tree.com(q), com, atol=1e-13)
        for leg, pose in zip(nao.legs.values(), tree.feet(q), strict=True):
            foot = data.oMi[model.getJointId(leg.joints[-1])]
            np.testing.assert_allclose(pose[:3, 3], foot.act(leg.sole), atol=1e-13)
            np.testing.assert_allclose(pose[:3, :3], foot.rotation, atol=1e-13)


def test_the_closed_form_leg_is_the_tree(nao):
    tree, legs = Tree(nao), HipYawPitchLegs(nao)
    q = draw(nao, 7, 200)
    for i, leg in enumerate(nao.legs.values()):
        columns = [nao.joint_index[name] for name in leg.joints]
        np.testing.assert_allclose(legs.forward(leg.name, q[:, columns]), tree.feet(q)[:, i], atol=1e-14)


def test_a_batch_is_its_elements(nao):
    tree = Tree(nao)
    q = draw(nao, 8, 6).reshape(2, 3, -1)
    for index in np.ndindex(2, 3):
        assert np.array_equal(tree.com(q)[index], tree.com(q[index]))
        assert np.array_equal(tree.feet(q)[index], tree.feet(q[index]))


def test_what_is_no_tree_of_hinges_is_refused_by_name(tmp_path):
    slide = ODD.replace('<joint name="pan" axis="0 0 1" ref="15" pos="0.01 0.02 0"/>', '<joint name="s" type="slide"/>')
    with pytest.raises(BadRobot, match=r"joint 's' of body 'top' is not a hinge"):
        Tree(odd_robot(tmp_path, body=slide))
    stone = '<body name="stone"><geom type="sphere" size="0.1" mass="1"/></body>'
    with pytest.raises(BadRobot, match="body 'stone' has mass but does not hang on base 'trunk'"):
        Tree(odd_robot(tmp_path, stray=stone))


def test_an_unknown_body_is_refused_with_the_names(nao):
    with pytest.raises(UnknownName, match=r"no body 'LFut'.*id you mean 'LFoot'"):
        Tree(nao).bodies(["LFut"], nao.home_position)
