"""What all tests share: determinism, and the robots."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

# One thread per test process: xdist already uses the cores, and sums keep their order.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
# Plots are files.
os.environ.setdefault("MPLBACKEND", "agg")

# Kernels compile once for all processes. numba does not see a change in a file that a kernel imports from, so each
# state of the sources with kernels has a cache of its own: a test never runs yesterday's kernel.
_ROOT = Path(__file__).parents[1]
_SOURCES = b"".join(
    s for file in sorted((_ROOT / "src").rglob("*.py")) if b"gangart.compiled" in (s := file.read_bytes())
)
os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".cache" / "numba" / hashlib.sha256(_SOURCES).hexdigest()[:16]))

from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from gangart import cli, robots

# The same examples in every run: a failure is never a matter of luck, nor of a busy machine.
settings.register_profile("gangart", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("gangart")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def nao() -> robots.Robot:
    """The Nao as it comes with gangart; robots are frozen, so all tests share it."""
    return robots.load("nao")


COMPILING = "gangart: compiling the kernels; this happens once and takes about half a minute\n"


@pytest.fixture
def gangart_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Run the command line in an empty folder; answers exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(args)
        out, err = capsys.readouterr()
        err = err.replace(COMPILING, "")  # whichever test comes first
        return int(end.value.code or 0), out, err

    return run


@pytest.fixture(scope="session")
def documented_keys() -> Callable[[str], set[str]]:
    """The keys that docs/command-line.md has in its table for a command."""
    text = (_ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")

    def keys(command: str) -> set[str]:
        table = text.partition(f"## Keys of `{command} --json`")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        return {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    return keys
