"""Plan a curved walk ahead, without simulation: footprints, centre of mass, joint angles."""

from gangart.control import BipedEngine
from gangart.robots import load
from gangart.signals import Command

robot = load("nao")
plan = BipedEngine(robot).plan(Command(vx=0.1, wz=0.3), duration=5.0)

for foot, (x, y, yaw), land in zip(plan.footsteps.foot, plan.footsteps.pose, plan.footsteps.land, strict=True):
    print(f"{land:.2f} s: {('left', 'right')[foot]:5s} foot at x {x:.3f} m, y {y:+.3f} m, yaw {yaw:+.3f} rad")
knee = plan.joints.position[:, robot.joint_index["LKneePitch"]]
print(f"left knee between {knee.min():.2f} and {knee.max():.2f} rad")
