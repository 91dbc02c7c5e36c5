"""How true to the real machine a simulation is, and on what ground: two values that every world is built from."""

from __future__ import annotations

from dataclasses import dataclass

from gangart.errors import BadValue


@dataclass(frozen=True)
class Fidelity:
    """Which properties of the real machine are simulated. The base level tracks joint angles nearly ideally."""

    step: float = 0.001  # [s] of the physics

    def __post_init__(self) -> None:
        if not 1e-5 <= self.step <= 0.005:
            raise BadValue(f"physics step is {self.step:g} s; it has to lie in 0.00001…0.005 s")


IDEAL = Fidelity()
"""Stiff servos, rigid links, perfect sensors: the level BS of the thesis."""


@dataclass(frozen=True)
class Ground:
    """A flat floor."""

    friction: float = 0.8  # [1] Coulomb coefficient of the soles on the floor
    settling: float = 0.006  # [s] time in which a contact forces out a penetration; larger is softer

    def __post_init__(self) -> None:
        if not 0.0 < self.friction <= 10.0:
            raise BadValue(f"ground friction is {self.friction:g}; it has to lie in 0…10, above 0")
        if not 0.001 <= self.settling <= 1.0:
            raise BadValue(f"ground settling time is {self.settling:g} s; it has to lie in 0.001…1 s")
