"""What is shipped: a wheel that works on its own, imports that stay light, requirements that name versions only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import pytest

import gangart

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))
HEAVY = ("daqp", "matplotlib", "mink", "mujoco", "numba", "qpsolvers", "rosbags", "scipy")
IMPORT = "import gangart"
HELP = """
import sys
from gangart.cli import main
sys.argv = ["gangart", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def child(code: str, cwd: Path, path: Path | None = None) -> str:
    """What a Python process of its own prints that runs `code` in `cwd`, with `path` first on its module path."""
    environment = {key: value for key, value in os.environ.items() if key != "COVERAGE_PROCESS_START"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def best_time(code: str, cwd: Path) -> float:
    """The shortest wall-clock time [s] of a few child processes: what the machine can do when it is not busy."""

    def once() -> float:
        start = time.perf_counter()
        child(code, cwd)
        return time.perf_counter() - start

    return min(once() for _ in range(7))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that the checkout stays clean."""
    pytest.importorskip("setuptools", minversion="77")
    pytest.importorskip("build")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel, and nothing else, is installed."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--no-deps", "--no-index"]
    done = subprocess.run([*command, "--target", str(target), str(wheel)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "gangart").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert shipped == wanted


def test_the_wheel_carries_its_licence_and_version(wheel: Path) -> None:
    assert wheel.name.startswith(f"gangart-{gangart.__version__}-")
    assert any(name.endswith("licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_the_installed_wheel_loads_a_robot_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import gangart; from gangart import robots; print(gangart.__file__); print(*robots.load('nao').legs)"
    file, legs = child(code, tmp_path, installed).splitlines()
    assert Path(file).is_relative_to(installed)
    assert legs == "left right"


def test_the_installed_command_explains_itself_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(installed / "bin" / "gangart"), "--help"]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "walk" in done.stdout


@pytest.mark.parametrize("code", [IMPORT, HELP], ids=["import", "help"])
def test_nothing_heavy_is_imported_before_it_is_needed(code: str, tmp_path: Path) -> None:
    ask = "\nimport sys; print('modules:', *sorted({name.partition('.')[0] for name in sys.modules}))"
    modules = child(code + ask, tmp_path).rpartition("modules:")[2].split()
    assert not set(HEAVY) & set(modules)


@pytest.mark.parametrize(("code", "limit"), [(IMPORT, 0.3), (HELP, 0.5)], ids=["import", "help"])
def test_a_first_look_is_quick(code: str, limit: float, tmp_path: Path) -> None:
    assert best_time(code, tmp_path) < limit  # [s] interpreter start included


def pins(file: Path) -> list[str]:
    """The lines of a requirement file that ask for something."""
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.stem)
def test_requirement_files_name_versions_and_nothing_else(file: Path) -> None:
    pin = re.compile(r'[\w.-]+==[\w.]+(; python_version < "3\.\d+")?|-r \w+\.txt')
    assert [line for line in pins(file) if not pin.fullmatch(line)] == []
    assert not re.search(r"https?:|index-url|find-links|trusted-host", file.read_text(encoding="utf-8"))


def test_every_runtime_dependency_is_pinned_and_argued_for() -> None:
    pinned = {line.partition("==")[0] for line in pins(ROOT / "requirements" / "run.txt")}
    argued = set(re.findall(r"^\| `([\w-]+)` \|", (ROOT / "docs" / "dependencies.md").read_text("utf-8"), re.MULTILINE))
    wanted = {re.match(r"[\w-]+", line).group() for line in PROJECT["dependencies"]}
    assert wanted <= pinned
    assert wanted == argued


def test_all_files_tell_the_same_version() -> None:
    assert f"\nversion: {gangart.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{gangart.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not shutil.which("make"), reason="make is not there")
def test_make_explains_every_target() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*) moved$", makefile, re.MULTILINE)
    assert [target for target in targets.split() if not re.search(rf"^  {target} ", done.stdout, re.MULTILINE)] == []
