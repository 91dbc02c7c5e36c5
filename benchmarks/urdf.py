"""A robot as URDF, for peers that read nothing else: links, joints, limits and inertias of the compiled model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.signals import Array

TRUNK = "trunk"  # what placo calls the base; the soles are left_foot and right_foot
_DENSE = 1e-9  # [kg] below this a link counts as massless


def to_urdf(robot: Robot) -> str:
    """The mechanism without its shells. Each link's frame sits in its joint, as URDF wants it.

    The base is called `trunk`, the soles' frames `left_foot` and `right_foot`; joints keep their names.
    """
    model = robot.model
    root = ET.Element("robot", name=robot.name)
    base = model.body(robot.base).id
    names = {base: TRUNK}
    for body in range(base, model.nbody):
        parent = int(model.body_parentid[body])
        if body != base and parent not in names:
            continue  # not a part of the robot
        names.setdefault(body, model.body(body).name)
        link = ET.SubElement(root, "link", name=names[body])
        _add_inertia(link, model, body)
        if body != base:
            _add_joint(root, robot, names[parent], names[body], body)
    for leg in robot.legs.values():
        foot = model.body(leg.foot).id
        _add_frame(root, names[foot], f"{leg.side}_foot", leg.sole - _anchor(model, foot))
    return ET.tostring(root, encoding="unicode")


def _anchor(model: mujoco.MjModel, body: int) -> Array:
    """Where the body's hinge sits in the body's frame [m]; the origin where it has none."""
    if model.body_jntnum[body] != 1 or model.jnt_type[model.body_jntadr[body]] != mujoco.mjtJoint.mjJNT_HINGE:
        return np.zeros(3)
    return np.array(model.jnt_pos[model.body_jntadr[body]])


def _add_inertia(link: ET.Element, model: mujoco.MjModel, body: int) -> None:
    mass = float(model.body_mass[body])
    if mass < _DENSE:
        return
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "mass", value=repr(mass))
    _add_origin(inertial, model.body_ipos[body] - _anchor(model, body), model.body_iquat[body])
    xx, yy, zz = (repr(float(v)) for v in model.body_inertia[body])
    ET.SubElement(inertial, "inertia", ixx=xx, iyy=yy, izz=zz, ixy="0", ixz="0", iyz="0")


def _add_joint(root: ET.Element, robot: Robot, parent: str, child: str, body: int) -> None:
    model = robot.model
    above = int(model.body_parentid[body])
    number = int(model.body_jntadr[body]) if model.body_jntnum[body] else -1
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.body_quat[body])
    place = model.body_pos[body] + turn.reshape(3, 3) @ _anchor(model, body) - _anchor(model, above)
    if number < 0:
        joint = ET.SubElement(root, "joint", name=f"{child} fixed", type="fixed")
    else:
        joint = ET.SubElement(root, "joint", name=model.joint(number).name, type="revolute")
        ET.SubElement(joint, "axis", xyz=_text(model.jnt_axis[number]))
        low, high = (repr(float(v)) for v in robot.joint_limits[robot.joint_index[model.joint(number).name]])
        motor = robot.motor_of(model.joint(number).name)
        speed = repr(motor.joint_speed if motor else math.pi)
        torque = repr(motor.joint_torque if motor else 1.0)
        ET.SubElement(joint, "limit", lower=low, upper=high, velocity=speed, effort=torque)
    _add_ends(joint, parent, child)
    _add_origin(joint, place, model.body_quat[body])


def _add_frame(root: ET.Element, parent: str, name: str, place: Array) -> None:
    """A link without mass that only marks a place [m] on its parent."""
    ET.SubElement(root, "link", name=name)
    joint = ET.SubElement(root, "joint", name=f"{name} fixed", type="fixed")
    _add_ends(joint, parent, name)
    _add_origin(joint, place, np.array([1.0, 0.0, 0.0, 0.0]))


def _add_ends(joint: ET.Element, parent: str, child: str) -> None:
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=child)


def _add_origin(element: ET.Element, place: Array, quaternion: Array) -> None:
    w, x, y, z = (float(v) for v in quaternion)
    rpy = (
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(min(max(2.0 * (w * y - z * x), -1.0), 1.0)),
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )
    ET.SubElement(element, "origin", xyz=_text(place), rpy=_text(rpy))


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
