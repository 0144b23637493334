"""Files that import each other in a circle, for types too: no more of them than are known."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.rooms import imported_files
from tests.unit.tools import REPOSITORY

KNOWN = {"emulator": [20], "interpreters": [7], "runtime": [2]}
"""By package, how many files each circle has; what is not listed has none."""

PACKAGE = Path("tileir_xdsl")
PARTS = sorted(
    path.name for path in (REPOSITORY / PACKAGE).iterdir() if (path / "__init__.py").is_file()
)


def circles(imports: Mapping[str, set[str]]) -> list[set[str]]:
    """The largest sets of more than one file in which each imports every other, if indirectly."""
    reached = {file: _reached(file, imports) for file in imports}
    found = {frozenset({f, *(o for o in reached[f] if f in reached[o])}) for f in imports}
    return [set(circle) for circle in found if len(circle) > 1]


def _reached(file: str, imports: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = [*imports[file]]
    while pending:
        other = pending.pop()
        if other not in seen:
            seen.add(other)
            pending += imports[other]
    return seen


def imports_in(part: str) -> dict[str, set[str]]:
    """The files of a package, and which others of it each imports."""
    files = [p.relative_to(REPOSITORY) for p in (REPOSITORY / PACKAGE / part).rglob("*.py")]
    return {
        str(file): {str(f) for f in imported_files(file) if f in files and f != file}
        for file in files
    }


@pytest.mark.parametrize("part", PARTS)
def test_circles_are_known(part: str):
    assert sorted(map(len, circles(imports_in(part)))) == KNOWN.get(part, [])


def test_a_circle_is_found():
    imports = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert circles(imports) == [{"a", "b", "c"}]
