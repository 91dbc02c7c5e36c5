"""What an experiment is asked and what it answers: values in SI units, each with the unit in which people read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gangart import __version__
from gangart.errors import BadValue, choose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = float | str | bool | None  # a figure in SI units, a word, yes or no, or nothing

# As people read it: the SI unit, and how much of it one is.
UNITS: dict[str, tuple[str, float]] = {
    "mm": ("m", 1e-3),
    "µm": ("m", 1e-6),
    "mm/s": ("m/s", 1e-3),
    "ms": ("s", 1e-3),
    "°": ("rad", math.pi / 180.0),
    "°/s": ("rad/s", math.pi / 180.0),
    "g": ("kg", 1e-3),
    "mN m": ("N m", 1e-3),
    "%": ("1", 1e-2),
} | {
    unit: (unit, 1.0)
    for unit in (
        *(
            "",
            "1",
            "m",
            "m/s",
            "m/s²",
            "s",
            "rad",
            "rad/s",
            "rad²",
            "kg",
            "kg m²",
            "N",
            "N m",
            "N m s",
            "Hz",
            "V",
            "A",
            "Ω",
            "H",
        ),
        *("N m/rad", "N m s/rad", "V/rad", "V s/rad", "V/(rad s)", "N s", "N/m"),
    )
}


def _nobody(_: float) -> None:
    """Nobody wants to know how far it is."""


@dataclass(frozen=True)
class Setting:
    """How an experiment is run."""

    quick: bool = False  # a shortened version, within a minute
    seed: int = 0  # whatever is random comes from it; the same seed gives the same report
    progress: Callable[[float], None] = _nobody  # is told the part that is done, 0…1

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise BadValue(f"seed is {self.seed}; it has to be 0 or more")


@dataclass(frozen=True)
class Row:
    """One finding: the thesis's value beside ours."""

    quantity: str
    thesis: Value  # SI; None where it says nothing
    ours: Value  # SI
    unit: str = ""  # in which people read both, a key of UNITS
    source: str = ""  # table, figure or page of the thesis
    remark: str = ""  # why they differ, or what was measured how

    def __post_init__(self) -> None:
        choose("unit", self.unit, UNITS)


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    unit: str = ""  # in which people read it, a key of UNITS

    def __post_init__(self) -> None:
        choose("unit", self.unit, UNITS)


@dataclass(frozen=True)
class Table:
    """More figures than fit into rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]  # SI
    note: str = ""  # what to read from it

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise BadValue(f"a row of table '{self.title}' has {len(row)} cells for {len(self.columns)} columns")


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with what there is to see in it."""

    name: str  # of its PNG file, without the ending
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Verdict:
    """A sentence that can be true or false."""

    sentence: str
    holds: bool | None = None  # None: a remark that is neither


@dataclass(frozen=True)
class Parameter:
    """Something that the result depends on: mass, track, friction, gains, seeds."""

    name: str
    value: Value  # SI
    unit: str = ""  # in which people read it, a key of UNITS
    note: str = ""  # where it comes from

    def __post_init__(self) -> None:
        choose("unit", self.unit, UNITS)


@dataclass(frozen=True, eq=False)
class Report:
    """What came out of an experiment. `gangart.experiments.run` fills in name, pages, quick and seed."""

    title: str
    question: str  # what is to be found out, and how
    found: str  # by the thesis
    rows: tuple[Row, ...]
    verdicts: tuple[Verdict, ...]
    parameters: tuple[Parameter, ...]
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    name: str = ""
    pages: str = ""
    quick: bool = False
    seed: int = 0
    version: str = field(default=__version__)  # of gangart

    def __post_init__(self) -> None:
        names = [picture.name for picture in self.pictures]
        if len(set(names)) < len(names):
            raise BadValue(f"two pictures of '{self.title}' have the same name: {', '.join(names)}")


def shown(value: Value, unit: str = "") -> str:
    """A value as people read it, in their unit but without its name."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    number = float(value) / UNITS[unit][1]
    if not math.isfinite(number):
        return "–"
    size = abs(number)
    if number == int(number) and size < 1e6:
        return str(int(number))
    if not 1e-3 <= size < 1e5:
        return f"{number:.3g}".replace("e-0", "e-").replace("e+0", "e")
    digits = 5 if size >= 100.0 else 4
    return f"{number:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"


def exact(value: Value, unit: str = "") -> str:
    """A value that was given, not measured, as people read it: with the digits that it has."""
    if value is None or isinstance(value, (bool, str)):
        return shown(value, unit)
    return f"{float(value) / UNITS[unit][1]:.6g}"
