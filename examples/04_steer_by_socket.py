"""Steer a robot from another program: JSON messages through a socket, here from a thread of the same one."""

import json
import socket
import threading

from gangart.control import BipedEngine
from gangart.control.sources import Network, commands
from gangart.robots import load
from gangart.simulation import World, simulate


def steer(port: int, done: threading.Event) -> None:
    """Ask for a curve to the left, fifty times a second; a robot that hears nothing for half a second stands still."""
    number = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        while not done.wait(0.02):
            number += 1
            message = {"seq": number, "vx": 0.1, "wz": 0.3}
            sender.sendto(json.dumps(message).encode(), ("127.0.0.1", port))


robot = load("nao")
engine, world = BipedEngine(robot), World(robot)
world.reset(*engine.stance())
with Network(port=0) as source:  # any free port; `gangart drive nao --source socket:9870` listens on a fixed one
    done = threading.Event()
    sender = threading.Thread(target=steer, args=(source.address[1], done))
    sender.start()
    try:
        recording = simulate(world, engine, commands(source), duration=5.0)
    finally:
        done.set()
        sender.join()
x, y, _ = recording.base_position[-1]
print(f"walked to x {x:.2f} m, y {y:.2f} m; {source.ignored} messages ignored")
