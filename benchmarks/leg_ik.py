"""Inverse kinematics of one leg: the closed form against two numeric peers, one solve of each and all the way."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.mink_leg import MinkLeg
from benchmarks.peer import NoPeer, PeerFailed, Placo
from benchmarks.row import Row, Setting, at_least, missing, told
from benchmarks.timing import quiet, ratio, take_turns
from gangart.kinematics import HipYawPitchLegs
from gangart.kinematics.hip_yaw_pitch import inverse
from gangart.robots import Robot, load
from gangart.signals import Array

LEG = "left"
TOLERANCE = 1e-6  # [m] and [rad] at which a numeric solution counts as converged
BAR = 5.0
_POSES = 100
_PASSES = 10  # over all poses in one measurement: a single pass is over before caches are warm
_AROUND = 0.25  # [rad] how far the targets are from the resting posture, in each joint
_PLACO = ("placo: one solve / closed form", "placo: solves to 1e-6 / closed form", "placo: one solve / bare kernel")


def rows(setting: Setting) -> list[Row]:
    """Peers over gangart: how many times faster the closed form is."""
    robot = load("nao")
    legs = HipYawPitchLegs(robot)
    poses = targets(robot, legs)
    own = OwnLeg(legs, poses)
    return [
        *_against_mink(setting, robot, own, poses),
        *_against_placo(setting, robot, own, poses),
        _in_an_array(setting, own),
    ]


def _against_mink(setting: Setting, robot: Robot, own: OwnLeg, poses: Array) -> list[Row]:
    peer = MinkLeg(robot, LEG, poses, TOLERANCE)
    own.call(), peer.converge()  # warm
    found = take_turns(setting.rounds(9, 3), gangart=own.call, converge=peer.converge, solve=lambda: peer.single)
    alone = median(found["gangart"])
    return [
        at_least(
            "mink: one solve / closed form", ratio(found["solve"], found["gangart"]), "x", BAR,
            "solve_ik with DAQP, joint limits and one FrameTask, on a model of the leg alone;"
            " closed form: one call of HipYawPitchLegs.inverse, which ends at the target",
            mink=median(found["solve"]), gangart=alone,
        ),
        at_least(
            "mink: solves to 1e-6 / closed form", ratio(found["converge"], found["gangart"]), "x", BAR,
            f"{peer.iterations:.1f} solves each, {100 * peer.reached:.0f} % of the targets reached",
            mink=median(found["converge"]), gangart=alone,
        ),
    ]  # fmt: skip


def _against_placo(setting: Setting, robot: Robot, own: OwnLeg, poses: Array) -> list[Row]:
    last: dict[str, Any] = {}

    def ask() -> float:
        joints = list(robot.legs[LEG].joints)
        last.update(placo.ask("leg", joints=joints, poses=_PASSES * poses.tolist(), tolerance=TOLERANCE))
        return float(last["solve"])

    own.call(), own.kernel()  # warm
    try:
        with Placo(setting.peers, robot) as placo:
            ask()  # warm
            found = take_turns(
                setting.rounds(9, 3),
                gangart=own.call, kernel=own.kernel, solve=ask, converge=lambda: float(last["converge"]),
            )  # fmt: skip
    except NoPeer as problem:
        return [missing(name, str(problem), failed=isinstance(problem, PeerFailed)) for name in _PLACO]
    alone, solve = median(found["gangart"]), median(found["solve"])
    return [
        told(
            _PLACO[0], ratio(found["solve"], found["gangart"]), "x",
            "one step towards the pose, not the pose: KinematicsSolver.solve with joint limits and one frame task, all"
            " but the leg masked; the update_kinematics before it is not counted",
            placo=solve, gangart=alone,
        ),
        at_least(
            _PLACO[1], ratio(found["converge"], found["gangart"]), "x", BAR,
            f"{last['iterations']:.1f} solves with update_kinematics each,"
            f" {100 * last['reached']:.0f} % of the targets reached",
            placo=median(found["converge"]), gangart=alone,
        ),
        told(
            _PLACO[2], ratio(found["solve"], found["kernel"]), "x",
            "the compiled kernel called from Python, without HipYawPitchLegs.inverse's checks around it",
            placo=solve, kernel=median(found["kernel"]),
        ),
    ]  # fmt: skip


def _in_an_array(setting: Setting, own: OwnLeg) -> Row:
    found = take_turns(setting.rounds(9, 3), alone=own.call, array=own.array)
    note = f"a pose alone over a pose among {len(own.many)}, both with HipYawPitchLegs.inverse"
    return told(
        "closed form: alone / in an array", ratio(found["alone"], found["array"]), "x", note,
        alone=median(found["alone"]), array=median(found["array"]),
    )  # fmt: skip


def targets(robot: Robot, legs: HipYawPitchLegs) -> Array:
    """Poses of the sole in the base (n, 4, 4) that the leg reaches, all around the resting posture."""
    columns = [robot.joint_index[name] for name in robot.legs[LEG].joints]
    home, limits = robot.home_position[columns], robot.joint_limits[columns]
    away = np.random.default_rng(7).uniform(-_AROUND, _AROUND, (_POSES, len(columns)))
    return legs.forward(LEG, np.clip(home + away, limits[:, 0] + 0.01, limits[:, 1] - 0.01))


class OwnLeg:
    """The closed form, at three levels of convenience."""

    def __init__(self, legs: HipYawPitchLegs, poses: Array) -> None:
        """Poses (n, 4, 4) of the sole in the base."""
        self.legs, self.poses = legs, _PASSES * list(poses)
        self.many = np.tile(poses, (100, 1, 1))

    def call(self) -> float:
        """Mean time of one pose, alone [s]."""
        with quiet():
            begin = perf_counter()
            for pose in self.poses:
                self.legs.inverse(LEG, pose)
            return (perf_counter() - begin) / len(self.poses)

    def kernel(self) -> float:
        """Mean time of one pose with the kernel that `call` ends in [s]."""
        numbers = self.legs.numbers[list(self.legs.robot.legs).index(LEG)]
        angles = np.empty(6)
        with quiet():
            begin = perf_counter()
            for pose in self.poses:
                inverse(pose, numbers, angles)
            return (perf_counter() - begin) / len(self.poses)

    def array(self) -> float:
        """Mean time of one pose among many [s]."""
        with quiet():
            begin = perf_counter()
            self.legs.inverse(LEG, self.many)
            return (perf_counter() - begin) / len(self.many)
