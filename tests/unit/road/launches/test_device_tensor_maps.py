"""Kernels of ABI `tile` that make their tensor maps: right on any number of slots, or an error.

The slots are those of a module, whatever launches its blocks are of. So blocks of one launch that
share too few slots, or find some taken, stand for several launches at once.
"""

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.passes import ModulePass

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import Lowered, lower, nothing, run
from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    RESULT,
    SHARED,
    STAGE,
    STORE,
    TILE,
)
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.transforms.tileas_allocate_shared_memory import TileASAllocateSharedMemoryPass

GPUS = ("sm_90a", "sm_100a", "sm_120a")
CASE = DIVISIBLE["persistent_matmul_warpgroup"]
PROBLEM, BLOCKS = (136, 128, 72), (3, 1, 1)
STEPS = 50_000
"""Instructions after which a launch counts as one that waits for ever."""


def with_slots(count: int) -> Callable[[ModulePass, ModuleOp], None]:
    """Has kernels share so many slots."""

    def change(step: ModulePass, module: ModuleOp) -> None:
        if isinstance(step, TileASAllocateSharedMemoryPass):
            for op in module.walk():
                if isinstance(op, nv_tileas.MakeDeviceTmaDescsOp):
                    op.properties["slots"] = IntegerAttr(count, i32)

    return change


@cache
def compiled(gpu: str, slots: int | None = None) -> Lowered:
    module = tools.parse(CASE.text_path.read_text())
    before = nothing if slots is None else with_slots(slots)
    return lower(module, gpu, before, abi=ABI.TILE)


