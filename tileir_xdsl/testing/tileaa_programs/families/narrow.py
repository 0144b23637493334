"""Narrow floats, which only conversions support: tf32 and the 8-bit and 4-bit types."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa import (
    BitcastOp,
    ClampFOp,
    FpToFpOp,
    FpToUE5M3Op,
    UE5M3ToFpOp,
)
from tileir_xdsl.testing.programs.elements import FINITE_RANGES
from tileir_xdsl.testing.tileaa_programs.draft import Shape, tile
from tileir_xdsl.testing.tileaa_programs.scope import FLOATS, NARROW, Row, Scope

_OF_BYTES = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU")


def _mode(element: str) -> RoundingMode:
    """A random rounding mode that conversions to a type allow."""
    return RoundingMode.ZERO if element == "f8E8M0FNU" else RoundingMode.NEAREST_EVEN


def _clamped(s: Scope, value: SSAValue, source: str, shape: Shape, element: str) -> SSAValue:
    """Floats clamped to the range of a narrower type, without NaN."""
    low, high = (s.filled(n, source, shape) for n in FINITE_RANGES[element])
    return s.add(ClampFOp(value, low, high, False)).result


def _narrow(s: Scope) -> None:
    """Converts clamped floats to a narrow type; values of f8E8M0FNU are positive."""
    element, shape = s.choose(NARROW), s.shape()
    source = s.choose(FLOATS)
    value = _clamped(s, s.value(source, shape), source, shape, element)
    s.keep(s.add(FpToFpOp(value, tile(element, shape), _mode(element))).result)


def _widen(s: Scope) -> None:
    value, _, shape = s.some(NARROW)
    s.keep(s.add(FpToFpOp(value, tile(s.choose(FLOATS), shape))).result)


def _between(s: Scope) -> None:
    """Converts one narrow type to another, with numbers in the ranges of both."""
    source, shape = s.choose(NARROW), s.shape()
    element = s.choose([other for other in NARROW if other != source])
    limits = FINITE_RANGES[source], FINITE_RANGES[element]
    low, high = max(low for low, _ in limits), min(high for _, high in limits)
    wide = ClampFOp(
        s.value("f32", shape), s.filled(low, "f32", shape), s.filled(high, "f32", shape), False
    )
    value = s.add(FpToFpOp(s.add(wide).result, tile(source, shape), _mode(source))).result
    s.keep(value, s.add(FpToFpOp(value, tile(element, shape), _mode(element))).result)


def _bits(s: Scope) -> None:
    """Reinterprets bytes as floats or floats as bytes; NaN payloads are preserved.

    A byte is also read as a `ue5m3` number, a format without an MLIR type.
    """
    if s.chance(0.5):
        value, _, shape = s.some(("i8",))
        s.keep(s.add(BitcastOp(value, tile(s.choose(_OF_BYTES), shape))).result)
        s.keep(s.add(UE5M3ToFpOp(value, tile("f32", shape))).result)
    else:
        value, _, shape = s.some(_OF_BYTES)
        s.keep(s.add(BitcastOp(value, tile("i8", shape))).result)
        s.keep(s.add(FpToUE5M3Op(value, tile("i8", shape))).result)


ROWS = (
    Row(1.2, _narrow),
    Row(1.2, _widen),
    Row(0.7, _between),
    Row(0.5, _bits),
)
