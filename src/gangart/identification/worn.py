"""Search for worn robots: sets of wear with which a robot walks as badly as a real one is known to (Urbann table 5.2).

No robot's true parameters are published. So sets are drawn at random within physical bounds, walked at full fidelity,
and kept where tilt and speed lie within a factor of two of the real robot's simulation; of those, the ones that differ
most from each other become the robot's presets. Everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gangart.analysis import WalkFigures, walk_figures
from gangart.control import BipedEngine
from gangart.robots import Robot
from gangart.robots.wear import GearWear, Wear
from gangart.signals import Array, Command
from gangart.simulation import FULL, Ground, World, simulate

COMMAND = Command(0.2)
DURATION = 20.0  # [s]


@dataclass(frozen=True)
class Range:
    """Bounds within which a parameter is drawn, evenly in its logarithm."""

    low: float
    high: float

    def draw(self, rng: np.random.Generator) -> float:
        """One value."""
        return float(np.exp(rng.uniform(np.log(self.low), np.log(self.high))))


# from docs/fidelity.md: what motor data, gear drawings and trial runs make plausible
RANGES = {
    "proportional": Range(120.0, 260.0),  # [V/rad]
    "derivative": Range(0.8, 6.0),  # [V s/rad]
    "stiffness": Range(0.8, 1.0),
    "coulomb": Range(0.02, 0.2),  # [N m]
    "viscous": Range(0.02, 0.2),  # [N m s/rad]
    "rotor": Range(3e-7, 8e-7),  # [kg m²] at the motor's shaft
    "play": Range(0.0008, 0.005),  # [rad] either way
    "gear": Range(400.0, 1000.0),  # [N m/rad]
    "teeth": Range(2.5, 6.0),  # [N m s/rad]
    "link_stiffness": Range(300.0, 800.0),  # [N m/rad]
    "link_friction": Range(0.02, 0.2),  # [N m]
}
# within a factor of 2 of row VS of table 5.3 (7.0061, 13.8960 rad²), and of the speeds that the thesis saw
WANTED = {"f_x": (3.5, 14.0), "f_y": (7.0, 28.0), "speed": (0.195, 0.225)}


def fits(figures: WalkFigures) -> bool:
    """Whether these are the figures of a robot that walks as badly as wanted, and no worse."""
    f_x, f_y = figures.orientation_error
    values = {"f_x": f_x, "f_y": f_y, "speed": figures.mean_velocity[0]}
    return not figures.fell and all(low <= values[k] <= high for k, (low, high) in WANTED.items())


@dataclass(frozen=True)
class Candidate:
    """A drawn set of wear and how the robot walked with it."""

    wear: Wear
    draws: dict[str, float]  # the values as drawn
    figures: WalkFigures

    @property
    def fits(self) -> bool:
        """Whether it walks as badly as wanted, and no worse."""
        return fits(self.figures)


def draw(robot: Robot, rng: np.random.Generator, name: str) -> tuple[Wear, dict[str, float]]:
    """A random set of wear of a robot's legs, and its values by name."""
    d = {key: bounds.draw(rng) for key, bounds in RANGES.items()}
    d["encoder"] = float(rng.integers(2))
    legs = {joint for leg in robot.legs.values() for joint in leg.joints}
    gears = {}
    for key, motor in robot.motors.items():
        if legs & set(motor.joints):
            each = {k: d[k] * float(rng.uniform(0.8, 1.25)) for k in ("viscous", "coulomb", "play", "gear", "teeth")}
            gears[key] = GearWear(
                viscous=each["viscous"],
                coulomb=each["coulomb"],
                inertia=d["rotor"] * motor.gear_ratio**2,
                play=each["play"],
                stiffness=each["gear"],
                damping=each["teeth"],
            )
    wear = Wear(
        name=name,
        note="",
        encoder="joint" if d["encoder"] else "motor",
        proportional=d["proportional"],
        integral=0.0,
        derivative=d["derivative"],
        stiffness=d["stiffness"],
        gears=gears,
        link_stiffness=d["link_stiffness"],
        link_friction=d["link_friction"],
    )
    return wear, d


