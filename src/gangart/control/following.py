"""How the body comes to a pose that is asked for: smoothly, and no further than the legs reach."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np

from gangart.compiled import kernel
from gangart.control import cyclic_kernel
from gangart.kinematics import AbductionLegs
from gangart.robots import Gait
from gangart.signals import Array, BodyPose

_QUICKNESS = 5.0  # [1/s] of the critically damped way to the pose
_SPEED = np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.4])  # [m/s], [rad/s] at the most
_RESERVE = 0.95  # [1] of the way to where a leg is stretched: feet roll, and knees near there snap
_HALVINGS = 7  # of the way to a pose that is out of reach: to within a hundredth


class PoseFollower:
    """Brings the body to its pose beside that of the gait.

    Args:
        legs: what has to reach.
        places: where feet may be while the body is held like this, in the level frame (n, n_legs, 3) [m]: first where
            they stand, then where walking takes them; what not even the gait's own pose reaches does not count.
    """

    value: Array  # (6,) x, y, z [m], roll, pitch, yaw [rad] now
    notes: tuple[str, ...]  # what was limited, in sentences

    def __init__(self, legs: AbductionLegs, places: Array) -> None:
        self._legs = legs
        self.restart()
        self.surround(places)

    def restart(self) -> None:
        """Be where the gait has the body."""
        self.value, self._speed = np.zeros(6), np.zeros(6)
        self.wanted, self._target, self.notes, self._stands = BodyPose(), np.zeros(6), (), False

    def surround(self, places: Array) -> None:
        """Feet may be elsewhere from now on."""
        _, status = self._legs.all_inverse(places)
        self._places = np.ascontiguousarray(places[~status.any(axis=1)], dtype=np.float64)
        self._points = np.empty_like(self._places)

    def aim(self, pose: BodyPose, stands: bool) -> None:
        """Ask for a pose, of a robot that stands or walks; if legs cannot reach it, it is cut to what they can."""
        if pose == self.wanted and stands == self._stands:
            return
        self.wanted, self._stands, wanted = pose, stands, np.array(astuple(pose))
        part = 1.0 if self._reached(wanted) else self._most(wanted)
        self._target = part * wanted
        self.notes = () if part == 1.0 else (f"the legs reach {100.0 * part:.0f} % of the body pose that is asked for",)

    def step(self, dt: float) -> None:
        """Go on by a time [s]."""
        _follow(self.value, self._speed, self._target, _SPEED, _QUICKNESS, dt)

    def at(self, later: float) -> Array:
        """The pose (6,) an instant [s] from now."""
        return self.value + later * self._speed

    def _most(self, wanted: Array) -> float:
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self._reached(middle * wanted) else (low, middle)
        return _RESERVE * low

    def _reached(self, pose: Array) -> bool:
        n = 1 if self._stands else len(self._places)
        cyclic_kernel.in_base(self._places[:n].reshape(-1, 3), pose, self._points[:n].reshape(-1, 3))
        _, status = self._legs.all_inverse(self._points[:n])
        return not status.any()


def around(homes: Array, gait: Gait, stance: float) -> Array:
    """Feet at home, and as far from it as the gait takes them (9, n_legs, 3) [m], the level frame leaning with it."""
    x = max(gait.forward, gait.backward) * stance / 2.0 + gait.lean
    y = gait.sideways * stance / 2.0 + gait.lean
    away = [(0.0, 0.0, 0.0)] + [(a * x, b * y, z) for a in (-1, 1) for b in (-1, 1) for z in (0.0, gait.step_height)]
    return np.asarray(homes + np.array(away)[:, None, :])


@kernel
def _follow(value: Array, speed: Array, target: Array, fastest: Array, quickness: float, dt: float) -> None:
    """A critically damped way to the target whose far part is run at constant speed."""
    decay = math.exp(-quickness * dt)
    for i in range(len(value)):
        far = 2.0 * fastest[i] / quickness  # from where on the way would be faster
        missing = min(max(value[i] - target[i], -far), far)
        c = speed[i] + quickness * missing
        moved = (missing + c * dt) * decay - missing
        speed[i] = (speed[i] - quickness * c * dt) * decay
        value[i] += moved
