"""The loop: read, tick, write, until the time is over or the robot lies; everything is recorded at the physics rate."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gangart import __version__
from gangart.control.engine import Engine
from gangart.errors import BadValue
from gangart.signals import Array, Bools, Command, JointTargets, Recording, SensorReading, StateEstimate
from gangart.simulation.callbacks import silence
from gangart.simulation.explosion import Diverged
from gangart.simulation.log import columns
from gangart.simulation.references import ReferenceLog
from gangart.simulation.world import Raw, World

if TYPE_CHECKING:
    from gangart.recordings import RecordingWriter

Commands = Command | Callable[[float], Command]
Observer = Callable[[SensorReading], StateEstimate]
_BLOCK = 1.0  # [s] that are handed on to the recording at once
AFTER_FALL = 1.0  # [s] that a fallen robot is still watched
_REPORT = 0.1  # [s] between two reports of progress


def simulate(
    world: World,
    engine: Engine,
    command: Commands,
    duration: float,
    *,
    observer: Observer | None = None,
    until: Callable[[], bool] = lambda: False,
    record: Path | None = None,
    info: dict[str, Any] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Recording:
    """Let an engine walk a robot for a while.

    Args:
        world: where the robot stands as the engine wants it, e.g. after `world.reset(*engine.stance())`.
        engine: is reset first.
        command: one for the whole time, or a function of the time [s].
        duration: [s]; a fall ends the run one second later.
        observer: makes of each reading an estimate of the state, which the engine gets with it: a filter, or the truth
            (`lambda reading: world.truth()`).
        until: asked after each tick; true ends the run.
        record: an MCAP file that grows while the robot walks, so that an interruption loses nothing.
        info: what else to note in the recording.
        progress: called with the simulated time [s] about every tenth of a second.

    Returns:
        The recording. Its info holds the robot, the command (a dict, or "varying"), the tick [s], the engine, the
        double step duration [s] where the engine has one, ground, fidelity, pushes, the version of gangart; as
        "fell" the time of a fall [s] or None, as "diverged" why the physics came to no end or None, and as "notes" what
        was limited.
    """
    if not (np.isfinite(duration) and duration > 0.0):
        raise BadValue(f"duration is {duration!r} s; it has to be a positive number")
    commands = command if callable(command) else (lambda _: command)
    about = _about(world, engine, command) | (info or {})
    about["notes"] = list(about["notes"])
    world.take()  # what was before does not belong to this run
    engine.reset(world.read())
    with silence, world.encoders, _writer(record, world, about) as writer:
        log = _Log(world, engine, writer, max(1, round(duration / world.robot.tick)) * world.substeps)
        try:
            _walk(world, _Loop(engine, commands, observer, until), duration, log, about, progress)
        finally:  # an interruption, too, keeps what happened since the last block
            if world.rows:
                log.collect()
            elif about["diverged"]:
                log.collect_if_empty()
            if writer is not None:
                writer.info.update(about)
    return log.recording(about)


@dataclass(frozen=True)
class _Loop:
    """What stands between reading and writing."""

    engine: Engine
    commands: Callable[[float], Command]
    observer: Observer | None
    until: Callable[[], bool]

    def tick(self, reading: SensorReading) -> JointTargets:
        """Observe, and ask the engine."""
        if self.observer is not None:
            reading = replace(reading, state=self.observer(reading))
        return self.engine.tick(self.commands(reading.time), reading)


def _walk(
    world: World,
    loop: _Loop,
    duration: float,
    log: _Log,
    about: dict[str, Any],
    progress: Callable[[float], None] | None,
) -> None:
    def ticks(time: float) -> int:
        return max(1, round(time / world.robot.tick))

    end, per_block, per_report = ticks(duration), ticks(_BLOCK), ticks(_REPORT)
    k, engine = 0, loop.engine
    while k < end and not loop.until():
        targets = loop.tick(world.read())
        log.references.add(targets.time, engine.reference)
        try:
            world.write(targets)
        except Diverged as error:  # what has happened until then is worth keeping
            about["diverged"] = str(error)
            return
        k += 1
        if engine.notes:
            about["notes"] += [note for note in engine.notes if note not in about["notes"]]
        if about["fell"] is None and world.fallen and not getattr(engine, "lies", False):
            about["fell"] = world.time
            end = min(end, k + ticks(AFTER_FALL))
        if k % per_block == 0:
            log.collect()
        if progress is not None and (k % per_report == 0 or k == end):
            progress(world.time)


class _Log:
    """Hands the world's log on to memory and to the file, block by block."""

    def __init__(self, world: World, engine: Engine, writer: RecordingWriter | None, room: int) -> None:
        """`room`: rows of the recording if nothing ends it early."""
        self.references = ReferenceLog(world.time, engine.reference)
        self._world, self._writer = world, writer
        self._columns: dict[str, Array | Bools] = {}
        self._rows, self._room = 0, room

    def collect_if_empty(self) -> None:
        """Where there was not one step, the instant at which it should have begun: figures need a row."""
        if not self._rows:
            self.collect(self._world.instant())

    def collect(self, raw: Raw | None = None) -> None:
        """Everything since the last time."""
        with _uninterrupted():
            block = columns(self._world, self._world.take() if raw is None else raw)
            block |= self.references.columns(np.asarray(block["time"], dtype=float))
            self._keep(block)
            if self._writer is not None:
                self._writer.append(block)

    def _keep(self, block: dict[str, Array | Bools]) -> None:
        """Write a block where it belongs: to put all of them together in the end would take them twice."""
        if not self._columns:
            self._columns = {k: np.empty((self._room, *v.shape[1:]), v.dtype) for k, v in block.items()}
        a, b = self._rows, self._rows + len(block["time"])
        for name, values in block.items():
            self._columns[name][a:b] = values
        self._rows = b

    def recording(self, about: dict[str, Any]) -> Recording:
        """All blocks as one recording."""
        robot, n = self._world.robot, self._rows
        whole = n == self._room
        joined: dict[str, Any] = {k: v if whole else v[:n].copy() for k, v in self._columns.items()}
        return Recording(robot=robot.name, joints=robot.joints, legs=tuple(robot.legs), info=about, **joined)


def _about(world: World, engine: Engine, command: Commands) -> dict[str, Any]:
    """What a reader of the recording wants to know."""
    about: dict[str, Any] = {
        "gangart": __version__,
        "robot": world.robot.name,
        "engine": type(engine).__name__,
        "settings": getattr(engine, "settings", {}),
        "command": asdict(command) if isinstance(command, Command) else "varying",
        "tick": world.robot.tick,
        "ground": asdict(world.ground),
        "fidelity": asdict(world.fidelity),
        "sensing": asdict(world.sensing),
        "wear": world.wear.name if world.wear is not None else None,
        "pushes": [asdict(push) for push in world.pushes],
        "fell": None,
        "diverged": None,
        "notes": [],
    }
    walk = getattr(engine, "walk", None)
    return about if walk is None else about | {"double_step_duration": walk.double_step_duration}


def _writer(record: Path | None, world: World, about: dict[str, Any]) -> AbstractContextManager[RecordingWriter | None]:
    if record is None:
        return nullcontext()
    from gangart.recordings import RecordingWriter

    robot = world.robot
    return RecordingWriter(
        record,
        robot=robot.name,
        joints=robot.joints,
        legs=tuple(robot.legs),
        n_force_sensors=world.soles.most,
        info=about,
    )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C until the block is done: half a block in the file would be there twice in the end."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    asked: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if asked:
            signal.raise_signal(signal.SIGINT)
