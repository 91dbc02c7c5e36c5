"""The gait selector: one gait has the legs, and the robot goes from each to each without a fall."""

from __future__ import annotations

import time

import numpy as np
import pytest

from gangart.control import Steerable
from gangart.control.leg_control import Stance
from gangart.control.reposition import MARGIN
from gangart.control.selector import LIE, STAND, GaitSelector
from gangart.errors import BadRobot, UnknownName
from gangart.experiments.switching_tour import tour
from gangart.robots import load
from gangart.signals import BodyPose, Command, JointTargets, SensorReading, Wish
from gangart.simulation import Fidelity, Ground, World, simulate

ROBOT = load("quadruped")
TICK = 0.01
TOLERANCE = 0.005  # [m] of a margin in simulation
FASTEST = ROBOT.drive.speed_limit / 5.0 / np.diag(ROBOT.hubs)  # type: ignore[union-attr]  # [rad/s]


def ticks(selector: GaitSelector, count: int, command: Command | None = None) -> list[JointTargets]:
    none, out = np.zeros(12), []
    for _ in range(count):
        selector.clock = getattr(selector, "clock", 0.0) + TICK  # type: ignore[attr-defined]
        reading = SensorReading(selector.clock, none, none, np.zeros(3), np.zeros(3), np.zeros((4, 0)))  # type: ignore[attr-defined]
        out.append(selector.tick(command or Command(), reading))
    return out


def states(selector: GaitSelector, most: int = 3000) -> list[str]:
    """The states that it passes until nothing changes any more."""
    passed = [selector.state]
    since = 0
    for _ in range(most):
        ticks(selector, 1)
        since = 0 if selector.state != passed[-1] else since + 1
        if selector.state != passed[-1]:
            passed.append(selector.state)
        if since > 900:
            break
    return passed


def test_it_is_an_engine_that_can_be_steered() -> None:
    selector = GaitSelector(ROBOT)
    assert isinstance(selector, Steerable)
    assert selector.gaits == (STAND, *ROBOT.gaits, LIE)
    selector.obey(Wish(gait="amble", pose=BodyPose(z=-0.02)))
    assert (selector.selected, selector.pose) == ("amble", BodyPose(z=-0.02))
    selector.select(STAND)
    selector.obey(Wish(gait="amble"))  # holds since before: what was selected meanwhile counts
    assert selector.selected == STAND


def test_states_follow_figure_7_1() -> None:
    selector = GaitSelector(ROBOT)
    home = selector.legs.home(0.3)
    selector.select(Stance(home.feet * 1.1, home.pose))
    assert states(selector) == ["standing", "repositioning", "standing"]
    selector.select("predictive-trot")
    assert states(selector) == ["standing", "repositioning", "walking"]
    selector.select("slow-walk")
    passed = states(selector)
    assert passed[:2] == ["walking", "stopping"]
    assert set(passed[2:-1]) <= {"standing", "repositioning"}  # no longer than there is something to do
    assert passed[-1] == "walking"
    assert selector.gait == "slow-walk"
    selector.select(STAND)
    assert states(selector) == ["walking", "stopping", "standing"]
    selector.select(LIE)
    assert states(selector) == ["standing", "repositioning", "lying"]
    assert selector.lies
    selector.select(STAND)
    assert states(selector) == ["lying", "repositioning", "standing"]
    assert not selector.lies


def test_a_pair_of_the_file_changes_while_walking() -> None:
    selector = GaitSelector(ROBOT, "predictive-trot")
    ticks(selector, 200, Command(0.4))
    selector.select("reactive-trot")
    for _ in range(300):
        ticks(selector, 1, Command(0.4))
        assert selector.state == "walking"
        assert selector.walker.standing.sum() >= 2
    assert selector.walker.gait == ROBOT.gaits["reactive-trot"]
    assert selector.walker._velocity[0] == pytest.approx(0.4)


def test_a_gait_that_is_wanted_again_while_it_stops_walks_on() -> None:
    selector = GaitSelector(ROBOT, "slow-walk")
    ticks(selector, 300, Command(0.1))
    selector.select("predictive-trot")
    ticks(selector, 20, Command(0.1))
    assert selector.state == "stopping"
    selector.select("slow-walk")
    ticks(selector, 200, Command(0.1))
    assert selector.state == "walking"
    assert selector.walker._velocity[0] == pytest.approx(0.1)


