"""The Xbox One controller (Bahr 3.3.9): what its sticks and buttons mean.

Codes and ranges are those of Linux' xpad driver (Documentation/input/gamepad.rst), and of its generic driver by
Bluetooth, where the right stick and the triggers have other codes.
"""

from __future__ import annotations

from dataclasses import replace

from gangart.control.sources.layout import Axis, Button, Layout

_LOW, _HIGH = -32768, 32767
BTN_SOUTH = 0x130  # every gamepad has it, and nothing else

GAMEPAD = Layout(
    "gamepad",
    (
        Axis("left stick ahead", 0x01, "vx", -1, _LOW, _HIGH, body=False),
        Axis("left stick to the left", 0x00, "vy", -1, _LOW, _HIGH, body=False),
        Axis("right stick to the left", 0x03, "wz", -1, _LOW, _HIGH, body=False),
        Axis("left stick ahead", 0x01, "pitch", -1, _LOW, _HIGH, body=True),
        Axis("left stick to the right", 0x00, "roll", 1, _LOW, _HIGH, body=True),
        Axis("right stick to the left", 0x03, "yaw", -1, _LOW, _HIGH, body=True),
        Axis("right stick ahead", 0x04, "z", -1, _LOW, _HIGH, body=True),
        Axis("D-pad ahead", 0x11, "x", -1, -1, 1),
        Axis("D-pad to the left", 0x10, "y", -1, -1, 1),
    ),
    (
        Button("LB", 0x136, "body"),
        Button("RB", 0x137, "next"),
        Button("A", BTN_SOUTH, "1"),
        Button("B", 0x131, "2"),
        Button("X", 0x133, "3"),
        Button("Y", 0x134, "4"),
        Button("View", 0x13A, "quit"),
    ),
    silence=10.0,  # a hand trembles: a stick that is held tells of it several times a second
)

# ABS_RX and ABS_RY are ABS_Z and ABS_RZ there, and all sticks count from 0 to 65535
_CODES = {0x03: 0x02, 0x04: 0x05}
BLUETOOTH = replace(
    GAMEPAD,
    axes=tuple(
        replace(axis, code=_CODES.get(axis.code, axis.code), low=0, high=65535) if axis.low == _LOW else axis
        for axis in GAMEPAD.axes
    ),
)
