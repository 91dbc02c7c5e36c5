"""From robot + fidelity + ground to a MuJoCo model: the mechanism gets a floor, servos and sensors."""

from __future__ import annotations

import mujoco
import numpy as np

from gangart.errors import BadRobot, BadValue
from gangart.robots import Robot
from gangart.robots.wear import GearWear, Wear
from gangart.signals import Array
from gangart.simulation.drives import add_drive
from gangart.simulation.encoder import USER, see_joint_side
from gangart.simulation.fidelity import Fidelity, Ground
from gangart.simulation.gearbox import PLAY, add_gearbox
from gangart.simulation.links import with_bending_links
from gangart.simulation.motors import add_friction, add_motor

FLOOR = "gangart/floor"
FOOT = 17  # per foot: sole position (3), quaternion (4), contacts found (1), force (3), torque (3), point (3)


class Sensors:
    """Where each quantity stands in the sensor data of a world built by `build_spec`."""

    def __init__(self, robot: Robot) -> None:
        joints = len(robot.joints)
        self.gyro = slice(0, 3)
        self.accelerometer = slice(3, 6)
        self.torque = slice(6, 6 + joints)
        self.feet = slice(6 + joints, 6 + joints + FOOT * len(robot.legs))


LINK_DAMPING = (
    5.0  # [N m s/rad] of a bending joint, about a quarter of critical: with less a shin rings in front of stiff servos
)


def build_model(
    robot: Robot, fidelity: Fidelity, ground: Ground, wear: Wear | None = None, supply: float | None = None
) -> tuple[mujoco.MjModel, Array]:
    """The world, compiled, and the factor of each motor's speed setpoint (n_u / 2,).

    Args:
        robot: what stands in it.
        fidelity: which of its defects.
        ground: on what floor.
        wear: how strong the defects are; needed where there are any.
        supply: of the motors [V], other than in the robot's file.
    """
    spec, factors = build_spec(robot, fidelity, ground, wear, supply)
    model = spec.compile()
    if wear is not None and wear.encoder == "joint" and fidelity.motor and fidelity.gearbox:
        for joint, factor in factors.items():
            if worn_gear(robot, wear, joint) is not None:
                see_joint_side(model, joint, joint + PLAY, factor)
    return model, np.array(list(factors.values()))


def build_spec(
    robot: Robot, fidelity: Fidelity, ground: Ground, wear: Wear | None = None, supply: float | None = None
) -> tuple[mujoco.MjSpec, dict[str, float]]:
    """The world as an editable spec, sensors in the order of `Sensors`; and for each motor the factor of its speed."""
    if needs_wear(robot, fidelity) and wear is None:
        raise BadValue(f"fidelity {fidelity.name} needs to know the wear of {robot.name}: give one of its worn.toml")
    bends = fidelity.flexible_links and wear is not None and wear.link_parts > 1
    spec = with_bending_links(robot, wear, LINK_DAMPING) if bends and wear is not None else robot.spec()
    _keep_mechanism(spec)
    option = spec.option
    option.timestep = fidelity.step
    # stiff servos are integrated implicitly together with the contacts: stable from 0.5 to 5 ms
    option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.gravity = [0.0, 0.0, -9.81]
    _check_soles(spec, robot)
    _add_floor(spec, fidelity, ground)
    factors = _add_motors(spec, robot, fidelity, wear, supply)
    _add_sensors(spec, robot)
    return spec, factors


def needs_wear(robot: Robot, fidelity: Fidelity) -> bool:
    """Whether the fidelity asks for defects of this robot that its file does not tell; a drive's are there."""
    return fidelity.gearbox or fidelity.flexible_links or (fidelity.motor and robot.drive is None)


def worn_gear(robot: Robot, wear: Wear, joint: str) -> GearWear | None:
    """What is known of the wear of a joint's motor and gear."""
    motor = robot.motor_of(joint)
    return wear.gears.get(motor.name) if motor is not None else None


def sole_site(leg: str) -> str:
    """The name of the site in the sole of a leg."""
    return f"gangart/{leg} sole"


