"""What every reader of a closed-form leg asks of the compiled model: which links, about which axes, and does it fit?"""

from __future__ import annotations

from collections.abc import Iterable

from gangart.errors import BadRobot
from gangart.kinematics.tree import AXIS, ZERO, Tree
from gangart.robots import Leg
from gangart.signals import Array

TOLERANCE = 1e-9  # [m] and [1]; a closed form is as exact as the model follows it


class LegChain:
    """A leg of one kind (`kinematics = kind` in the robot's file), read from the tree."""

    axes: Array  # (n_joints, 3) in the base when all joints are 0
    anchors: Array  # (n_joints, 3) [m] hinges in the base when all joints are 0
    limits: Array  # (n_joints, 2) [rad]

    def __init__(self, tree: Tree, leg: Leg, kind: str, n_joints: int) -> None:
        """Raises BadRobot unless exactly these joints lie between base and foot, each with its reference at 0."""
        self.leg, self.kind = leg, kind
        if len(leg.joints) != n_joints:
            raise self.misfit(f"it has {len(leg.joints)} joints, not {n_joints}")
        rows = [tree.row[name] for name in leg.joints]
        if tree.path(leg.foot) != rows:
            names = {row: name for name, row in tree.row.items()}
            way = ", ".join(names[row] for row in tree.path(leg.foot))
            raise self.misfit(f"the joints between base and foot are {way}, not the leg's {n_joints}")
        for name, row in zip(leg.joints, rows, strict=True):
            if tree.links[row, ZERO] != 0.0:
                raise self.misfit(f"joint '{name}' has its reference at {tree.links[row, ZERO]:.4g} rad, not at 0")
        self.axes, self.anchors = tree.links[rows, AXIS:ZERO], tree.anchors[rows]
        self.limits = tree.robot.joint_limits[[tree.robot.joint_index[name] for name in leg.joints]]

    def misfit(self, what: str) -> BadRobot:
        """The refusal of a leg that is built otherwise."""
        return BadRobot(f'leg \'{self.leg.name}\': {what}; kinematics = "{self.kind}" does not fit, use "numeric"')

    def turns_about(self, roles: Iterable[tuple[int, str, int]]) -> None:
        """Raises BadRobot unless each (joint, role, k) turns about +x, +y or +z (k = 0, 1, 2)."""
        for i, role, k in roles:
            if abs(self.axes[i, k] - 1.0) > TOLERANCE:
                about = "(" + ", ".join(f"{v:.4g}" for v in self.axes[i]) + ")"
                raise self.misfit(f"joint '{self.leg.joints[i]}' ({role}) turns about {about}, not about +{'xyz'[k]}")

    def meets(self, misses: dict[str, float]) -> None:
        """Raises BadRobot with the first sentence whose distance [m] is not 0."""
        for what, distance in misses.items():
            if abs(distance) > TOLERANCE:
                raise self.misfit(f"{what} by {abs(distance) * 1e3:.3g} mm")

    def lengths(self, thigh: float, shank: float) -> tuple[float, float]:
        """Both lengths [m]; raises BadRobot unless they point down when all joints are 0."""
        if min(thigh, shank) <= 0.0:
            raise self.misfit(f"thigh and shank point down by {thigh:.4g} m and {shank:.4g} m when all joints are 0")
        return float(thigh), float(shank)
