"""Values in short, and their names."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i32

from tileir_xdsl.dialects.cuda_tile import PointerType, TileType, TokenType
from tileir_xdsl.interpreters.accesses import TOKEN
from tileir_xdsl.interpreters.numerics import ELEMENTS
from tileir_xdsl.interpreters.views import TensorView, TileView
from tileir_xdsl.runtime.values import Names, short_array, short_value, source_line
from tileir_xdsl.testing import tools

TENSOR = TensorView(0x100, (4, 5), (5, 1), ELEMENTS["f32"])


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.array(7), "7"),
        (np.array(0.1), "0.1"),
        (np.array([1, -2], np.int8), "int8[2] = [1, -2]"),
        (np.zeros((0, 3), np.float16), "float16[0x3] = []"),
        (np.arange(8), "int64[8] = [0, 1, 2, 3, 4, 5, 6, 7]"),
        (np.arange(9).reshape(3, 3), "int64[3x3] = [0, 1, 2, ..., 6, 7, 8]"),
        (np.array([np.nan, -np.inf]).astype(ml_dtypes.bfloat16), "bfloat16[2] = [nan, -inf]"),
        (np.array([True, False]), "bool[2] = [True, False]"),
    ],
)
def test_arrays(values: np.ndarray, text: str):
    assert short_array(values) == text


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (np.array([16]), TileType((1,), PointerType(f32)), "address[1] = [0x10]"),
        (np.array([16]), TileType((1,), i32), "int64[1] = [16]"),
        (TENSOR, i32, "tensor 4x5 of f32, strides [5, 1], at 0x100"),
        (
            TileView(TENSOR, (2, 2), (2, 2), ((0,), (1,))),
            i32,
            "tiles 2x2 of tensor 4x5 of f32, strides [5, 1], at 0x100",
        ),
        (TOKEN, TokenType(), "token"),
    ],
)
def test_values(value: Any, type_: Any, text: str):
    assert short_value(value, type_) == text


def test_names_of_the_text_where_they_tell_values_apart():
    text = "%x = constant <i32: 1> : tile<i32>\n%y_1 = constant <i32: 1> : tile<i32>\n"
    text += "%y_2 = addi %x, %x : tile<i32>\n%5 = addi %y_1, %y_2 : tile<i32>\nreturn"
    module = tools.parse(f"cuda_tile.module @m {{ entry @k() {{ {text} }} }}")
    names = Names(module)
    ops = [op for op in module.walk() if op.results]
    assert [names.results(op) for op in ops] == ["%x = ", "%cst_1_i32_0 = ", "%0 = ", "%1 = "]


@pytest.mark.parametrize(("location", "line"), [(None, None), ("a:b.py:12:3", 12)])
def test_lines(location: str | None, line: int | None):
    assert source_line(location) == line
