"""The files that the documentation names exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

PACKAGE = REPOSITORY / "tileir_xdsl"
TRANSFORMS = PACKAGE / "transforms"
PAGES = sorted(
    path.relative_to(REPOSITORY)
    for path in (
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        *(REPOSITORY / "docs").rglob("*.md"),
    )
)
ROOTS = (
    REPOSITORY,
    PACKAGE,
    PACKAGE / "analysis",
    TRANSFORMS,
    TRANSFORMS / "convert_tileas_to_llvm",
)
"""What paths of the docs are relative to, besides the folder of the page and of a pass."""
NAMED = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)*/[\w.*-]+\.(?:py|md|mlir|json|ipynb|toml|cu))`")
LINKED = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def named_files(text: str) -> Iterator[str]:
    """The paths in backticks, with a folder and an extension, and the targets of links."""
    yield from NAMED.findall(text)
    yield from LINKED.findall(text)


def exists(name: str, page: Path) -> bool:
    """Whether a path leads to a file or folder from one of the roots; `L` is the last conversion."""
    name = name.replace("L/", "convert_tileas_to_llvm/", 1) if name.startswith("L/") else name
    own = TRANSFORMS / page.stem.replace("-", "_")
    roots = (*ROOTS, (REPOSITORY / page).parent, own)
    return any(next(root.glob(name), None) or (root / name).exists() for root in roots)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_named_files_exist(page: Path):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    assert [name for name in named_files(text) if not exists(name, page)] == []


def test_missing_files_are_found():
    text = "`tests/unit/tools.py` `L/none.py` [a](none.md#part) [b](https://none.example) `a.py`"
    page = Path("docs/architecture.md")
    assert [n for n in named_files(text) if not exists(n, page)] == ["L/none.py", "none.md"]
