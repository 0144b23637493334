"""The stored map from test files to the files of `tileir_xdsl` whose functions they call.

Paths are relative to the repository. A test file has one line in the JSON file: its processor time in
seconds, what kind of test it is, and the sources that it reaches, as a hexadecimal bit set whose bit
`i` is entry `i` of `sources`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MAP = Path(__file__).with_name("reach.json")
PACKAGE = "tileir_xdsl"
TESTS = "tests/unit"


class ReachError(Exception):
    """What the user must change, in one line."""


@dataclass(frozen=True)
class TestFile:
    """What a test file costs and reaches."""

    __test__ = False  # for pytest

    seconds: float
    """Processor time, processes that the tests start included."""
    reaches: frozenset[str]
    """Sources, at least one function of which the tests call in their own process."""
    uses_nvidia_tools: bool = False
    """Whether a test starts `ptxas` and the like."""
    is_random: bool = False
    """Whether a test draws random programs."""


@dataclass(frozen=True)
class ReachMap:
    """What every test file costs and reaches."""

    tests: Mapping[str, TestFile]

    def reaching(self, source: str) -> frozenset[str]:
        """The test files that call a function of a source."""
        return frozenset(name for name, test in self.tests.items() if source in test.reaches)

    @property
    def sources(self) -> frozenset[str]:
        """All sources that some test file reaches."""
        return frozenset[str]().union(*(test.reaches for test in self.tests.values()))

    def dearest_first(self, test: str) -> tuple[float, str]:
        """A key that sorts test files: those not measured, then the others by falling cost."""
        return -self.tests[test].seconds if test in self.tests else -inf, test


def to_json(reach: ReachMap) -> str:
    """The map as JSON text, one line for each source and each test file, sorted."""
    sources = sorted(reach.sources)
    bit = {source: 1 << index for index, source in enumerate(sources)}
    tests = {
        name: {
            "seconds": round(test.seconds, 1),
            "nvidia": int(test.uses_nvidia_tools),
            "random": int(test.is_random),
            "reaches": f"{sum(bit[source] for source in test.reaches):x}",
        }
        for name, test in sorted(reach.tests.items())
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in tests.items())
    names = ",\n".join(json.dumps(source) for source in sources)
    return f'{{"sources": [\n{names}\n],\n"tests": {{\n{lines}\n}}}}\n'


def from_json(text: str) -> ReachMap:
    """The map that `to_json` wrote."""
    stored = json.loads(text)
    sources: list[str] = stored["sources"]
    return ReachMap(
        {
            name: TestFile(
                row["seconds"],
                frozenset(_members(sources, int(row["reaches"], 16))),
                bool(row["nvidia"]),
                bool(row["random"]),
            )
            for name, row in stored["tests"].items()
        }
    )


def _members(sources: list[str], bits: int) -> Iterator[str]:
    return (source for index, source in enumerate(sources) if bits >> index & 1)


def read(file: Path = MAP) -> ReachMap:
    """The stored map; an empty one where none is stored."""
    return from_json(file.read_text("utf-8")) if file.exists() else ReachMap({})


def all_sources(root: Path = REPOSITORY) -> list[str]:
    """The files of the package, sorted."""
    return _files(root, PACKAGE, "*.py")


def all_tests(root: Path = REPOSITORY) -> list[str]:
    """The files with unit tests, sorted."""
    return _files(root, TESTS, "test_*.py")


def _files(root: Path, folder: str, pattern: str) -> list[str]:
    return sorted(file.relative_to(root).as_posix() for file in (root / folder).rglob(pattern))
