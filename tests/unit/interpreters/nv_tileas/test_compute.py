"""Products and combinations of tiles."""

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import ORDERS, SHARED, VIEW, run
from tileir_xdsl.interpreters.memory_order import MemoryOrder

A = np.arange(32, dtype=np.float32).reshape(4, 8)
B = np.arange(32, 96, dtype=np.float32).reshape(8, 8)
# `%a` is the first 4x8 tile, `%b` the 8x8 tile of the two after it.
TILES = f"""
%a = nv_tileas.tiled_load weak %in[%c0, %c0] : {VIEW}[index, index] -> tensor<4x8xf32>
%b0 = nv_tileas.tiled_load weak %in[%c1, %c0] : {VIEW}[index, index] -> tensor<4x8xf32>
%b1 = nv_tileas.tiled_load weak %in[%c2, %c0] : {VIEW}[index, index] -> tensor<4x8xf32>
%none = nv_tileas.alloc_tensor : tensor<8x8xf32>
%half = nv_tileas.insert_slice %b0 into %none[0, 0][4, 8][1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
%b = nv_tileas.insert_slice %b1 into %half[4, 0][4, 8][1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
"""
STORE = f"nv_tileas.tiled_store weak %r, %out[%c0, %c0] : tensor<4x8xf32>, {VIEW}[index, index]\n"
TYPES = "tile<4x8xf32>, tile<8x8xf32>, tile<4x8xf32>"

MMA_OPS = {
    "at once": f"%r = nv_tileas.dot %a, %b, %a : {TYPES} -> tile<4x8xf32>\n",
    "later": (
        f"%w = nv_tileas.async.dot %a, %b, %a : {TYPES} -> !async.value<tile<4x8xf32>>\n"
        "%r = nv_tileas.async.future_wait %w : !async.value<tile<4x8xf32>> -> tile<4x8xf32>\n"
    ),
    "by a warpgroup": (
        "%r = nv_tileas.wgmma %a, %b, %a : tensor<4x8xf32>, tensor<8x8xf32>, tensor<4x8xf32> -> "
        "tensor<4x8xf32>\n"
    ),
}


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", MMA_OPS)
def test_product(name: str, order: MemoryOrder):
    _, out = run(TILES + MMA_OPS[name] + STORE, order)
    np.testing.assert_array_equal(out[:4], A @ B + A)


def test_an_asynchronous_product_reads_its_buffers_late():
    """Whoever changes a buffer before the product is waited for changes the product."""
    shared = f"tile<8x8xf32, {SHARED}>"
    body = (
        f"%s = nv_tileas.copy %b : tensor<8x8xf32> -> tensor<8x8xf32, {SHARED}>\n"
        f"%w = nv_tileas.async.dot %a, %s, %a : tile<4x8xf32>, {shared}, tile<4x8xf32> -> "
        "!async.value<tile<4x8xf32>>\n"
        "%zero = arith.constant dense<0.0> : tensor<8x8xf32>\n"
        f"%x = nv_tileas.copy %zero into %s : tensor<8x8xf32> into tensor<8x8xf32, {SHARED}> -> "
        f"tensor<8x8xf32, {SHARED}>\n"
        "%r = nv_tileas.async.future_wait %w : !async.value<tile<4x8xf32>> -> tile<4x8xf32>\n"
    )
    _, out = run(TILES + body + STORE)
    np.testing.assert_array_equal(out[:4], A @ B + A)
    _, late = run(TILES + body + STORE, ORDERS[2])
    np.testing.assert_array_equal(late[:4], A)


def test_combinations():
    body = """
        %sums = nv_tileas.reduce %a {axis = 0 : i32} : tensor<4x8xf32> -> tensor<8xf32> {
        ^bb0(%x: f32, %y: f32):
          %s = nv_tileaa.addf %x, %y : f32
          nv_tileas.yield %s : f32
        }
        %wide = nv_tileas.expand_dims %sums {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
        %rows = nv_tileaa.broadcast %wide : tensor<1x8xf32> -> tensor<4x8xf32>
        %all = nv_tileas.scan %rows {axis = 1 : i32, inclusive = true} : tensor<4x8xf32> -> tensor<4x8xf32> {
        ^bb0(%x: f32, %y: f32):
          %s = nv_tileaa.addf %x, %y : f32
          nv_tileas.yield %s : f32
        }
        %r = nv_tileas.convert_layout %all : tensor<4x8xf32> -> tensor<4x8xf32>
    """
    _, out = run(TILES + body + STORE)
    np.testing.assert_array_equal(out[:4], np.tile(A.sum(0).cumsum(), (4, 1)))
