"""Core operations: constants, shapes, selection, pointer arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import apply, evaluate
from tileir_xdsl.interpreters import InterpreterError

GRID = np.arange(32, dtype=np.int32).reshape(4, 8)
CUBE = np.arange(64, dtype=np.int16).reshape(2, 4, 8)


def test_constants() -> None:
    body = """
      %out0 = constant <i32: [[1, 2], [3, -4]]> : tile<2x2xi32>
      %out1 = constant <f32: 1.5> : tile<2x2xf32>
      %out2 = constant <i1: [true, false]> : tile<2xi1>
      %out3 = constant <i64: 7> : tile<i64>
      %out4 = constant <tf32: 0.5> : tile<2xtf32>
    """
    a, b, c, d, e = evaluate(body, [], ["2x2xi32", "2x2xf32", "2xi1", "i64", "2xtf32"])
    assert a.tolist() == [[1, 2], [3, -4]]
    assert b.tolist() == [[1.5, 1.5], [1.5, 1.5]]
    assert c.tolist() == [True, False] and d.item() == 7 and e.tolist() == [0.5, 0.5]


def test_iota() -> None:
    assert apply("iota : tile<8xi32>", "8xi32").tolist() == list(range(8))
    wide = apply("iota : tile<256xi8>", "256xi8")
    assert wide.view(np.uint8).tolist() == list(range(256))


def test_shapes() -> None:
    grid = ("4x8xi32", GRID)
    assert (apply("reshape %in0 : T -> R", "2x16xi32", grid) == GRID.reshape(2, 16)).all()
    assert (apply("permute %in0 [1, 0] : T -> R", "8x4xi32", grid) == GRID.T).all()
    cube = apply("permute %in0 [2, 0, 1] : T -> R", "8x2x4xi16", ("2x4x8xi16", CUBE))
    assert (cube == CUBE.transpose(2, 0, 1)).all()
    row = ("1x8xi32", GRID[:1])
    assert (apply("broadcast %in0 : T -> R", "4x8xi32", row) == GRID[:1]).all()
    column = ("4x1xi32", GRID[:, :1])
    assert (apply("broadcast %in0 : T -> R", "4x8xi32", column) == GRID[:, :1]).all()
    scalar = apply("reshape %in0 : T -> R", "1x1xi32", ("i32", np.array(5, np.int32)))
    assert scalar.tolist() == [[5]]


def test_concatenation() -> None:
    a, b = ("4x8xi32", GRID), ("4x8xi32", -GRID)
    op = "cat %in0, %in1 dim = {} : tile<4x8xi32>, tile<4x8xi32> -> R"
    rows = apply(op.format(0), "8x8xi32", a, b)
    assert (rows == np.concatenate([GRID, -GRID], axis=0)).all()
    columns = apply(op.format(1), "4x16xi32", a, b)
    assert (columns == np.concatenate([GRID, -GRID], axis=1)).all()


def test_extract_and_insert_count_slices() -> None:
    body = """
      %one = constant <i32: 1> : tile<i32>
      %three = constant <i32: 3> : tile<i32>
      %out0 = extract %in0[%one, %three] : tile<4x8xi32> -> tile<2x2xi32>
      %out1 = insert %out0, %in0[%zero, %one] : tile<2x2xi32>, tile<4x8xi32>
    """
    extracted, inserted = evaluate(body, [("4x8xi32", GRID)], ["2x2xi32", "4x8xi32"])
    assert (extracted == GRID[2:4, 6:8]).all()
    expected = GRID.copy()
    expected[0:2, 2:4] = GRID[2:4, 6:8]
    assert (inserted == expected).all()


@pytest.mark.parametrize("index", [2, -1])
def test_a_slice_outside_of_the_tile_is_an_error(index: int) -> None:
    body = f"""
      %i = constant <i32: {index}> : tile<i32>
      %out0 = extract %in0[%i] : tile<8xi32> -> tile<4xi32>
    """
    with pytest.raises(InterpreterError) as error:
        evaluate(body, [("8xi32", GRID[0])], ["4xi32"])
    assert str(error.value) == (
        "'cuda_tile.extract' in tile block (0, 0, 0): "
        f"slice [{index % 2**32}] does not exist: the tile has [2] slices"
    )


def test_select() -> None:
    condition = ("4xi1", np.array([1, 0, 0, 1], np.uint8))
    a, b = ("4xi32", GRID[0, :4]), ("4xi32", GRID[1, :4])
    actual = apply("select %in0, %in1, %in2 : tile<4xi1>, tile<4xi32>", "4xi32", condition, a, b)
    assert actual.tolist() == [0, 9, 10, 3]


def test_offsets_are_signed_numbers_of_elements() -> None:
    body = """
      %five = constant <i32: 5> : tile<i32>
      %p = offset %p0, %five : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %row = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
      %rows = broadcast %row : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %steps = constant <i8: [-5, -1, 0, 2]> : tile<4xi8>
      %q = offset %rows, %steps : tile<4xptr<i32>>, tile<4xi8> -> tile<4xptr<i32>>
      %out0, %t = load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
    """
    (loaded,) = evaluate(body, [("8xi32", GRID[1])], ["4xi32"])
    assert loaded.tolist() == [8, 12, 13, 15]
