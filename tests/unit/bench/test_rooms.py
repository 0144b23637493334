"""Imports between the folders of a part of the package, and the files that name an op."""

from pathlib import Path

import pytest

from bench import rooms
from bench.rooms import ANALYSIS, CONVERSION, REPOSITORY, ROOMS, Arrow
from tileir_xdsl.dialects.nv_tileas import NVTileAS


@pytest.mark.parametrize("part", ROOMS, ids=lambda part: part.name)
def test_no_import_is_against_the_order(part: Path):
    found = rooms.arrows(part)
    assert found, "no import is found at all"
    assert [arrow for arrow in found if arrow.is_against(ROOMS[part])] == []


@pytest.mark.parametrize("part", ROOMS, ids=lambda part: part.name)
def test_every_folder_is_in_the_order(part: Path):
    folders = {path.parent.name for path in (REPOSITORY / part).glob("*/__init__.py")}
    assert folders == set(ROOMS[part])


@pytest.mark.parametrize("part", ROOMS, ids=lambda part: part.name)
def test_the_page_lists_the_folders_in_their_order(part: Path):
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    start = page.index(f"  {part.name}/")
    places = [page.index(f" {folder}/", start) for folder in ROOMS[part]]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("source", "imported"),
    [
        ("from ..tiles import scans", "tiles/scans.py"),
        ("from ..tiles.scans import lower, other", "tiles/scans.py"),
        ("from .. import math", "math/__init__.py"),
        ("def f():\n    from ..tiles import scans", "tiles/scans.py"),
        ("import tileir_xdsl.transforms.convert_tileas_to_llvm.tiles.scans", "tiles/scans.py"),
        (
            "from tileir_xdsl.transforms.convert_tileas_to_llvm.tiles.scans import lower",
            "tiles/scans.py",
        ),
        (
            'import importlib\nimportlib.import_module(f"{__package__}.{name}")\n'
            'NAMES = ("unknown.scans", "..")',
            None,
        ),
        (
            "from importlib import import_module\n"
            'import_module("tileir_xdsl.transforms.convert_tileas_to_llvm.tiles.scans")',
            "tiles/scans.py",
        ),
        ("from .dot import lower", None),
        ("from ..launch_bounds import bounds", None),
        ("import numpy", None),
    ],
)
def test_imports_of_a_file(tmp_path: Path, source: str, imported: str | None):
    folder = tmp_path / CONVERSION
    for name in ("mma/dot", "mma/wgmma", "tiles/scans", "math/__init__", "launch_bounds"):
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source if name == "mma/wgmma" else "")
    arrow = [Arrow(Path("mma/wgmma.py"), Path(imported))] if imported else []
    assert rooms.arrows(CONVERSION, tmp_path) == arrow
    assert [each.is_against(ROOMS[CONVERSION]) for each in arrow] == [
        imported == "tiles/scans.py"
    ] * len(arrow)


def test_table():
    found = [
        Arrow(Path("mma/a.py"), Path("values/b.py")),
        Arrow(Path("mma/c.py"), Path("values/b.py")),
    ]
    header, *rows = (line.split() for line in rooms.table(found, ROOMS[ANALYSIS]).splitlines())
    assert header == ["imports", *ROOMS[ANALYSIS]]
    assert [row for row in rows if len(row) > 1] == [["mma", "2"]]


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("from tileir_xdsl.dialects.nv_tileas import DotOp", True),
        ("from tileir_xdsl.dialects.nv_tileas.compute import DotOp", True),
        ("from tileir_xdsl.dialects import nv_tileas\nx = nv_tileas.DotOp", True),
        ("from tileir_xdsl.dialects import nv_tileas as dialect\nx = dialect.DotOp", True),
        ("from tileir_xdsl.dialects.nv_tileas import compute\nx = compute.DotOp", True),
        ("from tileir_xdsl.dialects import nv_tileaa\nx = nv_tileaa.DotOp", False),
        ("from tileir_xdsl.dialects.nv_tileas_x import DotOp", False),
    ],
)
def test_files_that_name_an_op(tmp_path: Path, source: str, named: bool):
    for folder in ("transforms", "dialects"):
        file = tmp_path / "tileir_xdsl" / folder / "dots.py"
        file.parent.mkdir(parents=True)
        file.write_text(source)
    assert rooms.files_of_ops("nv_tileas", ["DotOp"], tmp_path) == {"DotOp": int(named)}


def test_no_op_is_named_in_more_files_than_may():
    assert rooms.named_too_often(rooms.counts_of(NVTileAS)) == []
    assert rooms.named_too_often({"DotOp": rooms.MOST_FILES + 1}) == ["DotOp in 26 files"]
