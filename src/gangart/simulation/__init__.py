"""What would the real machine do?"""

from gangart.simulation.batch import Worlds
from gangart.simulation.explosion import Diverged
from gangart.simulation.fidelity import FULL, IDEAL, Fidelity, Ground, fidelity_of
from gangart.simulation.pace import Pace
from gangart.simulation.push import Push
from gangart.simulation.sensing import Sensing
from gangart.simulation.simulate import simulate
from gangart.simulation.walks import Walks
from gangart.simulation.world import Raw, World

__all__ = [
    "FULL", "IDEAL", "Diverged", "Fidelity", "Ground", "Pace", "Push", "Raw", "Sensing", "Walks", "World", "Worlds",
    "fidelity_of", "simulate",
]  # fmt: skip
