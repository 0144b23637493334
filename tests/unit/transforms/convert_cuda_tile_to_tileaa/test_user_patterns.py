"""PDL patterns from a file run after the conversion's own, and bad files are refused."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import ParseError, PassFailedException

from tileir_xdsl.testing import tools

KERNEL = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %y = addi %x, %x : tile<i32>
    %t = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
  }
}
"""

DOUBLING = """
pdl.pattern @double : benefit({benefit}) {{
  %type = pdl.type
  %x = pdl.operand : %type
  %sum = pdl.operation "nv_tileaa.addi" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %sum {{
    %product = pdl.operation "{name}" (%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %sum with %product
  }}
}}
"""


def _convert(patterns: str, tmp_path: Path, kernel: str = KERNEL) -> ModuleOp:
    file = tmp_path / "patterns.mlir"
    file.write_text(patterns)
    module = tools.parse(kernel)
    for number, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("kernel"), IntAttr(number), IntAttr(1))
    return tools.run_passes(module, f'convert-cuda-tile-to-tileaa{{patterns="{file}"}}')


def test_a_pattern_sees_what_the_conversion_leaves(tmp_path: Path):
    module = _convert(DOUBLING.format(benefit=1, name="arith.muli"), tmp_path)
    (product,) = [op for op in module.walk() if op.name == "arith.muli"]
    assert "nv_tileaa.addi" not in tools.to_text(module)
    assert str(product.location) == 'loc("kernel":3:1)'


def test_what_no_pattern_matches_stays(tmp_path: Path):
    """Also what nothing uses."""
    kernel = KERNEL.replace("%t =", "%unused = subi %x, %x : tile<i32>\n    %t =")
    text = tools.to_text(_convert(DOUBLING.format(benefit=1, name="arith.muli"), tmp_path, kernel))
    assert "nv_tileaa.subi" in text or "arith.subi" in text
    assert "arith.muli" in text


def test_the_highest_benefit_comes_first(tmp_path: Path):
    patterns = DOUBLING.format(benefit=1, name="arith.muli") + DOUBLING.format(
        benefit=9, name="arith.subi"
    ).replace("@double", "@zero")
    text = tools.to_text(_convert(patterns, tmp_path))
    assert "arith.subi" in text and "arith.muli" not in text


def test_a_pattern_that_makes_what_it_matches_ends(tmp_path: Path):
    text = tools.to_text(_convert(DOUBLING.format(benefit=1, name="nv_tileaa.addi"), tmp_path))
    assert text.count("nv_tileaa.addi") == 1


@pytest.mark.parametrize(
    "patterns",
    [
        "%x = arith.constant 1 : i32",
        DOUBLING.format(benefit=1, name="nv_tileaa.unheard_of"),
        """
        pdl.pattern @external : benefit(1) {
          %op = pdl.operation "nv_tileaa.addi"
          pdl.rewrite %op with "somewhere else"
        }
        """,
        """
        pdl.pattern @constrained : benefit(1) {
          %type = pdl.type
          pdl.apply_native_constraint "is_wide"(%type : !pdl.type)
          %op = pdl.operation "nv_tileaa.addi" -> (%type : !pdl.type)
          pdl.rewrite %op { pdl.erase %op }
        }
        """,
    ],
)
def test_patterns_that_cannot_be_interpreted(patterns: str, tmp_path: Path):
    message = "^failed to lower PDL pattern module to the PDL Interpreter"
    with pytest.raises(PassFailedException, match=message):
        _convert(patterns, tmp_path)


def test_a_file_that_is_no_module(tmp_path: Path):
    with pytest.raises(ParseError, match=r"patterns\.mlir:1:1"):
        _convert("}", tmp_path)


def test_a_file_that_is_not_there(tmp_path: Path):
    file = tmp_path / "missing.mlir"
    with pytest.raises(PassFailedException) as raised:
        tools.run_passes(tools.parse(KERNEL), f'convert-cuda-tile-to-tileaa{{patterns="{file}"}}')
    assert str(raised.value) == f"cannot read the patterns of '{file}': No such file or directory"
