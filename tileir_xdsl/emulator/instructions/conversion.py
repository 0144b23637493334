"""Type conversion, `cvt` (PTX ISA, "cvt", "cvt.pack").

Registers of integer operands may be wider: their low bits are converted, and results are extended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator import numerics
from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.floating_point import canonical_nan, relu, rounding_of
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.types import Array, ScalarType

_INTEGERS = "u8|u16|u32|u64|s8|s16|s32|s64"
_FLOATS = "f16|bf16|f32|f64"
_TO_INTEGRAL = "<rounding:rni|rzi|rmi|rpi>"
_ROUNDING = "<rounding:rn|rz|rm|rp>"
_FP8 = "e4m3x2|e5m2x2"


def _between_integers(match: Match) -> Function:
    dtype = match.type("result").dtype

    def wrapped(a: Array) -> Array:
        return a.astype(dtype)

    if not match.has("sat"):
        return wrapped
    limits = np.iinfo(dtype)

    def saturated(a: Array) -> Array:
        source = np.iinfo(a.dtype)
        low, high = max(limits.min, source.min), min(limits.max, source.max)
        return np.clip(a, a.dtype.type(low), a.dtype.type(high)).astype(dtype)

    return saturated


def _flush(a: Array, match: Match) -> Array:
    """Flushes subnormals for `.ftz`, in single precision only."""
    return numerics.flush_subnormals(a) if match.has("ftz") and a.dtype == np.float32 else a


def _integer_to_float(match: Match) -> Function:
    dtype, rounding = match.type("result").dtype, rounding_of(match)

    def convert(a: Array) -> Array:
        if dtype != np.float64:
            result = numerics.narrow(numerics.integer_to_odd(a), dtype, rounding)
        elif rounding == "rn" or a.dtype.itemsize < 8:
            result = a.astype(np.float64)
        else:
            result = numerics.integer_to_double(a, rounding)
        return numerics.saturate(result) if match.has("sat") else result

    return convert


def _float_to_integer(match: Match) -> Function:
    dtype, rounding = match.type("result").dtype, match["rounding"]

    def convert(a: Array) -> Array:
        return numerics.float_to_integer(_flush(a, match), dtype, rounding)

    return convert


def _finish(match: Match) -> Callable[[Array], Array]:
    """A function that applies `.sat`, `.satfinite`, `.relu` and `.ftz`, and canonical NaNs."""

    def finish(a: Array) -> Array:
        a = _flush(a, match)
        if match.has("sat"):
            return numerics.saturate(a)
        if match.has("satfinite"):
            limit = ml_dtypes.finfo(a.dtype).max
            clipped = np.clip(a.astype(np.float64), -float(limit), float(limit)).astype(a.dtype)
            a = np.where(np.isnan(a), a, clipped)
        if match.has("relu"):
            a = relu(a)
        return canonical_nan(a) if a.dtype.itemsize == 2 else a

    return finish


def _between_floats(match: Match) -> Function:
    """Converts floats: widening is exact, narrowing rounds; `.rni` etc. round to integers."""
    dtype = match.type("result").dtype
    integral = match["rounding"] if match["rounding"].endswith("i") else ""
    rounding = rounding_of(match)
    finish = _finish(match)

    def convert(a: Array) -> Array:
        value = _flush(a, match).astype(np.float64)
        if integral:
            value = numerics.round_to_integral(value, integral)
        return finish(numerics.narrow(value, dtype, rounding))

    return convert


def _pair_of_floats(match: Match) -> Function:
    """Packs two singles into a pair: the first operand becomes the upper half."""
    dtype, rounding = match.type("result").dtype, rounding_of(match)
    finish = _finish(match)

    def convert(a: Array, b: Array) -> Array:
        pair = np.stack(np.broadcast_arrays(b, a), axis=-1).astype(np.float64)
        return finish(numerics.narrow(pair, dtype, rounding))

    return convert


def _to_tf32(match: Match) -> Function:
    rounding = match["rounding"]

    def convert(a: Array) -> Array:
        result = numerics.round_to_tf32(a, "rna" if rounding == "rna" else rounding_of(match))
        if match.has("satfinite"):
            largest = np.array(0x7F7FE000, np.uint32).view(np.float32)
            result = np.where(np.isinf(result), np.copysign(largest, result), result)
        return relu(result) if match.has("relu") else result

    return convert


def _narrow_to_fp8(value: Array, type_: ScalarType, match: Match) -> Array:
    """Rounds to nearest even, and clamps to the largest finite number of an 8-bit type."""
    limit = float(ml_dtypes.finfo(type_.dtype).max)
    clipped = np.clip(value, -limit, limit)
    if match.has("relu"):
        clipped = np.where(clipped < 0, 0.0, clipped)
    rounded = clipped.astype(np.float32).astype(type_.dtype)
    nan = np.array(0x7F, np.uint8).view(type_.dtype)
    return np.where(np.isnan(value), nan, rounded)


def _singles_to_fp8(match: Match) -> Function:
    type_ = match.type("result")

    def convert(a: Array, b: Array) -> Array:
        pair = np.stack(np.broadcast_arrays(b, a), axis=-1).astype(np.float64)
        return _narrow_to_fp8(pair, type_, match)

    return convert


def _halves_to_fp8(match: Match) -> Function:
    type_ = match.type("result")

    def convert(a: Array) -> Array:
        return _narrow_to_fp8(a.astype(np.float64), type_, match)

    return convert


def _fp8_to_halves(match: Match) -> Function:
    finish = _finish(match)

    def convert(a: Array) -> Array:
        return finish(a.astype(np.float32).astype(np.float16))

    return convert


def _scales_from_floats(match: Match) -> Function:
    """`ue8m0`: rounds to powers of two towards zero or up, without the sign."""
    up = match["rounding"] == "rp"

    def exponents(values: Array) -> Array:
        magnitude = values.astype(np.float64)
        _, exponent = np.frexp(np.abs(magnitude))
        floor = exponent - 1
        power = np.ldexp(1.0, floor)
        biased = floor + np.where(up & (np.abs(magnitude) > power), 1, 0) + 127
        biased = np.where(magnitude == 0, 0, np.clip(biased, 0, 254))
        return np.where(np.isnan(magnitude), 255, np.where(np.isinf(magnitude), 254, biased))

    def convert(a: Array, b: Array | None = None) -> Array:
        pair = a if b is None else np.stack(np.broadcast_arrays(b, a), axis=-1)
        return exponents(pair).astype(np.uint8).view(match.type("result").dtype)

    return convert


def _floats_from_scales(match: Match) -> Function:
    dtype = match.type("result").dtype

    def convert(a: Array) -> Array:
        return canonical_nan(a.astype(np.float32).astype(dtype))

    return convert


def _packed_integers(match: Match) -> Function:
    """`cvt.pack`: saturated integers packed above the low bits of a third operand."""
    type_ = match.type("result")
    limits = np.iinfo(type_.dtype)
    bits = type_.bits
    unsigned: Any = np.dtype(f"u{type_.bytes}")

    def pack(a: Array, b: Array, c: Array | None = None) -> Array:
        high = np.clip(a, limits.min, limits.max).astype(type_.dtype).view(unsigned)
        low = np.clip(b, limits.min, limits.max).astype(type_.dtype).view(unsigned)
        pair = (high.astype(np.uint32) << np.uint32(bits)) | low
        return pair if c is None else pair | (c << np.uint32(2 * bits))

    return pack


FORMS: tuple[Form, ...] = (
    elementwise(
        f"cvt{{.sat}}.<result:{_INTEGERS}>.<type:{_INTEGERS}> d, a",
        "result <- type",
        by=_between_integers,
        relaxed=True,
    ),
    elementwise(
        f"cvt.{_ROUNDING}{{.ftz}}{{.sat}}.<result:{_FLOATS}>.<type:{_INTEGERS}> d, a",
        "result <- type",
        by=_integer_to_float,
        relaxed=True,
    ),
    elementwise(
        f"cvt.{_TO_INTEGRAL}{{.ftz}}{{.sat}}.<result:{_INTEGERS}>.<type:{_FLOATS}> d, a",
        "result <- type",
        by=_float_to_integer,
        relaxed=True,
    ),
    elementwise(
        f"cvt{{.{_TO_INTEGRAL}}}{{.ftz}}{{.sat}}.<result:{_FLOATS}>.<type:{_FLOATS}> d, a",
        "result <- type",
        by=_between_floats,
    ),
    elementwise(
        f"cvt.{_ROUNDING}{{.ftz}}{{.sat}}{{.relu}}{{.satfinite}}.<result:{_FLOATS}>"
        f".<type:{_FLOATS}> d, a",
        "result <- type",
        by=_between_floats,
    ),
    elementwise(
        "cvt.<rounding:rn|rz>{.relu}{.satfinite}.<result:f16x2|bf16x2>.f32 d, a, b",
        "result <- f32, f32",
        by=_pair_of_floats,
    ),
    elementwise(
        "cvt.<rounding:rna|rn|rz>{.relu}{.satfinite}.tf32.f32 d, a",
        "tf32 <- f32",
        by=_to_tf32,
    ),
    elementwise(
        f"cvt.rn.satfinite{{.relu}}.<result:{_FP8}>.f32 d, a, b",
        "result <- f32, f32",
        by=_singles_to_fp8,
    ),
    elementwise(
        f"cvt.rn.satfinite{{.relu}}.<result:{_FP8}>.<type:f16x2> d, a",
        "result <- type",
        by=_halves_to_fp8,
    ),
    elementwise(
        f"cvt.rn{{.relu}}.<result:f16x2>.<type:{_FP8}> d, a",
        "result <- type",
        by=_fp8_to_halves,
    ),
    elementwise(
        "cvt.<rounding:rz|rp>{.satfinite}.<result:ue8m0x2>.f32 d, a, b",
        "result <- f32, f32",
        by=_scales_from_floats,
    ),
    elementwise(
        "cvt.<rounding:rz|rp>{.satfinite}.<result:ue8m0x2>.bf16x2 d, a",
        "result <- bf16x2",
        by=_scales_from_floats,
    ),
    elementwise("cvt.rn.<result:bf16x2>.ue8m0x2 d, a", "result <- ue8m0x2", by=_floats_from_scales),
    elementwise(
        "cvt.pack.sat.<result:u16|s16>.s32 d, a, b", "b32 <- s32, s32", by=_packed_integers
    ),
    elementwise(
        "cvt.pack.sat.<result:u8|s8>.s32.b32 d, a, b, c",
        "b32 <- s32, s32, b32",
        by=_packed_integers,
    ),
)
