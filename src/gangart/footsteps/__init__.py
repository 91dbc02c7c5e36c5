"""Where do the feet go?"""

from gangart.footsteps.velocity import LEFT, RIGHT, accelerate, limit_command, next_step

__all__ = ["LEFT", "RIGHT", "accelerate", "limit_command", "next_step"]
