"""Float ops and conversions: values in the emulator against numpy, acceptance by ptxas."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.unit.backend.ptx.harness import (
    DTYPES,
    GPUS,
    Array,
    assemble,
    elementwise,
    evaluate,
    ptx,
)
from tests.unit.emulator.instructions.cases import round_exact

FLOATS = ("f16", "bf16", "f32", "f64")


def samples(type: str, seed: int = 0) -> Array:
    """Corner values and random ones over many magnitudes."""
    corners = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, np.inf, -np.inf, np.nan, 65504.0, 1e-7])
    generator = np.random.default_rng(seed)
    random = generator.standard_normal(53) * 10.0 ** generator.integers(-4, 4, 53)
    with np.errstate(over="ignore"):
        return np.concatenate([corners, random]).astype(DTYPES[type])


def shuffled(type: str) -> Array:
    return np.random.default_rng(5).permutation(samples(type, 3))


def same(result: Array, expected: Array) -> None:
    """Equal bit for bit, any NaN equal to any other."""
    result, expected = result.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(result, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(expected[numbers]))


def rounded(values: Array, type: str) -> Array:
    """Values that are exact in f64 or twice as precise as `type`, rounded once."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return values.astype(DTYPES[type])


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "llvm.fadd": lambda a, b: a + b,
    "llvm.fsub": lambda a, b: a - b,
    "llvm.fmul": lambda a, b: a * b,
    "llvm.fdiv": lambda a, b: a / b,
}


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_arithmetic(name: str, type: str, gpu: str) -> None:
    a, b = samples(type), shuffled(type)
    wide = np.float64 if type != "f64" else a.dtype
    with np.errstate(all="ignore"):
        expected = rounded(BINARY[name](a.astype(wide), b.astype(wide)), type)
    ops = f"%result = {name} %x0, %x1 : {type}"
    same(evaluate(ops, [(type, a), (type, b)], type, gpu), expected)


SIGNED = (0.0, -0.0, 1.0, -1.0)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_signs_of_zeros(name: str, type: str, gpu: str) -> None:
    """Of each pair of signed zeros and ones: fused forms add or multiply by another number."""
    a, b = (
        np.array(column).astype(DTYPES[type])
        for column in zip(*product(SIGNED, repeat=2), strict=True)
    )
    with np.errstate(all="ignore"):
        expected = BINARY[name](a.astype(np.float64), b.astype(np.float64))
    ops = f"%result = {name} %x0, %x1 : {type}"
    same(evaluate(ops, [(type, a), (type, b)], type, gpu), expected)


@pytest.mark.parametrize("type", FLOATS)
def test_constants_on_either_side(type: str) -> None:
    a = samples(type)
    ops = f"""%c = llvm.mlir.constant(1.5 : {type}) : {type}
    %d = llvm.fsub %c, %x0 : {type}
    %result = llvm.fmul %d, %c : {type}"""
    with np.errstate(all="ignore"):
        step = rounded(1.5 - a.astype(np.float64), type)
        expected = rounded(step.astype(np.float64) * 1.5, type)
    same(evaluate(ops, [(type, a)], type), expected)


@pytest.mark.parametrize("type", ("f16", "bf16", "f32"))
def test_fused_multiply_add(type: str) -> None:
    a, b, c = samples(type), shuffled(type), samples(type, 9)
    ops = f"%result = llvm.intr.fma(%x0, %x1, %x2) : ({type}, {type}, {type}) -> {type}"
    result = evaluate(ops, [(type, a), (type, b), (type, c)], type)
    for x, y, z, got in zip(a, b, c, result, strict=True):
        if not all(np.isfinite(float(v)) for v in (x, y, z)):
            continue
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        if not np.isfinite(float(got)):
            assert abs(exact) > 60000
            continue
        error = abs(Fraction(float(got)) - exact)
        for neighbour in (np.nextafter(got, got + got.dtype.type(1)), np.nextafter(got, got - 1)):
            if np.isfinite(float(neighbour)):
                assert error <= abs(Fraction(float(neighbour)) - exact)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
