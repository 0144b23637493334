"""`python -m docs.release`: whether this checkout is ready to be published; 1 where it is not.

Looks at the version, the changes, the tree, the pages that are written by programs, and the wheel
in an environment of its own with each Python at hand; `--quick` leaves the wheels out. Names each
page and each Python before its turn: all take a few minutes. It publishes nothing.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from docs.site.staging import REPOSITORY
from tests import pythons

NAME = "tileir_xdsl"

_WRITES = re.compile(r"^ +.*\.write_text\(", re.MULTILINE)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def declared(project: str) -> str:
    """The version in the text of `pyproject.toml`, the only place that has it."""
    return tomllib.loads(project)["project"]["version"]


def version_problems(project: str, installed: str) -> list[str]:
    """What `--version` and reports would say otherwise: they ask the installation."""
    wanted = declared(project)
    return [] if installed == wanted else [f"pyproject.toml has {wanted}, installed is {installed}"]


def changelog_problems(changelog: str, wanted: str) -> list[str]:
    """Whether the first heading of the changes is that of the version."""
    found = _HEADING.search(changelog)
    heading = found.group(1) if found else "none"
    if heading.split()[0] == wanted:
        return []
    return [f"the first heading is '{heading}', not that of {wanted}"]


def _text(name: str) -> str:
    return (REPOSITORY / name).read_text("utf-8")


def page_writers() -> list[str]:
    """The modules of this folder that write pages."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return [file.stem for file in files if _WRITES.search(file.read_text("utf-8"))]


def _changed() -> list[str]:
    """The files that differ from the last commit, or that it lacks."""
    command = ["git", "status", "--porcelain"]
    done = subprocess.run(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    return [line[3:] for line in done.stdout.splitlines()]


def _version() -> list[str]:
    return version_problems(_text("pyproject.toml"), version(NAME))


def _changelog() -> list[str]:
    return changelog_problems(_text("CHANGELOG.md"), declared(_text("pyproject.toml")))


def _tree() -> list[str]:
    return [f"not committed: {name}" for name in _changed()]


def _pages() -> Iterator[str]:
    before = _changed()
    for name in page_writers():
        print(f"pages: docs.{name} is run", flush=True)
        done = subprocess.run([sys.executable, "-m", f"docs.{name}"], cwd=REPOSITORY, check=False)
        if done.returncode:
            yield f"docs.{name} fails"
    yield from (f"was out of date: {name}" for name in _changed() if name not in before)


def _wheels() -> Iterator[str]:
    for each, program in pythons.at_hand().items():
        if program is None:
            print(f"wheels: Python {each} is not on this machine", flush=True)
            continue
        print(f"wheels: built and used with Python {each}", flush=True)
        # In the environment at hand, as it is: `make` would install one that a checkout lacks.
        environment = [f"VENV={sys.prefix}", f"--old-file={sys.prefix}/.installed"]
        command = ["make", "--silent", "wheel", f"PYTHON={program}", *environment]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            yield f"fails with Python {each}"


CHECKS: dict[str, Callable[[], list[str] | Iterator[str]]] = {
    "version": _version,
    "changes": _changelog,
    "tree": _tree,
    "pages": _pages,
    "wheels": _wheels,
}
"""What is looked at, in order; each gives what is wrong, a line for each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Looks at all, and prints a line for what is right and for each thing that is wrong."""
    parser = argparse.ArgumentParser(prog="python -m docs.release", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the wheels")
    options = parser.parse_args(arguments)
    status = 0
    for name, check in CHECKS.items():
        if options.quick and name == "wheels":
            continue
        problems = list(check())
        print(*(f"{name}: {problem}" for problem in problems or ["ready"]), sep="\n", flush=True)
        status = status or int(bool(problems))
    return status


if __name__ == "__main__":
    sys.exit(main())
