"""Planning a whole walk: gangart with all joint angles at 100 Hz against placo's pattern generator alone."""

from __future__ import annotations

from statistics import median

from benchmarks.peer import NoPeer, PeerFailed, Placo
from benchmarks.row import Row, Setting, at_most, missing, told
from benchmarks.timing import ratio, seconds, take_turns
from gangart.control import BipedEngine
from gangart.robots import Robot, load
from gangart.signals import Command

STEPS = 12
SPEED = 0.2  # [m/s]
_NAMES = ("plan of 12 steps / placo", "plan of 12 steps / placo on our time grid", "plan / placo with joint angles")
_USUAL = 8  # time steps per single support: placo's default is 10, and 8 gives exactly our double support as well


def rows(setting: Setting) -> list[Row]:
    """Our time over that of placo."""
    engine = BipedEngine(load("nao"))
    walk = OwnWalk(engine)
    try:
        with Placo(setting.peers, engine.robot) as placo:
            return _compare(setting, walk, PlacoWalk(placo, walk))
    except NoPeer as problem:
        own = median(take_turns(setting.rounds(15, 5), own=lambda: seconds(walk.plan))["own"])
        failed = isinstance(problem, PeerFailed)
        return [missing(name, str(problem), failed=failed, gangart=own) for name in _NAMES]


def _compare(setting: Setting, walk: OwnWalk, peer: PlacoWalk) -> list[Row]:
    walk.plan()  # warm
    peer.plan(_USUAL)
    usual = take_turns(
        setting.rounds(15, 5),
        gangart=lambda: seconds(walk.plan),
        placo=lambda: peer.plan(_USUAL),
        joints=peer.angles,
    )
    fine = take_turns(
        setting.rounds(3, 1), gangart=lambda: seconds(walk.plan), placo=lambda: peer.plan(peer.same_grid())
    )
    span = f"{STEPS} steps and {walk.duration:.2f} s of both"
    whole = [plan + angles for plan, angles in zip(usual["placo"], usual["joints"], strict=True)]
    return [
        at_most(
            _NAMES[0], ratio(usual["gangart"], usual["placo"]), "x", 1.0,
            f"{span}; gangart: footsteps, body at {1e3 * walk.dt:.0f} ms, all joint angles at {1 / walk.dt:.0f} Hz;"
            f" placo: WalkPatternGenerator.plan alone, at {1e3 * peer.dt(_USUAL):.0f} ms",
            gangart=median(usual["gangart"]), placo=median(usual["placo"]),
        ),
        at_most(
            _NAMES[1], ratio(fine["gangart"], fine["placo"]), "x", 1.0,
            f"the same with placo at {1e3 * peer.dt(peer.same_grid()):.0f} ms as well",
            gangart=median(fine["gangart"]), placo=median(fine["placo"]),
        ),
        told(
            _NAMES[2], ratio(usual["gangart"], whole), "x",
            f"placo's plan at {1e3 * peer.dt(_USUAL):.0f} ms, then WalkTasks and one KinematicsSolver.solve for each"
            f" {1e3 * walk.dt:.0f} ms, which stays within {peer.off:.1g} m and rad of its targets",
            gangart=median(usual["gangart"]), placo=median(whole),
        ),
    ]  # fmt: skip


class OwnWalk:
    """A straight walk of a number of steps, with the time that placo needs for the same."""

    def __init__(self, engine: BipedEngine) -> None:
        """Stand as long after the last step as before the first one."""
        self.engine, self.robot, self.timing, self.dt = engine, engine.robot, engine.timing, engine.robot.tick
        self.stand = self.timing.start + self.timing.double_support  # [s] on both feet at first
        self.duration = 2.0 * self.stand + STEPS * self.timing.step - self.timing.double_support
        self._walk, self._stop = Command(SPEED), Command()
        self._until = next(u for u in self._times() if self._steps(u) == STEPS)

    def plan(self) -> None:
        """What is timed."""
        self.engine.plan(self._command, self.duration)

    def _command(self, time: float) -> Command:
        return self._walk if time < self._until else self._stop

    def _times(self) -> list[float]:
        """When one might stop [s]: in the middle of each step."""
        return [self.stand + (i + 0.5) * self.timing.step for i in range(STEPS)]

    def _steps(self, until: float) -> int:
        self._until = until
        return len(self.engine.plan(self._command, self.duration).footsteps)


class PlacoWalk:
    """The same walk in placo."""

    off = 0.0  # [m], [rad] largest distance from a target that was seen

    def __init__(self, placo: Placo, walk: OwnWalk) -> None:
        """Take over timing, height and stride; what differs is the method."""
        self._placo, self._walk, self._timing = placo, walk, walk.timing

    def same_grid(self) -> int:
        """Time steps per single support with which placo plans at gangart's dt."""
        return round(self._timing.single_support / self._walk.dt)

    def dt(self, grid: int) -> float:
        """Time step [s] of placo's plan."""
        return self._timing.single_support / grid

    def plan(self, grid: int) -> float:
        """Time of one plan [s]."""
        settings = _settings(self._walk.robot, self._walk, grid)
        assert self._walk.robot.walk is not None
        height = self._walk.robot.walk.com_height
        stride = SPEED * self._timing.step
        found = self._placo.ask("plan", walk=settings, steps=STEPS, stride=stride, com=[0.0, 0.0, height])
        if found["steps"] != STEPS or abs(found["end"] - self._walk.duration) > 1e-6:
            raise PeerFailed(f"placo planned {found['steps']} steps in {found['end']:.2f} s, which is another walk")
        return float(found["seconds"])

    def angles(self) -> float:
        """Time of the joint angles for the last plan [s]."""
        found = self._placo.ask("angles", dt=self._walk.dt)
        self.off = max(self.off, found["off"])
        return float(found["seconds"])


def _settings(robot: Robot, walk: OwnWalk, grid: int) -> dict[str, float]:
    """The same walk in placo's parameters."""
    assert robot.walk is not None
    outline = robot.legs["left"].outline
    single = walk.timing.single_support
    return {
        "single_support_duration": single,
        "single_support_timesteps": grid,
        "double_support_ratio": walk.timing.double_support / single,
        "startend_double_support_ratio": walk.stand / single,
        "walk_com_height": robot.walk.com_height,
        "walk_foot_height": robot.walk.step_height,
        "walk_trunk_pitch": 0.0,
        "feet_spacing": robot.walk.foot_spacing,
        "foot_length": float(outline[:, 0].max() - outline[:, 0].min()),
        "foot_width": float(outline[:, 1].max() - outline[:, 1].min()),
        "zmp_margin": 0.02,  # [m] as in placo's own examples
        "walk_max_dx_forward": robot.walk.limits.step_forward,
    }
