"""Bulk copies of boxes: what arrives, at once or late, and what is outside of an object."""

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import MEMREF, ORDERS, SHARED, run
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.memory_order import MemoryOrder

BUFFER = f"tensor<4x8xf32, {SHARED}>"
DESCRIPTOR = "!nv_tileas.tma_desc"
TOKEN = "!nv_tileas.async_token"


def descriptor(name: str, array: str, atom: str, mode: str = "zero") -> str:
    return (
        f"%{name} = nv_tileas.make_tiled_tma_desc %{array}_ref[%four, %eight] "
        f"{{atom = #nv_tileas<atom {atom}>, oob_mode = #nv_tileas.oob_mode<{mode}>}} : "
        f"{MEMREF}, index, index -> {DESCRIPTOR}\n"
    )


HEAD = f"""
%four = arith.constant 4 : index
%eight = arith.constant 8 : index
%row = arith.constant 6 : index
%low = arith.constant -3 : index
%m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%b = nv_tileas.alloc_tensor : {BUFFER}
"""


def load(coordinates: str) -> str:
    types = ", ".join(["index"] * (coordinates.count(",") + 1))
    return (
        f"%a = nv_tileas.async.tiled_tma_load %l, %b[{coordinates}], %m "
        f"{{atom = #nv_tileas<atom tma_load_2d>}} : {DESCRIPTOR}, {BUFFER}, {types}, "
        f"!nv_tileaa.mem_token -> {TOKEN}\nnv_tileas.async.wait %a : {TOKEN}\n"
    )


def store(coordinates: str, name: str = "tiled_tma_store", atom: str = "tma_store_2d") -> str:
    types = ", ".join(["index"] * (coordinates.count(",") + 1))
    return (
        f"%d = nv_tileas.async.{name} %s, %b[{coordinates}] {{atom = #nv_tileas<atom {atom}>}} : "
        f"{DESCRIPTOR}, {BUFFER}, {types} -> {TOKEN}\nnv_tileas.async.wait %d : {TOKEN}\n"
    )


LOADS = HEAD + descriptor("l", "in", "tma_load_2d")
STORES = descriptor("s", "out", "tma_store_2d")


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_a_box(order: MemoryOrder):
    data, out = run(LOADS + STORES + load("%row, %c0") + store("%c2, %c0"), order)
    expected = np.zeros_like(data)
    expected[2:6] = data[6:10]
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("mode", ["zero", "nan"])
def test_outside_of_the_object(mode: str):
    loads = HEAD + descriptor("l", "in", "tma_load_2d", mode)
    data, out = run(loads + STORES + load("%low, %row") + store("%c0, %c0"))
    fill = np.float32(0 if mode == "zero" else np.nan)
    expected = np.full((4, 8), fill)
    expected[3, :2] = data[0, 6:]
    np.testing.assert_array_equal(out[:4], expected)


def test_stores_drop_what_is_outside():
    data, out = run(LOADS + STORES + load("%c0, %c0") + store("%low, %row"))
    expected = np.zeros_like(out)
    expected[0, 6:] = data[3, :2]
    np.testing.assert_array_equal(out, expected)


def test_leading_coordinates_may_be_left_out():
    data, out = run(LOADS + STORES + load("%c0") + store("%c0"))
    np.testing.assert_array_equal(out[:4], data[:4])


def test_reduction():
    reduces = descriptor("s", "out", "tma_redg_add_2d")
    add = store("%c0, %c0", "tiled_tma_reduce", "tma_redg_add_2d")
    again = add.replace("%d", "%e")
    data, out = run(LOADS + reduces + load("%c0, %c0") + add + again)
    np.testing.assert_array_equal(out[:4], 2 * data[:4])


ROWS = """
%r = arith.constant dense<[9, -1, 3, 20]> : tensor<4xi32>
%q = arith.constant dense<[8, 1, 16, 2]> : tensor<4xi32>
"""


def test_gather_and_scatter():
    gather = (
        f"%a = nv_tileas.async.gather_tma_load %l, %b[%c0], %r, %m "
        f"{{atom = #nv_tileas<atom tma_gather4_2d>}} : {DESCRIPTOR}, {BUFFER}, index, "
        f"tensor<4xi32>, !nv_tileaa.mem_token -> {TOKEN}\nnv_tileas.async.wait %a : {TOKEN}\n"
    )
    scatter = (
        f"%d = nv_tileas.async.scatter_tma_store %s, %b[%c0], %q "
        f"{{atom = #nv_tileas<atom tma_scatter4_2d>}} : {DESCRIPTOR}, {BUFFER}, index, "
        f"tensor<4xi32> -> {TOKEN}\n"
    )
    data, out = run(LOADS + STORES + ROWS + gather + scatter)
    expected = np.zeros_like(data)
    expected[8], expected[2] = data[9], 0
    np.testing.assert_array_equal(out, expected)


FAULTS = {
    HEAD
    + descriptor(
        "l", "in", "tma_load_2d", "constant"
    ): "a constant value for elements out of bounds",
    LOADS + load("%c0, %c0").replace("%b[", "%t[").replace(BUFFER, "tensor<4x8xf32>"): (
        "loads to a destination that is not a buffer in memory"
    ),
    LOADS + load("%c0, %c0").replace("%b[", "%w[").replace(BUFFER, f"tensor<2x8xf32, {SHARED}>"): (
        r"boxes of shape \[4, 8\] cannot make up a tile of shape \[2, 8\]"
    ),
    STORES.join([HEAD, ""])
    + store("%c0, %c0").replace("%b[", "%w[").replace(BUFFER, f"tensor<2x8xf32, {SHARED}>"): (
        r"boxes of shape \[4, 8\] cannot make up a tile of shape \[2, 8\]"
    ),
}


@pytest.mark.parametrize("body", FAULTS, ids=FAULTS.values())
def test_fault(body: str):
    tiles = (
        "%t = nv_tileas.create_none : tile<4x8xf32>\n%u = nv_tileas.copy %t : tensor<4x8xf32> -> "
        f"tensor<4x8xf32>\n%w = nv_tileas.alloc_tensor : tensor<2x8xf32, {SHARED}>\n"
    )
    with pytest.raises(InterpreterError, match=FAULTS[body]):
        run(tiles + body.replace("%t[", "%u["))
