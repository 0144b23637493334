"""Operations on whole tiles on drawn operands: products, sums, moves, views with padding."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce as fold

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.interpreters.cuda_tile.elementwise import as_tile, draws, patterns, width_of
from tests.unit.interpreters.evaluation import apply, evaluate
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Expected, assert_agrees, within_roundings

M, N, K = 2, 4, 32


def draw(data: st.DataObject, element: str, *shape: int) -> Array:
    """A tile of drawn bit patterns, corners among them."""
    count = math.prod(shape)
    drawn: list[int] = []
    while len(drawn) < count:
        drawn += data.draw(patterns(element))
    return as_tile(element, drawn[:count]).reshape(shape)


def draw_finite(data: st.DataObject, element: str, *shape: int) -> Array:
    """The same, with small numbers in place of those that are not finite or very large."""
    tile = draw(data, element, *shape)
    with np.errstate(invalid="ignore"):  # signaling NaN
        wide = np.abs(tile.astype(np.float64))
    return np.where(wide < 100, tile, np.ones_like(tile))


def exact_product(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """`a @ b + c` of matrices, and the sums of the magnitudes of all terms."""
    rows, columns = c.shape
    values, sizes = np.zeros(c.shape), np.zeros(c.shape)
    for i, j in np.ndindex(rows, columns):
        pairs = zip(a[i].tolist(), b[:, j].tolist(), strict=True)
        terms = [Fraction(x) * Fraction(y) for x, y in pairs] + [Fraction(float(c[i, j]))]
        values[i, j], sizes[i, j] = float(sum(terms)), float(sum(map(abs, terms)))
    return values, sizes


MMA_OPS = [
    ("f16", "f16"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("tf32", "f32"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("f8E4M3FN", "f32"),
    ("f8E5M2", "f16"),
]


@pytest.mark.parametrize(("element", "accumulator"), MMA_OPS)
@draws(max_examples=5)
@given(data=st.data())
def test_mmaf(element: str, accumulator: str, data: st.DataObject) -> None:
    a, b = draw_finite(data, element, M, K), draw_finite(data, element, K, N)
    c = draw_finite(data, accumulator, M, N)
    types = [f"{M}x{K}x{element}", f"{K}x{N}x{element}", f"{M}x{N}x{accumulator}"]
    text = f"mmaf %in0, %in1, %in2 : {', '.join(f'tile<{t}>' for t in types)}"
    actual = apply(text, types[2], *zip(types, (a, b, c), strict=True))
    wide = (x.astype(np.float64) for x in (a, b, c))
    dtype = ELEMENTS[accumulator].dtype
    assert_agrees(actual, within_roundings(*exact_product(*wide), dtype, 1, dtype))


@pytest.mark.parametrize(("value", "other", "result"), [
    (math.inf, 1.0, math.inf),
    (-math.inf, 1.0, -math.inf),
    (math.inf, 0.0, math.nan),
    (math.nan, 1.0, math.nan),
])  # fmt: skip
def test_mmaf_with_special_values(value: float, other: float, result: float) -> None:
    a, b = np.zeros((1, 4), np.float16), np.full((4, 1), other, np.float16)
    a[0, 2] = value
    text = "mmaf %in0, %in1, %in2 : tile<1x4xf16>, tile<4x1xf16>, tile<1x1xf32>"
    operands = ("1x4xf16", a), ("4x1xf16", b), ("1x1xf32", np.zeros((1, 1), np.float32))
    assert_agrees(apply(text, "1x1xf32", *operands), Expected(np.array([[result]], np.float32)))


@pytest.mark.parametrize("signs", [(a, b) for a in (True, False) for b in (True, False)])
@draws(max_examples=5)
@given(data=st.data())
def test_mmai(signs: tuple[bool, bool], data: st.DataObject) -> None:
    a, b, c = draw(data, "i8", M, K), draw(data, "i8", K, N), draw(data, "i32", M, N)
    types = [f"{M}x{K}xi8", f"{K}x{N}xi8", f"{M}x{N}xi32"]
    words = " ".join("signed" if s else "unsigned" for s in signs)
    text = f"mmai %in0, %in1, %in2 {words} : {', '.join(f'tile<{t}>' for t in types)}"
    actual = apply(text, types[2], *zip(types, (a, b, c), strict=True))
    x, y = (t if s else t.view(np.uint8) for t, s in zip((a, b), signs, strict=True))
    exact = x.astype(object) @ y.astype(object) + c.astype(object)
    assert_agrees(actual, Expected(np.asarray(exact % 2**32, np.uint64).astype(np.int32)))


@draws(max_examples=5)
@given(data=st.data())
def test_mmaf_scaled(data: st.DataObject) -> None:
    a, b = draw_finite(data, "f8E4M3FN", M, 64), draw_finite(data, "f8E4M3FN", 64, N)
    c = draw_finite(data, "f32", M, N)
    exponents = data.draw(
        st.lists(st.integers(-20, 20), min_size=2 * (M + N), max_size=2 * (M + N))
    )
    powers = np.exp2(np.array(exponents)).astype(ELEMENTS["f8E8M0FNU"].dtype)
    row, column = powers[: 2 * M].reshape(M, 2), powers[2 * M :].reshape(2, N)
    types = [f"{M}x64xf8E4M3FN", f"64x{N}xf8E4M3FN", f"{M}x{N}xf32"]
    types += [f"{M}x2xf8E8M0FNU", f"2x{N}xf8E8M0FNU"]
    names = ", ".join(f"%in{i}" for i in range(5))
    text = f"mmaf_scaled {names} : {', '.join(f'tile<{t}>' for t in types)}"
    actual = apply(text, types[2], *zip(types, (a, b, c, row, column), strict=True))
    x = a.astype(np.float64) * np.repeat(row.astype(np.float64), 32, axis=1)
    y = b.astype(np.float64) * np.repeat(column.astype(np.float64), 32, axis=0)
    exact = exact_product(x, y, c.astype(np.float64))
    assert_agrees(actual, within_roundings(*exact, np.float32, 1, np.float32))


@pytest.mark.parametrize("kind", ["reduce", "scan"])
@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
@draws(max_examples=5)
@given(data=st.data())
def test_sums(element: str, kind: str, data: st.DataObject) -> None:
    values = draw_finite(data, element, 2, 16)
    shape = "2x16x" if kind == "scan" else "2x"
    reverse = " reverse=false" if kind == "scan" else ""
    text = f"""
      %out0 = {kind} %in0 dim=1{reverse} identities=[0.0 : {element}] : tile<2x16x{element}> -> tile<{shape}{element}>
      (%a: tile<{element}>, %e: tile<{element}>) {{
        %r = addf %a, %e : tile<{element}>
        yield %r : tile<{element}>
      }}
    """
    (actual,) = evaluate(text, [(f"2x16x{element}", values)], [f"{shape}{element}"])
    wide = [[Fraction(float(x)) for x in row] for row in values]
    ends = range(1, 17) if kind == "scan" else (16,)
    totals = np.array([[float(sum(row[:n])) for n in ends] for row in wide])
    sizes = np.array([[float(sum(map(abs, row[:n]))) for n in ends] for row in wide])
    if kind == "reduce":
        totals, sizes = totals[:, 0], sizes[:, 0]
    dtype = ELEMENTS[element].dtype
    assert_agrees(actual, within_roundings(totals, sizes, dtype, 4, dtype))


FOLDS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "addi": (0, operator.add),
    "muli": (1, operator.mul),
    "andi": (-1, operator.and_),
    "ori": (0, operator.or_),
    "xori": (0, operator.xor),
}
"""Associative operations of integers, and what leaves their other operand as it is."""


@pytest.mark.parametrize("element", ["i1", "i8", "i32", "i64"])
@draws(max_examples=5)
@given(data=st.data())
def test_integer_folds(element: str, data: st.DataObject) -> None:
    """Of every associative operation of integers, exactly."""
    values = draw(data, element, 2, 16)
    width = width_of(element)
    for op, (identity, function) in FOLDS.items():
        constant = str(bool(identity)).lower() if element == "i1" else f"{identity} : {element}"
        text = f"""
          %out0 = reduce %in0 dim=1 identities=[{constant}] : tile<2x16x{element}> -> tile<2x{element}>
          (%a: tile<{element}>, %e: tile<{element}>) {{
            %r = {op} %a, %e : tile<{element}>
            yield %r : tile<{element}>
          }}
        """
        (actual,) = evaluate(text, [(f"2x16x{element}", values)], [f"2x{element}"])
        expected = [fold(function, map(int, row)) % (1 << width) for row in values]
        assert_agrees(actual, Expected(as_tile(element, expected)))


MOVED = ("i1", "i16", "bf16", "f32", "f8E4M3FN", "i64")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("element", MOVED)
@draws(max_examples=5)
@given(data=st.data())
def test_moves(element: str, data: st.DataObject) -> None:
    """Every operation that only moves elements, on every bit pattern."""
    shape = tuple(data.draw(st.sampled_from([1, 2, 4, 8])) for _ in range(3))
    order = data.draw(st.permutations(range(3)))
    axis = data.draw(st.integers(0, 2))
    a, b = draw(data, element, *shape), draw(data, element, *shape)
    wide = tuple(2 * n if i == axis else n for i, n in enumerate(shape))
    one = tuple(1 if i == axis else n for i, n in enumerate(shape))
    half = data.draw(st.integers(0, 1))

    def tile(extents: tuple[int, ...]) -> str:
        return f"{'x'.join(map(str, extents))}x{element}"

    index = ", ".join("%half" if i == axis else "%zero" for i in range(3))
    body = f"""
      %half = constant <i32: {half}> : tile<i32>
      %out0 = permute %in0 [{", ".join(map(str, order))}] : tile<{tile(shape)}> -> tile<{tile(tuple(shape[i] for i in order))}>
      %out1 = reshape %in0 : tile<{tile(shape)}> -> tile<{math.prod(shape)}x{element}>
      %out2 = cat %in0, %in1 dim = {axis} : tile<{tile(shape)}>, tile<{tile(shape)}> -> tile<{tile(wide)}>
      %out3 = extract %out2[{index}] : tile<{tile(wide)}> -> tile<{tile(shape)}>
      %out4 = insert %in1, %out2[{index}] : tile<{tile(shape)}>, tile<{tile(wide)}>
      %out5 = extract %in0[%zero, %zero, %zero] : tile<{tile(shape)}> -> tile<{tile(one)}>
      %out6 = broadcast %out5 : tile<{tile(one)}> -> tile<{tile(shape)}>
    """
    results = [tile(tuple(shape[i] for i in order)), f"{math.prod(shape)}x{element}", tile(wide)]
    results += [tile(shape), tile(wide), tile(one), tile(shape)]
    both = np.concatenate([a, b], axis)
    first = np.take(a, [0], axis)
    expected = [a.transpose(order), a.reshape(-1), both, (a, b)[half]]
    expected += [np.concatenate([(b, a)[half], b], axis), first, np.broadcast_to(first, shape)]
    inputs = [(tile(shape), a), (tile(shape), b)]
    for actual, wanted in zip(evaluate(body, inputs, results), expected, strict=True):
        assert actual.shape == wanted.shape
        assert actual.tobytes() == np.ascontiguousarray(wanted).tobytes()


PACKED = ["i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f4E2M1FN", "tf32"]


@pytest.mark.parametrize("element", PACKED)
@draws(max_examples=5)
@given(data=st.data())
def test_packing(element: str, data: st.DataObject) -> None:
    if element == "f4E2M1FN":
        codes = data.draw(st.lists(st.integers(0, 15), min_size=16, max_size=16))
        tile = np.array(codes, np.uint8).view(ELEMENTS[element].dtype)
        wanted = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    else:
        tile = draw(data, element, 16)
        wanted = tile.tobytes()
    source, packed = f"16x{element}", f"{len(wanted)}xi8"
    result = apply("pack %in0 : T -> R", packed, (source, tile))
    assert result.tobytes() == wanted
    back = apply("unpack %in0 : T -> R", source, (packed, np.frombuffer(wanted, np.int8)))
    assert back.tobytes() == tile.tobytes()


PADDINGS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": math.nan,
    "pos_inf": math.inf,
    "neg_inf": -math.inf,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("element", ["f16", "f32", "f64"])
@draws(max_examples=5)
@given(data=st.data())
def test_views_with_padding(element: str, padding: str, data: st.DataObject) -> None:
    """A tile anywhere in or beside a matrix of any size is loaded and stored back doubled."""
    rows, columns = (data.draw(st.integers(0, 9)) for _ in range(2))
    i, j = (data.draw(st.integers(0, 3)) for _ in range(2))
    memory = draw(data, element, 10, 10)
    tensor = f"tensor_view<?x?x{element}, strides=[10,1]>"
    view = f"partition_view<tile=(4x4), padding_value = {padding}, {tensor}>"
    tile = f"4x4x{element}"
    text = f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>,
        %n: tile<i32>, %m: tile<i32>, %i: tile<i32>, %j: tile<i32>) {{
      %tensor = make_tensor_view %p, shape = [%n, %m], strides = [10, 1] : tile<i32> -> {tensor}
      %view = make_partition_view %tensor : {view}
      %x, %t = load_view_tko weak %view[%i, %j] : {view}, tile<i32> -> tile<{tile}>, token
      %whole = make_tensor_view %q, shape = [4, 4], strides = [4, 1] : tensor_view<{tile}, strides=[4,1]>
      %one = make_partition_view %whole : partition_view<tile=(4x4), tensor_view<{tile}, strides=[4,1]>>
      %zero = constant <i32: 0> : tile<i32>
      %u = store_view_tko weak %x, %one[%zero, %zero] : tile<{tile}>, partition_view<tile=(4x4), tensor_view<{tile}, strides=[4,1]>>, tile<i32> -> token
      %minus = negf %x : tile<{tile}>
      %v = store_view_tko weak %minus, %view[%i, %j] token = %t : tile<{tile}>, {view}, tile<i32> -> token
      return
    }} }}"""
    before, loaded = memory.copy(), np.zeros((4, 4), memory.dtype)
    launch(tools.parse(text), "k", (1, 1, 1), [memory, loaded, rows, columns, i, j])
    padded = np.full((16, 16), PADDINGS[padding]).astype(memory.dtype)
    padded[:rows, :columns] = before[:rows, :columns]
    wanted = padded[4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
    assert_agrees(loaded, Expected(wanted))
    expected = before.copy()
    inside = np.s_[4 * i : min(4 * i + 4, rows), 4 * j : min(4 * j + 4, columns)]
    expected[inside] = -expected[inside]
    assert memory.tobytes() == expected.tobytes()


MULTICAST = "tensor_view<8xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
VIEW = f"partition_view<tile=(8), {MULTICAST}>"


def test_multimem() -> None:
    """On one device: a load, a reduction and a store of its memory."""
    text = f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32, <multicast>>>, %q: tile<ptr<i32>>) {{
      %tensor = make_tensor_view %p, shape = [8], strides = [1] : tile<ptr<i32, <multicast>>> -> {MULTICAST}
      %view = make_partition_view %tensor : {VIEW}
      %zero = constant <i32: 0> : tile<i32>
      %x, %t = multimem_load_reduce_view_tko weak %view[%zero] attributes {{reduction = #cuda_tile.multimem_reduction_kind<add>}} : {VIEW}, tile<i32> -> tile<8xi32>, token
      %u = multimem_reduce_view_tko relaxed device %view, %x[%zero] token = %t attributes {{reduction = #cuda_tile.multimem_reduction_kind<add>}} : {VIEW}, tile<8xi32>, tile<i32>, token -> token
      %f = memory_fence_alias_tko %u
      %g = gdc_wait_tko token = %f -> token
      %h = gdc_launch_dependents_tko token = %g -> token
      %whole = make_tensor_view %q, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
      %one = make_partition_view %whole : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
      %y, %w = load_view_tko weak %one[%zero] token = %h : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
      %s = store_view_tko weak %x, %one[%zero] token = %w : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
      RETURN
    }} }}"""
    for last, result in (
        ("", 2),
        ("%z = multimem_store_view_tko weak %view, %y[%zero] token = %s", 5),
    ):
        typed = f"{last} : {VIEW}, tile<8xi32>, tile<i32>, token -> token" if last else ""
        module = tools.parse(text.replace("RETURN", f"{typed}\nreturn"))
        shared, own = np.arange(8, dtype=np.int32), np.full(8, 7, np.int32)
        launch(module, "k", (1, 1, 1), [shared, own])
        assert own.tolist() == list(range(8))
        assert shared.tolist() == ([result * n for n in range(8)] if not last else [7] * 8)
