"""Accesses of views and buffers: where tiles go, at once or later."""

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from tests.unit.interpreters.nv_tileas.kernels import ORDERS, SHARED, VIEW, run
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.memory_order import MemoryOrder

BUFFER = f"tensor<4x8xf32, {SHARED}>"
TILE = "tensor<4x8xf32>"
TOKEN = "!nv_tileaa.mem_token"
LOAD = f"%t = nv_tileas.tiled_load weak %in[%c1, %c0] : {VIEW}[index, index] -> {TILE}\n"
STORE = f"nv_tileas.tiled_store weak %t, %out[%c2, %c0] : {TILE}, {VIEW}[index, index]\n"
ALLOC = f"%b = nv_tileas.alloc_tensor : {BUFFER}\n"
POINTERS = """
%range = nv_tileaa.make_range %lo, %hi : i32 -> tensor<32xi32>
%all = nv_tileaa.view %range : tensor<32xi32> -> tensor<4x8xi32>
%ins = nv_tileaa.splat %in_ptr : !nv_tileaa.ptr<f32> -> tensor<4x8x!nv_tileaa.ptr<f32>>
%outs = nv_tileaa.splat %out_ptr : !nv_tileaa.ptr<f32> -> tensor<4x8x!nv_tileaa.ptr<f32>>
%from = nv_tileaa.addptr %ins, %all : tensor<4x8x!nv_tileaa.ptr<f32>>, tensor<4x8xi32>
%to = nv_tileaa.addptr %outs, %all : tensor<4x8x!nv_tileaa.ptr<f32>>, tensor<4x8xi32>
"""
RANGE = "%lo = arith.constant 0 : i32\n%hi = arith.constant 32 : i32\n" + POINTERS
PTRS = "tensor<4x8x!nv_tileaa.ptr<f32>>"

