"""What stands in the way: convex polygons with a height, by hand, from a file, or from an occupancy grid."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gangart.errors import BadValue, MissingFile
from gangart.signals import Array, Bools

_MOST_CORNERS = 12


@dataclass(frozen=True)
class Obstacle:
    """A convex area where no sole may land. Legs swing over it if it is lower than a step, and go around it if not."""

    corners: tuple[tuple[float, float], ...]  # [m] in the world, one after the other in either sense
    height: float = math.inf  # [m]

    def __post_init__(self) -> None:
        try:
            points = np.array(self.corners, dtype=float)
        except (TypeError, ValueError):
            points = np.empty(0)
        if points.ndim != 2 or points.shape[1:] != (2,) or not 3 <= len(points) <= _MOST_CORNERS:
            raise BadValue(f"an obstacle has to be 3 to {_MOST_CORNERS} corners [x, y], got {self.corners!r}")
        if not np.isfinite(points).all():
            raise BadValue(f"an obstacle has a corner that is not finite: {points.tolist()}")
        if not self.height > 0.0:
            raise BadValue(
                f"an obstacle's height is {self.height!r}; it has to be above 0 m, and is infinite if left out"
            )
        edges = np.roll(points, -1, axis=0) - points
        turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
        around = np.unwrap([*np.arctan2(edges[:, 1], edges[:, 0]), math.atan2(edges[0, 1], edges[0, 0])])
        convex = (turns > 0.0).all() or (turns < 0.0).all()
        if not convex or abs(abs(around[-1] - around[0]) - 2.0 * math.pi) > 1e-6:
            raise BadValue(f"an obstacle is not convex: {points.tolist()}; divide it into convex parts")
        object.__setattr__(self, "corners", tuple((float(x), float(y)) for x, y in points))
        object.__setattr__(self, "height", float(self.height))


def box(x: float, y: float, length: float, width: float, yaw: float = 0.0, height: float = math.inf) -> Obstacle:
    """A rectangle around (x, y) [m], turned by yaw [rad]."""
    c, s = math.cos(yaw), math.sin(yaw)
    half = [(length / 2, width / 2), (-length / 2, width / 2), (-length / 2, -width / 2), (length / 2, -width / 2)]
    return Obstacle(tuple((x + c * u - s * v, y + s * u + c * v) for u, v in half), height)


def from_grid(occupied: Bools, resolution: float, origin: tuple[float, float] = (0.0, 0.0)) -> tuple[Obstacle, ...]:
    """Obstacles of an occupancy grid: rectangles that together cover its occupied cells.

    Args:
        occupied: (rows, columns), row 0 at the smallest y, column 0 at the smallest x.
        resolution: edge of a cell [m].
        origin: the outer corner of cell (0, 0) [m].
    """
    left = np.array(occupied, dtype=bool)
    if left.ndim != 2:
        raise BadValue(f"an occupancy grid has to be rows and columns, got the shape {left.shape}")
    if not (math.isfinite(resolution) and resolution > 0.0):
        raise BadValue(f"the resolution of an occupancy grid is {resolution!r}; it has to be above 0 m per cell")
    found = []
    for row, column in np.argwhere(left).tolist():
        if left[row, column]:
            rows, columns = _rectangle(left, row, column)
            left[row : row + rows, column : column + columns] = False
            x, y = origin[0] + column * resolution, origin[1] + row * resolution
            w, h = columns * resolution, rows * resolution
            found.append(Obstacle(((x, y), (x + w, y), (x + w, y + h), (x, y + h))))
    return tuple(found)


def _rectangle(cells: Bools, row: int, column: int) -> tuple[int, int]:
    """Rows and columns of a full rectangle that begins here: wide first, then high."""
    columns = 1
    while column + columns < cells.shape[1] and cells[row, column + columns]:
        columns += 1
    rows = 1
    while row + rows < cells.shape[0] and cells[row + rows, column : column + columns].all():
        rows += 1
    return rows, columns


def read(path: Path, resolution: float = 0.05) -> tuple[Obstacle, ...]:
    """Obstacles from a file: polygons (TOML, JSON), or an occupancy grid (PNG, NPY) of the given resolution [m].

    A polygon file holds `obstacles`, each with `corners` [m] and, if it can be stepped over, its `height` [m]. It may
    hold a `grid` too: `file`, `resolution` [m] and `origin` [m]. In a picture dark is occupied and its lowest row is
    the smallest y; a grid that is read directly has the start in its middle.
    """
    try:
        if path.suffix in (".toml", ".json"):
            text = path.read_text(encoding="utf-8")
            return _from_table(tomllib.loads(text) if path.suffix == ".toml" else json.loads(text), path)
        if path.suffix in (".png", ".npy"):
            cells = _cells(path)
            origin = (-cells.shape[1] * resolution / 2.0, -cells.shape[0] * resolution / 2.0)
            return from_grid(cells, resolution, origin)
    except FileNotFoundError as error:
        raise MissingFile(f"obstacle file {path} does not exist") from error
    except OSError as error:
        raise MissingFile(f"obstacle file {path} cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadValue(f"obstacle file {path} is not {path.suffix[1:].upper()}: {error}") from error
    raise BadValue(f"obstacle file {path} has to be .toml, .json, .png or .npy")


def _from_table(data: Any, path: Path) -> tuple[Obstacle, ...]:
    unknown = set(data) - {"obstacles", "grid"} if isinstance(data, dict) else {"a list"}
    if unknown:
        raise BadValue(f"obstacle file {path} has {min(unknown)!r}; it may have 'obstacles' and 'grid'")
    found: list[Obstacle] = []
    for item in _listed(data.get("obstacles", []), path):
        if not isinstance(item, dict) or set(item) - {"corners", "height"} or "corners" not in item:
            raise BadValue(f"obstacle file {path}: an obstacle has 'corners' and may have a 'height', got {item!r}")
        height = item.get("height", math.inf)
        if isinstance(height, bool) or not isinstance(height, (int, float)):
            raise BadValue(f"obstacle file {path}: the height {height!r} has to be a number in metres")
        found.append(Obstacle(_pairs(item["corners"], path), height))
    if "grid" in data:
        found += _from_grid_table(data["grid"], path)
    return tuple(found)


def _from_grid_table(grid: Any, path: Path) -> tuple[Obstacle, ...]:
    if not isinstance(grid, dict) or set(grid) != {"file", "resolution", "origin"}:
        raise BadValue(f"obstacle file {path}: 'grid' has to have 'file', 'resolution' and 'origin'")
    origin = _pairs([grid["origin"]], path)[0]
    if isinstance(grid["resolution"], bool) or not isinstance(grid["resolution"], (int, float)):
        raise BadValue(f"obstacle file {path}: the resolution {grid['resolution']!r} has to be a number in metres")
    return from_grid(_cells(path.parent / str(grid["file"])), float(grid["resolution"]), origin)


def _listed(value: Any, path: Path) -> Iterable[Any]:
    if not isinstance(value, list):
        raise BadValue(f"obstacle file {path}: 'obstacles' has to be a list")
    return value


def _pairs(value: Any, path: Path) -> tuple[tuple[float, float], ...]:
    try:
        return tuple((float(x), float(y)) for x, y in value)
    except (TypeError, ValueError) as error:
        raise BadValue(f"obstacle file {path}: {value!r} has to be a list of [x, y] in metres") from error


def _cells(path: Path) -> Bools:
    """Occupied cells, row 0 at the smallest y."""
    if path.suffix == ".npy":
        try:
            cells = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise BadValue(f"occupancy grid {path} is not a NumPy array: {error}") from error
        return np.asarray(cells, dtype=float) > 0.5
    from PIL import Image, UnidentifiedImageError

    try:
        grey: Array = np.asarray(Image.open(path).convert("L"), dtype=float)
    except UnidentifiedImageError as error:
        raise BadValue(f"occupancy grid {path} is not a picture") from error
    return np.flipud(grey) < 128.0
