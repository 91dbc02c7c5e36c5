"""Read a robot: one of ours by name, or the user's robot.toml beside a URDF or MJCF (docs/robot-file.md)."""

from __future__ import annotations

import importlib
import math
import os
import re
import tomllib
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from gangart.errors import BadRobot, MissingFile, MissingTool, UnknownName, suggest
from gangart.robots.obstacles import read_obstacle
from gangart.robots.robot import Arm, Drive, Gait, Imu, Knee, Leg, Limits, Motor, Robot, Servo, Side, Walk
from gangart.robots.soles import outline_of
from gangart.robots.tables import Table

_FOLDER = Path(__file__).parent
_SIDES = ("left", "right")
_KINEMATICS = ("hip-yaw-pitch", "abduction", "numeric")
_KNEES = ("backward", "forward")
_STEP = "step_"  # fields of Limits that stand in [walk.limits.step]


def _keys(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name != "name")


# What each table of the file may hold; * stands for a name of the user's.
KEYS: dict[str, tuple[str, ...]] = {
    "": (
        *("format", "name", "title", "model", "base", "tick", "kinematics"),
        *("home", "coupled", "imu", "legs", "arms", "motors", "servo", "drive", "transmission", "obstacles"),
        *("walk", "gaits"),
    ),
    "imu": _keys(Imu),
    "legs.*": _keys(Leg),
    "arms.*": _keys(Arm),
    "motors.*": _keys(Motor),
    "servo": _keys(Servo),
    "drive": _keys(Drive),
    "gaits.*": _keys(Gait),
    "obstacles.*": ("corners", "legs"),
    "walk": _keys(Walk),
    "walk.limits": (*(key for key in _keys(Limits) if not key.startswith(_STEP)), "step"),
    "walk.limits.step": tuple(key.removeprefix(_STEP) for key in _keys(Limits) if key.startswith(_STEP)),
}


def names() -> list[str]:
    """The robots that come with gangart."""
    return sorted(p.parent.name for p in _FOLDER.glob("*/robot.toml"))


def load(robot: str | Path) -> Robot:
    """A robot by name ("nao"), or from the path of a robot.toml or of its folder."""
    if isinstance(robot, str) and robot in names():
        return _read(_FOLDER / robot / "robot.toml")
    path = Path(robot)
    with suppress(OSError):  # a name may be longer than a path can be
        path = path / "robot.toml" if path.is_dir() else path
    if path.suffix == ".toml" or len(path.parts) > 1:
        return _read(path)
    raise UnknownName(f"no robot '{robot}'; {suggest(str(robot), names())}")


def _read(path: Path) -> Robot:
    _start_mujoco()
    from gangart.robots.check import check, hinges
    from gangart.robots.mechanism import read_spec

    top = Table(_parse(path), str(path), keys=KEYS[""])
    folder = path.resolve().parent
    model_path, base = folder / top.text("model"), top.text("base")
    spec = read_spec(model_path, base)
    robot = Robot(
        name=_name(top),
        title=top.text("title", ""),
        folder=folder,
        model_path=model_path,
        base=base,
        tick=top.number("tick", 1e-3, 0.1, default=0.01),
        legs={key: _leg(key, t) for key, t in _named(top, "legs", required=True)},
        arms={key: _arm(key, t) for key, t in _named(top, "arms")},
        motors={key: _motor(key, t) for key, t in _named(top, "motors")},
        coupled=_strings(top.table("coupled", default={})),
        home=_angles(top.table("home", default={})),
        imu=_imu(top.table("imu", KEYS["imu"], {"body": base})),
        servo=_servo(top.table("servo", KEYS["servo"])),
        walk=_walk(top.table("walk", KEYS["walk"])) if "walk" in top else None,
        leg_kinematics=top.one_of("kinematics", _KINEMATICS, "numeric"),
        joints=hinges(spec, model_path.name),
        drive=_drive(top.table("drive", KEYS["drive"])) if "drive" in top else None,
        gaits={key: _gait(key, t) for key, t in _named(top, "gaits")},
        transmission=_transmission(top.table("transmission", default={})),
        obstacles={key: read_obstacle(key, t) for key, t in _named(top, "obstacles")},
    )
    check(robot, spec)
    return robot


def _start_mujoco() -> None:
    """Importing MuJoCo opens the OpenGL that MUJOCO_GL names, and that may not be there."""
    try:
        importlib.import_module("mujoco")
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        chosen = os.environ.get("MUJOCO_GL", "")
        said = " ".join(str(error).split())
        raise MissingTool(f"MuJoCo does not start with MUJOCO_GL='{chosen}' ({said}); unset that variable") from error


