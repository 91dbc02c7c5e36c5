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
from gangart.dynamics.inverse import Forces
from gangart.dynamics.legs import Legs
from gangart.errors import GangartError
from gangart.signals import Array, Bools, Ints

_TINY = 1e-9  # [m²] added to BᵀB: of torque-free wrenches, as of straight legs, the smallest
_STIFF = 1e-3  # [N m] by which limits give way for a cost of 1/2 N² m²
_TOLERANCE = 1e-7  # [N m] within which a limit is kept


def cross(a: Array, b: Array) -> Array:
    """The cross product a × b over the last axis; np.cross takes several times as long."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def moved(wrench: Array, arm: Array) -> Array:
    """Wrenches (..., 6) about a point from which the old one is seen at `arm` (..., 3) [m]."""
    return np.concatenate([wrench[..., :3], wrench[..., 3:] + cross(arm, wrench[..., :3])], axis=-1)


def total_at(forces: Forces, legs: Legs, rows: Ints, leg: int) -> Array:
    """The whole wrench of the ground, force [N] and torque [N m] about the sole of one leg, (m, 6)."""
    return moved(forces.wrench[rows], forces.base[rows] - legs.sole[rows, leg])


def carried(forces: Forces, legs: Legs, wrench: Array) -> Array:
    """Joint torques [N m] under the ground's wrenches on the soles, τ - Jᵀ w, (n, n_joints)."""
    joint = forces.joint.copy()
    _carry(forces.base, legs.sole, legs.screw, legs.joints, legs.on_path, wrench, joint)
    return joint


@kernel
def _carry(base: Array, sole: Array, screw: Array, joints: Ints, on_path: Bools, wrench: Array, joint: Array) -> None:
    for i in range(len(joint)):
        for leg in range(len(on_path)):
            w = wrench[i, leg]
            if not w.any():
                continue
            x, y, z = sole[i, leg, 0] - base[i, 0], sole[i, leg, 1] - base[i, 1], sole[i, leg, 2] - base[i, 2]
            mx, my, mz = w[3] + y * w[2] - z * w[1], w[4] + z * w[0] - x * w[2], w[5] + x * w[1] - y * w[0]
            for c in range(len(joints)):
                if on_path[leg, c]:
                    s = screw[i, c]
                    felt = s[0] * w[0] + s[1] * w[1] + s[2] * w[2] + s[3] * mx + s[4] * my + s[5] * mz
                    joint[i, joints[c]] -= felt


def split(forces: Forces, legs: Legs, rows: Ints, standing: Ints, limits: list[Array], share: Array) -> Array:
    """Wrenches of the standing legs, (m, k, 6) in world axes about each sole.

    Args:
        forces: the inverse dynamics of the motion.
        legs: where they are.
        rows: (m,) samples.
        standing: (k,) numbers of the legs that stand there, at least two.
        limits: of each leg's sole, in its axes.
        share: (n, n_legs) largest part of the load that each leg may carry.
    """
    total, H, g = _effort(forces, legs, rows, standing)
    z = np.asarray(np.linalg.solve(H, g[..., None])[..., 0], dtype=np.float64)
    wrench = _all(legs, rows, standing, total, z)
    allowed = share[rows[:, None], standing]
    broken = np.flatnonzero(_breaks(legs, rows, standing, limits, allowed * _load(total), wrench))
    if broken.size:
        some, total, allowed = rows[broken], total[broken], allowed[broken]
        G, h = _limits(legs, some, standing, limits, allowed, total)
        z = _within(H[broken], g[broken], G, h, _soft([len(limits[leg]) for leg in standing], allowed))
        wrench[broken] = _all(legs, some, standing, total, z)
    return wrench


