"""Strict mode: each way to leave the defined behaviour is named, and its neighbour is not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import InterpreterError, UndefinedFault, launch
from tileir_xdsl.interpreters.cuda_tile.undefined_behaviour import UNDEFINED_BEHAVIOUR
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments

SIGNED, UNSIGNED, BOTH = (
    f"overflow<{flag}>" for flag in ("no_signed_wrap", "no_unsigned_wrap", "no_wrap")
)


def run(operation: str, type_: str, *operands: Any) -> None:
    """Run one operation on constants `%a, %b` of a tile type, strictly."""
    constants = "".join(
        f"%{name} = constant <{type_.split('x')[-1]}: {value}> : tile<{type_}>\n"
        for name, value in zip("ab", operands, strict=False)
    )
    text = f"cuda_tile.module @m {{ entry @k() {{\n{constants}{operation}\nreturn }} }}"
    launch(tools.parse(text), "k", (1, 1, 1), [], strict=True)


CASES: list[tuple[str, str, tuple[Any, ...], tuple[Any, ...], str]] = [
    # operation, type, operands that are defined, operands that are not, message
    (f"%r = addi %a, %b {SIGNED} : tile<i8>", "i8", (100, 27), (100, 28), "wraps around as signed"),
    (f"%r = addi %a, %b {UNSIGNED} : tile<i8>", "i8", (200, 55), (200, 56), "wraps around as unsi"),
    (f"%r = addi %a, %b {BOTH} : tile<i64>", "i64", (2**62, 1), (2**63 - 1, 1), "wraps around"),
    (f"%r = subi %a, %b {UNSIGNED} : tile<i32>", "i32", (3, 3), (3, 4), "wraps around as unsigned"),
    (f"%r = subi %a, %b {SIGNED} : tile<i32>", "i32", (3, 4), (-(2**31), 1), "wraps around as sig"),
    (f"%r = muli %a, %b {SIGNED} : tile<i16>", "i16", (181, 181), (182, 182), "wraps around as s"),
    (f"%r = muli %a, %b {BOTH} : tile<i16>", "i16", (181, 181), (256, 256), "wraps around as si"),
    (f"%r = shli %a, %b {SIGNED} : tile<i8>", "i8", (-1, 7), (1, 7), "wraps around as signed"),
    (f"%r = shli %a, %b {UNSIGNED} : tile<i8>", "i8", (1, 7), (2, 7), "wraps around as unsigned"),
    ("%r = shli %a, %b : tile<i8>", "i8", (127, 7), (1, 8), "is shifted by 8 bits or more"),
    ("%r = shri %a, %b signed : tile<i32>", "i32", (1, 31), (1, -1), "is shifted by 32 bits or"),
    (f"%r = negi %a {SIGNED} : tile<i8>", "i8", (-127,), (-128,), "wraps around as signed"),
    (f"%r = negi %a {BOTH} : tile<i8>", "i8", (-127,), (-128,), "wraps around as signed"),
    (
        f"%r = trunci %a {SIGNED} : tile<i16> -> tile<i8>",
        "i16", (-128,), (128,), "loses signed bits as i8",
    ),
    (
        f"%r = trunci %a {UNSIGNED} : tile<i16> -> tile<i8>",
        "i16", (255,), (-1,), "loses unsigned bits as i8",
    ),
    ("%r = divi %a, %b signed : tile<i32>", "i32", (-7, 2), (7, 0), "is divided by zero"),
    ("%r = divi %a, %b signed : tile<i8>", "i8", (-128, 1), (-128, -1), "is -128 divided by -1"),
    ("%r = divi %a, %b unsigned : tile<i8>", "i8", (-128, -1), (1, 0), "is divided by zero"),
    ("%r = remi %a, %b signed : tile<i8>", "i8", (-128, -1), (1, 0), "is divided by zero"),
    (
        "%r = ftoi %a signed : tile<f32> -> tile<i32>",
        "f32", ("0x7FC00000",), ("0x7F800000",), "is infinite",
    ),
    (
        "%r = assume bounded<0, 5>, %a : tile<i32>",
        "i32", (5,), (6,), "is greater than the assumed bound 5",
    ),
    (
        "%r = assume bounded<0, ?>, %a : tile<i32>",
        "i32", (0,), (-1,), "is less than the assumed bound 0",
    ),
    (
        "%r = assume div_by<16>, %a : tile<i32>",
        "i32", (-32,), (8,), "is not divisible by 16, as assumed",
    ),
    (
        "%r = assume div_by<4, every 4 along 0>, %a : tile<8xi32>",
        "8xi32",
        ("[4, 5, 6, 7, 12, 13, 14, 15]",),
        ("[4, 5, 6, 7, 12, 13, 15, 15]",),
        "element [6] is not part of an ascending group that starts at a multiple of 4",
    ),
    (
        "%r = assume same_elements<[1, 2]>, %a : tile<2x4xi32>",
        "2x4xi32",
        ("[[1, 1, 2, 2], [3, 3, 3, 3]]",),
        ("[[1, 1, 2, 2], [3, 3, 3, 4]]",),
        "element [1, 3] differs from the first of its group",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "type_", "defined", "undefined", "message"), CASES, ids=lambda v: str(v)[:24]
)
def test_strict_mode(
    operation: str, type_: str, defined: tuple[Any, ...], undefined: tuple[Any, ...], message: str
) -> None:
    run(operation, type_, *defined)
    with pytest.raises(InterpreterError) as raised:
        run(operation, type_, *undefined)
    text = str(raised.value)
    assert "' in tile block (0, 0, 0): undefined behaviour: " in text
    assert message in text
    assert "\n" not in text


ADDRESSES = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i64>) {
    %q = offset %p, %n : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %r = assume div_by<16>, %q : tile<ptr<f32>>
    %view = make_tensor_view %p, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
    %same = assume div_by<16>, %view : tensor_view<?xf32, strides=[1]>
    %size = get_tensor_shape %view : tensor_view<?xf32, strides=[1]> -> tile<i16>
    %tiles = make_partition_view %view : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %count = get_index_space_shape %tiles : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>> -> tile<i8>
    return
  }
}
"""


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (4, None),
        (5, "is not divisible by 16, as assumed"),
        (2**61, "overflows in bytes"),
        (-(2**60), "leaves the address space"),
        (2**16, "dimension 0 has 65536 elements, too many for i16"),
        (4 * 255 + 4, "dimension 0 has 256 elements, too many for i8"),
    ],
)
def test_addresses_and_sizes(count: int, message: str | None) -> None:
    module = tools.parse(ADDRESSES)
    if message is None:
        launch(module, "k", (1, 1, 1), [np.zeros(4, np.float32), count], strict=True)
        return
    with pytest.raises(InterpreterError, match=re.escape(message)):
        launch(module, "k", (1, 1, 1), [np.zeros(4, np.float32), count], strict=True)


