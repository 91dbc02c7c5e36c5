"""From a model file (MJCF or URDF) to an editable MuJoCo spec whose base floats freely."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco

from gangart.errors import BadRobot, MissingFile, suggest

# What MuJoCo says of a body: what we say of it.
_SENTENCES = {
    "mass and inertia of moving bodies": "moves but has no mass; give it an <inertial> with mass and inertia above 0",
    "A + B >= C": "has an inertia that no solid has: of its principal moments one exceeds the sum of the others",
    "positive eigenvalues": "has an inertia that no solid has: its principal moments have to be positive",
}


def read_spec(path: Path, base: str) -> mujoco.MjSpec:
    """Read a mechanism. A URDF's base, or an MJCF's without a free joint, is set free."""
    root = _check_xml(path)
    if root.tag == "robot":
        _check_urdf_masses(root, path.name)
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise BadRobot(f"{path.name}: MuJoCo cannot read it: {_one_line(error)}") from error
    spec.compiler.fusestatic = False  # a foot on a fixed joint has to stay a body of its own
    _set_free(spec, base, path.name)
    _check_compiles(spec, path.name)
    return spec


def bend_forward(spec: mujoco.MjSpec, joints: Sequence[str]) -> None:
    """Let a leg bend the other way: the limits of its pitch joints (axis y) are mirrored."""
    for name in joints:
        joint = spec.joint(name)
        if abs(joint.axis[1]) > abs(joint.axis[0]):
            low, high = joint.range
            joint.range = [-high, -low]


def _set_free(spec: mujoco.MjSpec, base: str, file: str) -> None:
    body = spec.body(base)
    if body is None or base == "world":
        bodies = {b.name for b in spec.bodies} - {"world"}
        raise BadRobot(f"base '{base}' is not a body of {file}; {suggest(base, bodies)}")
    if body.parent.name != "world":
        raise BadRobot(f"base '{base}' hangs on '{body.parent.name}' of {file}; the outermost body has to be the base")
    if any(j.type == mujoco.mjtJoint.mjJNT_FREE for j in body.joints):
        return
    if body.joints:
        raise BadRobot(f"base '{base}' hangs on joint '{body.joints[0].name}' of {file}; it has to be free")
    body.add_freejoint()


def _check_compiles(spec: mujoco.MjSpec, file: str) -> None:
    try:
        spec.copy().compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        said = _one_line(error)
        body = re.search(r"Element name '([^']*)'", said)
        ours = next((sentence for theirs, sentence in _SENTENCES.items() if theirs in said), None)
        if body and ours:
            raise BadRobot(f"{file}: body '{body[1]}' {ours}") from error
        raise BadRobot(f"{file}: MuJoCo cannot compile it: {said}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _check_xml(path: Path) -> ET.Element:
    try:
        root = ET.fromstring(path.read_bytes())
    except FileNotFoundError as error:
        raise MissingFile(f"model file {path} does not exist") from error
    except OSError as error:
        raise MissingFile(f"model file {path} cannot be read: {error.strerror}") from error
    except (ET.ParseError, ValueError) as error:  # ValueError: an unknown encoding, a path with a zero byte
        raise BadRobot(f"{path.name} is not XML: {error}") from error
    if root.tag not in ("mujoco", "robot"):
        raise BadRobot(f"{path.name} holds <{root.tag}>; a model is a <mujoco> (MJCF) or a <robot> (URDF)")
    return root


def _check_urdf_masses(root: ET.Element, file: str) -> None:
    """MuJoCo would guess a mass from the shapes, or name no link; say which link of the URDF has none."""
    fixed: dict[str, list[str]] = {}
    carried = set()  # links on fixed joints: their carrier may hold the mass
    for joint in root.findall("joint"):
        parent, child = (_link(joint, end) for end in ("parent", "child"))
        if joint.get("type") == "fixed":
            fixed.setdefault(parent, []).append(child)
            carried.add(child)
    heavy = {link.get("name", "") for link in root.findall("link") if link.find("inertial") is not None}
    for link in root.findall("link"):
        name = link.get("name", "")
        if name not in carried and not heavy & _welded(name, fixed):
            raise BadRobot(f"{file}: link '{name}' moves but has no <inertial> (mass, centre and inertia)")


def _link(joint: ET.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def _welded(name: str, fixed: dict[str, list[str]]) -> set[str]:
    """The link and all that hangs on it by fixed joints."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        link = waiting.pop()
        if link not in found:
            found.add(link)
            waiting += fixed.get(link, [])
    return found
