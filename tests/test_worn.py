"""The worn Naos: each fits what it was searched for, comes from its seed, and differs from the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gangart.analysis import WalkFigures
from gangart.experiments.worn_nao import DRAWS, SEED, written
from gangart.identification.worn import (
    RANGES,
    WANTED,
    Candidate,
    as_toml,
    draw,
    drawn,
    fits,
    place,
    spread,
    walked,
)
from gangart.robots import Robot
from gangart.robots.wear import worn

NAMES = ("ada", "bert", "cleo", "dora", "emil")


def figures(f_x: float = 7.0, f_y: float = 14.0, speed: float = 0.209, fell: bool = False) -> WalkFigures:
    return WalkFigures(
        fell=fell,
        fell_at=3.0 if fell else None,
        duration=20.0,
        mean_velocity=(speed, 0.0, 0.0),
        speed_per_second=(),
        distance=4.0,
        drift=(0.0, 0.0),
        step_length=0.08,
        steps=48,
        orientation_error=(f_x, f_y),
        tilt_max=0.1,
        zmp_error=0.01,
        zmp_margin_min=0.0,
        slip=0.0,
    )


def candidates(robot: Robot, count: int) -> list[Candidate]:
    return [Candidate(wear, values, figures()) for wear, values in drawn(robot, seed=7, draws=count)]


@pytest.mark.parametrize("name", NAMES)
def test_every_worn_nao_walks_as_badly_as_the_thesis_s_within_a_factor_of_two(nao: Robot, name: str) -> None:
    wear = worn(nao)[name]
    found = walked(nao, wear)
    assert fits(found), (found.orientation_error, found.mean_velocity)
    noted = re.search(r"f_x ([\d.]+), f_y ([\d.]+) at (\d+) mm/s", wear.note)
    assert noted is not None
    measured = (*found.orientation_error, found.mean_velocity[0] * 1e3)
    assert [float(v) for v in noted.groups()] == pytest.approx(measured, rel=0.05)


def test_all_of_them_are_tested(nao: Robot) -> None:
    assert tuple(worn(nao)) == NAMES


def test_their_seed_draws_them_to_all_digits(nao: Robot) -> None:
    draws = {written(wear) for wear, _ in drawn(nao, seed=SEED, draws=DRAWS)}
    assert all(written(wear) in draws for wear in worn(nao).values())


def test_they_differ_more_from_each_other_than_draws_do(nao: Robot) -> None:
    values = {written(wear): Candidate(wear, v, figures()) for wear, v in drawn(nao, seed=SEED, draws=DRAWS)}
    shipped = [place(values[written(wear)]) for wear in worn(nao).values()]
    everything = [place(c) for c in values.values()]
    assert _apart(shipped) > 1.1 * _apart(everything)
    assert {w.encoder for w in worn(nao).values()} == {"joint", "motor"}


def _apart(places: Sequence[np.ndarray]) -> float:
    """Mean distance between two of them."""
    return float(np.mean([np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]]))


def test_a_seed_draws_the_same_again_and_within_the_bounds(nao: Robot) -> None:
    first, again = (list(drawn(nao, seed=3, draws=5)) for _ in range(2))
    assert first == again
    for _, values in first:
        assert all(bounds.low <= values[key] <= bounds.high for key, bounds in RANGES.items())
    assert draw(nao, np.random.default_rng(4), "other")[1] != first[0][1]


@pytest.mark.parametrize(
    ("found", "fit"),
    [
        (figures(), True),
        (figures(fell=True), False),
        (figures(f_x=WANTED["f_x"][1] * 1.001), False),
        (figures(f_y=WANTED["f_y"][0] * 0.999), False),
        (figures(speed=0.194), False),
    ],
)
def test_what_falls_or_lies_outside_does_not_fit(found: WalkFigures, fit: bool) -> None:
    assert fits(found) is fit


def test_each_that_is_kept_is_the_farthest_from_those_kept_before(nao: Robot) -> None:
    everyone = candidates(nao, 20)
    kept = spread(everyone, 5)
    assert len({c.wear.name for c in kept}) == 5
    for k in range(1, 5):
        before = [place(c) for c in kept[:k]]
        away = {c.wear.name: min(float(np.linalg.norm(place(c) - p)) for p in before) for c in everyone}
        assert away[kept[k].wear.name] == max(away.values())
    assert spread(everyone[:3], 5) == everyone[:3]


def test_what_is_written_is_read_again(nao: Robot, tmp_path: Path) -> None:
    found = dict(zip(("one", "two"), candidates(nao, 2), strict=True))
    (tmp_path / "worn.toml").write_text(as_toml(found, "two of them"), encoding="utf-8")
    again = worn(replace(nao, folder=tmp_path))
    assert [written(w) for w in again.values()] == [written(c.wear) for c in found.values()]
    assert list(again) == ["one", "two"]
