"""A wish in words, as a socket or a script brings it: strict, for what steers a robot is not guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from reprlib import repr as _short
from typing import Any

from gangart.control.sources.scale import BODY, VELOCITY
from gangart.errors import BadValue, choose
from gangart.signals import BodyPose, Command, Wish

KEYS = {
    "vx": "velocity forward [m/s]",
    "vy": "velocity to the left [m/s]",
    "wz": "turning left [rad/s]",
    "pose": "offset of the body: `x`, `y`, `z` [m], `roll`, `pitch`, `yaw` [rad]",
    "gait": "name of a gait; without it the gait stays",
    "quit": "true ends the drive",
}
_FAR = 10.0  # [m], [m/s], [rad], [rad/s] nothing that walks on legs is asked for more


def wish_of(data: Any, gaits: Collection[str], before: str | None = None) -> Wish:
    """The wish of a message; what it leaves out is 0, and the gait that of `before`."""
    if not isinstance(data, Mapping):
        raise BadValue(f"a wish is an object with some of {', '.join(KEYS)}; got {_shown(data)}")
    _known(data, KEYS)
    pose = data.get("pose", {})
    if not isinstance(pose, Mapping):
        raise BadValue(f"pose is {_shown(pose)}; it has to be an object with some of {', '.join(BODY)}")
    _known(pose, BODY)
    leave = data.get("quit", False)
    if not isinstance(leave, bool):
        raise BadValue(f"quit is {_shown(leave)}; it has to be true or false")
    gait = data.get("gait")
    if gait is not None:
        if not isinstance(gait, str):
            raise BadValue(f"gait is {_shown(gait)}; it has to be a name")
        choose("gait", gait if len(gait) < 100 else _short(gait), gaits)
    vx, vy, wz = (_number(data, name) for name in VELOCITY)
    velocity = Command(vx, vy, wz)
    return Wish(velocity, BodyPose(*(_number(pose, name) for name in BODY)), gait or before, leave)


def _known(data: Mapping[Any, Any], keys: Collection[str]) -> None:
    for key in data:
        if key not in keys:
            raise BadValue(f"{_shown(key)} is not part of a wish; known: {', '.join(keys)}")


def _number(data: Mapping[str, Any], name: str) -> float:
    value = data.get(name, 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _FAR:  # `not` catches NaN
        raise BadValue(f"{name} is {_shown(value)}; it has to be a number within -{_FAR:g} and {_FAR:g}")
    return float(value)


def _shown(value: Any) -> str:
    """Not longer than a line, whatever it is."""
    try:
        return _short(value)
    except ValueError:  # Python does not print an integer of more than 4300 digits
        return "a number without end"
