"""Where a polynomial may change its sign between 0 and 1, compiled."""

from __future__ import annotations

from gangart.compiled import kernel
from gangart.signals import Array

DEGREE = 4  # the highest
MOST = 2 * DEGREE - 1  # roots and turning points of one polynomial
_HALVINGS = 42  # down to 2e-13


@kernel
def value(c: Array, order: int, t: float) -> float:
    """The derivative of an order of c[0] + c[1] t + ... at t."""
    found = 0.0
    for k in range(DEGREE, order - 1, -1):
        factor = 1.0
        for i in range(order):
            factor *= k - i
        found = found * t + factor * c[k]
    return found


@kernel
def sign_changes(c: Array, out: Array) -> int:
    """Roots within (0, 1) and turning points of c[0] + ... + c[4] t^4, into `out` (7,); returns how many.

    Between two turning points there is one root at the most, and turning points are the derivative's roots: from the
    last derivative that is a line down to the polynomial itself. Turning points are given as well: a root that is
    double, and lost to rounding, is one.
    """
    n_turns = 0
    n_all = 0
    for order in range(DEGREE - 1, -1, -1):
        found = 0
        low, at_low = 0.0, value(c, order, 0.0)
        for i in range(n_turns + 1):
            high = out[i] if i < n_turns else 1.0
            at_high = value(c, order, high)
            if (at_low < 0.0) != (at_high < 0.0):
                out[n_turns + found] = _root(c, order, low, high, at_low < 0.0)
                found += 1
            low, at_low = high, at_high
        if order == 0:
            n_all = n_turns + found
        else:
            for i in range(found):
                out[i] = out[n_turns + i]
            n_turns = found
    return n_all


@kernel
def _root(c: Array, order: int, low: float, high: float, rising: bool) -> float:
    """The only sign change between low and high."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if (value(c, order, middle) < 0.0) == rising:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
