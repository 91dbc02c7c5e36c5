"""Joint torques and ZMP against two other implementations: Urbann's algorithm 3.1 in NumPy, and Pinocchio's rnea.

Algorithm 3.1 is written from the thesis, from the standing foot outwards, in the frame of its sole. What its listing
gets wrong is put right here:
- lines 2 and 3 take the predecessor's rotation from body i - 1; at a branch it is ρ(i);
- line 7 multiplies the angular acceleration with the lever; it has to be a cross product;
- lines 9 to 14 give a body its own force only when its successor in number hangs on it, so that the last bodies of
  all branches but the leg's (whose last one is virtual) weigh nothing; here every body gets its own, outermost first;
- lines 15 to 20 do the same with the torque;
- line 21 counts downwards, and line 22 is a scalar product;
- algorithm 3.3, line 11, negates the angles for the right foot as the root: what has to be negated is the joints'
  rotation where the recursion goes through them backwards, which for the left foot as the root happens as well.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gangart.control import BipedEngine, WalkPlan
from gangart.dynamics import Torques, joint_torques
from gangart.footsteps import limit_command
from gangart.pattern import ZmpName
from gangart.robots import Robot
from gangart.signals import Array, Bools, Command

pin = pytest.importorskip("pinocchio")

G = np.array([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class Walk:
    robot: Robot
    plan: WalkPlan
    contacts: Bools
    torques: Torques

    def alone(self, leg: int) -> Array:
        """Samples inside the motion at which this leg stands alone."""
        rows = np.flatnonzero(self.contacts[:, leg] & ~self.contacts[:, 1 - leg])
        return rows[(rows > 0) & (rows < len(self.contacts) - 1)]


def walk_of(robot: Robot, command: Command, tick: float, zmp: ZmpName = "bezier") -> Walk:
    robot = dataclasses.replace(robot, tick=tick)
    plan = BipedEngine(robot, zmp=zmp).plan(command, 3.0)
    contacts = plan.footsteps.contacts(plan.joints.time)
    return Walk(robot, plan, contacts, joint_torques(robot, plan.joints, contacts))


@pytest.fixture(scope="module", params=[0, 1, 2])
def walk(nao: Robot, request: pytest.FixtureRequest) -> Walk:
    rng = np.random.default_rng(request.param)
    assert nao.walk is not None
    command, _ = limit_command(Command(*rng.normal(size=3)), nao.walk.limits)
    return walk_of(nao, command, 0.01 if request.param else 0.004, ("bezier", "stationary")[request.param % 2])


@dataclass(frozen=True)
class Link:
    """Body i of the thesis: ρ(i), and the joint between them."""

    body: int  # MuJoCo's number
    before: int  # ρ(i), a place in the list; -1 for the foot
    joint: int  # MuJoCo's number of joint i; -1 for the foot
    backwards: bool  # whether body i is the one that carries the joint's child


def links_from(model: mujoco.MjModel, foot: int) -> list[Link]:
    """The tree with the foot as its root, predecessors first."""
    out, waiting = [], [Link(foot, -1, -1, backwards=False)]
    while waiting:
        link = waiting.pop()
        out.append(link)
        here, at = link.body, len(out) - 1
        came = out[link.before].body if link.before >= 0 else -1
        parent = int(model.body_parentid[here])
        if parent > 0 and parent != came:
            waiting.append(Link(parent, at, int(model.body_jntadr[here]), backwards=True))
        children = [int(child) for child in np.flatnonzero(model.body_parentid == here) if child not in (here, came)]
        waiting += [Link(child, at, int(model.body_jntadr[child]), backwards=False) for child in children]
    return out


def matrix(quaternion: Array) -> Array:
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def times(R: Array, v: Array) -> Array:
    return (R @ v[..., None])[..., 0]


def algorithm_3_1(
    robot: Robot, leg: str, q: Array, dq: Array, ddq: Array, push: dict[str, Array] | None = None
) -> tuple[Array, Array]:
    """Torques M (n, n_joints), and force and torque (n, 6) of the ground on the root's sole, in the sole's frame.

    push: for the virtual bodies (3.3), force and torque of the ground (n, 6) on other soles, in the same frame.
    """
    model, n = robot.model, len(q)
    foot = robot.legs[leg]
    links = links_from(model, model.body(foot.foot).id)
    column = {int(joint): c for c, joint in enumerate(robot.joint_ids)}
    zeros = np.zeros((n, 3))
    R, origin, P, omega, domega, a, force = [], [], [], [], [], [], []
    for link in links:
        i = link.before
        if i < 0:  # the sole's frame is frame 0
            R.append(np.broadcast_to(np.eye(3), (n, 3, 3)))
            origin.append(zeros - foot.sole)
            P.append(zeros)
            omega.append(zeros)
            domega.append(zeros)
            a.append(zeros)
            continue
        child = links[i].body if link.backwards else link.body
        axis, pivot = model.jnt_axis[link.joint], model.jnt_pos[link.joint]
        angle = q[:, column[link.joint]] - model.qpos0[model.jnt_qposadr[link.joint]]
        mount, place = matrix(model.body_quat[child]), model.body_pos[child]
        turn = mount @ Rotation.from_rotvec(angle[:, None] * axis).as_matrix()  # child in its MuJoCo parent
        shift = place + mount @ pivot - turn @ pivot
        if link.backwards:
            b = times(R[i], np.broadcast_to(axis, (n, 3)))
            P.append(origin[i] + times(R[i], np.broadcast_to(pivot, (n, 3))))
            R.append(R[i] @ turn.swapaxes(1, 2))
            origin.append(origin[i] - times(R[-1], shift))
            sign = -1.0
        else:
            b = times(R[i] @ mount, np.broadcast_to(axis, (n, 3)))
            R.append(R[i] @ turn)
            origin.append(origin[i] + times(R[i], shift))
            P.append(origin[-1] + times(R[-1], np.broadcast_to(pivot, (n, 3))))
            sign = 1.0
        v, w = sign * dq[:, column[link.joint], None] * b, sign * ddq[:, column[link.joint], None] * b
        omega.append(omega[i] + v)  # line 2
        domega.append(domega[i] + w + np.cross(omega[i], v))  # line 3
        r = P[-1] - P[i]
        a.append(a[i] + np.cross(domega[i], r) + np.cross(omega[i], np.cross(omega[i], r)))  # line 6
    f, N = [zeros.copy() for _ in links], [zeros.copy() for _ in links]
    M = np.zeros((n, len(robot.joints)))
    for k in range(len(links) - 1, -1, -1):
        link, body = links[k], links[k].body
        r_c = origin[k] + times(R[k], np.broadcast_to(model.body_ipos[body], (n, 3))) - P[k]
        a_c = a[k] + np.cross(domega[k], r_c) + np.cross(omega[k], np.cross(omega[k], r_c))  # line 7
        force = model.body_mass[body] * (a_c - G)
        S = R[k] @ matrix(model.body_iquat[body])
        I = S @ np.diag(model.body_inertia[body]) @ S.swapaxes(1, 2)  # (3.2)  # noqa: E741
        f[k] = f[k] + force  # line 12
        N[k] = N[k] + np.cross(r_c, force) + times(I, domega[k]) + np.cross(omega[k], times(I, omega[k]))  # line 18
        for other in robot.legs.values():
            if push and other.name in push and model.body(other.foot).id == body:
                at = origin[k] + times(R[k], np.broadcast_to(other.sole, (n, 3))) - P[k]
                f[k] = f[k] - push[other.name][:, :3]
                N[k] = N[k] - push[other.name][:, 3:] - np.cross(at, push[other.name][:, :3])
        if link.before < 0:
            return M, np.hstack([f[k], N[k]])
        i = link.before
        f[i] = f[i] + f[k]  # line 10
        N[i] = N[i] + N[k] + np.cross(P[k] - P[i], f[k])  # line 16
        child = links[i].body if link.backwards else body
        axis = times(R[i] if link.backwards else R[k], np.broadcast_to(model.jnt_axis[link.joint], (n, 3)))
        M[:, column[link.joint]] = (-1.0 if link.backwards else 1.0) * (axis * N[k]).sum(axis=1)  # line 22
    raise AssertionError("a tree has a root")


def derivatives(walk: Walk, rows: Array) -> tuple[Array, Array, Array]:
    q, dt = walk.plan.joints.position, walk.robot.tick
    before, now, after = q[rows - 1], q[rows], q[rows + 1]
    return now, (after - before) / (2 * dt), (after - 2 * now + before) / dt**2


def zmp_in_world(walk: Walk, rows: Array, leg: int, wrench: Array) -> Array:
    """Algorithm 3.3, lines 9 and 12, for any heading."""
    p = np.column_stack([-wrench[:, 4], wrench[:, 3]]) / wrench[:, 2:3]
    x, y, _, yaw = walk.plan.body.feet[rows, leg].T
    c, s = np.cos(yaw), np.sin(yaw)
    return np.column_stack([x + c * p[:, 0] - s * p[:, 1], y + s * p[:, 0] + c * p[:, 1]])


def agree(walk: Walk, rows: Array, leg: int, torques: Array, wrench: Array) -> None:
    np.testing.assert_allclose(walk.torques.joint[rows], torques, rtol=0, atol=1e-6)
    np.testing.assert_allclose(walk.torques.zmp[rows], zmp_in_world(walk, rows, leg, wrench), rtol=0, atol=1e-6)
    turned = Rotation.from_rotvec(walk.plan.body.feet[rows, leg, 3:] * np.array([0.0, 0.0, 1.0]))
    found = walk.torques.wrench[rows, leg]
    np.testing.assert_allclose(found[:, :3], turned.apply(wrench[:, :3]), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[:, 3:], turned.apply(wrench[:, 3:]), rtol=0, atol=1e-6)
    assert not walk.torques.wrench[rows, 1 - leg].any()


@pytest.mark.parametrize("leg", [0, 1])
def test_algorithm_3_1_finds_the_same_on_one_leg(walk: Walk, leg: int) -> None:
    rows = walk.alone(leg)
    assert len(rows) > 50
    name = list(walk.robot.legs)[leg]
    agree(walk, rows, leg, *algorithm_3_1(walk.robot, name, *derivatives(walk, rows)))


class Pinocchio:
    """The robot with a standing foot as its root, built from MuJoCo's reference pose."""

    def __init__(self, robot: Robot, leg: str) -> None:
        model, foot = robot.model, robot.legs[leg]
        at_zero = mujoco.MjData(model)
        at_zero.qpos[:] = model.qpos0
        mujoco.mj_kinematics(model, at_zero)
        links = links_from(model, model.body(foot.foot).id)
        body = links[0].body
        sole = at_zero.xpos[body] + at_zero.xmat[body].reshape(3, 3) @ foot.sole
        self.model, self.robot, self.number = pin.Model(), robot, []
        self.model.gravity.linear = G
        at, place = [0], [sole]
        for link in links:
            tensor = at_zero.ximat[link.body].reshape(3, 3)
            tensor = tensor @ np.diag(model.body_inertia[link.body]) @ tensor.T
            if link.before >= 0:
                sign = -1.0 if link.backwards else 1.0
                pivot = at_zero.xanchor[link.joint]
                kind = pin.JointModelRevoluteUnaligned(sign * at_zero.xaxis[link.joint])
                shift = pin.SE3(np.eye(3), pivot - place[link.before])
                at.append(self.model.addJoint(at[link.before], kind, shift, model.joint(link.joint).name))
                place.append(pivot)
            centre = at_zero.xipos[link.body] - place[-1]
            inertia = pin.Inertia(float(model.body_mass[link.body]), centre, tensor)
            if link.before < 0:
                self.foot = inertia
            else:
                self.model.appendBodyToJoint(at[-1], inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.columns = [robot.joint_index[name] for name in list(self.model.names)[1:]]
        self.roots = [k for k in range(1, self.model.njoints) if self.model.parents[k] == 0]

    def __call__(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
        """Torques (n, n_joints), and force and torque of the ground (n, 6) in the sole's frame."""
        torques, wrench = np.zeros_like(q), np.empty((len(q), 6))
        c = self.columns
        for i in range(len(q)):
            torques[i, c] = pin.rnea(self.model, self.data, q[i, c], dq[i, c], ddq[i, c])
            total = self.foot * pin.Motion(-G, np.zeros(3))  # the foot rests, so it only weighs
            for k in self.roots:
                total = total + self.data.liMi[k].act(self.data.f[k])
            wrench[i] = np.concatenate([total.linear, total.angular])
        return torques, wrench


@pytest.mark.parametrize("leg", [0, 1])
def test_pinocchio_finds_the_same_on_one_leg(walk: Walk, leg: int) -> None:
    rows = walk.alone(leg)
    peer = Pinocchio(walk.robot, list(walk.robot.legs)[leg])
    agree(walk, rows, leg, *peer(*derivatives(walk, rows)))


def test_on_two_legs_the_recursion_from_one_sole_with_the_push_at_the_other_closes(nao: Robot) -> None:
    """The virtual body of 3.1 at work: all torques, and what is left for the root, follow from the other's wrench."""
    walk = walk_of(nao, Command(0.15), 0.001)
    both = walk.contacts.all(axis=1)
    rows = np.flatnonzero(both[2:] & both[1:-1] & both[:-2]) + 1  # differences see neither foot swing
    push = {"right": walk.torques.wrench[rows, 1]}
    M, root = algorithm_3_1(walk.robot, "left", *derivatives(walk, rows), push)
    # the rates are those of both feet, each fixed up to the error of a difference
    np.testing.assert_allclose(walk.torques.joint[rows], M, rtol=0, atol=2e-4)
    np.testing.assert_allclose(walk.torques.wrench[rows, 0], root, rtol=0, atol=1e-3)
