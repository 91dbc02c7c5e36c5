"""Who steers? A keyboard, a gamepad, a SpaceMouse, a program or a script: one interface for all (Bahr 7.3)."""

from gangart.control.sources.device import InputDevice
from gangart.control.sources.keyboard import Keyboard
from gangart.control.sources.layout import Axis, Button, Layout
from gangart.control.sources.network import Network
from gangart.control.sources.open import SOURCES, help_of, open_source
from gangart.control.sources.scale import Scale
from gangart.control.sources.script import Script, load_script
from gangart.control.sources.source import Source, commands, wishes
from gangart.control.sources.steering import Steering

__all__ = [
    "SOURCES", "Axis", "Button", "InputDevice", "Keyboard", "Layout", "Network", "Scale", "Script", "Source",
    "Steering", "commands", "help_of", "load_script", "open_source", "wishes",
]  # fmt: skip
