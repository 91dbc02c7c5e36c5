"""Which voltage a walk asks of the motors: beyond the supply, joints stay behind however well they are controlled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gangart.compensation.cycle import motion_torques, steady_from
from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.zmp import compensate_zmp
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine

_FADES = 1.0  # [s] before the end of a plan in which the preview lacks what comes


def peak_voltages(engine: BipedEngine, command: Command, machines: Sequence[TorqueOffsets]) -> Array:
    """The largest voltage of each joint in a steady double step, on each machine (n_machines, n_joints) [V].

    NaN where the legs cannot do the walk.
    """
    begin = steady_from(engine, command)
    last = begin + engine.timing.double_step
    plan, _ = compensate_zmp(engine, command, last + _FADES, iterations=1)
    if plan.notes:
        return np.full((len(machines), len(engine.robot.joints)), np.nan)
    torque, speed = motion_torques(engine, plan)
    rows = (plan.joints.time >= begin) & (plan.joints.time <= last)
    return np.array([np.abs(m.voltage(torque, speed, engine.gains.dt)[rows]).max(axis=0) for m in machines])
