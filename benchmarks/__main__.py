"""Run the benchmarks and print them as tables or JSON; ends with 1 if a bar is not met."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.row import Row, Setting
from benchmarks.table import print_rows, print_summary

TITLES = {
    "engine_tick": "One tick of the walking engine",
    "planning": "Planning a walk",
    "goals": "Planning steps to a goal",
    "leg_ik": "Inverse kinematics of a leg",
    "multibody": "Forces of a walk",
    "simulation": "Simulating a walk",
    "fidelity": "Simulating a worn robot",
    "quadruped": "A quadruped",
    "recordings": "Recordings",
    "command_line": "Command line",
}
_ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; 0 if every bar is met."""
    asked = _parser().parse_args(arguments)
    # one thread each: what is compared is code, and not how many cores are free
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    setting = Setting(quick=asked.quick, peers=asked.peers)
    found: dict[str, list[Row]] = {}
    for name, rows in _measure(asked.only or list(TITLES), setting):
        found[name] = rows
        if not asked.json:
            print_rows(TITLES[name], rows)
    failed = [row for rows in found.values() for row in rows if row.ok is False]
    if asked.json:
        print(json.dumps(_as_json(setting, found, met=not failed), indent=2, ensure_ascii=False))
    else:
        print_summary([row for rows in found.values() for row in rows])
    return 1 if failed else 0


def _measure(names: list[str], setting: Setting) -> Iterator[tuple[str, list[Row]]]:
    for name in names:
        yield name, import_module(f"benchmarks.{name}").rows(setting)


def _as_json(setting: Setting, found: dict[str, list[Row]], *, met: bool) -> dict[str, object]:
    benchmarks = {name: [asdict(row) for row in rows] for name, rows in found.items()}
    machine = {"machine": platform.machine(), "system": platform.system(), "python": platform.python_version()}
    return {"met": met, "quick": setting.quick, **machine, "benchmarks": benchmarks}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure gangart's speed as ratios to its peers and to bare MuJoCo, all in the same run.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", nargs="+", choices=list(TITLES), metavar="NAME", help=", ".join(TITLES))
    parser.add_argument("--peers", type=Path, default=_ROOT / ".venv-peers", help="virtual environment with placo")
    return parser


if __name__ == "__main__":
    sys.exit(main())
