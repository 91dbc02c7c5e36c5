"""Where a quadruped's body goes in one of its gaits, tick by tick, and what its experiments have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gangart.control.cyclic import CyclicEngine
from gangart.experiments.drive_parameters import drive_parameters
from gangart.experiments.report import Parameter
from gangart.robots import Robot
from gangart.signals import Array, Command, heading
from gangart.simulation import Fidelity, Ground, Sensing, World

FRICTION = 0.8  # issue and thesis leave the feet's rubber open: everything is measured on this
LEVEL = Fidelity(motor=True)  # motors behind their cascades
NAMES = ("slow-walk", "fast-walk", "reactive-trot", "predictive-trot")  # of the thesis
COLOURS = dict(zip((*NAMES, "amble"), ("#8a5bb5", "#3a9a5b", "#d1662b", "#1f6fb2", "#7a7a3a"), strict=True))
SETTLES = 3.0  # [s] that a gait is given to become a cycle, beside gathering speed
_TAKE = 1500  # [physics steps] of the world's log that are thrown away at once


@dataclass(frozen=True, eq=False)
class Track:
    """Where the base was at each tick."""

    time: Array  # (n,) [s]
    position: Array  # (n, 3) [m] in the world
    yaw: Array  # (n,) [rad], without jumps
    fell: bool

    def last(self, duration: float) -> Track:
        """Its last seconds [s], whole ticks."""
        n = int(np.searchsorted(self.time, self.time[-1] - duration - 1e-6))
        return Track(self.time[n:], self.position[n:], self.yaw[n:], self.fell)

    @property
    def velocity(self) -> Array:
        """Mean velocity ahead and to the left [m/s] as the base looks at each tick, and to the left around [rad/s]."""
        way, yaw = np.diff(self.position[:, :2], axis=0), (self.yaw[1:] + self.yaw[:-1]) / 2.0
        c, s = np.cos(yaw), np.sin(yaw)
        went = [
            (c * way[:, 0] + s * way[:, 1]).sum(),
            (c * way[:, 1] - s * way[:, 0]).sum(),
            self.yaw[-1] - self.yaw[0],
        ]
        return np.asarray(np.array(went) / (self.time[-1] - self.time[0]))


def new_world(
    engine: CyclicEngine, fidelity: Fidelity = LEVEL, sensing: Sensing | None = None, friction: float = FRICTION
) -> World:
    """A world in which the robot stands as its gait begins."""
    world = World(engine.robot, fidelity, Ground(friction), sensing=sensing or Sensing())
    world.reset(*engine.stance(), settle=0.5)
    engine.reset(world.read())
    return world


def go(world: World, engine: CyclicEngine, command: Command, until: float) -> None:
    """Walk until a time [s], or a fall."""
    while world.time < until - 1e-6 and not world.fallen:
        world.write(engine.tick(command, world.read()))
        if world.rows > _TAKE:
            world.take()


def gathers(engine: CyclicEngine, command: Command) -> float:
    """How long a gait takes to become a steady cycle at a velocity [s], in whole cycles and a bit."""
    gait = engine.gait
    speed = max(np.hypot(command.vx, command.vy) / gait.acceleration, abs(command.wz) / gait.turn_acceleration)
    return float(SETTLES + speed + 2.0 * gait.cycle)


def track(engine: CyclicEngine, command: Command, cycles: int) -> Track:
    """Walk steadily, and see the last `cycles` whole cycles of it."""
    world = new_world(engine)
    lasts = cycles * engine.gait.cycle
    end = gathers(engine, command) + lasts
    rows = []
    while world.time < end - 1e-6 and not world.fallen:
        go(world, engine, command, world.time + engine.robot.tick)
        state = world.truth()
        rows.append((state.time, *state.base_position, heading(state.base_orientation)))
    found = np.array(rows)
    whole = Track(found[:, 0], found[:, 1:4], np.unwrap(found[:, 4]), bool(world.fallen))
    return whole.last(lasts)


def parameters(robot: Robot) -> tuple[Parameter, ...]:
    """What the limits of gaits hang on."""
    front = next(iter(robot.legs.values()))
    home = dict(zip(robot.joints, robot.home_position, strict=True))
    track_ = _track_width(robot)
    return (
        Parameter("mass", robot.mass, "kg", "estimated from the parts list; the thesis does not say it"),
        Parameter("track", track_, "mm", "between left and right feet at home"),
        Parameter("friction", FRICTION, "1", "of feet on the ground"),
        Parameter("radius of the feet", front.radius, "mm", f"home: hip pitch {home[front.joints[1]]:.3f} rad"),
        *drive_parameters(robot),
    )


def _track_width(robot: Robot) -> float:
    from gangart.kinematics import AbductionLegs

    feet = AbductionLegs(robot).all_forward(robot.home_position)
    return float(np.ptp(feet[:, 1]))


def gait_parameters(robot: Robot, names: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Cycle, overlap and so on of gaits, a sentence each."""
    out = []
    for name in names:
        g = robot.gaits[name]
        text = f"{g.footfall}, overlap {g.overlap:g}, body at {g.height:g} m, steps {g.step_height:g} m high"
        text += f", leaning {g.lean:g} m" if g.lean else ""
        text += f", each foot {g.spread:g} m farther out than at home" if g.spread else ""
        out.append(Parameter(f"cycle of {name}", g.cycle, "s", text))
    return tuple(out)
