"""Floating-point arithmetic (PTX ISA, "Floating-Point", "Half Precision", "Mixed Precision").

Approximate instructions return the correctly rounded value: it is within the error bound of the
manual, but not bit-identical to any GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tileir_xdsl.emulator import numerics
from tileir_xdsl.emulator.instructions.elementwise import Function, FunctionOf, elementwise
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.numerics import Rounding
from tileir_xdsl.emulator.types import Array, Mask

_ROUNDING = "<rounding:rn|rz|rm|rp>"
_HALVES = "f16|f16x2"
_BRAINS = "bf16|bf16x2"


def rounding_of(match: Match) -> Rounding:
    match match["rounding"]:
        case "rz":
            return "rz"
        case "rm":
            return "rm"
        case "rp":
            return "rp"
        case _:
            return "rn"


def relu(x: Array) -> Array:
    """Replaces negative results by zero, and NaNs by the canonical NaN."""
    return np.where(x < 0, x.dtype.type(0), canonical_nan(x))


def canonical_nan(x: Array) -> Array:
    """Replaces NaNs by the one with all bits set but the sign (for bf16 and f16, 0x7FFF)."""
    nan = np.isnan(x)
    if not np.count_nonzero(nan):
        return x
    bits = x.dtype.itemsize * 8
    pattern = (1 << (bits - 1)) - 1 if bits < 64 else 0x7FF8_0000_0000_0000
    return np.where(nan, np.array(pattern, f"u{x.dtype.itemsize}").view(x.dtype), x)


def _with_modifiers(core: FunctionOf) -> FunctionOf:
    """Applies `.ftz`, `.sat` and `.relu` around a function, if the instruction has them."""

    def chosen(match: Match) -> Function:
        function = core(match)
        flush = match.has("ftz")
        finish: Callable[[Array], Array] | None = None
        if match.has("sat"):
            finish = numerics.saturate
        elif match.has("relu"):
            finish = relu
        if not flush and finish is None:
            return function

        def modified(*operands: Array) -> Array:
            if flush:
                operands = tuple(numerics.flush_subnormals(operand) for operand in operands)
            result = function(*operands)
            if flush:
                result = numerics.flush_subnormals(result)
            return result if finish is None else finish(result)

        return modified

    return chosen


def _by_rounding(
    nearest: Function, narrow: Callable[..., Array], double: Callable[..., Array]
) -> FunctionOf:
    """Chooses the numpy function for rounding to nearest, or a correctly rounded one."""

    def core(match: Match) -> Function:
        rounding = rounding_of(match)
        if rounding == "rn":
            return nearest
        directed = double if match.type().name == "f64" else narrow
        return partial(directed, rounding=rounding)

    return _with_modifiers(core)


_ADD = _by_rounding(np.add, numerics.add, numerics.add_double)
_SUBTRACT = _by_rounding(np.subtract, numerics.subtract, numerics.subtract_double)
_MULTIPLY = _by_rounding(np.multiply, numerics.multiply, numerics.multiply_double)
_DIVIDE = _by_rounding(np.divide, numerics.divide, numerics.divide_double)
_SQUARE_ROOT = _by_rounding(np.sqrt, numerics.square_root, numerics.square_root_double)
_RECIPROCAL = _by_rounding(np.reciprocal, numerics.reciprocal, numerics.reciprocal_double)


def _fused(match: Match) -> Function:
    function = numerics.fma_double if match.type().name == "f64" else numerics.fma
    return partial(function, rounding=rounding_of(match))


_FUSED = _with_modifiers(_fused)


def _extremum(match: Match) -> Function:
    """`min` and `max`: -0 is below +0; a number wins over NaN unless `.NaN` is given."""
    smallest = match.instruction.opcode == "min"
    if match.has("NaN"):
        choose = np.minimum if smallest else np.maximum
    else:
        choose = np.fmin if smallest else np.fmax
    combine_bits = np.bitwise_or if smallest else np.bitwise_and

    def two(a: Array, b: Array) -> Array:
        result = choose(a, b)
        equal = a == b
        if np.count_nonzero(equal):
            # Equal operands differ at most in the sign of a zero.
            integer = np.dtype(f"u{a.dtype.itemsize}")
            both = combine_bits(a.view(integer), b.view(integer)).view(a.dtype)
            result = np.where(equal, both, result)
        return canonical_nan(result)

    def two_with_sign_of_mma(a: Array, b: Array) -> Array:
        result = two(np.abs(a), np.abs(b))
        return np.where(np.signbit(a) != np.signbit(b), -result, result)

    def two_magnitudes(a: Array, b: Array) -> Array:
        return two(np.abs(a), np.abs(b))

    compare = two_magnitudes if match.has("abs") else two
    compare = two_with_sign_of_mma if match.has("xorsign") else compare

    def extremum(a: Array, b: Array, c: Array | None = None) -> Array:
        result = compare(a, b)
        return result if c is None else compare(result, c)

    return extremum


_EXTREMUM = _with_modifiers(_extremum)


def _through_doubles(function: Function) -> FunctionOf:
    """A function of one operand computed in double precision and rounded once."""

    def core(match: Match) -> Function:
        dtype = match.type().dtype

        def rounded(a: Array) -> Array:
            return numerics.narrow(np.asarray(function(a.astype(np.float64))), dtype)

        return rounded

    return _with_modifiers(core)


def _approximate_quotient(match: Match) -> Function:
    """`div.approx`: dividing by more than 2**126 yields zero (NaN for an infinite dividend)."""
    del match

    def quotient(a: Array, b: Array) -> Array:
        exact = numerics.divide(a, b, "rn")
        huge = (np.abs(b) > np.float32(2.0**126)) & np.isfinite(b)
        zero = np.copysign(np.float32(0), a) * np.copysign(np.float32(1), b)
        flushed = np.where(np.isinf(a), np.float32(np.nan), zero)
        return np.where(huge & ~np.isnan(a), flushed, exact)

    return quotient


def _quotient(match: Match) -> Function:
    del match
    return partial(numerics.divide, rounding="rn")


def _approximate_double(function: Function) -> Function:
    """The `.approx.ftz.f64` forms use the upper 32 bits of operand and result only."""
    upper = np.uint64(0xFFFF_FFFF_0000_0000)

    def approximate(a: Array) -> Array:
        flushed = numerics.flush_subnormals((a.view(np.uint64) & upper).view(np.float64))
        result = numerics.flush_subnormals(function(flushed))
        return (result.view(np.uint64) & upper).view(np.float64)

    return approximate


def _copy_sign(a: Array, b: Array) -> Array:
    """`copysign`: the magnitude of the second operand with the sign of the first."""
    return np.copysign(b, a)


_SUBNORMAL = {np.dtype(np.float32): 2.0**-126, np.dtype(np.float64): 2.0**-1022}


def _test_property(match: Match) -> Function:
    """`testp`: tests a property of one operand."""
    smallest = _SUBNORMAL[match.type().dtype]

    def test(a: Array) -> Mask:
        match match["property"]:
            case "finite":
                return np.isfinite(a)
            case "infinite":
                return np.isinf(a)
            case "number":
                return ~np.isnan(a)
            case "notanumber":
                return np.isnan(a)
            case "normal":
                return np.isfinite(a) & (np.abs(a) >= smallest)
            case _:
                return (np.abs(a) < smallest) & (a != 0)

    return test


def _always(function: Function) -> FunctionOf:
    def core(match: Match) -> Function:
        del match
        return function

    return _with_modifiers(core)


_BINARY = "type <- type, type"
_TERNARY = "type <- type, type, type"
_UNARY = "type <- type"


def _additions(opcode: str, by: FunctionOf) -> tuple[Form, ...]:
    """The forms of `add`, `sub` or `mul`: the three have the same ones."""
    return (
        elementwise(f"{opcode}{{.{_ROUNDING}}}{{.ftz}}{{.sat}}.<type:f32> d, a, b", _BINARY, by=by),
        elementwise(f"{opcode}{{.{_ROUNDING}}}{{.ftz}}.<type:f32x2> d, a, b", _BINARY, by=by),
        elementwise(f"{opcode}{{.{_ROUNDING}}}.<type:f64> d, a, b", _BINARY, by=by),
        elementwise(
            f"{opcode}{{.<rounding:rn>}}{{.ftz}}{{.sat}}.<type:{_HALVES}> d, a, b", _BINARY, by=by
        ),
        elementwise(f"{opcode}{{.<rounding:rn>}}.<type:{_BRAINS}> d, a, b", _BINARY, by=by),
    )


def _widened(by: FunctionOf, count: int) -> FunctionOf:
    """Widens the first operands, halves, for a function of singles."""

    def core(match: Match) -> Function:
        function = by(match)

        def apply(*operands: Array) -> Array:
            wide = [operand.astype(np.float32) for operand in operands[:count]]
            return function(*wide, *operands[count:])

        return apply

    return core


_MIXED = "{.sat}.<type:f32>.<narrow:f16|bf16>"


def _approximations(opcode: str, function: Function) -> tuple[Form, ...]:
    """`opcode.approx{.ftz}.f32`."""
    by = _through_doubles(function)
    return (elementwise(f"{opcode}.approx{{.ftz}}.<type:f32> d, a", _UNARY, by=by),)


def _reciprocal_square_root(a: Array) -> Array:
    return np.copysign(1.0, a) / np.abs(np.sqrt(a))


FORMS: tuple[Form, ...] = (
    *_additions("add", _ADD),
    *_additions("sub", _SUBTRACT),
    *_additions("mul", _MULTIPLY),
    *(
        elementwise(
            f"{opcode}{{.{_ROUNDING}}}{_MIXED} d, a, b", "type <- narrow, type", by=_widened(by, 1)
        )
        for opcode, by in (("add", _ADD), ("sub", _SUBTRACT))
    ),
    elementwise(
        f"fma.{_ROUNDING}{_MIXED} d, a, b, c",
        "type <- narrow, narrow, type",
        by=_widened(_FUSED, 2),
    ),
    elementwise(f"fma.{_ROUNDING}{{.ftz}}{{.sat}}.<type:f32> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"fma.{_ROUNDING}{{.ftz}}.<type:f32x2> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"fma.{_ROUNDING}.<type:f64> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"fma.rn{{.ftz}}{{.sat}}.<type:{_HALVES}> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"fma.rn{{.ftz}}.relu.<type:{_HALVES}> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"fma.rn{{.relu}}.<type:{_BRAINS}> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"mad.{_ROUNDING}{{.ftz}}{{.sat}}.<type:f32> d, a, b, c", _TERNARY, by=_FUSED),
    elementwise(f"mad.{_ROUNDING}.<type:f64> d, a, b, c", _TERNARY, by=_FUSED),
    *(
        form
        for opcode in ("min", "max")
        for form in (
            elementwise(
                f"{opcode}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.<type:f32> d, a, b{{, c}}",
                "type <- type, type, type",
                by=_EXTREMUM,
            ),
            elementwise(
                f"{opcode}{{.ftz}}{{.NaN}}.abs.<type:f32> d, a, b, c",
                "type <- type, type, type",
                by=_EXTREMUM,
            ),
            elementwise(f"{opcode}.<type:f64> d, a, b", _BINARY, by=_EXTREMUM),
            elementwise(
                f"{opcode}{{.ftz}}{{.NaN}}{{.xorsign.abs}}.<type:{_HALVES}> d, a, b",
                _BINARY,
                by=_EXTREMUM,
            ),
            elementwise(
                f"{opcode}{{.NaN}}{{.xorsign.abs}}.<type:{_BRAINS}> d, a, b", _BINARY, by=_EXTREMUM
            ),
        )
    ),
    elementwise("abs{.ftz}.<type:f32|f16|f16x2> d, a", _UNARY, by=_always(np.abs)),
    elementwise("abs.<type:f64|bf16|bf16x2> d, a", _UNARY, np.abs),
    elementwise("neg{.ftz}.<type:f32|f16|f16x2> d, a", _UNARY, by=_always(np.negative)),
    elementwise("neg.<type:f64|bf16|bf16x2> d, a", _UNARY, np.negative),
    elementwise(
        "div.approx{.ftz}.<type:f32> d, a, b", _BINARY, by=_with_modifiers(_approximate_quotient)
    ),
    elementwise("div.full{.ftz}.<type:f32> d, a, b", _BINARY, by=_with_modifiers(_quotient)),
    elementwise(f"div.{_ROUNDING}{{.ftz}}.<type:f32> d, a, b", _BINARY, by=_DIVIDE),
    elementwise(f"div.{_ROUNDING}.<type:f64> d, a, b", _BINARY, by=_DIVIDE),
    elementwise(f"rcp.{_ROUNDING}{{.ftz}}.<type:f32> d, a", _UNARY, by=_RECIPROCAL),
    elementwise(f"rcp.{_ROUNDING}.<type:f64> d, a", _UNARY, by=_RECIPROCAL),
    elementwise(f"sqrt.{_ROUNDING}{{.ftz}}.<type:f32> d, a", _UNARY, by=_SQUARE_ROOT),
    elementwise(f"sqrt.{_ROUNDING}.<type:f64> d, a", _UNARY, by=_SQUARE_ROOT),
    *_approximations("rcp", np.reciprocal),
    *_approximations("sqrt", np.sqrt),
    *_approximations("rsqrt", _reciprocal_square_root),
    *_approximations("sin", np.sin),
    *_approximations("cos", np.cos),
    *_approximations("lg2", np.log2),
    *_approximations("ex2", np.exp2),
    elementwise("rcp.approx.ftz.f64 d, a", "f64 <- f64", _approximate_double(np.reciprocal)),
    elementwise(
        "rsqrt.approx.ftz.f64 d, a", "f64 <- f64", _approximate_double(_reciprocal_square_root)
    ),
    elementwise("rsqrt.approx.f64 d, a", "f64 <- f64", _reciprocal_square_root),
    elementwise(f"ex2.approx.<type:{_HALVES}> d, a", _UNARY, by=_through_doubles(np.exp2)),
    elementwise(f"ex2.approx.ftz.<type:{_BRAINS}> d, a", _UNARY, by=_through_doubles(np.exp2)),
    elementwise(
        f"tanh.approx.<type:f32|{_HALVES}|{_BRAINS}> d, a", _UNARY, by=_through_doubles(np.tanh)
    ),
    elementwise("copysign.<type:f32|f64> d, a, b", _BINARY, _copy_sign),
    elementwise(
        "testp.<property:finite|infinite|number|notanumber|normal|subnormal>.<type:f32|f64> p, a",
        "pred <- type",
        by=_test_property,
    ),
)
