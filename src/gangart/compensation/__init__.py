"""What must we ask for, to get what we want?"""

from gangart.compensation.arms import ArmFeedback, ArmFollower
from gangart.compensation.cycle import motion_offsets
from gangart.compensation.offsets import TorqueOffsets
from gangart.compensation.online import Recipe, prepare
from gangart.compensation.orientation import TiltFilter
from gangart.compensation.parts import BEST, PARTS, compensation_of
from gangart.compensation.phase import Rhythm
from gangart.compensation.settings import SLIP, Compensation
from gangart.compensation.support import SupportOffsets, support_offsets
from gangart.compensation.voltage import peak_voltages
from gangart.compensation.zmp import ZmpOffsets, compensate_zmp

__all__ = [
    "BEST",
    "PARTS",
    "SLIP",
    "ArmFeedback",
    "ArmFollower",
    "Compensation",
    "Recipe",
    "Rhythm",
    "SupportOffsets",
    "TiltFilter",
    "TorqueOffsets",
    "ZmpOffsets",
    "compensate_zmp",
    "compensation_of",
    "motion_offsets",
    "peak_voltages",
    "prepare",
    "support_offsets",
]
