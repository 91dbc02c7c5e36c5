"""How several standing legs share what the ground has to give: with the least sum of squared joint torques.

On one leg the ground's wrench follows from the motion; on k legs 6 (k - 1) numbers stay free (Urbann 3.4 leaves them
open). The first leg's wrench is what the others leave of the total, so with the others' wrenches z the torques are
τ = τ₀ - B z. The closed form z = (BᵀB)⁻¹ Bᵀ τ₀ is the answer wherever it lies within the limits of soles, friction and
shares; elsewhere a quadratic program (DAQP) finds the least torques within them.

Where the motion itself leaves no way, because its ZMP lies outside the soles, limits give way by as little as possible:
those of a foot that carries much first, so that the wrench of one that lands or lifts still goes through zero.
"""

from __future__ import annotations

import numpy as np

from gangart.compiled import kernel
from gangart.dynamics.inverse import Dynamics
from gangart.errors import GangartError
from gangart.signals import Array, Bools, Ints

_TINY = 1e-9  # [m²] added to BᵀB: of torque-free wrenches, as of straight legs, the smallest
_STIFF = 1e-3  # [N m] by which limits give way for a cost of 1/2 N² m²
_TOLERANCE = 1e-7  # [N m] within which a limit is kept


def cross(a: Array, b: Array) -> Array:
    """a × b over the last axis; np.cross takes several times as long."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def moved(wrench: Array, arm: Array) -> Array:
    """Wrenches (..., 6) about a point from which the old one is seen at `arm` (..., 3) [m]."""
    return np.concatenate([wrench[..., :3], wrench[..., 3:] + cross(arm, wrench[..., :3])], axis=-1)


def total_at(found: Dynamics, rows: Ints, leg: int) -> Array:
    """The whole wrench of the ground, force [N] and torque [N m] about the sole of one leg, (m, 6)."""
    return moved(found.wrench[rows], found.centre[rows] - found.sole[rows, leg])


def carry(found: Dynamics, on_path: Bools, wrench: Array) -> Array:
    """Joint torques [N m] under the ground's wrenches on the soles, τ - Jᵀ w, (n, n_joints)."""
    joint = found.joint.copy()
    _carry(found.centre, found.sole, found.screw, on_path, wrench, joint)
    return joint


@kernel
def _carry(centre: Array, sole: Array, screw: Array, on_path: Bools, wrench: Array, joint: Array) -> None:
    for i in range(len(joint)):
        for leg in range(len(on_path)):
            w = wrench[i, leg]
            if w[2] == 0.0 and not w.any():
                continue
            x, y, z = sole[i, leg, 0] - centre[i, 0], sole[i, leg, 1] - centre[i, 1], sole[i, leg, 2] - centre[i, 2]
            mx, my, mz = w[3] + y * w[2] - z * w[1], w[4] + z * w[0] - x * w[2], w[5] + x * w[1] - y * w[0]
            for c in range(joint.shape[1]):
                if on_path[leg, c]:
                    s = screw[i, c]
                    joint[i, c] -= s[0] * w[0] + s[1] * w[1] + s[2] * w[2] + s[3] * mx + s[4] * my + s[5] * mz


def split(found: Dynamics, rows: Ints, legs: Ints, on_path: Bools, limits: list[Array], share: Array) -> Array:
    """Wrenches of the standing legs, (m, k, 6) in world axes about each sole.

    Args:
        found: the inverse dynamics of the motion.
        rows: (m,) samples.
        legs: (k,) numbers of the legs that stand there, at least two.
        on_path: (n_legs, n_joints) which joints lie between the base and each sole.
        limits: of each leg's sole, in its axes.
        share: (n, n_legs) largest part of the load that each leg may carry.
    """
    total, H, g = _effort(found, rows, legs, on_path)
    z = np.linalg.solve(H, g[..., None])[..., 0]
    wrench = _all(found, rows, legs, total, z)
    broken = np.flatnonzero(_breaks(found, rows, legs, limits, share, wrench))
    if broken.size:
        some = rows[broken]
        G, h = _limits(found, some, legs, limits, share, total[broken])
        z = _within(H[broken], g[broken], G, h, _soft(limits, legs, share[some][:, legs]))
        wrench[broken] = _all(found, some, legs, total[broken], z)
    return wrench


def _effort(found: Dynamics, rows: Ints, legs: Ints, on_path: Bools) -> tuple[Array, Array, Array]:
    """The whole wrench at the first sole, and half the squared torques as ½ zᵀHz - gᵀz + …"""
    joints = np.flatnonzero(on_path[legs].any(axis=0))
    sign = on_path[legs][:, joints].astype(np.float64)
    screw = found.screw[rows[:, None], joints]
    total = total_at(found, rows, int(legs[0]))
    t0 = found.joint[rows[:, None], joints] - sign[0] * (screw @ found.wrench[rows][..., None])[..., 0]
    B = np.empty((*screw.shape[:2], 6 * (len(legs) - 1)))
    for i, leg in enumerate(legs[1:]):
        # what leg i takes over from the first one, the joints of both feel, at the sole of i
        arm = found.sole[rows, leg] - found.centre[rows]
        felt = screw * (sign[i + 1] - sign[0])[:, None]
        B[..., 6 * i : 6 * i + 3] = felt[..., :3] + cross(felt[..., 3:], arm[:, None])
        B[..., 6 * i + 3 : 6 * i + 6] = felt[..., 3:]
    Bt = B.swapaxes(1, 2)
    return total, Bt @ B + _TINY * np.eye(B.shape[-1]), (Bt @ t0[..., None])[..., 0]


