"""What would the real machine do?"""

from gangart.simulation.fidelity import IDEAL, Fidelity, Ground
from gangart.simulation.simulate import simulate
from gangart.simulation.world import Push, World

__all__ = ["IDEAL", "Fidelity", "Ground", "Push", "World", "simulate"]