def test_only_a_gait_that_walks_gets_the_command() -> None:
    selector = GaitSelector(ROBOT)
    ticks(selector, 300, Command(0.5))
    assert not selector.walker._velocity.any()
    assert selector.notes == ("the robot does not walk: select a gait",)
    selector.select("slow-walk")
    ticks(selector, 300, Command(0.1))
    assert selector.notes == ()


def test_targets_never_jump() -> None:
    rng, selector = np.random.default_rng(5), GaitSelector(ROBOT)
    selector.stance()
    targets = ticks(selector, 1)
    for _ in range(25):
        selector.select(str(rng.choice(selector.gaits)))
        selector.pose = BodyPose(z=rng.uniform(-0.03, 0.02), yaw=rng.uniform(-0.1, 0.1))
        vx, vy, wz = rng.uniform(-0.3, 0.3, 3)
        targets += ticks(selector, int(rng.integers(5, 300)), Command(vx, vy, wz))
    q, v = (np.array([getattr(t, name) for t in targets]) for name in ("position", "velocity"))
    assert (np.abs(np.diff(q, axis=0)).max(axis=0) / TICK < FASTEST).all()
    assert np.abs(np.diff(q, axis=0) / TICK - (v[1:] + v[:-1]) / 2.0).mean() < 0.05


def test_a_pose_is_held_standing() -> None:
    selector = GaitSelector(ROBOT)
    selector.pose = BodyPose(z=-0.04, roll=0.1)
    world = World(ROBOT, Fidelity(motor=True), Ground(0.8))
    world.reset(*selector.stance(), settle=1.0)
    selector.pose = BodyPose(z=-0.04, roll=0.1)
    recording = simulate(world, _Keeping(selector, BodyPose(z=-0.04, roll=0.1)), Command(), 3.0)
    height = selector.walker.gait.height
    assert recording.base_position[-1, 2] == pytest.approx(height - 0.04, abs=0.002)
    assert 2.0 * recording.base_orientation[-1, 1] == pytest.approx(0.1, abs=0.01)


class _Keeping:
    """A selector whose pose outlives the reset."""

    def __init__(self, selector: GaitSelector, pose: BodyPose) -> None:
        self.selector, self.pose = selector, pose
        self.notes, self.reference = (), selector.reference

    def reset(self, reading: SensorReading) -> None:
        self.selector.reset(reading)

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        self.selector.pose = self.pose
        return self.selector.tick(command, reading)


def test_what_cannot_be_is_refused_and_the_robot_stays() -> None:
    selector = GaitSelector(ROBOT)
    with pytest.raises(UnknownName, match="no gait 'canter'"):
        selector.select("canter")
    home = selector.legs.home(0.32)
    selector.select(Stance(home.feet + np.array([[0.5, 0.0], [0, 0], [0, 0], [0, 0]]), home.pose))
    ticks(selector, 2)
    assert selector.state == "standing"
    assert "front_left" in selector.notes[0]
    with pytest.raises(BadRobot, match="no \\[gaits\\]"):
        GaitSelector(load("nao"))


@pytest.mark.parametrize("seed", [1, 2])
def test_random_switches_keep_what_is_promised(seed: int) -> None:
    check(12, seed)


@pytest.mark.slow
def test_a_thousand_random_switches_keep_what_is_promised() -> None:
    check(1000, 2026)


def check(count: int, seed: int) -> None:
    run = tour(ROBOT, count, seed)
    assert run.fell is None
    assert run.refusals == []
    assert len(run.switches) == count
    for state in ("standing", "repositioning"):
        assert np.nanmin(run.during(state)[:, 2]) >= MARGIN - TOLERANCE
    assert run.during("repositioning")[:, 3].min() >= 3  # feet on the ground
    assert run.log[:, 4].max() < FASTEST.min()


def test_a_tick_is_quick_in_every_state() -> None:
    selector, took = GaitSelector(ROBOT), {}
    rng = np.random.default_rng(0)
    for goal in (STAND, "predictive-trot", "slow-walk", STAND, LIE, STAND, "amble", "reactive-trot"):
        selector.select(goal)
        for _ in range(int(rng.integers(300, 700))):
            begin = time.perf_counter()
            ticks(selector, 1, Command(0.1))
            took.setdefault(selector.state, []).append(time.perf_counter() - begin)
    assert set(took) == {"standing", "repositioning", "walking", "stopping", "lying"}
    assert max(float(np.median(times)) for times in took.values()) < 1e-3  # [s] `make bench` has the ratio
