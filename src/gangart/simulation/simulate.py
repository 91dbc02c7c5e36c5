"""The loop: read, tick, write, until the time is over or the robot lies; everything is recorded at the physics rate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gangart.control.engine import Engine
from gangart.errors import BadValue
from gangart.signals import Array, Bools, Command, Recording
from gangart.simulation.log import columns
from gangart.simulation.world import World

if TYPE_CHECKING:
    from gangart.recordings import RecordingWriter

Commands = Command | Callable[[float], Command]
_BLOCK = 1.0  # [s] that are handed on to the recording at once


def simulate(
    world: World,
    engine: Engine,
    command: Commands,
    duration: float,
    *,
    record: Path | None = None,
    info: dict[str, Any] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Recording:
    """Let an engine walk a robot for a while.

    Args:
        world: where the robot stands as the engine wants it (see `standing`).
        engine: is reset first.
        command: one for the whole time, or a function of the time [s].
        duration: [s]; a fall ends the run one second later.
        record: an MCAP file that grows while the robot walks, so that an interruption loses nothing.
        info: what else to note in the recording.
        progress: called with the simulated time [s] about every tenth of a second.

    Returns:
        The recording; `info["fell"]` holds the time of a fall [s] or None, `info["notes"]` what was limited.
    """
    if not (np.isfinite(duration) and duration > 0.0):
        raise BadValue(f"duration is {duration!r} s; it has to be a positive number")
    commands = command if callable(command) else (lambda _: command)
    info = {"tick": world.robot.tick, "fell": None, "notes": [], **(info or {})}
    engine.reset(world.read())
    blocks: list[dict[str, Array | Bools]] = []
    with _writer(record, world, info) as writer:
        log = _ReferenceLog(engine)

        def collect() -> None:
            block = log.columns(columns(world, world.take()))
            blocks.append(block)
            if writer is not None:
                writer.append(block)

        ticks = max(1, round(duration / world.robot.tick))
        per_block, per_report = round(_BLOCK / world.robot.tick), max(1, round(0.1 / world.robot.tick))
        end = ticks
        k = 0
        while k < end:
            reading = world.read()
            targets = engine.tick(commands(reading.time), reading)
            log.add(targets.time)
            world.write(targets)
            k += 1
            if engine.notes:
                _remember(info["notes"], engine.notes)
            if info["fell"] is None and world.fallen:
                info["fell"] = world.time
                end = min(end, k + per_block)
            if k % per_block == 0:
                collect()
            if progress is not None and k % per_report == 0:
                progress(world.time)
        if world.rows:
            collect()
    joined = {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}
    return Recording(
        robot=world.robot.name, joints=world.robot.joints, legs=tuple(world.robot.legs), info=info, **joined
    )


def _writer(record: Path | None, world: World, info: dict[str, Any]) -> AbstractContextManager[RecordingWriter | None]:
    if record is None:
        return nullcontext()
    from gangart.recordings import RecordingWriter

    robot = world.robot
    return RecordingWriter(
        record,
        robot=robot.name,
        joints=robot.joints,
        legs=tuple(robot.legs),
        n_force_sensors=world.pressure.shape[1],
        info=info,
    )


def _remember(notes: list[str], new: tuple[str, ...]) -> None:
    for note in new:
        if note not in notes:
            notes.append(note)


class _ReferenceLog:
    """The engine's references, tick by tick, brought to the times of the physics steps."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        first = engine.reference
        self._time, self._zmp, self._com = [-np.inf], [first.zmp], [first.com]
        self._support = [first.support]

    def add(self, due: float) -> None:
        """Note what the engine wants at the time `due` [s]."""
        reference = self._engine.reference
        self._time.append(due)
        self._zmp.append(reference.zmp)
        self._com.append(reference.com)
        self._support.append(reference.support)

    def columns(self, block: dict[str, Array | Bools]) -> dict[str, Array | Bools]:
        """Add the references to a block of columns."""
        time = block["time"]
        ticks = np.array(self._time)
        if not np.isfinite(ticks[0]):
            ticks[0] = time[0]
        zmp, com = np.array(self._zmp), np.array(self._com)
        now = np.searchsorted(ticks, time + 1e-9, side="right") - 1
        block["zmp_reference"] = np.column_stack([np.interp(time, ticks, zmp[:, i]) for i in range(2)])
        block["com_reference"] = np.column_stack([np.interp(time, ticks, com[:, i]) for i in range(3)])
        block["support"] = np.array(self._support)[np.maximum(now, 0)]
        self._time, self._zmp = [ticks[-1]], self._zmp[-1:]
        self._com, self._support = self._com[-1:], self._support[-1:]
        return block
