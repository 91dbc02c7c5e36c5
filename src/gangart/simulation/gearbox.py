"""Play and elasticity between motor and joint (Urbann 4.2.1), with two hinges.

The hinge of the robot's file becomes the motor's side: it carries the inertia of rotor and gear. A second hinge about
the same axis is the gear: a spring that has a free play of ±b before it pulls. What the motor's side pushes with, the
joint gets, and pushes back with: momentum is conserved. Algorithm 4.2's parameters map as

    envelope l_h = 2 b,   spring D_g = stiffness,   mass m_g = inertia of the motor's side (radius 1),
    friction B_g of the mass against its surroundings = viscous friction of the motor's side,

and beyond it the teeth have some damping of their own, without which play rattles.
"""

from __future__ import annotations

import mujoco

from gangart.robots.wear import GearWear

PLAY = "/play"  # behind a joint's name: its second hinge


def add_gearbox(spec: mujoco.MjSpec, joint: mujoco.MjsJoint, gear: GearWear) -> None:
    """Put play and elasticity behind a joint."""
    second = joint.parent.add_joint(
        name=joint.name + PLAY,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=joint.axis,
        pos=joint.pos,
        limited=mujoco.mjtLimited.mjLIMITED_FALSE,
    )
    teeth = spec.add_tendon(name=joint.name + "/gear")
    teeth.wrap_joint(second.name, 1.0)
    teeth.springlength = [-gear.play, gear.play]
    teeth.stiffness = [gear.stiffness, 0.0, 0.0]
    teeth.damping = [gear.damping, 0.0, 0.0]
    joint.armature = gear.inertia
