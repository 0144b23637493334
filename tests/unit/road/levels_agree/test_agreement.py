"""Small programs, one feature each: PTX computes what the `cuda_tile` interpreter computes."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

Array = NDArray[np.generic]


def run_both(
    body: str,
    parameters: str,
    arguments: Sequence[Array | int],
    grid: tuple[int, int, int] = (1, 1, 1),
    gpu: str = "sm_90a",
) -> tuple[list[Array], list[Array]]:
    """The array arguments after a run at the first and at the last level."""
    text = f"cuda_tile.module @m {{ entry @k({parameters}) {{ {body} return }} }}"
    first = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    last = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    module = tools.parse(text)
    interpreters.launch(module, "k", grid, first)
    ptx = emit(tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}"))
    emulator.load(ptx).launch("k", grid, last)
    return (
        [a for a in first if isinstance(a, np.ndarray)],
        [a for a in last if isinstance(a, np.ndarray)],
    )


def assert_same(
    body: str,
    parameters: str,
    arguments: Sequence[Array | int],
    grid: tuple[int, int, int] = (1, 1, 1),
) -> list[Array]:
    """Checks that both levels leave the same bytes; returns them."""
    first, last = run_both(body, parameters, arguments, grid)
    for wanted, got in zip(first, last, strict=True):
        np.testing.assert_array_equal(got.view(np.uint8), wanted.view(np.uint8))
    return first


@pytest.mark.one_in(8)
@pytest.mark.parametrize("size", [0, 1, 5, 63, 64])
@pytest.mark.parametrize(
    ("padding", "element", "dtype", "value"),
    [
        ("zero", "f32", np.float32, 0.0),
        ("neg_zero", "f32", np.float32, -0.0),
        ("nan", "f16", np.float16, np.nan),
        ("pos_inf", "f64", np.float64, np.inf),
        ("neg_inf", "f32", np.float32, -np.inf),
        ("zero", "i32", np.int32, 0),
        ("zero", "i8", np.int8, 0),
        ("zero", "i64", np.int64, 0),
    ],
)
def test_padding(size: int, padding: str, element: str, dtype: type, value: float):
    view = f"padding_value = {padding}, tensor_view<?x{element}, strides=[1]>"
    output = f"tensor_view<64x{element}, strides=[1]>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?x{element}, strides=[1]>
    %b = make_tensor_view %q, shape = [64], strides = [1] : {output}
    %va = make_partition_view %a : partition_view<tile=(64), {view}>
    %vb = make_partition_view %b : partition_view<tile=(64), {output}>
    %x, %t = load_view_tko weak %va[%zero] : partition_view<tile=(64), {view}>, tile<i32> -> tile<64x{element}>, token
    %u = store_view_tko weak %x, %vb[%zero] : tile<64x{element}>, partition_view<tile=(64), {output}>, tile<i32> -> token
    """
    parameters = f"%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %n: tile<i32>"
    data = np.arange(64).astype(dtype)
    result = assert_same(body, parameters, [data, np.ones(64, dtype), size])[1]
    np.testing.assert_array_equal(result[:size], data[:size])
    np.testing.assert_array_equal(result[size:], np.full(64 - size, value, dtype))


