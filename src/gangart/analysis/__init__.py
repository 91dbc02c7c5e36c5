"""How well did it walk?"""

from gangart.analysis.metrics import WalkFigures, walk_figures

__all__ = ["WalkFigures", "walk_figures"]
