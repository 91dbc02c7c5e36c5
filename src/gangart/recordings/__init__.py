"""What happened, kept in one file: an MCAP with standard ROS 2 messages, which Foxglove and `ros2 bag` open as well."""

from gangart.recordings.read import load
from gangart.recordings.write import RecordingWriter, save

__all__ = ["RecordingWriter", "load", "save"]
