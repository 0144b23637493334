"""The packages in `docs/examples`: each one's own tests, from its sources or as they are installed.

`python -m tests.examples` builds wheels of all and of this package, installs them in a fresh
environment, and runs there the tests, the notebooks and the commands of each.
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLES = tuple(sorted(file.parent for file in REPOSITORY.glob("docs/examples/*/pyproject.toml")))


def project_of(example: Path) -> dict[str, Any]:
    """The `pyproject.toml` of an example."""
    return tomllib.loads((example / "pyproject.toml").read_text("utf-8"))


def sources_of(example: Path) -> Path:
    """The folder that the packages of an example are in."""
    setuptools = project_of(example).get("tool", {}).get("setuptools", {})
    (where,) = setuptools.get("packages", {}).get("find", {}).get("where", ["."])
    return (example / where).resolve()


def write_metadata(example: Path, folder: Path) -> None:
    """Has an example be installed, for processes with its sources and the folder on their path."""
    project: Mapping[str, Any] = project_of(example)["project"]
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    named = f"Name: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\n{named}", "utf-8")
    lines: list[str] = []
    for group, points in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")


def run_from_source(
    example: Path, command: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Runs a command in an empty folder, with an example as if it were installed."""
    write_metadata(example, folder)
    path = [str(folder), str(sources_of(example)), str(REPOSITORY)]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "TILEIR_CACHE": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def pytest_command(example: Path) -> list[str]:
    """Runs the tests of an example, with its own configuration."""
    tests, plain = str(example / "tests"), ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return [sys.executable, "-m", "pytest", *plain, "--rootdir", str(example), tests]
