"""Which input devices there are: the kernel tells everyone, whether they may be read or not."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gangart.control.sources.evdev import LONG, PERMISSION
from gangart.control.sources.gamepad import BLUETOOTH, BTN_SOUTH, GAMEPAD
from gangart.control.sources.layout import Layout
from gangart.control.sources.spacemouse import SPACEMOUSE
from gangart.errors import MissingTool

SYS, DEV = Path("/sys/class/input"), Path("/dev/input")
_CONNEXION = 0x256F  # the vendor number of 3Dconnexion
_LOGITECH, _PRODUCTS = 0x046D, range(0xC603, 0xC62C)  # under which its older devices come
_SIX = 0b111111  # three pushes and three turns, as REL or as ABS
_ABS_RX, _ABS_GAS = 1 << 0x03, 1 << 0x09


@dataclass(frozen=True)
class Device:
    """An input device as the kernel describes it."""

    path: Path
    name: str
    vendor: int
    product: int
    keys: int  # one bit per code
    rel: int
    abs: int


def devices(sys: Path = SYS, dev: Path = DEV) -> list[Device]:
    """All input devices, in the order of their numbers."""
    found = sorted(sys.glob("event*"), key=lambda path: (len(path.name), path.name))
    return [_described(path / "device", dev / path.name) for path in found]


def _described(about: Path, path: Path) -> Device:
    def text(name: str) -> str:
        try:
            return (about / name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:  # it was unplugged just now
            return ""

    def bits(name: str) -> int:
        value = 0
        for word in text(f"capabilities/{name}").split():  # the highest first
            value = value << LONG | int(word, 16)
        return value

    number = {name: int(text(f"id/{name}") or "0", 16) for name in ("vendor", "product")}
    return Device(path, text("name"), number["vendor"], number["product"], bits("key"), bits("rel"), bits("abs"))


def is_gamepad(device: Device) -> bool:
    """It has the lower button of a gamepad, and a stick."""
    return bool(device.keys >> BTN_SOUTH & 1) and device.abs & 0b11 == 0b11


def is_spacemouse(device: Device) -> bool:
    """It comes from 3Dconnexion and has six axes."""
    theirs = device.vendor == _CONNEXION or (device.vendor == _LOGITECH and device.product in _PRODUCTS)
    return theirs and _SIX in (device.rel & _SIX, device.abs & _SIX)


KINDS: dict[str, Callable[[Device], bool]] = {"gamepad": is_gamepad, "spacemouse": is_spacemouse}


def layout_of(kind: str, device: Device | None) -> Layout:
    """What the axes of a device mean; a file or a pipe is taken for the usual one."""
    if kind == "spacemouse":
        return SPACEMOUSE
    by_bluetooth = device is not None and not device.abs & _ABS_RX and bool(device.abs & _ABS_GAS)
    return BLUETOOTH if by_bluetooth else GAMEPAD


def described(path: Path, sys: Path = SYS, dev: Path = DEV) -> Device | None:
    """What the kernel says of a device; nothing of a file or a pipe."""
    try:
        path = path.resolve()
    except (OSError, ValueError):
        return None
    return next((device for device in devices(sys, dev) if device.path == path), None)


def find(kind: str, sys: Path = SYS, dev: Path = DEV) -> Device:
    """The first device of a kind that may be read, or what is in the way."""
    there = devices(sys, dev)
    fitting = [device for device in there if KINDS[kind](device)]
    for device in fitting:
        if os.access(device.path, os.R_OK):
            return device
    if fitting:
        raise MissingTool(f"'{fitting[0].name}' is {fitting[0].path}, which you may not read; {PERMISSION}")
    names = ", ".join(f"'{device.name}'" for device in there) or "none"
    raise MissingTool(
        f"no {kind} is connected; input devices that are: {names}. "
        f"'{kind}:PATH' takes another device, a pipe, or a recording"
    )
