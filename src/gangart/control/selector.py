"""Which gait has the legs (Bahr 7.5, figure 7.1): an engine that stands for all gaits of a robot, and changes them.

Where the robot's file says that a pair of gaits allows it, one becomes the other while walking. Otherwise the gait that
walks is asked to stop; when it stands, the robot is repositioned to the stance that the next one begins from; and then
that one starts. Only the gait that is active gets the command.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from gangart.control.balance import Balance
from gangart.control.cyclic import CyclicEngine
from gangart.control.engine import Reference
from gangart.control.leg_control import LegControl, Stance
from gangart.control.reposition import Demands, moved_stance, neutral_below, plan_reposition
from gangart.control.repositioning import RepositionEngine
from gangart.control.rising import lying, plan_lie_down, plan_stand_up
from gangart.control.segments import RepositionPlan
from gangart.control.transfer import Transfer
from gangart.errors import BadRobot, Unreachable, choose
from gangart.robots import Gait, Robot
from gangart.signals import Array, BodyPose, Command, JointTargets, SensorReading, Wish

STAND, LIE = "stand", "lie"
State = Literal["lying", "standing", "repositioning", "walking", "stopping"]
_REST = 0.4  # [s] after the last foot came home
_THERE = 4e-3  # [m] beside its home a gait takes a foot as it is


class GaitSelector:
    """Stands, walks in any gait of the robot, lies down, and goes from each to each.

    Args:
        robot: with closed-form legs ("abduction") and `[gaits]` in its file.
        gait: what to begin with: "stand", "lie" or a gait.
        bearing: as for `CyclicEngine`.
        balance: as for `CyclicEngine`, in every gait.
        demands: of repositionings.
    """

    reference: Reference
    notes: tuple[str, ...]  # what is limited or refused now, in sentences
    state: State
    gait: str  # that is active, or was last
    selected: str | Stance  # what the robot is, or is on its way to
    _wished: str | None
    lies: bool  # whether it lies, or is on its way from there or to there: a low trunk is no fall then

    def __init__(
        self,
        robot: Robot,
        gait: str = STAND,
        *,
        bearing: bool = True,
        balance: Balance | None = None,
        demands: Demands | None = None,
    ) -> None:
        if not robot.gaits:
            raise BadRobot(f"{robot.name}'s file has no [gaits]: there is nothing to select")
        self.robot = robot
        self.gaits = (STAND, *robot.gaits, LIE)  # that can be selected, in the order of their buttons
        self._begin = choose("gait", gait, self.gaits)
        first = gait if gait in robot.gaits else next(iter(robot.gaits))
        self.walker = CyclicEngine(robot, first, bearing=bearing, balance=balance)
        self.legs = LegControl(robot, bearing=bearing)
        self.demands = replace(demands or Demands(), there=_THERE)
        self._transfer = Transfer(robot.tick)
        self._restart()

    # ------------------------------------------------------------------ what every engine has

    def stance(self) -> tuple[Array, Array, float]:
        """How the robot stands or lies before: joints [rad], base position [m], base yaw [rad]."""
        self._restart()
        return self.walker.stance() if self._walks else self.mover.stance()

    def reset(self, reading: SensorReading) -> None:
        """Begin anew: the robot is as in `stance`."""
        self._restart()
        self.walker.reset(reading)
        if self.state == "standing":
            self.walker.stop()

    @property
    def settings(self) -> dict[str, Any]:
        """What this engine was made with, as JSON can say it."""
        return {**self.walker.settings, "gait": self._begin, "margin": self.demands.margin}

    @property
    def pose(self) -> BodyPose:
        """How the body is to be held, standing and walking."""
        return self._pose

    @pose.setter
    def pose(self, pose: BodyPose) -> None:
        self._pose = pose

    def obey(self, wish: Wish) -> None:
        """Take pose and gait of who steers; a gait counts when it is another than the last."""
        self._pose = wish.pose
        if wish.gait is not None and wish.gait != self._wished:
            self._wished = wish.gait
            self.select(wish.gait)

    def select(self, gait: str | Stance) -> None:
        """Go over to a gait, to "stand" or "lie", or to a stance in the frame of where the robot stands then."""
        self.selected = gait if isinstance(gait, Stance) else choose("gait", gait, self.gaits)
        self._refused = ""

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        """Joint targets for the end of this tick."""
        self._go_on()
        self.walker.pose = self._pose
        engine = self.walker if self._walks else self.mover
        targets = engine.tick(command if self.state == "walking" else Command(), reading)
        self.reference = engine.reference
        self.notes = (*self._told(command), *engine.notes)
        return self._transfer.smoothed(targets, self.walker if self._walks else self.mover.plan)

    # ------------------------------------------------------------------ figure 7.1

    def _restart(self) -> None:
        self.selected, self.gait = self._begin, self.walker.gait.name
        self._at: str | Stance = LIE if self._begin == LIE else STAND  # what the robot is while it does not move
        self._pose, self._wished, self._refused = BodyPose(), None, ""
        self._walks = self._begin != LIE  # who has the legs: the gait, or else the mover
        self._way: list[tuple[RepositionPlan, Array]] = []  # plans that follow, and where their frames are
        self._transfer.forget()
        flat = lying(self.legs) if self._begin == LIE else self._home(self.walker.gait)
        load = 0.0 if self._begin == LIE else 1.0
        self.mover = RepositionEngine(self.legs, RepositionPlan(flat, flat, (), 0.0, load))
        self.lies = self._begin == LIE
        self.state = "lying" if self.lies else ("standing" if self._begin == STAND else "walking")
        self.reference = (self.walker if self._walks else self.mover).reference
        self.notes = ()

    def _told(self, command: Command) -> tuple[str, ...]:
        idle = command != Command() and self.state in ("standing", "lying")
        return tuple(note for note in (self._refused, "the robot does not walk: select a gait" if idle else "") if note)

    def _go_on(self) -> None:
        """Events that have come about since the last tick."""
        if self.state == "walking" and self.selected != self.gait:
            self._leave()
        if self.state == "stopping":
            if self.selected == self.gait:
                self.walker.start()
                self.state = "walking"
            elif self.walker.stopped:  # gaitStopped, as soon as nothing rocks any more
                self._rested += self.robot.tick
                if self._rested >= _REST:
                    self.state = "standing"
        if self.state == "repositioning" and self.mover.done:  # repositionDone
            self._arrive()
        if self.state in ("standing", "lying") and self.selected != self._at:  # gaitSelected
            self._depart()

    def _leave(self) -> None:
        """Become another gait, or stop."""
        if self.walker.changing:
            return
        if isinstance(self.selected, str) and self.selected in self.walker.gait.into:
            self.gait = self.selected
            self.walker.change(self.gait)
            return
        self.walker.stop()
        self.state, self._rested = "stopping", 0.0

    def _depart(self) -> None:
        """Plan the way to what is selected; where there is none the robot stays, and says why."""
        try:
            self._end = self._plan(self.selected)
        except Unreachable as error:
            self._refused, self.selected = str(error), self._at
            return
        self.state = "repositioning"
        self._walks = False
        self._arrive()

    def _plan(self, goal: str | Stance) -> _End:
        """The plans that lead to a goal, and what it is then."""
        place, now = self._now()
        way = []
        if self._at == LIE:
            up = plan_stand_up(self.legs, self.walker.gait.height)
            way.append((up, place))
            now = up.goal
        frame = neutral_below(self.legs, now).pose[[0, 1, 5]]
        there = carried(place, frame)
        if goal == LIE:
            down = plan_lie_down(self.legs, self.walker.gait.height)
            middle = neutral_below(self.legs, down.start).pose
            frame = carried(frame, np.array([-middle[0], -middle[1], 0.0]))  # so that feet can stay
            there = carried(place, frame)
            way.append((self._to(now, down.start, frame), place))
            way.append((down, there))
        elif isinstance(goal, Stance):
            way.append((self._to(now, goal, frame), place))
        else:
            gait = self.gait if goal == STAND else goal
            way.append((self._to(now, self._home(self.robot.gaits[gait]), frame), place))
        self._way = way
        return _End(goal, there)

    def _home(self, gait: Gait) -> Stance:
        """How a gait begins and ends."""
        return self.legs.home(gait.height, gait.spread)

    def _now(self) -> tuple[Array, Stance]:
        """Where a ground frame lies, and how the robot stands in it."""
        if not self._walks:
            return self.mover.place, self.mover.now
        place, feet, held = self.walker.where()
        held[2] += self.walker.gait.height
        return place, Stance(feet, held)

    def _to(self, now: Stance, goal: Stance, frame: Array) -> RepositionPlan:
        return plan_reposition(self.legs, now, moved_stance(goal, *frame), self.demands)

    def _arrive(self) -> None:
        """Take up the next plan, or hand the legs to what they all led to."""
        while self._way:
            plan, place = self._way.pop(0)
            self.lies = self._at == LIE or (self._end.goal == LIE and not self._way)
            self.mover.begin(plan, place)
            if not self.mover.done:
                return
        goal = self._end.goal
        self._at = goal if goal == LIE or isinstance(goal, Stance) else STAND
        self.lies = goal == LIE
        self.state = "lying" if goal == LIE else "standing"
        if self._at != STAND:
            return
        name = self.gait if goal == STAND else str(goal)
        feet = seen_from(self._end.place, self.mover.place, self.mover.now.feet)
        self.walker.begin(name, self._end.place, feet, np.zeros(6))
        self._walks, self.gait = True, name
        if goal != STAND:
            self.walker.start()
            self.state = "walking"


@dataclass(frozen=True, eq=False)
class _End:
    """What a way leads to."""

    goal: str | Stance
    place: Array  # x, y [m], yaw [rad] in the world


def carried(place: Array, frame: Array) -> Array:
    """A frame x, y [m], yaw [rad] of another one, as the world has it."""
    c, s = math.cos(place[2]), math.sin(place[2])
    x, y = place[0] + c * frame[0] - s * frame[1], place[1] + s * frame[0] + c * frame[1]
    return np.array([x, y, place[2] + frame[2]])


def seen_from(place: Array, other: Array, points: Array) -> Array:
    """Points (n, 2) [m] of another frame, in the frame at a place; both x, y [m], yaw [rad] in the world."""
    world = np.array([carried(other, np.array([*p, 0.0]))[:2] for p in points]) - place[:2]
    c, s = math.cos(place[2]), math.sin(place[2])
    return np.column_stack([c * world[:, 0] + s * world[:, 1], c * world[:, 1] - s * world[:, 0]])
