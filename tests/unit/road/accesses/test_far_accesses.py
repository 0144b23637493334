"""Pointers moved far away, and loops that load far tiles ahead: every level and target."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from tests.unit.road.accesses.far_tiles import MODES, compiled_at, nonzero
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.levels import LLVM
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
COUNT = 128
MIDDLE = 9 << 30
"""Elements in front of the one that the pointers of the kernels point to."""

STARTS = [
    sign * (1 << power) + rest
    for power in (28, 29, 31, 32, 33)
    for sign in (1, -1)
    for rest in (-COUNT, 0, 64)
]


def pointers(element: str, index: str, start: int, step: int, *, is_constant: bool) -> str:
    """Copies %far[start + step * i] to %near[i], and %source[i] to %target[start + step * i]."""
    tile, row = f"tile<{COUNT}x{index}>", f"{COUNT}xptr<{element}>"
    first = (
        f"%first = constant <{index}: {start}> : {tile}"
        if is_constant
        else f"""%one = reshape %start : tile<{index}> -> tile<1x{index}>
        %first = broadcast %one : tile<1x{index}> -> {tile}"""
    )

    def moved(name: str, offsets: str) -> str:
        return f"""
        %{name}_1 = reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
        %{name}_n = broadcast %{name}_1 : tile<1xptr<{element}>> -> tile<{row}>
        %{name}_p = offset %{name}_n, {offsets} : tile<{row}>, {tile} -> tile<{row}>"""

    parameters = ", ".join(
        f"%{name}: tile<ptr<{element}>>"
        for name in ("far", "near", "source", "target", "all", "to")
    )
    return f"""cuda_tile.module @m {{ entry @k({parameters}, %start: tile<{index}>) {{
        %i = iota : {tile}
        %step = constant <{index}: {step}> : {tile}
        %scaled = muli %i, %step : {tile}
        {first}
        %offsets = addi %scaled, %first : {tile}
        {moved("far", "%offsets")} {moved("near", "%i")}
        {moved("source", "%i")} {moved("target", "%offsets")}
        %x, %xt = load_ptr_tko weak %far_p : tile<{row}> -> tile<{COUNT}x{element}>, token
        %xs = store_ptr_tko weak %near_p, %x : tile<{row}>, tile<{COUNT}x{element}> -> token
        %y, %yt = load_ptr_tko weak %source_p : tile<{row}> -> tile<{COUNT}x{element}>, token
        %ys = store_ptr_tko weak %target_p, %y : tile<{row}>, tile<{COUNT}x{element}> -> token
        return
    }} }}"""


def check_pointers(element: str, index: str, start: int, step: int, gpu: str) -> None:
    bits, width = int(element[1:]), int(index[1:])
    dtype = np.dtype(f"u{bits // 8}")
    places = [MIDDLE + start + step * i for i in range(COUNT)]
    for is_constant in (True, False):
        text = pointers(element, index, start, step, is_constant=is_constant)

        def arrays() -> list[NDArray[Any]]:
            far, target = (emulator.sparse_array((2 * MIDDLE,), dtype) for _ in range(2))
            far[places] = np.arange(1, COUNT + 1)
            near, source = np.zeros(COUNT, dtype), np.arange(COUNT, 0, -1).astype(dtype)
            return [far[MIDDLE:], near, source, target[MIDDLE:], far, target]

        def check(found: list[NDArray[Any]], what: str) -> None:
            np.testing.assert_array_equal(found[1], np.arange(1, COUNT + 1), err_msg=what)
            stored = {place: COUNT - i for i, place in enumerate(places)}
            assert nonzero(found[5]) == stored, what

        number = np.array(start, f"i{width // 8}")[()]
        module = None
        for level, module in compiled_at(text, gpu):
            if level != LLVM.name:
                found = arrays()
                interpreters.launch(module, "k", (1, 1, 1), [*found, number])
                check(found, f"{level}\n{text}")
        assert module is not None
        ptx, found = emit(module, gpu), arrays()
        emulator.load(ptx).launch("k", (1, 1, 1), [*found, number], races=True)
        check(found, f"{text}\n{ptx}")


@pytest.mark.one_in(15)
@pytest.mark.parametrize("start", STARTS)
def test_pointers_are_moved_by_64_bits(start: int):
    for element in ("i8", "f64"):
        check_pointers(element, "i64", start, 1, "sm_90a")
    check_pointers("i16", "i64", start, 4, "sm_80")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("start", [(1 << 31) - COUNT, 1 << 30, -(1 << 31), -(1 << 29)])
@pytest.mark.parametrize("gpu", GPUS)
def test_pointers_are_moved_by_32_bits(start: int, gpu: str):
    """In bytes these are up to 2**34."""
    for element in ("i8", "f32", "i64"):
        check_pointers(element, "i32", start, 1, gpu)


ROWS, COLUMNS, STEPS = 64, 32, 4
"""Of a tile of A, and the tiles that the loop goes through."""


def product(stride: int, row: int, *, is_static: bool, halo: bool) -> str:
    """Sums A[row, k] times B[k] over tiles; with a halo it is A[row, k - 1]."""
    known = str(stride) if is_static else "?"
    a = f"tensor_view<?x?xf16, strides=[{known},1]>"
    va = f"partition_view<tile=({ROWS}x{COLUMNS}), padding_value = zero, {a}>"
    b = f"tensor_view<{COLUMNS * STEPS}x64xf16, strides=[64,1]>"
    vb = f"partition_view<tile=({COLUMNS}x64), padding_value = zero, {b}>"
    c = f"tensor_view<{ROWS}x64xf32, strides=[64,1]>"
    vc = f"partition_view<tile=({ROWS}x64), {c}>"
    strides = "[%known, 1]" if not is_static else f"[{stride}, 1]"
    tiles = [f"tile<{ROWS}x{COLUMNS}xf16>", f"tile<{COLUMNS}x64xf16>", f"tile<{ROWS}x64xf32>"]
    return f"""cuda_tile.module @m {{
    entry @k(%ap: tile<ptr<f16>>, %bp: tile<ptr<f16>>, %cp: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>) {{
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %steps = constant <i32: {STEPS}> : tile<i32>
        %row = constant <i32: {row}> : tile<i32>
        %m0 = assume bounded<0, ?>, %m : tile<i32>
        %n0 = assume bounded<0, ?>, %n : tile<i32>
        %known = assume div_by<16>, %s : tile<i32>
        %a16 = assume div_by<16>, %ap : tile<ptr<f16>>
        %b16 = assume div_by<16>, %bp : tile<ptr<f16>>
        %at = make_tensor_view %a16, shape = [%m0, %n0], strides = {strides} : tile<i32> -> {a}
        %bt = make_tensor_view %b16, shape = [{COLUMNS * STEPS}, 64], strides = [64, 1] : {b}
        %ct = make_tensor_view %cp, shape = [{ROWS}, 64], strides = [64, 1] : {c}
        %av = make_partition_view %at : {va}
        %bv = make_partition_view %bt : {vb}
        %cv = make_partition_view %ct : {vc}
        %none = constant <f32: 0.0> : {tiles[2]}
        %sum = for %k in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %none) -> ({tiles[2]}) {{
            %before = subi %k, %one : tile<i32>
            %x, %xt = load_view_tko weak %av[%row, {"%before" if halo else "%k"}] : {va}, tile<i32> -> {tiles[0]}, token
            %y, %yt = load_view_tko weak %bv[%k, %zero] : {vb}, tile<i32> -> {tiles[1]}, token
            %next = mmaf %x, %y, %acc : {tiles[0]}, {tiles[1]}, {tiles[2]}
            continue %next : {tiles[2]}
        }}
        %cs = store_view_tko weak %sum, %cv[%zero, %zero] : {tiles[2]}, {vc}, tile<i32> -> token
        return
    }} }}"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("gpu", "is_static", "halo"), tuple(itertools.product(GPUS, (False, True), (False, True)))
)
def test_loops_load_far_tiles_ahead(gpu: str, is_static: bool, halo: bool):
    """Rows of A are 32 MiB apart, so that a tile spans 2 GiB, from 2 GiB on; it ends early."""
    stride, row, last = (1 << 24) + 16, 1, 2 * ROWS - 3
    text = product(stride, row, is_static=is_static, halo=halo)
    columns = COLUMNS * STEPS
    values = np.random.default_rng(0)
    a = values.integers(-4, 5, (ROWS, columns)).astype(np.float16)
    b = values.integers(-4, 5, (columns, 64)).astype(np.float16)
    a[last - ROWS :] = 0
    read = a if not halo else np.c_[np.zeros((ROWS, COLUMNS)), a[:, : columns - COLUMNS]]
    wanted = read.astype(np.float32) @ b.astype(np.float32)

    def arguments() -> list[Any]:
        memory = emulator.sparse_array((stride * last,), np.float16)
        rows = as_strided(memory, (last, columns), (2 * stride, 2))
        rows[ROWS:] = a[: last - ROWS]
        found = np.zeros((ROWS, 64), np.float32)
        return [memory, b.copy(), found, *map(np.int32, (last, columns, stride))]

    module = None
    for level, module in compiled_at(text, gpu):
        if level != LLVM.name:
            given = arguments()
            interpreters.launch(module, "k", (1, 1, 1), given)
            np.testing.assert_array_equal(given[2], wanted, err_msg=level)
    assert module is not None
    ptx = emit(module, gpu)
    assert ("cp.async.cg" if gpu == "sm_80" else "cp.async.bulk.tensor") in ptx
    for mode in MODES:
        given = arguments()
        shared = dynamic_shared_memory(module, "k")
        launched = emulator.load(ptx)
        bound = with_tensor_maps(module, "k", given)
        launched.launch("k", (1, 1, 1), bound, dynamic_shared=shared, **mode)
        np.testing.assert_array_equal(given[2], wanted, err_msg=f"{mode}\n{ptx}")
