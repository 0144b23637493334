"""Memory objects, their views, and the accesses of tiles."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.numerics import Array

VALUES = np.arange(32, dtype=np.float32).reshape(4, 8)
INPUT = ("4x8xf32", VALUES)
MEMREF = "!nv_tileaa.memref<?x?xf32, strides = [?, 1]>"
TOKEN = "!nv_tileaa.mem_token"


def _memref(rows: int, columns: int, offset: int = 0) -> str:
    return f"""
      %rows = arith.constant {rows} : i32
      %columns = arith.constant {columns} : i32
      %stride = arith.constant 8 : i32
      %offset = arith.constant {offset} : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %memref = nv_tileaa.make_memref %p0 offset = %offset : i32
        sizes = [%rows, %columns : i32, i32] strides = [%stride : i32]
        : !nv_tileaa.ptr<f32> -> {MEMREF}
    """


def _view(tile: str, attributes: str) -> str:
    sizes = ", ".join(tile.split("x"))
    type_ = f"!nv_tileaa.tiled_view<{tile}xf32, {MEMREF}>"
    return (
        f"%view = nv_tileaa.block_tile %memref {{tileSizes = array<i64: {sizes}>, {attributes}}} "
        f": {MEMREF} -> {type_}\n"
    )


def _load(tile: str, coords: str, properties: str = "", op: str = "tiled_load weak") -> str:
    types = ", ".join("i32" for _ in coords.split(","))
    type_ = f"!nv_tileaa.tiled_view<{tile}xf32, {MEMREF}>"
    return (
        f"%out0, %t = nv_tileaa.{op} %view[{coords}] {properties} : {type_}[{types}] "
        f"-> tensor<{tile}xf32>, {TOKEN}\n"
    )


TWO_GROUPS = "dimGroups = [[0], [1]]"


def test_sizes_strides_and_offset_of_a_memref() -> None:
    padding = "{padding_value = #nv_tileaa.padding_value<nan>}"
    body = f"""{_memref(3, 5, offset=8)}{_view("2x4", TWO_GROUPS)}
      {_load("2x4", "%one, %one", padding)}
      %out1 = nv_tileaa.get_dim_size %memref {{axis = 0 : i32}} : {MEMREF} -> i32
      %out2 = nv_tileaa.get_dim_size %memref {{axis = 1 : i32}} : {MEMREF} -> i64
    """
    tile, rows, columns = evaluate(body, [INPUT], ["2x4xf32", "i32", "i64"])
    assert tile[0, 0] == VALUES[2, 6] and np.isnan(tile).sum() == 7
    assert (rows.item(), columns.item()) == (3, 5)


def test_groups_of_dimensions_and_steps_of_tiles() -> None:
    body = _memref(4, 5) + _view("8", "dimGroups = [[0, 1]]") + _load("8", "%one")
    (tile,) = evaluate(body, [INPUT], ["8xf32"])
    assert tile.tolist() == VALUES[:, :5].reshape(-1)[8:16].tolist()
    steps = f"tileStrides = array<i64: 1, 3>, {TWO_GROUPS}"
    body = _memref(4, 8) + _view("2x4", steps) + _load("2x4", "%two, %one")
    (tile,) = evaluate(body, [INPUT], ["2x4xf32"])
    assert (tile == VALUES[2:4, 3:7]).all()
    body = _memref(4, 8) + _view("4x2", "dimGroups = [[1], [0]]") + _load("4x2", "%one, %one")
    (tile,) = evaluate(body, [INPUT], ["4x2xf32"])
    assert (tile == VALUES[2:4, 4:8].T).all()


def test_promises_of_bounds_are_checked() -> None:
    promise = "{in_bounds = array<i1: true, false>}"
    body = _memref(3, 5) + _view("2x4", TWO_GROUPS)
    (tile,) = evaluate(body + _load("2x4", "%zero, %one", promise), [INPUT], ["2x4xf32"])
    assert tile[:, 0].tolist() == VALUES[:2, 4].tolist()
    with pytest.raises(InterpreterError, match=r"element \[1, 0\] is outside .* along index 0"):
        evaluate(body + _load("2x4", "%one, %zero", promise), [INPUT], ["2x4xf32"])


def test_tiles_are_gathered_and_scattered() -> None:
    type_ = f"!nv_tileaa.tiled_view<4x4xf32, {MEMREF}>"
    body = f"""{_memref(4, 8)}{_view("4x4", TWO_GROUPS)}
      %five = arith.constant 5 : i32
      %out0, %t = nv_tileaa.gather_load weak %view[%in1, %five] {{sparse_dim = 0 : i32,
        padding_value = #nv_tileaa.padding_value<neg_inf>}} : {type_}[tensor<4xi32>, i32]
        -> tensor<4x4xf32>, {TOKEN}
      %minus = arith.constant dense<-1.0> : tensor<4x4xf32>
      %s = nv_tileaa.scatter_store weak %minus, %view[%in1, %zero] token = %t
        {{sparse_dim = 0 : i32}} : tensor<4x4xf32>, {type_}[tensor<4xi32>, i32] -> {TOKEN}
      %all, %u = nv_tileaa.tiled_load weak %view[%zero, %zero] token = %s
        : {type_}[i32, i32] -> tensor<4x4xf32>, {TOKEN}
      %out1 = arith.addf %all, %all : tensor<4x4xf32>
    """
    rows = ("4xi32", np.array([2, -1, 0, 4], np.int32))
    gathered, twice = evaluate(body, [INPUT, rows], ["4x4xf32", "4x4xf32"])
    expected = np.full((4, 4), -np.inf)
    expected[0, :3], expected[2, :3] = VALUES[2, 5:], VALUES[0, 5:]
    assert (gathered == expected).all()
    assert (twice[[0, 2]] == -2).all() and (twice[1] == 2 * VALUES[1, :4]).all()


@pytest.mark.parametrize("mode, function", (("add", np.add), ("max", np.maximum)))
def test_tiles_are_modified_in_place(mode: str, function: np.ufunc) -> None:
    type_ = f"!nv_tileaa.tiled_view<2x4xf32, {MEMREF}>"
    body = f"""{_memref(3, 8)}{_view("2x4", TWO_GROUPS)}
      %t0 = nv_tileaa.tiled_atomic_rmw relaxed gpu {mode} %in1, %view[%one, %one]
        : tensor<2x4xf32>, {type_}[i32, i32] -> {TOKEN}
      %whole, %ty = nv_tileaa.tiled_load weak %view0[%zero, %zero] token = %t0
        : !nv_tileaa.tiled_view<4x8xf32, !nv_tileaa.memref<4x8xf32, strides = [8, 1]>>[i32, i32]
        -> tensor<4x8xf32>, {TOKEN}
      %out0 = arith.negf %whole : tensor<4x8xf32>
    """
    change = ("2x4xf32", np.full((2, 4), 21, np.float32))
    (result,) = evaluate(body, [INPUT, change], ["4x8xf32"])
    expected = VALUES.copy()
    expected[2, 4:] = function(expected[2, 4:], 21)  # row 3 is outside
    assert (-result == expected).all()


def test_multicast_memory_of_one_device_is_memory() -> None:
    memref = "!nv_tileaa.memref<4x8xf32, strides = [8, 1], multicast>"
    view = f"!nv_tileaa.tiled_view<4x8xf32, {memref}>"
    access = f"{view}[i32, i32]"
    body = f"""
      %address = nv_tileaa.ptr_to_int %p0 : !nv_tileaa.ptr<f32> to i64
      %base = nv_tileaa.int_to_ptr %address : i64 to !nv_tileaa.ptr<f32, multicast>
      %memref = nv_tileaa.make_memref %base : !nv_tileaa.ptr<f32, multicast> -> {memref}
      %view = nv_tileaa.block_tile %memref {{tileSizes = array<i64: 4, 8>, {TWO_GROUPS}}}
        : {memref} -> {view}
      %t0 = nv_tileaa.multimem_reduce relaxed sys add %in0, %view[%zero, %zero]
        : tensor<4x8xf32>, {access} -> {TOKEN}
      %out0, %t1 = nv_tileaa.multimem_load_reduce weak add %view[%zero, %zero] token = %t0
        : {access} -> tensor<4x8xf32>, {TOKEN}
      %zeros = arith.constant dense<0.0> : tensor<4x8xf32>
      %t2 = nv_tileaa.multimem_store weak %zeros, %view[%zero, %zero] token = %t1
        : tensor<4x8xf32>, {access} -> {TOKEN}
      %out1, %t3 = nv_tileaa.tiled_load weak %view[%zero, %zero] token = %t2
        : {access} -> tensor<4x8xf32>, {TOKEN}
    """
    twice, zeros = evaluate(body, [INPUT], ["4x8xf32", "4x8xf32"])
    assert (twice == 2 * VALUES).all() and not zeros.any()


def _matrix(x: Array, taps: tuple[int, int], padding: int, stride: int, dilation: int) -> Array:
    """Rows are output positions, columns (filter position, channel), as a sum over positions."""
    images, height, width, channels = x.shape
    rows: list[Array] = []
    out = [
        (n + 2 * padding - dilation * (t - 1) - 1) // stride + 1
        for n, t in zip((height, width), taps, strict=True)
    ]
    for image, i, j in np.ndindex(images, *out):
        row = np.full((*taps, channels), -np.inf, np.float32)
        for a, b in np.ndindex(*taps):
            y, z = i * stride - padding + a * dilation, j * stride - padding + b * dilation
            if 0 <= y < height and 0 <= z < width:
                row[a, b] = x[image, y, z]
        rows.append(row.reshape(-1))
    return np.array(rows)


@pytest.mark.parametrize("parameters", ((0, 1, 1), (1, 2, 1), (2, 1, 2)))
@pytest.mark.parametrize("rows_first", (True, False))
def test_tiles_of_a_convolution(rows_first: bool, parameters: tuple[int, int, int]) -> None:
    padding, stride, dilation = parameters
    x = np.arange(2 * 4 * 4 * 8, dtype=np.float32).reshape(2, 4, 4, 8)
    memref = "!nv_tileaa.memref<2x4x4x6xf32, strides = [128, 32, 8, 1]>"
    tile = "8x4" if rows_first else "4x8"
    view = f"!nv_tileaa.tiled_view<{tile}xf32, {memref}>"
    groups = "[[0, 1, 2], [3]]" if rows_first else "[[3], [0, 1, 2]]"
    both = ", ".join
    expected = _matrix(x[..., :6], (2, 1), padding, stride, dilation)
    body = f"""
      %memref = nv_tileaa.make_memref %p0 : !nv_tileaa.ptr<f32> -> {memref}
      %view = nv_tileaa.conv_tile %memref {{tileSizes = array<i64: {both(tile.split("x"))}>,
        dimGroups = {groups}, filterSize = array<i64: 2, 1>, channel = 3 : i64,
        convParams = #nv_tileaa.conv_params<padding = [{padding}, {padding}],
          stride = [{stride}, {stride}], dilation = [{dilation}, {dilation}]>}}
        : {memref} -> {view}
      %row = arith.constant 1 : i32
      %column = arith.constant 3 : i32
      %out0, %t = nv_tileaa.tiled_load weak
        %view[{both(["%row", "%column"][:: 1 if rows_first else -1])}]
        {{padding_value = #nv_tileaa.padding_value<neg_inf>}}
        : {view}[i32, i32] -> tensor<{tile}xf32>, {TOKEN}
    """
    (result,) = evaluate(body, [("2x4x4x8xf32", x)], [f"{tile}xf32"])
    # Tile 3 of the columns: channels 4 .. 7, of which two exist, of the second filter position.
    wanted = np.full((8, 4), -np.inf)
    part = expected[8:16, 10:12]
    wanted[: len(part), :2] = part
    assert (result == (wanted if rows_first else wanted.T)).all()
