"""Where is zero? Relative encoders know nothing after power-up, so each joint runs into an end stop once (Bahr 5.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gangart.errors import BadValue, choose
from gangart.kinematics.transmission import Transmission
from gangart.robots import Robot
from gangart.signals import Array, Ints

End = Literal["lower", "upper"]
COUNTS_PER_TURN = 4096 * 5  # of a hub: pulses of the encoder per turn of the motor, and the planetary gear (Bahr 3.3.3)


@dataclass(frozen=True, eq=False)
class Approach:
    """One slow run of a joint into its end stop; it is there when current is up and nothing moves."""

    joint: str
    end: End
    hub_speeds: Array  # (n,) [rad/s] of all hubs: those that are coupled to the joint follow, so nothing else turns
    current: float  # [A] limit while searching: enough to lift a leg, too little to harm a stop
    standstill: float  # [s] that no hub may have counted on before the stop is believed


@dataclass(frozen=True, eq=False)
class EndStop:
    """What the encoders showed when a joint stood at its end stop."""

    joint: str
    end: End
    counts: Ints  # (n,) of all hubs, since power-up


def homing_plan(
    robot: Robot,
    leg: str,
    ends: Mapping[str, End] | None = None,
    speed: float = 0.2,
    current: float = 5.0,
    standstill: float = 0.1,
) -> tuple[Approach, ...]:
    """The approaches of one leg, in an order in which every hub's other joints are homed before.

    ends: which stop, for joints that should not take the one nearer to their home angle. speed [rad/s] of the joint.
    """
    choose("leg", leg, robot.legs)
    for what, value in (("speed", speed), ("current", current), ("standstill", standstill)):
        if not 0.0 < value < math.inf:
            raise BadValue(f"{what} of a homing is {value!r}; it has to be positive and finite")
    names, limits = robot.legs[leg].joints, _limits(robot, leg)
    transmission = Transmission.of(robot, leg)
    for joint in ends or {}:
        choose("joint of the leg", joint, names)
    plan = []
    for j in _order(transmission, names):
        home = robot.home_position[robot.joint_index[names[j]]]
        nearer: End = "lower" if home - limits[j, 0] <= limits[j, 1] - home else "upper"
        end = (ends or {}).get(names[j], nearer)
        sense = 1.0 if choose("end", end, ("lower", "upper")) == "upper" else -1.0
        plan.append(Approach(names[j], end, sense * speed * transmission.matrix[:, j], current, standstill))
    return tuple(plan)


class Homing:
    """The hubs' offsets of one leg, from counts at end stops; then any counts give joint angles."""

    offsets: Array  # (n,) [rad] angle of each hub at power-up

    def __init__(
        self,
        robot: Robot,
        leg: str,
        stops: Sequence[EndStop],
        counts_per_turn: int = COUNTS_PER_TURN,
        tolerance: float = math.radians(1.0),
    ) -> None:
        """Take the stops in the order in which they were reached; raises BadValue where they do not give a zero.

        A joint may stand there twice, at both ends: then the way between has to be that of its limits, within
        `tolerance` [rad], or one of the stops was something in the way.
        """
        choose("leg", leg, robot.legs)
        self._names, self._limits = robot.legs[leg].joints, _limits(robot, leg)
        self._transmission = Transmission.of(robot, leg)
        self._unit = 2.0 * math.pi / counts_per_turn  # [rad] of a hub
        self.offsets = np.full(len(self._names), np.nan)
        for stop in stops:
            self._take(stop, tolerance)
        missing = [name for name, offset in zip(self._names, self.offsets, strict=True) if math.isnan(offset)]
        if missing:
            raise BadValue(f"leg '{leg}': joint '{missing[0]}' was never at an end stop; its zero is not known")

    def joints(self, counts: Ints) -> Array:
        """Joint angles (..., n) [rad] of the hubs' counts (..., n) since power-up."""
        return self._transmission.to_joints(self.hubs(counts))

    def hubs(self, counts: Ints) -> Array:
        """Hub angles (..., n) [rad] of their counts (..., n) since power-up."""
        return np.asarray(counts) * self._unit + self.offsets

    def _take(self, stop: EndStop, tolerance: float) -> None:
        j = self._names.index(choose("joint of the leg", stop.joint, self._names))
        at = float(self._limits[j, 0 if choose("end", stop.end, ("lower", "upper")) == "lower" else 1])
        if not math.isfinite(at):
            raise BadValue(f"joint '{stop.joint}' has no {stop.end} limit in the model, so no end stop to home at")
        row = self._transmission.matrix[j]
        known = self._known(stop.counts)
        for other in np.flatnonzero(row):
            if other != j and math.isnan(known[other]):
                raise BadValue(
                    f"joint '{stop.joint}' was at its {stop.end} stop before '{self._names[other]}' was homed, and its "
                    f"hub turns with both; home '{self._names[other]}' first"
                )
        if not math.isnan(known[j]):
            _compare(stop, known[j] - at, tolerance)
            return
        known[j] = at
        self.offsets[j] = row[row != 0.0] @ known[row != 0.0] - self._unit * float(stop.counts[j])

    def _known(self, counts: Ints) -> Array:
        """Joint angles (n,) [rad] as far as their hubs are homed, else NaN."""
        inverse = self._transmission.inverse
        known: Array = np.where(inverse != 0.0, inverse * self.hubs(counts), 0.0).sum(axis=1)
        return known


def _compare(stop: EndStop, off: float, tolerance: float) -> None:
    if abs(off) > tolerance:
        raise BadValue(
            f"joint '{stop.joint}' stands at its {stop.end} stop, but {math.degrees(abs(off)):.1f}° "
            f"{'above' if off > 0 else 'below'} it as the stop before has it; one of them was something in the way"
        )


def _limits(robot: Robot, leg: str) -> Array:
    limits: Array = robot.joint_limits[[robot.joint_index[name] for name in robot.legs[leg].joints]]
    return limits


def _order(transmission: Transmission, names: Sequence[str]) -> list[int]:
    """Joints so that the others that turn a joint's hub come before it."""
    needs = [set(np.flatnonzero(row).tolist()) - {j} for j, row in enumerate(transmission.matrix)]
    order: list[int] = []
    while len(order) < len(names):
        ready = [j for j in range(len(names)) if j not in order and needs[j] <= set(order)]
        if not ready:
            left = ", ".join(f"'{name}'" for j, name in enumerate(names) if j not in order)
            raise BadValue(f"joints {left} turn each other's hubs; none of them can be homed first")
        order.append(ready[0])
    return order
