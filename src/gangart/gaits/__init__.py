"""Which foot moves when?"""

from gangart.gaits.biped import BipedTiming
from gangart.gaits.footfall import FOOTFALLS, Footfall, Timing, timing
from gangart.gaits.morphing import Morph

__all__ = ["FOOTFALLS", "BipedTiming", "Footfall", "Morph", "Timing", "timing"]
