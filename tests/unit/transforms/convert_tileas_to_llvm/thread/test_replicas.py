"""One of the threads, and one of the registers, that hold an element acts for all of them."""

from typing import Any

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools

MEMREF = "!nv_tileaa.memref<{n}xi32, strides = [1]>"
SPEC = """attributes {nv_tileaa.compute_capability = "sm_90a",
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"""
LOWER = tools.TO_LLVM


def kernel(extent: int, layout: str) -> str:
    """Adds 1 to the elements of the first array, and stores what was there to the second."""
    memref = MEMREF.format(n=extent)
    view = f"!nv_tileaa.tiled_view<{extent}xi32, {memref}>"
    tile = f"tensor<{extent}xi32, #nv_tileas.layout{layout}>"
    views = "".join(
        f"%{name}m = nv_tileaa.make_memref %{name} : !nv_tileaa.ptr<i32> -> {memref}\n"
        f"%{name}v = nv_tileaa.block_tile %{name}m {{tileSizes = array<i64: {extent}>, "
        f"dimGroups = [[0 : i64]]}} : {memref} -> {view}\n"
        for name in "pq"
    )
    return f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>, %q: !nv_tileaa.ptr<i32>) {SPEC} {{
      %zero = arith.constant 0 : index
      {views}
      %x = arith.constant dense<1> : {tile}
      %old = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %pv[%zero]
        {{rmw_mode = #nv_tileas.rmw_mode<add>}} : {tile}, {view}[index] -> {tile}
      nv_tileas.tiled_store weak %old, %qv[%zero] {{atom = #nv_tileas<atom stg_32>,
          nv_tileas.layout = {layout}}}
        : {tile}, {view}[index]
      nv_tileaa.return
    }}"""


@pytest.mark.parametrize(
    ("extent", "layout", "instructions"),
    [
        (128, "<(1, 32, 4, 1), (0, 1, 32, 0)>", 1),
        # Two registers with the same element.
        (128, "<(2, 32, 4, 1), (0, 1, 32, 0)>", 1),
        (256, "<((2, 2), 32, 4, 1), ((0, 128), 1, 32, 0)>", 2),
        (256, "<((2, 2), 32, 4, 1), ((128, 0), 1, 32, 0)>", 2),
        # All warps with the same elements, in two registers.
        (32, "<(2, 32, 4, 1), (0, 1, 0, 0)>", 1),
        (64, "<((2, 2), 32, 4, 1), ((0, 32), 1, 0, 0)>", 2),
    ],
)
def test_every_element_is_modified_once(extent: int, layout: str, instructions: int):
    module = tools.run_passes(tools.parse(kernel(extent, layout)), LOWER)
    ptx = emit(module)
    assert ptx.count("atom.") == instructions
    before = np.arange(extent, dtype=np.int32)
    modes: tuple[dict[str, Any], ...] = ({"races": True}, {"late": True}, {"warp_seed": 1})
    for mode in modes:
        found, old = before.copy(), np.zeros_like(before)
        emulator.load(ptx).launch(
            "k", (1, 1, 1), [found, old], dynamic_shared=dynamic_shared_memory(module, "k"), **mode
        )
        np.testing.assert_array_equal(found, before + 1)
        np.testing.assert_array_equal(old, before)


SCALAR = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %seven = constant <i32: 7> : tile<i32>
    %old, %done = atomic_rmw_tko relaxed device %p, add, %seven
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}"""


def test_a_scalar_is_modified_by_the_first_thread():
    """Its number is compared as it is: without other threads there is nothing to mask."""
    ptx = emit(tools.run_passes(tools.parse(SCALAR), "tileir-pipeline{gpu=sm_90a}"))
    assert "%tid.x" in ptx and "and.b32" not in ptx
    total = np.ones(1, np.int32)
    emulator.load(ptx).launch("k", (2, 1, 1), [total], races=True)
    assert total[0] == 15
