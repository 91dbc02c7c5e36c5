"""gangart train: teach the next step to a network, from plans of the lattice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gangart.cli import output
from gangart.errors import BadValue

EXAMPLES = ("gangart train my_robot/robot.toml --out steps.npz",)
_MORE = ("gangart plan my_robot/robot.toml --x 1 --yaw 90 --planner steps.npz",)


def register(app: typer.Typer) -> None:
    """Add `gangart train` to the command line."""
    app.command(epilog=output.examples(*EXAMPLES, *_MORE))(train)


def train(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A name, or the path of a robot.toml.")] = "nao",
    plans: Annotated[int, typer.Option(help="To how many random goals the lattice plans.")] = 3000,
    seed: Annotated[int, typer.Option(help="Of goals and network; the same seed gives the same file.")] = 0,
    out: Annotated[Path, typer.Option(metavar="PATH", help="The file that is written (.npz).")] = Path("steps.npz"),
    as_json: output.AsJson = False,
) -> None:
    """Train the learned footstep planners on plans of the lattice.

    The lattice plans to random goals over the whole region; each of its steps is an example for a neural network and
    for nearest neighbours. What comes with gangart is trained for the Nao; a robot with other limits needs a file of
    its own, which `gangart plan --planner` takes. Needs scikit-learn; about two minutes for 3000 plans.
    """
    from gangart.footsteps import StepLimits
    from gangart.footsteps.training import collect, save, teach
    from gangart.robots import load

    _check(plans, seed, out)
    limits = StepLimits.of(load(robot))
    output.tell_of_compiling()
    with output.progress("lattice plans", plans, hidden=as_json, unit="plans") as advance:
        seen, made = collect(limits, plans, seed, advance)
    if not as_json:
        output.print_line(f"{len(seen)} steps of {plans} plans; training the network ...")
    taught = teach(limits, seen, made, plans, seed)
    size = save(out, taught)
    figures = {"robot": robot, "plans": plans, "seed": seed, "steps": len(seen), "error": taught.error, "file": out}
    if as_json:
        output.print_json({**figures, "size": size})
    else:
        output.print_line(f"Written: {out}, {size / 1e3:.0f} kB; the network misses by {taught.error:.3f} of the pace")


def _check(plans: int, seed: int, out: Path) -> None:
    if not 10 <= plans <= 1_000_000:
        raise BadValue(f"--plans is {plans}; it has to lie in 10…1000000")
    if seed < 0:
        raise BadValue(f"--seed is {seed}; it has to be 0 or more")
    if out.suffix != ".npz":
        raise BadValue(f"--out is {out}; it has to end in .npz")
