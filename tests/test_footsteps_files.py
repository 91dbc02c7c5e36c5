"""Obstacle files and trained files: what they hold is read exactly, what is damaged is refused in a sentence."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from gangart.errors import BadValue, GangartError, MissingFile
from gangart.footsteps import Obstacle, StepLimits, learned, plan
from gangart.footsteps.obstacles import box, from_grid, read
from gangart.footsteps.training import collect, save, teach
from gangart.robots import Robot

TOML = """
[[obstacles]]
corners = [[0.5, -0.2], [0.7, -0.2], [0.7, 0.2], [0.5, 0.2]]

[[obstacles]]
corners = [[1.0, 0.0], [1.1, 0.0], [1.0, 0.1]]
height = 0.01
"""
SHIPPED = Path(learned.__file__).with_name(learned.FILE)
_CALM = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


def covered(found: tuple[Obstacle, ...], x: float, y: float) -> bool:
    """Whether a point lies in a rectangle of a grid."""
    corners = [np.array(o.corners) for o in found]
    return any((c.min(0) <= [x, y]).all() and ([x, y] <= c.max(0)).all() for c in corners)


# ------------------------------------------------------------------ what they hold


def test_polygons_are_read_from_toml_and_json_alike(tmp_path: Path) -> None:
    toml, as_json = tmp_path / "room.toml", tmp_path / "room.json"
    toml.write_text(TOML)
    low = {"corners": [[1.0, 0.0], [1.1, 0.0], [1.0, 0.1]], "height": 0.01}
    as_json.write_text(json.dumps({"obstacles": [{"corners": box(0.6, 0.0, 0.2, 0.4).corners}, low]}))
    one, other = read(toml), read(as_json)
    assert [o.height for o in one] == [o.height for o in other] == [math.inf, 0.01]
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(sorted(a.corners), sorted(b.corners))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_grid_is_covered_exactly(seed: int) -> None:
    """Every occupied cell, and no other; fewer rectangles than cells."""
    cells = np.random.default_rng(seed).uniform(size=(17, 23)) < 0.4
    found = from_grid(cells, 0.1, (-1.0, 2.0))
    assert len(found) < cells.sum()
    for row, column in np.ndindex(*cells.shape):
        assert covered(found, -1.0 + 0.1 * (column + 0.5), 2.0 + 0.1 * (row + 0.5)) == cells[row, column]


def test_pictures_and_arrays_are_the_same_room(tmp_path: Path) -> None:
    """Dark is occupied; the lowest row of a picture has the smallest y."""
    cells = np.zeros((20, 30), dtype=bool)
    cells[2:5, 20:28] = True
    np.save(tmp_path / "room.npy", cells)
    Image.fromarray(np.where(np.flipud(cells), 0, 255).astype(np.uint8)).save(tmp_path / "room.png")
    (tmp_path / "room.toml").write_text('[grid]\nfile = "room.png"\nresolution = 0.05\norigin = [-0.75, -0.5]\n')
    rooms = [read(tmp_path / name) for name in ("room.npy", "room.png", "room.toml")]
    assert rooms[0] == rooms[1] == rooms[2]
    assert covered(rooms[0], 0.4, -0.35)
    assert not covered(rooms[0], 0.4, 0.35)


# ------------------------------------------------------------------ what is damaged


@_CALM
@given(data=st.data(), kind=st.sampled_from(["toml", "json", "png", "npy"]))
def test_damaged_obstacle_files_are_read_or_refused(tmp_path: Path, data: st.DataObject, kind: str) -> None:
    whole = tmp_path / f"whole.{kind}"
    if kind in ("toml", "json"):
        whole.write_text(TOML if kind == "toml" else json.dumps({"obstacles": [{"corners": box(1, 0, 1, 1).corners}]}))
    elif kind == "png":
        Image.fromarray(np.eye(9, dtype=np.uint8) * 255).save(whole)
    else:
        np.save(whole, np.eye(9))
    content = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    damaged = tmp_path / f"damaged.{kind}"
    damaged.write_bytes(bytes(content))
    with suppress(GangartError):  # anything else would be a traceback
        assert all(isinstance(o, Obstacle) for o in read(damaged))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["obstacles", "corners", "height", "grid", "file", "resolution"]), inner)
    ),
    max_leaves=12,
)


@_CALM
@given(content=JSON)
def test_any_json_is_read_or_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "room.json"
    path.write_text(json.dumps(content))
    with suppress(GangartError):
        assert all(isinstance(o, Obstacle) for o in read(path))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.toml", "[[obstacles]]\ncorners = [[0, 0], [1, 0]]", "an obstacle has to be 3 to 12 corners"),
        ("a.toml", "[[obstacles]]\ncorners = [[0, 0], [1, 0], [nan, 1]]", "has a corner that is not finite"),
        (
            "a.toml",
            "[[obstacles]]\ncorners = [[0, 0], [1, 0], [1, 1]]\nheight = -1",
            "height is -1; it has to be above",
        ),
        ("a.toml", "[[obstacles]]\nheight = 1", "an obstacle has 'corners' and may have a 'height'"),
        ("a.toml", "walls = []", "has 'walls'; it may have 'obstacles' and 'grid'"),
        ("a.toml", "[[obstacles]]\ncorners = [[0,0],[1,0],[0.1,0.1],[0,1]]", "is not convex"),
        ("a.toml", "obstacles = 3", "'obstacles' has to be a list"),
        ("a.json", "{", "is not JSON"),
        ("a.txt", "", "has to be .toml, .json, .png or .npy"),
        ("a.png", "no picture", "is not a picture"),
        ("a.npy", "no array", "is not a NumPy array"),
    ],
)
def test_obstacle_files_are_refused_in_a_sentence(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadValue, match=sentence):
        read(tmp_path / name)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"obstacle file .*none.toml does not exist"):
        read(tmp_path / "none.toml")
    with pytest.raises(MissingFile, match=r"trained file .*none.npz does not exist; make it with `gangart train`"):
        learned.read(tmp_path / "none.npz")


# ------------------------------------------------------------------ what was learned


def test_the_shipped_file_is_small_and_says_what_it_was_made_of() -> None:
    assert SHIPPED.stat().st_size < 200_000
    with np.load(SHIPPED) as data:
        assert data["made_of"].tolist() == [learned.FORMAT, 3000, 0]


def test_training_is_seeded_and_its_file_plans(nao: Robot, tmp_path: Path) -> None:
    limits = StepLimits.of(nao)
    counts: list[float] = []
    seen, made = collect(limits, 12, 5, counts.append)
    assert counts == list(range(1, 13))
    one, two = (teach(limits, seen, made, 12, 5) for _ in range(2))
    assert save(tmp_path / "one.npz", one) < 200_000
    save(tmp_path / "two.npz", two)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    again, _ = collect(limits, 12, 6)
    assert again.shape != seen.shape or not np.array_equal(again, seen)
    found = plan((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), limits, (), str(tmp_path / "one.npz"))
    assert found.planner == str(tmp_path / "one.npz")


@pytest.mark.slow
def test_the_shipped_file_is_made_again_by_its_command(nao: Robot) -> None:
    """The examples to the bit; the network as far as sums of another machine's libraries let it."""
    limits = StepLimits.of(nao)
    seen, made = collect(limits, 3000, 0)
    again = teach(limits, seen, made, 3000, 0).arrays
    with np.load(SHIPPED) as shipped:
        for name in ("known", "answers", "scale", "limits", "made_of"):
            np.testing.assert_array_equal(again[name], shipped[name])
        for name in ("first", "second", "third"):
            np.testing.assert_allclose(again[name], shipped[name], atol=1e-3)


@_CALM
@given(data=st.data())
def test_damaged_trained_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(SHIPPED.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(bytes(content[: data.draw(st.integers(0, len(content)))]))
    with suppress(GangartError):
        assert np.isfinite(learned.read(damaged).limits).all()


def test_a_file_for_another_robot_is_refused(nao: Robot) -> None:
    import dataclasses

    other = dataclasses.replace(StepLimits.of(nao), forward=0.2)
    with pytest.raises(
        BadValue, match="was trained for other step limits; make one for this robot with `gangart train`"
    ):
        plan((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), other, (), "learned")
