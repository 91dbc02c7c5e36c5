"""The search for a fast gait, and how fast worn robots walk with it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from gangart.compensation import TorqueOffsets
from gangart.errors import MissingTool
from gangart.experiments import Setting, top_speed
from gangart.experiments.fast_gait import FastGait, search, walk_of
from gangart.experiments.strip import strip
from gangart.experiments.top_speed import Job, walked
from gangart.robots import Robot
from gangart.robots.wear import load_wear
from gangart.signals import Recording

# what `gangart experiment run top-speed` finds with seed 0 for double steps of 0.48 s
FOUND = (0.0558, 0.2375, 0.0130, 0.0986, 0.2195, 0.4946, 0.7502, 0.9591)


def found(robot: Robot, seed: int) -> FastGait:
    machines = [TorqueOffsets(robot, load_wear(robot, "cleo"))]
    return search(robot, machines, 0.5, 0.48, seed=seed, generations=0, progress=lambda _: None)


def test_a_search_is_its_seeds(nao: Robot) -> None:
    one, again, other = (found(nao, seed) for seed in (1, 1, 2))
    assert one.values == again.values
    assert one.voltage == again.voltage
    assert other.values != one.values


@pytest.mark.parametrize(("preset", "friction"), [("bert", 1.0), ("emil", 0.5)])
def test_the_hardest_conditions_are_walked_faster_than_400_mm_s(nao: Robot, preset: str, friction: float) -> None:
    """The stiffest legs on a rough floor, the softest on a smooth one, both with an empty battery."""
    walk = walk_of(nao, np.array(FOUND), top_speed.SEARCHED_AT, 0.48)
    run = walked(Job(walk, 0.46, preset, friction, 0.001, 18.0, 4.0))
    assert run.walks
    assert run.speed > 0.43


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_every_worn_robot_walks_400_mm_s_everywhere(seed: int) -> None:
    report = top_speed.run(Setting(seed=seed))
    assert report.verdicts[0].holds, report.verdicts[0].sentence


def test_where_nothing_can_be_drawn_a_report_says_what_to_install(nao: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise MissingTool("no OpenGL; apt install libegl1")

    monkeypatch.setattr("gangart.analysis.film.frames", fails)
    figure = strip("film", "A walk", cast("Recording", None), nao, [0, 1]).figure
    assert "apt install libegl1" in figure.texts[0].get_text()
