"""The numeric postures agree with the closed form on the Nao, and serve robots that have none."""

from __future__ import annotations

import numpy as np
import pytest

from gangart import robots
from gangart.errors import Unreachable
from gangart.kinematics import posture
from gangart.kinematics.numeric import NumericPosture
from gangart.robots import Robot

LEG = """
<body name="{n}_hip" pos="{x} {y} 0">
  <joint name="{n}_roll" axis="1 0 0" range="-50 50"/>
  <geom type="sphere" size="0.03" mass="0.3"/>
  <body name="{n}_thigh">
    <joint name="{n}_pitch" axis="0 1 0" range="-80 80"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.8"/>
    <body name="{n}_shank" pos="0 0 -0.2">
      <joint name="{n}_knee" axis="0 1 0" range="-150 -10"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2" mass="0.2"/>
    </body>
  </body>
</body>
"""
PLACES = {"front_left": (0.2, 0.1), "front_right": (0.2, -0.1), "hind_left": (-0.2, 0.1), "hind_right": (-0.2, -0.1)}


@pytest.fixture(scope="module")
def quadruped(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    """Four legs of three joints with ball feet, and a head that turns."""
    folder = tmp_path_factory.mktemp("quadruped")
    legs = "".join(LEG.format(n=name, x=x, y=y) for name, (x, y) in PLACES.items())
    head = '<body name="head" pos="0.3 0 0.1"><joint name="look" axis="0 0 1" range="20 90"/><geom size="0.05"/></body>'
    (folder / "q.xml").write_text(
        '<mujoco><compiler autolimits="true"/><worldbody><body name="marker"/><body name="trunk">'
        f'<freejoint/><geom type="box" size="0.25 0.1 0.05" mass="6"/>{legs}{head}</body></worldbody></mujoco>',
        encoding="utf-8",
    )
    text = (
        'format = 1\nname = "q"\nmodel = "q.xml"\nbase = "trunk"\n[servo]\nposition_gain = 1.0\nvelocity_gain = 1.0\n'
    )
    text += "[home]\nlook = 0.5\n" + "".join(f"{n}_pitch = 0.7\n{n}_knee = -1.4\n" for n in PLACES)
    for n in PLACES:
        text += f'[legs.{n}]\nside = "{n.split("_")[1]}"\njoints = ["{n}_roll", "{n}_pitch", "{n}_knee"]\n'
        text += f'foot = "{n}_shank"\nsole = [0.0, 0.0, -0.2]\n'
    (folder / "robot.toml").write_text(text, encoding="utf-8")
    return robots.load(folder)


def steps(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    feet = np.zeros((n, 2, 4))
    feet[:, :, 1] = 0.05, -0.05
    feet += rng.uniform(-1, 1, (n, 2, 4)) * [0.03, 0.0, 0.01, 0.15]
    return np.array([0.01, 0.0, 0.24]) + rng.uniform(-1, 1, (n, 3)) * [0.02, 0.03, 0.01], feet


@pytest.mark.parametrize("seed", [31, 32])
def test_on_the_nao_it_finds_what_the_closed_form_finds(nao, seed):
    com, feet = steps(seed, 20)
    numeric = NumericPosture(nao).solve(com, feet, nao.home_position)
    closed = posture(nao).solve(com, feet, nao.home_position)
    np.testing.assert_allclose(numeric.base_position, closed.base_position, atol=1e-6)
    np.testing.assert_allclose(numeric.base_yaw, closed.base_yaw, atol=1e-6)
    np.testing.assert_allclose(numeric.joints, closed.joints, atol=2e-5)


def test_on_the_nao_it_starts_from_straight_legs_as_well(nao):
    com, feet = steps(33, 5)
    found = NumericPosture(nao).solve(com, feet, np.zeros(len(nao.joints)))
    closed = posture(nao).solve(com, feet, np.zeros(len(nao.joints)))
    np.testing.assert_allclose(found.joints, closed.joints, atol=2e-5)


def test_on_the_nao_a_given_centre_of_mass_in_the_base_is_taken(nao):
    com, feet = steps(34, 5)
    c = posture(nao).com(nao.home_position) + np.array([0.0, 0.003, 0.002])
    found = NumericPosture(nao).solve(com, feet, nao.home_position, com_in_base=c)
    closed = posture(nao).solve(com, feet, nao.home_position, com_in_base=c)
    np.testing.assert_allclose(found.base_position, closed.base_position, atol=1e-6)
    np.testing.assert_allclose(found.joints, closed.joints, atol=2e-5)


@pytest.mark.parametrize("seed", [35, 36])
def test_a_quadruped_puts_its_feet_and_centre_of_mass_where_asked(quadruped, seed):
    solver = posture(quadruped)
    assert isinstance(solver, NumericPosture)
    rng = np.random.default_rng(seed)
    n = 20
    feet = np.zeros((n, 4, 4))
    feet[:, :, :2] = np.array(list(PLACES.values())) + rng.uniform(-0.05, 0.05, (n, 4, 2))
    com = np.array([0.0, 0.0, 0.25]) + rng.uniform(-0.03, 0.03, (n, 3))
    yaw = rng.uniform(-3, 3)
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    com, feet[:, :, :3], feet[:, :, 3] = com @ turn.T, feet[:, :, :3] @ turn.T, yaw
    joints = np.tile(quadruped.home_position, (n, 1))
    joints[:, quadruped.joint_index["look"]] = 0.0  # outside its limits: not ours to change
    found = solver.solve(com, feet, joints)
    np.testing.assert_allclose(found.base_yaw, yaw, atol=1e-6)
    assert (found.joints[:, quadruped.joint_index["look"]] == 0.0).all()
    p_world_com = found.base_position + solver.com(found.joints) @ turn.T
    soles = found.base_position[:, None] + solver.feet(found.joints)[:, :, :3, 3] @ turn.T
    np.testing.assert_allclose(p_world_com, com, atol=1e-6)
    np.testing.assert_allclose(soles, feet[:, :, :3], atol=1e-6)
    low, high = quadruped.joint_limits.T
    legs = [i for i, name in enumerate(quadruped.joints) if name != "look"]
    assert ((found.joints >= low) & (found.joints <= high))[:, legs].all()


def test_a_sequence_starts_each_tick_where_the_last_one_ended(quadruped):
    solver = posture(quadruped)
    feet = np.zeros((20, 4, 4))
    feet[:, :, :2] = list(PLACES.values())
    com = np.linspace([-0.02, 0.0, 0.25], [0.02, 0.01, 0.26], 20)
    warm = solver.sequence(com, feet, quadruped.home_position)
    cold = solver.solve(com, feet, quadruped.home_position)
    np.testing.assert_allclose(warm.base_position, cold.base_position, atol=1e-6)
    assert warm.iterations[1:].mean() < cold.iterations[1:].mean()


def test_what_cannot_be_reached_is_refused_by_name_or_clamped_with_status(quadruped):
    solver = posture(quadruped)
    feet = np.zeros((4, 4))
    feet[:, :2] = list(PLACES.values())
    feet[2, 0] -= 0.6
    com = np.array([0.0, 0.0, 0.25])
    with pytest.raises(Unreachable, match=r"leg 'hind_left': the sole stays \d+\.\d mm from its target"):
        solver.solve(com, feet, quadruped.home_position)
    found = solver.solve(com, feet, quadruped.home_position, on_failure="clamp")
    assert found.status in (1, 2)
    low, high = quadruped.joint_limits.T
    assert ((found.joints >= low) & (found.joints <= high)).all()
