"""The engine's references, tick by tick, brought to the times of the physics steps."""

from __future__ import annotations

import numpy as np

from gangart.control.engine import Reference
from gangart.signals import Array, Bools


class ReferenceLog:
    """What the engine wanted since the last `columns`, and the last instant before that."""

    def __init__(self, time: float, first: Reference) -> None:
        self._time, self._wanted = [time], [first]

    def add(self, due: float, reference: Reference) -> None:
        """Note what the engine wants at the time `due` [s]."""
        self._time.append(due)
        self._wanted.append(reference)

    def columns(self, time: Array) -> dict[str, Array | Bools]:
        """References at the times of a block of rows (n,) [s], straight lines between ticks; forgets those behind."""
        ticks = np.array(self._time)
        zmp, com = (np.array([getattr(w, name) for w in self._wanted]) for name in ("zmp", "com"))
        support = np.array([w.support for w in self._wanted])
        # half a nanosecond: simulated time is a sum of steps
        now = np.maximum(np.searchsorted(ticks, time + 5e-10, side="right") - 1, 0)
        del self._time[:-1], self._wanted[:-1]
        return {
            "zmp_reference": np.column_stack([np.interp(time, ticks, c) for c in zmp.T]),
            "com_reference": np.column_stack([np.interp(time, ticks, c) for c in com.T]),
            "support": support[now],
        }
