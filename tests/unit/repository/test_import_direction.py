"""Packages import downwards only, as `docs/architecture.md` lays them out."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.imports import imported_modules, named_modules
from tests.unit.tools import REPOSITORY

PACKAGE = "tileir_xdsl"
ROOT = REPOSITORY / PACKAGE

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"on_use", "shared_numbers"}),
    frozenset(
        {
            "layout",
            "targets",
            "diagnostics",
            "passes",
            "samples",
            "templates",
            "suggestions",
            "nesting",
            "blas_threads",
            "xdsl_versions",
            "walking",
        }
    ),
    frozenset({"dialects"}),
    frozenset({"builders", "explain", "extension_parts", "options", "rewriting"}),
    frozenset({"extensions"}),
    frozenset({"analysis", "levels", "verification"}),
    frozenset({"transforms", "backend", "bytecode", "interpreters", "emulator"}),
    frozenset({"universe"}),
    frozenset({"joining", "runtime"}),
    frozenset({"checking"}),
    frozenset({"lint", "frontends"}),
    frozenset({"drawings"}),
    frozenset({"lsp", "report"}),
    frozenset({"view"}),
    frozenset({"testing"}),
    frozenset({"cli"}),
    frozenset({"cutile"}),
    frozenset({"jupyter"}),
)
"""From the bottom up; a package imports from layers below its own, and from itself."""

LAYER = {part: index for index, layer in enumerate(LAYERS) for part in layer}

ALLOWED_ELSEWHERE = {
    "layout": frozenset({"numpy"}),
    "targets": frozenset[str](),
    "emulator": frozenset({"numpy", "ml_dtypes"}),
}
"""Packages that stand alone, with all that they may import besides the standard library."""

FORBIDDEN = {"interpreters": frozenset({"analysis"})}
"""What a package must not import of the layers below: executors judge what analyses decide."""

OUTSIDE_LAYERS = frozenset({Path("__init__.py")})
"""The package itself, which imports anything, but on first use."""

REGISTRIES = (
    f"{PACKAGE}.passes",
    f"{PACKAGE}.frontends.registry",
    f"{PACKAGE}.extensions.registry",
)
"""Name every pass, front end and part of an extension, and are asked for one.

They may be below what they name.
"""

FILES = sorted({path.relative_to(ROOT) for path in ROOT.rglob("*.py")} - OUTSIDE_LAYERS)


def part_of(module: str) -> str:
    """`layout` for `tileir_xdsl.layout.cute`, the empty string for the package itself."""
    return module.partition(".")[2].partition(".")[0]


def imports_of(path: Path) -> Iterator[str]:
    """What the file at `path`, relative to the package, imports."""
    is_package = path.name == "__init__.py"
    parts = path.parent.parts if is_package else path.with_suffix("").parts
    source = (ROOT / path).read_text(encoding="utf-8")
    yield from all_imports(source, ".".join((PACKAGE, *parts)), is_package=is_package)


def all_imports(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """What a module imports, also by name."""
    yield from imported_modules(source, module, is_package=is_package)
    if module not in REGISTRIES:
        yield from named_modules(source, module, is_package=is_package)


def violations(importer: str, imports: Iterator[str]) -> list[str]:
    """The imports that a module in the part `importer` of the package must not make."""
    found: list[str] = []
    for imported in imports:
        top = imported.partition(".")[0]
        if top == PACKAGE:
            part = part_of(imported)
            below = LAYER.get(part, len(LAYERS)) < LAYER[importer]
            apart = importer in ALLOWED_ELSEWHERE or part in FORBIDDEN.get(importer, ())
            allowed = part == importer or (below and not apart)
        else:
            allowed = (
                importer not in ALLOWED_ELSEWHERE
                or top in sys.stdlib_module_names
                or top in ALLOWED_ELSEWHERE[importer]
            )
        if not allowed:
            found.append(imported)
    return found


def test_imports_point_downwards():
    parts = {path: path.with_suffix("").parts[0] for path in FILES}
    assert set(parts.values()) - set(LAYER) == set()
    found = {path: violations(part, imports_of(path)) for path, part in parts.items()}
    assert {path: upwards for path, upwards in found.items() if upwards} == {}


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("dialects", "from tileir_xdsl.transforms import x", ["tileir_xdsl.transforms.x"]),
        ("dialects", "from ...transforms.y import x", ["tileir_xdsl.transforms.y.x"]),
        ("dialects", "def f():\n  import tileir_xdsl.universe", ["tileir_xdsl.universe"]),
        (
            "layout",
            "import importlib\nimportlib.import_module('tileir_xdsl.drawings.x').y",
            ["tileir_xdsl.drawings.x"],
        ),
        (
            "layout",
            "import importlib\nT = ('analysis.x',)\nimportlib.import_module(f'tileir_xdsl.{T[n]}')",
            ["tileir_xdsl.analysis.x", "analysis.x"],
        ),
        ("layout", "print('tileir_xdsl.drawings.x')", []),
        ("interpreters", "import tileir_xdsl.transforms.x", ["tileir_xdsl.transforms.x"]),
        ("interpreters", "from tileir_xdsl.analysis import x", ["tileir_xdsl.analysis.x"]),
        ("layout", "from xdsl.ir import Attribute", ["xdsl.ir.Attribute"]),
        ("emulator", "from tileir_xdsl.rewriting import x", ["tileir_xdsl.rewriting.x"]),
        ("emulator", "import numpy, re\nfrom . import x", []),
        ("transforms", "from tileir_xdsl.dialects.nvvm import x\nimport xdsl.ir", []),
    ],
)
def test_violations_are_found(importer: str, source: str, expected: list[str]):
    module = f"{PACKAGE}.{importer}.family.module"
    assert violations(importer, all_imports(source, module, is_package=False)) == expected
