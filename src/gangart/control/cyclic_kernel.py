"""One tick of a cyclic gait, compiled: how feet stand, swing and roll, and which joint angles that takes.

Everything is seen from the base's level frame: its origin at the base's place, x along its heading, z up. What stands
on the ground moves there against the body's velocity; a foot that swings goes from where it left the ground to where it
is to land, both of them places on the ground.
"""

from __future__ import annotations

import math

import numpy as np

from gangart.compiled import kernel
from gangart.kinematics.abduction_kernels import foot, joints_to, slope
from gangart.signals import Array, Bools, Ints

TOUCHES = 0.012  # [m] above the lowest foot another one still touches the ground
LIGHT = 0.05  # [1] of its share: what a foot bears at least that stands


@kernel
def carry(points: Array, velocity: Array, dt: float) -> None:
    """Move points (n, >= 2) [m] as the ground does under a body of velocity vx, vy [m/s], wz [rad/s]."""
    turn = -velocity[2] * dt
    c, s = math.cos(turn), math.sin(turn)
    half = turn / 2.0
    chord = math.sin(half) / half if abs(half) > 1e-6 else 1.0  # of an arc, over its length
    ch, sh = chord * math.cos(half), chord * math.sin(half)
    dx, dy = velocity[0] * dt, velocity[1] * dt
    for i in range(len(points)):
        x, y = points[i, 0], points[i, 1]
        points[i, 0] = c * x - s * y - (ch * dx - sh * dy)
        points[i, 1] = s * x + c * y - (sh * dx + ch * dy)


