"""What would the real machine do?"""

from gangart.simulation.fidelity import FULL, IDEAL, Fidelity, Ground, fidelity_of
from gangart.simulation.push import Push
from gangart.simulation.simulate import simulate
from gangart.simulation.world import Diverged, Raw, World

__all__ = ["FULL", "IDEAL", "Diverged", "Fidelity", "Ground", "Push", "Raw", "World", "fidelity_of", "simulate"]
