"""Ops that build and reshape tiles."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import apply, evaluate
from tileir_xdsl.interpreters import InterpreterError

TILE = ("4x8xi32", np.arange(32, dtype=np.int32).reshape(4, 8))


def test_splat_and_broadcast() -> None:
    assert apply("splat %in0 : T0 -> R", "2x2xi32", ("i32", np.int32(7))).tolist() == [[7, 7]] * 2
    row = ("1x4xi32", np.arange(4, dtype=np.int32))
    assert apply("broadcast %in0 : T0 -> R", "2x4xi32", row).tolist() == [[0, 1, 2, 3]] * 2


def test_view_and_expand_dims_keep_the_order() -> None:
    assert (apply("view %in0 : T0 -> R", "2x16xi32", TILE) == TILE[1].reshape(2, 16)).all()
    result = apply("expand_dims %in0 {axis = 1 : i32} : T0 -> R", "4x1x8xi32", TILE)
    assert (result == TILE[1][:, None]).all()


def test_permute() -> None:
    tile = ("2x4x8xi32", np.arange(64, dtype=np.int32).reshape(2, 4, 8))
    text = "permute %in0 {permutation = array<i32: 2, 0, 1>} : T0 -> R"
    result = apply(text, "8x2x4xi32", tile)
    assert (result == tile[1].transpose(2, 0, 1)).all()


def test_cat() -> None:
    result = apply("cat %in0, %in0 {axis = 0 : i32} : T0, T0 -> R", "8x8xi32", TILE)
    assert (result == np.concatenate([TILE[1], TILE[1]])).all()


def test_extract() -> None:
    one = ("1x1xi32", np.array([[5]], np.int32))
    assert apply("extract %in0 : T0 -> R", "i32", one).item() == 5
    row = apply("extract %in0[%in1 : T1] : T0 -> R", "8xi32", TILE, ("i32", np.int32(2)))
    assert (row == TILE[1][2]).all()
    index = ("i32", np.int32(3))
    text = "extract %in0[%in1, %in1 : T1, T1] : T0 -> R"
    assert apply(text, "i32", TILE, index).item() == TILE[1][3, 3]


def test_extract_checks_its_indices() -> None:
    with pytest.raises(
        InterpreterError, match=r"element \[4\] is outside of a tile with the leading extents \[4\]"
    ):
        apply("extract %in0[%in1 : T1] : T0 -> R", "8xi32", TILE, ("i32", np.int32(4)))


def test_slices() -> None:
    index = ("i32", np.int32(1))
    part = apply("extract_slice %in0[%in1, %in1 : T1, T1] : T0 -> R", "2x4xi32", TILE, index)
    assert (part == TILE[1][2:, 4:]).all()
    small = ("2x4xi32", -np.ones((2, 4), np.int32))
    text = "insert_slice %in0 into %in1[%in2, %zero : T2, i32] : T0, T1 -> R"
    whole = apply(text, "4x8xi32", small, TILE, index)
    expected = TILE[1].copy()
    expected[2:, :4] = -1
    assert (whole == expected).all()
    with pytest.raises(InterpreterError, match="slice"):
        apply(text, "4x8xi32", small, TILE, ("i32", np.int32(2)))


def test_make_range() -> None:
    (result,) = evaluate(
        """
        %start = arith.constant 250 : i8
        %end = arith.constant 2 : i8
        %out0 = nv_tileaa.make_range %start, %end : i8 -> tensor<8xi8>
        """,
        outputs=["8xi8"],
    )
    assert result.tolist() == [-6, -5, -4, -3, -2, -1, 0, 1]


def test_generate() -> None:
    (result,) = evaluate(
        """
        %out0 = nv_tileaa.generate : tensor<4x8xi32> {
        ^bb0(%i: i32, %j: i32):
          %eight = arith.constant 8 : i32
          %row = arith.muli %i, %eight : i32
          %sum = arith.addi %row, %j : i32
          nv_tileaa.yield %sum : i32
        }
        """,
        outputs=["4x8xi32"],
    )
    assert (result == TILE[1]).all()


def test_generate_looks_up_elements_one_by_one() -> None:
    (result,) = evaluate(
        """
        %out0 = nv_tileaa.generate : tensor<8x4xi32> {
        ^bb0(%i: i32, %j: i32):
          %x = nv_tileaa.extract %in0[%j, %i : i32, i32] : tensor<4x8xi32> -> i32
          nv_tileaa.yield %x : i32
        }
        """,
        [TILE],
        ["8x4xi32"],
    )
    assert (result == TILE[1].T).all()


def test_histogram_counts_what_is_in_range() -> None:
    values = ("8xi8", np.array([0, 3, 3, -1, 7, 4, 0, 0], np.int8))
    assert apply("histogram %in0 : T0 -> R", "4xi32", values).tolist() == [3, 0, 0, 2]
