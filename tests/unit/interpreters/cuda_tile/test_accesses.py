"""Accesses of memory on drawn positions, masks and values, against one element after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tests.unit.interpreters import float_oracle, integer_oracle
from tests.unit.interpreters.cuda_tile.elementwise import SIZE, as_tile, draws, patterns, width_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import FLOAT_FORMATS, Array, RoundingMode
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Expected, assert_agrees

LENGTH = 12
"""Elements in memory: fewer than a tile has, so that positions repeat."""


def positions(low: int = 0, high: int = LENGTH - 1) -> st.SearchStrategy[list[int]]:
    """Where each element of a tile goes."""
    return st.lists(st.integers(low, high), min_size=SIZE, max_size=SIZE)


def tile(element: str) -> str:
    """The type of a tile of the tests."""
    return f"tile<{SIZE}x{element}>"


@cache
def parse(parameters: str, body: str) -> ModuleOp:
    """A kernel."""
    return tools.parse(f"cuda_tile.module @m {{ entry @k({parameters}) {{\n{body}\nreturn }} }}")


def load(name: str, pointer: str, element: str) -> str:
    """Operations that load a whole tile."""
    pointers = tile(f"ptr<{element}>")
    return f"""
      %{name}_one = reshape %{pointer} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
      %{name}_row = broadcast %{name}_one : tile<1xptr<{element}>> -> {pointers}
      %{name}_steps = iota : {tile("i32")}
      %{name}_all = offset %{name}_row, %{name}_steps : {pointers}, {tile("i32")} -> {pointers}
      %{name}, %{name}_token = load_ptr_tko weak %{name}_all : {pointers} -> {tile(element)}, token
    """


def pointers(element: str) -> str:
    """Operations that make `%q`, the drawn places behind `%p`."""
    type_ = tile(f"ptr<{element}>")
    return f"""
      %one = reshape %p : tile<ptr<{element}>> -> tile<1xptr<{element}>>
      %row = broadcast %one : tile<1xptr<{element}>> -> {type_}
      %q = offset %row, %where : {type_}, {tile("i32")} -> {type_}
    """


PARAMETERS = "%p: tile<ptr<ELEMENT>>, %w: tile<ptr<i32>>, %m: tile<ptr<i1>>, %v: tile<ptr<ELEMENT>>"


def run(element: str, body: str, memory: Array, where: Array, mask: Array, values: Array) -> None:
    """Run `body` with `%q`, `%where`, `%mask` and `%values` on the elements behind `%p`."""
    prepared = load("where", "w", "i32") + load("mask", "m", "i1") + load("values", "v", element)
    module = parse(PARAMETERS.replace("ELEMENT", element), prepared + pointers(element) + body)
    launch(module, "k", (1, 1, 1), [memory, where, mask, values])


@pytest.mark.parametrize("element", ["i1", "i16", "bf16", "f32", "i64"])
@draws(max_examples=4)
@given(data=st.data())
def test_loads_and_stores(element: str, data: st.DataObject) -> None:
    """A masked gather with padding, written back by a masked scatter: the last one wins."""
    memory = as_tile(element, data.draw(patterns(element)))[:LENGTH].copy()
    values = as_tile(element, data.draw(patterns(element)))
    # Where the mask is false a place may be anywhere.
    where = np.array(data.draw(positions(-(2**20), 2**20)), np.int32)
    inside = np.array(data.draw(positions()), np.int32)
    mask = as_tile("i1", data.draw(patterns("i1")))
    where = np.where(mask, inside, where)
    p, t = tile(f"ptr<{element}>"), tile(element)
    body = f"""
      %x, %t0 = load_ptr_tko weak %q, %mask, %values : {p}, {tile("i1")}, {t} -> {t}, token
      %t1 = store_ptr_tko weak %values_all, %x token=%t0 : {p}, {t} -> token
      %t2 = store_ptr_tko weak %q, %values, %mask token=%t0 : {p}, {t}, {tile("i1")} -> token
    """
    before, given_values = memory.copy(), values.copy()
    run(element, body, memory, where, mask, values)
    rows = list(zip(mask.tolist(), inside.tolist(), range(SIZE), strict=True))
    loaded = b"".join((before[at] if m else given_values[i]).tobytes() for m, at, i in rows)
    for m, at, i in rows:
        if m:
            before[at] = given_values[i]
    assert memory.tobytes() == before.tobytes()
    assert values.tobytes() == loaded


def _integer(mode: str, width: int, old: int, arg: int) -> int:
    def signed(pattern: int) -> int:
        return integer_oracle.read(pattern, width, True)

    functions: dict[str, Callable[[], int]] = {
        "add": lambda: old + arg,
        "and": lambda: old & arg,
        "or": lambda: old | arg,
        "xor": lambda: old ^ arg,
        "max": lambda: max(old, arg, key=signed),
        "min": lambda: min(old, arg, key=signed),
        "umax": lambda: max(old, arg),
        "umin": lambda: min(old, arg),
        "xchg": lambda: arg,
    }
    return functions[mode]() % (1 << width)


def _float(mode: str, element: str, old: float, arg: float) -> float:
    if mode == "xchg":
        return arg
    return float_oracle.add(FLOAT_FORMATS[element], RoundingMode.NEAREST_EVEN, old, arg)


INTEGER_MODES = ("add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg")
ATOMICS = [
    *((mode, element) for mode in INTEGER_MODES for element in ("i32", "i64")),
    *(("addf", element) for element in ("f16", "bf16", "f32", "f64")),
    *(("xchg", element) for element in ("f32", "f64")),
]


def _modified(mode: str, element: str, old: Array, arg: Array) -> Array:
    """What one read-modify-write leaves."""
    if element in FLOAT_FORMATS:
        result = _float(mode, element, float(old), float(arg))
        return (
            np.float64(result).astype(np.float32).astype(old.dtype)
            if old.itemsize < 4
            else np.float64(result).astype(old.dtype)
        )
    width = width_of(element)
    result = _integer(mode, width, int(old) % (1 << width), int(arg) % (1 << width))
    return as_tile(element, [result])[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("mode", "element"), ATOMICS)
@draws(max_examples=4)
@given(data=st.data())
def test_atomic_modes(mode: str, element: str, data: st.DataObject) -> None:
    """Places repeat: each element sees what those before it in the tile have left."""
    memory = as_tile(element, data.draw(patterns(element)))[:LENGTH].copy()
    values = as_tile(element, data.draw(patterns(element)))
    where = np.array(data.draw(positions()), np.int32)
    mask = as_tile("i1", data.draw(patterns("i1")))
    p, t = tile(f"ptr<{element}>"), tile(element)
    body = f"""
      %old, %t0 = atomic_rmw_tko relaxed device %q, {mode}, %values, %mask
        : {p}, {t}, {tile("i1")} -> {t}, token
      %t1 = store_ptr_tko weak %values_all, %old, %mask token=%t0 : {p}, {t}, {tile("i1")} -> token
    """
    before, returned = memory.copy(), values.copy()
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(mask):
            arg, at = values[i], where[i]
            returned[i] = before[at]
            before[at] = _modified(mode, element, before[at], arg)
        run(element, body, memory, where, mask, values)
    assert_agrees(memory, Expected(before))
    assert_agrees(values, Expected(returned))


@pytest.mark.parametrize("element", ["i32", "i64", "f32", "f64"])
@draws(max_examples=4)
@given(data=st.data())
def test_compare_and_swap(element: str, data: st.DataObject) -> None:
    """Compares bits: two zeros differ, a NaN equals itself."""
    few = as_tile(element, data.draw(patterns(element)))[:2]
    choices = (np.array(data.draw(positions(0, 1))) for _ in range(2))
    compared, memory = (few[choice] for choice in choices)
    memory = memory[:LENGTH].copy()
    values = compared.copy()
    where = np.array(data.draw(positions()), np.int32)
    mask = as_tile("i1", data.draw(patterns("i1")))
    p, t = tile(f"ptr<{element}>"), tile(element)
    zero = "0.0" if element in FLOAT_FORMATS else "0"
    body = f"""
      %new = constant <{element}: {zero}> : {t}
      %old, %t0 = atomic_cas_tko relaxed device %q, %values, %new, %mask
        : {p}, {t}, {tile("i1")} -> {t}, token
      %t1 = store_ptr_tko weak %values_all, %old token=%t0 : {p}, {t} -> token
    """
    before, returned = memory.copy(), values.copy()
    for i in np.flatnonzero(mask):
        returned[i] = before[where[i]]
        if before[where[i]].tobytes() == compared[i].tobytes():
            before[where[i]] = 0
    run(element, body, memory, where, mask, values)
    assert memory.tobytes() == before.tobytes()
    assert values.tobytes() == returned.tobytes()


ROWS, COLUMNS = 6, 7
TENSOR = f"tensor_view<{ROWS}x{COLUMNS}xf32, strides=[{COLUMNS},1]>"


def view_kernel(view: str, indices: str, types: str) -> ModuleOp:
    """Loads the 4x4 tile of a view at indices that are parameters, stores its negation back."""
    out = "tensor_view<4x4xf32, strides=[4,1]>"
    body = f"""
      {load("drawn", "w", "i32")}
      %zero = constant <i32: 0> : tile<i32>
      %four = extract %drawn[%zero] : {tile("i32")} -> tile<4xi32>
      %tensor = make_tensor_view %p, shape = [{ROWS}, {COLUMNS}], strides = [{COLUMNS}, 1] : {TENSOR}
      %view = make_{view.partition("<")[0]} %tensor : {view}
      %x, %t = load_view_tko weak %view[{indices}] : {view}, {types} -> tile<4x4xf32>, token
      %whole = make_tensor_view %v, shape = [4, 4], strides = [4, 1] : {out}
      %tiles = make_partition_view %whole : partition_view<tile=(4x4), {out}>
      %u = store_view_tko weak %x, %tiles[%zero, %zero] : tile<4x4xf32>, partition_view<tile=(4x4), {out}>, tile<i32> -> token
      %minus = negf %x : tile<4x4xf32>
      %w1 = store_view_tko weak %minus, %view[{indices}] token = %t : tile<4x4xf32>, {view}, {types} -> token
    """
    parameters = (
        "%p: tile<ptr<f32>>, %w: tile<ptr<i32>>, %v: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>"
    )
    return parse(parameters, body)


@pytest.mark.parametrize("kind", ["strided", "gathered", "permuted"])
@draws(max_examples=4)
@given(data=st.data())
def test_views(kind: str, data: st.DataObject) -> None:
    """Strided tiles may overlap, gathered rows may lie outside, dimensions may change places."""
    padding = f"padding_value = neg_inf, {TENSOR}"
    i, j = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))
    gathered = data.draw(st.permutations(range(-3, ROWS + 3)))[:4]
    kernel, rows, columns = {
        "strided": (
            view_kernel(f"strided_view<tile=(4x4), traversal_strides=[1,2], {padding}>", "%i, %j", "tile<i32>"),
            range(i, i + 4),
            range(2 * j, 2 * j + 4),
        ),
        "gathered": (
            view_kernel(f"gather_scatter_view<tile=(4x4), {padding}, sparse_dim=0>", "%four, %j", "tile<4xi32>, tile<i32>"),
            gathered,
            range(j, j + 4),
        ),
        "permuted": (
            view_kernel(f"partition_view<tile=(4x4), {padding}, dim_map=[1, 0]>", "%j, %i", "tile<i32>"),
            range(4 * i, 4 * i + 4),
            range(4 * j, 4 * j + 4),
        ),
    }[kind]  # fmt: skip
    memory = np.arange(1.0, ROWS * COLUMNS + 1, dtype=np.float32).reshape(ROWS, COLUMNS)
    before, loaded = memory.copy(), np.zeros((4, 4), np.float32)
    drawn = np.array([*gathered, *(0,) * (SIZE - 4)], np.int32)
    launch(kernel, "k", (1, 1, 1), [memory, drawn, loaded, i, j])
    wanted, after = np.full((4, 4), -np.inf, np.float32), before.copy()
    for a, row in enumerate(rows):
        for b, column in enumerate(columns):
            if 0 <= row < ROWS and column < COLUMNS:
                wanted[a, b] = before[row, column]
                after[row, column] = -before[row, column]
    if kind == "permuted":
        wanted = wanted.T
    assert (loaded == wanted).all()
    assert (memory == after).all()
