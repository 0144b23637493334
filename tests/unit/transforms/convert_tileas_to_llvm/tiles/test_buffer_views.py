"""Views of buffers, choices between them, and buffers that are written twice."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

LAYOUT = "<(1, (4, 2, 2, 2), (2, 2), 1), (0, (1, 16, 8, 32), (4, 0), 0)>"
SHUFFLED = "<(1, (2, 2, 4, 2), (2, 2), 1), (0, (2, 32, 4, 1), (16, 0), 0)>"
TILE = f"tensor<8x8xf32, #nv_tileas.layout{LAYOUT}>"
OTHER = f"tensor<8x8xf32, #nv_tileas.layout{SHUFFLED}>"
LOAD = f"{{atom = #nv_tileas<atom ldg_32>, nv_tileas.layout = {LAYOUT}}}"
SLOTS = "tensor<4x8x8xf32, #nv_tileas.memory<smem>>"
SLOT = "tensor<8x8xf32, #nv_tileas.memory<smem>>"
COLUMNS = "tensor<8x8xf32, #nv_tileas.memory<smem, <(8, 8), (1, 8)>>>"
VIEW = "!nv_tileaa.tiled_view<8x8xf32, !nv_tileaa.memref<16x8xf32, strides = [8, 1]>>"
INDICES = f"{VIEW}[index, index]"


def module(body: str) -> str:
    """A kernel that has two tiles `%a` and `%b` of an array, and stores `%out`."""
    return f"""
    nv_tileaa.func @main(%in: !nv_tileaa.ptr<f32>, %to: !nv_tileaa.ptr<f32>, %n: i32) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %m0 = nv_tileaa.make_memref %in : !nv_tileaa.ptr<f32>
        -> !nv_tileaa.memref<16x8xf32, strides = [8, 1]>
      %v0 = nv_tileaa.block_tile %m0 {{tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]}} :
        !nv_tileaa.memref<16x8xf32, strides = [8, 1]> -> {VIEW}
      %m1 = nv_tileaa.make_memref %to : !nv_tileaa.ptr<f32>
        -> !nv_tileaa.memref<16x8xf32, strides = [8, 1]>
      %v1 = nv_tileaa.block_tile %m1 {{tileSizes = array<i64: 8, 8>, dimGroups = [[0], [1]]}} :
        !nv_tileaa.memref<16x8xf32, strides = [8, 1]> -> {VIEW}
      %a = nv_tileas.tiled_load weak %v0[%0, %0] {LOAD} : {INDICES} -> {TILE}
      %b = nv_tileas.tiled_load weak %v0[%1, %0] {LOAD.replace(LAYOUT, SHUFFLED)} : {INDICES} -> {OTHER}
      %slots = nv_tileas.alloc_tensor : {SLOTS}
      {body}
      nv_tileas.tiled_store weak %out, %v1[%0, %0] {LOAD.replace("ldg", "stg")} : {TILE}, {INDICES}
      nv_tileaa.return
    }}
    """


def run(body: str, flag: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """What a kernel stores; element i of its array is i."""
    lowered = tools.run_passes(tools.parse(module(body)), tools.TO_LLVM)
    given = np.arange(128, dtype=np.float32)
    out = np.zeros(128, np.float32)
    ptx = emit(lowered, "sm_90a")
    emulator.load(ptx).launch("main", (1, 1, 1), [given, out, flag], late=True, races=True)
    return out[:64].reshape(8, 8)


A = np.arange(64, dtype=np.float32).reshape(8, 8)
B = A + 64


def fill(slot: str, tile: str, type_: str) -> str:
    return f"nv_tileas.copy %{tile} into %{slot} : {type_} into {SLOT} -> {SLOT}\n"


def view(name: str, offset: int) -> str:
    return f"%{name} = nv_tileas.view %slots {{offset = {offset} : i64}} : {SLOTS} to {SLOT}\n"


def read(slot: str) -> str:
    return f"%out = nv_tileas.copy %{slot} : {SLOT} -> {TILE}\n"


BOTH = view("s", 64) + view("t", 128) + fill("s", "a", TILE) + fill("t", "b", OTHER)
FLAG = "%z = arith.constant 0 : i32\n%flag = arith.cmpi ne, %n, %z : i32\n"


def test_views_begin_at_constant_offsets():
    np.testing.assert_array_equal(run(BOTH + read("s")), A)
    np.testing.assert_array_equal(run(BOTH + read("t")), B)


@pytest.mark.parametrize("number", [1, 2])
def test_views_begin_at_offsets_that_are_computed(number: int):
    body = f"""{BOTH}
      %size = arith.constant 64 : index
      %number = arith.index_cast %n : i32 to index
      %start = arith.muli %number, %size : index
      %u = nv_tileas.view %slots offset %start : {SLOTS} to {SLOT}
    """
    np.testing.assert_array_equal(run(body + read("u"), number), (A, B)[number - 1])


@pytest.mark.parametrize("flag", [0, 1])
def test_one_of_two_buffers_is_chosen(flag: int):
    body = f"{BOTH}{FLAG}%u = tile.select %flag, %s, %t : {SLOT}\n"
    np.testing.assert_array_equal(run(body + read("u"), flag), A if flag else B)


@pytest.mark.parametrize("flag", [0, 1])
def test_one_of_two_tiles_and_of_two_numbers_is_chosen(flag: int):
    body = f"""{FLAG}
      %x = nv_tileas.tiled_load weak %v0[%1, %0] {LOAD} : {INDICES} -> {TILE}
      %out = tile.select %flag, %a, %x : {TILE}
    """
    np.testing.assert_array_equal(run(body, flag), A if flag else B)


def test_a_buffer_that_is_written_twice_holds_what_was_written_last():
    """Each element is written by two threads, so that a barrier is between."""
    body = view("s", 0) + fill("s", "a", TILE) + fill("s", "b", OTHER) + read("s")
    np.testing.assert_array_equal(run(body), B)


def test_writes_of_different_slots_need_no_barrier():
    texts = [
        emit(
            tools.run_passes(tools.parse(module(body + read("s"))), tools.TO_LLVM),
            "sm_90a",
        )
        for body in (view("s", 64) + fill("s", "a", TILE), BOTH)
    ]
    assert texts[0].count("bar.sync") == texts[1].count("bar.sync") == 1


def test_views_that_move_elements_are_refused():
    body = f"""%s = nv_tileas.view %slots {{offset = 64 : i64}} : {SLOTS} to {COLUMNS}
      %out = nv_tileas.copy %s : {COLUMNS} -> {TILE}
    """
    with pytest.raises(
        PassFailedException, match="expects the result's layout to match the buffer's addresses"
    ):
        run(body)


def test_a_load_of_a_buffer_reads_all_of_it():
    local = LOAD.replace("ldg", "lds")
    body = f"{BOTH}%out = nv_tileas.tiled_load weak %t {local} : {SLOT} -> {TILE}\n"
    np.testing.assert_array_equal(run(body), B)


def test_the_bits_of_a_buffer_are_read_as_integers():
    bits = SLOT.replace("f32", "i32")
    body = f"""{BOTH}
      %i = nv_tileas.reinterpret %t : {SLOT} -> {bits}
      %r = nv_tileas.copy %i : {bits} -> {TILE.replace("f32", "i32")}
      %out = nv_tileas.reinterpret %r : {TILE.replace("f32", "i32")} -> {TILE}
    """
    np.testing.assert_array_equal(run(body), B)


def test_the_bits_of_a_buffer_are_not_read_in_another_width():
    halves = "tensor<8x16xf16, #nv_tileas.memory<smem>>"
    body = f"""{BOTH}
      %i = nv_tileas.reinterpret %t : {SLOT} -> {halves}
      %out = nv_tileas.copy %t : {SLOT} -> {TILE}
    """
    with pytest.raises(PassFailedException, match="as elements of another width"):
        run(body)