# Bodies that copy rows 4 to 7 of one array to rows 8 to 11 of the other.
COPIES = {
    "load and store": LOAD + STORE,
    "with offsets": f"""
        %t = nv_tileas.tiled_load weak %in[%c0, %c0] offset [%c4, %c0] : {VIEW}[index, index] -> {TILE}
        nv_tileas.tiled_store weak %t, %out[%c1, %c0] offset [%c4, %c0] : {TILE}, {VIEW}[index, index]
    """,
    "through a buffer": LOAD
    + ALLOC
    + "%none = nv_tileaa.create_mem_token : !nv_tileaa.mem_token\n"
    + f"%m = nv_tileas.tiled_store weak %t, %b token = %none : {TILE}, {BUFFER} -> {TOKEN}\n"
    + f"%u, %n = nv_tileas.tiled_load weak %b token = %m : {BUFFER} -> {TILE}, {TOKEN}\n"
    + STORE.replace("%t", "%u"),
    "copied to a buffer": LOAD
    + f"%b = nv_tileas.copy %t : {TILE} -> {BUFFER}\n"
    + f"%u = nv_tileas.copy %b : {BUFFER} -> {TILE}\n"
    + STORE.replace("%t", "%u"),
    "copied into a buffer": LOAD
    + ALLOC
    + f"%f = nv_tileas.copy %t into %b : {TILE} into {BUFFER} -> {BUFFER}\n"
    + f"%u = nv_tileas.copy %b : {BUFFER} -> {TILE}\n"
    + STORE.replace("%t", "%u"),
    "copied later": LOAD
    + ALLOC
    + f"%w = nv_tileas.async.copy %t into %b : {TILE} into {BUFFER} -> !nv_tileas.async_token\n"
    + "nv_tileas.async.wait %w : !nv_tileas.async_token\n"
    + f"%u = nv_tileas.copy %b : {BUFFER} -> {TILE}\n"
    + STORE.replace("%t", "%u"),
    "copied later, as a value": LOAD
    + f"%w = nv_tileas.async.copy %t : {TILE} -> !async.value<{BUFFER}>\n"
    + f"%b = nv_tileas.async.future_wait %w : !async.value<{BUFFER}> -> {BUFFER}\n"
    + f"%u = nv_tileas.copy %b : {BUFFER} -> {TILE}\n"
    + STORE.replace("%t", "%u"),
    "loaded later": f"%w = nv_tileas.async.tiled_load weak %in[%c1, %c0] : {VIEW}[index, index] -> !async.value<{TILE}>\n"
    + f"%t = nv_tileas.async.future_wait %w : !async.value<{TILE}> -> {TILE}\n"
    + STORE,
    "loaded into a buffer later": ALLOC
    + f"%w = nv_tileas.async.tiled_load weak %in[%c1, %c0] into %b : {BUFFER} : {VIEW}[index, index] -> !async.value<{TILE}>\n"
    + f"nv_tileas.async.wait %w : !async.value<{TILE}>\n"
    + f"%t = nv_tileas.tiled_load weak %b : {BUFFER} -> {TILE}\n"
    + STORE,
    "from a view of the array": f"""
        %v = nv_tileas.view %in_ref[%c1, %c0 : index, index] : !nv_tileaa.memref<16x8xf32, strides = [8, 1]> to !nv_tileas.tiled_view<4x8xf32, gmem>
        %t = nv_tileas.tiled_load weak %v[%c0, %c0] : !nv_tileas.tiled_view<4x8xf32, gmem>[index, index] -> {TILE}
    """
    + STORE,
    "a copy of a view": f"""
        %v = nv_tileas.view %in_ref[%c1, %c0 : index, index] : !nv_tileaa.memref<16x8xf32, strides = [8, 1]> to !nv_tileas.tiled_view<4x8xf32, gmem>
        %w = nv_tileas.view %out_ref[%c2, %c0 : index, index] : !nv_tileaa.memref<16x8xf32, strides = [8, 1]> to !nv_tileas.tiled_view<4x8xf32, gmem>
        %b = nv_tileas.copy %v : !nv_tileas.tiled_view<4x8xf32, gmem> -> {BUFFER}
        %done = nv_tileas.async.copy %b into %w : {BUFFER} into !nv_tileas.tiled_view<4x8xf32, gmem> -> !nv_tileas.async_token
    """,
}


@pytest.mark.one_in(2, "load and store-ProgramOrder")
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", COPIES)
def test_copies(name: str, order: MemoryOrder):
    data, out = run(COPIES[name], order)
    expected = np.zeros_like(data)
    expected[8:12] = data[4:8]
    np.testing.assert_array_equal(out, expected)


THROUGH_POINTERS = {
    "at once": f"%t = nv_tileas.load weak %from : {PTRS} -> {TILE}\nnv_tileas.store weak %to, %t : {PTRS}, {TILE}\n",
    "later": f"""
        %token = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
        %w = nv_tileas.async.load weak %from token = %token : {PTRS} -> !async.value<{TILE}>
        %t = nv_tileas.async.future_wait %w : !async.value<{TILE}> -> {TILE}
        %done = nv_tileas.async.store weak %to, %t : {PTRS}, {TILE} -> !nv_tileas.async_token
        %order = nv_tileas.async.wait %done : !nv_tileas.async_token -> !nv_tileaa.mem_token
    """,
}


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", THROUGH_POINTERS)
def test_pointers(name: str, order: MemoryOrder):
    data, out = run(RANGE + THROUGH_POINTERS[name], order)
    expected = np.zeros_like(data)
    expected[:4] = data[:4]
    np.testing.assert_array_equal(out, expected)


