"""Launches: arguments, grids, blocks, and what the user is told when they are wrong."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.testing import tools

SCALE = """
cuda_tile.module @kernels {
  entry @scale(%p: tile<ptr<ELEMENT>>, %n: tile<i32>) {
    %view = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xELEMENT, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(4), tensor_view<?xELEMENT, strides=[1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %v, %t = load_view_tko weak %tiles[%x] : partition_view<tile=(4), tensor_view<?xELEMENT, strides=[1]>>, tile<i32> -> tile<4xELEMENT>, token
    %w = ADD %v, %v : tile<4xELEMENT>
    %u = store_view_tko weak %w, %tiles[%x] token = %t : tile<4xELEMENT>, partition_view<tile=(4), tensor_view<?xELEMENT, strides=[1]>>, tile<i32> -> token
    return
  }
}
"""

COORDINATES = """
cuda_tile.module @kernels {
  entry @coordinates(%p: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %w, %h, %d = get_num_tile_blocks : tile<i32>
    %a = muli %z, %h : tile<i32>
    %b = addi %a, %y : tile<i32>
    %c = muli %b, %w : tile<i32>
    %i = addi %c, %x : tile<i32>
    %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %old, %t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %v = addi %old, %i : tile<i32>
    %u = store_ptr_tko weak %q, %v token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @nothing() {
    return
  }
}
"""


def scale(element: str) -> ModuleOp:
    """A kernel that doubles the first `n` elements of an array, four per block."""
    add = "addi" if element.startswith("i") else "addf"
    return tools.parse(SCALE.replace("ELEMENT", element).replace("ADD", add))


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        ("i8", np.int8),
        ("i8", np.uint8),
        ("i16", np.uint16),
        ("i32", np.int32),
        ("i64", np.uint64),
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("f32", np.float32),
        ("f64", np.float64),
    ],
)
def test_arrays_are_updated_in_place(element: str, dtype: type) -> None:
    values = np.arange(6).astype(dtype)
    launch(scale(element), "scale", (2, 1, 1), [values, 6])
    assert values.dtype == dtype
    assert values.astype(np.int64).tolist() == [0, 2, 4, 6, 8, 10]


def test_raw_bits_stand_for_floats_of_the_same_width() -> None:
    values = np.array([1.0, 2.0], ml_dtypes.bfloat16)
    bits = values.view(np.uint16)
    launch(scale("bf16"), "scale", (1, 1, 1), [bits, 2])
    assert values.astype(np.float32).tolist() == [2, 4]


def test_a_strided_array_passes_its_first_element() -> None:
    values = np.arange(12, dtype=np.float32)
    launch(scale("f32"), "scale", (1, 1, 1), [values[5:9], 4])
    assert values.tolist() == [0, 1, 2, 3, 4, 10, 12, 14, 16, 9, 10, 11]


def test_overlapping_arrays_share_memory() -> None:
    values = np.arange(8, dtype=np.float32)
    module = module_of("vector_add")
    # c = a + b with c overlapping neither; a and b are two views of one array.
    result = np.zeros(4, np.float32)
    launch(module, None, (1, 1, 1), [values[:4], 4, 1, values[2:6], 4, 1, result, 4, 1])
    assert result.tolist() == [2, 4, 6, 8]
    launch(module, None, (1, 1, 1), [values, 8, 1, values, 8, 1, values, 8, 1])
    assert values.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_every_block_runs_once_whatever_the_order() -> None:
    module, grid = tools.parse(COORDINATES), (2, 3, 4)
    for order in (None, list(range(24))[::-1]):
        values = np.zeros(24, np.int32)
        launch(module, "coordinates", grid, [values], order=order)
        assert values.tolist() == list(range(24))


def test_numbers_take_the_type_of_the_parameter() -> None:
    values = np.ones(4, np.float32)
    for count in (2, np.int64(2), np.uint8(2)):
        launch(scale("f32"), "scale", (1, 1, 1), [values, count])
    assert values.tolist() == [8, 8, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [np.zeros(4, np.float32)],
            "kernel 'scale' takes 2 arguments (array of f32, i32), but got 1",
        ),
        (
            [np.zeros(4, np.float64), 4],
            "argument 0 of kernel 'scale' must be an array of f32, but got an array of float64",
        ),
        (
            [1.5, 4],
            "argument 0 of kernel 'scale' must be an array of f32, but got 1.5 of type float",
        ),
        (
            [np.zeros(4, np.float32), np.zeros(4, np.int32)],
            "argument 1 of kernel 'scale' must be a number of type i32, but got an array of int32",
        ),
        (
            [np.zeros(4, np.float32), 4.0],
            "argument 1 of kernel 'scale' must be a number of type i32, but got 4.0 of type float",
        ),
        (
            [np.zeros(4, np.float32), 1 << 32],
            "argument 1 of kernel 'scale' must be a number of type i32, "
            "but 4294967296 is out of its range",
        ),
    ],
)
def test_wrong_arguments(arguments: list[object], message: str) -> None:
    with pytest.raises(InterpreterError) as error:
        launch(scale("f32"), "scale", (1, 1, 1), arguments)  # pyright: ignore[reportArgumentType]
    assert str(error.value) == message


def test_wrong_kernel_grid_or_order() -> None:
    module = tools.parse(COORDINATES)
    values = np.zeros(1, np.int32)
    for kernel, message in (
        ("missing", "kernel 'missing' not found: the module has coordinates, nothing"),
        (
            None,
            "expected a module of one kernel, or the name of a kernel: the module has coordinates, nothing",
        ),
    ):
        with pytest.raises(InterpreterError, match=message):
            launch(module, kernel, (1, 1, 1), [values])
    with pytest.raises(InterpreterError, match="the module has no kernels"):
        launch(tools.parse("cuda_tile.module @empty {\n}"), "k", (1, 1, 1), [])
    for grid in ((0, 1, 1), (1, 1, 2**24), (1, 1)):
        with pytest.raises(InterpreterError, match="three sizes from 1 to 16777215, but got"):
            launch(module, "nothing", grid, [])  # pyright: ignore[reportArgumentType]
    for order in ([0, 0], [0], [0, 2]):
        with pytest.raises(InterpreterError, match="a permutation of the 2 tile blocks"):
            launch(module, "nothing", (2, 1, 1), [], order=order)


def test_out_of_bounds_names_op_block_and_element() -> None:
    values = np.zeros(6, np.float32)
    with pytest.raises(InterpreterError) as error:
        launch(scale("f32"), "scale", (2, 1, 1), [values, 8])
    assert str(error.value) == (
        "'cuda_tile.load_view_tko' in tile block (1, 0, 0): element [2] reads 4 bytes at byte 24 "
        "of argument 0, which has 24 bytes"
    )
    with pytest.raises(InterpreterError) as error:
        launch(tools.parse(COORDINATES), "coordinates", (5, 1, 1), [np.zeros(4, np.int32)])
    assert str(error.value) == (
        "'cuda_tile.load_ptr_tko' in tile block (4, 0, 0): element [] reads 4 bytes at byte 16 "
        "of argument 0, which has 16 bytes"
    )


def test_read_only_arrays_cannot_be_stored_to() -> None:
    values = np.ones(4, np.float32)
    values.flags.writeable = False
    with pytest.raises(InterpreterError, match=r"'cuda_tile.store_view_tko'.*read-only"):
        launch(scale("f32"), "scale", (1, 1, 1), [values, 4])
    assert values.tolist() == [1] * 4


def test_errors_carry_no_notes() -> None:
    with pytest.raises(InterpreterError) as error:
        launch(scale("f32"), "scale", (1, 1, 1), [np.zeros(1, np.float32), 4])
    assert not getattr(error.value, "__notes__", [])
    assert "\n" not in str(error.value)
