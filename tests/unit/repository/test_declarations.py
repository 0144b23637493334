"""An op is named at most twice in its dialect: by its class, and by one static re-export."""

import ast
from collections import Counter
from collections.abc import Iterator

import pytest
from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import llvm as upstream_llvm
from xdsl.ir import Dialect, Operation

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import arith, llvm, nvvm
from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.dialects.llvm import loads_and_stores
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.dialects.tile import Tile

DIALECTS = REPOSITORY / "tileir_xdsl" / "dialects"
OWN: dict[str, Dialect] = {
    "arith": arith.extend(upstream_arith.Arith),
    "cuda_tile": CudaTile,
    "llvm": llvm.extend(upstream_llvm.LLVM),
    "nv_tileaa": NVTileAA,
    "nv_tileas": NVTileAS,
    "nvvm": nvvm.NVVM,
    "tile": Tile,
}


def outside_definitions(tree: ast.Module) -> Iterator[str]:
    """The names and texts of a module's own level: imports, lists, tables."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        if isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        pending.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("dialect", OWN)
def test_ops_are_listed_once(dialect: str):
    """Their dialect follows from the decorator, not from another list."""
    folder = DIALECTS / dialect
    counts: Counter[str] = Counter()
    for file in (folder / "__init__.py", folder / "dialect.py"):
        if file.exists():
            counts.update(outside_definitions(ast.parse(file.read_text("utf-8"))))
    own = f"tileir_xdsl.dialects.{dialect}"
    names = [op.__name__ for op in OWN[dialect].operations if op.__module__.startswith(own)]
    assert names
    assert [name for name in names if counts[name] > 1] == []


def test_ops_that_stand_in_are_in_their_dialects():
    """A parser makes ours of the text; xDSL's lack forms."""
    found = {
        op
        for scope in (vars(arith), vars(loads_and_stores), vars(llvm))
        for op in scope.values()
        if isinstance(op, type) and issubclass(op, Operation) and hasattr(op, "name")
        if op.__module__.startswith("tileir_xdsl.")
    }
    assert len(found) > 40
    listed = {*OWN["arith"].operations, *OWN["llvm"].operations}
    assert [op.name for op in found - listed] == []
