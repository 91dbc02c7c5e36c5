"""How a body leans over the feet that stand: as a slow walk asks for, and as far as a velocity would tip it over."""

from __future__ import annotations

import math

import numpy as np

from gangart.gaits import Timing
from gangart.robots import Gait
from gangart.signals import Array

_G = 9.81  # [m/s²]
GATHER = 1.0  # [s] in which the body leans over before the first foot lifts


class Lean:
    """The body of a gait goes round, at any time away from the foot in the air."""

    def __init__(self, homes: Array, timing: Timing, gait: Gait) -> None:
        self.circle = circle(homes, timing)
        self.tips = tips(homes, self.circle, timing, gait)
        self._counts = self.tips  # of `tips` what counts now
        self.part = 0.0  # of the way into the lean that the gait asks for

    def become(self, homes: Array, timing: Timing, gait: Gait) -> None:
        """Be of another gait that goes on from here; what does not tip any more fades."""
        self.circle = circle(homes, timing)
        self._counts = np.zeros(3)
        self.tips = tips(homes, self.circle, timing, gait)

    def fade(self) -> None:
        """Another gait is to come: lean no more because of a velocity."""
        self.tips = np.zeros(3)

    def step(self, dt: float, gathers: bool, resting: bool) -> None:
        """Go on by a time [s]."""
        self.part = min(max(self.part + (-dt if resting else dt) / GATHER, 0.0), 1.0) if gathers else 0.0
        if self._counts is not self.tips:
            self._counts = self._counts + (self.tips - self._counts) * min(dt / (0.2 * GATHER), 1.0)

    def at(self, later: float, cycles: float, gait: Gait, velocity: Array, resting: bool) -> Array:
        """Where the body is beside its gait's place (2,) [m], an instant [s] later, after so many cycles."""
        far = float(self._counts @ velocity)
        if self.part > 0.0 or (gait.lean and not resting):
            grown = min(max(self.part + (-later if resting else later) / GATHER, 0.0), 1.0)
            far = max(far, gait.lean * grown * grown * (3.0 - 2.0 * grown))
        if far <= 0.0:
            return np.zeros(2)
        angle = 2.0 * math.pi * (cycles + gait.lean_phase)
        return np.asarray(far * (math.cos(angle) * self.circle[0] + math.sin(angle) * self.circle[1]))


def circle(homes: Array, timing: Timing) -> Array:
    """Cosine and sine part (2, 2) of the body's way, 1 in amplitude: away from each foot when it is up highest."""
    out = np.zeros((2, 2))
    for home, touch in zip(homes, timing.touch, strict=True):
        away = -home[:2] / np.hypot(home[0], home[1])
        middle = 2.0 * math.pi * (touch - timing.swing / timing.cycle / 2.0)
        out += 0.5 * np.outer([math.cos(middle), math.sin(middle)], away)
    return out


def tips(homes: Array, leans: Array, timing: Timing, gait: Gait) -> Array:
    """By how much a body has to lean per velocity ahead, to the left [s] and turn [m s/rad], so as not to fall over.

    While one foot of a walk is in the air the robot lives on the two beside it, and the third keeps it from falling to
    one side. Feet are carried back as the body goes. In the order in which they step that takes the line of the two
    towards the foot in the air; against it away from there, and the robot falls to where nothing stands.
    """
    towards, across = np.zeros((len(homes), 3)), np.empty(len(homes))
    for i, home in enumerate(homes):
        cycles = timing.touch[i] - timing.swing / timing.cycle / 2.0
        phase = timing.phase(cycles)
        if (phase < timing.duty).sum() < 3:
            return np.zeros(3)
        since = phase * timing.cycle - gait.ahead * timing.stance / 2.0  # [s] since each was at home
        a, b = (j for j in range(len(homes)) if homes[j, 0] * home[0] * homes[j, 1] * home[1] < 0.0)
        line = homes[b, :2] - homes[a, :2]
        normal = np.array([line[1], -line[0]]) / np.hypot(line[0], line[1])
        normal *= np.sign(normal @ home[:2])  # to the foot in the air
        part = -homes[a, :2] @ line / (line @ line)  # where on the line the body is
        for k in range(3):
            gone = [since[j] * (np.array([homes[j, 1], -homes[j, 0]]) if k == 2 else -np.eye(2)[k]) for j in (a, b)]
            towards[i, k] = -normal @ ((1.0 - part) * gone[0] + part * gone[1])
        angle = 2.0 * math.pi * cycles
        across[i] = -normal @ (math.cos(angle) * leans[0] + math.sin(angle) * leans[1])
    turn = 2.0 * math.pi / timing.cycle
    out = towards.mean(axis=0) / across.mean() / (1.0 + gait.height / _G * turn * turn)  # as `_pressed` of the engine
    return np.where(np.abs(out) > 1e-6, out, 0.0)
