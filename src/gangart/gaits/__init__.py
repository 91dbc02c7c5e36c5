"""Which foot moves when?"""

from gangart.gaits.biped import BipedTiming
from gangart.gaits.footfall import FOOTFALLS, Footfall, Timing, timing

__all__ = ["FOOTFALLS", "BipedTiming", "Footfall", "Timing", "timing"]