@pytest.mark.parametrize("type", FLOATS)
def test_signs_and_roots(type: str, gpu: str) -> None:
    a, b = samples(type), shuffled(type)
    for ops, expected in (
        (f"%result = llvm.fneg %x0 : {type}", -a.astype(np.float64)),
        (f"%result = llvm.intr.fabs(%x0) : ({type}) -> {type}", np.abs(a.astype(np.float64))),
    ):
        same(evaluate(ops, [(type, a)], type, gpu), expected)
    with np.errstate(all="ignore"):
        expected = rounded(np.sqrt(a.astype(np.float64)), type)
    ops = f"%result = llvm.intr.sqrt(%x0) : ({type}) -> {type}"
    same(evaluate(ops, [(type, a)], type, gpu), expected)
    ops = f"%result = llvm.intr.copysign(%x0, %x1) : ({type}, {type}) -> {type}"
    expected = np.copysign(a.astype(np.float64), b.astype(np.float64))
    numbers = ~np.isnan(b)
    same(evaluate(ops, [(type, a), (type, b)], type, gpu)[numbers], expected[numbers])


EXTREMA: dict[str, Callable[[Array, Array], Array]] = {
    "maxnum": np.fmax,
    "minnum": np.fmin,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", EXTREMA)
def test_extrema(name: str, type: str) -> None:
    a, b = samples(type), shuffled(type)
    ops = f"%result = llvm.intr.{name}(%x0, %x1) : ({type}, {type}) -> {type}"
    result = evaluate(ops, [(type, a), (type, b)], type).astype(np.float64)
    expected = EXTREMA[name](a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_array_equal(result, expected)


ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "rint": np.rint,
    "roundeven": np.rint,
}


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", ROUNDINGS)
def test_rounding_to_integral(name: str, type: str) -> None:
    a = samples(type)
    ops = f"%result = llvm.intr.{name}(%x0) : ({type}) -> {type}"
    same(evaluate(ops, [(type, a)], type), rounded(ROUNDINGS[name](a.astype(np.float64)), type))


COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "oeq": lambda a, b: a == b,
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "one": lambda a, b: (a < b) | (a > b),
    "ord": lambda a, b: ~np.isnan(a) & ~np.isnan(b),
    "ueq": lambda a, b: ~((a < b) | (a > b)),
    "ugt": lambda a, b: ~(a <= b),
    "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b),
    "ule": lambda a, b: ~(a > b),
    "une": lambda a, b: a != b,
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "_true": lambda a, b: np.ones(len(a), bool),
    "_false": lambda a, b: np.zeros(len(a), bool),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("predicate", COMPARISONS)
def test_comparison(predicate: str, type: str, gpu: str) -> None:
    a, b = samples(type), shuffled(type)
    b[::3] = a[::3]
    ops = f"""%c = llvm.fcmp "{predicate}" %x0, %x1 : {type}
    %result = llvm.zext %c : i1 to i32"""
    expected = COMPARISONS[predicate](a.astype(np.float64), b.astype(np.float64))
    result = evaluate(ops, [(type, a), (type, b)], "i32", gpu)
    np.testing.assert_array_equal(result, expected.astype(np.int32))


INTEGERS = ("i8", "i16", "i32", "i64")


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("type", FLOATS)
def test_float_to_integer(type: str, to: str) -> None:
    limit = min(2.0 ** (int(to[1:]) - 1) - 1, 60000.0)
    a = np.concatenate([np.linspace(-limit, limit, 61), [0.9, -0.9, 1.5]]).astype(DTYPES[type])
    a = np.where(np.abs(a.astype(np.float64)) > limit, 1, a).astype(DTYPES[type])
    result = evaluate(f"%result = llvm.fptosi %x0 : {type} to {to}", [(type, a)], to)
    np.testing.assert_array_equal(result, np.trunc(a.astype(np.float64)).astype(DTYPES[to]))
    positive = np.abs(a)
    result = evaluate(f"%result = llvm.fptoui %x0 : {type} to {to}", [(type, positive)], to)
    expected = np.trunc(positive.astype(np.float64)).astype(DTYPES[to])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
def test_bf16_is_rounded_once(gpu: str) -> None:
    """A bit that f32 cannot hold decides between two neighbours."""
    above, tie = (1 << 40) + (1 << 32) + 1, (1 << 40) + (1 << 32)
    a = np.array([above, tie, -above, -tie, above + (1 << 33), 3], np.int64)
    expected = np.array([2**40 + 2**33, 2**40, -(2**40) - 2**33, -(2**40), 2**40 + 2**33, 3.0])
    expected[4] = 2**40 + 2**34
    ops = "%result = llvm.sitofp %x0 : i64 to bf16"
    same(evaluate(ops, [("i64", a)], "bf16", gpu), expected)
    ops = "%result = llvm.uitofp %x0 : i64 to bf16"
    positive = a > 0
    same(evaluate(ops, [("i64", a)], "bf16", gpu)[positive], expected[positive])
    ops = "%result = llvm.fptrunc %x0 : f64 to bf16"
    wide = np.concatenate([a.astype(np.float64), [1e300, -1e-300, np.inf, np.nan]])
    corners = np.array([np.inf, -0.0, np.inf, np.nan])
    same(evaluate(ops, [("f64", wide)], "bf16", gpu), np.concatenate([expected, corners]))


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("type", INTEGERS)
def test_integer_to_float(type: str, to: str) -> None:
    width = int(type[1:])
    generator = np.random.default_rng(2)
    limit = min(1 << (width - 1), 1 << 50)
    a = generator.integers(-limit, limit, 64, np.int64).astype(DTYPES[type])
    wide = a.astype(np.float64)
    ops = f"%result = llvm.sitofp %x0 : {type} to {to}"
    same(evaluate(ops, [(type, a)], to), rounded(wide, to))
    positive = np.abs(a.astype(np.int64)).astype(DTYPES[type])
    ops = f"%result = llvm.uitofp %x0 : {type} to {to}"
    unsigned = positive.view(f"u{width // 8}").astype(np.float64)
    same(evaluate(ops, [(type, positive)], to), rounded(unsigned, to))


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
@pytest.mark.parametrize("pair", [(a, b) for n, b in enumerate(FLOATS) for a in FLOATS[:n]])
def test_widen_and_narrow(pair: tuple[str, str], gpu: str) -> None:
    small, large = pair
    if pair == ("f16", "bf16"):
        return
    a = samples(small)
    same(evaluate(f"%result = llvm.fpext %x0 : {small} to {large}", [(small, a)], large, gpu), a)
    a = samples(large)
    ops = f"%result = llvm.fptrunc %x0 : {large} to {small}"
    same(evaluate(ops, [(large, a)], small, gpu), rounded(a, small))


@pytest.mark.parametrize("pair", (("i32", "f32"), ("i64", "f64"), ("i16", "f16"), ("i16", "bf16")))
def test_bitcast(pair: tuple[str, str]) -> None:
    integer, floating = pair
    a = np.random.default_rng(1).integers(0, 1 << 15, 64).astype(DTYPES[integer])
    ops = f"%result = llvm.bitcast %x0 : {integer} to {floating}"
    result = evaluate(ops, [(integer, a)], floating)
    np.testing.assert_array_equal(result.view(a.dtype), a)
    ops = f"""%f = llvm.bitcast %x0 : {integer} to {floating}
    %result = llvm.bitcast %f : {floating} to {integer}"""
    np.testing.assert_array_equal(evaluate(ops, [(integer, a)], integer), a)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", ("sitofp", "uitofp"))
@pytest.mark.parametrize("width", (32, 64))
def test_integers_next_to_ties_of_bf16(width: int, name: str, gpu: str) -> None:
    """They have more digits than f32: a first rounding to nearest would land on the tie."""
    rng, type = np.random.default_rng(width), f"i{width}"
    ties = (2 * rng.integers(128, 256, 64) + 1) << width - 11
    values = ties + rng.choice([-1, 1], 64)
    ops = f"%result = llvm.{name} %x0 : {type} to bf16"
    found = evaluate(ops, [(type, values)], "bf16", gpu)
    expected = [round_exact(Fraction(int(x)), np.dtype(ml_dtypes.bfloat16), "rn") for x in values]
    np.testing.assert_array_equal(found.astype(np.float64), expected)


def test_bytes_bitcast() -> None:
    values = np.arange(-32000, 32000, 1001).astype(np.int16)
    ops = """%v = llvm.bitcast %x0 : i16 to vector<2xi8>
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %low = llvm.extractelement %v[%i0 : i32] : vector<2xi8>
    %high = llvm.extractelement %v[%i1 : i32] : vector<2xi8>
    %u = llvm.mlir.undef : vector<2xi8>
    %w = llvm.insertelement %high, %u[%i0 : i32] : vector<2xi8>
    %x = llvm.insertelement %low, %w[%i1 : i32] : vector<2xi8>
    %result = llvm.bitcast %x : vector<2xi8> to i16"""
    swapped = evaluate(ops, [("i16", values)], "i16")
    np.testing.assert_array_equal(swapped, values.byteswap())


def test_vector_bitcasts() -> None:
    a = np.random.default_rng(1).integers(-(1 << 62), 1 << 62, 64)
    ops = """%v = llvm.bitcast %x0 : i64 to vector<2xi32>
    %w = llvm.bitcast %v : vector<2xi32> to vector<2xf32>
    %x = llvm.bitcast %w : vector<2xf32> to i64
    %h = llvm.bitcast %x : i64 to vector<4xi16>
    %result = llvm.bitcast %h : vector<4xi16> to i64"""
    np.testing.assert_array_equal(evaluate(ops, [("i64", a)], "i64"), a)


INTRINSICS: dict[str, tuple[str, str]] = {
    "llvm.nvvm.add.rz.f": ("f32", "add.rz.f32"),
    "llvm.nvvm.add.rp.ftz.f": ("f32", "add.rp.ftz.f32"),
    "llvm.nvvm.mul.rm.d": ("f64", "mul.rm.f64"),
    "llvm.nvvm.div.rn.f": ("f32", "div.rn.f32"),
    "llvm.nvvm.div.approx.ftz.f": ("f32", "div.approx.ftz.f32"),
    "llvm.nvvm.fmax.nan.f": ("f32", "max.NaN.f32"),
    "llvm.nvvm.fmin.ftz.f": ("f32", "min.ftz.f32"),
    "llvm.nvvm.mulhi.ui": ("i32", "mul.hi.u32"),
}


@pytest.mark.parametrize("name", INTRINSICS)
def test_intrinsics_of_two_operands(name: str) -> None:
    type, opcode = INTRINSICS[name]
    ops = f'%result = llvm.call_intrinsic "{name}"(%x0, %x1) : ({type}, {type}) -> {type}'
    text = ptx(elementwise(ops, [type, type], type))
    assert f"\t{opcode} %" in text
    assemble(text, "sm_90a")


def test_saturation() -> None:
    a = np.array([0.25, 3.0, -1.0, np.nan, -0.0, np.inf], np.float32)
    ops = """%half = llvm.mlir.constant(0.5 : f32) : f32
    %result = llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"(%x0, %half, %half) : (f32, f32, f32) -> f32"""
    result = evaluate(ops, [("f32", a)], "f32")
    np.testing.assert_array_equal(result, np.array([0.625, 1, 0, 0, 0.5, 1], np.float32))


def test_directed_rounding() -> None:
    a, b = np.full(4, 1.0, np.float32), np.full(4, 1e-9, np.float32)
    for mode, expected in (("rn", 1.0), ("rz", 1.0), ("rm", 1.0), ("rp", 1.0000001)):
        ops = (
            f'%result = llvm.call_intrinsic "llvm.nvvm.add.{mode}.f"(%x0, %x1) : (f32, f32) -> f32'
        )
        result = evaluate(ops, [("f32", a), ("f32", b)], "f32")
        np.testing.assert_array_equal(result, np.float32(expected))


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("type", FLOATS)
def test_ptxas_accepts(type: str, gpu: str) -> None:
    t, lines = type, ["%r0 = llvm.fadd %x0, %x1 : " + type]
    for name in BINARY:
        lines.append(f"%r{len(lines)} = {name} %r{len(lines) - 1}, %x1 : {t}")
    for name in EXTREMA if type != "f64" else ("maxnum", "minnum"):
        lines.append(
            f"%r{len(lines)} = llvm.intr.{name}(%r{len(lines) - 1}, %x1) : ({t}, {t}) -> {t}"
        )
    for name in (*ROUNDINGS, "fabs", "sqrt"):
        lines.append(f"%r{len(lines)} = llvm.intr.{name}(%r{len(lines) - 1}) : ({t}) -> {t}")
    if type != "f64":
        for name in ("exp2", "log2"):
            lines.append(f"%r{len(lines)} = llvm.intr.{name}(%r{len(lines) - 1}) : ({t}) -> {t}")
        for name in ("sin", "cos", "tanh"):
            lines.append(
                f"%r{len(lines)} = llvm.intr.{name}(%r{len(lines) - 1}) "
                f"{{fastmathFlags = #llvm.fastmath<afn>}} : ({t}) -> {t}"
            )
    ops = "\n".join([*lines, f"%result = llvm.fneg %r{len(lines) - 1} : {t}"])
    assemble(ptx(elementwise(ops, [type, type], type), gpu), gpu)


def test_contraction_is_a_matter_of_flags() -> None:
    ops = """%a = llvm.fmul %x0, %x1 {fastmathFlags = #llvm.fastmath<contract>} : f32
    %result = llvm.fadd %a, %x1 : f32"""
    text = ptx(elementwise(ops, ["f32", "f32"], "f32"))
    assert "mul.f32" in text and "add.rn.f32" in text


def test_packed_halves() -> None:
    a, b = samples("f32"), shuffled("f32")
    ops = """%i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %u = llvm.mlir.undef : vector<2xf32>
    %v = llvm.insertelement %x0, %u[%i0 : i32] : vector<2xf32>
    %w = llvm.insertelement %x1, %v[%i1 : i32] : vector<2xf32>
    %h = llvm.fptrunc %w : vector<2xf32> to vector<2xbf16>
    %s = llvm.fadd %h, %h : vector<2xbf16>
    %e = llvm.fpext %s : vector<2xbf16> to vector<2xf32>
    %result = llvm.extractelement %e[%i1 : i32] : vector<2xf32>"""
    text = ptx(elementwise(ops, ["f32", "f32"], "f32"))
    assert "cvt.rn.bf16x2.f32" in text and "add.rn.bf16x2" in text
    halves = rounded(b, "bf16").astype(np.float64)
    same(
        evaluate(ops, [("f32", a), ("f32", b)], "f32"),
        rounded(halves + halves, "bf16").astype(np.float32),
    )


@pytest.mark.parametrize(
    ("gpu", "opcode", "count"), [("sm_90a", "fma.rn.f32 ", 2), ("sm_100a", "fma.rn.f32x2", 1)]
)
def test_pairs_of_f32(gpu: str, opcode: str, count: int) -> None:
    a, b = np.nan_to_num(samples("f32")) * np.float32(2.0**-65), shuffled("f32")
    ops = """%i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %u = llvm.mlir.undef : vector<2xf32>
    %v = llvm.insertelement %x0, %u[%i0 : i32] : vector<2xf32>
    %w = llvm.insertelement %x1, %v[%i1 : i32] : vector<2xf32>
    %c = llvm.mlir.constant(dense<[0.0, 1.5]> : vector<2xf32>) : vector<2xf32>
    %d = llvm.intr.fma(%w, %w, %c) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    %low = llvm.extractelement %d[%i0 : i32] : vector<2xf32>
    %high = llvm.extractelement %d[%i1 : i32] : vector<2xf32>
    %result = llvm.fsub %low, %high : f32"""
    text = ptx(elementwise(ops, ["f32", "f32"], "f32"), gpu)
    assert text.count(opcode) == count
    assemble(text, gpu)
    with np.errstate(all="ignore"):
        wide = [x.astype(np.float64) ** 2 + y for x, y in ((a, 0.0), (b, 1.5))]
        low, high = (x.astype(np.float32) for x in wide)
        same(evaluate(ops, [("f32", a), ("f32", b)], "f32", gpu), low - high)


FLOAT8 = {"f8E4M3FN": (ml_dtypes.float8_e4m3fn, 448.0), "f8E5M2": (ml_dtypes.float8_e5m2, 57344.0)}
SATURATING = "rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>"


def saturated(values: Array, type: str) -> Array:
    """Values as 8-bit floats, the largest finite one instead of anything larger."""
    dtype, limit = FLOAT8[type]
    return np.clip(values, -limit, limit).astype(dtype)


@pytest.mark.parametrize("type", FLOAT8)
def test_pairs_of_float8(type: str) -> None:
    a, b = samples("f32"), shuffled("f32")
    inputs = [("f32", a), ("f32", b)]
    ops = f"%result = nvvm.convert.f32x2.to.f8x2 %x0, %x1 {{{SATURATING}}} : i16 ({type})"
    pairs = evaluate(ops, inputs, "i16").view(FLOAT8[type][0]).reshape(-1, 2)
    same(pairs[:, 1], saturated(a, type))
    same(pairs[:, 0], saturated(b, type))

    back = """%e = llvm.fpext {} : vector<2xf16> to vector<2xf32>
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %low = llvm.extractelement %e[%i0 : i32] : vector<2xf32>
    %high = llvm.extractelement %e[%i1 : i32] : vector<2xf32>
    %result = llvm.{} %low, %high : f32"""
    ops = f"""%p = nvvm.convert.f32x2.to.f8x2 %x0, %x1 {{{SATURATING}}} : vector<2xi8> ({type})
    %h = nvvm.convert.f8x2.to.f16x2 %p : vector<2xi8> ({type}) -> vector<2xf16>
    {back.format("%h", "fsub")}"""
    wide = [saturated(x, type).astype(np.float32) for x in (b, a)]
    same(evaluate(ops, inputs, "f32"), wide[0] - wide[1])

    ops = f"""%i = llvm.mlir.constant(0 : i32) : i32
    %j = llvm.mlir.constant(1 : i32) : i32
    %u = llvm.mlir.undef : vector<2xf16>
    %v = llvm.insertelement %x0, %u[%i : i32] : vector<2xf16>
    %w = llvm.insertelement %x1, %v[%j : i32] : vector<2xf16>
    %p = nvvm.convert.f16x2.to.f8x2 %w {{relu = true}} : vector<2xf16> -> vector<2xi8> ({type})
    %h = nvvm.convert.f8x2.to.f16x2 %p : vector<2xi8> ({type}) -> vector<2xf16>
    {back.format("%h", "fsub")}"""
    a, b = np.nan_to_num(samples("f16")), np.nan_to_num(shuffled("f16"))
    wide = [saturated(np.maximum(x, 0), type).astype(np.float32) for x in (a, b)]
    same(evaluate(ops, [("f16", a), ("f16", b)], "f32"), wide[0] - wide[1])
