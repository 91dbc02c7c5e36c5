"""What happens in one tick?"""

from gangart.control.biped import BipedEngine, WalkPlan
from gangart.control.cyclic import CyclicEngine
from gangart.control.engine import Engine, Reference, Steerable

__all__ = ["BipedEngine", "CyclicEngine", "Engine", "Reference", "Steerable", "WalkPlan"]
