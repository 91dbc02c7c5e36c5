"""A strip of pictures of a recorded walk, as one PNG: to look at what the figures say."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from gangart.analysis.metrics import steady_part, yaw
from gangart.robots import Robot
from gangart.robots.offscreen import renderer
from gangart.robots.picture import stage
from gangart.signals import Array, Recording

_UPRIGHT, _LONG = (300, 470), (440, 300)  # [pixels] of one picture: of two legs, of more
_FINE = 2  # pixels are drawn twice as fine in each direction and averaged


def film(recording: Recording, robot: Robot, path: str | Path, pictures: int = 7) -> Path:
    """Write `pictures` views, evenly spread over one double step in the middle of the walk, beside each other."""
    from PIL import Image

    path = Path(path)
    strip = np.hstack(frames(recording, robot, _moments(recording, pictures)))
    path.parent.mkdir(parents=True, exist_ok=True)
    size = (strip.shape[1] // _FINE, strip.shape[0] // _FINE)
    Image.fromarray(strip).resize(size, Image.Resampling.LANCZOS).save(path, format="PNG", optimize=True)
    return path


def frames(recording: Recording, robot: Robot, rows: list[int]) -> list[np.ndarray]:
    """The robot at some rows of a recording, seen from its right and a little ahead, (height, width, 3) each."""
    model, data = stage(robot)
    base = int(model.jnt_qposadr[model.body(robot.base).jntadr[0]])
    middle = rows[len(rows) // 2]
    origin, turn = recording.base_position[middle].copy(), -float(yaw(recording)[middle])
    origin[2] = 0.0
    out = []
    upright = len(robot.legs) <= 2
    width, height = (_FINE * s for s in (_UPRIGHT if upright else _LONG))
    with renderer(model, width, height) as draw:
        for row in rows:
            data.qpos[robot.qpos_index] = recording.position[row]
            # the lights stand at the world's origin: bring the middle of the strip there
            place = _turned(recording.base_position[row] - origin, turn)
            data.qpos[base : base + 3] = place
            mujoco.mju_mulQuat(
                data.qpos[base + 3 : base + 7],
                np.array([np.cos(turn / 2.0), 0.0, 0.0, np.sin(turn / 2.0)]),
                recording.base_orientation[row],
            )
            mujoco.mj_forward(model, data)
            draw.update_scene(data, _camera(place, float(recording.base_position[:, 2].max()), upright))
            out.append(np.array(draw.render()))
    return out


def _turned(point: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]])


def _moments(r: Recording, count: int) -> list[int]:
    """Rows over one double step: from one lift of a leg in the middle of the walk to its next."""
    lifts = np.flatnonzero(~r.support[1:, 0] & r.support[:-1, 0]) + 1
    steady = steady_part(r)
    middle = (steady.start + steady.stop) // 2
    before = lifts[lifts <= middle]
    after = lifts[lifts > middle]
    if len(before) and len(after):
        return [int(i) for i in np.linspace(before[-1], after[0], count)]
    return [int(i) for i in np.linspace(0, len(r) - 1, count)]


def _camera(base: Array, height: float, upright: bool) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    camera.lookat[:] = [base[0], base[1], (0.86 if upright else 0.6) * height]
    camera.distance = (3.9 if upright else 3.1) * height
    camera.azimuth, camera.elevation = 112.0, -9.0
    return camera
