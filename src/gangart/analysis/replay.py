"""Watch a recording in MuJoCo Studio, in a window or in the browser, again and again until it is closed."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import mujoco
import numpy as np

from gangart.errors import MissingTool
from gangart.robots import Robot
from gangart.robots.picture import stage
from gangart.signals import Recording

OPEN_PORT = "the browser view listens on all network interfaces without a login: use it on networks that you trust"
_RATE = 60.0  # [Hz] pictures
_PAUSE = 1.0  # [s] before the walk begins again


def wants_browser() -> bool:
    """Whether this machine has no display for a window."""
    return sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def replay(recording: Recording, robot: Robot, *, browser: bool = False, rounds: int | None = None) -> None:
    """Play a recording at its own speed until the viewer is closed, or `rounds` times."""
    model, data = stage(robot)
    base = int(model.jnt_qposadr[model.body(robot.base).jntadr[0]])
    r = recording
    rows = np.searchsorted(r.time, np.arange(r.time[0], r.time[-1], 1.0 / _RATE))
    done = 0
    with _launch(browser) as viewer:
        while viewer.is_running() and (rounds is None or done < rounds):
            begin = time.perf_counter()
            for row in rows:
                if not viewer.is_running():
                    return
                data.time = r.time[row]
                data.qpos[robot.qpos_index] = r.position[row]
                data.qpos[base : base + 3] = r.base_position[row]
                data.qpos[base + 3 : base + 7] = r.base_orientation[row]
                mujoco.mj_forward(model, data)
                model, data = viewer.sync(model, data)
                time.sleep(max(0.0, begin + r.time[row] - r.time[0] - time.perf_counter()))
            time.sleep(_PAUSE)
            done += 1


def _launch(browser: bool) -> Any:
    try:
        from mujoco.studio import app, launch_passive, viewer_protocol

        config = viewer_protocol.ViewerConfig(title="gangart", gfx="web" if browser else "")
        return launch_passive.launch(config, plugins=[app.App()])
    except (ImportError, RuntimeError, OSError) as error:
        said = " ".join(str(error).split())
        raise MissingTool(f"MuJoCo's viewer does not open ({said}); try --browser, or look at --plot") from error
