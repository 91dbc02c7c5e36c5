"""Which foot moves when?"""

from gangart.gaits.biped import BipedTiming

__all__ = ["BipedTiming"]
