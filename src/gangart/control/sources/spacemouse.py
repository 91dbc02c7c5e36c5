"""The 3Dconnexion SpaceMouse (Bahr 3.3.9): a cap that is pushed and turned in six degrees of freedom.

The device counts x to the right, y towards the user and z down, and turns about these axes right-handed. Linux passes
that on as relative motion (EV_REL), in frames for the pushes and frames for the turns, and leaves out zeros: silence
means that the cap was released. Newer models and kernels send positions (EV_ABS) with the same codes.
"""

from __future__ import annotations

from gangart.control.sources.layout import Axis, Button, Layout

_LOW, _HIGH = -350, 350  # as far as the cap goes

SPACEMOUSE = Layout(
    "SpaceMouse",
    (
        Axis("push ahead", 0x01, "vx", -1, _LOW, _HIGH, body=False),
        Axis("push to the left", 0x00, "vy", -1, _LOW, _HIGH, body=False),
        Axis("twist to the left", 0x05, "wz", -1, _LOW, _HIGH, body=False),
        Axis("lift", 0x02, "z", -1, _LOW, _HIGH),
        Axis("tip ahead", 0x03, "pitch", -1, _LOW, _HIGH),
        Axis("tip to the right", 0x04, "roll", -1, _LOW, _HIGH),
        Axis("push ahead", 0x01, "x", -1, _LOW, _HIGH, body=True),
        Axis("push to the left", 0x00, "y", -1, _LOW, _HIGH, body=True),
        Axis("twist to the left", 0x05, "yaw", -1, _LOW, _HIGH, body=True),
    ),
    (
        Button("left button", 0x100, "body"),
        Button("right button", 0x101, "next"),
    ),
    silence=2.0,
    release=0.2,  # while it is moved it tells of it every 8 to 16 ms
)
