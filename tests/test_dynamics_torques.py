"""Laws of joint torques: virtual work, energy, symmetry, balance; and of how two legs share (Urbann 3.4)."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

from gangart.control import BipedEngine
from gangart.dynamics import Torques, joint_torques, world_motion
from gangart.dynamics.legs import planted_legs
from gangart.dynamics.supports import shares, sole_limits
from gangart.errors import BadRobot, BadValue
from gangart.kinematics import Tree, posture
from gangart.pattern import ZmpName
from gangart.robots import Robot
from gangart.signals import Array, Bools, Command, JointTrajectory

FRICTION = 0.8


def walk(
    robot: Robot, command: Command, tick: float, duration: float = 2.9, zmp: ZmpName = "bezier"
) -> tuple[Robot, JointTrajectory, Bools]:
    robot = dataclasses.replace(robot, tick=tick)
    plan = BipedEngine(robot, zmp=zmp).plan(command, duration)
    return robot, plan.joints, plan.footsteps.contacts(plan.joints.time)


def still(robot: Robot, joints: Array, base: Array, legs: tuple[bool, bool]) -> Torques:
    motion = JointTrajectory(0.01 * np.arange(4), np.tile(joints, (4, 1)), np.tile(base, (4, 1)), np.zeros(4))
    return joint_torques(robot, motion, np.tile(legs, (4, 1)))


def stance(robot: Robot, x: float, y: float, z: float) -> tuple[Array, Array]:
    """Joints and base for a place of the centre of mass [m] over both feet, one a little ahead and turned."""
    feet = np.array([[0.03, 0.055, 0.0, 0.2], [-0.03, -0.05, 0.0, 0.0]])
    found = posture(robot).solve(np.array([x, y, z]), feet, robot.home_position)
    return found.joints, found.base_position


@pytest.mark.parametrize("leg", [0, 1])
def test_on_one_leg_at_rest_torques_are_the_slope_of_the_potential_energy(nao: Robot, leg: int) -> None:
    """Virtual work: turning a joint by δq with the foot fixed costs τ δq = m g δz."""
    tree = Tree(nao)
    joints, base = stance(nao, 0.0, 0.0, 0.24)

    def height(q: Array) -> Array:
        sole = tree.feet(q)[:, leg]
        return np.einsum("ni,ni->n", sole[:, :3, 2], tree.com(q) - sole[:, :3, 3])

    step = 1e-5 * np.eye(len(nao.joints))
    slope = nao.mass * 9.81 * (height(joints + step) - height(joints - step)) / 2e-5
    np.testing.assert_allclose(still(nao, joints, base, (leg == 0, leg == 1)).joint[0], slope, rtol=0, atol=1e-7)
    assert np.abs(slope).max() > 1.0


def test_on_two_legs_at_rest_every_motion_that_keeps_the_feet_costs_its_potential_energy(nao: Robot) -> None:
    """The ground does no work on feet that stay, however they share."""
    joints, base = stance(nao, 0.01, 0.0, 0.24)
    found = still(nao, joints, base, (True, True))
    for direction in np.eye(3):
        up, down = (stance(nao, *([0.01, 0.0, 0.24] + e * direction))[0] for e in (1e-4, -1e-4))
        work = found.joint[0] @ (up - down)
        assert work == pytest.approx(nao.mass * 9.81 * 2e-4 * direction[2], abs=2e-7)


def energy(robot: Robot, motion: JointTrajectory) -> Array:
    """Kinetic and potential energy by MuJoCo, speeds by differences [J]."""
    model = robot.spec().compile()
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data, dt = mujoco.MjData(model), motion.time[1] - motion.time[0]
    out = np.empty(len(motion.time))
    rate = [np.gradient(x, dt, axis=0) for x in (motion.base_position, motion.base_yaw, motion.position)]
    for i in range(len(out)):
        data.qpos[:3], yaw = motion.base_position[i], motion.base_yaw[i]
        data.qpos[3:7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
        data.qvel[:] = 0.0
        data.qvel[:3], data.qvel[5] = rate[0][i], rate[1][i]
        data.qpos[robot.qpos_index], data.qvel[robot.dof_index] = motion.position[i], rate[2][i]
        mujoco.mj_forward(model, data)
        out[i] = data.energy.sum()
    return out


@pytest.mark.parametrize("command", [Command(0.2), Command(0.08, 0.02, 0.3)])
def test_the_joints_work_is_the_change_of_energy(nao: Robot, command: Command) -> None:
    """Over a double step, at every instant within 1 % of how far the energy swings."""
    robot, motion, contacts = walk(nao, command, 0.001, zmp="stationary")
    speed = np.gradient(motion.position, robot.tick, axis=0)
    power = (joint_torques(robot, motion, contacts).joint * speed).sum(axis=1)
    rows = (motion.time >= 1.8) & (motion.time <= 2.6)
    work = np.concatenate([[0.0], np.cumsum((power[rows][1:] + power[rows][:-1]) / 2.0 * robot.tick)])
    change = energy(robot, motion)[rows]
    assert np.abs(work - (change - change[0])).max() < 0.01 * np.ptp(change)
    assert np.ptp(change) > 0.1


def mirrored(robot: Robot) -> tuple[Array, Array]:
    """Which joint is whose mirror image, and the sign of its angle."""
    other = {"L": "R", "R": "L"}
    axis = robot.model.jnt_axis[robot.joint_ids]
    swap = np.array([robot.joint_index.get(other.get(n[0], n[0]) + n[1:], i) for i, n in enumerate(robot.joints)])
    sign = (axis * np.array([-1.0, 1.0, -1.0]) * axis[swap]).sum(axis=1)  # a rotation is mirrored as an axial vector
    return swap, np.sign(sign)


@pytest.fixture
def symmetric(nao: Robot, tmp_path) -> Robot:
    """The Nao with every mass the mean of itself and of its mirror image."""
    from gangart import robots

    spec = nao.spec()
    values = {body.name: (np.array(body.ipos), np.array(body.fullinertia)) for body in spec.bodies}
    flip, flips = np.array([1.0, -1.0, 1.0]), np.array([1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
    for body in spec.bodies:
        if body.name != "world":
            twin = {"L": "R", "R": "L"}.get(body.name[0], body.name[0]) + body.name[1:]
            twin = twin if twin in values else body.name
            body.ipos = (values[body.name][0] + flip * values[twin][0]) / 2.0
            body.fullinertia = (values[body.name][1] + flips * values[twin][1]) / 2.0
    spec.compile()
    (tmp_path / "nao.xml").write_text(spec.to_xml())
    (tmp_path / "robot.toml").write_bytes((nao.folder / "robot.toml").read_bytes())
    return robots.load(tmp_path)


def test_a_mirrored_walk_takes_mirrored_torques(symmetric: Robot) -> None:
    robot, motion, contacts = walk(symmetric, Command(0.1, 0.02, 0.3), 0.01)
    swap, sign = mirrored(robot)
    flip = np.array([1.0, -1.0, 1.0])
    image = JointTrajectory(motion.time, sign * motion.position[:, swap], flip * motion.base_position, -motion.base_yaw)
    here, there = joint_torques(robot, motion, contacts), joint_torques(robot, image, contacts[:, ::-1].copy())
    np.testing.assert_allclose(there.joint, sign * here.joint[:, swap], rtol=0, atol=1e-4)
    np.testing.assert_allclose(there.zmp, here.zmp * [1.0, -1.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(there.wrench[:, ::-1], here.wrench * np.concatenate([flip, -flip]), rtol=0, atol=1e-3)


# ---------------------------------------------------------------------------- two legs


def residual(robot: Robot, motion: JointTrajectory, contacts: Bools, found: Torques) -> Array:
    """M q̈ + h - τ - Σ Jᵀ w by MuJoCo, (n, nv)."""
    model = robot.spec().compile()
    _, rates = planted_legs(robot, motion, shares(contacts))
    data, out = mujoco.MjData(model), np.empty((len(contacts), model.nv))
    bias, inertia = np.empty(model.nv), np.empty(model.nv)
    for i in range(len(out)):
        turn = turns(motion.base_yaw[i : i + 1])[0].T
        data.qpos[:3], data.qpos[3:7] = motion.base_position[i], [np.cos(motion.base_yaw[i] / 2), 0, 0, 0]
        data.qpos[6] = np.sin(motion.base_yaw[i] / 2)
        data.qpos[robot.qpos_index] = motion.position[i]
        acceleration = np.zeros(model.nv)
        for target, base, joint in (
            (data.qvel, rates.speed[i], rates.joint_speed[i]),
            (acceleration, rates.acceleration[i], rates.joint_acceleration[i]),
        ):
            target[:3], target[3:6], target[robot.dof_index] = base[:3], turn @ base[3:], joint
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_mulM(model, data, inertia, acceleration)
        bias[:] = data.qfrc_bias
        out[i] = inertia + bias
        out[i, robot.dof_index] -= found.joint[i]
        for k, leg in enumerate(robot.legs.values()):
            body = model.body(leg.foot).id
            jacp, jacr = np.empty((3, model.nv)), np.empty((3, model.nv))
            mujoco.mj_jac(model, data, jacp, jacr, data.xpos[body] + data.xmat[body].reshape(3, 3) @ leg.sole, body)
            out[i] -= jacp.T @ found.wrench[i, k, :3] + jacr.T @ found.wrench[i, k, 3:]
    return out


@pytest.mark.parametrize("command", [Command(0.2), Command(0.08, 0.02, -0.4)])
def test_the_equations_of_motion_hold_in_every_phase(nao: Robot, command: Command) -> None:
    robot, motion, contacts = walk(nao, command, 0.01)
    found = joint_torques(robot, motion, contacts)
    assert np.abs(residual(robot, motion, contacts, found)).max() < 1e-9


def turns(yaw: Array) -> Array:
    c, s, o = np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)
    return np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, o + 1.0]]), -1, 0)


def in_sole(motion: JointTrajectory, tree: Tree, i: int, leg: int, wrench: Array) -> Array:
    R = turns(motion.base_yaw[i : i + 1])[0] @ tree.feet(motion.position[i])[leg, :3, :3]
    return np.concatenate([wrench[:3] @ R, wrench[3:] @ R])


def test_no_other_split_within_the_limits_takes_less_effort(nao: Robot, rng: np.random.Generator) -> None:
    robot, motion, contacts = walk(nao, Command(0.15, 0.01, 0.2), 0.01)
    found, share = joint_torques(robot, motion, contacts), shares(contacts)
    limits = [sole_limits(leg, FRICTION) for leg in robot.legs.values()]
    both = np.flatnonzero((share > 0.0).all(axis=1))
    at_limit, better, tried, tree = 0, 0, 0, Tree(robot)
    legs, _ = planted_legs(robot, motion, share)
    for i in rng.choice(both, 25, replace=False):
        load = found.wrench[i, :, 2].sum()

        def slack(wrench: Array, i: int = int(i), load: float = load) -> float:
            kept = [max(limits[k] @ in_sole(motion, tree, i, k, wrench[k])) for k in range(2)]
            return float(max(*kept, *(wrench[:, 2] - share[i] * load)))

        assert slack(found.wrench[i]) < 1e-4
        at_limit += slack(found.wrench[i]) > -1e-4
        own = float(found.joint[i] @ found.joint[i])
        arm = legs.sole[i, 1] - legs.sole[i, 0]
        for size in (1e-3, 1e-2, 0.1, 1.0):
            for _ in range(40):
                change = size * rng.normal(size=6) * [10.0, 10.0, 10.0, 1.0, 1.0, 1.0]
                moved = np.concatenate([change[:3], change[3:] + np.cross(arm, change[:3])])
                other = found.wrench[i] + [-moved, change]
                if slack(other) < 1e-7:
                    tau = found.joint[i].copy()
                    np.subtract.at(tau, legs.joints, np.einsum(
                        "kc,kcj,kj->c", legs.on_path, np.broadcast_to(legs.screw[i], (2, *legs.screw[i].shape)),
                        [np.concatenate([w[:3], w[3:] + np.cross(legs.sole[i, k] - motion.base_position[i], w[:3])])
                         for k, w in enumerate([-moved, change])],
                    ))  # fmt: skip
                    tried += 1
                    better += float(tau @ tau) < own - 1e-5
    assert tried > 300
    assert better == 0
    assert 0 < at_limit < 25  # the closed form and the quadratic program were both at work


def test_a_foot_carries_nothing_when_it_lands_and_nothing_when_it_lifts(nao: Robot) -> None:
    robot, motion, contacts = walk(nao, Command(0.2), 0.002)
    wrench = joint_torques(robot, motion, contacts).wrench
    for leg in range(2):
        change = np.diff(contacts[:, leg].astype(int))
        landed, lifted = np.flatnonzero(change == 1) + 1, np.flatnonzero(change == -1)
        assert len(landed) >= 2
        assert not wrench[landed, leg].any()
        assert (wrench[landed + 1, leg, 2] < 0.05 * 46).all()
        assert (wrench[lifted, leg, 2] < 0.05 * 46).all()
        assert (wrench[contacts[:, leg], leg, 2] >= -1e-6).all()


def test_torques_do_not_jump_when_the_support_changes(nao: Robot) -> None:
    """The step from sample to sample at a change of support shrinks with the tick; a jump would stay."""
    step = []
    for tick in (0.004, 0.001):
        robot, motion, contacts = walk(nao, Command(0.2), tick, zmp="stationary")
        change = np.abs(np.diff(joint_torques(robot, motion, contacts).joint, axis=0)).max(axis=1)
        at = np.flatnonzero((contacts[1:] != contacts[:-1]).any(axis=1))
        step.append(max(change[at].max(), change[at + 1].max(), change[at - 1].max()))
    assert step[1] < 0.4 * step[0]


def test_standing_in_the_middle_both_legs_do_the_same(symmetric: Robot) -> None:
    engine = BipedEngine(symmetric)
    joints, base, _ = engine.stance()
    found = still(symmetric, joints, base, (True, True))
    swap, sign = mirrored(symmetric)
    np.testing.assert_allclose(found.joint, sign * found.joint[:, swap], rtol=0, atol=1e-6)
    assert found.wrench[0, :, 2] == pytest.approx(symmetric.mass * 9.81 / 2, abs=1e-3)


def test_slippery_ground_bounds_the_feet_and_costs_effort(nao: Robot) -> None:
    robot, motion, contacts = walk(nao, Command(0.2), 0.01)
    both = (shares(contacts) > 0.0).all(axis=1)
    rough, slick = (joint_torques(robot, motion, contacts, friction=mu) for mu in (1.0, 0.1))
    push = np.hypot(*np.moveaxis(slick.wrench[both, :, :2], -1, 0)) - 0.1 * slick.wrench[both, :, 2]
    total = slick.wrench[both, :, :3].sum(axis=1)
    possible = np.hypot(total[:, 0], total[:, 1]) < 0.09 * total[:, 2]
    assert possible.sum() > 20
    assert push[possible].max() < 1e-3
    effort = [(t.joint[both][possible] ** 2).sum(axis=1) for t in (rough, slick)]
    assert (effort[1] > effort[0] - 1e-6).all()
    assert effort[1].sum() > effort[0].sum()


def test_where_the_zmp_leaves_the_soles_the_feet_still_give_what_the_motion_takes(nao: Robot) -> None:
    """Soles of a tenth of the size cannot hold the walk: the limits give way, the equations of motion do not."""
    small = {name: dataclasses.replace(leg, outline=leg.outline / 10.0) for name, leg in nao.legs.items()}
    robot, motion, contacts = walk(dataclasses.replace(nao, legs=small), Command(0.2), 0.004)
    found = joint_torques(robot, motion, contacts)
    assert np.abs(residual(robot, motion, contacts, found)).max() < 1e-9
    landed = np.flatnonzero(np.diff(contacts.sum(axis=1)) == 1) + 1
    assert np.abs(np.diff(found.joint, axis=0)[landed]).max() < 0.5


def test_falling_faster_than_free_the_legs_would_have_to_pull(nao: Robot) -> None:
    joints = BipedEngine(nao).stance()[0]
    time, both = 0.01 * np.arange(20), np.ones((20, 2), dtype=bool)
    knees = np.tile(joints, (20, 1))
    for name, part in (("HipPitch", -1.0), ("KneePitch", 2.0), ("AnklePitch", -1.0)):
        for side in "LR":
            knees[:, nao.joint_index[side + name]] += part * 30.0 * time**2
    motion = world_motion(nao, time, knees, both)
    found = joint_torques(nao, motion, both)
    assert 3 <= np.isnan(found.zmp).any(axis=1).sum() < 20
    assert np.abs(residual(nao, motion, both, found)).max() < 1e-9


def test_one_motor_for_both_hips_delivers_the_sum(nao: Robot) -> None:
    robot, motion, contacts = walk(nao, Command(0.1, 0.0, 0.4), 0.01)
    found = joint_torques(robot, motion, contacts)
    assert len(found.motors) == len(nao.joints) - 1
    assert "RHipYawPitch" not in found.motors
    for k, name in enumerate(found.motors):
        wanted = found.joint[:, nao.joint_index[name]].copy()
        if name == "LHipYawPitch":
            wanted += found.joint[:, nao.joint_index["RHipYawPitch"]]
        assert np.array_equal(found.motor[:, k], wanted)


def test_what_cannot_be_answered_is_refused(nao: Robot) -> None:
    robot, motion, contacts = walk(nao, Command(0.1), 0.01)
    flight = contacts.copy()
    flight[150] = False
    with pytest.raises(BadValue, match=r"no leg stands at 1\.5 s"):
        joint_torques(robot, motion, flight)
    with pytest.raises(BadValue, match="friction is 0"):
        joint_torques(robot, motion, contacts, friction=0)
    with pytest.raises(BadValue, match="booleans"):
        joint_torques(robot, motion, contacts[:, :1])
    balls = {name: dataclasses.replace(leg, outline=leg.outline[:1]) for name, leg in nao.legs.items()}
    with pytest.raises(BadRobot, match="leg 'left' stands on a ball"):
        joint_torques(dataclasses.replace(robot, legs=balls), motion, contacts)


def test_shares_rise_after_landing_and_fall_before_lifting() -> None:
    both, left, right = [True, True], [True, False], [False, True]
    contacts = np.array([both] * 5 + [right] * 3 + [both] * 8 + [left] * 3 + [both] * 5)
    share = shares(contacts)
    assert (share[:2] == 1.0).all()
    assert share[8, 0] == 0.0  # it lands here
    assert (np.diff(share[8:12, 0]) > 0.0).all()
    assert (share[12:, 0] == 1.0).all()
    assert (np.diff(share[12:17, 1]) < 0.0).all()
    assert share[5:8].tolist() == [[0.0, 1.0]] * 3
    assert (share.sum(axis=1) >= 1.0).all()
    assert np.array_equal(shares(contacts[::-1])[::-1][8:16].sum(axis=1) >= 1.0, np.ones(8, dtype=bool))
