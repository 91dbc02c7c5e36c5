"""From robot + fidelity + ground to a MuJoCo model: the mechanism gets a floor, servos and sensors."""

from __future__ import annotations

import mujoco

from gangart.robots import Robot
from gangart.simulation.fidelity import Fidelity, Ground

FLOOR = "floor"


def build_spec(robot: Robot, fidelity: Fidelity, ground: Ground) -> mujoco.MjSpec:
    """The world as an editable spec. Sensors stand in the order of `Sensors`."""
    spec = robot.spec()
    option = spec.option
    option.timestep = fidelity.step
    # stiff servos are integrated implicitly together with the contacts: stable from 0.5 to 5 ms
    option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.gravity = [0.0, 0.0, -9.81]
    _add_floor(spec, fidelity, ground)
    _add_servos(spec, robot)
    _add_sensors(spec, robot)
    return spec


def _add_floor(spec: mujoco.MjSpec, fidelity: Fidelity, ground: Ground) -> None:
    settling = max(ground.settling, 2.0 * fidelity.step)  # MuJoCo's own lower bound
    floor = spec.worldbody.add_geom(
        name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05], rgba=[0.84, 0.86, 0.88, 1.0]
    )
    floor.friction = [ground.friction, 0.005, 0.0001]
    floor.solref = [settling, 1.0]
    floor.solimp = [0.95, 0.99, 0.001, 0.5, 2.0]
    floor.priority = 1  # the floor's values hold, whatever the robot's file says
    floor.contype, floor.conaffinity = 1, 1


def _add_servos(spec: mujoco.MjSpec, robot: Robot) -> None:
    kp, kv = robot.servo.position_gain, robot.servo.velocity_gain
    for joint in robot.joints:
        if joint in robot.coupled:
            continue
        servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_pid(kp=kp, kv=kv)


def _add_sensors(spec: mujoco.MjSpec, robot: Robot) -> None:
    kinds = mujoco.mjtSensor
    imu = spec.body(robot.imu.body).add_site(name="gangart/imu", pos=robot.imu.position)
    for kind in (kinds.mjSENS_GYRO, kinds.mjSENS_ACCELEROMETER):
        spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=imu.name)
    for joint in robot.joints:
        spec.add_sensor(type=kinds.mjSENS_JOINTACTFRC, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=joint)
    for leg in robot.legs.values():
        sole = spec.body(leg.foot).add_site(name=f"gangart/{leg.name} sole", pos=leg.sole)
        spec.add_sensor(type=kinds.mjSENS_FRAMEPOS, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=sole.name)
        spec.add_sensor(type=kinds.mjSENS_FRAMEQUAT, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=sole.name)
        contact = spec.add_sensor(
            type=kinds.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_GEOM,
            objname=FLOOR,
            reftype=mujoco.mjtObj.mjOBJ_BODY,
            refname=leg.foot,
        )
        fields = mujoco.mjtConDataField
        wanted = (fields.mjCONDATA_FOUND, fields.mjCONDATA_FORCE, fields.mjCONDATA_TORQUE, fields.mjCONDATA_POS)
        contact.intprm[:3] = [sum(1 << int(f) for f in wanted), 3, 1]  # data, reduce = netforce, one slot


FOOT = 17  # per foot: sole position (3), quaternion (4), contacts found (1), force (3), torque (3), point (3)


class Sensors:
    """Where each quantity stands in the sensor data of a world built by `build_spec`."""

    def __init__(self, robot: Robot) -> None:
        joints = len(robot.joints)
        self.gyro = slice(0, 3)
        self.accelerometer = slice(3, 6)
        self.torque = slice(6, 6 + joints)
        self.feet = slice(6 + joints, 6 + joints + FOOT * len(robot.legs))
