"""What is measured, and the slices of the tests that measure it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.reach.map import REPOSITORY, ReachMap

ROOMS: Mapping[str, str] = {
    "passes": "tileir_xdsl/transforms",
    "backend": "tileir_xdsl/backend",
    "bytecode": "tileir_xdsl/bytecode",
}
"""The folders that are measured."""
BUILD = REPOSITORY / "build" / "coverage"
SECONDS = 30.0
"""What the test files of a slice cost together, unless it is a single one."""
_UNKNOWN = 10.0
"""What a test file is taken to cost of which that is not known."""
_LIT = "tests/filecheck/"


@dataclass(frozen=True)
class Slice:
    """Files of unit tests of one folder, or a folder of lit tests, relative to the repository."""

    paths: tuple[str, ...]

    @property
    def is_lit(self) -> bool:
        return self.paths[0].startswith(_LIT)

    @property
    def name(self) -> str:
        """The name of its data, which no other slice has."""
        digest = hashlib.sha256("\n".join(self.paths).encode()).hexdigest()[:8]
        return f"{self.paths[0].replace('/', '.')}.{digest}"

    @property
    def title(self) -> str:
        more = len(self.paths) - 1
        return f"{self.paths[0]}{f' and {more} more' if more else ''}"

    def command(self, settings: Path) -> list[str]:
        """What runs it; `settings` are those of coverage."""
        if self.is_lit:
            lit = Path(sys.executable).with_name("lit")
            return [str(lit), "-q", "-j", "1", *self.paths]
        run = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"]
        return [*run, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self.paths]


def slices_of(
    rooms: Iterable[str], tests: Iterable[str], lit_tests: Iterable[str], reach: ReachMap
) -> list[Slice]:
    """The slices for some rooms: unit tests whose folder mirrors a room first, then lit tests, then
    other test files that reach a room, the cheapest folders first.

    `tests` and `lit_tests` are paths relative to the repository. A test file of which it is not
    known what it reaches is among them.
    """
    sources = tuple(f"{ROOMS[room]}/" for room in rooms)
    mirrors = tuple(source.replace("tileir_xdsl", "tests/unit", 1) for source in sources)

    def reaches(test: str) -> bool:
        known = reach.tests.get(test)
        return known is None or any(source.startswith(sources) for source in known.reaches)

    tests = sorted(tests)
    own = _grouped((test for test in tests if test.startswith(mirrors)), reach)
    others = (test for test in tests if not test.startswith(mirrors) and reaches(test))
    lit = sorted({test.rpartition("/")[0] for test in lit_tests})
    return [*own, *(Slice((path,)) for path in lit), *_grouped(others, reach)]


def _cost(test: str, reach: ReachMap) -> float:
    known = reach.tests.get(test)
    return _UNKNOWN if known is None else known.seconds


def _grouped(tests: Iterable[str], reach: ReachMap) -> list[Slice]:
    """Slices of test files, each of one folder; the cheapest first."""
    found: list[tuple[float, Slice]] = []
    for _, group in groupby(tests, lambda test: test.rpartition("/")[0]):
        paths: list[str] = []
        cost = 0.0
        for test in group:
            own = _cost(test, reach)
            if paths and cost + own > SECONDS:
                found.append((cost, Slice(tuple(paths))))
                paths, cost = [], 0.0
            paths.append(test)
            cost += own
        found.append((cost, Slice(tuple(paths))))
    return [part for _, part in sorted(found, key=lambda entry: entry[0])]


def lit_files(root: Path = REPOSITORY) -> Iterator[str]:
    """The lit tests that run passes, each a path relative to the repository.

    Those of dialects print and parse, which is in none of the rooms.
    """
    for path in sorted((root / _LIT).rglob("*.mlir")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(f"{_LIT}dialects/"):
            yield name


def folder_of_data(root: Path = REPOSITORY) -> Path:
    """Where data are: a folder of its own for each state of the sources, whose lines they name."""
    digest = hashlib.sha256()
    for folder in ROOMS.values():
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return BUILD / digest.hexdigest()[:12]


def settings_text(data: Path, folders: Sequence[Path]) -> str:
    """Settings of coverage: branches too, and processes that tests start; `data` is a file."""
    source = "\n    ".join(map(str, folders))
    return (
        f"[run]\nbranch = True\nparallel = True\ndata_file = {data}\nsource =\n    {source}\n"
        "patch = subprocess, _exit\n"
        # Processes that run none of the sources have nothing to say about them.
        "disable_warnings = no-data-collected, module-not-imported, module-not-measured\n"
    )
