"""`python -m tests.newest`: the exit status is 1 where something fails."""

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.utils import canonicalize_name

from tests import pythons
from tests.newest.comparison import changes, failed_kernels, failures, freed
from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "build" / "newest"

KERNELS = ["-m", "tests.kernels", "--gpus", "sm_90a,sm_100a"]
"""The zoo for two targets, whose matrix units differ most."""


def wanted() -> list[str]:
    """What the package and its tests require, without the bounds of what is freed."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = (project["dependencies"], extras["test"], extras["gui"], extras["lsp"])
    return freed(line for part in parts for line in part)


def output(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the repository, and keeps what it prints."""
    return subprocess.run(
        command,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def versions(python: str | Path) -> dict[str, str]:
    """The version of every package of an environment."""
    command = [python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    listed = json.loads(done.stdout)
    return {canonicalize_name(package["name"]): package["version"] for package in listed}


def environment(version: str, program: str) -> tuple[Path, str | None]:
    """The Python of a fresh environment with the newest of all, and what pip could not do."""
    folder = FOLDER / version
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([program, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade"]
    done = output([*install, *wanted()])
    if done.returncode == 0:
        done = output([*install, "--no-deps", "--editable", "."])
    return python, done.stdout.strip() if done.returncode else None


def last_line(printed: str) -> list[str]:
    """What a command has printed last, which says why it has ended."""
    return printed.splitlines()[-1:] or ["nothing printed"]


def failing(python: Path, jobs: int) -> list[str]:
    """What fails of the quick tests and of the zoo, by name."""
    # How much they reach is said on stderr.
    command = [python, "-m", "tests.reach", "select"]
    chosen = subprocess.run(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    selected = chosen.stdout.split()
    tests = output([python, "-m", "pytest", "-n", str(jobs), "--dist", "worksteal", *selected])
    found = failures(tests.stdout)
    if tests.returncode and not found:
        found = [f"pytest: {line}" for line in last_line(tests.stdout)]
    zoo = output([python, *KERNELS])
    if zoo.returncode:
        found += failed_kernels(zoo.stdout) or [f"zoo: {line}" for line in last_line(zoo.stdout)]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints for each Python what is newer than in this environment, and what fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.newest", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes of pytest")
    parser.add_argument("--python", action="append", help="3.12, say; by default all at hand")
    options = parser.parse_args(arguments)
    tested = versions(sys.executable)
    status = 0
    for version, program in pythons.at_hand(tuple(options.python or pythons.VERSIONS)).items():
        if program is None:
            print(f"Python {version}: not on this machine", flush=True)
            continue
        python, trouble = environment(version, program)
        if trouble is not None:
            print(f"Python {version}: cannot be installed\n{trouble}", flush=True)
            status = 1
            continue
        print(f"Python {version}:", *changes(tested, versions(python)), sep="\n  ", flush=True)
        found = failing(python, options.jobs)
        print("  nothing fails" if not found else "  failed:", *found, sep="\n    ", flush=True)
        status = status or int(bool(found))
    return status


if __name__ == "__main__":
    sys.exit(main())
