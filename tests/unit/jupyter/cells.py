"""Cells run as a notebook runs them, by the shell that runs our notebooks."""

from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.notebooks import Shell, run_cell, shell_of
from tileir_xdsl.jupyter.diagnostics import CellError
from tileir_xdsl.templates import files_of

KERNEL = """\
cuda_tile.module @kernels {
  entry @scale(%x: tile<ptr<f32>>) {
    %eight = constant <f32: 8.0> : tile<f32>
    %a, %read = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token
    %b = divf %a, %eight : tile<f32>
    %t = store_ptr_tko weak %x, %b token = %read : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""

PATTERN = """\
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.cuda_tile import ConstantOp, DenseConstantAttr, DivFOp, MulFOp
from tileir_xdsl.dialects.cuda_tile.folding import splat_of

class MultiplyByInverse(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivFOp, rewriter: PatternRewriter, /) -> None:
        value = splat_of(op.rhs)
        if isinstance(value, float):
            inverse = ConstantOp(DenseConstantAttr.splat(op.rhs.type, 1 / value))
            rewriter.replace(op, [inverse, MulFOp(op.lhs, inverse.result)])
"""


MASK = """\
%x = arith.constant 7 : i32
%y = my_name.is_zero %x : i32
"""
"""An op of the template of `tileir new --op`."""


def extension_file(folder: Path) -> Path:
    """The file of the extension that the template is."""
    (file := folder / "my_name.py").write_text(files_of("op", "my_name")["my_name.py"], "utf-8")
    return file


class Notebook:
    """A notebook with the extension loaded."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.run("%load_ext tileir_xdsl")

    @property
    def shell(self) -> Shell:
        """Its shell."""
        return shell_of(self.names)

    def run(self, cell: str) -> list[dict[str, Any]]:
        """Runs a cell; returns its outputs as they are stored."""
        return run_cell(cell, self.names, "cell")

    def text(self, cell: str) -> str:
        """Runs a cell; returns what it shows as text."""
        parts = [out.get("text") or out["data"]["text/plain"] for out in self.run(cell)]
        return "".join("".join(part) for part in parts)

    def diagnostic(self, cell: str) -> list[str]:
        """Runs a cell that fails; returns the lines that are shown in place of a traceback."""
        with pytest.raises(CellError) as raised:
            self.run(cell)
        return raised.value.lines

    def module(self, name: str) -> ModuleOp:
        """A module of the notebook."""
        module = self.names[name]
        assert isinstance(module, ModuleOp)
        return module
