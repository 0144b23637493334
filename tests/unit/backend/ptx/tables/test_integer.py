"""Integer ops: values in the emulator against numpy, acceptance by ptxas."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import DTYPES, GPUS, Array, assemble, elementwise, evaluate, ptx

WIDTHS = (8, 16, 32, 64)


def samples(width: int, seed: int = 0) -> Array:
    """Corner values and random ones, as signed integers."""
    limit = 1 << (width - 1)
    corners = np.array([0, 1, -1, 2, -2, 7, limit - 1, -limit, -limit + 1, 100, -100], np.int64)
    random = np.random.default_rng(seed).integers(-limit, limit - 1, 53, np.int64, endpoint=True)
    return np.concatenate([corners, random]).astype(DTYPES[f"i{width}"])


def shuffled(width: int) -> Array:
    """The same kind of values in another order."""
    return np.random.default_rng(7).permutation(samples(width, 3))


def unsigned(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")


def truncated_division(a: Array, b: Array) -> Array:
    return np.array(
        [
            int(abs(int(x)) // abs(int(y))) * (1 if (x < 0) == (y < 0) else -1)
            for x, y in zip(a, b, strict=True)
        ],
        object,
    )


BINARY: dict[str, Callable[[Array, Array], Any]] = {
    "llvm.add": lambda a, b: a + b,
    "llvm.sub": lambda a, b: a - b,
    "llvm.mul": lambda a, b: a * b,
    "llvm.and": lambda a, b: a & b,
    "llvm.or": lambda a, b: a | b,
    "llvm.xor": lambda a, b: a ^ b,
    "llvm.udiv": lambda a, b: unsigned(a) // unsigned(b),
    "llvm.urem": lambda a, b: unsigned(a) % unsigned(b),
    "llvm.sdiv": truncated_division,
    "llvm.srem": lambda a, b: a.astype(object) - truncated_division(a, b) * b.astype(object),
}
DIVISIONS = ("llvm.udiv", "llvm.urem", "llvm.sdiv", "llvm.srem")


def wrapped(values: Any, width: int) -> Array:
    """Integers of any size modulo the width."""
    objects = np.asarray(values).astype(object)
    return (
        np.array([(int(v) + (1 << 64)) % (1 << width) for v in objects], np.uint64)
        .astype(f"u{width // 8}")
        .view(DTYPES[f"i{width}"])
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, width: int) -> None:
    a, b = samples(width), shuffled(width)
    if name in DIVISIONS:
        b = np.where(b == 0, 3, b)
        b = np.where((b == -1) & (a == np.iinfo(a.dtype).min), 5, b).astype(a.dtype)
    with np.errstate(over="ignore"):
        expected = wrapped(BINARY[name](a, b), width)
    type = f"i{width}"
    ops = f"%result = {name} %x0, %x1 : {type}"
    np.testing.assert_array_equal(evaluate(ops, [(type, a), (type, b)], type), expected)


@pytest.mark.parametrize(
    ("name", "width", "is_signed"),
    [("i", 32, True), ("ui", 32, False), ("ll", 64, True), ("ull", 64, False)],
)
def test_upper_halves_of_products(name: str, width: int, is_signed: bool) -> None:
    a, b = samples(width), shuffled(width)
    wide = [(x if is_signed else unsigned(x)).astype(object) for x in (a, b)]
    type = f"i{width}"
    ops = (
        f'%result = llvm.call_intrinsic "llvm.nvvm.mulhi.{name}"(%x0, %x1) : '
        f"({type}, {type}) -> {type}"
    )
    found = evaluate(ops, [(type, a), (type, b)], type)
    np.testing.assert_array_equal(found, wrapped((wide[0] * wide[1]) >> width, width))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("constant", (0, 1, -1, 5))
@pytest.mark.parametrize("name", ("llvm.add", "llvm.sub", "llvm.mul", "llvm.xor", "llvm.and"))
def test_constants_on_either_side(name: str, constant: int, width: int) -> None:
    a, type = samples(width), f"i{width}"
    other = np.full_like(a, constant)
    for order, expected in (("%x0, %c", (a, other)), ("%c, %x0", (other, a))):
        ops = f"""%c = llvm.mlir.constant({constant} : {type}) : {type}
        %result = {name} {order} : {type}"""
        with np.errstate(over="ignore"):
            values = wrapped(BINARY[name](*expected), width)
        np.testing.assert_array_equal(evaluate(ops, [(type, a)], type), values)


SHIFTS: dict[str, Callable[[Array, Array], Array]] = {
    "llvm.shl": lambda a, n: unsigned(a) << unsigned(n),
    "llvm.lshr": lambda a, n: unsigned(a) >> unsigned(n),
    "llvm.ashr": lambda a, n: a >> n,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SHIFTS)
def test_shift(name: str, width: int) -> None:
    a, type = samples(width), f"i{width}"
    amount = (np.arange(64) % width).astype(a.dtype)
    expected = wrapped(SHIFTS[name](a, amount), width)
    ops = f"%result = {name} %x0, %x1 : {type}"
    np.testing.assert_array_equal(evaluate(ops, [(type, a), (type, amount)], type), expected)
    ops = f"""%c = llvm.mlir.constant(3 : {type}) : {type}
    %result = {name} %x0, %c : {type}"""
    expected = wrapped(SHIFTS[name](a, np.full_like(a, 3)), width)
    np.testing.assert_array_equal(evaluate(ops, [(type, a)], type), expected)


COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: unsigned(a) < unsigned(b),
    "ule": lambda a, b: unsigned(a) <= unsigned(b),
    "ugt": lambda a, b: unsigned(a) > unsigned(b),
    "uge": lambda a, b: unsigned(a) >= unsigned(b),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", COMPARISONS)
def test_comparison_and_selection(predicate: str, width: int) -> None:
    a, b, type = samples(width), shuffled(width), f"i{width}"
    b[::3] = a[::3]
    ops = f"""%c = llvm.icmp "{predicate}" %x0, %x1 : {type}
    %result = llvm.select %c, %x0, %x1 : i1, {type}"""
    expected = np.where(COMPARISONS[predicate](a, b), a, b)
    np.testing.assert_array_equal(evaluate(ops, [(type, a), (type, b)], type), expected)
    ops = f"""%five = llvm.mlir.constant(5 : {type}) : {type}
    %c = llvm.icmp "{predicate}" %five, %x0 : {type}
    %result = llvm.zext %c : i1 to i32"""
    expected = COMPARISONS[predicate](np.full_like(a, 5), a).astype(np.int32)
    np.testing.assert_array_equal(evaluate(ops, [(type, a)], "i32"), expected)


PREDICATES: dict[str, Callable[[Array, Array], Array]] = {
    "llvm.and": lambda a, b: a & b,
    "llvm.or": lambda a, b: a | b,
    "llvm.xor": lambda a, b: a ^ b,
    "llvm.add": lambda a, b: a ^ b,
    "llvm.mul": lambda a, b: a & b,
    'llvm.icmp "eq"': lambda a, b: a == b,
    'llvm.icmp "ult"': lambda a, b: ~a & b,
    'llvm.icmp "slt"': lambda a, b: a & ~b,
}


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(name: str) -> None:
    a, b = (np.arange(64) % 2).astype(np.int8), (np.arange(64) // 2 % 2).astype(np.int8)
    ops = f"""%p = llvm.trunc %x0 : i8 to i1
    %q = llvm.trunc %x1 : i8 to i1
    %r = {name} %p, %q : i1
    %s = llvm.select %r, %q, %p : i1, i1
    %true = llvm.mlir.constant(true) : i1
    %n = llvm.xor %s, %true : i1
    %result = llvm.sext %n : i1 to i32"""
    p, q = a.astype(bool), b.astype(bool)
    expected = ~np.where(PREDICATES[name](p, q), q, p)
    result = evaluate(ops, [("i8", a), ("i8", b)], "i32")
    np.testing.assert_array_equal(result, -expected.astype(np.int32))


@pytest.mark.parametrize("width", WIDTHS)
def test_bits_as_integers(width: int) -> None:
    a, b, type = samples(width), shuffled(width), f"i{width}"
    for name, one in (("sext", -1), ("zext", 1)):
        ops = f"""%c = llvm.icmp "slt" %x0, %x1 : {type}
        %bit = llvm.{name} %c : i1 to {type}
        %result = llvm.add %bit, %x0 : {type}"""
        expected = a + np.where(a < b, one, 0).astype(a.dtype)
        np.testing.assert_array_equal(evaluate(ops, [(type, a), (type, b)], type), expected)


def popcount(a: Array) -> Array:
    return np.array([int(v).bit_count() for v in unsigned(a)])


def leading_zeros(a: Array) -> Array:
    width = 8 * a.dtype.itemsize
    return np.array([width - int(v).bit_length() for v in unsigned(a)])


def trailing_zeros(a: Array) -> Array:
    width = 8 * a.dtype.itemsize
    return np.array([(int(v) & -int(v)).bit_length() - 1 if v else width for v in unsigned(a)])


UNARY: dict[str, Callable[[Array], Array]] = {
    "llvm.intr.ctpop(%x0) : ({0}) -> {0}": popcount,
    '"llvm.intr.ctlz"(%x0) <{{is_zero_poison = false}}> : ({0}) -> {0}': leading_zeros,
    '"llvm.intr.cttz"(%x0) <{{is_zero_poison = false}}> : ({0}) -> {0}': trailing_zeros,
    '"llvm.intr.abs"(%x0) <{{is_int_min_poison = false}}> : ({0}) -> {0}': np.abs,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("form", UNARY)
def test_bits(form: str, width: int) -> None:
    a, type = samples(width), f"i{width}"
    ops = f"%result = {form.format(type)}"
    expected = UNARY[form](a).astype(a.dtype)
    np.testing.assert_array_equal(evaluate(ops, [(type, a)], type), expected)


EXTREMA: dict[str, Callable[[Array, Array], Array]] = {
    "smax": np.maximum,
    "smin": np.minimum,
    "umax": lambda a, b: np.maximum(unsigned(a), unsigned(b)),
    "umin": lambda a, b: np.minimum(unsigned(a), unsigned(b)),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", EXTREMA)
def test_extrema(name: str, width: int) -> None:
    a, b, type = samples(width), shuffled(width), f"i{width}"
    ops = f"%result = llvm.intr.{name}(%x0, %x1) : ({type}, {type}) -> {type}"
    expected = EXTREMA[name](a, b).view(a.dtype)
    np.testing.assert_array_equal(evaluate(ops, [(type, a), (type, b)], type), expected)


def as_integers(array: Array) -> list[int]:
    return [int(value) for value in unsigned(array)]


def from_integers(values: list[int], width: int) -> Array:
    return np.array(values, np.uint64).astype(f"u{width // 8}").view(DTYPES[f"i{width}"])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ("fshl", "fshr"))
def test_funnel_shift(name: str, width: int) -> None:
    a, b, type = samples(width), shuffled(width), f"i{width}"
    amount = np.arange(64).astype(a.dtype)
    mask = (1 << width) - 1
    expected: list[int] = []
    for high, low, n in zip(as_integers(a), as_integers(b), range(64), strict=True):
        both, by = high << width | low, n % width
        expected.append(both << by >> width & mask if name == "fshl" else both >> by & mask)
    ops = f"%result = llvm.intr.{name}(%x0, %x1, %x2) : ({type}, {type}, {type}) -> {type}"
    result = evaluate(ops, [(type, a), (type, b), (type, amount)], type)
    np.testing.assert_array_equal(result, from_integers(expected, width))


@pytest.mark.parametrize("width", WIDTHS)
def test_reversals(width: int) -> None:
    a, type = samples(width), f"i{width}"
    if width > 8:
        ops = f"%result = llvm.intr.bswap(%x0) : ({type}) -> {type}"
        np.testing.assert_array_equal(evaluate(ops, [(type, a)], type), a.byteswap())
    ops = f"%result = llvm.intr.bitreverse(%x0) : ({type}) -> {type}"
    expected = [int(f"{value:0{width}b}"[::-1], 2) for value in as_integers(a)]
    result = evaluate(ops, [(type, a)], type)
    np.testing.assert_array_equal(result, from_integers(expected, width))


@pytest.mark.parametrize("gpu", GPUS)
def test_ptxas_accepts(gpu: str) -> None:
    for width in WIDTHS:
        type = f"i{width}"
        lines = [f"%r0 = llvm.add %x0, %x1 : {type}"]
        for name in (*BINARY, *SHIFTS):
            lines.append(f"%r{len(lines)} = {name} %r{len(lines) - 1}, %x1 : {type}")
        for name in EXTREMA:
            last = f"%r{len(lines) - 1}"
            lines.append(
                f"%r{len(lines)} = llvm.intr.{name}({last}, %x1) : ({type}, {type}) -> {type}"
            )
        for form in UNARY:
            text = form.format(type).replace("%x0", f"%r{len(lines) - 1}")
            lines.append(f"%r{len(lines)} = {text}")
        for predicate in COMPARISONS:
            last = len(lines) - 1
            lines += [
                f'%c{last} = llvm.icmp "{predicate}" %r{last}, %x0 : {type}',
                f"%r{last + 2} = llvm.select %c{last}, %r{last}, %x1 : i1, {type}",
            ]
        ops = "\n".join([*lines, f"%result = llvm.add %x1, %r{len(lines) - 1} : {type}"])
        assemble(ptx(elementwise(ops, [type, type], type), gpu), gpu)
