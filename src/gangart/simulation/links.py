"""Links that bend (Urbann 4.2.2): a thigh or a shank is cut into n rigid parts with two-axis springs between them.

The parts share mass and tensor of the link evenly, so that total mass, centre of mass and inertia of the straight link
stay what they were.
"""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.signals import Array

AXES = {"x": "1 0 0", "y": "0 1 0"}  # across a link that hangs down


def with_bending_links(robot: Robot, stiffness: float, friction: float, parts: int, damping: float) -> mujoco.MjSpec:
    """The robot's mechanism with every long link of its legs cut into parts.

    Args:
        robot: its own model is left alone.
        stiffness: of each bending joint, about each axis [N m/rad].
        friction: constant, of each bending joint [N m].
        parts: of each link.
        damping: of each bending joint [N m s/rad].
    """
    root = ET.fromstring(robot.spec().to_xml())
    bodies = {body.get("name"): body for body in root.iter("body")}
    for link, child in long_links(robot):
        _cut(robot, bodies[link], bodies[child], stiffness, friction, parts, damping)
    return mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))


def long_links(robot: Robot) -> list[tuple[str, str]]:
    """Links of the legs that are longer than they are offset: a link's body and the body that hangs at its end."""
    model = robot.model
    found = []
    for leg in robot.legs.values():
        bodies = [model.body(int(model.jnt_bodyid[model.joint(j).id])) for j in leg.joints]
        for parent, child in pairwise(bodies):
            way = model.body_pos[child.id]
            if model.body_parentid[child.id] == parent.id and -way[2] > 0.03 and np.hypot(way[0], way[1]) < 1e-6:
                found.append((parent.name, child.name))
    return found


def _cut(
    robot: Robot,
    body: ET.Element,
    child: ET.Element,
    stiffness: float,
    friction: float,
    parts: int,
    damping: float,
) -> None:
    model, name = robot.model, str(body.get("name"))
    length = float(model.body_pos[model.body(str(child.get("name"))).id][2])  # negative: it hangs
    mass, com, inertia = _split(model, model.body(name).id, length, parts)
    body.remove(child)
    own = body.find("inertial")
    if own is not None:
        body.remove(own)
    here = body
    for k in range(parts):
        if k:
            here = ET.SubElement(here, "body", name=f"{name}/{k}", pos=_text([0.0, 0.0, length / parts]))
            for axis, vector in AXES.items():
                ET.SubElement(
                    here, "joint", name=f"{name}/{k}{axis}", axis=vector, limited="false",
                    stiffness=repr(stiffness), frictionloss=repr(friction), damping=repr(damping),
                )  # fmt: skip
        place = com[k] - np.array([0.0, 0.0, k * length / parts])
        ET.SubElement(here, "inertial", pos=_text(place), mass=repr(mass), fullinertia=_text(inertia))
    child.set("pos", _text([0.0, 0.0, length / parts]))
    here.append(child)


def _split(model: mujoco.MjModel, body: int, length: float, parts: int) -> tuple[float, Array, Array]:
    """Mass [kg] of each part, their centres (parts, 3) [m] in the link's frame, tensor (6,) [kg m²] of each."""
    mass = float(model.body_mass[body]) / parts
    flat = np.empty(9)
    mujoco.mju_quat2Mat(flat, model.body_iquat[body])
    R = flat.reshape(3, 3)
    tensor = R @ np.diag(model.body_inertia[body]) @ R.T
    along = (np.arange(parts) - (parts - 1) / 2.0) * length / parts
    tensor = (tensor - mass * np.sum(along**2) * np.diag([1.0, 1.0, 0.0])) / parts
    if np.linalg.eigvalsh(tensor)[0] <= 0.0:
        raise BadValue(f"link '{model.body(body).name}' cannot be cut into {parts} parts: its inertia is too small")
    com = model.body_ipos[body] + np.column_stack([np.zeros(parts), np.zeros(parts), along])
    t = tensor
    return mass, com, np.array([t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]])


def _text(values: Array | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
