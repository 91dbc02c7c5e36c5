"""How Sphinx builds the documentation; nothing here asks the network."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer

import gangart

project = "gangart"
author = "The gangart developers"
copyright = author
release = version = gangart.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
default_role = "literal"  # docstrings write `name` as people do
html_theme = "furo"
html_title = f"gangart {release}"

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "Bools", "Ints")}

# These are for the shell, not for the importer.
NOT_DOCUMENTED = {"cli", "__main__"}


def _foreign(module: Any, room: str) -> str:
    """What a room only passes on from elsewhere; it is documented at its home."""
    homes = {name: getattr(getattr(module, name), "__module__", None) for name in getattr(module, "__all__", ())}
    return ", ".join(name for name, home in homes.items() if home and not home.startswith(room))


def _page(name: str) -> str:
    """The page of one room: what its front door offers, or its modules where it has none."""
    room = f"gangart.{name}"
    module = importlib.import_module(room)
    inside = [m.name for m in pkgutil.iter_modules(getattr(module, "__path__", [])) if not m.name.startswith("_")]
    parts = [room] if hasattr(module, "__all__") or not inside else [room, *(f"{room}.{m}" for m in inside)]
    lines = [f"# {name}\n"]
    for part in parts:
        foreign = _foreign(module, room) if part == room else ""
        option = f"   :exclude-members: {foreign}\n" if foreign else ""
        lines.append(f"```{{eval-rst}}\n.. automodule:: {part}\n{option}```\n")
    return "\n".join(lines)


def write_pages(app: Sphinx) -> None:
    """One page per room into docs/api, so that a new room appears by itself."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    rooms = {m.name for m in pkgutil.iter_modules(gangart.__path__)} - NOT_DOCUMENTED
    pages = {folder / f"{name}.md": _page(name) for name in rooms if not name.startswith("_")}
    for old in set(folder.glob("*.md")) - pages.keys():
        old.unlink()
    for file, text in pages.items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def read_field_comments() -> None:
    """Let `mass: float  # [kg]` document the field: Sphinx itself only reads `#:`."""
    field = re.compile(r"^(    \w+: [^#\n]+?  )# (?!noqa|type:)", re.MULTILINE)
    original = ModuleAnalyzer.__init__

    def init(self: ModuleAnalyzer, source: str, modname: str, srcname: str) -> None:
        original(self, field.sub(r"\1#: ", source), modname, srcname)

    ModuleAnalyzer.__init__ = init  # type: ignore[method-assign]


def read_arguments(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Args and Returns of docstrings; in the comment of a field a colon is a colon."""
    if what not in ("attribute", "property"):
        lines[:] = GoogleDocstring(lines, Config(), app, what, name, obj, options).lines()


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    read_field_comments()
    app.connect("autodoc-process-docstring", read_arguments)
    app.connect("builder-inited", write_pages)
