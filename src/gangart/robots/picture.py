"""A portrait: the robot in its home posture on a floor, seen from the front left, as a PNG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from gangart.errors import BadValue, choose
from gangart.robots.offscreen import renderer
from gangart.robots.robot import Robot
from gangart.signals import Array

_SHAPES_ONLY = 3  # geoms of this group and above are for contacts, not for the eye
_ZENITH, _HORIZON, _NADIR = (0.66, 0.77, 0.88), (0.83, 0.88, 0.93), (1.0, 0.99, 0.98)  # the gradient is linear
_FLOOR, _TILE = (0.90, 0.91, 0.92), (0.86, 0.875, 0.89)
_AZIMUTH, _ELEVATION = 152.0, -11.0  # [deg] the robot looks along x, the camera nearly back at it
_MARGIN = 1.04  # how much larger than the robot the view is
_FINE = 2  # pixels are drawn twice as fine in each direction and averaged


def picture(
    robot: Robot,
    path: str | Path,
    size: tuple[int, int] = (1000, 800),
    joints: Mapping[str, float] | None = None,
) -> Path:
    """Write a PNG of the robot, size (width, height) [pixels]; `joints` [rad] replace angles of the home posture."""
    if min(size) < 1 or max(size) > 4000:
        raise BadValue(f"picture size is {size[0]} × {size[1]}; each side has to lie between 1 and 4000 pixels")
    model, data = stage(robot, joints)
    camera = _camera(*_bounds(model, data), model.vis.global_.fovy, size[0] / size[1])
    width, height = (_FINE * s for s in size)
    with renderer(model, width, height) as draw:
        draw.update_scene(data, camera)
        pixels = draw.render()
    return _save(pixels, Path(path), size)


def stage(robot: Robot, joints: Mapping[str, float] | None = None) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The robot in its home posture, `joints` [rad] replaced, its lowest point on a lit floor at z = 0."""
    model = _scene(robot)
    data = mujoco.MjData(model)
    for name, angle in {**robot.home, **(joints or {})}.items():
        data.joint(choose("joint", name, robot.joints)).qpos = angle
    mujoco.mj_forward(model, data)
    low, _ = _bounds(model, data)
    data.qpos[model.jnt_qposadr[model.body(robot.base).jntadr[0]] + 2] -= low[2]
    mujoco.mj_forward(model, data)
    return model, data


def _save(pixels: NDArray[np.uint8], path: Path, size: tuple[int, int]) -> Path:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS).save(path, format="PNG", optimize=True)
    return path


def _scene(robot: Robot) -> mujoco.MjModel:
    """The robot, a floor without end, a soft sky, one light with a shadow and one that brightens it."""
    spec = robot.spec()
    spec.compiler.discardvisual = False  # MuJoCo's habit for a URDF; floor and sky would go as well
    if not any(g.group < _SHAPES_ONLY for g in spec.geoms):
        _draw_bones(spec)
    spec.add_texture(
        name="gangart_sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=_ZENITH, rgb2=_NADIR, width=512, height=3072,
    )  # fmt: skip
    spec.add_texture(
        name="gangart_tiles", type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=_FLOOR, rgb2=_TILE, width=512, height=512,
    )  # fmt: skip
    floor = spec.add_material(name="gangart_floor", texuniform=True, reflectance=0.12)
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "gangart_tiles"
    world = spec.worldbody
    world.add_geom(name="gangart_floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05], material="gangart_floor")
    sun = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    world.add_light(type=sun, pos=[0.45, 0.35, 1], dir=[-0.45, -0.35, -1], diffuse=[0.55] * 3, specular=[0.25] * 3)
    world.add_light(type=sun, pos=[2, -2, 2], dir=[-1, 1, -0.6], diffuse=[0.22] * 3, specular=[0] * 3, castshadow=False)
    visual = spec.visual
    visual.headlight.ambient, visual.headlight.diffuse = [0.36] * 3, [0.16] * 3
    visual.headlight.specular = [0.05] * 3
    visual.quality.shadowsize, visual.quality.offsamples = 8192, 8
    visual.map.shadowclip = 2.0  # with less, the edge of the shadowed square lies in the picture as dark dots
    visual.rgba.haze, visual.map.haze = [*_HORIZON, 1.0], 0.5
    return _scaled(spec.compile())


def _scaled(model: mujoco.MjModel) -> mujoco.MjModel:
    """Tiles and the place of the lights go with the size of the robot, which has to stand below its lights."""
    model.mat_texrepeat[model.material("gangart_floor").id] = 3.0 / model.stat.extent
    model.light_pos[:] *= 1.75 * model.stat.extent
    return model


def _draw_bones(spec: mujoco.MjSpec) -> None:
    """A model without shapes is drawn as a stick figure: a bone from each body to each of its children."""
    for body in list(spec.bodies):
        for child in body.bodies if body.name != "world" else ():
            length = float(np.linalg.norm(child.pos))
            if length > 0.0:
                capsule = mujoco.mjtGeom.mjGEOM_CAPSULE
                body.add_geom(type=capsule, fromto=[0, 0, 0, *child.pos], size=[0.12 * length, 0, 0], mass=0)


def _bounds(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Array, Array]:
    """Opposite corners of the box [m] that holds every visible shape."""
    seen = [i for i in range(model.ngeom) if model.geom_type[i] != mujoco.mjtGeom.mjGEOM_PLANE]
    seen = [i for i in seen if model.geom_group[i] < _SHAPES_ONLY]
    if not seen:
        return data.xpos[1:].min(axis=0), data.xpos[1:].max(axis=0)
    reach = np.array([_reach(model, i, data.geom_xmat[i].reshape(3, 3)) for i in seen])
    centre = data.geom_xpos[seen]
    return (centre - reach[:, 0]).min(axis=0), (centre + reach[:, 1]).max(axis=0)


def _reach(model: mujoco.MjModel, geom: int, R_world_geom: Array) -> Array:
    """How far a shape reaches from its centre along -x, -y, -z (row 0) and x, y, z (row 1) of the world [m]."""
    kind = model.geom_type[geom]
    size = model.geom_size[geom]
    shape = mujoco.mjtGeom
    if kind == shape.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        points = model.mesh_vert[first : first + model.mesh_vertnum[mesh]] @ R_world_geom.T
        return np.array([-points.min(axis=0), points.max(axis=0)])
    along = np.abs(R_world_geom)  # row: axis of the world, column: axis of the shape
    if kind == shape.mjGEOM_SPHERE:
        reach = np.full(3, size[0])
    elif kind == shape.mjGEOM_CAPSULE:
        reach = size[0] + along[:, 2] * size[1]
    elif kind == shape.mjGEOM_CYLINDER:
        reach = size[0] * np.hypot(along[:, 0], along[:, 1]) + along[:, 2] * size[1]
    elif kind == shape.mjGEOM_ELLIPSOID:
        reach = np.linalg.norm(along * size, axis=1)
    else:
        reach = along @ size  # a box; for anything rarer its size as a box
    return np.array([reach, reach])


def _camera(low: Array, high: Array, fovy: float, aspect: float) -> mujoco.MjvCamera:
    """Far enough away that the box fills the view: fovy is the vertical angle of view [deg]."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (low + high) / 2
    camera.azimuth, camera.elevation = _AZIMUTH, _ELEVATION
    half = math.tan(math.radians(fovy) / 2)
    height, width = high[2] - low[2], math.hypot(*(high - low)[:2])
    camera.distance = _MARGIN * max(height, width / aspect) / (2 * half) + width / 2
    return camera