def _effort(forces: Forces, legs: Legs, rows: Ints, standing: Ints) -> tuple[Array, Array, Array]:
    """The whole wrench at the first sole, and half the squared torques as ½ zᵀHz - gᵀz."""
    used = np.flatnonzero(legs.on_path[standing].any(axis=0))
    sign = legs.on_path[standing][:, used].astype(np.float64)
    screw = legs.screw[rows[:, None], used]
    total = total_at(forces, legs, rows, int(standing[0]))
    t0 = forces.joint[rows[:, None], legs.joints[used]] - sign[0] * (screw @ forces.wrench[rows][..., None])[..., 0]
    B = np.empty((*screw.shape[:2], 6 * (len(standing) - 1)))
    for i, leg in enumerate(standing[1:]):
        # what leg i takes over from the first one, the joints of both feel, at the sole of i
        arm = legs.sole[rows, leg] - forces.base[rows]
        felt = screw * (sign[i + 1] - sign[0])[:, None]
        B[..., 6 * i : 6 * i + 3] = felt[..., :3] + cross(felt[..., 3:], arm[:, None])
        B[..., 6 * i + 3 : 6 * i + 6] = felt[..., 3:]
    Bt = B.swapaxes(1, 2)
    return total, Bt @ B + _TINY * np.eye(B.shape[-1]), (Bt @ t0[..., None])[..., 0]


def _all(legs: Legs, rows: Ints, standing: Ints, total: Array, z: Array) -> Array:
    """The wrenches of all standing legs (m, k, 6): the first one has what the others leave."""
    others = z.reshape(len(rows), -1, 6)
    arm = legs.sole[rows[:, None], standing[1:]] - legs.sole[rows, standing[0]][:, None]
    first = total - moved(others, arm).sum(axis=1)
    return np.concatenate([first[:, None], others], axis=1)


def _breaks(legs: Legs, rows: Ints, standing: Ints, limits: list[Array], load: Array, wrench: Array) -> Bools:
    """Which samples (m,) break a limit, `load` (m, k) [N] among them."""
    out = (wrench[..., 2] > load + _TOLERANCE).any(axis=1)
    for i, leg in enumerate(standing):
        R = legs.turn[rows, leg]  # of row vectors: w R is w in the sole's axes
        w = np.concatenate([wrench[:, i, None, :3] @ R, wrench[:, i, None, 3:] @ R], axis=-1)[:, 0]
        out |= (w @ limits[leg].T > _TOLERANCE).any(axis=1)
    return np.asarray(out)


def _limits(
    legs: Legs, rows: Ints, standing: Ints, limits: list[Array], share: Array, total: Array
) -> tuple[Array, Array]:
    """The limits of all standing soles, then of their shares (m, k), as G z ≤ h."""
    first, others = int(standing[0]), range(len(standing) - 1)
    end = np.cumsum([len(limits[leg]) for leg in standing])
    G = np.zeros((len(rows), end[-1] + len(standing), 6 * len(others)))
    h = np.zeros(G.shape[:2])
    own = _in_world(limits[first], legs.turn[rows, first])
    h[:, : end[0]] = -(own @ total[..., None])[..., 0]
    for i in others:
        leg, at = int(standing[i + 1]), 6 * i
        arm = legs.sole[rows, leg] - legs.sole[rows, first]
        G[:, : end[0], at : at + 6] = -own  # the first leg is spared the wrench at the other sole
        G[:, : end[0], at : at + 3] -= cross(own[..., 3:], arm[:, None])
        G[:, end[i] : end[i + 1], at : at + 6] = _in_world(limits[leg], legs.turn[rows, leg])
        G[:, end[-1], at + 2] = -1.0
        G[:, end[-1] + i + 1, at + 2] = 1.0
    h[:, end[-1] :] = share * _load(total)
    h[:, end[-1]] -= total[:, 2]
    return G, h


def _load(total: Array) -> Array:
    """What presses on the ground [N], (m, 1): where the motion wants to be pulled down there is nothing to share."""
    return np.maximum(total[:, 2:3], 0.0)


def _in_world(limits: Array, turn: Array) -> Array:
    """Limits of a sole in its axes (n_rows, 6) to those in the world's, (m, n_rows, 6)."""
    back = turn.swapaxes(1, 2)
    return np.concatenate([limits[:, :3] @ back, limits[:, 3:] @ back], axis=-1)


def _soft(sizes: list[int], share: Array) -> Array:
    """How far each limit gives way for a slack of 1, (m, n_rows, k): that of a leg that carries little hardly does."""
    out = np.zeros((len(share), sum(sizes) + len(sizes), len(sizes)))  # shares do not give way
    begin = 0
    for i, rows in enumerate(sizes):
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
            raise GangartError(f"DAQP ended with exit flag {flag} over how legs share the ground's forces: report this")
        out[i] = x[:n]
    return out
