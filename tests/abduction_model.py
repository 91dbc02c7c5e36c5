"""A small four-legged model for tests: thigh and shank differ, joints stand in a mixed order, not all hips mirrored."""

from __future__ import annotations

from pathlib import Path

from gangart import robots
from gangart.robots import Robot

HIPS = {"front_left": (0.2, 0.05), "front_right": (0.19, -0.06), "rear_left": (-0.2, 0.05), "rear_right": (-0.2, -0.05)}
LIMITS = ((-0.8, 0.8), (-1.05, 4.19), (-2.95, 0.0))  # [rad] for knees that point backward
LATERAL, THIGH, SHANK, FOOT = 0.07, 0.2, 0.18, (0.01, 0.0, 0.0)  # [m]


def leg_xml(name: str, x: float, y: float, limits: tuple[tuple[float, float], ...]) -> str:
    """One leg; the hip's frame is turned, and the hinges are not at their bodies' origins."""
    out = 1 if y > 0 else -1
    first, second, third = limits
    ankle = f"{SHANK - FOOT[0]:.3g} 0 0"  # the shank's frame has its x axis down
    return f"""
      <body name="{name}_hip" pos="{x + 0.03} {y} -0.02">
        <joint name="{name}_abduction" axis="1 0 0" range="{first[0]} {first[1]}" pos="-0.01 0 0"/>
        <geom type="sphere" size="0.03" mass="0.6"/>
        <body name="{name}_thigh" pos="-0.03 {out * 0.05} 0">
          <joint name="{name}_pitch" axis="0 1 0" range="{second[0]} {second[1]}"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -{THIGH}" mass="0.9"/>
          <body name="{name}_shank" pos="0 {out * 0.02} -{THIGH}" quat="1 0 1 0">
            <joint name="{name}_knee" axis="0 1 0" range="{third[0]} {third[1]}"/>
            <geom type="capsule" size="0.015" fromto="0 0 0 {ankle}" mass="0.2"/>
            <body name="{name}_foot" pos="{ankle}"><geom type="sphere" size="0.02" mass="0.05"/></body>
          </body>
        </body>
      </body>"""


def build(
    folder: Path,
    knee: str = "backward",
    limits: tuple[tuple[float, float], ...] = LIMITS,
    change: tuple[str, str] = ("", ""),
    more: str = "",
) -> Robot:
    """Write the model and its robot.toml to a folder and load them."""
    legs = "".join(leg_xml(name, *HIPS[name], limits) for name in ("rear_right", "front_left"))
    legs += "".join(leg_xml(name, *HIPS[name], limits) for name in ("front_right", "rear_left"))
    xml = f"""<mujoco model="dog"><compiler angle="radian" autolimits="true"/><worldbody>
    <body name="trunk" pos="0 0 0.4"><freejoint/><geom type="box" size="0.25 0.1 0.05" mass="6"/>{legs}
      <body name="head" pos="0.3 0 0.1"><joint name="neck" axis="0 1 0"/><geom type="sphere" size="0.04" mass="0.4"/>
      </body></body></worldbody></mujoco>"""
    tables = "".join(
        f'[legs.{name}]\nside = "{"left" if y > 0 else "right"}"\nfoot = "{name}_foot"\nsole = {list(FOOT)}\n'
        f'joints = ["{name}_abduction", "{name}_pitch", "{name}_knee"]\nknee = "{knee}"\n'
        for name, (_, y) in HIPS.items()
    )
    top = 'format = 1\nname = "dog"\nmodel = "dog.xml"\nbase = "trunk"\nkinematics = "abduction"\n'
    home = "[home]\nneck = 0.3\n" + "".join(
        f"{name}_pitch = {0.9 * sign}\n{name}_knee = {-1.8 * sign}\n"
        for name in HIPS
        for sign in [1 if knee == "backward" else -1]
    )
    servo = "[servo]\nposition_gain = 100.0\nvelocity_gain = 1.0\n"
    (folder / "dog.xml").write_text(xml.replace(*change), encoding="utf-8")
    (folder / "robot.toml").write_text(top + home + tables + servo + more, encoding="utf-8")
    return robots.load(folder)
