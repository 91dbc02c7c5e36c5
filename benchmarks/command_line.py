"""From pressing return to the prompt: whole processes, warm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.row import Row, Setting, at_most, missing
from benchmarks.timing import seconds, take_turns

WALKED = 2.0  # [s]
_BARS = {"walk": 4.0, "help": 0.5, "import": 0.3}  # [s]


def rows(setting: Setting) -> list[Row]:
    """Wall times of the command line and of the import."""
    tool = [*_tool()]
    calls = {
        "walk": [*tool, "walk", "nao", "--duration", f"{WALKED:g}", "--json"],
        "help": [*tool, "--help"],
        "import": [sys.executable, "-c", "import gangart"],
    }
    names = {
        "walk": f"gangart walk nao --duration {WALKED:g} --json",
        "help": "gangart --help",
        "import": "python -c 'import gangart'",
    }
    failed = {key: why for key, call in calls.items() if (why := _trial(call))}  # warm as well
    bare = [sys.executable, "-c", "pass"]
    able = {key: call for key, call in (calls | {"python": bare}).items() if key not in failed}
    found = take_turns(
        setting.rounds(7, 3), **{key: lambda call=call: seconds(lambda: _run(call)) for key, call in able.items()}
    )
    note = f"the whole process; an empty python takes {median(found['python']):.3f} s of it"
    return [
        missing(names[key], failed[key], failed=True)
        if key in failed
        else at_most(names[key], median(found[key]), "s", bar, note, wall=median(found[key]))
        for key, bar in _BARS.items()
    ]


def _tool() -> list[str]:
    """The tool as installed beside the interpreter, or else its entry point."""
    script = Path(sys.executable).with_name("gangart")
    return [str(script)] if script.exists() else [sys.executable, "-c", "from gangart.cli import main; main()"]


def _run(call: list[str]) -> None:
    subprocess.run(call, check=True, capture_output=True)


def _trial(call: list[str]) -> str:
    """Why a call fails; empty if it does not."""
    result = subprocess.run(call, capture_output=True, text=True, check=False)
    lines = (result.stderr or result.stdout).strip().splitlines()
    return "" if result.returncode == 0 else f"not yet: it ended with code {result.returncode}: {(lines or [''])[-1]}"