def drawn(robot: Robot, *, seed: int, draws: int) -> Iterator[tuple[Wear, dict[str, float]]]:
    """Sets of wear and their values by name, one after the other."""
    rng = np.random.default_rng(seed)
    for i in range(draws):
        yield draw(robot, rng, f"draw {i}")


def walked(robot: Robot, wear: Wear, friction: float = 1.0, duration: float = DURATION) -> WalkFigures:
    """How a robot that is worn like this walks at COMMAND for a while [s], without any compensation."""
    engine = BipedEngine(robot)
    world = World(robot, FULL, Ground(friction), wear=wear)
    world.reset(*engine.stance(), settle=1.0)
    return walk_figures(simulate(world, engine, COMMAND, duration), robot)


def search(
    robot: Robot, *, seed: int, draws: int, friction: float = 1.0, progress: Callable[[float], None] | None = None
) -> Iterator[Candidate]:
    """Draw and walk sets of wear, one after the other; `progress` gets the part that is done."""
    for i, (wear, values) in enumerate(drawn(robot, seed=seed, draws=draws)):
        yield Candidate(wear, values, walked(robot, wear, friction))
        if progress is not None:
            progress((i + 1) / draws)


def spread(candidates: list[Candidate], count: int) -> list[Candidate]:
    """The `count` fitting candidates that differ most from each other: each farthest from those before it."""
    fitting = [c for c in candidates if c.fits]
    if len(fitting) <= count:
        return fitting
    places = np.array([place(c) for c in fitting])
    chosen = [int(np.argmin(np.abs(places - places.mean(axis=0)).sum(axis=1)))]
    while len(chosen) < count:
        distance = np.min([np.linalg.norm(places - places[k], axis=1) for k in chosen], axis=0)
        chosen.append(int(np.argmax(distance)))
    return [fitting[k] for k in chosen]


def place(c: Candidate) -> Array:
    """Where a candidate stands within the bounds, each parameter from 0 to 1."""
    inside = [(np.log(c.draws[key]) - np.log(r.low)) / (np.log(r.high) - np.log(r.low)) for key, r in RANGES.items()]
    return np.array([*inside, c.draws["encoder"]])


def note_of(wear: Wear, figures: WalkFigures) -> str:
    """What a set of wear is and how the robot walked with it, in a line."""
    (f_x, f_y), v = figures.orientation_error, figures.mean_velocity[0]
    side = "the joint's side" if wear.encoder == "joint" else "the motor's side"
    play = np.mean([g.play for g in wear.gears.values()])
    note = f"encoder on {side}, {wear.proportional:.0f} V/rad, play ±{np.degrees(play):.2f}°, "
    note += f"links {wear.link_stiffness:.0f} N m/rad; walks 0.2 m/s with f_x {f_x:.1f}, f_y {f_y:.1f} "
    return note + f"at {v * 1e3:.0f} mm/s"


def as_toml(candidates: dict[str, Candidate], header: str) -> str:
    """The text of a worn.toml with the candidates by name."""
    lines = [f"# {line}" for line in header.splitlines()]
    for name, c in candidates.items():
        w = replace(c.wear, name=name)
        note = note_of(w, c.figures)
        lines += ["", f"[{name}]", f'note = "{note}"', f'encoder = "{w.encoder}"']
        for key in ("proportional", "integral", "derivative", "stiffness", "link_stiffness", "link_friction"):
            lines.append(f"{key} = {getattr(w, key):.6g}")
        lines.append(f"link_parts = {w.link_parts}")
        for motor, gear in w.gears.items():
            lines += ["", f"[{name}.gears.{motor}]"]
            lines += [f"{k} = {v:.6g}" for k, v in vars(gear).items()]
    return "\n".join(lines) + "\n"
