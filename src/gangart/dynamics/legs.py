"""The standing legs of a motion: where soles and joint axes are, and how the base moves over feet that do not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gangart.compiled import kernel
from gangart.dynamics.inverse import Rates, differences, tick_of
from gangart.kinematics import Tree
from gangart.kinematics.tree import COLUMN, place_base, sweep
from gangart.robots import Robot
from gangart.signals import Array, Bools, Ints, JointTrajectory


@dataclass(frozen=True, eq=False)
class Legs:
    """Soles, and the joints between them and the base, over a motion: of legs that stand. World axes."""

    joints: Ints  # (n_columns,) columns of these joints in an array over all joints
    on_path: Bools  # (n_legs, n_columns) which of them lie between the base and each sole
    screw: Array  # (n, n_columns, 6) what a turn moves: the base's origin, if it went along [m/rad], and the axis
    sole: Array  # (n, n_legs, 3) [m] the soles' origins in the world
    turn: Array  # (n, n_legs, 3, 3) from the soles' axes to the world's


@dataclass(frozen=True, eq=False)
class _Chains:
    """From the base to each sole, in the rows of a Tree."""

    tree: Tree
    rows: Ints  # (n_columns,) of all legs
    columns: Ints  # (n_legs, n_longest) which of `rows` a leg uses, from the base outwards, then -1
    end: Ints  # (n_legs,) row of the link that carries the sole
    sole: Array  # (n_legs, 4, 4) the sole's pose in that link


@lru_cache(maxsize=8)
def _chains(robot: Robot) -> _Chains:
    tree = Tree(robot)
    paths = [tree.path(leg.foot) for leg in robot.legs.values()]
    rows = np.array(sorted(set().union(*paths)), dtype=np.int64)
    columns = np.full((len(paths), max(map(len, paths))), -1, dtype=np.int64)
    for column, path in zip(columns, paths, strict=True):
        column[: len(path)] = np.searchsorted(rows, path)
    end = np.array([path[-1] for path in paths], dtype=np.int64)
    sole = np.array([tree.body_in_reference(leg.foot) for leg in robot.legs.values()])
    for pose, leg, row in zip(sole, robot.legs.values(), end, strict=True):
        pose[:3, 3] += pose[:3, :3] @ leg.sole - tree.anchors[row]
    return _Chains(tree, rows, columns, end, sole)


def planted_legs(robot: Robot, motion: JointTrajectory, weight: Array) -> tuple[Legs, Rates]:
    """The legs, and the rates at which the base moves if standing feet do not.

    Differences of the base's own coordinates would let the feet drift by the error of a difference. Here the joints'
    rates are differences, and the base's follow from them and from the feet, as in the recursion of algorithm 3.1.

    Args:
        robot: whose joints the motion moves.
        motion: with an upright base.
        weight: (n, n_legs) how much each foot counts, where several stand; the sum is above 0.
    """
    chains = _chains(robot)
    n, columns, feet = len(motion.time), len(chains.rows), len(chains.end)
    screw, sole, turn = np.zeros((n, columns, 6)), np.zeros((n, feet, 3)), np.zeros((n, feet, 3, 3))
    base_speed, base_acceleration = np.zeros((n, 6)), np.zeros((n, 6))
    speed, acceleration = differences(motion.position, tick_of(motion.time))
    place = np.column_stack([motion.base_position, motion.base_yaw])
    kept = weight / weight.sum(axis=1, keepdims=True)
    _follow(
        chains.tree.index, chains.tree.links, chains.rows, chains.columns, chains.end, chains.sole,
        place, motion.position, speed, acceleration, kept, screw, sole, turn, base_speed, base_acceleration,
    )  # fmt: skip
    on_path = (chains.columns[:, :, None] == np.arange(columns)).any(axis=1)
    joints = chains.tree.index[chains.rows, COLUMN]
    return Legs(joints, on_path, screw, sole, turn), Rates(base_speed, base_acceleration, speed, acceleration)


@kernel
def _follow(
    index: Ints,
    links: Array,
    rows: Ints,
    columns: Ints,
    ends: Ints,
    soles: Array,
    place: Array,
    q: Array,
    dq: Array,
    ddq: Array,
    weight: Array,
    screw: Array,
    sole: Array,
    turn: Array,
    speed: Array,
    acceleration: Array,
) -> None:
    frames, moment, anchor = np.empty((len(links), 12)), np.empty(3), np.empty((len(rows), 3))
    place_base(links, frames, moment)
    for leg in range(len(ends)):
        length = 0
        while length < columns.shape[1] and columns[leg, length] >= 0:
            length += 1
        used = columns[leg, :length]
        chain = rows[used]
        for i in range(len(q)):
            if weight[i, leg] > 0.0:
                c, s = np.cos(place[i, 3]), np.sin(place[i, 3])
                sweep(index, links, chain, q[i], frames, moment)
                _place_axes(frames, links, rows, used, c, s, anchor, screw[i])
                _place_sole(frames[ends[leg]], soles[leg], c, s, sole[i, leg], turn[i, leg])
                _planted(
                    screw[i], anchor, used, rows, index, sole[i, leg], dq[i], ddq[i], weight[i, leg],
                    speed[i], acceleration[i],
                )  # fmt: skip
                for k in range(3):
                    sole[i, leg, k] += place[i, k]


@kernel
def _place_axes(
    frames: Array, links: Array, rows: Ints, used: Ints, c: float, s: float, anchor: Array, screw: Array
) -> None:
    """Joint axes, and points on them as seen from the base's origin, in world axes."""
    for k in used:
        f = rows[k]  # indexed one by one: views cost more than what is computed here
        ux, uy, uz = links[f, 3], links[f, 4], links[f, 5]
        x = frames[f, 0] * ux + frames[f, 1] * uy + frames[f, 2] * uz
        y = frames[f, 3] * ux + frames[f, 4] * uy + frames[f, 5] * uz
        wx, wy, wz = c * x - s * y, s * x + c * y, frames[f, 6] * ux + frames[f, 7] * uy + frames[f, 8] * uz
        px, py, pz = c * frames[f, 9] - s * frames[f, 10], s * frames[f, 9] + c * frames[f, 10], frames[f, 11]
        anchor[k, 0], anchor[k, 1], anchor[k, 2] = px, py, pz
        screw[k, 0], screw[k, 1], screw[k, 2] = py * wz - pz * wy, pz * wx - px * wz, px * wy - py * wx
        screw[k, 3], screw[k, 4], screw[k, 5] = wx, wy, wz


