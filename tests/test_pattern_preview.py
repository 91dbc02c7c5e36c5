"""The preview controller: against the model's law, against a dense optimum, and with a measured ZMP."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gangart.errors import BadValue
from gangart.pattern import PreviewGains, preview_gains, preview_motion
from gangart.pattern.preview import GRAVITY

HEIGHT, DT = 0.24, 0.01  # [m], [s]


@pytest.fixture(scope="module")
def gains() -> PreviewGains:
    return preview_gains(HEIGHT, DT, 1.5)


def zmp_of(gains: PreviewGains, motion: np.ndarray) -> np.ndarray:
    return motion @ gains.C


def sway(n: int, dt: float = DT) -> np.ndarray:
    """A smooth reference that resembles walking, at rest at first; (n, 2) [m]."""
    t = np.maximum(dt * np.arange(n) - 1.5, 0.0)
    grown = 1.0 - np.exp(-((t / 0.5) ** 4))
    return np.column_stack([0.2 * t * grown, 0.04 * np.sin(2 * np.pi * t / 0.8) * grown])


def steps_of(n: int, seed: int = 0) -> np.ndarray:
    """A reference that jumps from foot to foot; (n, 2) [m]."""
    k = np.arange(n) // 40
    rng = np.random.default_rng(seed)
    return np.column_stack([0.08 * k, np.where(k % 2 == 0, 0.05, -0.05)]) + 0.02 * rng.normal(size=(k.max() + 1, 2))[k]


def test_the_motion_obeys_the_inverted_pendulum(gains: PreviewGains) -> None:
    """p = x - z/g ẍ (2.7), where ẍ is the second derivative of the positions and not only a number beside them."""
    motion = preview_motion(gains, sway(800), 600)
    x, v, a = motion[..., 0], motion[..., 1], motion[..., 2]
    second = (x[2:] - 2.0 * x[1:-1] + x[:-2]) / DT**2
    np.testing.assert_allclose(second, (a[:-2] + 4.0 * a[1:-1] + a[2:]) / 6.0, atol=1e-9)  # cubic between ticks
    np.testing.assert_allclose((x[2:] - x[:-2]) / (2 * DT), (v[:-2] + 4.0 * v[1:-1] + v[2:]) / 6.0, atol=1e-9)
    np.testing.assert_allclose(zmp_of(gains, motion), x - HEIGHT / GRAVITY * a, atol=1e-15)


def test_a_smooth_reference_is_followed_within_a_tenth_of_a_millimetre(gains: PreviewGains) -> None:
    references = sway(1500)
    error = zmp_of(gains, preview_motion(gains, references, 1300)) - references[:1300]
    assert np.abs(error).max() < 1e-4


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("effort", [1e-6, 1e-8])
def test_the_controller_is_the_optimum_of_its_cost(seed: int, effort: float) -> None:
    """Minimise Σ (p - p_ref)² + R Σ (change of jerk)² over all jerks at once, as one dense least-squares problem."""
    n, compared = 400, 150
    g = preview_gains(HEIGHT, DT, n * DT, effort=effort)
    references = steps_of(200, seed)
    references = np.vstack([references, np.tile(references[-1], (2 * n, 1))])
    state, response = np.zeros(3), np.empty(n)  # of the ZMP to a jerk that begins at tick 0
    for k in range(n):
        state = g.A @ state + g.B
        response[k] = g.C @ state
    i, j = np.indices((n, n))
    effect = np.where(i >= j, response[np.abs(i - j)], 0.0)  # of a change of jerk at tick j on the ZMP at i + 1
    matrix = np.vstack([effect, math.sqrt(effort) * np.eye(n)])
    motion = preview_motion(g, references, n + 1)
    for axis in range(2):
        wanted = np.concatenate([references[1 : n + 1, axis] - references[0, axis], np.zeros(n)])
        change, *_ = np.linalg.lstsq(matrix, wanted, rcond=None)
        zmp = references[0, axis] + effect @ change
        np.testing.assert_allclose(zmp_of(g, motion)[1 : compared + 1, axis], zmp[:compared], rtol=0, atol=1e-6)


def test_a_longer_preview_follows_closer() -> None:
    references, errors = steps_of(1200, 3), []
    references[:200] = references[200]
    for preview in (0.3, 0.6, 1.0, 1.5):
        g = preview_gains(HEIGHT, DT, preview)
        assert g.horizon == round(preview / DT)
        errors.append(np.sqrt(np.mean((zmp_of(g, preview_motion(g, references, 900)) - references[:900]) ** 2)))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 2.0 * errors[-1]


@pytest.mark.parametrize("scale", [0.25, 4.0])
def test_gains_scale_with_the_pendulum(scale: float) -> None:
    """Lengths times s, times times √s: the same pendulum under the same gravity, so the same dimensionless gains."""
    s, t = scale, math.sqrt(scale)
    small = preview_gains(HEIGHT, DT, 1.0, effort=1e-9)
    big = preview_gains(HEIGHT * s, DT * t, 1.0 * t, effort=1e-9 * t**6)
    np.testing.assert_allclose(big.ahead * t**3, small.ahead, rtol=1e-6)
    np.testing.assert_allclose(big.integral * t**3, small.integral, rtol=1e-6)
    np.testing.assert_allclose(big.state * [t**3, t**2, t], small.state, rtol=1e-6)


@pytest.mark.parametrize("preview", [0.05, 0.3, 1.5])
def test_a_body_at_rest_stays_at_rest_wherever_it_stands(preview: float) -> None:
    g = preview_gains(HEIGHT, DT, preview)
    for place in (np.array([0.02, 0.0]), np.array([-30.0, 12.0])):
        motion = preview_motion(g, np.tile(place, (10, 1)), 300)
        np.testing.assert_allclose(motion[..., 0], np.tile(place, (300, 1)), rtol=0, atol=1e-9)
        assert np.abs(motion[..., 1:]).max() < 1e-6


@pytest.mark.parametrize("preview", [0.3, 1.5])
def test_the_motion_does_not_depend_on_the_origin(preview: float) -> None:
    g, references = preview_gains(HEIGHT, DT, preview), steps_of(600, 4)
    away = np.array([5.0, -3.0])
    there = preview_motion(g, references + away, 400)
    there[..., 0] -= away
    np.testing.assert_allclose(there, preview_motion(g, references, 400), rtol=0, atol=1e-6)


def test_the_observer_trusts_a_better_sensor_more() -> None:
    gain = [preview_gains(HEIGHT, DT, 1.0, measurement_noise=n).observer for n in (0.001, 0.01, 0.1)]
    assert abs(gain[0] @ [1, 0, -HEIGHT / GRAVITY]) > abs(gain[1] @ [1, 0, -HEIGHT / GRAVITY])
    assert abs(gain[1] @ [1, 0, -HEIGHT / GRAVITY]) > abs(gain[2] @ [1, 0, -HEIGHT / GRAVITY])


@pytest.mark.parametrize(
    "given",
    [
        {"height": -0.2},
        {"height": math.nan},
        {"dt": 0.0},
        {"preview": 0.001},
        {"preview": math.inf},
        {"effort": 0.0},
        {"effort": math.nan},
        {"measurement_noise": -1.0},
    ],
)
def test_impossible_settings_are_refused(given: dict[str, float]) -> None:
    settings = {"height": HEIGHT, "dt": DT, "preview": 1.0, **given}
    with pytest.raises(BadValue):
        preview_gains(settings.pop("height"), settings.pop("dt"), settings.pop("preview"), **settings)
