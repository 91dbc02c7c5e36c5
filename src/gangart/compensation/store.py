"""Tables that took a while are kept on disk, named by all that they depend on."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from gangart import __version__
from gangart.signals import Array


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again: GANGART_CACHE, or what the system names for it."""
    if own := os.environ.get("GANGART_CACHE"):
        return Path(own)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "gangart"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "gangart"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gangart"


def key(*parts: object) -> str:
    """A short name for these parts, and for this version's code."""
    digest = hashlib.sha256(__version__.encode())
    for source in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(source.read_bytes())
    for part in parts:
        digest.update(repr(part).encode())
    return digest.hexdigest()[:24]


def recall(name: str) -> dict[str, Array] | None:
    """The arrays that were kept by a name; None if there are none, or what is there cannot be read."""
    try:
        with _file(name).open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
            return {k: np.asarray(kept[k]) for k in kept.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def keep(name: str, arrays: dict[str, Array]) -> None:
    """Keep arrays by a name; where the disk refuses, they are made anew next time."""
    file = _file(name)
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # NumPy's stub lacks the keywords' type
        part.replace(file)  # at once: a reader never sees half a file
    except OSError:
        with suppress(OSError):
            part.unlink()


def _file(name: str) -> Path:
    return cache_folder() / "compensation" / f"{name}.npz"
