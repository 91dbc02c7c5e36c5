"""A constant offset for each joint while its leg stands alone: what the Dortmund team did for RoboCup 2010.

They set the constants by hand. `support_offsets` takes the means of the offsets that the planned torques ask for, the
best that constants can do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.compensation.cycle import motion_offsets, steady_from
from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.phase import Rhythm, gentle
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine

_INSTANT = 1e-4  # [s] over which offsets are differenced


@dataclass(frozen=True, eq=False)
class SupportOffsets:
    """Offsets of the joints of a leg that stands alone; they come and go over the double supports."""

    robot: Robot
    single: dict[str, float]  # [rad] by joint

    def __post_init__(self) -> None:
        for name, value in self.single.items():
            if name not in self.robot.joint_index or not np.isfinite(value):
                raise BadValue(f"support offset of joint '{name}' is {value}; it has to be a number for a known joint")

    def __call__(self, rhythm: Rhythm, time: float) -> tuple[Array, Array]:
        """Offsets (n_joints,) [rad] at a time [s], and how fast they change (n_joints,) [rad/s]."""
        before, now, after = (self._at(rhythm, time + dt) for dt in (-_INSTANT, 0.0, _INSTANT))
        return now, (after - before) / (2.0 * _INSTANT)

    def _at(self, rhythm: Rhythm, time: float) -> Array:
        out = np.zeros(len(self.robot.joints))
        for k, leg in enumerate(self.robot.legs.values()):
            share = sum(
                gentle(1.0 + (time - lift) / rhythm.change) * (1.0 - gentle((time - land) / rhythm.change))
                for foot, lift, land in zip(rhythm.foot, rhythm.lift, rhythm.land, strict=True)
                if foot != k
            )
            for joint in leg.joints:
                out[self.robot.joint_index[joint]] = share * self.single.get(joint, 0.0)
        return out


def support_offsets(engine: BipedEngine, wear: Wear, command: Command) -> SupportOffsets:
    """The constants for a walk: means over the single supports of what the planned torques ask for."""
    begin = steady_from(engine, command)
    plan = engine.plan(command, begin + 4.0 * engine.timing.double_step)
    offsets = motion_offsets(engine, plan, TorqueOffsets(engine.robot, wear))
    time = plan.joints.time
    standing = plan.footsteps.contacts(time)
    single = {}
    for k, leg in enumerate(engine.robot.legs.values()):
        alone = (
            standing[:, k] & ~standing[:, 1 - k] & (time >= begin) & (time < begin + 2.0 * engine.timing.double_step)
        )
        for joint in leg.joints:
            single[joint] = float(offsets[alone, engine.robot.joint_index[joint]].mean())
    return SupportOffsets(engine.robot, single)
