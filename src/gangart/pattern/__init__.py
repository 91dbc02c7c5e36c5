"""How does the body move over the feet?"""

from gangart.pattern.arms import ArmSwing
from gangart.pattern.preview import PreviewGains, preview_gains, preview_motion
from gangart.pattern.swing import soles_at
from gangart.pattern.zmp import ZMP_NAMES, ZmpCurve, ZmpName, zmp_curve

__all__ = [
    "ZMP_NAMES",
    "ArmSwing",
    "PreviewGains",
    "ZmpCurve",
    "ZmpName",
    "preview_gains",
    "preview_motion",
    "soles_at",
    "zmp_curve",
]