@kernel
def swing_way(s: float) -> float:
    """Part of a swinging foot's way that is done after the part s of its time: at rest at both ends."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@kernel
def modified_sine(s: float) -> float:
    """As `swing_way`, with the least acceleration that a smooth way can do with: motors end there, in quick gaits.

    The modified sine of cams: a quarter of a wave up, a long half wave over the middle, a quarter back to rest. Its
    greatest acceleration is 5.53, half of that of the first eighth's wave; that of `swing_way` is 5.77.
    """
    b = math.pi / (4.0 + math.pi)
    wave = math.sin(4.0 * math.pi * s) / (4.0 * math.pi)
    if s < 0.125:
        return b * (s - wave)
    if s > 0.875:
        return b * (4.0 / math.pi + s - wave)
    return b * (2.0 / math.pi + s - 9.0 * math.sin((4.0 * s + 1.0) * math.pi / 3.0) / (4.0 * math.pi))


@kernel
def leaving(s: float) -> float:
    """Way of a swinging foot that leaves with the speed 1, and lands at rest where it would be without that."""
    return s * (1.0 + s * s * (-6.0 + s * (8.0 - 3.0 * s)))


@kernel
def coming(s: float) -> float:
    """Way of a swinging foot that comes with the speed 1 to where it would be without that."""
    return s * s * s * (-4.0 + s * (7.0 - 3.0 * s))


@kernel
def swing_lift(s: float) -> float:
    """Height of a swinging foot after the part s of its time, 1 in the middle: it leaves and lands without speed.

    Without acceleration, too: a jump of that is lost between two ticks, now more of it and now less.
    """
    x = s * (1.0 - s)
    return 32.0 * x * x * math.sqrt(x)


@kernel
def feet_now(
    standing: Bools,
    phase: Array,
    duty: Array,
    ground: Array,
    lifted: Array,
    landing: Array,
    rolling: Array,
    cycle: float,
    step_height: float,
    out: Array,
) -> None:
    """Feet in the level frame (n, 3) [m].

    Args:
        standing: which stand (n,).
        phase: of each leg (n,).
        duty: part of the cycle that each stands (n,).
        ground: where each stands (n, 3) [m].
        lifted: where on the ground each left it (n, 3) [m].
        landing: where on the ground each is to land (n, 3) [m].
        rolling: how fast each rolls over the ground when it leaves, and when it comes (n, 2, 2) [m/s].
        cycle: [s].
        step_height: [m].
        out: the feet.
    """
    for i in range(len(standing)):
        if standing[i]:
            out[i] = ground[i]
            continue
        s = min(max((phase[i] - duty[i]) / (1.0 - duty[i]), 0.0), 1.0)
        way = modified_sine(s)
        out[i] = lifted[i] + way * (landing[i] - lifted[i])
        lasts, begin, end = (1.0 - duty[i]) * cycle, leaving(s), coming(s)
        for k in range(2):
            out[i, k] += lasts * (begin * rolling[i, 0, k] + end * rolling[i, 1, k])
        out[i, 2] += step_height * swing_lift(s)


@kernel
def rotation(roll: float, pitch: float, yaw: float, out: Array) -> None:
    """Rz(yaw) Ry(pitch) Rx(roll), (3, 3)."""
    cr, sr, cp, sp, cy, sy = (
        math.cos(roll),
        math.sin(roll),
        math.cos(pitch),
        math.sin(pitch),
        math.cos(yaw),
        math.sin(yaw),
    )
    out[0, 0], out[0, 1], out[0, 2] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr
    out[1, 0], out[1, 1], out[1, 2] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr
    out[2, 0], out[2, 1], out[2, 2] = -sp, cp * sr, cp * cr


@kernel
def in_base(feet: Array, pose: Array, out: Array) -> None:
    """Feet of the level frame (n, 3) seen from a base with a pose in it: x, y, z [m], roll, pitch, yaw [rad]."""
    R = np.empty((3, 3))
    rotation(pose[3], pose[4], pose[5], R)
    for i in range(len(feet)):
        x, y, z = feet[i, 0] - pose[0], feet[i, 1] - pose[1], feet[i, 2] - pose[2]
        for k in range(3):
            out[i, k] = R[0, k] * x + R[1, k] * y + R[2, k] * z


@kernel
def share_weight(points: Array, shares: Array, weight: float, com: Array, out: Array) -> None:
    """Share a weight [N] over points (n, >= 2) [m] without a moment about `com`: least squares, out (n,) [N].

    `shares` (n,) in 0…1 says how much each may bear: the squares are divided by it.
    """
    A, b = np.zeros((3, 3)), np.array([weight, 0.0, 0.0])
    for i in range(len(points)):
        x, y, w = points[i, 0] - com[0], points[i, 1] - com[1], shares[i]
        A[0, 0] += w
        A[0, 1] += w * x
        A[0, 2] += w * y
        A[1, 1] += w * x * x
        A[1, 2] += w * x * y
        A[2, 2] += w * y * y
    A[1, 0], A[2, 0], A[2, 1] = A[0, 1], A[0, 2], A[1, 2]
    for k in (1, 2):  # of two points in a row, no moment across it can be borne
        A[k, k] += 1e-5 * A[0, 0]
    m = np.linalg.solve(A, b) if A[0, 0] > 0.0 else np.zeros(3)
    for i in range(len(points)):
        x, y = points[i, 0] - com[0], points[i, 1] - com[1]
        out[i] = max(shares[i] * (m[0] + m[1] * x + m[2] * y), 0.0)


@kernel
def weights(q: Array, legs: Array, masses: Array, centres: Array, out: Array) -> None:
    """Joint torques (n, 3) [N m per m/s²] that hold the legs' own weight, the base being level.

    Args:
        q: abduction, pitch and knee of each leg (n, 3) [rad].
        legs: their numbers, as `kinematics.AbductionLegs` has them (n, 13).
        masses: of hip, thigh and shank (n, 3) [kg].
        centres: of these, in their own axes, from their joints (n, 3, 3) [m].
        out: the torques.
    """
    for i in range(len(q)):
        c1, s1 = math.cos(q[i, 0]), math.sin(q[i, 0])
        knee_x, knee_z = -legs[i, 4] * math.sin(q[i, 1]), -legs[i, 4] * math.cos(q[i, 1])  # in the leg's plane
        low = q[i, 1] + q[i, 2]
        c, s = math.cos(q[i, 1]), math.sin(q[i, 1])
        thigh_x, thigh_z = c * centres[i, 1, 0] + s * centres[i, 1, 2], c * centres[i, 1, 2] - s * centres[i, 1, 0]
        c, s = math.cos(low), math.sin(low)
        shank_x, shank_z = c * centres[i, 2, 0] + s * centres[i, 2, 2], c * centres[i, 2, 2] - s * centres[i, 2, 0]
        # height = s1 * (sideways in the leg's plane) + c1 * (up in it); its slope times the mass is the torque
        aside = masses[i, 0] * centres[i, 0, 1] + masses[i, 1] * (legs[i, 3] + centres[i, 1, 1])
        aside += masses[i, 2] * (legs[i, 3] + centres[i, 2, 1])
        up = masses[i, 0] * centres[i, 0, 2] + masses[i, 1] * thigh_z + masses[i, 2] * (knee_z + shank_z)
        out[i, 0] = c1 * aside - s1 * up
        out[i, 1] = -c1 * (masses[i, 1] * thigh_x + masses[i, 2] * (knee_x + shank_x))
        out[i, 2] = -c1 * masses[i, 2] * shank_x


@kernel
def feet_at_rest(
    q: Array,
    speeds: Array,
    gyro: Array,
    tilt: Array,
    legs: Array,
    columns: Ints,
    radius: Array,
    out: Array,
    heights: Array,
) -> None:
    """Velocity (n_legs, 2) [m/s] of the base, ahead and to the left, for which each foot rolls on the ground.

    Args:
        q: joint angles (n_joints,) [rad].
        speeds: of the joints (n_joints,) [rad/s].
        gyro: angular velocity of the base (3,) [rad/s].
        tilt: of the base about x and y (2,) [rad].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        radius: of the feet (n_legs,) [m].
        out: the velocities.
        heights: of the feet over a level plane through the base (n_legs,) [m].
    """
    cr, sr, cp, sp = math.cos(tilt[0]), math.sin(tilt[0]), math.cos(tilt[1]), math.sin(tilt[1])
    J, p = np.empty((3, 3)), np.empty(3)
    for i in range(len(columns)):
        a, b, c = columns[i]
        foot(q[a], q[b], q[c], legs[i], p)
        slope(q[a], q[b], q[c], legs[i], J)
        vx = J[0, 0] * speeds[a] + J[0, 1] * speeds[b] + J[0, 2] * speeds[c] + gyro[1] * p[2] - gyro[2] * p[1]
        vy = J[1, 0] * speeds[a] + J[1, 1] * speeds[b] + J[1, 2] * speeds[c] + gyro[2] * p[0] - gyro[0] * p[2]
        out[i, 0] = radius[i] * (gyro[1] + speeds[b] + speeds[c]) - vx
        out[i, 1] = -radius[i] * (gyro[0] + speeds[a]) - vy
        heights[i] = -sp * p[0] + cp * (sr * p[1] + cr * p[2])


@kernel
def follow_ground(
    heights: Array, rates: Array, feet: Array, standing: Bools, tilt: Array, gains: Array, times: Array, dt: float
) -> None:
    """Raise and lower feet under a body that is tilted: those in the air to the ground, those that stand against it.

    Args:
        heights: by which each foot is raised now (n,) [m]; they go on by `dt`.
        rates: of the heights (n,) [m/s].
        feet: in the level frame (n, 3) [m].
        standing: which stand (n,).
        tilt: of the body about x and y (2,) [rad].
        gains: parts of the tilt that feet in the air make up for, and that standing feet turn back (2,).
        times: in which both do so (2,) [s].
        dt: [s].
    """
    for i in range(len(feet)):
        rise = math.tan(tilt[0]) * feet[i, 1] - math.tan(tilt[1]) * feet[i, 0]  # of the base's plane there
        k = 1 if standing[i] else 0
        wanted = gains[1] * rise if standing[i] else -gains[0] * rise
        before = heights[i]
        heights[i] += (wanted - before) * (1.0 - math.exp(-dt / times[k]))
        rates[i] = (heights[i] - before) / dt


@kernel
def points_at(
    later: float,
    cycle: float,
    drift: Array,
    standing: Bools,
    phase: Array,
    duty: Array,
    ground: Array,
    lifted: Array,
    landing: Array,
    rolling: Array,
    going: Array,
    step_height: float,
    raised: Array,
    rising: Array,
    held: Array,
    out: Array,
) -> None:
    """Feet in the base (n, 3) [m], an instant later: `carry`, `feet_now`, tilt and `in_base` in one call.

    Args:
        later: [s] than what is given.
        cycle: [s].
        drift: by which phases run slower (n,) [1/s].
        standing: as all up to `rolling` in `feet_now`.
        phase: of each leg (n,).
        duty: of each leg (n,).
        ground: where each stands (n, 3) [m].
        lifted: where each left the ground (n, 3) [m].
        landing: where each is to land (n, 3) [m].
        rolling: as in `feet_now`.
        going: of the body over the ground (3,), as in `carry`.
        step_height: [m].
        raised: by which each foot is raised (n,) [m].
        rising: rates of that (n,) [m/s].
        held: pose of the base in the level frame, as in `in_base`.
        out: the feet.
    """
    n = len(standing)
    places = np.empty((3, n, 3))
    places[0], places[1], places[2] = ground, lifted, landing
    for k in range(3):
        carry(places[k], going, later)
    now, feet = np.empty(n), np.empty((n, 3))
    for i in range(n):
        now[i] = phase[i] + later / cycle - later * drift[i]
    feet_now(standing, now, duty, places[0], places[1], places[2], rolling, cycle, step_height, feet)
    for i in range(n):
        feet[i, 2] += raised[i] + later * rising[i]
    in_base(feet, held, out)


@kernel
def legs_at(
    d: float,
    cycle: float,
    drift: Array,
    standing: Bools,
    phase: Array,
    duty: Array,
    ground: Array,
    lifted: Array,
    landing: Array,
    rolling: Array,
    going: Array,
    step_height: float,
    raised: Array,
    rising: Array,
    held: Array,
    legs: Array,
    columns: Ints,
    most: float,
    points: Array,
    status: Ints,
    out: Array,
) -> None:
    """Speeds, accelerations and angles of the joints (3, n_joints) [rad/s], [rad/s²], [rad] for feet as in `points_at`.

    Args:
        d: [s] over which they are differenced.
        cycle: as all up to `rising` in `points_at`.
        drift: see there.
        standing: see there.
        phase: see there.
        duty: see there.
        ground: see there.
        lifted: see there.
        landing: see there.
        rolling: see there.
        going: see there.
        step_height: see there.
        raised: see there.
        rising: see there.
        held: pose of the base a time d before, as long after, and now (3, 6).
        legs: their numbers, as `kinematics.AbductionLegs` has them (n, 13).
        columns: of each leg's joints (n, 3).
        most: acceleration that is still made up for [rad/s²].
        points: the feet in the base now (n, 3) [m].
        status: of the inverse kinematics now (n,).
        out: speeds, accelerations and angles; angles of other joints stay.
    """
    n = len(columns)
    found = np.empty((1, n), dtype=np.int64)
    for t in range(3):
        later = (2 * t - 1) * d if t < 2 else 0.0
        points_at(
            later, cycle, drift, standing, phase, duty, ground, lifted, landing, rolling, going, step_height, raised,
            rising, held[t], points,
        )  # fmt: skip
        joints_to(points.reshape(1, n, 3), legs, columns, out[t : t + 1], found)
    for j in range(out.shape[1]):
        before, after, now = out[0, j], out[1, j], out[2, j]
        out[0, j] = (after - before) / (2.0 * d)
        out[1, j] = min(max((after - 2.0 * now + before) / (d * d), -most), most)
    for i in range(n):
        status[i] = found[0, i]


@kernel
def remember(rolling: Array, rolled: Array, standing: Bools, stood: Bools, fresh: Bools) -> None:
    """Keep how fast feet roll that stand, for when they leave, and how fast they did when they came.

    Args:
        rolling: when they leave, and when they come (n, 2, 2) [m/s]; is changed.
        rolled: how fast each rolled in this tick (n, 2) [m/s].
        standing: which stand (n,).
        stood: which did a tick ago (n,).
        fresh: which came in the last tick (n,); is changed.
    """
    for i in range(len(standing)):
        if standing[i] and stood[i]:
            rolling[i, 0] = rolled[i]
            if fresh[i]:
                rolling[i, 1] = rolled[i]
        fresh[i] = standing[i] and not stood[i]


@kernel
def take_loads(
    bears: Array, landed: Bools, standing: Bools, phase: Array, duty: Array, stays: Bools, edge: float
) -> None:
    """How much of its share each leg bears: it takes its load over after landing, and hands it on before it lifts.

    Args:
        bears: 0 in the air, LIGHT…1 on the ground (n,); is changed.
        landed: which stand since they landed, and not from the beginning (n,).
        standing: which stand (n,).
        phase: of each leg (n,).
        duty: part of the cycle that each stands (n,).
        stays: which will not lift (n,).
        edge: part of the cycle in which loads change.
    """
    for i in range(len(bears)):
        taken = phase[i] / edge if landed[i] and not stays[i] else 1.0
        kept = (duty[i] - phase[i]) / edge if phase[i] < duty[i] and not stays[i] else 1.0
        bears[i] = max(min(taken, kept, 1.0), LIGHT) if standing[i] else 0.0


@kernel
def aim(
    homes: Array,
    standing: Bools,
    left: Array,
    velocity: Array,
    going: Array,
    half_stance: float,
    outward: Array,
    landing: Array,
) -> None:
    """Where swinging feet land, as places on the ground seen from the base now.

    Args:
        homes: where feet belong under the base (n, 3) [m].
        standing: which stand (n,); their places stay.
        left: until each lands (n,) [s].
        velocity: that is wanted (3,) [m/s], [m/s], [rad/s].
        going: with which the body goes over the ground meanwhile (3,).
        half_stance: how far ahead of its home a foot lands, in time [s].
        outward: by which feet land farther out (2,) [m].
        landing: the places (n, 3) [m].
    """
    for i in range(len(standing)):
        if not standing[i]:
            place = landing[i : i + 1]
            place[0] = homes[i]
            carry(place, -velocity, half_stance)
            place[0, 0] += outward[0]
            place[0, 1] += outward[1]
            carry(place, -going, left[i])


@kernel
def give_way(
    q: Array,
    feet: Array,
    shares: Array,
    pressed: Array,
    felt: float,
    mass: float,
    com: Array,
    legs: Array,
    columns: Ints,
    masses: Array,
    centres: Array,
    give: Array,
    out: Array,
) -> None:
    """By what joints (n_joints,) [rad] give way under the robot's weight; see `bearing.Bearing.given_way`.

    Args:
        q: as all up to `pressed` there.
        feet: in the base (n_legs, 3) [m].
        shares: how much each may bear (n_legs,).
        pressed: from below the centre of mass (2,) [m].
        felt: weight of a mass [m/s²].
        mass: of the robot [kg].
        com: its centre in the base at home [m].
        legs: numbers of the legs, as `kinematics.AbductionLegs` has them (n_legs, 13).
        columns: of each leg's joints (n_legs, 3).
        masses: of the links, as in `weights`.
        centres: of these.
        give: of each leg's joints under torques (n_legs, 3, 3) [rad/(N m)].
        out: the angles; those of other joints stay.
    """
    n = len(columns)
    load, angles, torque, J, below = np.empty(n), np.empty((n, 3)), np.empty((n, 3)), np.empty((3, 3)), np.empty(2)
    below[0], below[1] = com[0] + pressed[0], com[1] + pressed[1]
    share_weight(feet, shares, mass * felt, below, load)
    for i in range(n):
        for k in range(3):
            angles[i, k] = q[columns[i, k]]
    weights(angles, legs, masses, centres, torque)
    for i in range(n):
        slope(angles[i, 0], angles[i, 1], angles[i, 2], legs[i], J)
        for k in range(3):
            torque[i, k] = felt * torque[i, k] - J[2, k] * load[i]
        for k in range(3):
            out[columns[i, k]] = (
                give[i, k, 0] * torque[i, 0] + give[i, k, 1] * torque[i, 1] + give[i, k, 2] * torque[i, 2]
            )


@kernel
def believe(velocity: Array, seen: Array, heights: Array, standing: Bools, trust: float) -> None:
    """Take into a velocity (2,) [m/s], by the part `trust`, the mean of what the feet see that stand firmly.

    A foot that should stand but is above the lowest one does not touch the ground: the body is tilted, or it slips.

    Args:
        velocity: is changed.
        seen: by each foot (n_legs, 2) [m/s].
        heights: of the feet over a level plane (n_legs,) [m].
        standing: which should stand (n_legs,).
        trust: 0…1.
    """
    lowest = np.inf
    for i in range(len(heights)):
        lowest = min(lowest, heights[i])
    n, x, y = 0, 0.0, 0.0
    for i in range(len(standing)):
        if standing[i] and heights[i] < lowest + TOUCHES:
            n, x, y = n + 1, x + seen[i, 0], y + seen[i, 1]
    if n > 0:
        velocity[0] += trust * (x / n - velocity[0])
        velocity[1] += trust * (y / n - velocity[1])


@kernel
def unwanted(seen: Array, wanted: Array, quiet: float, out: Array) -> None:
    """Velocity (2,) [m/s] that nobody wanted, beyond a quiet part.

    Args:
        seen: velocity of the body (2,) [m/s].
        wanted: (>= 2,) [m/s].
        quiet: [m/s].
        out: the velocity.
    """
    out[0], out[1] = seen[0] - wanted[0], seen[1] - wanted[1]
    size = math.hypot(out[0], out[1])
    part = max(size - quiet, 0.0) / size if size > 0.0 else 0.0
    out[0], out[1] = part * out[0], part * out[1]