@pytest.mark.parametrize(
    ("type_", "coordinate"),
    [
        ("i32", 0),
        ("i32", 1),
        ("i32", 6),
        ("i32", 7),
        ("i32", -1),
        ("i32", 2**31 - 1),
        ("i32", -(2**31)),
        ("i64", 1),
        ("i64", -1),
        ("i64", 2**58),
        ("i64", 2**63 - 1),
        ("i16", 3),
        ("i16", -3),
    ],
)
def test_no_coordinate_reaches_outside(type_: str, coordinate: int):
    view = "padding_value = neg_inf, tensor_view<100xf32, strides=[1]>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %p, shape = [100], strides = [1] : tensor_view<100xf32, strides=[1]>
    %b = make_tensor_view %q, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %va = make_partition_view %a : partition_view<tile=(16), {view}>
    %vb = make_partition_view %b : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
    %x, %t = load_view_tko weak %va[%i] : partition_view<tile=(16), {view}>, tile<{type_}> -> tile<16xf32>, token
    %u = store_view_tko weak %x, %vb[%zero] : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> token
    %w = store_view_tko weak %x, %va[%i] token = %u : tile<16xf32>, partition_view<tile=(16), {view}>, tile<{type_}> -> token
    """
    parameters = f"%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %i: tile<{type_}>"
    data = np.arange(100, dtype=np.float32)
    result = assert_same(body, parameters, [data, np.zeros(16, np.float32), coordinate])[1]
    inside = [
        data[i] if 0 <= i < 100 else -np.inf for i in range(coordinate * 16, coordinate * 16 + 16)
    ]
    np.testing.assert_array_equal(result, np.array(inside, np.float32))


@pytest.mark.parametrize("dim_map", ["[0, 1]", "[1, 0]"])
@pytest.mark.parametrize(("rows", "columns", "stride"), [(37, 50, 64), (32, 32, 32), (1, 3, 5)])
def test_two_dimensions(dim_map: str, rows: int, columns: int, stride: int):
    mapping = "" if dim_map == "[0, 1]" else f", dim_map={dim_map}"
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    view = f"partition_view<tile=(8x16), padding_value = zero, {tensor}{mapping}>"
    body = f"""
    %i, %j, %k = get_tile_block_id : tile<i32>
    %a = make_tensor_view %p, shape = [%m, %n], strides = [%s] : tile<i32> -> {tensor}
    %b = make_tensor_view %q, shape = [%m, %n], strides = [%s] : tile<i32> -> {tensor}
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {view}
    %x, %t = load_view_tko weak %va[%i, %j] : {view}, tile<i32> -> tile<8x16xf32>, token
    %y = addf %x, %x : tile<8x16xf32>
    %u = store_view_tko weak %y, %vb[%i, %j] : tile<8x16xf32>, {view}, tile<i32> -> token
    """.replace("strides = [%s]", "strides = [%s, 1]")
    parameters = (
        "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>"
    )
    data = np.arange(rows * stride, dtype=np.float32)
    zeros = np.zeros_like(data)
    result = assert_same(body, parameters, [data, zeros, rows, columns, stride], (7, 7, 1))[
        1
    ].reshape(rows, stride)
    wanted = np.zeros((rows, stride), np.float32)
    wanted[:, :columns] = 2 * data.reshape(rows, stride)[:, :columns]
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize(
    "modifiers",
    [
        "",
        "rounding<zero>",
        "rounding<positive_inf>",
        "flush_to_zero",
        "rounding<negative_inf> flush_to_zero",
    ],
)
def test_addf_rounds_as_told(modifiers: str):
    tensor = "tensor_view<256xf32, strides=[1]>"
    view = f"partition_view<tile=(256), {tensor}>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %p, shape = [256], strides = [1] : {tensor}
    %b = make_tensor_view %q, shape = [256], strides = [1] : {tensor}
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {view}
    %x, %t = load_view_tko weak %va[%zero] : {view}, tile<i32> -> tile<256xf32>, token
    %y, %u = load_view_tko weak %vb[%zero] : {view}, tile<i32> -> tile<256xf32>, token
    %z = addf %x, %y {modifiers} : tile<256xf32>
    %w = store_view_tko weak %z, %vb[%zero] token = %u : tile<256xf32>, {view}, tile<i32> -> token
    """
    rng = np.random.default_rng(7)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1e-45, -1e-40, 3.4e38, 1.0], np.float32)
    lhs, rhs = (
        rng.permutation(np.concatenate([special, rng.standard_normal(248).astype(np.float32)]))
        for _ in range(2)
    )
    parameters = "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>"
    assert_same(body, parameters, [lhs, rhs])


