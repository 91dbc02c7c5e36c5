"""Which leg and joint cannot take what the pattern wants of them."""

from __future__ import annotations

import numpy as np

from gangart.kinematics import PostureSolver
from gangart.robots import Robot
from gangart.signals import Array

_AT_LIMIT = 1e-6  # [rad] a joint this near to its limit is at it
_OFF = 1e-5  # [m] or [rad] a sole this far from its target has not reached it
_WAY_OUT = "change the height of the centre of mass or walk slower"


def legs_at_end(robot: Robot, solver: PostureSolver, feet: Array, joints: Array, place: Array) -> tuple[str, ...]:
    """A sentence for each leg and joint that is at its end in any of n clamped postures.

    Args:
        robot: whose legs they are.
        solver: its kinematics.
        feet: where the soles should be, (n, n_legs, 4) x, y, z [m], yaw [rad] in the world.
        joints: the clamped angles, (n, n_joints) [rad].
        place: of the base, (n, 4) x, y, z [m], yaw [rad] in the world.
    """
    off = _miss(solver, feet, joints, place) > _OFF  # (n, n_legs)
    at_limit = np.abs(joints[..., None] - robot.joint_limits).min(axis=-1) < _AT_LIMIT
    notes = []
    for i, leg in enumerate(robot.legs.values()):
        held = at_limit[off[:, i]].any(axis=0)
        names = [name for name in leg.joints if held[robot.joint_index[name]]]
        if names:
            notes.append(f"leg '{leg.name}' is at its end, with {' and '.join(names)} at the limit: {_WAY_OUT}")
        elif off[:, i].any():
            notes.append(f"leg '{leg.name}' is at its end, stretched or folded as far as it goes: {_WAY_OUT}")
    return tuple(notes) or (f"the legs cannot bring the centre of mass to where the pattern wants it: {_WAY_OUT}",)


def _miss(solver: PostureSolver, feet: Array, joints: Array, place: Array) -> Array:
    """How far the soles are from where they should be: the larger of [m] and [rad], (n, n_legs)."""
    T_base_sole = solver.feet(joints)
    c, s = np.cos(place[:, 3])[:, None], np.sin(place[:, 3])[:, None]
    x, y, z = (T_base_sole[..., i, 3] for i in range(3))
    reached = np.stack([c * x - s * y, s * x + c * y, z], axis=-1) + place[:, None, :3]
    yaw = np.arctan2(T_base_sole[..., 1, 0], T_base_sole[..., 0, 0]) + place[:, None, 3] - feet[..., 3]
    tilt = np.hypot(T_base_sole[..., 2, 0], T_base_sole[..., 2, 1])
    distance = np.linalg.norm(reached - feet[..., :3], axis=-1)
    turn = np.abs(np.arctan2(np.sin(yaw), np.cos(yaw)))
    return np.asarray(np.maximum(distance, np.maximum(tilt, turn)))