def _keep_mechanism(spec: mujoco.MjSpec) -> None:
    """A user's model may bring motors, sensors and a floor of its own: ours take their place."""
    for elements in (spec.actuators, spec.sensors, spec.keys, spec.worldbody.geoms):
        for element in list(elements):
            spec.delete(element)


def _check_soles(spec: mujoco.MjSpec, robot: Robot) -> None:
    for leg in robot.legs.values():
        geoms = spec.body(leg.foot).find_all(mujoco.mjtObj.mjOBJ_GEOM)
        if not any((geom.contype | geom.conaffinity) & 1 for geom in geoms):
            raise BadRobot(
                f"foot '{leg.foot}' of {robot.name} would sink into the floor: nothing of it can touch; "
                "give it a <geom> (MJCF) or a <collision> (URDF)"
            )


def _add_floor(spec: mujoco.MjSpec, fidelity: Fidelity, ground: Ground) -> None:
    settling = max(ground.settling, 2.0 * fidelity.step)  # what a step can resolve
    floor = spec.worldbody.add_geom(
        name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05], rgba=[0.84, 0.86, 0.88, 1.0]
    )
    floor.friction = [ground.friction, 0.005, 0.0001]
    floor.solref = [settling, 1.0]
    floor.solimp = [0.95, 0.99, 0.001, 0.5, 2.0]
    floor.priority = 1  # the floor's values hold, whatever the robot's file says
    floor.contype, floor.conaffinity = 1, 1


def _add_motors(
    spec: mujoco.MjSpec, robot: Robot, fidelity: Fidelity, wear: Wear | None, supply: float | None
) -> dict[str, float]:
    """A motor or a near-ideal servo per driven joint, a gear behind each worn one; the factors of their speeds."""
    spec.nuser_actuator = USER
    factors: dict[str, float] = {}
    for joint in robot.joints:
        gear = worn_gear(robot, wear, joint) if wear is not None else None
        hinge = spec.joint(joint)
        if gear is not None and fidelity.motor:
            add_friction(hinge, gear)
        if gear is not None and fidelity.gearbox:
            add_gearbox(spec, hinge, gear)
        if joint in robot.coupled:
            continue
        motor = robot.motor_of(joint)
        if robot.drive is not None and fidelity.motor:
            add_drive(spec, robot, joint, robot.drive, supply)
            factors[joint] = 1.0
        elif wear is not None and gear is not None and motor is not None and fidelity.motor:
            factors[joint] = add_motor(spec, joint, motor, wear, inductance=fidelity.inductance, supply=supply)
        else:
            servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_pid(kp=robot.servo.position_gain, kv=robot.servo.velocity_gain)
            factors[joint] = 1.0
    return factors


def _add_sensors(spec: mujoco.MjSpec, robot: Robot) -> None:
    kinds = mujoco.mjtSensor
    imu = spec.body(robot.imu.body).add_site(name="gangart/imu", pos=robot.imu.position)
    for kind in (kinds.mjSENS_GYRO, kinds.mjSENS_ACCELEROMETER):
        spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=imu.name)
    for joint in robot.joints:
        spec.add_sensor(type=kinds.mjSENS_JOINTACTFRC, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=joint)
    for leg in robot.legs.values():
        sole = spec.body(leg.foot).add_site(name=sole_site(leg.name), pos=leg.sole)
        for kind in (kinds.mjSENS_FRAMEPOS, kinds.mjSENS_FRAMEQUAT):
            spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=sole.name)
        _add_contact_sensor(spec, leg.foot)


def _add_contact_sensor(spec: mujoco.MjSpec, foot: str) -> None:
    """The sum of all forces from the floor on a foot and what is fixed to it, in world axes."""
    sensor = spec.add_sensor(
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=FLOOR,
        reftype=mujoco.mjtObj.mjOBJ_XBODY,  # with the bodies that hang on the foot: a URDF may give the sole a link
        refname=foot,
    )
    fields = mujoco.mjtConDataField
    wanted = (fields.mjCONDATA_FOUND, fields.mjCONDATA_FORCE, fields.mjCONDATA_TORQUE, fields.mjCONDATA_POS)
    sensor.intprm[:3] = [sum(1 << int(f) for f in wanted), 3, 1]  # what, reduced to the net force, in one slot
