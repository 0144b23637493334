"""Which buffers of block scales copies bring to tensor memory, for either operand of a dot."""

from itertools import product

import pytest

from tileir_xdsl.analysis.mma.scale_copies import has_scale_copies
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.testing import tools

ORDERS = {
    # A copy of 32x128b has 16 bytes of each of 32 rows (PTX ISA, "Scale Factor A Layout").
    "of a copy": ("(32, 4)", "(16, 4)", "1"),
    "rows": ("128", "4", "1"),
    "columns": ("128", "1", "128"),
}
"""Extents and strides of 128 rows, and the stride of four blocks."""


def buffer(order: str, *, rows_first: bool) -> str:
    rows, strides, block = ORDERS[order]
    shapes, steps, extents = (rows, "4"), (strides, block), ("128", "4")
    step = 1 if rows_first else -1
    layout = ", ".join(f"({', '.join(part[::step])})" for part in (shapes, steps))
    return f"tensor<{'x'.join(extents[::step])}xf8E8M0FNU, #nv_tileas.memory<smem, <{layout}>>>"


def dot(first: str, second: str, atom: str = "umma_mxf8f6f4_e4m3_e4m3_f32") -> MMAOp:
    tile, sums = "tensor<128x128xf8E4M3FN>", "tensor<128x128xf32>"
    types = (tile, tile, sums, buffer(first, rows_first=True), buffer(second, rows_first=False))
    names = [f"%{name}" for name in "abcst"]
    made = "\n".join(
        f'{name} = "test.op"() : () -> {type}' for name, type in zip(names, types, strict=True)
    )
    text = f"{made}\n%d = nv_tileas.dot {', '.join(names)} {{atom = #nv_tileas<atom {atom}>}} : {', '.join(types)} -> {sums}"
    (op,) = (op for op in tools.parse(text).walk() if isinstance(op, MMAOp))
    return op


@pytest.mark.parametrize(("first", "second"), list(product(ORDERS, repeat=2)))
def test_each_operand_has_its_rows_where_its_matrix_has_them(first: str, second: str):
    """Scales of A are [rows, blocks], those of B [blocks, rows]; neither decides for the other."""
    op = dot(first, second)
    found = [has_scale_copies(op, number) for number in range(len(op.operands))]
    assert found == [False, False, False, first == "of a copy", second == "of a copy"]
