"""The Pythons of this machine that the package supports.

`python -m tests.pythons` prints their programs, and names those that are missing on stderr.
"""

import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def at_hand(versions: tuple[str, ...] = VERSIONS) -> dict[str, str | None]:
    """The program of each version, None where there is none."""
    return {version: _program(version) for version in versions}


def _program(version: str) -> str | None:
    name = f"python{version}"
    found = [shutil.which(name), *_of_pyenv(name, version)]
    return next((str(path) for path in found if path is not None and _runs(path)), None)


def _of_pyenv(name: str, version: str) -> list[Path]:
    """Those that pyenv has installed, also where none of them is the one in use."""
    return sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/{name}"), reverse=True)


def _runs(path: Path | str) -> bool:
    # A name that pyenv has on the path may lead nowhere.
    return subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


def main() -> None:
    """Prints the programs."""
    for version, program in at_hand().items():
        if program is None:
            print(f"Python {version}: not on this machine", file=sys.stderr)
        else:
            print(program)


if __name__ == "__main__":
    main()
