"""Bulk copies of boxes outside of pipelines, loads and stores, in every mode of the emulator."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    ADD,
    MODES,
    SHARED,
    STAGE,
    STORE,
    TILE,
    Kernel,
    bulk_load,
    expected,
    problem,
)
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

BUFFERS = "".join(f"%{name}_buffer = nv_tileas.alloc_tensor : {SHARED}\n" for name in "ab")
WAITS = "".join(
    f"%{name}_tile = nv_tileas.async.future_wait %{name}_load : !async.value<{STAGE}> -> {STAGE}\n"
    for name in "ab"
)


def loads(column: str) -> str:
    """Loads tiles of A and B, and waits for both."""
    return bulk_load("a", "%a_buffer", column) + bulk_load("b", "%b_buffer", column) + WAITS


REPEATED = f"""
    %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%acc = %zero) -> ({TILE}) {{
      %column = arith.muli %k, %n32 : index
      {BUFFERS} {loads("%column")} {ADD}
      scf.yield %sum : {TILE}
    }}
"""
"""The sum of all steps; buffers are filled again and again."""


def store(kind: str = "store", atom: str = "tma_store_2d", wait: str = "", before: str = "") -> str:
    """Stores `%total` through a buffer, with ops before the copy and behind it."""
    return f"""
    %staged = nv_tileas.alloc_tensor : {SHARED}
    %filled = nv_tileas.copy %total into %staged : {TILE} into {SHARED} -> {SHARED}
    nv_tileas.fence acq_rel tl_blk
    {before}
    %done = nv_tileas.async.tiled_tma_{kind} %map_out, %filled[%n0, %n0] {{atom = #nv_tileas<atom {atom}>}} : !nv_tileas.tma_desc, {SHARED}, index, index -> !nv_tileas.async_token
    {wait}
    """


WAIT = "nv_tileas.async.wait %done : !nv_tileas.async_token\n"
THEN_READ = f"""
    %stored = nv_tileas.async.wait %done : !nv_tileas.async_token -> !nv_tileaa.mem_token
    %back, %after = nv_tileas.tiled_load weak %out[%n0, %n0] token = %stored {{atom = #nv_tileas<atom ldg_128>}} : !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>[index, index] -> {TILE}, !nv_tileaa.mem_token
    %twice = nv_tileaa.addf %back, %back : {TILE}
    %last = nv_tileas.tiled_store weak %twice, %out[%n0, %n0] token = %after {{atom = #nv_tileas<atom stg_128>}} : {TILE}, !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>[index, index] -> !nv_tileaa.mem_token
"""
ZEROS_FIRST = """
    %start = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %zeros = nv_tileas.tiled_store weak %zero, %out[%n0, %n0] token = %start {atom = #nv_tileas<atom stg_128>} : TILE, !nv_tileaa.tiled_view<64x32xf32, !nv_tileaa.memref<64x32xf32, strides = [32, 1]>>[index, index] -> !nv_tileaa.mem_token
    %earlier = nv_tileas.async.token_to_async %zeros : !nv_tileaa.mem_token -> !nv_tileas.async_token
    nv_tileas.async.wait %earlier : !nv_tileas.async_token
""".replace("TILE", TILE)
ALL_MAPS = ("a", "b", "out")
REDUCED = store("reduce", "tma_redg_add_2d", WAIT)

KERNELS: Mapping[str, tuple[Kernel, Any]] = {
    "loads once": (
        Kernel(
            f"%acc = arith.constant dense<0.0> : {TILE}\n{BUFFERS} {loads('%n0')} {ADD} {STORE}".replace(
                "%total", "%sum"
            )
        ),
        problem()["a"][:, :32] * problem()["b"][:, :32],
    ),
    "loads in a loop": (Kernel(REPEATED + STORE), expected()),
    "store": (Kernel(REPEATED + store(wait=WAIT), maps=ALL_MAPS), expected()),
    "store that nobody waits for": (Kernel(REPEATED + store(), maps=ALL_MAPS), expected()),
    "store, then a load": (Kernel(REPEATED + store(wait=THEN_READ), maps=ALL_MAPS), 2 * expected()),
    "store behind another": (
        Kernel(REPEATED + store(wait=WAIT, before=ZEROS_FIRST), maps=ALL_MAPS),
        expected(),
    ),
    "reduction": (Kernel(REPEATED + REDUCED, maps=ALL_MAPS), expected() + 1),
}


@pytest.mark.one_in(6, "loads once-races", "store, then a load-races")
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize(("kernel", "result"), KERNELS.values(), ids=list(KERNELS))
def test_the_result_is_right(kernel: Kernel, result: Any, modes: Mapping[str, Any]):
    np.testing.assert_array_equal(kernel.run_ptx(**modes), result)


# A reduction takes a map of its own atom, which the interpreter's kernel does not make.
@pytest.mark.parametrize("name", [name for name in KERNELS if name != "reduction"])
def test_the_interpreter_agrees(name: str):
    kernel, result = KERNELS[name]
    np.testing.assert_array_equal(kernel.run_interpreter(), result)


def test_a_layout_that_is_none_of_boxes():
    transposed = Kernel(REPEATED + STORE).text(maps_are_arguments=True)
    text = transposed.replace("<(64, 32), (32, 1), swizzle<3, 4, 3>>", "<(64, 32), (64, 1)>")
    with pytest.raises(Exception, match="no TMA boxes write a tile in this shared layout"):
        tools.run_passes(tools.parse(text), tools.TO_LLVM)


@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_takes_it(name: str):
    kernel, _ = KERNELS[name]
    assemble(kernel.ptx, kernel.gpu)
