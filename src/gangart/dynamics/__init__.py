"""Which forces does that take?"""

from gangart.dynamics.zmp import multibody_zmp

__all__ = ["multibody_zmp"]
