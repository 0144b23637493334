"""Kernels of `nv_tileas` around a few ops, run on numpy arrays."""

import io

import numpy as np

from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, ProgramOrder, RandomOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

MEMREF = "!nv_tileaa.memref<16x8xf32, strides = [8, 1]>"
VIEW = f"!nv_tileaa.tiled_view<4x8xf32, {MEMREF}>"
SHARED = "#nv_tileas.memory<smem>"

ORDERS: tuple[MemoryOrder, ...] = (ProgramOrder(), RandomOrder(1), LateOrder())


def kernel(body: str) -> str:
    """A kernel whose `%in` and `%out` are views of 4x8 tiles of two 16x8 arrays of f32.

    `%in_ref` and `%out_ref` are the arrays, `%in_ptr` and `%out_ptr` pointers to them; `%c0` to
    `%c4` are indices.
    """
    views = "\n".join(
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {MEMREF}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 4, 8>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {VIEW}"
        for name in ("in", "out")
    )
    numbers = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(5))
    return f"""
nv_tileaa.func @k(%in_ptr: !nv_tileaa.ptr<f32>, %out_ptr: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
{views}
{numbers}
{body}
nv_tileaa.return
}}
"""


def run(body: str, order: MemoryOrder | None = None) -> tuple[Array, Array]:
    """The array `[16, 8]` that the kernel is given, and what it makes of one of zeros."""
    data = np.arange(128, dtype=np.float32).reshape(16, 8)
    out = np.zeros_like(data)
    text = kernel(body)
    tools.roundtrip(text)
    module = tools.parse(text)
    launch(module, "k", (1, 1, 1), [data.copy(), out], output=io.StringIO(), memory_order=order)
    return data, out
