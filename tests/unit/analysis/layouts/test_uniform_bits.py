"""Which bits of an index make no difference, and how many registers of a thread differ."""

import pytest
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.uniform_bits import UniformBits
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.testing import tools

ROWS = "#nv_tileas.layout<((4, 2), 32, 1, 1), ((1, 128), 4, 0, 0)>"
TEXT = f"""
nv_tileaa.func @k(%a: f32, %t: tensor<16x16xf32, {ROWS}>, %c: tensor<16x1xf32, #nv_tileas.layout<(1, (2, 16), 1, 1), (0, (0, 1), 0, 0)>>) {{
  %splat = nv_tileaa.splat %a : f32 -> tensor<16x16xf32, {ROWS}>
  %one = arith.constant dense<1.0> : tensor<16x16xf32, {ROWS}>
  %rows = nv_tileaa.broadcast %c : tensor<16x1xf32, #nv_tileas.layout<(1, (2, 16), 1, 1), (0, (0, 1), 0, 0)>> -> tensor<16x16xf32, {ROWS}>
  %turned = nv_tileaa.permute %rows {{permutation = array<i32: 1, 0>}} : tensor<16x16xf32, {ROWS}> -> tensor<16x16xf32, {ROWS}>
  %sum = nv_tileaa.addf %rows, %one : tensor<16x16xf32, {ROWS}>
  %both = nv_tileaa.addf %rows, %turned : tensor<16x16xf32, {ROWS}>
  %other = nv_tileaa.addf %rows, %t : tensor<16x16xf32, {ROWS}>
  %same = nv_tileas.convert_layout %sum : tensor<16x16xf32, {ROWS}> -> tensor<16x16xf32, {ROWS}>
  nv_tileaa.return
}}"""

# Register bits lead to elements 1, 2 of a row, and 8 rows further down.
EXPECTED = {
    "splat": (0b11111111, 1),
    "one": (0b11111111, 1),
    "rows": (0b00001111, 2),
    "turned": (0b11110000, 4),
    "sum": (0b00001111, 2),
    "both": (0, 8),
    "other": (0, 8),
    "same": (0b00001111, 2),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_masks_and_registers(name: str):
    module = tools.parse(TEXT)
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    (value,) = (r for op in function.walk() for r in op.results if r.name_hint == name)
    found = UniformBits()
    assert isinstance(value.owner, Operation)
    assert (found.of(value), found.registers(value.owner, value)) == EXPECTED[name]


def test_pairs():
    module = tools.parse(TEXT)
    named = {r.name_hint: r for op in module.walk() for r in op.results}
    rows, turned, splat = (named[name] for name in ("rows", "turned", "splat"))
    op = rows.owner
    assert isinstance(op, Operation)
    assert UniformBits().registers(op, rows, splat) == 2
    assert UniformBits().registers(op, rows, turned) == 8