KIND = "attributes {reduction = #cuda_tile.multimem_reduction_kind<add>}"

ACCESSES = {
    "atomic_red_view_tko": "%a = atomic_red_view_tko relaxed device %view[%n], add, %x"
    " : TILE, VIEW, tile<i32> -> token",
    "load_view_tko": "%y, %b = load_view_tko weak %view[%n] : VIEW, tile<i32> -> TILE, token",
    "multimem_load_reduce_view_tko": "%y, %b = multimem_load_reduce_view_tko weak %view[%n]"
    f" {KIND} : VIEW, tile<i32> -> TILE, token",
    "multimem_reduce_view_tko": "%a = multimem_reduce_view_tko relaxed device %view, %x[%n]"
    f" {KIND} : VIEW, TILE, tile<i32> -> token",
    "multimem_store_view_tko": "%a = multimem_store_view_tko weak %view, %x[%n]"
    " : VIEW, TILE, tile<i32> -> token",
    "store_view_tko": "%a = store_view_tko weak %x, %view[%n] : TILE, VIEW, tile<i32> -> token",
}


@pytest.mark.parametrize("op", ACCESSES)
@pytest.mark.parametrize("index", [2, 3, -1])
def test_tiles_outside_of_a_view(op: str, index: int) -> None:
    """The last tile is inside in part; an index is unsigned."""
    multicast = ", #cuda_tile.ptr_attr<multicast>" if "multimem" in op else ""
    pointer = "ptr<i32, <multicast>>" if multicast else "ptr<i32>"
    tensor = f"tensor_view<10xi32, strides=[1]{multicast}>"
    access = ACCESSES[op].replace("VIEW", f"partition_view<tile=(4), {tensor}>")
    module = tools.parse(
        f"""cuda_tile.module @m {{ entry @k(%p: tile<{pointer}>, %n: tile<i32>) {{
        %x = constant <i32: 1> : tile<4xi32>
        %tensor = make_tensor_view %p, shape = [10], strides = [1] : tile<{pointer}> -> {tensor}
        %view = make_partition_view %tensor : partition_view<tile=(4), {tensor}>
        {access.replace("TILE", "tile<4xi32>")}
        return }} }}"""
    )
    arguments = [np.zeros(10, np.int32), index]
    if index == 2:
        launch(module, "k", (1, 1, 1), arguments, strict=True)
        return
    with pytest.raises(
        UndefinedFault, match=r"tile \[\d+\] is outside of the index space of \[3\]"
    ):
        launch(module, "k", (1, 1, 1), arguments, strict=True)


