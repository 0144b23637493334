"""Atomic operations at the last level do what they do at the first: each element once."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from tests.unit.road.agreement import (
    DTYPES,
    ELEMENTS,
    Array,
    assert_equal,
    kernel,
    run_at_both_levels,
    shaped,
)

INTEGER_MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg")
MODES = [
    *((mode, element) for mode in INTEGER_MODES for element in ("i32", "i64")),
    *(("addf", element) for element in ("f16", "bf16", "f32", "f64")),
    *(("xchg", element) for element in ("f32", "f64")),
]
"""Every modification and element type that there is."""

SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("tl_blk", "device", "sys")


def numbers(element: str, count: int, seed: int) -> Array:
    """Random integers of all sizes, or small whole floats."""
    rng, dtype = np.random.default_rng(seed), DTYPES[element]
    if element.startswith("i"):
        return rng.integers(-(2**62), 2**62, count).astype(dtype)
    return rng.integers(-9, 9, count).astype(dtype)


def pointers(name: str, array: str, element: str, shape: Sequence[int], step: int = 1) -> str:
    """Pointers to the elements of an array in row-major order, `step` apart."""
    count, ones = math.prod(shape), [1] * len(shape)
    many, index = shaped(shape, f"ptr<{element}>"), shaped(shape, "i32")
    one = shaped(ones, f"ptr<{element}>")
    return f"""
    %{name}_line = iota : tile<{count}xi32>
    %{name}_places = reshape %{name}_line : tile<{count}xi32> -> {index}
    %{name}_step = constant <i32: {step}> : {index}
    %{name}_index = muli %{name}_places, %{name}_step : {index}
    %{name}_one = reshape {array} : tile<ptr<{element}>> -> {one}
    %{name}_many = broadcast %{name}_one : {one} -> {many}
    %{name} = offset %{name}_many, %{name}_index : {many}, {index} -> {many}
    """


def load(name: str, array: str, element: str, shape: Sequence[int]) -> str:
    """Loads a tile from an array."""
    tile, many = shaped(shape, element), shaped(shape, f"ptr<{element}>")
    return f"""{pointers(f"{name}_at", array, element, shape)}
    %{name}, %{name}_loaded = load_ptr_tko weak %{name}_at : {many} -> {tile}, token
    """


def store(name: str, array: str, element: str, shape: Sequence[int]) -> str:
    """Stores a tile to an array."""
    tile, many = shaped(shape, element), shaped(shape, f"ptr<{element}>")
    return f"""{pointers(f"{name}_to", array, element, shape)}
    %{name}_stored = store_ptr_tko weak %{name}_to, %{name} : {many}, {tile} -> token
    """


def run(text: str, arguments: Sequence[Array], gpu: str = "sm_100a") -> list[Array]:
    """The arrays after a kernel on them: the same at both levels."""
    elements = [ELEMENTS[argument.dtype] for argument in arguments]
    first, last = run_at_both_levels(kernel(text, elements), arguments, gpu)
    assert_equal(first, last)
    return first


def modify(
    mode: str,
    element: str,
    shape: Sequence[int],
    *,
    masked: bool,
    kept: bool,
    semantic: str = "relaxed",
    scope: str = "device",
    step: int = 1,
) -> list[Array]:
    """Modifies the elements of an array, and stores what was there before if `kept`."""
    count = math.prod(shape)
    tile, many, mask = shaped(shape, element), shaped(shape, f"ptr<{element}>"), shaped(shape, "i1")
    operand, type = (", %mask", f", {mask}") if masked else ("", "")
    text = f"""
    {load("value", "%p1", element, shape)}
    {load("mask", "%p2", "i1", shape)}
    {pointers("where", "%p0", element, shape, step)}
    %found, %done = atomic_rmw_tko {semantic} {scope} %where, {mode}, %value{operand}
      : {many}, {tile}{type} -> {tile}, token
    """
    if kept and masked:
        # What is returned for masked elements is not specified.
        text += f"%old = select %mask, %found, %value : {mask}, {tile}"
    elif kept:
        text += f"%none = xori %mask, %mask : {mask}"
        text += f"\n%old = select %none, %value, %found : {mask}, {tile}"
    if kept:
        text += store("old", "%p3", element, shape)
    arguments = [
        numbers(element, count, 1),
        numbers(element, count, 2),
        np.random.default_rng(3).integers(0, 2, count).astype(np.bool_),
        np.zeros(count, DTYPES[element]),
    ]
    return run(text, arguments)


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("mode", "element"), MODES)
@pytest.mark.parametrize("masked", [False, True])
def test_modifications(mode: str, element: str, masked: bool):
    for kept in (False, True):
        modify(mode, element, (64,), masked=masked, kept=kept)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("shape", [(1,), (2, 4), (256,), (32, 16), (1, 128)], ids=str)
@pytest.mark.parametrize("element", ["i32", "bf16"])
def test_elements_that_several_threads_hold(shape: tuple[int, ...], element: str):
    """Tiles smaller than a block are held by several threads, of which one modifies."""
    mode = "add" if element == "i32" else "addf"
    modify(mode, element, shape, masked=False, kept=True)


@pytest.mark.parametrize("semantic", SEMANTICS)
@pytest.mark.parametrize("scope", SCOPES)
def test_scopes_and_semantics(semantic: str, scope: str):
    modify("umax", "i32", (32,), masked=True, kept=True, semantic=semantic, scope=scope)


@pytest.mark.parametrize("element", ["i32", "i64", "f16", "bf16", "f32", "f64"])
def test_all_elements_at_one_address(element: str):
    mode = "add" if element.startswith("i") else "addf"
    found = modify(mode, element, (256,), masked=False, kept=False, step=0)
    total = numbers(element, 256, 1)[0] + numbers(element, 256, 2).sum(dtype=DTYPES[element])
    assert found[0][0] == total


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", ["i32", "i64", "f32", "f64"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", [(64,), (16, 32)], ids=str)
def test_compare_and_swap(element: str, masked: bool, shape: tuple[int, ...]):
    count = math.prod(shape)
    tile, many, mask = shaped(shape, element), shaped(shape, f"ptr<{element}>"), shaped(shape, "i1")
    operand, type = (", %mask", f", {mask}") if masked else ("", "")
    text = f"""
    {load("compared", "%p1", element, shape)}
    {load("new", "%p2", element, shape)}
    {load("mask", "%p3", "i1", shape)}
    {pointers("where", "%p0", element, shape)}
    %old, %done = atomic_cas_tko acq_rel device %where, %compared, %new{operand}
      : {many}, {tile}{type} -> {tile}, token
    {store("old", "%p4", element, shape)}
    """
    rng = np.random.default_rng(3)
    memory = numbers(element, count, 1)
    # Of the two zeros only one is equal: bits are compared.
    memory[:2] = np.array([0.0, -0.0]).astype(memory.dtype)
    compared = np.where(rng.random(count) < 0.5, memory, numbers(element, count, 2))
    compared[:2] = 0
    arguments = [
        memory,
        compared,
        numbers(element, count, 4),
        rng.integers(0, 2, count).astype(np.bool_),
        np.zeros(count, DTYPES[element]),
    ]
    run(text, arguments)


@pytest.mark.parametrize("element", ["i32", "f32"])
def test_a_scalar_is_modified_once(element: str):
    mode = "add" if element == "i32" else "addf"
    text = f"""
    %seven = constant <{element}: {"7" if element == "i32" else "7.0"}> : tile<{element}>
    %old, %done = atomic_rmw_tko relaxed device %p0, {mode}, %seven
      : tile<ptr<{element}>>, tile<{element}> -> tile<{element}>, token
    %stored = store_ptr_tko weak %p1, %old : tile<ptr<{element}>>, tile<{element}> -> token
    """
    found = run(text, [np.ones(1, DTYPES[element]), np.zeros(1, DTYPES[element])])
    assert [array.item() for array in found] == [8, 1]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("mode", "element"), [(m, e) for m, e in MODES if m != "xchg"])
def test_reductions_into_a_view(mode: str, element: str):
    """The part of the tile that is outside of the array is left out."""
    tensor = f"tensor_view<48x{element}, strides=[1]>"
    view, tile = f"partition_view<tile=(32), {tensor}>", f"tile<32x{element}>"
    text = f"""
    {load("value", "%p1", element, (32,))}
    %one = constant <i32: 1> : tile<i32>
    %tensor = make_tensor_view %p0, shape = [48], strides = [1] : {tensor}
    %view = make_partition_view %tensor : {view}
    %done = atomic_red_view_tko relaxed device %view[%one], {mode}, %value
      : {tile}, {view}, tile<i32> -> token
    """
    run(text, [numbers(element, 64, 1), numbers(element, 32, 2)])
