"""Make the pictures of the documentation that take long, in full: python docs/experiment_figures.py [name ...]."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from gangart.cli import app
from gangart.experiments import run, write

FOLDER = Path(__file__).parent / "img"
SHOWN = {
    "zmp-deviation": ("adaptation",),
    "lateral-sway": ("tilt", "bezier"),
    "forward-sway": ("tilt", "torques"),
    "gearbox-bench": ("torque",),
    "flexible-bench": ("bar",),
    "top-speed": ("film",),
    "gait-speed": ("speed",),
    "push-envelope": ("survival",),
    "body-sway": ("cycles",),
}


def main(names: list[str]) -> None:
    """Copy the chosen pictures to docs/img."""
    for name in names or [*SHOWN, "diagnosis"]:
        print(f"{name} ...")  # noqa: T201
        if name == "diagnosis":
            app(["diagnose", "--robot", "nao", "--wear", "emil", "--plot", str(FOLDER)], standalone_mode=False)
            continue
        with tempfile.TemporaryDirectory() as folder:
            written = write(run(name), folder)
            for picture in written.pictures:
                if picture.stem in SHOWN[name]:
                    shutil.copy(picture, FOLDER / f"{name}-{picture.stem}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
