"""A cyclic gait on four legs (Bahr 8.1), tick by tick: legs swing in turn to where the body will need them.

Open loop the robot does what the plan says: feet that stand move against the wanted velocity, a foot that swings lands
where it will have to stand. A `Balance` takes the robot's own sensors in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gangart.control import balance_kernel, load_kernel
from gangart.control import cyclic_kernel as kernel
from gangart.control.balance import Balance, BodySense
from gangart.control.bearing import Bearing
from gangart.control.drive_lead import DriveLead
from gangart.control.engine import Reference
from gangart.control.following import PoseFollower, around
from gangart.control.leaning import GATHER, Lean
from gangart.control.rolling import Rolling
from gangart.errors import BadRobot, choose
from gangart.footsteps.velocity import limit_command
from gangart.gaits import Morph, timing
from gangart.kinematics import AbductionLegs
from gangart.robots import Gait, Robot
from gangart.signals import Array, BodyPose, Bools, Command, JointTargets, SensorReading

_MOMENT = 2e-3  # [s] over which joint speeds and accelerations are differenced
_WILD = 2000.0  # [rad/s²] beyond that nothing is made up for: a step is late
_G = 9.81  # [m/s²]
_AT_HOME = 2e-3  # [m] from its home a foot need not step there
_EDGE = 0.05  # [1] part of the cycle in which a leg takes its load over, or hands it on
_NOBODY = np.zeros(4, dtype=bool)  # of four legs


class CyclicEngine:
    """Walks a robot of four legs in one of its gaits.

    Args:
        robot: with closed-form legs ("abduction") and `[gaits]` in its file.
        gait: the name of one of them, or settings of your own.
        bearing: whether motors are asked for as much more as they give way under the robot's weight; for motors with
            a drive, which give way.
        balance: how to react to what the sensors say; None is open loop.
    """

    reference: Reference
    notes: tuple[str, ...]  # what is limited now, in sentences
    _halting: bool
    _came: Bools
    _velocity: Array
    _bears: Array

    def __init__(self, robot: Robot, gait: str | Gait, *, bearing: bool = True, balance: Balance | None = None) -> None:
        if robot.leg_kinematics != "abduction" or len(robot.legs) != 4:
            raise BadRobot(f'a cyclic gait needs four legs with kinematics = "abduction"; {robot.name} has others')
        self.robot = robot
        self.legs = AbductionLegs(robot)
        self.bearing, self.lead = None, None
        if bearing and robot.drive is not None:
            self.bearing, self.lead = Bearing(robot, self.legs), DriveLead(robot.drive, len(robot.joints))
        self.balance = balance
        self.sense = BodySense(robot, self.legs, balance.trust) if balance is not None else None
        if balance is not None:
            self._gains = np.array([balance.footing, balance.levelling])
            self._times = np.array([balance.finding, balance.righting])
        self.radius = np.array([leg.radius for leg in robot.legs.values()])
        self._points, self._still, self._unwanted = np.empty((4, 3)), np.zeros(4), np.zeros(2)
        self._adopt(gait if isinstance(gait, Gait) else robot.gaits[choose("gait", gait, robot.gaits)])
        self._restart()

    def _adopt(self, gait: Gait) -> None:
        """Be of a gait."""
        self.gait = gait
        self.timing = timing(gait.footfall, gait.overlap, gait.cycle, tuple(self.robot.legs))
        self._duty = np.full(len(self.robot.legs), self.timing.duty)  # of each leg since it came down
        homes = self.legs.all_forward(self.robot.home_position)
        homes[:, 1] += np.copysign(gait.spread, homes[:, 1])
        self.homes = np.column_stack([homes[:, :2], self.radius - gait.height])  # (n_legs, 3) [m] level frame
        self._follower = PoseFollower(self.legs, around(self.homes, gait, self.timing.stance))
        self._lean = Lean(self.homes, self.timing, gait)
        self._morph: Morph | None = None

    # ------------------------------------------------------------------ what every engine has

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands before the first step: joints [rad], base position [m], base yaw [rad]."""
        self._restart()
        q = self._bent()
        return q + self._given_way(q), np.array([0.0, 0.0, self.gait.height]), 0.0

    def reset(self, reading: SensorReading) -> None:
        """Begin anew: the robot stands as in `stance`."""
        self._restart()
        self._time = reading.time

    @property
    def settings(self) -> dict[str, Any]:
        """What this engine was made with, as JSON can say it."""
        from dataclasses import asdict

        return {"gait": asdict(self.gait), "bearing": self.bearing is not None}

    @property
    def pose(self) -> BodyPose:
        """How the body is to be held; it gets there smoothly, as far as the legs reach."""
        return self._follower.wanted

    @pose.setter
    def pose(self, pose: BodyPose) -> None:
        self._follower.aim(pose, stands=self.stopped)

    @property
    def stopped(self) -> bool:
        """Whether the robot was asked to stop and stands in the gait's stance."""
        return self._halting and self._lean.part == 0.0 and bool(self._came.all())

    def stop(self) -> None:
        """Come to the gait's stance and stay there: each foot goes home in its next swing, then the lean ends."""
        if not self._halting:
            self._halting = True
            self._came[:] = False

    def start(self) -> None:
        """Walk again, also before the robot stands."""
        if self.stopped:
            self._since, self._cycles = 0.0, self.timing.before_lift(_EDGE)
            self._phase = self.timing.phase(self._cycles)
        self._halting = False

    def change(self, gait: str) -> None:
        """Become another gait while walking, within some cycles; raises BadRobot where that takes a stop."""
        goal = self.robot.gaits[choose("gait", gait, self.robot.gaits)]
        self._morph = Morph(self.timing, self.gait, goal, tuple(self.robot.legs))
        self._lean.fade()

    def begin(self, gait: str, place: Array, feet: Array, held: Array) -> None:
        """Stand still in about the stance of a gait, as after `stop`.

        Args:
            gait: its name.
            place: of the base in the plan: x, y [m], yaw [rad].
            feet: where they are on the floor beside that place (n_legs, 2) [m].
            held: the body's pose beside the gait's own (6,) x, y, z [m], roll, pitch, yaw [rad].
        """
        pose = self.pose
        self._adopt(self.robot.gaits[choose("gait", gait, self.robot.gaits)])
        self._restart()
        self._body[:], self._ground[:, :2], self._halting = place, feet, True
        self._came[:] = True
        self._follower.value[:], self.pose = held, pose
        self._rest()
        self.reference = self._reference()

    def where(self) -> tuple[Array, Array, Array]:
        """Place, feet and held pose of now, as `begin` has them."""
        return self._body.copy(), self._ground[:, :2].copy(), self._held(0.0)

    @property
    def changing(self) -> bool:
        """Whether it is on its way to another gait."""
        return self._morph is not None

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick."""
        dt = self.robot.tick
        due = reading.time + dt
        velocity, limited = self._toward(command, dt)
        self._gaining = (velocity[:2] - self._velocity[:2]) / dt
        self._gaining += velocity[2] * np.array([-velocity[1], velocity[0]])
        self._velocity = velocity
        self._balance(reading)
        self._move(dt)
        self._step(due, dt)
        q, speed, acceleration, base = self._motion()
        self._ground[:, :2] += self._rolling.step(q, self.radius, self.standing, dt)
        if self.bearing is not None and self.lead is not None:
            give = self.bearing.moved(q, speed, acceleration, base, self._points, self._bears)
            q, speed = self.lead.ask(q, speed, acceleration, give, dt)
        self.notes = (*limited, *self._follower.notes, *self._unreached())
        self.reference = self._reference()
        return JointTargets(due, q, speed)

    # ------------------------------------------------------------------ state

    def _restart(self) -> None:
        n = len(self.homes)
        self._velocity = np.zeros(3)
        self._gaining = np.zeros(2)  # [m/s²] the body's acceleration ahead and to the left
        self._going = np.zeros(3)  # vx, vy [m/s], wz [rad/s] of the body over the feet that stand
        self._outward = np.zeros(2)  # [m] by which feet land farther out
        self._raised, self._rising = np.zeros(n), np.zeros(n)  # [m], [m/s] of feet under a tilted body
        if self.sense is not None:
            self.sense.reset()
        self._body = np.zeros(3)  # x, y [m], yaw [rad] where the plan has it
        self._ground = self.homes.copy()  # where feet stand
        self._lifted = self.homes.copy()
        self._landing = self.homes.copy()
        self.standing = np.ones(n, dtype=bool)
        self._since = 0.0  # [s] since the start
        self._lean.part = 0.0
        self._halting = False
        self._came = np.zeros(n, dtype=bool)  # which feet came home since the stop
        self._bears = np.ones(n)  # how much of its share each leg bears
        self._landed = np.zeros(n, dtype=bool)  # which stand since they landed, and not from the beginning
        self._follower.restart()
        self._cycles = self.timing.before_lift(_EDGE)
        self._phase = self.timing.phase(self._cycles)
        self._rolling = Rolling(self.legs.columns, self.robot.home_position, self.standing)
        self._status = np.zeros(n, dtype=np.int64)
        self.notes = ()
        self._rest()
        self.reference = self._reference()

    def _rest(self) -> None:
        """Nothing has moved until now."""
        q = self._bent()
        self._rolling = Rolling(self.legs.columns, q, self.standing)
        if self.lead is not None:
            self.lead.rest(self._given_way(q))

    def _toward(self, command: Command, dt: float) -> tuple[Array, tuple[str, ...]]:
        """The velocity that is wanted now: limited, and no faster there than the gait accelerates."""
        wanted, notes = limit_command(command, self.gait)  # type: ignore[arg-type]  # has the same four limits
        if self._since < self._gather or self._halting:
            wanted = Command()
        change = np.array([wanted.vx, wanted.vy, wanted.wz]) - self._velocity
        length = math.hypot(change[0], change[1])
        most = self.gait.acceleration * dt
        if length > most:
            change[:2] *= most / length
        turn = self.gait.turn_acceleration * dt
        change[2] = min(max(change[2], -turn), turn)
        return self._velocity + change, notes

    @property
    def _gather(self) -> float:
        return GATHER if self.gait.lean else 0.0

    def _balance(self, reading: SensorReading) -> None:
        """What legs do about a velocity that nobody wanted."""
        self._going = self._velocity
        if self.balance is None or self.sense is None:
            return
        b, phase = self.balance, self._phase
        settled = self.standing & (phase > 0.1 * self.timing.duty) if self._since > self._gather else self.standing
        self.sense.update(reading, settled, self._velocity[2])
        unwanted = self._unwanted
        balance_kernel.unwanted(self.sense.velocity, self._velocity, b.quiet, unwanted)
        self._going = self._velocity.copy()
        self._going[:2] += b.yielding * unwanted
        self._going[2] += b.steering * self.sense.astray
        out = b.capture * unwanted
        far = math.hypot(out[0], out[1])
        self._outward = out * min(1.0, b.farthest / far) if far else out
        tilt = self.sense.tilt + b.lead * self.sense.tilting
        balance_kernel.follow_ground(
            self._raised, self._rising, self._points, self.standing, tilt, self._gains, self._times,
            self.robot.tick,
        )  # fmt: skip

    def _move(self, dt: float) -> None:
        """Body and ground go on by a tick."""
        v, yaw = self._velocity, self._body[2] + self._velocity[2] * dt / 2.0
        c, s = math.cos(yaw), math.sin(yaw)
        self._body += dt * np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])
        kernel.carry(self._ground, self._going, dt)
        kernel.carry(self._lifted, self._going, dt)
        kernel.carry(self._landing, self._going, dt)  # a foot that lands now stays where it was to land

    def _step(self, due: float, dt: float) -> None:
        """Feet lift and land as their phases say."""
        self._since += dt
        self._follower.aim(self.pose, stands=self.stopped)
        self._follower.step(dt)
        if self._halting and not self._came.all() and not self._velocity.any():
            far = np.abs(self._ground - self.homes).max(axis=1)
            self._came = self._came | (self.standing & (far < _AT_HOME))
        resting = self._halting and bool(self._came.all())
        self._lean.step(dt, bool(self._gather), resting)
        if not self._running:
            self._bear()
            return
        self._become(dt)
        before = self._phase < self._duty
        self._cycles += dt / self.gait.cycle
        self._phase = self.timing.phase(self._cycles)
        now = self._phase < self._duty
        stays = self._came if self._halting else _NOBODY
        lifts, lands = before & ~now & self.standing & ~stays, now & ~self.standing
        if lifts.any():
            self._lifted[lifts] = self._ground[lifts]
            self.standing = self.standing & ~lifts
        if lands.any():
            self._ground[lands] = self._landing[lands]
            self.standing = self.standing | lands
            self._landed |= lands
            self._duty = np.where(lands, self.timing.duty, self._duty)
            if self._halting and not self._velocity.any():
                self._came = self._came | lands
        self._aim()
        self._bear()

    def _become(self, dt: float) -> None:
        """Go on on the way to another gait."""
        if self._morph is None:
            return
        self._morph.step(dt)
        self.gait, self.timing = self._morph.gait, self._morph.timing
        if self._morph.done:
            self._morph = None
            self._lean.become(self.homes, self.timing, self.gait)
            self._follower.surround(around(self.homes, self.gait, self.timing.stance))

    @property
    def _running(self) -> bool:
        """Whether the cycle goes on."""
        return self._since > self._gather and not self.stopped

    def _aim(self) -> None:
        """Where swinging feet land, as a place on the ground, seen from the base now."""
        left = (1.0 - self._phase) * self.gait.cycle  # [s] until each lands
        half_stance = self.gait.ahead * self.timing.stance / 2.0
        kernel.aim(
            self.homes, self.standing, left, self._velocity, self._going, half_stance, self._outward, self._landing
        )

    # ------------------------------------------------------------------ from feet to joints

    def _held(self, later: float) -> Array:
        """Pose of the base in the level frame: x, y, z [m], roll, pitch, yaw [rad]."""
        held = self._follower.at(later)
        held[:2] += self._leant(later)
        return held

    def _leant(self, later: float) -> Array:
        """How far the body leans away from the foot in the air (2,) [m], an instant [s] later."""
        begun = later if self._running else 0.0  # the cycle waits until the body leans
        resting = self._halting and bool(self._came.all())
        return self._lean.at(later, self._cycles + begun / self.gait.cycle, self.gait, self._velocity, resting)

    def _bent(self) -> Array:
        """Joint angles [rad] that put the feet where they belong when the targets are due."""
        return self._motion()[0]

    def _motion(self) -> tuple[Array, Array, Array, Array]:
        """Joint angles, speeds and accelerations, and the acceleration of the base, when the targets are due."""
        q, d = np.empty((3, len(self.robot.joints))), _MOMENT
        q[:] = self.robot.home_position
        held = np.array([self._held(-d), self._held(d), self._held(0.0)])  # the last one leaves its points
        drift = self._still if self._morph is None else self._morph.touch_rate
        stride = kernel.Stride(
            self.gait.cycle, drift, self.standing, self._phase, self._duty, self._ground, self._lifted, self._landing,
            self._rolling.speeds, self._going, self.gait.step_height, self._raised, self._rising,
        )  # fmt: skip
        kernel.legs_at(d, stride, held, self.legs.numbers, self.legs.columns, _WILD, self._points, self._status, q)
        base = (held[0, :3] + held[1, :3] - 2.0 * held[2, :3]) / (d * d)
        base[:2] += self._gaining
        return q[2], q[0], q[1], base

    def _given_way(self, q: Array) -> Array:
        """By what joints at q [rad] give way under the robot's weight [rad], where the feet are in `_points`."""
        if self.bearing is None:
            return np.zeros_like(q)
        return self.bearing.given_way(q, self._points, self._bears, self._pressed())

    def _bear(self) -> None:
        """A leg takes its load over after landing, and hands it on before it lifts."""
        if not self._running:
            self._bears[:], self._landed[:] = np.where(self.standing, 1.0, 0.0), False
            return
        stays = self._came if self._halting else _NOBODY
        self._landed &= ~stays
        load_kernel.take_loads(self._bears, self._landed, self.standing, self._phase, self._duty, stays, _EDGE)

    def _pressed(self) -> Array:
        """How far from below the centre of mass the robot presses on the ground (2,) [m], as it leans in a circle."""
        turn = 2.0 * math.pi / self.gait.cycle if self._running else 0.0
        return self.gait.height / _G * turn * turn * self._leant(0.0)

    def _unreached(self) -> tuple[str, ...]:
        names = list(self.robot.legs)
        return tuple(
            f"leg '{names[i]}' does not reach where the gait wants its foot" for i in np.flatnonzero(self._status)
        )

    def _reference(self) -> Reference:
        held = self._held(0.0)
        c, s = math.cos(self._body[2]), math.sin(self._body[2])
        x = self._body[0] + c * held[0] - s * held[1]
        y = self._body[1] + s * held[0] + c * held[1]
        return Reference(np.array([x, y]), np.array([x, y, self.gait.height + held[2]]), self.standing.copy())
