"""placo (github.com/Rhoban/placo) in a process of its own: it needs another Pinocchio than gangart's tests."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from benchmarks.urdf import to_urdf
from gangart.errors import GangartError
from gangart.robots import Robot

_CHILD = Path(__file__).with_name("placo_child.py")


class NoPeer(GangartError):
    """The peer is not installed."""


class PeerFailed(NoPeer):
    """The peer is there, but it ended early or planned something else."""


class Placo:
    """A robot in placo; `ask` waits for the answer, so that nothing runs beside what is timed."""

    def __init__(self, peers: Path, robot: Robot) -> None:
        """Start the child with the interpreter of the environment `peers`."""
        python = peers / "bin" / "python"
        if not python.exists():
            raise NoPeer(f"placo was not measured: there is no {python}; `make bench` sets it up")
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed with the child
        self._child = subprocess.Popen(
            [str(python), "-u", "-P", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )
        home = dict(zip(robot.joints, robot.home_position.tolist(), strict=True))
        self._exchange({"urdf": to_urdf(robot), "joints": home, "coupled": robot.coupled})

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Call a method of `placo_child.Peer`."""
        return self._exchange({"do": do, **request})

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        try:
            self._child.stdin.write(json.dumps(request) + "\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: its last words say why
        line = self._child.stdout.readline()
        if not line:
            raise PeerFailed(f"placo was not measured: {self._last_words()}")
        return cast("dict[str, Any]", json.loads(line))

    def _last_words(self) -> str:
        self._child.wait()
        self._stderr.seek(0)
        lines = self._stderr.read().strip().splitlines()
        return lines[-1] if lines else f"it ended with code {self._child.returncode}"

    def __enter__(self) -> Placo:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.communicate()  # closes its input, at which it ends
        self._stderr.close()
