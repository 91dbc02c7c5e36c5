"""Walk a Nao in simulation and print how well it went."""

from gangart.analysis import walk_figures
from gangart.control import BipedEngine
from gangart.robots import load
from gangart.signals import Command
from gangart.simulation import World, simulate

robot = load("nao")
engine = BipedEngine(robot)
world = World(robot)
world.reset(*engine.stance())

recording = simulate(world, engine, Command(vx=0.15), duration=6.0)
figures = walk_figures(recording, robot)
print(f"{figures.mean_velocity[0]:.3f} m/s, {figures.steps} steps, fell: {figures.fell}")
