"""Many worlds at once do what each of them does alone, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gangart.control import BipedEngine, WalkPlan
from gangart.control.replay import Replay
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.robots.wear import Wear, load_wear, worn
from gangart.signals import Array, Command, Recording
from gangart.simulation import FULL, IDEAL, Fidelity, Ground, Raw, World, Worlds, simulate

DURATION = 1.5  # [s]


@pytest.fixture(scope="module")
def engine(nao: Robot) -> BipedEngine:
    return BipedEngine(nao)


@pytest.fixture(scope="module")
def plan(engine: BipedEngine) -> WalkPlan:
    return engine.plan(Command(0.2), DURATION + 0.1)


@pytest.fixture(scope="module")
def replay(plan: WalkPlan, nao: Robot) -> Replay:
    velocity = np.gradient(plan.joints.position, nao.tick, axis=0)
    support = plan.footsteps.contacts(plan.joints.time)
    return Replay(plan.joints.time, plan.joints.position, velocity, plan.body.zmp, plan.body.com, support, nao.tick)


class KeepingWorld(World):
    """Keeps the states that it hands over."""

    kept: list[Array]

    def take(self) -> Raw:
        raw = super().take()
        self.kept.append(raw.states[1 if self.kept else 0 :])
        return raw


def alone(
    robot: Robot, engine: BipedEngine, replay: Replay, fidelity: Fidelity, wear: Wear | None, ground: Ground
) -> tuple[Array, Recording]:
    """The states (n, n_state) of one world in which the same targets are replayed; and the recording."""
    world = KeepingWorld(robot, fidelity, ground, wear=wear)
    world.reset(*engine.stance(), settle=1.0)
    world.kept = []
    recording = simulate(world, replay, Command(), DURATION)
    return np.concatenate(world.kept), recording


def changed(wear: Wear, **factors: float) -> Wear:
    """A wear with some values of all its gears multiplied."""
    gears = {name: replace(g, **{k: f * getattr(g, k) for k, f in factors.items()}) for name, g in wear.gears.items()}
    return replace(wear, gears=gears)


@pytest.mark.parametrize(("fidelity", "name"), [(IDEAL, None), (FULL, "ada"), (FULL, "bert")])
def test_a_simulation_of_many_is_the_one_of_a_world_alone(
    nao: Robot, engine: BipedEngine, plan: WalkPlan, replay: Replay, fidelity: Fidelity, name: str | None
) -> None:
    """On the base level, and with encoders on the motor's and on the joint's side of the gear."""
    wear = load_wear(nao, name) if name else None
    grounds = [Ground(0.8), Ground(0.3), Ground(0.8, settling=0.02)]
    walks = Worlds(nao, fidelity, [wear] * 3, grounds, threads=2).walk(plan, engine.stance(), DURATION)
    for states, ground in zip(walks.states, grounds, strict=True):
        single, recording = alone(nao, engine, replay, fidelity, wear, ground)
        assert np.array_equal(states, single)
    assert np.array_equal(walks.position[-1, :-1], recording.position)
    assert np.array_equal(walks.velocity[-1, :-1], recording.velocity)
    assert np.array_equal(walks.base_position[-1, :-1], recording.base_position)
    assert np.array_equal(walks.base_orientation[-1, :-1], recording.base_orientation)
    assert np.all(walks.steps == 1500)
    assert walks.diverged == (None, None, None)
    assert len({states[-1].tobytes() for states in walks.states}) == 3  # and the grounds are three


def test_each_simulation_has_its_own_parameters(nao: Robot, engine: BipedEngine, replay: Replay) -> None:
    """Every parameter of a wear, one at a time, encoders of both sides together."""
    wear = load_wear(nao, "ada")
    wears = [
        wear,
        replace(wear, encoder="joint"),
        replace(wear, proportional=180.0),
        replace(wear, derivative=2.0),
        replace(wear, stiffness=0.9),
        replace(wear, link_stiffness=420.0),
        replace(wear, link_friction=0.1),
        *(changed(wear, **{key: 1.3}) for key in ("viscous", "coulomb", "inertia", "play", "stiffness", "damping")),
    ]
    walks = Worlds(nao, FULL, wears, threads=2).walk(replay, engine.stance(), DURATION)
    for states, own in zip(walks.states, wears, strict=True):
        assert np.array_equal(states, alone(nao, engine, replay, FULL, own, Ground())[0])
    assert len({states[-1].tobytes() for states in walks.states}) == len(wears)


def test_threads_and_rows_kept_change_nothing(nao: Robot, engine: BipedEngine, replay: Replay) -> None:
    wears = list(worn(nao).values())
    two = Worlds(nao, FULL, wears, threads=2).walk(replay, engine.stance(), DURATION)
    worlds = Worlds(nao, FULL, wears, threads=1)
    for every in (1, 7, 10):
        one = worlds.walk(replay, engine.stance(), DURATION, every=every)
        assert np.array_equal(one.states, two.states[:, ::every])
        assert np.array_equal(one.time, two.time[::every])


def test_a_fall_ends_one_walk_and_not_the_others(nao: Robot, engine: BipedEngine) -> None:
    """As `simulate` ends it: a second later."""
    weak = replace(load_wear(nao, "ada"), proportional=12.0)
    replay = Replay.of_recording(alone_walk(nao, engine, 4.0), nao)
    walks = Worlds(nao, FULL, [weak, load_wear(nao, "ada")], threads=2).walk(replay, engine.stance(), 4.0)
    world = World(nao, FULL, wear=weak)
    world.reset(*engine.stance(), settle=1.0)
    recording = simulate(world, replay, Command(), 4.0)
    assert recording.info["fell"] is not None
    assert walks.fell[0] == recording.info["fell"]
    assert walks.steps[0] == len(recording) < 4000
    assert np.array_equal(walks.position[0, : len(recording)], recording.position)
    assert np.isnan(walks.states[0, len(recording) + 1 :]).all()
    assert np.isnan(walks.fell[1])
    assert walks.steps[1] == 4000


def alone_walk(robot: Robot, engine: BipedEngine, duration: float) -> Recording:
    world = World(robot)
    world.reset(*engine.stance())
    return simulate(world, engine, Command(0.2), duration)


def test_an_explosion_ends_one_walk_and_not_the_others(nao: Robot, engine: BipedEngine, replay: Replay) -> None:
    """Whether it comes in the middle of the walk, or before the first step."""
    strong = {name: replace(motor, supply=1e6) for name, motor in nao.motors.items()}
    robot = replace(nao, motors=strong)
    good = load_wear(nao, "bert")
    wears = [good, replace(good, proportional=1e9), replace(good, proportional=1e11), good]
    walks = Worlds(robot, FULL, wears, threads=2).walk(replay, engine.stance(), DURATION)
    for k, wear in enumerate(wears):
        single, recording = alone(robot, engine, replay, FULL, wear, Ground())
        n = int(walks.steps[k])
        assert walks.diverged[k] == recording.info["diverged"]
        assert np.array_equal(walks.states[k, : n + 1], single[: n + 1])
        assert np.isnan(walks.states[k, n + 1 :]).all()
    assert walks.diverged[0] is walks.diverged[3] is None
    assert "joint LKneePitch" in str(walks.diverged[1])
    assert 0 < walks.steps[1] < 1500
    assert "before the walk" in str(walks.diverged[2])
    assert walks.steps[2] == 0


def test_wears_of_another_structure_are_refused(nao: Robot) -> None:
    wear = load_wear(nao, "ada")
    for other in (replace(wear, link_parts=3), replace(wear, integral=1.0), replace(wear, gears={})):
        with pytest.raises(BadValue, match=r"simulation 1 has n.* all wears need the same worn motors and link_parts"):
            Worlds(nao, FULL, [wear, other])
    with pytest.raises(BadValue, match="2 wears and 3 grounds"):
        Worlds(nao, FULL, [wear, wear], [Ground()] * 3)
    with pytest.raises(BadValue, match="0 wears"):
        Worlds(nao, FULL, [])


def test_senseless_walks_are_refused(nao: Robot, engine: BipedEngine, replay: Replay) -> None:
    worlds = Worlds(nao, IDEAL, [None])
    joints, place, yaw = engine.stance()
    with pytest.raises(BadValue, match="duration"):
        worlds.walk(replay, (joints, place, yaw), -1.0)
    with pytest.raises(BadValue, match="joint angles"):
        worlds.walk(replay, (joints[:3], place, yaw), 1.0)
