"""The timing of a biped's supports."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangart.errors import BadValue
from gangart.gaits import BipedTiming


@given(st.floats(0.1, 20.0), st.floats(0.02, 0.9))
def test_two_single_and_two_double_supports_make_a_double_step(double_step: float, ratio: float) -> None:
    timing = BipedTiming(double_step, ratio, 1.0)
    assert 2.0 * (timing.single_support + timing.double_support) == pytest.approx(double_step)
    assert 2.0 * timing.double_support == pytest.approx(ratio * double_step)
    assert timing.single_support > 0.0
    assert timing.double_support > 0.0


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ((0.05, 0.2, 1.0), "double step duration is 0.05 s; it has to lie in 0.1…20 s"),
        ((0.8, 0.95, 1.0), "double support ratio is 0.95; it has to lie in 0.02…0.9"),
        ((0.8, 0.2, -1.0), "start delay is -1 s; it has to lie in 0…10 s"),
        ((math.nan, 0.2, 1.0), "double step duration is nan s"),
    ],
)
def test_impossible_timings_are_refused_with_their_rule(values: tuple[float, float, float], rule: str) -> None:
    with pytest.raises(BadValue, match=rule):
        BipedTiming(*values)
