"""Search for a fast gait: of all walks at a speed, the one that asks the least voltage of the motors.

Nothing is simulated here: the inverse of motor, gear and links tells what a planned walk needs, so the gait hangs on no
machine's compliance. Evolution (SciPy's `differential_evolution`) looks for the timing, the heights and the curve of
the swing foot that need least on the worst of the machines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gangart.compensation import TorqueOffsets, peak_voltages
from gangart.control import BipedEngine
from gangart.errors import Unreachable
from gangart.robots import Robot, Walk
from gangart.signals import Array, Command

BOUNDS = {  # of what is searched
    "double_support_ratio": (0.05, 0.2),  # [1]
    "com_height": (0.215, 0.245),  # [m]
    "step_height": (0.012, 0.025),  # [m]
    "swing 1": (0.0, 0.15),  # [1]
    "swing 2": (0.15, 0.35),
    "swing 3": (0.4, 0.75),
    "swing 4": (0.6, 0.95),
    "swing 5": (0.95, 1.0),  # a foot that comes down with speed ahead sticks on a rough floor, and stiff legs stumble
}
_IMPOSSIBLE = 1e3  # [V] for what the legs cannot do
_MEMBERS = 5  # of a generation, for each searched value


@dataclass(frozen=True)
class FastGait:
    """What was found."""

    walk: Walk
    voltage: float  # [V] largest of any joint on any machine
    values: dict[str, float]  # by the names of BOUNDS
    history: tuple[float, ...]  # [V] best of each generation


def search(
    robot: Robot,
    machines: Sequence[TorqueOffsets],
    speed: float,
    double_step: float,
    *,
    seed: int,
    generations: int,
    progress: Callable[[float], None],
) -> FastGait:
    """Look for the gait with a double step [s] at a speed [m/s]; `progress` is told the part that is done."""
    from scipy.optimize import OptimizeResult, differential_evolution

    history: list[float] = []

    def cost(x: Array) -> float:
        try:
            engine = BipedEngine(robot, walk=walk_of(robot, x, speed, double_step))
        except Unreachable:
            return _IMPOSSIBLE
        return float(np.nan_to_num(peak_voltages(engine, Command(speed), machines).max(), nan=_IMPOSSIBLE))

    def generation(intermediate_result: OptimizeResult) -> None:
        history.append(float(intermediate_result.fun))
        progress(len(history) / generations)

    found = differential_evolution(
        cost, list(BOUNDS.values()), seed=seed, maxiter=generations, popsize=_MEMBERS, tol=0.0, polish=False,
        callback=generation,
    )  # fmt: skip
    values = dict(zip(BOUNDS, found.x.tolist(), strict=True))
    return FastGait(walk_of(robot, found.x, speed, double_step), float(found.fun), values, tuple(history))


def walk_of(robot: Robot, x: Array, speed: float, double_step: float) -> Walk:
    """The walk settings of a point of the search, for up to a speed [m/s]: straight ahead, feet a little closer."""
    assert robot.walk is not None
    limits = replace(
        robot.walk.limits, forward=1.1 * speed, backward=0.0, sideways=0.0, turn=0.0, forward_acceleration=0.15,
        step_forward=1.1 * speed * double_step,
    )  # fmt: skip
    return replace(
        robot.walk, double_step_duration=double_step, double_support_ratio=float(x[0]), com_height=float(x[1]),
        step_height=float(x[2]), swing=np.asarray(x[3:8]), zmp_inward=0.01, foot_spacing=0.095, limits=limits,
    )  # fmt: skip
