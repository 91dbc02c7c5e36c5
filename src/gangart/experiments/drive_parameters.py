"""What every experiment on a robot with motor drives hangs on: mass, gains, limits."""

from __future__ import annotations

from gangart.experiments.report import Parameter
from gangart.robots import Robot


def drive_parameters(robot: Robot) -> tuple[Parameter, ...]:
    """Motor and cascade of the robot file."""
    drive, motor = robot.drive, next(iter(robot.motors.values()))
    assert drive is not None
    own = "robot file; the thesis leaves it open (table 3.1)"
    return (
        Parameter("robot", robot.name, note=robot.title),
        Parameter("position gain", drive.position_gain, "", f"1/s, {own}"),
        Parameter("velocity gain", drive.velocity_gain, "N m s/rad", f"behind the gear, {own}"),
        Parameter("velocity integral", drive.velocity_integral, "N m/rad", own),
        Parameter("current limit", drive.current_limit, "A", "table 3.1"),
        Parameter("speed limit", drive.speed_limit, "rad/s", "of the shaft, table 3.1: 40 turns per second"),
        Parameter("input filter", drive.filter, "", "1/s, critically damped, second order, 5.5"),
        Parameter("targets", 1.0 / robot.tick, "Hz", "5.5"),
        Parameter("gear ratio", motor.gear_ratio, "", "3.3.6"),
        Parameter("torque constant", motor.torque_constant, "", "N m/A, from 100 rpm/V"),
        Parameter("rotor inertia", motor.rotor_inertia, "kg m²", "estimate"),
        Parameter("supply", motor.supply, "V", "3.3.7"),
    )
