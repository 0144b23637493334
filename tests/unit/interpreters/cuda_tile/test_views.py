"""Views: what the operations make of types, sizes and indices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError

VALUES = np.arange(32, dtype=np.float32).reshape(4, 8)
TENSOR = "tensor_view<?x?xf32, strides=[?,1]>"


def _view(rows: int, columns: int, stride: int, view: str) -> str:
    return f"""
      %n = constant <i32: {rows}> : tile<i32>
      %m = constant <i32: {columns}> : tile<i32>
      %s = constant <i32: {stride}> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %two = constant <i32: 2> : tile<i32>
      %tensor = make_tensor_view %p0, shape = [%n, %m], strides = [%s, 1] : tile<i32> -> {TENSOR}
      %view = make_{view.partition("<")[0]} %tensor : {view}
    """


def test_dynamic_sizes_and_strides() -> None:
    view = f"partition_view<tile=(2x4), padding_value = nan, {TENSOR}>"
    body = f"""{_view(3, 5, 8, view)}
      %out0, %t = load_view_tko weak %view[%one, %one] : {view}, tile<i32> -> tile<2x4xf32>, token
      %out1, %out2 = get_tensor_shape %tensor : {TENSOR} -> tile<i32>
      %out3, %out4 = get_index_space_shape %view : {view} -> tile<i64>
    """
    tile, rows, columns, tall, wide = evaluate(
        body, [("4x8xf32", VALUES)], ["2x4xf32", "i32", "i32", "i64", "i64"]
    )
    assert tile[0, 0] == VALUES[2, 4]
    assert np.isnan(tile).sum() == 7
    assert (rows.item(), columns.item(), tall.item(), wide.item()) == (3, 5, 2, 2)


def test_permuted_dimensions() -> None:
    view = f"partition_view<tile=(4x2), {TENSOR}, dim_map=[1, 0]>"
    body = f"""{_view(4, 8, 8, view)}
      %out0, %t = load_view_tko weak %view[%one, %zero] : {view}, tile<i32> -> tile<4x2xf32>, token
    """
    (tile,) = evaluate(body, [("4x8xf32", VALUES)], ["4x2xf32"])
    assert (tile == VALUES[:2, 4:].T).all()


def test_strided_view() -> None:
    view = f"strided_view<tile=(2x4), traversal_strides=[1,3], padding_value = zero, {TENSOR}>"
    body = f"""{_view(4, 8, 8, view)}
      %out0, %t = load_view_tko weak %view[%one, %two] : {view}, tile<i32> -> tile<2x4xf32>, token
      %out1, %out2 = get_index_space_shape %view : {view} -> tile<i32>
    """
    tile, tall, wide = evaluate(body, [("4x8xf32", VALUES)], ["2x4xf32", "i32", "i32"])
    assert tile[:, :2].tolist() == VALUES[1:3, 6:].tolist() and not tile[:, 2:].any()
    assert (tall.item(), wide.item()) == (4, 3)


def test_gather_scatter_view_counts_elements() -> None:
    view = f"gather_scatter_view<tile=(4x4), padding_value = neg_inf, {TENSOR}, sparse_dim=0>"
    body = f"""{_view(4, 8, 8, view)}
      %rows = constant <i32: [3, 9, 0, -1]> : tile<4xi32>
      %five = constant <i32: 5> : tile<i32>
      %out0, %t = load_view_tko weak %view[%rows, %five]
        : {view}, tile<4xi32>, tile<i32> -> tile<4x4xf32>, token
    """
    (tile,) = evaluate(body, [("4x8xf32", VALUES)], ["4x4xf32"])
    expected = np.full((4, 4), -math.inf)
    expected[0, :3], expected[2, :3] = VALUES[3, 5:], VALUES[0, 5:]
    assert (tile == expected).all()


def test_inbounds_is_checked() -> None:
    view = f"partition_view<tile=(2x4), {TENSOR}>"
    body = f"""{_view(4, 8, 8, view)}
      %out0, %t = load_view_tko weak %view[%one, INDEX] inbounds = [true, true]
        : {view}, tile<i32> -> tile<2x4xf32>, token
    """
    (tile,) = evaluate(body.replace("INDEX", "%one"), [("4x8xf32", VALUES)], ["2x4xf32"])
    assert (tile == VALUES[2:, 4:]).all()
    with pytest.raises(InterpreterError, match=r"element \[0, 0\] is outside .* index 1"):
        evaluate(body.replace("INDEX", "%two"), [("4x8xf32", VALUES)], ["2x4xf32"])
