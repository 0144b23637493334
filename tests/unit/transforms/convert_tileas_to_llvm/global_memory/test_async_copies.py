"""Copies that each thread starts for itself: in pipelines, alone, and at the edge of an object."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    MODES,
    OBJECT,
    REGISTERS,
    SHARED,
    STAGE,
    STORE,
    TILE,
    Kernel,
    expected,
    problem,
)
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import (
    KERNELS as BULK_KERNELS,
)
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

_BULK_LOAD = re.compile(r"%(\w)_load = .*? %map_\w, %(\w+)\[%n0, %column\], %m \{[^}]*\} : .*? -> ")
_COLUMN = re.compile(r"%column = arith.muli (%\w+), %n32 : index")


def tiled_load(name: str, buffer: str, column: str, view: str, atom: str, rest: str = "") -> str:
    """Starts to load a tile of a view."""
    return (
        f"%{name}_load = nv_tileas.async.tiled_load weak %{view}[%n0, {column}] into %{buffer} : "
        f"{SHARED} {{atom = #nv_tileas<atom {atom}>{rest}}} : "
    )


def by_threads(kernel: Kernel, gpu: str) -> Kernel:
    """The same kernel with copies by all threads in place of bulk copies."""
    view = f"!nv_tileaa.tiled_view<64x32xf32, {OBJECT}>[index, index] -> "

    def load(bulk: re.Match[str]) -> str:
        return tiled_load(bulk[1], bulk[2], "%column", bulk[1], "ldgsts_128") + view

    body = _BULK_LOAD.sub(load, kernel.body)
    return replace(
        kernel, body=_COLUMN.sub(r"%column = arith.addi \1, %n0 : index", body), gpu=gpu, maps=()
    )


NAMES = (
    "one agent, 1 stage",
    "ahead",
    "specialised, producer of two warps",
    "released late",
)
PIPELINES = {
    f"{name}, {gpu}": by_threads(BULK_KERNELS[name], gpu)
    for name in NAMES
    for gpu in ("sm_80", "sm_90a")
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("kernel", PIPELINES.values(), ids=list(PIPELINES))
def test_pipelines(kernel: Kernel, modes: Mapping[str, Any]):
    np.testing.assert_array_equal(kernel.run_ptx(**modes), expected())


_ASYNC_LOAD_OF_B = re.compile(r"%b_load = .*")


def half_by_stores(kernel: Kernel) -> Kernel:
    """The same kernel, with tiles of B loaded to registers and stored to the stage."""
    layout = REGISTERS.removeprefix("#nv_tileas.layout")
    stored = (
        f"%b_regs = nv_tileas.tiled_load weak %b[%n0, %column] {{atom = #nv_tileas<atom ldg_128>, "
        f"nv_tileas.layout = {layout}}} : "
        f"!nv_tileaa.tiled_view<64x32xf32, {OBJECT}>[index, index] -> {TILE}\n"
        f"%b_filled = nv_tileas.copy %b_regs into %b_stage {{atom = #nv_tileas<atom sts_128>}} : "
        f"{TILE} into {SHARED} -> {SHARED}"
    )
    return replace(kernel, body=_ASYNC_LOAD_OF_B.sub(lambda _: stored, kernel.body))


@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("name", ["one agent, 1 stage, sm_80", "ahead, sm_90a"])
def test_stages_of_copies_and_stores(name: str, modes: Mapping[str, Any]):
    """A stage is full when its copies are done and its stores are."""
    kernel = half_by_stores(PIPELINES[name])
    assert "cp.async.c" in kernel.ptx and "st.shared" in kernel.ptx
    np.testing.assert_array_equal(kernel.run_ptx(**modes), expected())


@pytest.mark.parametrize("name", NAMES)
def test_the_interpreter_agrees(name: str):
    np.testing.assert_array_equal(PIPELINES[f"{name}, sm_90a"].run_interpreter(), expected())


def edge(rows: int, columns: int, atom: str, rest: str) -> Kernel:
    """Loads the first tile of A as if it were an object of that size."""
    memref = f"!nv_tileaa.memref<{rows}x{columns}xf32, strides = [160, 1]>"
    view = f"!nv_tileaa.tiled_view<64x32xf32, {memref}>"
    load = tiled_load("a", "buffer", "%n0", "part", atom, rest)
    return Kernel(
        f"""
        %part_ref = nv_tileaa.make_memref %a_ptr : !nv_tileaa.ptr<f32> -> {memref}
        %part = nv_tileaa.block_tile %part_ref {{tileSizes = array<i64: 64, 32>, dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> {view}
        %buffer = nv_tileas.alloc_tensor : {SHARED}
        {load} {view}[index, index] -> !async.value<{STAGE}>
        %tile = nv_tileas.async.future_wait %a_load : !async.value<{STAGE}> -> {STAGE}
        %total = nv_tileas.convert_layout %tile : {SHARED} -> {TILE}
        {STORE}
        """,
        gpu="sm_80",
        maps=(),
    )


ZERO = ", padding_value = #nv_tileaa.padding_value<zero>"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("atom", ["ldgsts_32", "ldgsts_64", "ldgsts_128"])
@pytest.mark.parametrize(("rows", "columns"), [(64, 32), (50, 32), (64, 24), (61, 23), (1, 1)])
def test_zeros_come_from_outside(rows: int, columns: int, atom: str):
    kernel = edge(rows, columns, atom, ZERO)
    wanted = np.zeros((64, 32), np.float32)
    wanted[:rows, :columns] = problem()["a"][:rows, :columns]
    for modes in MODES.values():
        np.testing.assert_array_equal(kernel.run_ptx(**modes), wanted)


def test_layout_that_is_given():
    """One lane of a warp copies a whole row."""
    layout = ", nv_tileas.layout = <(16, 32, 4, 1), (1, 16, 512, 0)>"
    kernel = edge(64, 32, "ldgsts_128", layout)
    np.testing.assert_array_equal(kernel.run_ptx(late=True, races=True), problem()["a"][:, :32])
    assert kernel.ptx.count("cp.async.cg.shared.global") == 4


@pytest.mark.parametrize(
    ("modes", "bytes"),
    [("(16, 32, 4, 1), (32, 1, 512, 0)", 4), ("((2, 8), 32, 4, 1), ((1, 64), 2, 512, 0)", 8)],
)
@pytest.mark.parametrize("columns", [32, 30])
def test_copies_are_as_wide_as_the_elements_that_lie_together(modes: str, bytes: int, columns: int):
    """Registers of a thread that are not neighbours in the buffer are copied one by one."""
    modes = modes.replace("((1, 64), 2, 512, 0)", "((1, 64), (2, 4, 8, 16, 32), 512, 0)").replace(
        "(2, 8), 32,", "(2, 8), (2, 2, 2, 2, 2),"
    )
    kernel = edge(64, columns, "ldgsts_128", f", nv_tileas.layout = <{modes}>{ZERO}")
    wanted = np.zeros((64, 32), np.float32)
    wanted[:, :columns] = problem()["a"][:, :columns]
    np.testing.assert_array_equal(kernel.run_ptx(late=True, races=True), wanted)
    copies = re.findall(r"cp\.async\.c[ag]\.shared\.global \S+ \S+ (\d+)", kernel.ptx)
    assert copies == [str(bytes)] * (64 // bytes)


def _dense(numbers: NDArray[Any]) -> str:
    """A tile of constants, one row after the other."""
    rows = ("[" + ", ".join(str(x).lower() for x in row) + "]" for row in numbers.tolist())
    return f"dense<[{', '.join(rows)}]>"


@pytest.mark.parametrize("columns", [32, 22])
def test_pointers(columns: int):
    """Rows of A in the opposite order; what is masked off is zero."""
    offsets = np.arange(63, -1, -1)[:, None] * 160 + np.arange(32)
    mask = np.broadcast_to(np.arange(32) < columns, (64, 32))
    pointers, numbers, bits = (
        TILE.replace("f32", element) for element in ("!nv_tileaa.ptr<f32>", "i32", "i1")
    )
    kernel = Kernel(
        f"""
        %base = nv_tileaa.splat %a_ptr : !nv_tileaa.ptr<f32> -> {pointers}
        %offsets = arith.constant {_dense(offsets)} : {numbers}
        %mask = arith.constant {_dense(mask)} : {bits}
        %pointers = nv_tileaa.addptr %base, %offsets : {pointers}, {numbers}
        %buffer = nv_tileas.alloc_tensor : {SHARED}
        %load = nv_tileas.async.load weak %pointers mask = %mask : {bits} into %buffer : {SHARED} {{atom = #nv_tileas<atom ldgsts_64>}} : {pointers} -> !async.value<{STAGE}>
        %tile = nv_tileas.async.future_wait %load : !async.value<{STAGE}> -> {STAGE}
        %total = nv_tileas.convert_layout %tile : {SHARED} -> {TILE}
        {STORE}
        """,
        gpu="sm_80",
        maps=(),
    )
    wanted = np.where(mask, problem()["a"][::-1, :32], 0)
    np.testing.assert_array_equal(kernel.run_ptx(late=True, races=True), wanted)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (", padding_value = #nv_tileaa.padding_value<nan>", "expects padding of zero, but got nan"),
    ],
)
def test_what_no_copy_can_do(rest: str, message: str):
    text = edge(50, 32, "ldgsts_128", rest).text(maps_are_arguments=True)
    with pytest.raises(Exception, match=message):
        tools.run_passes(tools.parse(text), tools.TO_LLVM)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_ptxas_takes_it(gpu: str):
    assemble(PIPELINES[f"ahead, {gpu}"].ptx, gpu)
