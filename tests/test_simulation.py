"""The loop and what it records."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import gangart
from gangart.control import BipedEngine
from gangart.errors import BadValue
from gangart.recordings import RecordingWriter
from gangart.recordings import load as load_recording
from gangart.robots import Robot
from gangart.signals import Command, JointTargets, Recording, SensorReading
from gangart.simulation import Fidelity, Ground, Push, Sensing, World, simulate

CURVE = Command(0.2, 0.01, 0.15)


def standing(robot: Robot, engine: BipedEngine | None = None, fidelity: Fidelity | None = None) -> World:
    world = World(robot, fidelity or Fidelity())
    world.reset(*(engine or BipedEngine(robot)).stance())
    return world


def walk(robot: Robot, duration: float, command: Command = CURVE, **how: Any) -> Recording:
    engine = BipedEngine(robot)
    return simulate(standing(robot, engine), engine, command, duration, **how)


@pytest.fixture(scope="module")
def walked(nao: Robot) -> Recording:
    return walk(nao, 4.0)


def assert_same(a: Recording, b: Recording) -> None:
    """Bit for bit; but a file keeps time in whole nanoseconds, and the base's velocity in its own frame."""
    np.testing.assert_allclose(a.time, b.time, rtol=0, atol=1e-9)
    for f in fields(a):
        if f.name == "base_velocity":
            np.testing.assert_allclose(a.base_velocity, b.base_velocity, rtol=0, atol=1e-15)
        elif f.name not in ("time", "info"):
            np.testing.assert_array_equal(getattr(a, f.name), getattr(b, f.name), err_msg=f.name)


# ------------------------------------------------------------------ what is recorded, and when


def test_the_same_walk_gives_the_same_bits(nao: Robot, walked: Recording) -> None:
    again = walk(nao, 4.0)
    assert_same(walked, again)
    assert walked.info == again.info


def test_a_world_and_an_engine_can_be_used_again(nao: Robot, walked: Recording) -> None:
    engine = BipedEngine(nao)
    world = standing(nao, engine)
    simulate(world, engine, Command(-0.1, 0.0, 0.3), 1.55)
    world.reset(*engine.stance())
    assert_same(simulate(world, engine, CURVE, 4.0), walked)


def test_one_row_for_each_physics_step(walked: Recording) -> None:
    np.testing.assert_allclose(walked.time, np.arange(4000) * 1e-3, atol=1e-9)


def test_what_was_before_is_not_recorded(nao: Robot) -> None:
    engine = BipedEngine(nao)
    world = standing(nao, engine)
    engine.reset(world.read())
    for _ in range(5):
        world.write(engine.tick(Command(), world.read()))
    r = simulate(world, engine, Command(), 0.1)
    np.testing.assert_allclose(r.time, 0.05 + np.arange(100) * 1e-3, atol=1e-9)


def test_position_is_the_integral_of_velocity(walked: Recording) -> None:
    """State columns are of one instant: a step ends with the velocity with which it moved."""
    r, h = walked, 1e-3
    np.testing.assert_allclose(np.diff(r.position, axis=0) / h, r.velocity[1:], atol=1e-9)
    np.testing.assert_allclose(np.diff(r.base_position, axis=0) / h, r.base_velocity[1:], atol=1e-9)


def test_base_rotation_is_in_the_bases_frame(walked: Recording) -> None:
    w, v = walked.base_orientation[:, :1], walked.base_orientation[:, 1:]
    w0, v0, w1, v1 = w[:-1], -v[:-1], w[1:], v[1:]  # conj(q_k) * q_{k+1}: the turn, seen from the body
    vector = w0 * v1 + w1 * v0 + np.cross(v0, v1)
    np.testing.assert_allclose(2.0 * vector / 1e-3, walked.base_rotation[1:], atol=1e-5)


def test_sensors_are_of_the_instant_of_their_row(nao: Robot, walked: Recording) -> None:
    """The gyro sits in the base; the accelerometer feels the base's acceleration less gravity, at its place."""
    r = walked
    np.testing.assert_allclose(r.gyro, r.base_rotation, atol=1e-9)  # the Nao's IMU is parallel to its torso
    w, x, y, z = r.base_orientation.T
    up = np.column_stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    turn = np.diff(r.base_rotation, axis=0) / 1e-3
    arm = nao.imu.position
    at_imu = np.cross(turn, arm) + np.cross(r.base_rotation[:-1], np.cross(r.base_rotation[:-1], arm))
    a = np.diff(r.base_velocity, axis=0) / 1e-3  # of the step that begins with the row, in the world
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))[:-1]
    c, s = np.cos(yaw), np.sin(yaw)  # the base is level within a milliradian
    a_body = np.column_stack([c * a[:, 0] + s * a[:, 1], -s * a[:, 0] + c * a[:, 1], a[:, 2]])
    np.testing.assert_allclose(r.accelerometer[:-1], a_body + at_imu + 9.81 * up[:-1], atol=0.02)


