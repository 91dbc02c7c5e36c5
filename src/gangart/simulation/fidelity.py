"""How true to the real machine a simulation is, and on what ground: two values that every world is built from."""

from __future__ import annotations

from dataclasses import dataclass

from gangart.errors import BadValue, choose


@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """Which properties of the real machine are simulated; every subset works. That is how causes are found.

    With none of them joints follow their targets nearly ideally. How strong each is says the robot's wear.
    """

    motor: bool = False  # MT: voltage PID, supply limit, winding, back-EMF, friction instead of near-ideal servos
    inductance: bool = False  # IN: of the winding, as a part of the motor; without a motor it does nothing
    gearbox: bool = False  # GT: play and elasticity between motor and joint
    flexible_links: bool = False  # FK: thighs and shanks that bend
    sensor_delay: float = 0.0  # [s] between what is and what the engine reads
    step: float = 0.001  # [s] of the physics

    def __post_init__(self) -> None:
        if not 1e-5 <= self.step <= 0.005:
            raise BadValue(f"physics step is {self.step:g} s; it has to lie in 0.00001…0.005 s")
        if not 0.0 <= self.sensor_delay <= 1.0:
            raise BadValue(f"sensor delay is {self.sensor_delay:g} s; it has to lie in 0…1 s")

    @property
    def needs_wear(self) -> bool:
        """Whether the robot's wear has to be known."""
        return self.motor or self.gearbox or self.flexible_links

    @property
    def name(self) -> str:
        """As the thesis names it: BS (base), MT (motors), GT (gearboxes), FK (flexible links), IN, VS (all)."""
        parts = [("MT", self.motor), ("GT", self.gearbox), ("FK", self.flexible_links)]
        on = [name for name, active in parts if active]
        base = "VS" if len(on) == len(parts) else "+".join(["BS", *on])
        return f"{base}-IN" if self.motor and not self.inductance else base


IDEAL = Fidelity()
"""Stiff servos, rigid links, perfect sensors: the level BS of the thesis."""

FULL = Fidelity(motor=True, inductance=True, gearbox=True, flexible_links=True)
"""Motors, gearboxes and links of a worn robot: the level VS of the thesis."""


def fidelity_of(name: str) -> Fidelity:
    """The fidelity of a thesis name: "BS", "VS", or sums like "BS+MT+FK"; "-IN" behind it leaves the winding out."""
    parts = name.upper().removesuffix("-IN").split("+")
    known = {"BS": (), "MT": ("motor", "inductance"), "GT": ("gearbox",), "FK": ("flexible_links",)}
    known["VS"] = (*known["MT"], *known["GT"], *known["FK"])
    flags = [flag for part in parts for flag in known[choose("level of realism", part, known)]]
    on = dict.fromkeys(flags, True)
    if name.upper().endswith("-IN"):
        on["inductance"] = False
    return Fidelity(**on)


@dataclass(frozen=True)
class Ground:
    """A flat floor."""

    friction: float = 0.8  # [1] Coulomb coefficient of the soles on the floor
    # [s] a contact forces a penetration out like (1 + t / settling) e^(-t / settling): larger is softer. It is never
    # quicker than two physics steps, which is what those can resolve
    settling: float = 0.006

    def __post_init__(self) -> None:
        if not 0.0 < self.friction <= 10.0:
            raise BadValue(f"ground friction is {self.friction:g}; it has to lie in 0…10, above 0")
        if not 0.001 <= self.settling <= 1.0:
            raise BadValue(f"ground settling time is {self.settling:g} s; it has to lie in 0.001…1 s")