def _all(found: Dynamics, rows: Ints, legs: Ints, total: Array, z: Array) -> Array:
    """The wrenches of all legs (m, k, 6): the first one has what the others leave."""
    others = z.reshape(len(rows), -1, 6)
    arm = found.sole[rows[:, None], legs[1:]] - found.sole[rows, legs[:1]][:, None]
    first = total - moved(others, arm).sum(axis=1)
    return np.concatenate([first[:, None], others], axis=1)


def _breaks(found: Dynamics, rows: Ints, legs: Ints, limits: list[Array], share: Array, wrench: Array) -> Bools:
    """Which samples (m,) break a limit."""
    out = (wrench[..., 2] > share[rows[:, None], legs] * found.wrench[rows, 2:3] + _TOLERANCE).any(axis=1)
    for i, leg in enumerate(legs):
        R = found.turn[rows, leg]  # row vectors: w R is w in the sole's axes
        w = np.concatenate([wrench[:, i, None, :3] @ R, wrench[:, i, None, 3:] @ R], axis=-1)[:, 0]
        out |= (w @ limits[leg].T > _TOLERANCE).any(axis=1)
    return out


def _limits(
    found: Dynamics, rows: Ints, legs: Ints, limits: list[Array], share: Array, total: Array
) -> tuple[Array, Array]:
    """The limits of all legs' soles, then of their shares, as G z ≤ h."""
    first, others = int(legs[0]), range(len(legs) - 1)
    size = [len(limits[leg]) for leg in legs]
    end = np.cumsum(size)
    G = np.zeros((len(rows), end[-1] + len(legs), 6 * len(others)))
    h = np.zeros(G.shape[:2])
    own = _in_world(limits[first], found.turn[rows, first])
    h[:, : size[0]] = -(own @ total[..., None])[..., 0]
    for i in others:
        leg, columns = int(legs[i + 1]), slice(6 * i, 6 * i + 6)
        arm = found.sole[rows, leg] - found.sole[rows, first]
        G[:, : size[0], columns] = -own  # the first leg is spared the wrench at the other sole
        G[:, : size[0], columns.start : columns.start + 3] -= cross(own[..., 3:], arm[:, None])
        G[:, end[i] : end[i + 1], columns] = _in_world(limits[leg], found.turn[rows, leg])
        G[:, end[-1], columns.start + 2] = -1.0
        G[:, end[-1] + i + 1, columns.start + 2] = 1.0
    h[:, end[-1] :] = share[rows[:, None], legs] * total[:, 2:3]
    h[:, end[-1]] -= total[:, 2]
    return G, h


def _in_world(limits: Array, turn: Array) -> Array:
    """Limits of a sole in its axes (n_rows, 6) to those in the world's, (m, n_rows, 6)."""
    back = turn.swapaxes(1, 2)
    return np.concatenate([limits[:, :3] @ back, limits[:, 3:] @ back], axis=-1)


def _soft(limits: list[Array], legs: Ints, share: Array) -> Array:
    """How far each limit gives way for a slack of 1, (m, n_rows, k): that of a leg that carries little hardly does."""
    size = [len(limits[leg]) for leg in legs]
    out = np.zeros((len(share), sum(size) + len(legs), len(legs)))  # shares do not give way
    begin = 0
    for i, rows in enumerate(size):
        out[:, begin : begin + rows, i] = -_STIFF * share[:, i : i + 1]
        begin += rows
    return out


def _within(H: Array, g: Array, G: Array, h: Array, soft: Array) -> Array:
    """The least torques within the limits, sample by sample: min ½ zᵀHz - gᵀz + ½ s² with G z + soft s ≤ h."""
    import daqp

    m, n, k = len(H), H.shape[1], soft.shape[2]
    wide = np.zeros((m, n + k, n + k))
    wide[:, :n, :n] = H
    wide[:, range(n, n + k), range(n, n + k)] = 1.0
    linear = np.concatenate([-g, np.zeros((m, k))], axis=1)
    rows = np.concatenate([G, soft], axis=2)
    out = np.empty((m, n))
    for i in range(m):
        x, _, flag, _ = daqp.solve(wide[i], linear[i], rows[i], h[i])
        if flag < 1:  # limits that give way cannot contradict each other
            raise GangartError(f"DAQP ended with exit flag {flag} on a split of the ground's forces; please report this")
        out[i] = x[:n]
    return out
