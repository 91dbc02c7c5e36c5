"""What happens in one tick?"""

from gangart.control.biped import BipedEngine, WalkPlan
from gangart.control.cyclic import CyclicEngine
from gangart.control.engine import Engine, Reference, Steerable
from gangart.control.leg_control import LegControl, Stance
from gangart.control.reposition import Demands, plan_reposition
from gangart.control.repositioning import RepositionEngine
from gangart.control.selector import GaitSelector

__all__ = [
    "BipedEngine",
    "CyclicEngine",
    "Demands",
    "Engine",
    "GaitSelector",
    "LegControl",
    "Reference",
    "RepositionEngine",
    "Stance",
    "Steerable",
    "WalkPlan",
    "plan_reposition",
]
