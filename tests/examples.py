"""The packages in `docs/examples`: each one's own tests, from its sources or as they are installed.

`python -m tests.examples` builds wheels of all and of this package, installs them in a fresh
environment, and runs there the tests, the notebooks and the commands of each.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
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


FOLDER = REPOSITORY / "build" / "examples"
TOOLS = ("pytest>=8", "filecheck>=1.0", "jinja2>=3.1", "nbclient>=0.10", "ipykernel>=6")
"""All that an environment has besides the wheels: for tests, the page of a report, and Jupyter."""


def build_wheels(folder: Path) -> list[Path]:
    """Wheels of this package and of all examples, of copies: builds leave files in their sources."""
    sources = folder / "sources"
    for package in (REPOSITORY, *EXAMPLES):
        shutil.copytree(package, sources / package.name, ignore=_not_in_a_wheel)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, folder / "wheels", *sorted(sources.iterdir())], check=True)
    return sorted((folder / "wheels").glob("*.whl"))


def _not_in_a_wheel(folder: str, names: Sequence[str]) -> set[str]:
    """Files of the repository that no wheel is made from."""
    kept = {"tileir_xdsl", "pyproject.toml", "README.md", "LICENSE"}
    if Path(folder) == REPOSITORY:
        return set(names) - kept
    return {name for name in names if name == "__pycache__" or name.endswith(".egg-info")}


def install(folder: Path, wheels: Sequence[Path]) -> Path:
    """The programs of a fresh environment with wheels and tools."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    programs = folder / "venv" / "bin"
    command = [programs / "python", "-m", "pip", "install", "--quiet", *wheels, *TOOLS]
    subprocess.run(command, env=_alone(programs), check=True)
    return programs


def failures(example: Path, programs: Path, folder: Path) -> Iterator[str]:
    """What an installed example fails at: its tests, commands and notebooks, with nothing else."""
    here = folder / example.name
    shutil.copytree(example / "tests", here / "tests", ignore=_not_in_a_wheel)
    notebooks = sorted(example.glob("*.ipynb"))
    for notebook in notebooks:
        shutil.copy(notebook, here)
    name = project_of(example)["project"]["name"]
    for command in _commands(name, [f"tests/{file.name}" for file in example.glob("tests/*.mlir")]):
        words = [programs / command[0], *command[1:]]
        if subprocess.run(words, cwd=here, env=_alone(programs), check=False).returncode:
            yield f"{name}: {' '.join(command)}"
    (here / "kernels.ipynb").write_text(json.dumps(_notebook(name)), "utf-8")
    for notebook in [here / "kernels.ipynb", *(here / each.name for each in notebooks)]:
        words = [programs / "jupyter", "execute", "--inplace", notebook.name]
        if subprocess.run(words, cwd=here, env=_alone(programs), check=False).returncode:
            yield f"{name}: {notebook.name} fails in Jupyter"
    for notebook in notebooks:
        if printed(here / notebook.name) != printed(notebook):
            yield f"{name}: {notebook.name} shows something else in Jupyter"


def _commands(name: str, kernels: Sequence[str]) -> Iterator[list[str]]:
    """Each example in its tests, and with each kernel of these under the commands."""
    yield ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    yield ["tileir", "passes", "--with", name]
    for kernel in kernels:
        yield ["tileir", "compile", kernel, "--with", name, "-o", "kernel.ptx"]
        yield ["tileir", "explain", kernel, "--with", name, "-o", "kernel.html"]
        pipeline = f"tileir-pipeline{{extensions={name}}}"
        yield ["xdsl-opt", kernel, "-p", pipeline, "-t", "ptx", "-o", "kernel.ptx"]


def _notebook(name: str) -> Mapping[str, Any]:
    """Compiles the kernels of the tests with an example, in Jupyter."""
    source = f"""%load_ext tileir_xdsl
from pathlib import Path
import tileir_xdsl as tileir
for kernel in sorted(Path("tests").glob("*.mlir")):
    print(tileir.compile(kernel, options=tileir.Options(extensions=("{name}",))))
"""
    cell = {"cell_type": "code", "source": source, "outputs": [], "execution_count": None}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel}
    return {
        "cells": [{**cell, "metadata": {}}],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def _alone(programs: Path) -> dict[str, str]:
    """The environment of a process that has what is installed, and nothing of the repository."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**ours, "PATH": f"{programs}{os.pathsep}{ours['PATH']}", "TILEIR_CACHE": "0"}


def printed(notebook: Path) -> list[str]:
    """The text that each cell of a notebook shows, be it printed or the value of its last line."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(map(_text, cell.get("outputs", ()))).rstrip() for cell in cells]


def _text(output: Mapping[str, Any]) -> str:
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    return text if isinstance(text, str) else "".join(text)


def main() -> None:
    """Exits with 1, and names what failed, where an installed example does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="examples at a time, default 1")
    jobs: int = parser.parse_args().jobs
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    programs = install(FOLDER, build_wheels(FOLDER))

    def failed(example: Path) -> list[str]:
        return [*failures(example, programs, FOLDER / "run")]

    with ThreadPoolExecutor(jobs) as pool:
        sys.exit("\n".join(chain.from_iterable(pool.map(failed, EXAMPLES))) or 0)


if __name__ == "__main__":
    main()
