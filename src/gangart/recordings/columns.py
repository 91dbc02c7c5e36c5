"""What a recording is made of: whose joints, legs and sensors, and so the shape of every column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangart.errors import BadValue
from gangart.signals import Array, Bools

Columns = dict[str, Array | Bools]
LAST_TIME = 2**31  # [s] where the int32 seconds of a ROS stamp end
_FLAGS = ("contact", "support")


@dataclass(frozen=True)
class Layout:
    """The names that a recording's columns run over."""

    robot: str  # name of the robot
    joints: tuple[str, ...]  # names, in the order of the joint columns
    legs: tuple[str, ...]  # names, in the order of the leg columns; they become part of topic names
    n_force_sensors: int  # on each sole

    def __post_init__(self) -> None:
        for leg in self.legs:
            if not re.fullmatch(r"[A-Za-z]\w*", leg, re.ASCII):
                raise BadValue(f"leg '{leg}' cannot name a ROS topic; use letters, digits and _ only")
        for kind, names in (("leg", self.legs), ("joint", self.joints)):
            if twice := sorted({n for n in names if names.count(n) > 1}):
                raise BadValue(f"{kind} '{twice[0]}' occurs twice; every {kind} needs a name of its own")
        if self.n_force_sensors < 0:
            raise BadValue(f"{self.n_force_sensors} force sensors; the number has to be 0 or more")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of one row of every column of a Recording, by the column's name."""
        joints, legs = len(self.joints), len(self.legs)
        return {
            "time": (),
            **dict.fromkeys(("target", "position", "velocity", "torque"), (joints,)),
            "base_position": (3,),
            "base_orientation": (4,),
            **dict.fromkeys(("base_velocity", "base_rotation", "gyro", "accelerometer"), (3,)),
            "foot_pose": (legs, 7),
            "foot_wrench": (legs, 6),
            "foot_force": (legs, self.n_force_sensors),
            "contact": (legs,),
            "zmp": (2,),
            "zmp_reference": (2,),
            "com_reference": (3,),
            "support": (legs,),
        }

    def empty(self, rows: int) -> Columns:
        """Columns of that many rows, not yet filled."""
        return {name: np.empty((rows, *shape), _kind(name)) for name, shape in self.shapes().items()}

    def checked(self, columns: Mapping[str, Array | Bools]) -> Columns:
        """The columns as arrays of the right type, or BadValue if a name, a shape or a time is wrong."""
        shapes = self.shapes()
        if wrong := sorted(shapes.keys() ^ columns.keys()):
            raise BadValue(f"column '{wrong[0]}' is {'missing' if wrong[0] in shapes else 'unknown'}; "
                           f"a block of rows has {', '.join(shapes)}")  # fmt: skip
        rows = len(np.atleast_1d(columns["time"]))
        result: Columns = {}
        for name, shape in shapes.items():
            try:
                result[name] = np.asarray(columns[name], _kind(name))
            except (TypeError, ValueError) as error:
                raise BadValue(f"column '{name}' does not hold numbers: {error}") from error
            if result[name].shape != (rows, *shape):
                raise BadValue(f"column '{name}' has shape {result[name].shape}; it has to be {(rows, *shape)}")
        _check_times(result["time"])
        return result


def _kind(name: str) -> np.dtype[Any]:
    return np.dtype(bool if name in _FLAGS else float)


def _check_times(time: Array | Bools) -> None:
    bad = ~((time >= 0) & (time < LAST_TIME))  # NaN is bad, too
    if bad.any():
        raise BadValue(f"time {time[bad][0]} s cannot be stamped; ROS holds times from 0 to {LAST_TIME} s")
