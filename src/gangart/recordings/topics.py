"""Which ROS 2 message holds which column: one standard message per topic, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.stores import ros2_jazzy as ros

from gangart.recordings.columns import Layout

STORE = get_typestore(Stores.ROS2_JAZZY)

Index = tuple[Any, ...]  # what to take from one row of a column
ALL: Index = (...,)
XYZW = [1, 2, 3, 0]  # ROS puts the scalar of a quaternion last


@dataclass(frozen=True)
class Topic:
    """A topic that gets one message per row."""

    name: str
    message: Any  # a message in which everything that stays the same is already right
    slots: dict[str, tuple[str, Index]]  # field of the message -> column, and the part of its row that goes there

    @property
    def type(self) -> str:
        """The name of the message's type, e.g. sensor_msgs/msg/Imu."""
        return str(self.message.__msgtype__)


def topics(layout: Layout) -> list[Topic]:
    """All topics of a recording."""
    return [*_body(layout), *_plan(), *(t for i, leg in enumerate(layout.legs) for t in _leg(layout, i, leg))]


def _body(layout: Layout) -> Iterator[Topic]:
    names, some, none = list(layout.joints), np.zeros(len(layout.joints)), np.zeros(0)
    state = ros.sensor_msgs__msg__JointState(_header(""), names, some, some, some)
    yield Topic("/joint_states", state,
                {"position": ("position", ALL), "velocity": ("velocity", ALL), "effort": ("torque", ALL)})  # fmt: skip
    target = ros.sensor_msgs__msg__JointState(_header(""), names, some, none, none)
    yield Topic("/joint_targets", target, {"position": ("target", ALL)})
    pose = ros.geometry_msgs__msg__PoseWithCovariance(_pose(), np.zeros(36))
    twist = ros.geometry_msgs__msg__TwistWithCovariance(
        ros.geometry_msgs__msg__Twist(linear=_vector(), angular=_vector()), np.zeros(36)
    )
    odometry = ros.nav_msgs__msg__Odometry(_header("world"), "base_link", pose, twist)
    yield Topic("/odom", odometry, {
        "pose.pose.position": ("base_position", ALL),
        "pose.pose.orientation": ("base_orientation", (XYZW,)),
        "twist.twist.linear": ("base_velocity", ALL),
        "twist.twist.angular": ("base_rotation", ALL),
    })  # fmt: skip
    unknown = np.array([-1.0, *[0.0] * 8])  # sensor_msgs/Imu: the first covariance is -1 where there is no orientation
    imu = ros.sensor_msgs__msg__Imu(
        _header("imu_link"), _quaternion(), unknown, _vector(), np.zeros(9), _vector(), np.zeros(9)
    )
    yield Topic("/imu", imu, {"angular_velocity": ("gyro", ALL), "linear_acceleration": ("accelerometer", ALL)})


def _plan() -> Iterator[Topic]:
    for name in ("zmp", "zmp_reference", "com_reference"):
        point = ros.geometry_msgs__msg__PointStamped(_header("world"), _point())
        yield Topic(f"/{name}", point, {"point": (name, ALL)})


def _leg(layout: Layout, i: int, leg: str) -> Iterator[Topic]:
    def name(what: str) -> str:
        return f"/feet/{leg}/{what}"

    pose = ros.geometry_msgs__msg__PoseStamped(_header("world"), _pose())
    yield Topic(name("pose"), pose, {
        "pose.position": ("foot_pose", (i, slice(3))),
        "pose.orientation": ("foot_pose", (i, [4, 5, 6, 3])),
    })  # fmt: skip
    wrench = ros.geometry_msgs__msg__WrenchStamped(
        _header(f"{leg}_sole_world_axes"), ros.geometry_msgs__msg__Wrench(force=_vector(), torque=_vector())
    )
    yield Topic(name("wrench"), wrench, {"wrench": ("foot_wrench", (i,))})
    if n := layout.n_force_sensors:
        dimension = ros.std_msgs__msg__MultiArrayDimension(label="sensor", size=n, stride=n)
        forces = ros.std_msgs__msg__Float64MultiArray(
            ros.std_msgs__msg__MultiArrayLayout(dim=[dimension], data_offset=0), np.zeros(n)
        )
        yield Topic(name("pressure"), forces, {"data": ("foot_force", (i,))})
    for flag in ("contact", "support"):
        yield Topic(name(flag), ros.std_msgs__msg__Bool(data=False), {"data": (flag, (i,))})


def _header(frame: str) -> ros.std_msgs__msg__Header:
    return ros.std_msgs__msg__Header(ros.builtin_interfaces__msg__Time(sec=0, nanosec=0), frame)


def _point() -> ros.geometry_msgs__msg__Point:
    return ros.geometry_msgs__msg__Point(x=0.0, y=0.0, z=0.0)


def _vector() -> ros.geometry_msgs__msg__Vector3:
    return ros.geometry_msgs__msg__Vector3(x=0.0, y=0.0, z=0.0)


def _quaternion() -> ros.geometry_msgs__msg__Quaternion:
    return ros.geometry_msgs__msg__Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)


def _pose() -> ros.geometry_msgs__msg__Pose:
    return ros.geometry_msgs__msg__Pose(_point(), _quaternion())
