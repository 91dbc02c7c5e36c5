"""Joint torques and the ZMP of the whole body against a bare loop of mj_inverse over the very same samples."""

from __future__ import annotations

from statistics import median

import mujoco
import numpy as np

from benchmarks.row import Row, Setting, at_most
from benchmarks.timing import ratio, seconds, take_turns
from gangart.control import BipedEngine
from gangart.dynamics import joint_torques, multibody_zmp
from gangart.robots import load
from gangart.signals import Array, Command

DURATION, SPEED = 60.0, 0.2  # [s], [m/s]
BAR = 1.5


def rows(setting: Setting) -> list[Row]:
    """Ours over bare MuJoCo."""
    run = Run(DURATION)
    run.torques(), run.zmp(), run.loop()  # warm
    found = take_turns(setting.rounds(25, 9), torques=run.torques, zmp=run.zmp, mj_inverse=run.loop)
    loop = median(found["mj_inverse"])
    samples = f"{len(run.qpos)} samples of a walk at {SPEED:g} m/s"
    return [
        at_most(
            "joint_torques() / loop of mj_inverse", ratio(found["torques"], found["mj_inverse"]), "x", BAR,
            f"{samples}, {100 * run.double:.0f} % in double support, from joint angles to torques, soles' wrenches and"
            " ZMP, over a Python loop that sets qpos, qvel and qacc and calls mj_inverse",
            torques=median(found["torques"]), mj_inverse=loop,
        ),
        at_most(
            "multibody_zmp() / loop of mj_inverse", ratio(found["zmp"], found["mj_inverse"]), "x", BAR,
            "the same samples and loop", zmp=median(found["zmp"]), mj_inverse=loop,
        ),
    ]  # fmt: skip


class Run:
    """One planned walk; each method gives its time [s]."""

    qpos: Array  # (n, nq)
    qvel: Array  # (n, nv)
    qacc: Array  # (n, nv)

    def __init__(self, duration: float) -> None:
        """The Nao for `duration` [s], in ticks of its engine."""
        self.robot = load("nao")
        plan = BipedEngine(self.robot).plan(Command(SPEED), duration)
        self.motion = plan.joints
        self.contacts = plan.footsteps.contacts(plan.joints.time)
        self.double = float(self.contacts.all(axis=1).mean())
        self.model = self.robot.spec().compile()
        disable = mujoco.mjtDisableBit
        self.model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_EQUALITY | disable.mjDSBL_LIMIT
        self._data = mujoco.MjData(self.model)
        self._coordinates()

    def torques(self) -> float:
        """All that joint_torques does."""
        return seconds(lambda: joint_torques(self.robot, self.motion, self.contacts))

    def zmp(self) -> float:
        """All that multibody_zmp does."""
        return seconds(lambda: multibody_zmp(self.robot, self.motion))

    def loop(self) -> float:
        """The inverse dynamics sample by sample from Python, results kept where MuJoCo has them."""
        return seconds(self._sample_by_sample)

    def _sample_by_sample(self) -> None:
        model, data = self.model, self._data
        for q, v, a in zip(self.qpos, self.qvel, self.qacc, strict=True):
            data.qpos, data.qvel, data.qacc = q, v, a
            mujoco.mj_inverse(model, data)

    def _coordinates(self) -> None:
        """MuJoCo's coordinates of the walk, and their differences, which the bare loop does not have to make."""
        robot, motion = self.robot, self.motion
        n, dt = len(motion.time), float(motion.time[1] - motion.time[0])
        flat = np.zeros((n, self.model.nv))
        flat[:, :3], flat[:, 5], flat[:, robot.dof_index] = motion.base_position, motion.base_yaw, motion.position
        self.qpos = np.zeros((n, self.model.nq))
        self.qpos[:, :3], self.qpos[:, robot.qpos_index] = motion.base_position, motion.position
        self.qpos[:, 3], self.qpos[:, 6] = np.cos(motion.base_yaw / 2.0), np.sin(motion.base_yaw / 2.0)
        self.qvel = np.gradient(flat, dt, axis=0)
        self.qacc = np.gradient(self.qvel, dt, axis=0)
