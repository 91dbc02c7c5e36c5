"""Which engine walks which robot, and on which level of realism unless told otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gangart.errors import BadValue, choose

if TYPE_CHECKING:
    from gangart.control import CyclicEngine
    from gangart.robots import Robot
    from gangart.simulation import Fidelity

# What only a biped's engine knows.
BIPED_ONLY = "--zmp, --double-step, --double-support, --com-height, --adaptation, --feedback and --compensate"


def gait_of(robot: Robot, name: str | None) -> str | None:
    """The gait to walk in: the first of the robot's file unless named; None for a robot without gaits."""
    if name is not None and not robot.gaits:
        raise BadValue(f"--gait is {name}, and {robot.name} has no gaits to choose from; leave it out")
    return next(iter(robot.gaits), None) if name is None else choose("gait", name, robot.gaits)


def level_of(robot: Robot, name: str | None) -> Fidelity:
    """The level of realism by its name; without one, motors where the robot's file tells their drive, else the base."""
    from gangart.simulation import fidelity_of

    return fidelity_of(name or ("BS+MT" if robot.drive is not None else "BS"))


def cyclic_engine(robot: Robot, gait: str, fidelity: Fidelity, balance: bool = False) -> CyclicEngine:
    """A robot of four legs in one of its gaits, on a level of realism."""
    from gangart.control import CyclicEngine
    from gangart.control.balance import Balance

    return CyclicEngine(robot, gait, bearing=fidelity.motor, balance=Balance() if balance else None)
