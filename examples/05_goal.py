"""Walk to a goal on a slippery floor, once knowing where the robot is and once following the first plan blindly."""

import math

from gangart.control import BipedEngine
from gangart.robots import load
from gangart.simulation import Ground, World
from gangart.simulation.goal import walk_to

robot, goal = load("nao"), (0.4, 0.2, math.radians(90.0))
engine, world = BipedEngine(robot, step_error=0.1), World(robot, ground=Ground(0.3))  # steps are a tenth too long
for word, online in (("online", True), ("open loop", False)):
    world.reset(*engine.stance())
    found = walk_to(world, engine, goal, online=online)
    off, askew = 1e3 * found.position_error, math.degrees(found.yaw_error)
    print(f"{word}: {found.steps} steps, {off:.0f} mm and {askew:.1f}° from the goal")