def launched(kernel: Lowered, *, warp_seed: int | None = None) -> None:
    run(
        CASE,
        kernel,
        PROBLEM,
        BLOCKS,
        late=True,
        races=True,
        warp_seed=warp_seed,
        step_limit=STEPS,
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", GPUS)
def test_persistent_kernels_load_by_tma(gpu: str):
    kernel = compiled(gpu)
    assert "cp.async.bulk.tensor.2d" in kernel.ptx and ".param .align 64" not in kernel.ptx
    assert " 0 bytes spill stores" in assemble(kernel.ptx, gpu)
    launched(kernel)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("slots", (1, 2))
def test_blocks_wait_for_a_slot(gpu: str, slots: int):
    """More blocks at once than slots: those that find none wait, and all of them are right."""
    kernel = compiled(gpu, slots)
    for seed in (None, 5):
        launched(kernel, warp_seed=seed)


def taken(ptx: str, slots: int, free: int | None) -> str:
    """The module while other launches have all of its slots, or all but one."""
    flags = ", ".join("0, 0, 0, 0" if n == free else "1, 0, 0, 0" for n in range(slots))
    declared = rf"(\.b8 \w+_tensor_map_slots\[{4 * slots}\]);"
    text, count = re.subn(declared, rf"\1 = {{{flags}}};", ptx)
    assert count == 1
    return text


def test_slots_of_other_launches_stay_theirs():
    kernel = compiled("sm_90a", 4)
    launched(Lowered(kernel.module, taken(kernel.ptx, 4, 2)))


def test_no_slot_comes_back():
    """A launch waits as long as others have all slots: it does not go on with one of theirs."""
    kernel = compiled("sm_90a", 4)
    with pytest.raises(emulator.EmulatorError, match="instructions"):
        launched(Lowered(kernel.module, taken(kernel.ptx, 4, None)))


def without(text: str, line: str, which: int = 0) -> str:
    """The text without one of the lines that match."""
    lines = text.splitlines(keepends=True)
    found = [n for n, one in enumerate(lines) if re.search(line, one)]
    del lines[found[which]]
    return "".join(lines)


def test_an_acquire_that_is_missing():
    kernel = compiled("sm_90a")
    text = re.sub(r"\tfence\.proxy\.tensormap.*\n", "", kernel.ptx)
    with pytest.raises(emulator.EmulatorError, match=r"no fence\.proxy\.tensormap of the block"):
        launched(Lowered(kernel.module, text))


def test_a_slot_that_is_not_given_back():
    kernel = compiled("sm_90a", 1)
    text = without(kernel.ptx, r"atom\.release\.gpu\.global\.exch")
    with pytest.raises(emulator.EmulatorError, match="instructions"):
        launched(Lowered(kernel.module, text))


def test_no_other_order_of_the_flag_will_do():
    kernel = compiled("sm_90a", 1)
    text = kernel.ptx.replace("atom.release.gpu.global.exch", "atom.relaxed.gpu.global.exch")
    assert text != kernel.ptx
    with pytest.raises(emulator.EmulatorError, match="race"):
        launched(Lowered(kernel.module, text))


def test_objects_without_elements():
    """No tensor map is of an extent of zero, in ABI `tile` either."""
    kernel = compiled("sm_90a")
    a, b = np.zeros((0, 64), np.float16), np.zeros((64, 128), np.float16)
    c = np.zeros((0, 128), np.float16)
    arguments = [x for array in (a, b, c) for x in (array, *array.shape, array.shape[1], 1)]
    emulator.load(kernel.ptx).launch(CASE.name, (1, 1, 1), arguments, self_contained=True)


OBJECT = "!nv_tileaa.memref<?x?xf32, strides = [32, 1]>"
ONE_LOAD = f"""
builtin.module attributes {{nv_tileaa.abi = "tile", nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %out_ptr: !nv_tileaa.ptr<f32>) attributes {{
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.device_tensor_maps}} {{
  %n0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %object = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] : !nv_tileaa.ptr<f32> -> {OBJECT}
  %view = nv_tileaa.block_tile %object {{tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]}} : {OBJECT} -> !nv_tileaa.tiled_view<64x32xf32, {OBJECT}>
  %out_ref = nv_tileaa.make_memref %out_ptr : !nv_tileaa.ptr<f32> -> {RESULT}
  %out = nv_tileaa.block_tile %out_ref {{tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]}} : {RESULT} -> !nv_tileaa.tiled_view<64x32xf32, {RESULT}>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %buffer = nv_tileas.alloc_tensor : {SHARED}
  %map = nv_tileas.make_tiled_tma_desc %view[%c64, %c32] {{atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<OUTSIDE>, tmaIdx = 0 : i32}} : !nv_tileaa.tiled_view<64x32xf32, {OBJECT}>, index, index -> !nv_tileas.tma_desc
  %load = nv_tileas.async.tiled_tma_load %map, %buffer[%n0, %n0], %t {{atom = #nv_tileas<atom tma_load_2d>, tx_count = 8192 : i32, tmaIdx = 0 : i32}} : !nv_tileas.tma_desc, {SHARED}, index, index, !nv_tileaa.mem_token -> !async.value<{STAGE}>
  %tile = nv_tileas.async.future_wait %load : !async.value<{STAGE}> -> {STAGE}
  %total = nv_tileas.convert_layout %tile : {SHARED} -> {TILE}
  {STORE}
  nv_tileaa.return
}}
}}
"""
"""Loads the first tile of an object of any size, and stores it."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("outside", ("zero", "nan"))
@pytest.mark.parametrize("rows", (0, 1, 64))
@pytest.mark.parametrize("columns", (0, 5, 32))
def test_a_tile_of_an_object_of_any_size(rows: int, columns: int, outside: str):
    """No map is of an extent of zero, whichever it is: then all of the tile is outside."""
    passes = f"tileas-attach-tma-desc-args,{tools.TO_LLVM}"
    module = tools.run_passes(tools.parse(ONE_LOAD.replace("OUTSIDE", outside)), passes)
    array = np.arange(1, 1 + 64 * 32, dtype=np.float32).reshape(64, 32)
    out = np.full_like(array, 7)
    emulator.load(emit(module, "sm_90a")).launch(
        "k",
        (1, 1, 1),
        [array, rows, columns, out],
        dynamic_shared=dynamic_shared_memory(module, "k"),
        self_contained=True,
    )
    expected = np.full_like(array, 0 if outside == "zero" else np.nan)
    expected[:rows, :columns] = array[:rows, :columns]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("name", ("split_k_matmul", "sample_tiles", "last_block_sum"))
def test_what_is_not_persistent_copies_by_threads(name: str):
    case = (DIVISIBLE | KERNELS)[name]
    kernel = lower(tools.parse(case.text_path.read_text()), "sm_90a", abi=ABI.TILE)
    assert "tensormap" not in kernel.ptx