def test_integers_wrap_and_compare():
    tensor = "tensor_view<128xi32, strides=[1]>"
    view = f"partition_view<tile=(128), {tensor}>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %ptrs = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %many = broadcast %ptrs : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %index = iota : tile<128xi32>
    %where = offset %many, %index : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %a = make_tensor_view %p, shape = [128], strides = [1] : {tensor}
    %va = make_partition_view %a : {view}
    %x, %t = load_view_tko weak %va[%zero] : {view}, tile<i32> -> tile<128xi32>, token
    %s = addi %x, %x : tile<128xi32>
    %m = muli %s, %x : tile<128xi32>
    %signed = cmpi less_than %m, %x, signed : tile<128xi32> -> tile<128xi1>
    %u = store_ptr_tko weak %where, %m, %signed token=%t : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> token
    """
    data = np.random.default_rng(3).integers(-(2**31), 2**31, 128, dtype=np.int32)
    assert_same(body, "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>", [data, np.full(128, 9, np.int32)])


def test_a_scalar_is_stored_once_and_read_back_in_order():
    body = """
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %y = addi %x, %x : tile<i32>
    %u = store_ptr_tko weak %p, %y token=%t : tile<ptr<i32>>, tile<i32> -> token
    %z, %v = load_ptr_tko weak %p token=%u : tile<ptr<i32>> -> tile<i32>, token
    %s = addi %z, %y : tile<i32>
    %w = store_ptr_tko weak %p, %s token=%v : tile<ptr<i32>>, tile<i32> -> token
    """
    (result,) = assert_same(body, "%p: tile<ptr<i32>>", [np.array([5], np.int32)])
    assert result.tolist() == [20]


def test_booleans_in_memory():
    view = "partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %b = make_tensor_view %q, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {view}
    %x, %t = load_view_tko weak %va[%zero] : {view}, tile<i32> -> tile<64xi1>, token
    %u = store_view_tko weak %x, %vb[%zero] : tile<64xi1>, {view}, tile<i32> -> token
    """
    data = np.random.default_rng(3).integers(0, 2, 64).astype(np.bool_)
    zeros = np.zeros(64, np.bool_)
    result = assert_same(body, "%p: tile<ptr<i1>>, %q: tile<ptr<i1>>", [data, zeros])[1]
    np.testing.assert_array_equal(result, data)


def test_grid_coordinates():
    body = """
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %row = muli %z, %ny : tile<i32>
    %sum = addi %row, %y : tile<i32>
    %line = muli %sum, %nx : tile<i32>
    %index = addi %line, %x : tile<i32>
    %q = offset %p, %index : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %q, %index : tile<ptr<i32>>, tile<i32> -> token
    """
    (result,) = assert_same(body, "%p: tile<ptr<i32>>", [np.zeros(30, np.int32)], (2, 3, 5))
    assert result.tolist() == list(range(30))


def test_broadcast_of_a_loaded_row():
    row = "padding_value = zero, tensor_view<1x64xf32, strides=[64,1]>"
    full = "tensor_view<8x64xf32, strides=[64,1]>"
    body = f"""
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %p, shape = [1, 64], strides = [64, 1] : tensor_view<1x64xf32, strides=[64,1]>
    %b = make_tensor_view %q, shape = [8, 64], strides = [64, 1] : {full}
    %va = make_partition_view %a : partition_view<tile=(1x64), {row}>
    %vb = make_partition_view %b : partition_view<tile=(8x64), {full}>
    %x, %t = load_view_tko weak %va[%zero, %zero] : partition_view<tile=(1x64), {row}>, tile<i32> -> tile<1x64xf32>, token
    %many = broadcast %x : tile<1x64xf32> -> tile<8x64xf32>
    %y, %v = load_view_tko weak %vb[%zero, %zero] : partition_view<tile=(8x64), {full}>, tile<i32> -> tile<8x64xf32>, token
    %s = addf %many, %y : tile<8x64xf32>
    %u = store_view_tko weak %s, %vb[%zero, %zero] token = %v : tile<8x64xf32>, partition_view<tile=(8x64), {full}>, tile<i32> -> token
    """
    data = np.arange(64, dtype=np.float32)
    other = np.arange(512, dtype=np.float32)
    result = assert_same(body, "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>", [data, other])[1]
    np.testing.assert_array_equal(result.reshape(8, 64), data + other.reshape(8, 64))
