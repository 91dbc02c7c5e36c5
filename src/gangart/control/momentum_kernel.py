"""What a motion of trunk and legs asks of ground and joints, compiled.

Every point of mass m at p that is to be accelerated by a asks for the force m (a + g), and about the base for
p x m (a + g). Of both, the part that presses is shared among the feet as `share_weight` does, about the point where
nothing tips; the part that pushes along the ground is shared as the feet press, and so is the twist about the upright
axis.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.control.load_kernel import share_weight
from gangart.kinematics.abduction_kernels import slope
from gangart.signals import Array, Ints

G = 9.81  # [m/s²]


@kernel
def link_points(q: Array, leg: Array, points: Array, out: Array) -> None:
    """The points of a leg's links (3, n, 3) [m] in the base.

    Args:
        q: abduction, pitch and knee (3,) [rad].
        leg: its numbers, as `kinematics.AbductionLegs` has them (13,).
        points: of each link their mass [kg] and place in its axes, from its joint (3, n, 4) [m].
        out: the points.
    """
    ca, sa = math.cos(q[0]), math.sin(q[0])
    x, y, z, turn = 0.0, 0.0, 0.0, 0.0  # of the link's joint in the plane of the leg; how far it is turned in that
    for k in range(3):
        if k == 1:
            y, turn = leg[3], q[1]
        elif k == 2:
            x, z = -leg[4] * math.sin(turn), -leg[4] * math.cos(turn)
            turn += q[2]
        c, s = math.cos(turn), math.sin(turn)
        for i in range(points.shape[1]):
            u, v, w = points[k, i, 1], points[k, i, 2], points[k, i, 3]
            up, aside = z + c * w - s * u, y + v
            out[k, i, 0] = leg[0] + x + c * u + s * w
            out[k, i, 1] = leg[1] + ca * aside - sa * up
            out[k, i, 2] = leg[2] + sa * aside + ca * up


@kernel
def add_mass(mass: float, p: Array, a: Array, out: Array) -> None:
    """Add to force and moment (6,) what a mass [kg] at p (3,) [m] asks for that accelerates by a (3,) [m/s²]."""
    fx, fy, fz = mass * a[0], mass * a[1], mass * (a[2] + G)
    out[0] += fx
    out[1] += fy
    out[2] += fz
    out[3] += p[1] * fz - p[2] * fy
    out[4] += p[2] * fx - p[0] * fz
    out[5] += p[0] * fy - p[1] * fx


@kernel
def asked_for(
    q: Array,
    d: float,
    base: Array,
    legs: Array,
    columns: Ints,
    points: Array,
    rest: Array,
    wrench: Array,
    torques: Array,
) -> None:
    """Force and moment that the ground has to give, and the torques of legs that do not touch it; the base is level.

    Args:
        q: joint angles a time d before, now, and as long after (3, n_joints) [rad].
        d: [s].
        base: its acceleration (3,) [m/s²].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        points: of the links, as in `link_points` (n_legs, 3, n, 4).
        rest: mass [kg] of what is no leg, and its centre in the base [m] (4,).
        wrench: force [N] and moment about the base [N m] (6,).
        torques: of the joints, without rotors (n_legs, 3) [N m].
    """
    wrench[:] = 0.0
    add_mass(rest[0], rest[1:], base, wrench)
    n = points.shape[2]
    p, angles, a, own = np.empty((3, 3, n, 3)), np.empty(3), np.empty(3), np.empty(6)
    for i in range(len(columns)):
        for t in range(3):
            for k in range(3):
                angles[k] = q[t, columns[i, k]]
            link_points(angles, legs[i], points[i], p[t])
        alpha, beta = q[1, columns[i, 0]], q[1, columns[i, 1]]
        ca, sa = math.cos(alpha), math.sin(alpha)
        knee_x, knee_z = -legs[i, 4] * math.sin(beta), -legs[i, 4] * math.cos(beta)
        torques[i] = 0.0
        for k in range(2, -1, -1):
            own[:] = 0.0
            for j in range(n):
                for m in range(3):
                    a[m] = base[m] + (p[0, k, j, m] - 2.0 * p[1, k, j, m] + p[2, k, j, m]) / (d * d)
                    p[2, k, j, m] = p[1, k, j, m] - legs[i, m]  # from the hip
                add_mass(points[i, k, j, 0], p[2, k, j], a, own)
            # about the hip; the axes of pitch and knee are (0, ca, sa)
            torques[i, 0] += own[3]
            if k > 0:
                torques[i, 1] += ca * own[4] + sa * own[5]
            if k == 2:
                up = ca * own[2] - sa * own[1]  # force up in the leg's plane
                torques[i, 2] += ca * own[4] + sa * own[5] - (knee_z * own[0] - knee_x * up)
            for m in range(3):
                wrench[m] += own[m]
            wrench[3] += own[3] + legs[i, 1] * own[2] - legs[i, 2] * own[1]
            wrench[4] += own[4] + legs[i, 2] * own[0] - legs[i, 0] * own[2]
            wrench[5] += own[5] + legs[i, 0] * own[1] - legs[i, 1] * own[0]


@kernel
def shared(feet: Array, shares: Array, wrench: Array, out: Array) -> None:
    """Forces of the ground on the feet (n, 3) [N] that together are a force and a moment (6,) about the base.

    Args:
        feet: where they touch, in the base (n, 3) [m].
        shares: how much each may bear (n,), 0…1.
        wrench: force and moment, as in `asked_for`.
        out: the forces; nobody can pull at the ground.
    """
    n, below, load = len(feet), np.zeros(2), np.zeros(len(feet))
    out[:] = 0.0
    total, low = 0.0, 0.0
    for i in range(n):
        total += shares[i]
        low += shares[i] * feet[i, 2]
    if total <= 0.0 or wrench[2] <= 0.0:
        return
    low /= total
    below[0] = (low * wrench[0] - wrench[4]) / wrench[2]
    below[1] = (low * wrench[1] + wrench[3]) / wrench[2]
    share_weight(feet, shares, wrench[2], below, load)
    weight, x, y = 0.0, 0.0, 0.0
    for i in range(n):
        weight += load[i]
        x += load[i] * feet[i, 0]
        y += load[i] * feet[i, 1]
    if weight <= 0.0:
        return
    x, y = x / weight, y / weight
    about = 0.0
    for i in range(n):
        about += load[i] * ((feet[i, 0] - x) ** 2 + (feet[i, 1] - y) ** 2)
    twist = (wrench[5] - x * wrench[1] + y * wrench[0]) / about if about > 0.0 else 0.0
    for i in range(n):
        out[i, 0] = load[i] * (wrench[0] / weight - twist * (feet[i, 1] - y))
        out[i, 1] = load[i] * (wrench[1] / weight + twist * (feet[i, 0] - x))
        out[i, 2] = load[i]


@kernel
def give_way_to(
    q: Array,
    torques: Array,
    forces: Array,
    legs: Array,
    columns: Ints,
    radius: Array,
    give: Array,
    out: Array,
) -> None:
    """By what joints (n_joints,) [rad] give way to torques and to forces on the feet.

    Args:
        q: joint angles (n_joints,) [rad].
        torques: that the legs ask for by themselves (n_legs, 3) [N m].
        forces: of the ground on the feet, where they touch it (n_legs, 3) [N].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        radius: of the feet (n_legs,) [m].
        give: of each leg's joints under torques (n_legs, 3, 3) [rad/(N m)].
        out: the angles; those of other joints stay.
    """
    torque, J = np.empty(3), np.empty((3, 3))
    for i in range(len(columns)):
        a, b, c = columns[i]
        slope(q[a], q[b], q[c], legs[i], J)
        J[1, 0] += radius[i]  # the ball touches the ground below its centre
        J[0, 1] -= radius[i]
        J[0, 2] -= radius[i]
        for k in range(3):
            torque[k] = torques[i, k]
            for m in range(3):
                torque[k] -= J[m, k] * forces[i, m]
        for k in range(3):
            out[columns[i, k]] = give[i, k, 0] * torque[0] + give[i, k, 1] * torque[1] + give[i, k, 2] * torque[2]


@kernel
def moved(
    q: Array,
    speed: Array,
    acceleration: Array,
    d: float,
    base: Array,
    feet: Array,
    shares: Array,
    legs: Array,
    columns: Ints,
    radius: Array,
    points: Array,
    rest: Array,
    rotors: Array,
    friction: Array,
    damping: Array,
    give: Array,
    slow: float,
    out: Array,
) -> None:
    """By what joints (n_joints,) [rad] give way while trunk and legs move; see `bearing.Bearing.moved`.

    Args:
        q: as all up to `shares` there.
        speed: of the joints.
        acceleration: of the joints.
        d: [s] over which links' accelerations are differenced.
        base: its acceleration.
        feet: their centres.
        shares: how much each may bear.
        legs: as in `asked_for`, as are columns, points and rest.
        columns: of each leg's joints.
        radius: of the feet (n_legs,) [m].
        points: of the links.
        rest: of the robot.
        rotors: inertia of the rotors as joints feel it (n_legs, 3, 3) [kg m²].
        friction: dry, of the joints (n_legs, 3) [N m].
        damping: of the joints (n_legs, 3) [N m s/rad].
        give: of each leg's joints under torques (n_legs, 3, 3) [rad/(N m)].
        slow: [rad/s] from about where on dry friction is full.
        out: the angles; those of other joints stay.
    """
    n = len(columns)
    way, wrench, torques = np.empty((3, len(q))), np.empty(6), np.empty((n, 3))
    forces, touch = np.empty((n, 3)), feet.copy()
    for j in range(len(q)):
        bent = acceleration[j] * (d * d / 2.0)
        way[0, j], way[1, j], way[2, j] = q[j] - d * speed[j] + bent, q[j], q[j] + d * speed[j] + bent
    asked_for(way, d, base, legs, columns, points, rest, wrench, torques)
    for i in range(n):
        touch[i, 2] -= radius[i]
        for k in range(3):
            v = speed[columns[i, k]]
            torques[i, k] += friction[i, k] * math.tanh(v / slow) + damping[i, k] * v
            for m in range(3):
                torques[i, k] += rotors[i, k, m] * acceleration[columns[i, m]]
    shared(touch, shares, wrench, forces)
    give_way_to(q, torques, forces, legs, columns, radius, give, out)