def test_feet_are_where_the_joints_put_them(nao: Robot, walked: Recording) -> None:
    world = World(nao)
    for row in range(0, len(walked), 500):
        world.reset(walked.position[row], walked.base_position[row], settle=0.0)
        data = world.data
        data.qpos[world.base + 2 : world.base + 6] = walked.base_orientation[row]
        mujoco.mj_kinematics(world.model, data)
        for k, leg in enumerate(nao.legs):
            site = data.site(f"gangart/{leg} sole").xpos
            np.testing.assert_allclose(walked.foot_pose[row, k, :3], site, atol=1e-6)


def test_joints_follow_their_targets(walked: Recording) -> None:
    """Target and position of a row belong to the same instant: at 6 rad/s one step more would show as 6 mrad."""
    assert np.abs(walked.target - walked.position).max() < 2e-3
    assert np.abs(walked.velocity).max() > 4.0
    coupled = [walked.joints.index(name) for name in ("LHipYawPitch", "RHipYawPitch")]
    np.testing.assert_array_equal(walked.target[:, coupled[0]], walked.target[:, coupled[1]])


def test_references_are_those_of_the_engine(nao: Robot, walked: Recording) -> None:
    """At each tick the row says what the engine said then; between ticks the centre of mass moves on evenly."""
    engine = BipedEngine(nao)
    world = standing(nao, engine)
    engine.reset(world.read())
    said = [engine.reference]
    for _ in range(399):
        world.write(engine.tick(CURVE, world.read()))
        said.append(engine.reference)
        if world.rows > 1000:
            world.take()
    np.testing.assert_allclose(walked.com_reference[::10], [s.com for s in said], atol=1e-9)
    np.testing.assert_allclose(walked.zmp_reference[::10], [s.zmp for s in said], atol=1e-9)
    np.testing.assert_array_equal(walked.support[::10], [s.support for s in said])
    np.testing.assert_array_equal(walked.support[9::10], walked.support[::10])
    between = (walked.com_reference[:-10:10] + walked.com_reference[10::10]) / 2
    np.testing.assert_allclose(walked.com_reference[5:-10:10], between, atol=1e-9)


def test_the_recording_tells_what_it_is(nao: Robot) -> None:
    engine = BipedEngine(nao)
    world = World(nao, ground=Ground(0.7))
    world.reset(*engine.stance())
    world.push(Push(0.1, 0.05, (1.0, 0.0, 0.0)))
    info = simulate(world, engine, Command(9.0), 0.3, info={"seed": 4}).info
    made_with = info.pop("settings")  # enough to make an engine like it
    assert made_with["zmp"] == "bezier"
    assert made_with["walk"]["limits"]["forward"] == nao.walk.limits.forward  # type: ignore[union-attr]
    assert json.loads(json.dumps(info)) == {
        "gangart": gangart.__version__,
        "robot": "nao",
        "engine": "BipedEngine",
        "command": {"vx": 9.0, "vy": 0.0, "wz": 0.0, "goal": None},
        "tick": 0.01,
        "double_step_duration": 0.8,
        "ground": {"friction": 0.7, "settling": 0.006},
        "fidelity": asdict(Fidelity()),
        "sensing": asdict(Sensing()),
        "wear": None,
        "diverged": None,
        "pushes": [{"time": 0.1, "duration": 0.05, "force": [1.0, 0.0, 0.0], "body": ""}],
        "fell": None,
        "notes": info["notes"],
        "seed": 4,
    }
    assert any("forward +9 m/s is beyond the limit" in note for note in info["notes"])
    assert len(info["notes"]) == len(set(info["notes"]))
    assert simulate(world, engine, lambda _: Command(), 0.1).info["command"] == "varying"


# ------------------------------------------------------------------ how long


@pytest.mark.parametrize("duration", [0.0, -1.0, math.nan, math.inf])
def test_a_senseless_duration_is_refused(nao: Robot, duration: float) -> None:
    engine = BipedEngine(nao)
    with pytest.raises(BadValue, match="has to be a positive number"):
        simulate(standing(nao, engine), engine, Command(), duration)