GROUPS = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<TYPE>>) {
    %zero = constant <i32: 0> : tile<i32>
    %lanes = iota : tile<8xi32>
    %every = constant <i32: STEP> : tile<8xi32>
    %steps = muli %lanes, %every : tile<8xi32>
    %one = reshape %p : tile<ptr<TYPE>> -> tile<1xptr<TYPE>>
    %all = broadcast %one : tile<1xptr<TYPE>> -> tile<8xptr<TYPE>>
    %q = offset %all, %steps : tile<8xptr<TYPE>>, tile<8xi32> -> tile<8xptr<TYPE>>
    %r = assume div_by<16, every 4 along 0>, %q : tile<8xptr<TYPE>>
    return
  }
}
"""


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_pointers_ascend_by_elements(type_: str, step: int) -> None:
    """Groups of four neighbours in memory start at a multiple of 16 bytes."""
    module = tools.parse(GROUPS.replace("TYPE", type_).replace("STEP", str(step)))
    memory = np.zeros(32, np.dtype(f"f{int(type_[1:]) // 8}"))
    if step == 1:
        launch(module, "k", (1, 1, 1), [memory], strict=True)
        return
    with pytest.raises(InterpreterError, match=r"element \[1\] is not part of an ascending group"):
        launch(module, "k", (1, 1, 1), [memory], strict=True)


def test_undefined_behaviour_is_no_error_by_default() -> None:
    text = "%zero = constant <i32: 0> : tile<i32>\n%r = divi %zero, %zero signed : tile<i32>"
    module = tools.parse(f"cuda_tile.module @m {{ entry @k() {{\n{text}\nreturn }} }}")
    launch(module, "k", (1, 1, 1), [])


def test_every_check_has_a_case() -> None:
    tried = {operation.split()[2] for operation, *_ in CASES}
    tried |= {"offset", "get_tensor_shape", "get_index_space_shape", *ACCESSES}
    assert {op.name.removeprefix("cuda_tile.") for op in UNDEFINED_BEHAVIOUR} == tried


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_stay_inside_the_defined(name: str) -> None:
    case = KERNELS[name]
    arguments = case.make_arguments(case.typical)
    grid = case.grid(case.typical)
    launch(module_of(name), name, grid, launch_arguments(arguments), strict=True)
