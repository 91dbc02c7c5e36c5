"""What a real machine adds to its drawing: motor control, friction, play and elasticity (Urbann table 4.3).

A robot's folder may hold a `worn.toml` with named sets of these; none is published for any robot, so a conclusion
that matters has to hold for all of them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from gangart.errors import BadRobot, MissingFile, choose
from gangart.robots.tables import Table

if TYPE_CHECKING:
    from gangart.robots.robot import Robot

Encoder = Literal["joint", "motor"]


@dataclass(frozen=True)
class GearWear:
    """One kind of motor with its gear, seen from the joint."""

    viscous: float  # [N m s/rad] B_v, friction that grows with speed, without back-EMF
    coulomb: float  # [N m] F_c, friction that does not
    inertia: float  # [kg m²] m_g, of the rotor and the gear
    play: float  # [rad] l_h / 2, either way
    stiffness: float  # [N m/rad] D_g
    damping: float  # [N m s/rad] of the teeth; Algorithm 4.2 has none (its B_g is part of `viscous`)


@dataclass(frozen=True)
class Wear:
    """Everything that the fidelity ladder needs to know of a machine."""

    name: str
    note: str  # what it stands for
    encoder: Encoder  # on which side of the gear the controller measures the angle
    proportional: float  # [V/rad] K_P
    integral: float  # [V/(rad s)] K_I
    derivative: float  # [V s/rad] K_D
    stiffness: float  # 0…1, S, part of the current that is let through
    gears: dict[str, GearWear]  # by the name of the motor in the robot's file
    link_stiffness: float  # [N m/rad] D_B of a bending joint
    link_friction: float  # [N m] T_RB, constant, of a bending joint
    link_parts: int = 2  # rigid parts that a thigh or a shank is cut into


def worn(robot: Robot) -> dict[str, Wear]:
    """The sets of wear that come with a robot, by name; empty where its folder has no worn.toml."""
    path = robot.folder / "worn.toml"
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadRobot(f"{path}: not valid TOML: {error}") from error
    return {name: _wear(name, Table(value, f"{path.name} [{name}]", keys=_KEYS), robot) for name, value in data.items()}


def load_wear(robot: Robot, name: str) -> Wear:
    """One set of wear by name."""
    found = worn(robot)
    if not found:
        raise MissingFile(f"{robot.name} has no worn.toml in {robot.folder}: nobody has described its wear")
    return found[choose("wear", name, found)]


_KEYS = (
    *("note", "encoder", "proportional", "integral", "derivative", "stiffness", "gears"),
    *("link_stiffness", "link_friction", "link_parts"),
)
_GEAR = ("viscous", "coulomb", "inertia", "play", "stiffness", "damping")


def _wear(name: str, t: Table, robot: Robot) -> Wear:
    gears = t.table("gears", tuple(robot.motors), {})
    return Wear(
        name=name,
        note=t.text("note", ""),
        encoder=cast("Encoder", t.one_of("encoder", get_args(Encoder))),
        proportional=t.number("proportional", 1e-6),
        integral=t.number("integral", 0.0, default=0.0),
        derivative=t.number("derivative", 0.0),
        stiffness=t.number("stiffness", 1e-3, 1.0, default=1.0),
        gears={motor: _gear(gears.table(motor, _GEAR)) for motor in gears.names()},
        link_stiffness=t.number("link_stiffness", 1e-3),
        link_friction=t.number("link_friction", 0.0),
        link_parts=round(t.number("link_parts", 1, 50, default=2)),
    )


def _gear(t: Table) -> GearWear:
    return GearWear(
        viscous=t.number("viscous", 0.0),
        coulomb=t.number("coulomb", 0.0),
        inertia=t.number("inertia", 1e-9),
        play=t.number("play", 0.0, 0.5),
        stiffness=t.number("stiffness", 1e-3),
        damping=t.number("damping", 0.0),
    )
