"""Which forces does that take?"""

from gangart.dynamics.motion import foot_positions, world_motion
from gangart.dynamics.torques import Torques, joint_torques
from gangart.dynamics.zmp import multibody_zmp

__all__ = ["Torques", "foot_positions", "joint_torques", "multibody_zmp", "world_motion"]
