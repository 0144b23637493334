"""No files of the package import each other in a circle, not even for types."""

from collections.abc import Mapping
from pathlib import Path

from bench.rooms import imported_files
from tests.unit.tools import REPOSITORY

PACKAGE = Path("tileir_xdsl")


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


def imports_in(package: Path) -> dict[str, set[str]]:
    """The files of a package, and which others of it each imports."""
    files = {p.relative_to(REPOSITORY) for p in (REPOSITORY / package).rglob("*.py")}
    return {
        str(file): {str(f) for f in imported_files(file) if f in files and f != file}
        for file in files
    }


def test_no_circles():
    assert circles(imports_in(PACKAGE)) == []


def test_a_circle_is_found():
    imports = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert circles(imports) == [{"a", "b", "c"}]
