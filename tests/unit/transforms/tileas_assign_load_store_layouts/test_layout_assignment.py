"""Tiles that become one, in layouts of their own: each thread gets its part of the whole."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.nv_tileaa.shapes import CatOp
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileir_xdsl.testing import tools

SIZE = 32
MEMREF = "!nv_tileaa.memref<256x256xf32, strides = [256, 1]>"
ORDERS = {"rows": "[[0], [1]]", "columns": "[[1], [0]]"}
"""Which dimension of a tile lies along the rows of memory, so that accesses are wide along it."""


def view(name: str, order: str, shape: str) -> str:
    return (
        f"%{name} = nv_tileaa.block_tile %m {{tileSizes = array<i64: {shape.replace('x', ', ')}>, "
        f"dimGroups = {ORDERS[order]}}} : {MEMREF} -> !nv_tileaa.tiled_view<{shape}xf32, {MEMREF}>"
    )


def program(first: str, second: str, whole: str, axis: int) -> str:
    """Two tiles that are loaded in one order each, and stored as one tile in another order."""
    shape = [f"{SIZE}x{SIZE}", f"{2 * SIZE}x{SIZE}", f"{SIZE}x{2 * SIZE}"]
    part, both = (f"{each}xf32" for each in (shape[0], shape[1 + axis]))
    loads = "\n".join(
        f"%{tile} = nv_tileas.tiled_load weak %{name}[%i, %i] : "
        f"!nv_tileaa.tiled_view<{part}, {MEMREF}>[i32, i32] -> tensor<{part}>"
        for tile, name in (("x", "a"), ("y", "b"))
    )
    return f"""
    nv_tileaa.func @f(%p: !nv_tileaa.ptr<f32>, %i: i32) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
      %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {MEMREF}
      {view("a", first, shape[0])}
      {view("b", second, shape[0])}
      {view("c", whole, shape[1 + axis])}
      {loads}
      %z = nv_tileaa.cat %x, %y {{axis = {axis} : i32}} : tensor<{part}>, tensor<{part}> -> tensor<{both}>
      nv_tileas.tiled_store weak %z, %c[%i, %i] : tensor<{both}>, !nv_tileaa.tiled_view<{both}, {MEMREF}>[i32, i32]
      nv_tileaa.return
    }}"""


def owners(value: SSAValue) -> npt.NDArray[np.int64]:
    """The thread that has each element of a tile, of which each has one."""
    type = value.type
    assert isinstance(type, TensorType) and isinstance(type.encoding, LayoutAttr)
    found = np.full(type.get_shape(), -1)
    registers, lanes, warps, _ = type.encoding.data.layout.modes()
    for register, lane, warp in product(*(range(m.size) for m in (registers, lanes, warps))):
        found.flat[registers(register) + lanes(lane) + warps(warp)] = 32 * warp + lane
    return found


@pytest.mark.parametrize("axis", (0, 1))
@pytest.mark.parametrize("whole", ORDERS)
def test_each_thread_has_its_part_of_two_tiles(whole: str, axis: int):
    """Both operands are converted if need be, not only the first."""
    for first, second in product(ORDERS, repeat=2):
        text = program(first, second, whole, axis)
        module = tools.run_passes(tools.parse(text), "tileas-assign-load-store-layouts")
        (cat,) = (op for op in module.walk() if isinstance(op, CatOp))
        parts = np.concatenate([owners(cat.lhs), owners(cat.rhs)], axis)
        np.testing.assert_array_equal(parts, owners(cat.result), f"{first}, {second}")