@pytest.mark.parametrize(("duration", "rows"), [(1e-6, 10), (0.014, 10), (0.05, 50), (1.0, 1000), (1.01, 1010)])
def test_a_run_lasts_whole_ticks(nao: Robot, duration: float, rows: int) -> None:
    seen: list[float] = []
    assert len(walk(nao, duration, progress=seen.append)) == rows
    assert seen[-1] == pytest.approx(rows / 1000)
    assert seen == sorted(seen)


def test_a_fall_ends_the_run_a_second_later(nao: Robot, tmp_path: Path) -> None:
    engine = BipedEngine(nao)
    world = standing(nao, engine)
    world.push(Push(0.5, 0.1, (0.0, 200.0, 0.0)))
    r = simulate(world, engine, Command(), 20.0, record=tmp_path / "fall.mcap")
    assert 0.6 < r.info["fell"] < 2.5
    assert r.time[-1] + 1e-3 == pytest.approx(r.info["fell"] + 1.0)
    kept = load_recording(tmp_path / "fall.mcap")
    assert kept.info["fell"] == r.info["fell"]
    assert len(kept) == len(r)


@pytest.mark.parametrize("step", [0.0002, 0.0005, 0.002])
def test_other_physics_steps(nao: Robot, step: float, tmp_path: Path) -> None:
    """Also one whose rows of a second outnumber those that a coarser log holds."""
    engine = BipedEngine(nao)
    world = standing(nao, engine, Fidelity(step=step))
    r = simulate(world, engine, Command(0.2), 2.5, record=tmp_path / "r.mcap")
    assert len(r) == round(2.5 / step)
    assert r.info["fell"] is None
    np.testing.assert_allclose(np.diff(r.time), step, rtol=1e-6)
    assert r.base_position[-1, 0] == pytest.approx(walk(nao, 2.5, Command(0.2)).base_position[-1, 0], abs=2e-3)
    assert len(load_recording(tmp_path / "r.mcap")) == len(r)


# ------------------------------------------------------------------ interruptions


class Interrupted(BipedEngine):
    """Fails at a tick."""

    def __init__(self, robot: Robot, error: BaseException, at: int) -> None:
        super().__init__(robot)
        self.error, self.left = error, at

    def tick(self, command: Command, reading: SensorReading) -> JointTargets:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return super().tick(command, reading)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("engine trouble"), SystemExit(3)])
@pytest.mark.parametrize("ticks", [1, 123, 200])
def test_an_interruption_loses_nothing(nao: Robot, tmp_path: Path, error: BaseException, ticks: int) -> None:
    engine = Interrupted(nao, error, ticks)
    world = standing(nao, engine)
    with pytest.raises(type(error)):
        simulate(world, engine, Command(0.3), 5.0, record=tmp_path / "r.mcap")
    kept = load_recording(tmp_path / "r.mcap")
    assert kept.info["interrupted"] == type(error).__name__
    assert any("beyond the limit" in note for note in kept.info["notes"])
    engine = BipedEngine(nao)
    whole = simulate(standing(nao, engine), engine, Command(0.3), ticks * 0.01)
    assert_same(kept, whole)


def test_an_interruption_before_the_first_tick_leaves_an_empty_recording(nao: Robot, tmp_path: Path) -> None:
    engine = Interrupted(nao, KeyboardInterrupt(), 0)
    with pytest.raises(KeyboardInterrupt):
        simulate(standing(nao, engine), engine, Command(), 1.0, record=tmp_path / "r.mcap")
    assert len(load_recording(tmp_path / "r.mcap")) == 0


def test_ctrl_c_while_a_block_is_written_waits_for_the_block(
    nao: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a block in the file, and the whole block again at the end: rows would be there twice."""
    append = RecordingWriter.append

    def slow(writer: RecordingWriter, block) -> None:
        signal.raise_signal(signal.SIGINT)
        append(writer, block)

    monkeypatch.setattr(RecordingWriter, "append", slow)
    engine = BipedEngine(nao)
    with pytest.raises(KeyboardInterrupt):
        simulate(standing(nao, engine), engine, Command(0.2), 5.0, record=tmp_path / "r.mcap")
    kept = load_recording(tmp_path / "r.mcap")
    np.testing.assert_allclose(kept.time, np.arange(1000) * 1e-3, atol=1e-9)
    assert kept.info["interrupted"] == "KeyboardInterrupt"


def test_the_file_is_the_recording(nao: Robot, tmp_path: Path) -> None:
    engine = BipedEngine(nao)
    r = simulate(standing(nao, engine), engine, Command(0.2), 1.57, record=tmp_path / "r.mcap")
    kept = load_recording(tmp_path / "r.mcap")
    assert_same(kept, r)
    assert kept.info == json.loads(json.dumps(r.info))
