"""What the benchmarks compare has to be the same thing, and a bar that is not met has to be seen."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from benchmarks import __main__ as run
from benchmarks.leg_ik import LEG, targets
from benchmarks.mink_leg import MinkLeg
from benchmarks.peer import NoPeer, Placo
from benchmarks.planning import STEPS, OwnWalk
from benchmarks.row import Row, Setting, at_least, at_most, missing, told
from benchmarks.simulation import Run
from benchmarks.table import times_of, value_of
from benchmarks.timing import ratio, take_turns
from benchmarks.urdf import TRUNK, to_urdf

from gangart.control import BipedEngine
from gangart.kinematics import HipYawPitchLegs


@pytest.fixture(scope="module")
def from_urdf(nao):
    # MuJoCo would merge links without joints away, the trunk first
    text = to_urdf(nao).replace(
        "</robot>", '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco></robot>'
    )
    return mujoco.MjModel.from_xml_string(text)


def test_the_urdf_has_the_same_mass_and_joints(nao, from_urdf):
    assert from_urdf.body_mass.sum() == pytest.approx(nao.mass, rel=1e-12)
    assert {from_urdf.joint(i).name for i in range(from_urdf.njnt)} == set(nao.joints)
    for name, limits in zip(nao.joints, nao.joint_limits, strict=True):
        assert from_urdf.joint(name).range == pytest.approx(limits, abs=1e-12)


def test_the_urdf_moves_as_the_model_does(nao, from_urdf, rng):
    ours, theirs = mujoco.MjData(nao.model), mujoco.MjData(from_urdf)
    for _ in range(5):
        q = rng.uniform(nao.joint_limits[:, 0], nao.joint_limits[:, 1])
        ours.qpos[nao.qpos_index] = q
        for name, angle in zip(nao.joints, q, strict=True):
            theirs.joint(name).qpos = angle
        for model, data in ((nao.model, ours), (from_urdf, theirs)):
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
        base, trunk = ours.body(nao.base), theirs.body(TRUNK)
        shift = base.xpos - trunk.xpos
        assert theirs.subtree_com[trunk.id] + shift == pytest.approx(ours.subtree_com[base.id], abs=1e-12)
        for leg in nao.legs.values():
            foot = ours.body(leg.foot)
            sole = foot.xpos + foot.xmat.reshape(3, 3) @ leg.sole
            assert theirs.body(f"{leg.side}_foot").xpos + shift == pytest.approx(sole, abs=1e-12)
            assert theirs.body(f"{leg.side}_foot").xmat == pytest.approx(foot.xmat, abs=1e-12)


def test_the_urdf_has_the_same_inertia_in_motion(nao, from_urdf, rng):
    """The joints' block of the mass matrix tells a wrong tensor, however it is turned."""
    ours, theirs = mujoco.MjData(nao.model), mujoco.MjData(from_urdf)
    q = rng.uniform(nao.joint_limits[:, 0], nao.joint_limits[:, 1])
    ours.qpos[nao.qpos_index] = q
    for name, angle in zip(nao.joints, q, strict=True):
        theirs.joint(name).qpos = angle
    mujoco.mj_forward(nao.model, ours)
    mujoco.mj_forward(from_urdf, theirs)
    wide, narrow = np.zeros((nao.model.nv, nao.model.nv)), np.zeros((from_urdf.nv, from_urdf.nv))
    mujoco.mj_fullM(nao.model, ours, wide)
    mujoco.mj_fullM(from_urdf, theirs, narrow)
    order = [int(from_urdf.joint(name).dofadr[0]) for name in nao.joints]
    armature = np.diag(nao.model.dof_armature[nao.dof_index])  # URDF knows none
    expected = wide[np.ix_(nao.dof_index, nao.dof_index)] - armature
    assert narrow[np.ix_(order, order)] == pytest.approx(expected, abs=1e-12)


def test_the_bare_physics_does_the_same_steps():
    run = Run(1.0)
    run.walk()
    run.rollout()
    assert len(run.setpoints) == len(run.recording)
    assert np.array_equal(run.bare[:-1, run.world.qpos], run.recording.position[1:])


def test_the_planned_walk_has_the_steps_it_is_named_after(nao):
    walk = OwnWalk(BipedEngine(nao))
    plan = walk.engine.plan(walk._command, walk.duration)
    assert len(plan.footsteps) == STEPS
    assert plan.footsteps.land[-1] == pytest.approx(walk.duration - walk.stand)
    assert len(plan.joints.position) == round(walk.duration / nao.tick) + 1


def test_mink_reaches_what_the_closed_form_reaches(nao):
    legs = HipYawPitchLegs(nao)
    poses = targets(nao, legs)[:10]
    peer = MinkLeg(nao, LEG, poses, 1e-6)
    peer.converge()
    assert peer.reached == 1.0
    for pose in poses:
        assert legs.forward(LEG, legs.inverse(LEG, pose).angles) == pytest.approx(pose, abs=1e-9)


def test_peers_that_are_not_there_are_named_in_a_sentence(nao, tmp_path):
    with pytest.raises(NoPeer, match="make bench"):
        Placo(tmp_path, nao)


def test_a_bar_is_met_on_its_own_side():
    assert at_most("a", 1.0, "x", 1.0, "").ok
    assert at_most("a", 1.01, "x", 1.0, "").ok is False
    assert at_least("a", 5.0, "x", 5.0, "").ok
    assert at_least("a", 4.9, "x", 5.0, "").ok is False
    assert at_most("a", float("nan"), "x", 1.0, "").ok is False
    assert told("a", 1.0, "x", "").ok is None
    assert missing("a", "why").ok is None
    assert missing("a", "why", failed=True).ok is False


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.4374, "x", "0.437 ×"), (123.6, "µs", "124 µs"), (0.0, "kB", "0 kB"), (None, "x", "–")],
)
def test_values_have_three_digits(value, unit, text):
    assert value_of(Row("a", value, unit, "", None, "")) == text


def test_times_have_a_unit_that_suits_them():
    assert times_of(told("a", 1.0, "x", "", slow=1.5, fast=2e-6)) == "slow 1.5 s, fast 2 µs"


def test_a_ratio_is_taken_within_its_round():
    """A machine that is busy in one round slows both down; the ratio does not see it."""
    busy = iter([1.0, 7.0, 1.0])
    load = []
    found = take_turns(3, ours=lambda: load.append(next(busy)) or 2.0 * load[-1], theirs=lambda: 4.0 * load[-1])
    assert ratio(found["ours"], found["theirs"]) == 0.5


@pytest.mark.parametrize(("row", "code"), [(at_most("a", 2.0, "x", 1.0, ""), 1), (at_most("a", 0.5, "x", 1.0, ""), 0)])
@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_the_exit_code_says_whether_all_bars_are_met_and_all_is_printed(monkeypatch, capsys, row, code, arguments):
    later = told("later", 1.0, "x", "")
    monkeypatch.setattr(run, "_measure", lambda names, setting: iter([("leg_ik", [row]), ("recordings", [later])]))
    assert run.main(arguments) == code
    printed = capsys.readouterr().out
    assert "later" in printed
    if arguments:
        assert json.loads(printed)["met"] is (code == 0)


def test_quick_repeats_less():
    assert Setting(quick=True, peers=Path()).rounds(9, 3) == 3
    assert Setting(quick=False, peers=Path()).rounds(9, 3) == 9
