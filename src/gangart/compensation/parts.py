"""Compensations by name, for those who want some and not others."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from gangart.compensation.arms import ArmFeedback
from gangart.compensation.online import Recipe, prepare
from gangart.compensation.settings import SLIP, Compensation
from gangart.compensation.support import support_offsets
from gangart.errors import BadValue, choose
from gangart.robots.wear import Wear
from gangart.signals import Command

if TYPE_CHECKING:
    from gangart.control.biped import BipedEngine

PARTS = {
    "zmp": "the whole body's ZMP instead of one mass's (algorithm 5.1, online)",
    "offsets": "joint offsets that follow the planned torques",
    "constant": "constant joint offsets in single support (RoboCup 2010)",
    "arms": "arms that swing against the torso's tilt",
    "patient-arms": "the same for readings that come late",
    "slip": "steps that are longer by what soles usually slip",
}
BEST = ("zmp", "offsets", "slip")
_WEAR = {"offsets", "constant"}  # they have to know the machine


def compensation_of(
    engine: BipedEngine,
    wear: Wear | None,
    parts: Collection[str],
    *,
    command: Command | None = None,
    delay: float = 0.0,
    progress: Callable[[float], None] | None = None,
) -> Compensation:
    """Prepare the named compensations (`PARTS`) for an engine that has none.

    Args:
        engine: its robot, walk and ZMP reference count.
        wear: of the machine; joint offsets need to know it.
        parts: names.
        command: that constant offsets are for.
        delay: how late readings come [s], which patient arms want to know.
        progress: called with the part that is done, 0…1, where something has to be computed.
    """
    wanted = {choose("compensation", part, PARTS) for part in parts}
    if wear is None and (blind := sorted(wanted & _WEAR)):
        raise BadValue(f"compensation '{blind[0]}' has to know the machine's wear, and there is none on the base level")
    for one, other in (("offsets", "constant"), ("arms", "patient-arms")):
        if {one, other} <= wanted:
            raise BadValue(f"compensations '{one}' and '{other}' exclude each other")
    prepared = Compensation()
    if wanted & {"zmp", "offsets"}:
        recipe = Recipe(zmp="zmp" in wanted)
        prepared = prepare(engine, wear if "offsets" in wanted else None, recipe, progress=progress)
    offsets = prepared.offsets
    if "constant" in wanted and wear is not None:
        offsets = support_offsets(engine, wear, command or Command(0.2))
    arms = None
    if wanted & {"arms", "patient-arms"}:
        arms = ArmFeedback("direct") if "arms" in wanted else ArmFeedback("patient", delay=delay)
    return Compensation(prepared.zmp, offsets, arms, SLIP if "slip" in wanted else 0.0)
