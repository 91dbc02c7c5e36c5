"""Change the command while walking, push the robot, record everything, and read it back."""

import tempfile
from pathlib import Path

from gangart.control import BipedEngine
from gangart.recordings import load as load_recording
from gangart.robots import load
from gangart.signals import Command
from gangart.simulation import Ground, Push, World, simulate


def command(time: float) -> Command:
    """Ahead, then a turn, then stand."""
    if time < 3.0:
        return Command(vx=0.15)
    return Command(vx=0.05, wz=0.4) if time < 5.0 else Command()


robot = load("nao")
engine = BipedEngine(robot)
world = World(robot, ground=Ground(friction=0.6))
world.reset(*engine.stance())
world.push(Push(time=2.0, duration=0.05, force=(0.0, 4.0, 0.0)))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "run.mcap"
    simulate(world, engine, command, duration=7.0, record=path)
    recording = load_recording(path)
print(f"{len(recording)} rows, {recording.duration:.1f} s, columns: {', '.join(recording.columns())}")