def test_masked_elements_are_the_other():
    body = f"""
        %limit = arith.constant 10 : i32
        %limits = nv_tileaa.splat %limit : i32 -> tensor<4x8xi32>
        %mask = arith.cmpi slt, %all, %limits : tensor<4x8xi32>
        %seven = arith.constant 7.0 : f32
        %sevens = nv_tileaa.splat %seven : f32 -> {TILE}
        %w = nv_tileas.async.load weak %from mask = %mask : tensor<4x8xi1> other = %sevens : {TILE} : {PTRS} -> !async.value<{TILE}>
        %t = nv_tileas.async.future_wait %w : !async.value<{TILE}> -> {TILE}
        nv_tileas.store weak %to, %t : {PTRS}, {TILE}
    """
    data, out = run(RANGE + body)
    np.testing.assert_array_equal(out[:4].ravel()[:10], data.ravel()[:10])
    assert (out[:4].ravel()[10:] == 7).all()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_atomic_modification(asynchronous: bool):
    result = f"!async.value<{TILE}>" if asynchronous else TILE
    prefix = "async." if asynchronous else ""
    wait = f"%o = nv_tileas.async.future_wait %old : {result} -> {TILE}\n" if asynchronous else ""
    body = (
        LOAD
        + STORE
        + f"%old = nv_tileas.{prefix}tiled_atomic_rmw relaxed gpu %t, %out[%c2, %c0] {{rmw_mode = #nv_tileas.rmw_mode<addf>}} : {TILE}, {VIEW}[index, index] -> {result}\n"
        + wait
        + f"nv_tileas.tiled_store weak {'%o' if asynchronous else '%old'}, %out[%c3, %c0] : {TILE}, {VIEW}[index, index]\n"
    )
    data, out = run(body)
    np.testing.assert_array_equal(out[8:12], 2 * data[4:8])
    np.testing.assert_array_equal(out[12:], data[4:8])


def test_work_that_nobody_waits_for_is_late():
    """A buffer is read before the copy into it is waited for."""
    body = (
        LOAD
        + ALLOC
        + f"%w = nv_tileas.async.copy %t into %b : {TILE} into {BUFFER} -> !nv_tileas.async_token\n"
        + f"%u = nv_tileas.copy %b : {BUFFER} -> {TILE}\n"
        + "nv_tileas.async.wait %w : !nv_tileas.async_token\n"
        + STORE.replace("%t", "%u")
    )
    data, out = run(body)
    np.testing.assert_array_equal(out[8:12], data[4:8])
    _, late = run(body, ORDERS[2])
    assert np.isnan(late[8:12]).all()


def test_a_tile_is_no_place():
    body = LOAD + f"nv_tileas.tiled_store weak %t, %t : {TILE}, {TILE}\n"
    with pytest.raises(
        InterpreterError, match="stores to a tile that is in registers, not in memory"
    ):
        run(body)


def test_atomic_accesses_that_mean_nothing():
    """The enumeration has a compare-and-swap, but the op takes one tile only; nor are buffers."""
    swap = f"{{rmw_mode = #nv_tileas.rmw_mode<cmpxchg>}} : {TILE}, {VIEW}[index, index] -> {TILE}\n"
    body = LOAD + f"%old = nv_tileas.tiled_atomic_rmw relaxed gpu %t, %out[%c2, %c0] {swap}"
    with pytest.raises(InterpreterError, match="compare-and-swap expects a tile to compare with"):
        run(body)
    add = f"{{rmw_mode = #nv_tileas.rmw_mode<addf>}} : {TILE}, {BUFFER} -> {TILE}\n"
    body = LOAD + ALLOC + f"%old = nv_tileas.tiled_atomic_rmw relaxed gpu %t, %b {add}"
    with pytest.raises(VerifyException, match="expects a view of global memory"):
        run(body)


def test_an_exchange():
    swap = f"{{rmw_mode = #nv_tileas.rmw_mode<xchg>}} : {TILE}, {VIEW}[index, index] -> {TILE}\n"
    body = LOAD + f"%old = nv_tileas.tiled_atomic_rmw relaxed gpu %t, %out[%c2, %c0] {swap}"
    data, out = run(body)
    np.testing.assert_array_equal(out[8:12], data[4:8])
