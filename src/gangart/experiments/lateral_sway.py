"""5.2, figures 5.6 to 5.13: why the robot rocks itself over sideways, and why another ZMP reference stops that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from gangart.experiments.lateral_figures import pictures
from gangart.experiments.lateral_mechanism import Mechanism, mechanism
from gangart.experiments.lateral_tables import landings_table, levels_table, near_table, steps_table, walks_table
from gangart.experiments.lateral_walks import (
    BOTH,
    COMMAND,
    COMPENSATIONS,
    DOUBLE_STEP,
    FRICTION,
    PLACE,
    PLAIN,
    ZMP,
    Trial,
    settings,
    trial,
    with_free_rolls,
)
from gangart.experiments.report import Parameter, Report, Row, Setting, Verdict
from gangart.experiments.torso_path import torso_path
from gangart.pattern.zmp import ZmpName
from gangart.robots import Robot, load
from gangart.robots.wear import Wear, worn
from gangart.simulation import fidelity_of

LEVELS = ("BS", "BS+GT", "BS+FK", "BS+MT", "BS+MT+FK", "BS+MT+GT", "VS")
DOUBLE_STEPS = (1.5, 1.7, 1.9, 2.1, 2.3)  # [s] in which the real robot falls (5.2)
ANKLE = 0.05  # [m] beside the middle, where the robot's own ZMP rests
LONGER = 0.25  # [1] another double support
FREE_ROLLS = "rolls of hips and ankles turn 40° either way"
NEAR = {  # what is otherwise: place of the ZMP [m], part of the time on both feet
    "ZMP under the ankle, at 50 mm": (ANKLE, None),
    "25 % double support": (PLACE, LONGER),
    "both": (ANKLE, LONGER),
}
STATIONARY: ZmpName = "stationary"
BEZIER: ZmpName = "bezier"


@dataclass(frozen=True)
class Found:
    """All walks of the experiment."""

    walks: list[Trial]  # both references, all compensations
    levels: list[Trial]  # the stationary ZMP on every level of realism
    steps: dict[float, list[Trial]]  # both references, plain and ZMP-compensated, by double step [s]
    near: dict[str, list[Trial]]  # stationary, with one thing otherwise
    fall: Mechanism | None  # of the walk that the figures show

    def of(self, zmp: str, what: str) -> list[Trial]:
        """The walks with a reference and a compensation, one for each preset."""
        return [t for t in self.walks if (t.zmp, t.compensation) == (zmp, what)]

    @property
    def shown(self) -> Trial:
        """The stationary walk that the figures show: the first that falls, or the last."""
        plain = self.of(STATIONARY, PLAIN)
        return next((t for t in plain if t.fell), plain[-1])

    def beside(self, zmp: str, what: str) -> Trial:
        """Another walk of the preset that the figures show."""
        return next(t for t in self.of(zmp, what) if t.preset == self.shown.preset)


def run(setting: Setting) -> Report:
    """Both ZMP references on every worn Nao, and what happens when one of them falls."""
    robot = load("nao")
    presets = worn(robot)
    if setting.quick:
        presets = {name: presets[name] for name in (min(presets), max(presets))}
    found = _walk_all(robot, presets, setting)
    duration = 8.0 if setting.quick else 60.0
    fall = f"worn Nao {found.shown.preset}"
    return Report(
        title="Sideways sway, and a ZMP reference against it",
        question="At 5 cm/s with double steps of 2 s the robot of the thesis rocks itself over. Is it the motors, "
        "what does a swing foot do that lands too early, and does a ZMP reference that moves like the body stop it? "
        "Both references, plain, with algorithm 5.1 and with offsets for the joints, on every worn Nao.",
        found="The motors let the torso sag in the single support, the swing foot touches too early and pushes it to "
        "the wrong side, it tips over its outer edge, comes back too fast and falls in the next single support, with "
        "and without ZMP compensation. The Bézier ZMP does not avoid the touch but is slower in the double support, "
        "and the robot walks.",
        rows=_rows(found, robot),
        verdicts=_verdicts(found, duration),
        parameters=_parameters(robot, presets, duration),
        tables=(
            walks_table(found.walks),
            landings_table(found.shown, f"Touch-downs of the stationary walk, {fall}"),
            levels_table(found.levels),
            *((steps_table(found.steps),) if found.steps else ()),
            *((near_table(found.near),) if found.near else ()),
        ),
        pictures=pictures(
            found.shown,
            found.beside(STATIONARY, ZMP),
            found.beside(BEZIER, PLAIN),
            [t for t in found.levels if t.preset == found.shown.preset],
            robot,
        ),
    )


def _walk_all(robot: Robot, presets: dict[str, Wear], setting: Setting) -> Found:
    long, short = (8.0, 8.0) if setting.quick else (60.0, 20.0)
    steps = () if setting.quick else DOUBLE_STEPS
    near = {} if setting.quick else NEAR
    total = len(presets) * (6 + len(LEVELS) + 4 * len(steps) + (len(near) + 1 if near else 0))
    done = 0

    def counted(t: Trial) -> Trial:
        nonlocal done
        done += 1
        setting.progress(done / total)
        return t

    names: tuple[ZmpName, ...] = (STATIONARY, BEZIER)
    wears = list(presets.values())
    walks = [counted(trial(robot, w, z, long, what=c)) for z in names for c in COMPENSATIONS for w in wears]
    levels = [
        counted(trial(robot, w, STATIONARY, short, fidelity=fidelity_of(level))) for w in wears for level in LEVELS
    ]
    by_step = {
        s: [counted(trial(robot, w, z, short, walk=settings(robot, s), what=c))
            for z in names for c in (PLAIN, ZMP) for w in wears]
        for s in steps
    }  # fmt: skip
    others = {
        what: [counted(trial(robot, w, STATIONARY, short, walk=settings(robot, DOUBLE_STEP, *where))) for w in wears]
        for what, where in near.items()
    }
    if near:
        with TemporaryDirectory() as folder:
            free = with_free_rolls(robot, Path(folder))
            others[FREE_ROLLS] = [counted(trial(free, w, STATIONARY, short)) for w in wears]
    found = Found(walks, levels, by_step, others, None)
    return replace(found, fall=mechanism(found.shown, robot) if found.shown.fell else None)


def _fallen(trials: list[Trial]) -> str:
    return ", ".join(f"{t.preset} after {t.walked:.1f} s" for t in trials if t.fell) or "none"


def _levels_that_fall(levels: list[Trial]) -> str:
    names = [level for level in LEVELS if any(t.fell for t in levels if t.level == level)]
    return ", ".join(names) or "none"


def _rows(found: Found, robot: Robot) -> tuple[Row, ...]:
    base = next(t for t in found.levels if t.level == "BS")
    plain = found.of(STATIONARY, PLAIN)
    first = min((t.walked for t in plain if t.fell), default=None)
    several = f"of {len(plain)} worn Naos"
    rows = [
        Row("stationary ZMP: falls after", 2.8, first, "s", "figure 5.6", "the first of all"),
        Row("stationary ZMP falls", "yes", _fallen(plain), "", "5.2.1", several),
        Row("the same, ZMP-compensated", "yes", _fallen(found.of(STATIONARY, ZMP)), "", "figure 5.8", several),
        Row("the same, ZMP and offsets", None, _fallen(found.of(STATIONARY, BOTH)), "", "", several),
        Row("Bézier ZMP falls", "no", _fallen(found.of(BEZIER, PLAIN)), "", "figure 5.13", several),
        Row("the same, ZMP-compensated", "no", _fallen(found.of(BEZIER, ZMP)), "", "figure 5.13", several),
        Row("levels of realism with a fall", "BS+MT, BS+MT+FK, BS+FK, VS", _levels_that_fall(found.levels), "",
            "figure 5.9", "the thesis's walks there are ZMP-compensated"),
        Row("BS: torso off the plan", "nearly 0", _deviation(base, robot), "mm", "figure 5.9", "largest, sideways"),
    ]  # fmt: skip
    if (m := found.fall) is not None:
        source, remark = "5.2.1, figures 5.10 and 5.11", f"worn Nao {m.trial.preset}, first early touch-down"
        rows += [
            Row("the swing foot touches too early by", None, m.landing.lead, "ms", source, remark),
            Row("push of the ground on it, towards where the body goes", "below 0", m.landing.impulse, "N s", source),
            Row("the torso slows down by", "clearly", m.landing.slowed, "mm/s", source),
            Row("instead of gaining", None, m.landing.gained, "mm/s", source),
            Row("it tips over its outer edge by", "some", m.tips, "mm", source, "of the torso's place"),
            Row("greatest sideways speed afterwards", "too much", m.landing.faster, "mm/s", source),
            Row("instead of", None, m.landing.wanted, "mm/s", source),
        ]
    return tuple(rows)


def _deviation(t: Trial, robot: Robot) -> float:
    path = torso_path(t.recording, robot)
    return float(np.abs(path.true - path.wanted)[:, 1].max())


def _verdicts(found: Found, duration: float) -> tuple[Verdict, ...]:
    plain, full = found.of(STATIONARY, PLAIN), found.of(STATIONARY, BOTH)
    falls = [t for what in (PLAIN, ZMP) for t in found.of(BEZIER, what) if t.fell]
    compensated = found.of(STATIONARY, ZMP)
    links = [t for t in found.levels if t.level == "BS+FK"]
    gains = [1.0 - _per_second(b) / _per_second(a) for a, b in zip(plain, full, strict=True) if not (a.fell or b.fell)]
    lowered = f"; where it walks without, too, f_x is lowered by {min(gains):.0%} at least" if gains else ""
    return (
        Verdict(f"the Bézier ZMP walks {duration:.0f} s on every worn Nao, plain and ZMP-compensated", not falls),
        Verdict(f"the stationary ZMP falls on at least one ({_fallen(plain)})", any(t.fell for t in plain)),
        Verdict(f"it does so, too, when it is ZMP-compensated ({_fallen(compensated)})",
                any(t.fell for t in compensated)),
        *_mechanism(found),
        Verdict("bending links alone make it fall after several steps", any(t.fell for t in links)),
        Verdict(f"ZMP compensation with offsets keeps the stationary walk up{lowered}", not any(t.fell for t in full)),
    )  # fmt: skip


def _per_second(t: Trial) -> float:
    return t.figures.orientation_error[0] / t.walked


def _mechanism(found: Found) -> tuple[Verdict, ...]:
    """The chain of 5.2.1, link by link."""
    if (m := found.fall) is None:
        return (Verdict("no stationary walk falls, so there is no fall to explain"),)
    x, bezier = m.landing, found.beside(BEZIER, PLAIN)
    mm = 1e3
    same = next((b for b in bezier.landings if b.early), None)
    who = f"worn Nao {m.trial.preset}: "
    return (
        Verdict(f"{who}before the touch-down nothing tips (the foot {m.still * mm:.1f} mm), the joints give way "
                f"({m.sag * mm:.1f} mm)", m.still < 0.2 * m.sag),
        Verdict(f"the swing foot touches {x.lead * mm:.0f} ms too early, and bounces", x.early and x.bounced),
        Verdict(f"the ground pushes it to the wrong side ({x.impulse:.2f} N s)", x.impulse < 0.0),
        Verdict(f"the torso slows down by {x.slowed * mm:.0f} mm/s where it should gain {x.gained * mm:.0f} mm/s",
                x.slowed > 0.0 and x.gained > 0.0),
        Verdict(f"it tips over the standing foot's outer edge (by {m.tips * mm:.1f} mm)", m.tips > 2.0 * m.still),
        Verdict(f"it comes back too fast: {x.faster * mm:.0f} instead of {x.wanted * mm:.0f} mm/s",
                x.faster > 1.2 * x.wanted),
        Verdict(f"and goes over the edge of a foot: half a second before it lies, {m.tipped:.0%} of the deviation "
                "is tipping", m.tipped > 0.5),
        *(() if same is None else (Verdict(
            f"the Bézier ZMP does not avoid the touch ({same.lead * mm:.0f} ms too early, {same.impulse:.2f} N s), but "
            f"the speed after it: {same.faster * mm:.0f} instead of {x.faster * mm:.0f} mm/s",
            same.faster < x.faster and not bezier.fell),)),
    )  # fmt: skip


def _parameters(robot: Robot, presets: dict[str, Wear], duration: float) -> tuple[Parameter, ...]:
    walk = settings(robot)
    return (
        Parameter("mass", robot.mass, "kg"),
        Parameter("speed", COMMAND.vx, "mm/s"),
        Parameter("double step", DOUBLE_STEP, "s", "the thesis's"),
        Parameter("double support", walk.double_support_ratio, "%", "the robot's file; figures 5.10 and 5.11 agree"),
        Parameter("ZMP beside the middle", PLACE, "mm", "figure 5.1; the middle of the sole, the ankle is at 50 mm"),
        Parameter("Bézier points inward", ", ".join(f"{1e3 * b:g}" for b in walk.bezier), "", "mm; the robot's file"),
        Parameter("friction", FRICTION, "1", "the thesis's"),
        Parameter("duration", duration, "s"),
        *(Parameter(f"worn Nao {name}", wear.proportional, "V/rad", wear.note) for name, wear in presets.items()),
    )
