"""Constant offsets of pointers, added up as Python's integers are."""

from itertools import product

import pytest
from xdsl.dialects.builtin import IntegerAttr

from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import AddPtrOp
from tileir_xdsl.testing.tools import parse, run_passes
from tileir_xdsl.transforms.canonicalization_patterns.nv_tileaa_values import constant_of

POINTER = "!nv_tileaa.ptr<f32>"


def chain(type: str, offsets: tuple[int, ...]) -> str:
    """A function that moves a pointer by one constant after the other."""
    lines = [
        f"%c{n} = arith.constant {offset} : {type}\n"
        f"%p{n + 1} = nv_tileaa.addptr %p{n}, %c{n} : {POINTER}, {type}"
        for n, offset in enumerate(offsets)
    ]
    return (
        f"nv_tileaa.func @f(%p0: {POINTER}) {{\n{chr(10).join(lines)}\n"
        f'"test.op"(%p{len(offsets)}) : ({POINTER}) -> ()\nnv_tileaa.return\n}}'
    )


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_constant_offsets_are_added_up_where_their_type_holds_the_sum(width: int):
    """Also at the ends of the type; else the address is moved twice, and stays the same."""
    least, most = -(1 << width - 1), (1 << width - 1) - 1
    edges = (least, least + 1, least // 2 - 1, least // 2, -1, 1, most // 2, most // 2 + 1, most)
    for offsets in product(edges, repeat=2):
        module = run_passes(parse(chain(f"i{width}", offsets)), "canonicalize")
        moves = [constant_of(op.offset) for op in module.walk() if isinstance(op, AddPtrOp)]
        numbers = [move.value.data for move in moves if isinstance(move, IntegerAttr)]
        assert sum(numbers) == sum(offsets)
        assert len(moves) == (1 if least <= sum(offsets) <= most else 2), offsets
