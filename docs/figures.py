"""Draw the figures of the documentation from the code: python docs/figures.py [folder]."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gangart.analysis import walk_figures
from gangart.analysis.film import film
from gangart.analysis.plots import walk_plot
from gangart.control import BipedEngine, WalkPlan
from gangart.control.cyclic import CyclicEngine
from gangart.dynamics import multibody_zmp
from gangart.footsteps import PLANNERS
from gangart.footsteps import plan as plan_steps
from gangart.footsteps.picture import draw
from gangart.gaits import FOOTFALLS, Timing, timing
from gangart.pattern.swing import swing_polynomials
from gangart.robots import Robot, load
from gangart.robots.picture import picture
from gangart.signals import Command
from gangart.simulation import Fidelity, Ground, World, simulate

LEFT, RIGHT, GREY, INK, BODY = "#1f6fb2", "#d1662b", "#8e8e93", "#1c1c1e", "#5e5ce6"
WALK = Command(0.2)
GOALS = {  # x, y [m], yaw [rad]
    "1 m ahead": (1.0, 0.0, 0.0),
    "1 m back": (-1.0, 0.0, 0.0),
    "0.15 m left": (0.0, 0.15, 0.0),
    "turned back": (0.0, 0.0, np.pi),
    "ahead left, facing back": (1.0, 0.5, np.pi),
    "1 m left": (0.0, 1.0, 0.0),
    "back right, facing right": (-0.6, -0.4, -np.pi / 2.0),
    "2 m ahead, 1 m left": (2.0, 1.0, 0.0),
}


def save(figure: Figure, path: Path) -> None:
    """Write a figure."""
    figure.savefig(path, dpi=100)


def footsteps(robot: Robot, path: Path) -> None:
    """Footprints of a straight and of a curved walk."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for ax, command in zip(figure.subplots(1, 2), (WALK, Command(0.1, 0.01, 0.5)), strict=True):
        plan = BipedEngine(robot).plan(command, 7.0).footsteps
        prints = [(leg, plan.start[leg]) for leg in range(2)] + list(zip(plan.foot, plan.pose, strict=True))
        for k, (leg, (x, y, yaw)) in enumerate(prints):
            outline = list(robot.legs.values())[leg].outline
            c, s = np.cos(yaw), np.sin(yaw)
            corners = np.vstack([outline, outline[:1]]) @ np.array([[c, s], [-s, c]]) + (x, y)
            ax.fill(*(corners.T * 1e3), color=(LEFT, RIGHT)[leg], alpha=0.2)
            if k >= 2:
                ax.text(x * 1e3, y * 1e3, str(k - 1), ha="center", va="center", fontsize=8)
        ax.set_aspect("equal")
        ax.set(title=f"vx {command.vx:g} m/s, vy {command.vy:g} m/s, wz {command.wz:g} rad/s", xlabel="x [mm]")
        ax.set_ylabel("y [mm]")
    save(figure, path)


def plans(robot: Robot, path: Path) -> None:
    """The same goals for all planners."""
    figure = Figure(figsize=(2.0 * len(GOALS), 2.0 * len(PLANNERS)), layout="constrained")
    grid = figure.subplots(len(PLANNERS), len(GOALS), sharex="col", sharey="col")
    for row, planner in zip(grid, PLANNERS, strict=True):
        row[0].set_ylabel(planner, fontsize=9)
        for ax, goal in zip(row, GOALS.values(), strict=True):
            found = plan_steps((0.0, 0.0, 0.0), goal, robot, (), planner)
            draw(ax, found, numbers=False)
            ax.tick_params(labelsize=6)
            ax.set_title(f"{len(found)}", loc="left", fontsize=9, fontweight="bold", pad=2)
    for ax, words in zip(grid[0], GOALS, strict=True):
        ax.set_title(words, fontsize=9, pad=14)
    save(figure, path)


def zmp(robot: Robot, path: Path) -> None:
    """Both ZMP references and the centre of mass that the preview controller makes of them."""
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True)
    for column, name in zip(axes.T, ("stationary", "bezier"), strict=True):
        body = BipedEngine(robot, zmp=name).plan(WALK, 4.0).body
        for ax, axis, word in zip(column, range(2), ("ahead", "left"), strict=True):
            ax.plot(body.time, body.zmp[:, axis] * 1e3, "--", color=GREY, label="ZMP reference")
            ax.plot(body.time, body.com[:, axis] * 1e3, color=BODY, label="centre of mass")
            ax.set_ylabel(f"{word} [mm]")
        column[0].set_title(name)
        column[1].set_xlabel("time [s]")
    axes[0, 0].legend(frameon=False)
    save(figure, path)


