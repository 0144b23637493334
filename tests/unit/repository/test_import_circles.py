"""No files of the package import each other in a circle, not even for types or by name."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.rooms import imported_files
from tests.unit.tools import REPOSITORY

PACKAGE = Path("tileir_xdsl")

REGISTRIES = ("tileir_xdsl/passes.py",)
"""Names every pass, and is asked for one by its name: it names what is above."""


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


def imports_in(package: Path, repository: Path = REPOSITORY) -> dict[str, set[str]]:
    """The files of a package, and which others of it each imports."""
    files = {p.relative_to(repository) for p in (repository / package).rglob("*.py")}
    return {
        str(file): {str(f) for f in imported_files(file, repository) if f in files and f != file}
        for file in files
    }


def test_no_circles():
    imports = imports_in(PACKAGE)
    for registry in REGISTRIES:
        imports[registry].clear()
    assert circles(imports) == []


@pytest.mark.parametrize(
    "source",
    [
        "from package import high",
        "from importlib import import_module\nimport_module('package.high')",
        "import importlib as i\ni.import_module('.high', __package__)",
        "from importlib import import_module as load\nTABLE = {'a': 'package.high'}\nload(TABLE[n])",
        "import importlib\nTABLE = ('high',)\nimportlib.import_module(f'package.{name}')",
        "import importlib\nTABLE = ('high',)\nimportlib.import_module(f'{__package__}.{name}')",
        "__import__('package.high')",
    ],
)
def test_a_circle_of_imports_by_name_is_found(tmp_path: Path, source: str):
    package = tmp_path / "package"
    package.mkdir()
    (package / "high.py").write_text("from package import low")
    (package / "low.py").write_text(source)
    (circle,) = circles(imports_in(Path("package"), tmp_path))
    assert circle == {"package/high.py", "package/low.py"}


def test_a_circle_is_found():
    imports = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert circles(imports) == [{"a", "b", "c"}]
