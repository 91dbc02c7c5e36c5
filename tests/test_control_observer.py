"""The observer: a measured ZMP finds the true state of a one-mass robot, and brings its ZMP back."""

from __future__ import annotations

import numpy as np
import pytest

from gangart.control.observer import ZmpObserver
from gangart.pattern import PreviewGains, preview_gains
from gangart.pattern.preview import at_rest, preview_step


@pytest.fixture(scope="module")
def gains() -> PreviewGains:
    return preview_gains(0.24, 0.01, 1.5)


def one_mass(gains: PreviewGains, feedback: float, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A one-mass robot that is kicked by 50 mm/s after 2 s: ZMP error and error of the estimate, both (n, 2) [m]."""
    rng = np.random.default_rng(seed)
    references = np.tile([0.02, 0.0], (2000, 1))
    observer = ZmpObserver(gains, feedback)
    model, memory = at_rest(references[0])
    robot = model.copy()
    zmp_error, estimate_error = [], []
    for k in range(1500):
        if k == 200:
            robot[:, 1] += 0.05
        measured = robot @ gains.C + noise * rng.normal(size=2)
        observer.correct(model, measured)
        zmp_error.append(robot @ gains.C - references[k])
        estimate_error.append(robot[:, 0] - model[:, 0])
        before = model[:, 2].copy()
        preview_step(gains, references, k, model, memory)
        jerk = (model[:, 2] - before) / gains.dt
        robot = robot @ gains.A.T + jerk[:, None] * gains.B
    return np.array(zmp_error), np.array(estimate_error)


def test_with_the_observer_the_estimate_finds_the_truth_and_the_zmp_comes_back(gains: PreviewGains) -> None:
    zmp_error, estimate_error = one_mass(gains, feedback=1.0, noise=0.0, seed=0)
    assert np.abs(estimate_error[200:300]).max() > 1e-3  # the kick was felt
    assert np.abs(estimate_error[-100:]).max() < 1e-4
    assert np.abs(zmp_error[-100:]).max() < 1e-4


def test_without_the_observer_the_kicked_body_drifts_away(gains: PreviewGains) -> None:
    zmp_error, estimate_error = one_mass(gains, feedback=0.0, noise=0.0, seed=0)
    assert np.abs(estimate_error[-1]).min() == pytest.approx(0.05 * 13.0, rel=0.01)
    assert np.abs(zmp_error[-1]).min() > 0.2


@pytest.mark.parametrize("seed", [1, 2])
def test_the_observer_bears_a_noisy_measurement(gains: PreviewGains, seed: int) -> None:
    zmp_error, estimate_error = one_mass(gains, feedback=1.0, noise=0.01, seed=seed)
    assert np.abs(estimate_error[-300:]).max() < 0.01
    assert np.abs(zmp_error[-300:]).max() < 0.02


@pytest.mark.parametrize("nothing", [None, np.array([np.nan, 0.0])])
def test_without_a_measurement_nothing_is_corrected(gains: PreviewGains, nothing: np.ndarray | None) -> None:
    observer, (state, _) = ZmpObserver(gains, 1.0), at_rest(np.array([0.1, -0.2]))
    before = state.copy()
    observer.correct(state, nothing)
    np.testing.assert_array_equal(state, before)
    np.testing.assert_array_equal(observer.drift, 0.0)


def test_a_measurement_moves_the_state_towards_it_and_the_drift_is_that_motion(gains: PreviewGains) -> None:
    observer, (state, _) = ZmpObserver(gains, 0.5), at_rest(np.array([0.1, -0.2]))
    before = state.copy()
    observer.correct(state, np.array([0.2, -0.3]))
    moved = state[:, 0] - before[:, 0]
    assert 0.0 < moved[0] < 0.1
    assert -0.1 < moved[1] < 0.0
    np.testing.assert_allclose(observer.drift * gains.dt, moved, rtol=1e-9)