def swing(path: Path) -> None:
    """The swing curve: way and height over the phase, height over the way."""
    phase = np.linspace(0.0, 1.0, 401)
    way, height = (_sample(pieces, phase) for pieces in swing_polynomials())
    figure = Figure(figsize=(9, 2.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(phase, way, color=LEFT, label="way")
    left.plot(phase, height, color=RIGHT, label="height")
    left.set(xlabel="phase of the single support", ylabel="part of the step")
    left.legend(frameon=False)
    right.plot(way, height, color=INK)
    right.set(xlabel="way", ylabel="height", title="the last tenth is vertical")
    save(figure, path)


def _sample(pieces: np.ndarray, phase: np.ndarray) -> np.ndarray:
    span = np.minimum((phase * len(pieces)).astype(int), len(pieces) - 1)
    return np.array([np.polyval(pieces[k], u - k / len(pieces)) for k, u in zip(span, phase, strict=True)])


def joints(robot: Robot, plan: WalkPlan, path: Path) -> None:
    """Joint angles of the left leg over two double steps."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    ax = figure.subplots()
    rows = (plan.joints.time > 3.0) & (plan.joints.time < 4.6)
    for name in robot.legs["left"].joints:
        ax.plot(plan.joints.time[rows], np.degrees(plan.joints.position[rows, robot.joint_index[name]]), label=name)
    ax.set(xlabel="time [s]", ylabel="angle [°]")
    figure.legend(loc="outside right", frameon=False)
    save(figure, path)


def multibody(robot: Robot, path: Path) -> None:
    """What the ZMP of the whole body does while that of one mass follows the reference."""
    fine = dataclasses.replace(robot, tick=0.002)
    plan = BipedEngine(fine).plan(WALK, 5.0)
    measured = multibody_zmp(fine, plan.joints)
    rows = (plan.body.time > 3.0) & (plan.body.time < 4.6)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    for ax, axis, word in zip(figure.subplots(1, 2), range(2), ("ahead of the body", "left"), strict=True):
        origin = plan.body.com[rows, 0] if axis == 0 else 0.0
        ax.plot(plan.body.time[rows], (plan.body.zmp[rows, axis] - origin) * 1e3, "--", color=GREY, label="reference")
        ax.plot(plan.body.time[rows], (measured[rows, axis] - origin) * 1e3, color=INK, label="whole body")
        ax.set(xlabel="time [s]", ylabel=f"{word} [mm]")
    ax.legend(frameon=False)
    save(figure, path)


def walk(robot: Robot, folder: Path) -> None:
    """The simulated walk: strip of pictures and plots."""
    engine, world = BipedEngine(robot), World(robot)
    world.reset(*engine.stance())
    recording = simulate(world, engine, WALK, 20.0)
    walk_plot(recording, robot, walk_figures(recording, robot), folder / "nao-zmp.png")
    film(recording, robot, folder / "nao-walk.png")


def footfalls(robot: Robot, path: Path) -> None:
    """When each foot stands, over two cycles: gaits of the robot's file, and the orders that none of them has."""
    shown = {name: (g.footfall, g.overlap, g.cycle) for name, g in robot.gaits.items()}
    used = {footfall for footfall, _, _ in shown.values()}
    shown |= {name: (name, 0.0, 0.0) for name in FOOTFALLS if name not in used}
    figure = Figure(figsize=(10, 1.15 * np.ceil(len(shown) / 3) + 0.5), layout="constrained")
    grid = figure.subplots(-(-len(shown) // 3), 3, sharex=True, sharey=True).ravel()
    for ax, (name, (footfall, overlap, cycle)) in zip(grid, shown.items(), strict=False):
        _footfall(ax, timing(footfall, overlap, cycle or 1.0, tuple(robot.legs)))
        ax.set_title(f"{name}, {cycle:g} s" if cycle else f"{name} (in no file yet)", fontsize=9)
    grid[0].set_yticks(range(4), [leg.replace("_", " ") for leg in robot.legs], fontsize=8)
    for ax in grid[len(shown) :]:
        ax.set_visible(False)
    for ax in grid[len(shown) - 3 : len(shown)]:
        ax.set_xlabel("cycles", fontsize=8)
        ax.tick_params(labelbottom=True)
    save(figure, path)


def _footfall(ax: Axes, found: Timing) -> None:
    """A bar for each stance; feet touch down at `touch` and stand for `duty`."""
    for row, touch in enumerate(found.touch):
        bars = [(touch + k, found.duty) for k in (-1, 0, 1) if touch + k + found.duty > 1e-9]
        ax.broken_barh(bars, (row - 0.36, 0.72), color=(LEFT, RIGHT)[row % 2])
    ax.set(xlim=(0.0, 2.0), ylim=(3.6, -0.6))
    ax.tick_params(labelsize=8, left=False)
    ax.spines[["top", "right", "left"]].set_visible(False)


def trot(robot: Robot, path: Path) -> None:
    """The quadruped's predictive trot behind its motors: one cycle as a strip of pictures."""
    engine = CyclicEngine(robot, "predictive-trot")
    world = World(robot, Fidelity(motor=True), Ground(0.8))
    world.reset(*engine.stance())
    film(simulate(world, engine, Command(0.8), 6.0), robot, path, 5)


def main(folder: Path) -> None:
    """Draw them all."""
    folder.mkdir(parents=True, exist_ok=True)
    robot = load("nao")
    footsteps(robot, folder / "footsteps.png")
    plans(robot, folder / "plans.png")
    zmp(robot, folder / "zmp.png")
    swing(folder / "swing.png")
    joints(robot, BipedEngine(robot).plan(WALK, 6.0), folder / "joints.png")
    multibody(robot, folder / "multibody.png")
    picture(robot, folder / "nao.png")
    walk(robot, folder)
    quadruped = load("quadruped")
    footfalls(quadruped, folder / "footfalls.png")
    trot(quadruped, folder / "quadruped-trot.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "img")
