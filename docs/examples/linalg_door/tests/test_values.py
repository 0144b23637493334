"""Kernels compute what numpy does: on shapes that tiles do not divide, and on NaN."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest
from linalg_door import grid
from numpy.typing import NDArray
from programs import SOFTMAX, convert, elementwise, matmul, reduction

import tileir_xdsl as tileir

Array: TypeAlias = NDArray[Any]

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
TILE = (16, 16, 16)


def drawn(shape: Sequence[int], element: str, seed: int = 0) -> Array:
    """Numbers of both signs; among floats are NaN, infinities and zeros of both signs."""
    rng, dtype = np.random.default_rng(seed), DTYPES[element]
    if element.startswith("i"):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    values = rng.standard_normal(shape) * 4
    odd = rng.random(shape) < 0.1
    return np.where(odd, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), values).astype(
        dtype
    )


def run(text: str, inputs: Sequence[Array | float], output: Array, level: str) -> Array:
    """What the only kernel of a text leaves in `output`."""
    program = tileir.load(convert(text), "sm_90a")
    program.run(grid(output.shape, TILE), *inputs, output, level=level)
    return output


UNARY = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.sqrt": np.sqrt,
}
FLOATS = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
}
INTEGERS = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
}
BINARY = [
    *((op, element) for op in FLOATS for element in ("f32", "f64")),
    *((op, element) for op in INTEGERS for element in ("i16", "i32", "i64")),
]
FUNCTIONS = {"math.exp": np.exp, "math.log": np.log, "math.tanh": np.tanh}


def ignoring(function: Callable[..., Array], *operands: Array) -> Array:
    """A function of numpy, on operands that it warns of."""
    with np.errstate(all="ignore"):
        return function(*operands)


@pytest.mark.parametrize(("op", "element"), BINARY)
def test_binary_op(op: str, element: str):
    """The second operand is a row, the same for all rows of the first."""
    types = [f"tensor<?x?x{element}>", f"tensor<37x{element}>"]
    x, row = drawn((21, 37), element), drawn((37,), element, 1)
    text = elementwise([f"%r = {op} %a0, %a1 : {element}"], types, element)
    found = run(text, (x, row), np.zeros_like(x), "cuda_tile")
    np.testing.assert_array_equal(found, ignoring((FLOATS | INTEGERS)[op], x, row))


@pytest.mark.parametrize("op", [*UNARY, *FUNCTIONS])
def test_unary_op(op: str):
    x = drawn((21, 37), "f32")
    text = elementwise([f"%r = {op} %a0 : f32"], ["tensor<?x?xf32>"], "f32")
    found = run(text, (x,), np.zeros_like(x), "cuda_tile")
    expected = ignoring((UNARY | FUNCTIONS)[op], x)
    np.testing.assert_allclose(found, expected, rtol=0 if op in UNARY else 1e-6)


FLOAT_PREDICATES = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@pytest.mark.parametrize("name", FLOAT_PREDICATES)
@pytest.mark.parametrize("kind", "ou")
def test_float_comparison(kind: str, name: str):
    """With NaN an ordered comparison is false, and an unordered one true."""
    types = ["tensor<?x?xf32>", "tensor<?x?xf32>"]
    body = [
        f"%c = arith.cmpf {kind}{name}, %a0, %a1 : f32",
        "%one = arith.constant 1.0 : f32",
        "%r = arith.select %c, %one, %a2 : f32",
    ]
    x, y = drawn((21, 37), "f32"), drawn((21, 37), "f32", 1)
    y[::2] = x[::2]
    found = run(elementwise(body, types, "f32"), (x, y), np.zeros_like(x), "cuda_tile")
    is_nan = np.isnan(x) | np.isnan(y)
    expected = np.where(is_nan, kind == "u", FLOAT_PREDICATES[name](x, y))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "name", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
)
def test_integer_comparison(name: str):
    x, y = drawn((21, 37), "i32"), drawn((37,), "i32", 1)
    body = [f"%c = arith.cmpi {name}, %a0, %a1 : i32", "%r = arith.select %c, %a0, %a1 : i32"]
    text = elementwise(body, ["tensor<?x?xi32>", "tensor<37xi32>"], "i32")
    found = run(text, (x, y), np.zeros_like(x), "cuda_tile")
    lhs, rhs = (x.view(np.uint32), y.view(np.uint32)) if name[0] == "u" else (x, y)
    np.testing.assert_array_equal(found, np.where(FLOAT_PREDICATES[name[-2:]](lhs, rhs), x, y))


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_conversions_scalars_and_static_shapes(level: str):
    """`float(f16(x)) + i * s` on a static shape, with a number for `s`."""
    types = ["tensor<21x37xf32>", "tensor<21x37xi32>", "f32"]
    body = [
        "%h = arith.truncf %a0 : f32 to f16",
        "%w = arith.extf %h : f16 to f32",
        "%i = arith.sitofp %a1 : i32 to f32",
        "%p = arith.mulf %i, %a2 : f32",
        "%r = arith.addf %w, %p : f32",
    ]
    x, i = drawn((21, 37), "f32"), drawn((21, 37), "i32", 1)
    text = elementwise(body, types, "f32", "tensor<21x37xf32>")
    found = run(text, (x, i, 0.375), np.zeros_like(x), level)
    expected = x.astype(np.float16).astype(np.float32) + i.astype(np.float32) * np.float32(0.375)
    np.testing.assert_array_equal(found, expected)


def _least(x: Array, axis: int) -> Array:
    return np.minimum(np.min(x, axis), 1.0)


def _total(x: Array, axis: int) -> Array:
    return np.add(np.sum(x, axis, dtype=np.int32), np.int32(7))


REDUCTIONS: dict[str, tuple[str, str, Callable[..., Array]]] = {
    "arith.addf": ("f32", "0.0", np.sum),
    "arith.maximumf": ("f32", "0xff800000", np.max),
    "arith.minimumf": ("f64", "1.0", _least),
    "arith.addi": ("i32", "7", _total),
}


@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize(("shape", "dim"), [("??", 1), ("??", 0)])
@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_reduction(op: str, shape: str, dim: int, level: str):
    """A row or column of every reduction has a NaN; the others have finite numbers."""
    element, initial, numpy = REDUCTIONS[op]
    x = drawn((21, 37), element)
    if element.startswith("f"):
        x = np.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-2.0)
        x[3, 5] = np.nan
    output = np.zeros(np.delete(x.shape, dim), x.dtype)
    found = run(reduction(op, element, shape, dim, initial), (x,), output, level)
    np.testing.assert_allclose(found, numpy(x, axis=dim), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("element", ["f16", "f32", "f64"])
@pytest.mark.parametrize("shapes", [("??", "??", "??"), ((21, "?"), ("?", 19), (21, 19))])
def test_matmul(element: str, shapes: Sequence[Sequence[int | str]]):
    """`A x B + C`, with sizes known and unknown; a NaN is in one row of the result."""
    a, b, c = (np.random.default_rng(0).standard_normal(s) for s in ((21, 37), (37, 19), (21, 19)))
    a[4, 7] = np.nan
    a, b, c = (x.astype(DTYPES[element]) for x in (a, b, c))
    found = run(matmul(element, shapes), (a, b, c), np.zeros_like(c), "cuda_tile")
    expected = a.astype(np.float64) @ b.astype(np.float64) + c
    # One rounding of the accumulator for each element of K, of sums below 32.
    rounding = 32 * 37 * {"f16": 2**-11, "f32": 2**-24, "f64": 2**-53}[element]
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=0, atol=rounding)
    assert np.isnan(found).sum() == 19


def test_matmul_to_ptx():
    a, b, c = drawn((21, 37), "i8"), drawn((37, 19), "i8", 1), drawn((21, 19), "i8", 2)
    a, b, c = (x.astype(np.float32) for x in (a, b, c))
    found = run(matmul("f32"), (a, b, c), np.zeros_like(c), "ptx")
    np.testing.assert_array_equal(found, a @ b + c)


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_softmax(level: str):
    """Six ops in a kernel; a NaN makes its whole row NaN, and no other."""
    x = np.random.default_rng(0).standard_normal((21, 37)).astype(np.float32) * 4
    x[5, 8] = np.nan
    found = run(SOFTMAX, (x, 0.5), np.zeros_like(x), level)
    powers = np.exp((x - x.max(axis=1, keepdims=True)) * np.float32(0.5))
    np.testing.assert_allclose(found, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.isnan(found[5]).all() and np.isfinite(np.delete(found, 5, 0)).all()


def test_arrays_need_not_be_contiguous():
    x = drawn((42, 74), "i32")[::2, 1::2]
    text = elementwise(["%r = arith.addi %a0, %a0 : i32"], ["tensor<?x?xi32>"], "i32")
    found = run(text, (x,), np.zeros((37, 21), np.int32).T, "ptx")
    np.testing.assert_array_equal(found, x + x)


@pytest.mark.parametrize("seed", range(6))
def test_random_bodies(seed: int):
    """Expressions of drawn ops on three operands, of which one is a row and one a number."""
    rng = np.random.default_rng(seed)
    x, row, number = drawn((21, 37), "f64", seed), drawn((37,), "f64", seed + 1), 0.75
    values, body = (
        {"%a0": x, "%a1": np.broadcast_to(row, x.shape), "%a2": np.full(x.shape, number)},
        [],
    )
    for index in range(8):
        op = rng.choice(sorted(FLOATS))
        lhs, rhs = rng.choice(sorted(values), 2)
        name = "%r" if index == 7 else f"%v{index}"
        body.append(f"{name} = {op} {lhs}, {rhs} : f64")
        values[name] = ignoring(FLOATS[op], values[lhs], values[rhs])
    text = elementwise(body, ["tensor<?x?xf64>", "tensor<37xf64>", "f64"], "f64")
    found = run(text, (x, row, number), np.zeros_like(x), "cuda_tile")
    np.testing.assert_array_equal(found, values["%r"])
