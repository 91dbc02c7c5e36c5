"""Hold a robot file against its model: every name exists there, and the two do not contradict each other."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from gangart.errors import BadRobot, suggest

if TYPE_CHECKING:
    from gangart.robots.robot import Leg, Robot


def hinges(spec: mujoco.MjSpec, file: str) -> tuple[str, ...]:
    """The names of all hinges, in the model's order."""
    names = tuple(j.name for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_HINGE)
    if "" in names:
        body = next(j.parent.name for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_HINGE and not j.name)
        raise BadRobot(f"{file}: a hinge of body '{body}' has no name; every hinge needs one")
    return names


def check(robot: Robot, spec: mujoco.MjSpec) -> None:
    """Raise BadRobot with one sentence on the first contradiction."""
    file = robot.model_path.name
    bodies = {b.name for b in spec.bodies} - {"world"}
    for leg in robot.legs.values():
        where = f"leg '{leg.name}'"
        _known(where, "body", leg.foot, bodies, file)
        _known_joints(where, leg.joints, robot)
        _check_chain(where, leg, spec, file)
    for arm in robot.arms.values():
        _known_joints(f"arm '{arm.name}'", (arm.swing,), robot)
    _known("[imu]", "body", robot.imu.body, bodies, file)
    _known_joints("[home]", robot.home, robot)
    _check_motors(robot)
    _check_coupled(robot)
    _check_transmission(robot)
    _check_obstacles(robot)
    _check_home(robot)
    for gait in robot.gaits.values():
        for name in gait.into:
            if name not in robot.gaits:
                raise BadRobot(f"gait '{gait.name}': there is no gait '{name}' to become; {suggest(name, robot.gaits)}")


def _known(where: str, kind: str, name: str, names: Collection[str], file: str) -> None:
    if name not in names:
        raise BadRobot(f"{where}: {kind} '{name}' is not in {file}; {suggest(name, names)}")


def _known_joints(where: str, joints: Collection[str], robot: Robot) -> None:
    for joint in joints:
        _known(where, "joint", joint, robot.joints, robot.model_path.name)


def _check_chain(where: str, leg: Leg, spec: mujoco.MjSpec, file: str) -> None:
    """The leg's joints have to lead to its foot, in order."""
    on_the_way: list[str] = []
    body = spec.body(leg.foot)
    while body is not None and body.name != "world":
        on_the_way = [j.name for j in body.joints] + on_the_way
        body = body.parent
    for joint in leg.joints:
        if joint not in on_the_way:
            raise BadRobot(f"{where}: joint '{joint}' does not move foot '{leg.foot}' in {file}")
    in_order = sorted(leg.joints, key=on_the_way.index)
    if in_order != list(leg.joints):
        raise BadRobot(f"{where}: joints have to be listed from the hip to the foot: {', '.join(in_order)}")


def _check_motors(robot: Robot) -> None:
    driven: dict[str, str] = {}
    for motor in robot.motors.values():
        _known_joints(f"motor '{motor.name}'", motor.joints, robot)
        for joint in motor.joints:
            if joint in driven:
                raise BadRobot(f"motor '{motor.name}': joint '{joint}' already has motor '{driven[joint]}'")
            if joint in robot.coupled:
                leader = robot.coupled[joint]
                raise BadRobot(f"motor '{motor.name}': joint '{joint}' is coupled to '{leader}', whose motor turns it")
            driven[joint] = motor.name


def _check_coupled(robot: Robot) -> None:
    for follower, leader in robot.coupled.items():
        _known_joints("[coupled]", (follower, leader), robot)
        if leader in robot.coupled:
            raise BadRobot(f"[coupled]: '{follower}' follows '{leader}', which follows another joint itself")
        if robot.home.get(follower, 0.0) != robot.home.get(leader, 0.0):
            raise BadRobot(f"[home]: '{follower}' and '{leader}' are coupled, so their angles have to be equal")


def _check_transmission(robot: Robot) -> None:
    for hub, ratios in robot.transmission.items():
        _known_joints("[transmission]", (hub, *ratios), robot)
    if abs(np.linalg.det(robot.hubs)) < 1e-9:
        raise BadRobot("[transmission]: the hubs do not tell all joints apart; each joint needs a hub of its own")
    if robot.drive is not None:
        without = [j for j in robot.joints if robot.motor_of(j) is None or j in robot.coupled]
        if without:
            raise BadRobot(f"[drive]: joint '{without[0]}' has no motor of its own; a driven robot has one per joint")


def _check_obstacles(robot: Robot) -> None:
    for obstacle in robot.obstacles.values():
        for leg in obstacle.legs:
            if leg not in robot.legs:
                raise BadRobot(f"obstacle '{obstacle.name}': no leg '{leg}'; {suggest(leg, robot.legs)}")


def _check_home(robot: Robot) -> None:
    low, high = robot.joint_limits.T
    home = robot.home_position
    outside = np.flatnonzero((home < low) | (home > high))
    if outside.size:
        i = int(outside[0])
        lo, hi = np.degrees(robot.joint_limits[i])
        raise BadRobot(
            f"[home]: joint '{robot.joints[i]}' at {np.degrees(home[i]):.1f}° is outside its limits {lo:.1f}…{hi:.1f}°"
        )
