"""Compensation while walking: computed ahead over a grid of commands, read between its nodes in every tick.

The thesis expects that offsets kept for some velocities are right for these only. They are smooth in the command,
though, so what lies between the nodes is met too; and where the robot is alike on both sides, a walk to the right is
the mirror image of one to the left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from gangart.compensation.arms import ArmFeedback
from gangart.compensation.cycle import Cycle, phases, standing_offsets, steady_cycle
from gangart.compensation.mirror import Mirror
from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.settings import Compensation
from gangart.compensation.store import keep, key, recall
from gangart.compensation.tables import Grid, JointTable, ZmpTable
from gangart.errors import BadValue
from gangart.footsteps import limit_command
from gangart.robots.wear import Wear
from gangart.signals import Array, Command

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine

_TINY = 1e-9  # [m/s] a command that walks in place, where 0 would stand


@dataclass(frozen=True)
class Recipe:
    """Which compensations are prepared, and how finely."""

    zmp: bool = True
    iterations: int = 4  # of the ZMP compensation
    motor: bool = True  # offsets for torque, friction and back-EMF of the motors
    gear: bool = True  # for play and elasticity of the gears
    links: bool = True  # for links that bend
    nodes: tuple[int, int, int] = (3, 2, 2)  # on each side of 0: along vx (each way), vy, wz

    def __post_init__(self) -> None:
        if self.iterations < 1 or min(self.nodes) < 1:
            raise BadValue(f"a recipe needs at least 1 iteration and 1 node; got {self.iterations} and {self.nodes}")


def prepare(
    engine: BipedEngine,
    wear: Wear | None = None,
    recipe: Recipe | None = None,
    *,
    arms: ArmFeedback | None = None,
    slip: float = 0.0,
    progress: Callable[[float], None] | None = None,
    kept: bool = True,
) -> Compensation:
    """Compute what an engine like this one needs to compensate while it walks.

    Args:
        engine: without compensation; its robot, walk and ZMP reference count.
        wear: of the machine; None leaves the joints' offsets out.
        recipe: what is compensated.
        arms: goes into the result.
        slip: goes into the result.
        progress: called with the part that is done, 0…1; not at all if the result is kept from before.
        kept: read and write the result in the user's cache folder.
    """
    if engine.compensation is not None:
        raise BadValue("the engine to prepare for has a compensation already; give one without")
    recipe = recipe or Recipe()
    if wear is None and not recipe.zmp:
        return Compensation(arms=arms, slip=slip)
    grid = _grid(engine, recipe)
    name = _name(engine, wear, recipe) if kept else ""
    arrays = recall(name) if kept else None
    if arrays is None:
        arrays = _build(engine, wear, recipe, grid, progress or (lambda _: None))
        if kept:
            keep(name, arrays)
    zmp = ZmpTable(grid, arrays["zmp"]) if recipe.zmp else None
    joints = None if wear is None else JointTable(grid, arrays["joints"], arrays["standing"])
    return Compensation(zmp, joints, arms, slip)


def _name(engine: BipedEngine, wear: Wear | None, recipe: Recipe) -> str:
    robot, walk = engine.robot, engine.walk
    settings = [v.tolist() if isinstance(v, np.ndarray) else v for v in astuple(walk)]
    legs = [(leg.name, leg.joints, leg.foot, leg.sole.tolist()) for leg in robot.legs.values()]
    body = (robot.spec().to_xml(), robot.tick, robot.motors, robot.coupled, robot.home, robot.arms, legs)
    return key(body, settings, engine.zmp, engine.gains.ahead.tolist(), wear, recipe)


def _grid(engine: BipedEngine, recipe: Recipe) -> Grid:
    limits, (x, y, z) = engine.walk.limits, recipe.nodes
    forward = _axis(limits.backward, limits.forward, x)
    return Grid(forward, _axis(limits.sideways, limits.sideways, y), _axis(limits.turn, limits.turn, z))


def _axis(back: float, ahead: float, nodes: int) -> Array:
    """Evenly from -back to 0 to ahead; what the robot cannot do is left out."""
    return np.unique(np.concatenate([np.linspace(-back, 0.0, nodes + 1), np.linspace(0.0, ahead, nodes + 1)]))


def _build(
    engine: BipedEngine, wear: Wear | None, recipe: Recipe, grid: Grid, progress: Callable[[float], None]
) -> dict[str, Array]:
    parts = {"motor": recipe.motor, "gear": recipe.gear, "links": recipe.links}
    offsets = None if wear is None else TorqueOffsets(engine.robot, wear, **parts)
    iterations = recipe.iterations if recipe.zmp else 0

    def cycle(command: Command) -> Cycle:
        return steady_cycle(engine, command, offsets, iterations)

    still = cycle(Command(_TINY))
    zmp = np.empty((*grid.shape, phases(engine), 2))
    joints = np.empty((*grid.shape, phases(engine), len(engine.robot.joints)))
    nodes = list(np.ndindex(grid.shape))
    mirror = Mirror(engine.robot)
    alike = offsets is None or offsets.alike
    for done, (i, j, k) in enumerate(nodes):
        progress(done / len(nodes))
        command = Command(float(grid.vx[i]), float(grid.vy[j]), float(grid.wz[k]))
        other = (i, len(grid.vy) - 1 - j, len(grid.wz) - 1 - k)
        if alike and (j, k) > other[1:]:  # its mirror image is done
            zmp[i, j, k] = mirror.zmp(zmp[other])
            joints[i, j, k] = mirror.joints(joints[other])
            continue
        found, share = _node(engine, command, cycle, still)
        zmp[i, j, k] = still.zmp + (found.zmp - still.zmp) / share
        joints[i, j, k] = still.joints + (found.joints - still.joints) / share
    progress(1.0)
    return {"zmp": zmp, "joints": joints, "standing": standing_offsets(engine, offsets)}


def _node(
    engine: BipedEngine, command: Command, cycle: Callable[[Command], Cycle], still: Cycle
) -> tuple[Cycle, float]:
    """The cycle at a command, or at the share 0…1 of it that the robot can do: a corner of the grid lies beyond."""
    if command == Command():
        return still, 1.0
    possible, _ = limit_command(command, engine.walk.limits)
    a = np.array([command.vx, command.vy, command.wz])
    b = np.array([possible.vx, possible.vy, possible.wz])
    return cycle(possible), float(a @ b / (a @ a))