@kernel
def _place_sole(frame: Array, placed: Array, c: float, s: float, sole: Array, turn: Array) -> None:
    """A sole as seen from the base's origin, in world axes: frame is that of its link, placed its pose there."""
    for j in range(4):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(3):
            x += frame[k] * placed[k, j]
            y += frame[3 + k] * placed[k, j]
            z += frame[6 + k] * placed[k, j]
        if j == 3:
            x, y, z = x + frame[9], y + frame[10], z + frame[11]
            sole[0], sole[1], sole[2] = c * x - s * y, s * x + c * y, z
        else:
            turn[0, j], turn[1, j], turn[2, j] = c * x - s * y, s * x + c * y, z


@kernel
def _planted(
    screw: Array,
    anchor: Array,
    used: Ints,
    rows: Ints,
    index: Ints,
    sole: Array,
    dq: Array,
    ddq: Array,
    weight: float,
    speed: Array,
    acceleration: Array,
) -> None:
    """From the resting sole up to the base, joint by joint (algorithm 3.1, lines 1-8); adds the base's share."""
    ox, oy, oz, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # of the link: turning ω, and its change β
    vx, vy, vz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # of the point (x, y, z)
    x, y, z = sole[0], sole[1], sole[2]
    for step in range(len(used) - 1, -2, -1):
        rx, ry, rz = -x, -y, -z  # to the next joint, at last to the base's origin
        if step >= 0:
            k = used[step]
            rx, ry, rz = anchor[k, 0] - x, anchor[k, 1] - y, anchor[k, 2] - z
        x, y, z = x + rx, y + ry, z + rz
        ux, uy, uz = oy * rz - oz * ry, oz * rx - ox * rz, ox * ry - oy * rx
        vx, vy, vz = vx + ux, vy + uy, vz + uz
        ax += by * rz - bz * ry + oy * uz - oz * uy
        ay += bz * rx - bx * rz + oz * ux - ox * uz
        az += bx * ry - by * rx + ox * uy - oy * ux
        if step >= 0:  # beyond the joint all turns as before it, less the joint's own turning
            wx, wy, wz = screw[k, 3], screw[k, 4], screw[k, 5]
            rate, change = dq[index[rows[k], 1]], ddq[index[rows[k], 1]]
            bx -= change * wx + rate * (oy * wz - oz * wy)
            by -= change * wy + rate * (oz * wx - ox * wz)
            bz -= change * wz + rate * (ox * wy - oy * wx)
            ox, oy, oz = ox - rate * wx, oy - rate * wy, oz - rate * wz
    for k, value in enumerate((vx, vy, vz, ox, oy, oz)):
        speed[k] += weight * value
    for k, value in enumerate((ax, ay, az, bx, by, bz)):
        acceleration[k] += weight * value
