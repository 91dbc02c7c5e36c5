"""What is the body? Robots of ours by name, the user's by path."""

from gangart.robots.load import load, names
from gangart.robots.obstacles import Obstacle
from gangart.robots.robot import Arm, Drive, Gait, Imu, Leg, Limits, Motor, Robot, Servo, Walk

__all__ = [
    "Arm",
    "Drive",
    "Gait",
    "Imu",
    "Leg",
    "Limits",
    "Motor",
    "Obstacle",
    "Robot",
    "Servo",
    "Walk",
    "load",
    "names",
]
