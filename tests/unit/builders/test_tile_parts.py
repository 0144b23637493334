"""Coordinates of the parts of tiles are unsigned, and wrap around in no type that is chosen for them."""

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, i32, i64

from tileir_xdsl import interpreters
from tileir_xdsl.builders.tile_parts import coordinate_type, part_of_coordinate
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools


def computed(coordinate: int, type: IntegerType, count: int, part: int) -> int:
    """What a kernel computes as the coordinate of a part, of a coordinate of 32 bits."""
    module = tools.parse(f"""
    nv_tileaa.func @k(%c: i32, %p: i32, %out: !nv_tileaa.ptr<{type}>) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %old = arith.constant 0 : {type}
      %s = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %t = nv_tileaa.store weak %out, %old token = %s
        : !nv_tileaa.ptr<{type}>, {type} -> !nv_tileaa.mem_token
      nv_tileaa.return
    }}
    """)
    function = next(op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    store = next(op for op in module.walk() if isinstance(op, nv_tileaa.StoreOp))
    whole, number, _ = function.body.block.args
    ops = part_of_coordinate(whole, type, count, number)
    function.body.block.insert_ops_before(ops, store)
    store.value.replace_all_uses_with(ops[-1].results[0])
    out = np.zeros(1, f"u{type.width.data // 8}")
    # Arguments are signed where the bits of an unsigned coordinate are meant.
    signed = int(np.array(coordinate, np.uint32).astype(np.int32))
    interpreters.launch(module, "k", (1, 1, 1), [signed, part, out])
    return int(out[0])


@pytest.mark.parametrize("coordinate", [0, 5, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize(("count", "part"), [(2, 1), (8, 3)])
def test_a_coordinate_is_extended_by_zeros(coordinate: int, count: int, part: int):
    assert computed(coordinate, i64, count, part) == coordinate * count + part


def test_a_coordinate_that_stays_in_its_type():
    assert computed(1000, i32, 4, 3) == 4003


@pytest.mark.parametrize(
    ("largest", "counts", "expected"),
    [
        ([(1 << 32) // 4 - 1], [4], i32),
        ([(1 << 32) // 4], [4], i64),
        ([10, (1 << 31)], [2, 2], i64),
        ([10, (1 << 31) - 1], [2, 2], i32),
    ],
)
def test_the_type_holds_the_last_part(largest: list[int], counts: list[int], expected: IntegerType):
    assert coordinate_type(i32, largest, counts) == expected
