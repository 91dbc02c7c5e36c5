"""Rendering without a window: which OpenGL MuJoCo takes, and what to install where there is none."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gangart.errors import MissingTool

if TYPE_CHECKING:
    import mujoco

_BACKEND = "mujoco.rendering.classic.gl_context"
_WAY_OUT = "on Debian and Ubuntu `apt install libegl1 libgl1-mesa-dri` brings it"


@contextmanager
def renderer(model: mujoco.MjModel, width: int, height: int) -> Iterator[mujoco.Renderer]:
    """A MuJoCo renderer for pictures of width × height [pixels]; grows the model's off-screen buffer to that size."""
    buffer = model.vis.global_
    buffer.offwidth, buffer.offheight = max(width, buffer.offwidth), max(height, buffer.offheight)
    try:
        made = _make(model, width, height)
    except Exception as error:  # every backend fails in its own way: missing libraries, no device, no framebuffer
        said = " ".join(str(error).split())
        raise MissingTool(f"no OpenGL for off-screen pictures ({said}); {_WAY_OUT}") from error
    try:
        yield made
    finally:
        made.close()


def _make(model: mujoco.MjModel, width: int, height: int) -> mujoco.Renderer:
    chosen = _needs_egl()
    try:
        if chosen:
            os.environ["MUJOCO_GL"] = "egl"
            if _BACKEND in sys.modules:  # MuJoCo reads the variable when it is imported, which was before this
                importlib.reload(sys.modules[_BACKEND])
        import mujoco

        with warnings.catch_warnings(action="ignore"):  # GLFW warns of what the error says anyway
            return mujoco.Renderer(model, height, width)
    except BaseException:
        if chosen:
            del os.environ["MUJOCO_GL"]  # so that the next call tries, and fails, in the same way
        raise


def _needs_egl() -> bool:
    """On Linux MuJoCo's own choice needs a display; without one only EGL can draw. The user's choice stands."""
    if sys.platform != "linux" or os.environ.get("MUJOCO_GL", "").strip():
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
