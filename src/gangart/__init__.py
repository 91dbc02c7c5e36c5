"""gangart makes legged machines walk, shows why they do not walk as planned, and closes that gap."""

__version__ = "0.1.0"
