"""The bench of figure 4.7: a bar of many parts stands on the ground, clamped at the bottom, and bends."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from mujoco import rollout

from gangart.signals import Array
from gangart.simulation.links import Bend, Link, cut, share

G = 9.81  # [m/s²]
_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS


@dataclass(frozen=True)
class Bar:
    """A uniform bar that stands upright, cut as the links of a robot are."""

    parts: int
    bend: Bend
    length: float = 0.5  # [m]
    mass: float = 1.0  # [kg]
    width: float = 0.02  # [m] of its square section
    step: float = 0.001  # [s] of the physics

    @property
    def link(self) -> Link:
        """The bar before it is cut."""
        across = self.mass * (self.length**2 + self.width**2) / 12.0
        tensor = np.diag([across, across, self.mass * self.width**2 / 6.0])
        return Link(self.mass, np.array([0.0, 0.0, self.length / 2.0]), tensor, self.length)

    @property
    def joints(self) -> Array:
        """Heights of the bends (parts - 1,) [m]."""
        return self.length * np.arange(1, self.parts) / self.parts

    def model(self) -> mujoco.MjModel:
        """The bar in MuJoCo."""
        root = ET.Element("mujoco")
        ET.SubElement(root, "option", timestep=repr(self.step), gravity=f"0 0 {-G}", integrator="discrete")
        body = ET.SubElement(ET.SubElement(root, "worldbody"), "body", name="bar")
        tip = ET.SubElement(body, "body", name="tip")  # has no mass, but has to say where it is
        ET.SubElement(tip, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")
        cut(body, tip, self.link, self.parts, self.bend)
        return mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))

    def run(self, force: Array, start: Array | None = None) -> Array:
        """Angles of the bends about y, lowest first, (n + 1, parts - 1) [rad].

        Args:
            force: on the tip along x for each step (n,) [N].
            start: angles to begin with, at rest (parts - 1,) [rad].
        """
        model = self.model()
        data = mujoco.MjData(model)
        if start is not None:
            data.qpos[1::2] = start  # every bend has an x and a y axis
        row = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, row, _STATE)
        pushes = np.zeros((1, len(force), 6 * model.nbody))
        pushes[0, :, 6 * model.body("tip").id] = force
        spec = int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)
        states, _ = rollout.rollout(model, data, row[None], pushes, control_spec=spec)
        angles: Array = np.vstack([row, states[0]])[:, 2 : 1 + model.nq : 2]
        return angles

    def shape(self, angles: Array) -> tuple[Array, Array]:
        """Where the joints and the tip are for angles (..., parts - 1) [rad]: x and z (..., parts + 1) [m]."""
        turned = np.cumsum(np.concatenate([np.zeros((*angles.shape[:-1], 1)), angles], axis=-1), axis=-1)
        ground = np.zeros((*angles.shape[:-1], 1))
        part = self.length / self.parts
        x = np.concatenate([ground, np.cumsum(part * np.sin(turned), axis=-1)], axis=-1)
        z = np.concatenate([ground, np.cumsum(part * np.cos(turned), axis=-1)], axis=-1)
        return x, z

    def stiffness(self) -> Array:
        """Linear theory: moments that angles of the bends call up, springs less weight (parts - 1, parts - 1)."""
        joints, heights = self.joints, share(self.link, self.parts)[0][:, 2]
        above = np.maximum(heights[None, :] - joints[:, None], 0.0)  # (joints, parts)
        load = G * self.mass / self.parts * above.sum(axis=1)  # moment of the weight above a joint, per angle
        upper = np.maximum.outer(np.arange(len(joints)), np.arange(len(joints)))
        stiffness: Array = self.bend.stiffness * np.eye(len(joints)) - load[upper]
        return stiffness

    def inertia(self) -> Array:
        """Linear theory: the bends' mass matrix (parts - 1, parts - 1) [kg m²]."""
        centres, tensor = share(self.link, self.parts)
        arm = np.maximum(centres[None, :, 2] - self.joints[:, None], 0.0)
        moved = (np.arange(self.parts)[None, :] > np.arange(self.parts - 1)[:, None]).astype(float)
        inertia: Array = self.mass / self.parts * arm @ arm.T + tensor[1, 1] * moved @ moved.T
        return inertia

    def bent(self, force: float) -> Array:
        """Linear theory: angles (parts - 1,) [rad] under a force [N] on the tip: the sum of moments over stiffness."""
        return np.asarray(np.linalg.solve(self.stiffness(), force * (self.length - self.joints)), dtype=np.float64)

    def mode(self) -> tuple[float, Array]:
        """Linear theory: the lowest natural frequency [Hz] and its shape, (parts - 1,) angles for a tip at 1 m."""
        squares, shapes = np.linalg.eig(np.linalg.solve(self.inertia(), self.stiffness()))
        lowest = int(np.argmin(squares.real))
        shape = shapes[:, lowest].real
        frequency = float(np.sqrt(squares[lowest].real)) / (2.0 * np.pi)
        return frequency, shape / float(shape @ (self.length - self.joints))
