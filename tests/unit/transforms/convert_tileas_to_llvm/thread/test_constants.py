"""Facts of constants that registers hold."""

from collections.abc import Sequence
from typing import Any

import pytest
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    TensorType,
    f32,
    i8,
    i32,
)

from tileir_xdsl.analysis.values.uniform_constants import is_splat
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools


@pytest.mark.parametrize(
    ("type", "numbers", "expected"),
    [
        (i32, [7, 7, 7, 7], True),
        (i32, [7, 7, 7, 8], False),
        (i32, [8, 7, 7, 7], False),
        (i32, [7], True),
        # Equal bytes in another order.
        (i32, [1, 256], False),
        (i8, [-1, -1], True),
        (f32, [1.5, 1.5, 1.5], True),
        (f32, [0.0, -0.0], False),
    ],
)
def test_a_splat_has_the_same_bits_everywhere(
    type: Any, numbers: Sequence[int | float], expected: bool
):
    attribute = TensorType(type, [len(numbers)])
    assert is_splat(DenseIntOrFPElementsAttr.from_list(attribute, numbers)) is expected


def test_a_constant_whose_elements_are_equal_is_no_table():
    """However it is spelled: it needs no memory, and no loads."""

    def ptx(numbers: str) -> str:
        return emit(
            tools.run_passes(
                tools.parse(f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<i32>>) {{
        %c = constant <i32: {numbers}> : tile<4xi32>
        %one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
        %all = broadcast %one : tile<1xptr<i32>> -> tile<4xptr<i32>>
        %i = iota : tile<4xi32>
        %at = offset %all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
        %t = store_ptr_tko weak %at, %c : tile<4xptr<i32>>, tile<4xi32> -> token
        return
      }}
    }}
    """),
                "tileir-pipeline{gpu=sm_90a}",
            )
        )

    assert ptx("[9, 9, 9, 9]") == ptx("9")
    assert ptx("[9, 9, 9, 8]") != ptx("9")
