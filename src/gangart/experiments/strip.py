"""Strips of pictures of a simulated robot, for reports: what figures say should be seen, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gangart.errors import MissingTool
from gangart.experiments.report import Picture
from gangart.robots import Robot
from gangart.signals import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 12.0  # [inches]


def strip(name: str, caption: str, recording: Recording, robot: Robot, rows: Sequence[int], lines: int = 1) -> Picture:
    """The robot at some rows of a recording, in so many lines; where nothing can be drawn, what to install."""
    from matplotlib.figure import Figure

    from gangart.analysis.film import frames

    try:
        seen = frames(recording, robot, list(rows))
    except MissingTool as error:
        figure = Figure(figsize=(_WIDTH, 0.6))
        figure.text(0.01, 0.5, f"Not drawn: {error}", va="center", wrap=True)
        return Picture(name, caption, figure)
    return Picture(name, caption, _laid_out(seen, lines))


def _laid_out(seen: list[np.ndarray], lines: int) -> Figure:
    from matplotlib.figure import Figure

    each = len(seen) // lines
    whole = np.vstack([np.hstack(seen[k * each : (k + 1) * each]) for k in range(lines)])
    figure = Figure(figsize=(_WIDTH, _WIDTH * whole.shape[0] / whole.shape[1]))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.imshow(whole, interpolation="antialiased")
    ax.set_axis_off()
    return figure