def _parse(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError as error:
        raise MissingFile(f"robot file {path} does not exist") from error
    except OSError as error:
        raise MissingFile(f"robot file {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number or a nesting without end
        raise BadRobot(f"{path} is not TOML: {error}") from error
    version = Table(data, str(path)).number("format")
    if version != 1:
        raise BadRobot(f"{path}: 'format' is {version:g}; this gangart reads format 1")
    return data


def _name(top: Table) -> str:
    name = top.text("name")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise BadRobot(f"{top.where}: 'name' is {name!r}; it names files too, so letters, digits, - and _ have to do")
    return name


def _named(top: Table, kind: str, required: bool = False) -> list[tuple[str, Table]]:
    group = top.table(kind, default=None if required else {})
    if required and not group.names():
        raise BadRobot(f"{group.where} is empty; a robot needs at least one")
    return [(name, group.table(name, KEYS[f"{kind}.*"])) for name in group.names()]


def _leg(name: str, t: Table) -> Leg:
    return Leg(
        name=name,
        side=cast("Side", t.one_of("side", _SIDES)),
        joints=t.list_of_names("joints"),
        foot=t.text("foot"),
        sole=t.array("sole", (3,), [0.0, 0.0, 0.0]),
        outline=outline_of(t.array("outline", (-1, 2), [[0.0, 0.0]]), f"{t.where}: 'outline'"),
        force_sensors=t.array("force_sensors", (-1, 2), []),
        radius=t.number("radius", 0.0, 1.0, default=0.0),
        knee=cast("Knee", t.one_of("knee", _KNEES, "backward")),
    )


def _arm(name: str, t: Table) -> Arm:
    return Arm(name=name, side=cast("Side", t.one_of("side", _SIDES)), swing=t.text("swing"))


def _motor(name: str, t: Table) -> Motor:
    stall, speed, supply = t.number("stall_torque", 1e-9), t.number("no_load_speed", 1e-3), t.number("supply", 1e-3)
    # what a data sheet leaves out follows from the idle and from the blocked motor
    constant = t.number("torque_constant", 1e-9, default=supply / speed)
    return Motor(
        name=name,
        joints=t.list_of_names("joints"),
        gear_ratio=t.number("gear_ratio", 1e-3, 1e5),
        no_load_speed=speed,
        stall_torque=stall,
        nominal_torque=t.number("nominal_torque", 1e-9, stall),
        supply=supply,
        torque_constant=constant,
        resistance=t.number("resistance", 1e-9, default=constant * supply / stall),
        inductance=t.number("inductance", 0.0, default=0.0),
        rotor_inertia=t.number("rotor_inertia", 0.0, default=0.0),
    )


def _drive(t: Table) -> Drive:
    return Drive(
        position_gain=t.number("position_gain", 0.0),
        velocity_gain=t.number("velocity_gain", 0.0),
        velocity_integral=t.number("velocity_integral", 0.0, default=0.0),
        current_limit=t.number("current_limit", 1e-3),
        speed_limit=t.number("speed_limit", 1e-3),
        filter=t.number("filter", 1.0, 1e5),
    )


def _transmission(t: Table) -> dict[str, dict[str, float]]:
    hubs = {hub: t.table(hub) for hub in t.names()}
    return {hub: {joint: ratios.number(joint) for joint in ratios.names()} for hub, ratios in hubs.items()}


def _gait(name: str, t: Table) -> Gait:
    speeds = {key: t.number(key, 0.0) for key in ("forward", "backward", "sideways", "turn")}
    return Gait(
        name=name,
        footfall=t.text("footfall"),
        cycle=t.number("cycle", 0.05, 20.0),
        overlap=t.number("overlap", -1.0, 0.95),
        height=t.number("height", 1e-3, 10.0),
        step_height=t.number("step_height", 0.0, 1.0),
        ahead=t.number("ahead", 0.0, 2.0, default=1.0),
        lean=t.number("lean", 0.0, 1.0, default=0.0),
        lean_phase=t.number("lean_phase", -1.0, 1.0, default=0.0),
        acceleration=t.number("acceleration", 1e-3),
        turn_acceleration=t.number("turn_acceleration", 1e-3),
        spread=t.number("spread", 0.0, 1.0, default=0.0),
        into=t.list_of_names("into") if "into" in t else (),
        **speeds,
    )


def _strings(t: Table) -> dict[str, str]:
    return {key: t.text(key) for key in t.names()}


def _angles(t: Table) -> dict[str, float]:
    return {key: t.number(key, -2 * math.pi, 2 * math.pi) for key in t.names()}  # who writes degrees learns it here


def _imu(t: Table) -> Imu:
    return Imu(body=t.text("body"), position=t.array("position", (3,), [0.0, 0.0, 0.0]))


def _servo(t: Table) -> Servo:
    return Servo(t.number("position_gain", 0.0), t.number("velocity_gain", 0.0), t.text("reason", ""))


def _walk(t: Table) -> Walk:
    return Walk(
        com_height=t.number("com_height", 1e-3, 10.0),
        double_step_duration=t.number("double_step_duration", 0.1, 10.0),
        double_support_ratio=t.number("double_support_ratio", 0.02, 0.9),
        step_height=t.number("step_height", 0.0, 1.0),
        foot_spacing=t.number("foot_spacing", 0.0, 2.0),
        zmp_forward=t.number("zmp_forward", -1.0, 1.0, default=0.0),
        zmp_inward=t.number("zmp_inward", -1.0, 1.0, default=0.0),
        bezier=t.array("bezier", (4,)),
        swing=t.array("swing", (5,), [0.0, 0.2, 0.65, 1.0, 1.0]),
        arm_swing=t.number("arm_swing", default=0.0),
        preview=t.number("preview", 0.1, 10.0),
        start=t.number("start", 0.0, 10.0, default=1.0),
        limits=_limits(t.table("limits", KEYS["walk.limits"])),
    )


def _limits(t: Table) -> Limits:
    step = t.table("step", KEYS["walk.limits.step"])
    values = {}
    for key in _keys(Limits):
        if key.startswith(_STEP):
            values[key] = step.number(key.removeprefix(_STEP), 0.0)
        else:
            values[key] = t.number(key, 1e-3 if key.endswith("_acceleration") else 0.0)
    return Limits(**values)
