"""Many walks at once, open loop: one robot in many worlds that differ in wear and ground, on all cores.

Each simulation does what a `World` with its wear and ground does when `simulate` replays the same targets in it, bit
for bit, on any number of threads: it runs on the very model that this world would have. Engines that look at their
sensors need a world of their own; a search over parameters, or how a plan fares on a hundred machines, does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco import batch

from gangart.control.biped import WalkPlan
from gangart.control.replay import Replay
from gangart.errors import BadValue
from gangart.robots import Robot
from gangart.robots.wear import Wear
from gangart.signals import Array, Command, SensorReading
from gangart.simulation.callbacks import silence
from gangart.simulation.encoder import encoders
from gangart.simulation.fidelity import Fidelity, Ground
from gangart.simulation.joints import Joints, checked_stance
from gangart.simulation.model import build_model
from gangart.simulation.setpoints import approach, substeps
from gangart.simulation.walks import Run, Walks

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
_NOTHING = int(mujoco.mjtStage.mjSTAGE_NONE)
_SIZES = ("nq", "nv", "na", "nu", "nbody", "ngeom", "ntendon", "nsensordata")  # what makes rows alike


class Worlds:
    """One robot in many worlds."""

    def __init__(
        self,
        robot: Robot,
        fidelity: Fidelity,
        wears: Sequence[Wear | None],
        grounds: Ground | Sequence[Ground] | None = None,
        *,
        threads: int = 0,
    ) -> None:
        """One world for each wear.

        Args:
            robot: in each of them.
            fidelity: of each; its sensor delay does not matter, as nobody reads.
            wears: one for each simulation; None where the fidelity needs none. All have to give the robot the same
                joints and states: the same worn motors and `link_parts`, and an integral part in all or in none.
            grounds: one for all, or one for each.
            threads: on which they run; 0 takes all cores.
        """
        places = [grounds or Ground()] * len(wears) if grounds is None or isinstance(grounds, Ground) else grounds
        if not wears or len(places) != len(wears):
            raise BadValue(f"{len(wears)} wears and {len(places)} grounds; each simulation has one of either")
        if robot.drive is not None and fidelity.motor:
            raise BadValue(f"{robot.name}'s motors have drives, which only a single World knows yet: walk it there")
        self.robot, self.fidelity = robot, fidelity
        self.wears, self.grounds = tuple(wears), tuple(places)
        self.substeps = substeps(robot, fidelity)
        built = [build_model(robot, fidelity, *world) for world in zip(self.grounds, self.wears, strict=True)]
        self.models = tuple(model for model, _ in built)
        self._factors = np.array([factors for _, factors in built])  # (n_sim, n_u / 2)
        _check_alike(self.models)
        self._batch = batch.Batch(self.models[0], nsim=len(wears), nthread=threads)
        self._batch.set_models(self.models)
        self.columns = Joints(self.models[0], robot, at_joint=True)
        self._driven = np.array([i for i, j in enumerate(robot.joints) if j not in robot.coupled], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.models)

    def walk(
        self,
        targets: Replay | WalkPlan,
        stance: tuple[Array, Array, float],
        duration: float,
        *,
        settle: float = 1.0,
        every: int = 1,
    ) -> Walks:
        """Replay the same targets in all worlds.

        Args:
            targets: of a recording (`Replay.of_recording`), or the plan of an engine.
            stance: how the robot stands before: joints [rad], base position [m], base yaw [rad].
            duration: [s]; a fall ends a simulation one second later, as in `simulate`.
            settle: how long it comes to rest before [s].
            every: physics steps from one row that is kept to the next; memory is n_sim · n · n_state numbers.
        """
        if not (np.isfinite(duration) and duration > 0.0 and every >= 1):
            raise BadValue(f"duration is {duration!r} s and one row per {every} steps; both have to be positive")
        ticks = max(1, round(duration / self.robot.tick))
        stance = checked_stance(self.robot, *stance, settle)
        replay = targets if isinstance(targets, Replay) else _replay(targets, self.robot)
        setpoints = self._setpoints(replay, stance[0], ticks)
        run = Run(self.models, self.columns, self.fidelity, self.robot, ticks, every)
        with silence, encoders(*self.models):
            self._stand(run, stance, setpoints[0], round(settle / self.fidelity.step))
            for a in run.blocks(run.count):
                control = np.repeat(setpoints[None, a + 1 : a + 1 + run.block], len(run.running), axis=0)
                control[:, :, 1::2] *= self._factors[run.running, None]
                run.keep(a, self._roll(run, control))
        return run.walks()

    def _setpoints(self, targets: Replay, joints: Array, ticks: int) -> Array:
        """Those of the servos, (n + 1, n_u), at the robot's ticks as a world interpolates them."""
        n, tick = self.substeps, self.robot.tick
        out = np.zeros((ticks * n + 1, self.models[0].nu))
        out[0, 0::2] = joints[self._driven]
        blank = np.zeros(len(joints))
        for k in range(ticks):
            reading = SensorReading(k * tick, blank, blank, np.zeros(3), np.zeros(3), np.zeros((0, 0)))
            wanted = targets.tick(Command(), reading)
            rows = out[k * n : (k + 1) * n + 1]
            if not approach(wanted.position, wanted.velocity, self._driven, self.fidelity.step, rows):
                raise BadValue(f"targets for {wanted.time:.4f} s are not finite: a joint has no angle or no speed")
        return out

    def _stand(self, run: Run, stance: tuple[Array, Array, float], setpoints: Array, steps: int) -> None:
        """Put all robots there and let them come to rest, as `World.reset` does."""
        b = self._batch
        b.reset(stage=_NOTHING)
        for qpos in b.bind("qpos"):
            self.columns.stand(qpos, *stance)
        run.last = self._rows()
        for a in run.blocks(steps):
            n = min(run.block, steps - a)
            run.settle(self._roll(run, np.tile(setpoints, (len(run.running), n, 1))))
        b.bind("time")[:] = 0.0
        b.ctrl = setpoints
        b.forward(ids=run.running)  # one that has exploded would warn
        run.begin(self._rows())

    def _roll(self, run: Run, control: Array) -> Array:
        """States (n_run, n, n_state) after each step of those that still run, with setpoints (n_run, n, n_u)."""
        rolled = self._batch.rollout(control.shape[1], control, record=(_STATE,), ids=run.running)
        return np.asarray(rolled[_STATE])

    def _rows(self) -> Array:
        """States of all simulations (n_sim, n_state)."""
        model = self.models[0]
        out = np.empty((len(self), mujoco.mj_stateSize(model, _STATE)))
        for whole, row in zip(self._batch.state, out, strict=True):
            mujoco.mj_extractState(model, whole, mujoco.mjtState.mjSTATE_INTEGRATION, row, _STATE)
        return out


def _replay(plan: WalkPlan, robot: Robot) -> Replay:
    """A plan's targets, as an engine that asks for nothing else."""
    time = plan.joints.time
    velocity = np.gradient(plan.joints.position, robot.tick, axis=0)
    support = plan.footsteps.contacts(time)
    return Replay(time, plan.joints.position, velocity, plan.body.zmp, plan.body.com, support, robot.tick)


def _check_alike(models: Sequence[mujoco.MjModel]) -> None:
    """Models whose states mean different things cannot run together."""
    for k, model in enumerate(models):
        for name in _SIZES:
            here, first = getattr(model, name), getattr(models[0], name)
            if here != first:
                raise BadValue(
                    f"simulation {k} has {name} = {here}, and the first one {first}: all wears need the same worn "
                    "motors and link_parts, and an integral part in all or in none"
                )
