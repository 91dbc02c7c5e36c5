"""Links that bend (Urbann 4.2.2): a thigh or a shank is cut into n rigid parts with two-axis springs between them.

The parts share the link's mass evenly and are spread over it so that mass, centre and tensor of the straight link stay
what they were, for any n: with the matrix of second moments S of the link's mass, the parts' centres lie on the line
of direction S e_z / S_zz, as far apart as those of a uniform rod with this S_zz, and what they leave of S, which is
positive like S itself, is shared evenly again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array

# MuJoCo's friction is viscous up to its constant value; by default it is so soft that a bend hardly ever gets there
FIRM = {"reference": "0.005 1", "impedance": "0.9999 0.9999 0.001 0.5 2"}
AXES = {"x": "1 0 0", "y": "0 1 0"}  # across a link, whose long axis is z


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link along the z axis of its frame."""

    mass: float  # [kg]
    centre: Array  # (3,) [m] of mass
    tensor: Array  # (3, 3) [kg m²] about the centre
    length: float  # [m] along z to where the next link hangs; negative where that is below


@dataclass(frozen=True)
class Bend:
    """What holds two neighbouring parts together, about each of two axes."""

    stiffness: float  # [N m/rad] D_B
    friction: float = 0.0  # [N m] T_RB, constant
    damping: float = 0.0  # [N m s/rad]


def with_bending_links(robot: Robot, wear: Wear, damping: float) -> mujoco.MjSpec:
    """The robot's mechanism with every long link of its legs cut into parts.

    Args:
        robot: its own model is left alone.
        wear: stiffness and constant friction of each bending joint, and how many parts.
        damping: of each bending joint [N m s/rad].
    """
    bend = Bend(wear.link_stiffness, wear.link_friction, damping)
    root = ET.fromstring(robot.spec().to_xml())
    bodies = {body.get("name"): body for body in root.iter("body")}
    links = long_links(robot)
    for name, child in links:
        cut(bodies[name], bodies[child], _link(robot.model, name, child), wear.link_parts, bend)
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    _sharpen(spec, robot.model, {name for name, _ in links}, {child for _, child in links})
    return spec


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


def cut(body: ET.Element, child: ET.Element, link: Link, parts: int, bend: Bend) -> None:
    """Cut a body of an MJCF tree into parts: the first keeps its name, its joints and geoms, the last gets its child.

    The bends are named `body/1x`, `body/1y`, `body/2x` ...
    """
    name, step = str(body.get("name")), link.length / parts
    centres, tensor = share(link, parts)
    body.remove(child)
    own = body.find("inertial")
    if own is not None:
        body.remove(own)
    here = body
    for k in range(parts):
        if k:
            here = ET.SubElement(here, "body", name=f"{name}/{k}", pos=_text([0.0, 0.0, step]))
            for axis, vector in AXES.items():
                ET.SubElement(
                    here, "joint", name=f"{name}/{k}{axis}", axis=vector, limited="false",
                    stiffness=repr(bend.stiffness), frictionloss=repr(bend.friction), damping=repr(bend.damping),
                    solreffriction=FIRM["reference"], solimpfriction=FIRM["impedance"],
                )  # fmt: skip
        place = centres[k] - np.array([0.0, 0.0, k * step])
        six = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        ET.SubElement(here, "inertial", pos=_text(place), mass=repr(link.mass / parts), fullinertia=_text(six))
    child.set("pos", _text([0.0, 0.0, step]))
    here.append(child)


def share(link: Link, parts: int) -> tuple[Array, Array]:
    """Centres of the parts (parts, 3) [m] in the link's frame, and the tensor of each about its centre [kg m²]."""
    S = 0.5 * np.trace(link.tensor) * np.eye(3) - link.tensor  # ∫ r rᵀ dm
    spread = max(float(S[2, 2]), 1e-12 * float(np.trace(S)))  # a flat link has none
    rod = np.sqrt(12.0 / (link.mass * spread)) * S[2]  # from end to end of the uniform rod with the same S_zz
    places = np.copysign(1.0, link.length) * (np.arange(parts) - 0.5 * (parts - 1)) / parts
    left = (S - link.mass / parts * np.sum(places**2) * np.outer(rod, rod)) / parts
    return link.centre + np.outer(places, rod), np.trace(left) * np.eye(3) - left


def _link(model: mujoco.MjModel, name: str, child: str) -> Link:
    body = model.body(name).id
    flat = np.empty(9)
    mujoco.mju_quat2Mat(flat, model.body_iquat[body])
    R = flat.reshape(3, 3)
    tensor = R @ np.diag(model.body_inertia[body]) @ R.T
    length = float(model.body_pos[model.body(child).id][2])
    return Link(float(model.body_mass[body]), model.body_ipos[body].copy(), tensor, length)


def _sharpen(spec: mujoco.MjSpec, model: mujoco.MjModel, cut_bodies: set[str], moved: set[str]) -> None:
    """Give bodies and joints the numbers of the robot's model: MuJoCo writes XML with six digits."""
    for i in range(1, model.nbody):
        name = model.body(i).name
        body = spec.body(name)
        if body is None:  # without a name nobody can tell which it is
            continue
        if name not in moved:
            body.pos = model.body_pos[i]
        body.quat = model.body_quat[i]
        if name not in cut_bodies and model.body_mass[i] > 0.0:
            body.mass, body.ipos, body.iquat = model.body_mass[i], model.body_ipos[i], model.body_iquat[i]
            body.inertia, body.fullinertia = model.body_inertia[i], np.full(6, np.nan)
            body.explicitinertial = True
    for i in range(model.njnt):
        joint = spec.joint(model.joint(i).name)
        if joint is None:
            continue
        joint.pos, joint.axis, joint.range = model.jnt_pos[i], model.jnt_axis[i], model.jnt_range[i]


def _text(values: Array | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
