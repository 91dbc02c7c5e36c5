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

from gangart.dynamics.inverse import Dynamics
from gangart.errors import GangartError
from gangart.signals import Array, Bools, Ints

_TINY = 1e-9  # [N² m²/N²] added to BᵀB: of torque-free wrenches, as of straight legs, the smallest
_STIFF = 1e-3  # [N m] by which limits give way for a cost of 1/2 N² m²
_TOLERANCE = 1e-7  # [N m] within which a limit is kept


def cross(a: Array, b: Array) -> Array:
    """a × b over the last axis; np.cross takes several times as long."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def total_at(found: Dynamics, rows: Ints, leg: int) -> Array:
    """The whole wrench of the ground, force [N] and torque [N m] about the sole of one leg, (m, 6)."""
    force = found.force[rows]
    moment = found.moment[rows] + cross(found.base[rows] - found.sole[rows, leg], force)
    return np.concatenate([force, moment], axis=1)


def jacobian(found: Dynamics, rows: Ints, leg: int, joints: Ints) -> Array:
    """Joint torques of a unit wrench at the sole of a leg, if the joints carried it: (m, n_joints of these, 6)."""
    axis, anchor = found.axis[rows][:, joints], found.anchor[rows][:, joints]
    return np.concatenate([cross(axis, found.sole[rows, leg][:, None] - anchor), axis], axis=-1)


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
    joints = np.flatnonzero(on_path[legs].any(axis=0))
    first, others = int(legs[0]), [int(leg) for leg in legs[1:]]
    total = total_at(found, rows, first)
    sign = on_path[legs][:, joints].astype(float)
    t0 = found.joint[rows][:, joints] - sign[0] * (jacobian(found, rows, first, joints) @ total[..., None])[..., 0]
    # a wrench that leg i takes over from the first one is felt by the joints of both, at the sole of i
    B = [jacobian(found, rows, leg, joints) * (s - sign[0])[:, None] for leg, s in zip(others, sign[1:], strict=True)]
    B = np.concatenate(B, axis=-1)
    Bt = B.swapaxes(1, 2)
    H = Bt @ B + _TINY * np.eye(B.shape[-1])
    g = (Bt @ t0[..., None])[..., 0]
    z = np.linalg.solve(H, g[..., None])[..., 0]
    G, h = _limits(found, rows, legs, limits, share[rows][:, legs], total)
    broken = ((G @ z[..., None])[..., 0] > h + _TOLERANCE).any(axis=1)
    if broken.any():
        z[broken] = _within(
            H[broken], g[broken], G[broken], h[broken], _soft(limits, legs, share[rows[broken]][:, legs])
        )
    wrench = np.concatenate([total[:, None], z.reshape(len(rows), -1, 6)], axis=1)
    wrench[:, 0] -= wrench[:, 1:].sum(axis=1)
    arm = found.sole[rows][:, legs[1:]] - found.sole[rows, first][:, None]
    wrench[:, 0, 3:] -= cross(arm, wrench[:, 1:, :3]).sum(axis=1)
    return wrench


def _limits(
    found: Dynamics, rows: Ints, legs: Ints, limits: list[Array], share: Array, total: Array
) -> tuple[Array, Array]:
    """The limits of all legs' soles, then of their shares, as G z ≤ h."""
    first, others = int(legs[0]), range(len(legs) - 1)
    size = [len(limits[leg]) for leg in legs]
    end = np.cumsum(size)
    G = np.zeros((len(rows), end[-1] + len(legs), 6 * len(others)))
    h = np.zeros(G.shape[:2])
    own = limits[first] @ _to_sole(found.turn[rows, first])
    h[:, : size[0]] = -(own @ total[..., None])[..., 0]
    for i in others:
        leg, columns = int(legs[i + 1]), slice(6 * i, 6 * i + 6)
        arm = found.sole[rows, leg] - found.sole[rows, first]
        moved = own.copy()  # the first leg feels the wrench at the other sole from its own
        moved[..., :3] += cross(own[..., 3:], arm[:, None])
        G[:, : size[0], columns] = -moved
        G[:, end[i] : end[i + 1], columns] = limits[leg] @ _to_sole(found.turn[rows, leg])
        G[:, end[-1], 6 * i + 2] = -1.0
        G[:, end[-1] + i + 1, 6 * i + 2] = 1.0
    h[:, end[-1] :] = share * total[:, 2:3]
    h[:, end[-1]] -= total[:, 2]
    return G, h


def _to_sole(turn: Array) -> Array:
    """Wrenches from world axes to the sole's, (m, 6, 6)."""
    out = np.zeros((len(turn), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = turn.swapaxes(1, 2)
    return out


def _soft(limits: list[Array], legs: Ints, share: Array) -> Array:
    """How far each limit gives way for a slack of 1, (m, n_rows, k): a leg that carries little hardly does."""
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
            raise GangartError(
                f"DAQP ended with exit flag {flag} on a split of the ground's forces; please report this"
            )
        out[i] = x[:n]
    return out
