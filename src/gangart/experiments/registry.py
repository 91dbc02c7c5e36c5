"""Which experiments there are. A new one is a module with `run(setting) -> Report` and a line in this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from gangart.errors import choose
from gangart.experiments.report import Report, Setting


@dataclass(frozen=True)
class Experiment:
    """A published experiment that can be run again."""

    line: str  # what it shows
    pages: str  # where the thesis has it
    module: str  # has run(setting) -> Report; imported only when it runs

    def function(self) -> Callable[[Setting], Report]:
        """What runs it."""
        found: Callable[[Setting], Report] = import_module(self.module).run
        return found


_URBANN = "Urbann 2010"
_BAHR = "Bahr 2025"
_ZELLHOEFER = "Zellhöfer 2012"

EXPERIMENTS: dict[str, Experiment] = {
    "zmp-deviation": Experiment(
        "Where is the ZMP of the whole body when the walk is planned with one mass, and can that be mended?",
        f"{_URBANN}, 5.1, figures 5.1 to 5.5",
        "gangart.experiments.zmp_deviation",
    ),
    "lateral-sway": Experiment(
        "Why does the robot rock itself over sideways with long steps, and why does a Bézier ZMP stop that?",
        f"{_URBANN}, 5.2, figures 5.6 to 5.13",
        "gangart.experiments.lateral_sway",
    ),
    "forward-sway": Experiment(
        "Why does the robot sway forward and walk too fast, and which compensation helps?",
        f"{_URBANN}, 5.3, figures 5.15 to 5.21, tables 5.2 and 5.3",
        "gangart.experiments.forward_sway",
    ),
    "top-speed": Experiment(
        "How fast can it walk when joints are as quick as the motors' voltage lets them be, on every worn machine?",
        f"{_URBANN}, 1, the record of RoboCup 2010",
        "gangart.experiments.top_speed",
    ),
    "worn-nao": Experiment(
        "Which sets of motor control, friction, play and elasticity walk as badly as the real robot?",
        f"{_URBANN}, 4.4, tables 4.3 and 5.2",
        "gangart.experiments.worn_nao",
    ),
    "goal-walk": Experiment(
        "Does a worn Nao on a slippery floor end in its goal, if its steps have a wrong length?",
        f"{_ZELLHOEFER}, 3.5 and 4",
        "gangart.experiments.goal_walk",
    ),
    "gearbox-bench": Experiment(
        "A motor with play and elasticity in its gear turns a body: when does its torque arrive?",
        f"{_URBANN}, 4.2.3, figures 4.5 and 4.6",
        "gangart.experiments.gearbox_bench",
    ),
    "flexible-bench": Experiment(
        "A bar of 20 parts with springs between them is pushed at its top: how does it bend and swing?",
        f"{_URBANN}, 4.2.3, figure 4.7",
        "gangart.experiments.flexible_bench",
    ),
    "motor-step": Experiment(
        "How long does a hub of the quadruped take for a step of its target, and to stop a weight that it lets down?",
        f"{_BAHR}, 3.6 and 4.3, figures 3.12, 3.13 and 4.1",
        "gangart.experiments.motor_step",
    ),
    "leg-linearity": Experiment(
        "How far does a foot of the quadruped leave a straight path in the air, and up to which speed is that little?",
        f"{_BAHR}, 5.5 and 6.2, figures 5.3, 5.4 and 6.5",
        "gangart.experiments.leg_linearity",
    ),
    "body-motion": Experiment(
        "The quadruped's body swings slowly on its feet: how far does it move where it should rest?",
        f"{_BAHR}, 5.6 and 6.3, figures 5.5 and 6.6",
        "gangart.experiments.body_motion",
    ),
    "body-jerk": Experiment(
        "The quadruped's body is jerked down and up at 500 mm/s: why does it move across, and what helps?",
        f"{_BAHR}, 5.7 and 6.4, figures 5.6 and 6.7",
        "gangart.experiments.body_jerk",
    ),
    "standing-drift": Experiment(
        "How fast does a quadruped drift that does nothing: standing, on stretched legs, lying?",
        f"{_BAHR}, 6.5, figure 6.8",
        "gangart.experiments.standing_drift",
    ),
    "gait-speed": Experiment(
        "How fast does the quadruped walk in each gait, and is that the speed that it was told?",
        f"{_BAHR}, 8.2, figure 8.3",
        "gangart.experiments.gait_speed",
    ),
    "push-envelope": Experiment(
        "Which pushes from the side does the quadruped survive in each gait, and which when it balances?",
        f"{_BAHR}, 8.2, figures 8.2 and 8.3",
        "gangart.experiments.push_envelope",
    ),
    "body-sway": Experiment(
        "How far does the quadruped's body sway about the motion that is wanted, in each gait?",
        f"{_BAHR}, 8.3, figure 8.4, table 8.3",
        "gangart.experiments.body_sway",
    ),
    "gait-switch": Experiment(
        "Told at random what to do next, a thousand times: does the robot fall, and does it keep its promised margin?",
        f"{_BAHR}, 7.5, figure 7.1",
        "gangart.experiments.gait_switch",
    ),
}


def run(name: str, setting: Setting | None = None) -> Report:
    """Run an experiment by its name."""
    setting = setting or Setting()
    experiment = EXPERIMENTS[choose("experiment", name, EXPERIMENTS)]
    report = experiment.function()(setting)
    setting.progress(1.0)
    return replace(report, name=name, pages=experiment.pages, quick=setting.quick, seed=setting.seed)
