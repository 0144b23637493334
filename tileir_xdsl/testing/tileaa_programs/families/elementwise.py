"""Exact elementwise arithmetic, comparisons, selects and conversions."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import (
    CmpFOp,
    CmpIOp,
    ExtSIOp,
    ExtUIOp,
    SelectOp,
    SIToFPOp,
    UIToFPOp,
)
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.integer import IntegerOp
from tileir_xdsl.testing.programs.elements import width
from tileir_xdsl.testing.tileaa_programs.draft import tile
from tileir_xdsl.testing.tileaa_programs.scope import FLOATS, INTEGERS, TILE_ELEMENTS, Row, Scope

_INTEGER_OPS: tuple[Callable[[SSAValue, SSAValue], Operation], ...] = (
    *(
        op
        for op in nv_tileaa.NVTileAA.operations
        if issubclass(op, IntegerOp) and op.MEANING is not None
    ),
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinSIOp,
    arith.MinUIOp,
)
_DIVISIONS: tuple[Callable[[SSAValue, SSAValue], Operation], ...] = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
)
_SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
_ROUNDING = (
    RoundingMode.NEAREST_EVEN,
    RoundingMode.NEAREST_EVEN,
    RoundingMode.ZERO,
    RoundingMode.NEGATIVE_INF,
    RoundingMode.POSITIVE_INF,
)
_WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def _integers(s: Scope) -> None:
    left, element, shape = s.some(INTEGERS)
    s.keep(s.add(s.choose(_INTEGER_OPS)(left, s.value(element, shape))).results[0])


def _high_product(s: Scope) -> None:
    left, element, shape = s.some(("i32", "i64"))
    s.keep(s.add(nv_tileaa.MulHiUIOp(left, s.value(element, shape))).result)


def _division(s: Scope) -> None:
    """Divides by odd numbers other than -1: their lowest bit is set and their sign cleared."""
    left, element, shape = s.some(INTEGERS)
    largest = (1 << (width(element) - 1)) - 1
    positive = arith.AndIOp(s.value(element, shape), s.filled(largest, element, shape))
    divisor = arith.OrIOp(s.add(positive).result, s.filled(1, element, shape))
    s.keep(s.add(s.choose(_DIVISIONS)(left, s.add(divisor).result)).results[0])


def _shift(s: Scope) -> None:
    left, element, shape = s.some(INTEGERS)
    mask = s.filled(width(element) - 1, element, shape)
    distance = s.add(arith.AndIOp(s.value(element, shape), mask)).result
    s.keep(s.add(s.choose(_SHIFTS)(left, distance)).results[0])


def _floats(s: Scope) -> None:
    left, element, shape = s.some(FLOATS)
    right = s.value(element, shape)
    mode = s.choose(_ROUNDING) if element in ("f32", "f64") else RoundingMode.NEAREST_EVEN
    kinds: tuple[Callable[[], Operation], ...] = (
        lambda: nv_tileaa.AddFOp(left, right, mode),
        lambda: nv_tileaa.SubFOp(left, right, mode),
        lambda: nv_tileaa.MulFOp(left, right, mode),
        lambda: nv_tileaa.FmaOp(left, right, s.value(element, shape), mode),
        lambda: nv_tileaa.MaxFOp(left, right, s.chance(0.5)),
        lambda: nv_tileaa.MinFOp(left, right, s.chance(0.5)),
        lambda: arith.MaximumfOp(left, right),
        lambda: arith.MinnumfOp(left, right),
        lambda: arith.NegfOp(left),
    )
    s.keep(s.add(s.choose(kinds)()).results[0])


def _roots(s: Scope) -> None:
    left, element, shape = s.some(("f32", "f64"))
    mode = s.choose(_ROUNDING)
    if s.chance(0.5):
        s.keep(s.add(nv_tileaa.SqrtOp(left, mode)).result)
    else:
        s.keep(s.add(nv_tileaa.DivFOp(left, s.value(element, shape), mode)).result)


def _clamp(s: Scope) -> None:
    value, element, shape = s.some(FLOATS)
    low, high = (s.filled(n, element, shape) for n in (-2.0, 3.0))
    s.keep(s.add(nv_tileaa.ClampFOp(value, low, high, True)).result)


def _compare(s: Scope) -> None:
    left, element, shape = s.some()
    right = s.value(element, shape)
    if element in INTEGERS:
        predicate = s.choose(("eq", "ne", "slt", "sle", "sgt", "uge", "ult"))
        s.keep(s.add(CmpIOp(left, right, predicate)).result)
    else:
        predicate = s.choose(("oeq", "olt", "oge", "une", "ult", "ord", "uno"))
        s.keep(s.add(CmpFOp(left, right, predicate)).result)


def _select(s: Scope) -> None:
    left, element, shape = s.some((*TILE_ELEMENTS, "i1"))
    s.keep(s.add(SelectOp(s.value("i1", shape), left, s.value(element, shape))).result)


def _resize(s: Scope) -> None:
    value, element, shape = s.some(INTEGERS)
    other = s.choose([e for e in INTEGERS if e != element])
    if width(other) < width(element):
        s.keep(s.add(nv_tileaa.TruncIOp(value, tile(other, shape))).result)
    else:
        s.keep(s.add(s.choose((ExtSIOp, ExtUIOp))(value, tile(other, shape))).result)


def _to_float(s: Scope) -> None:
    """Converts integers that every float type represents exactly."""
    value, _, shape = s.some(("i8",))
    kind = s.choose((SIToFPOp, UIToFPOp))
    s.keep(s.add(kind(value, tile(s.choose(FLOATS), shape))).result)


def _to_integer(s: Scope) -> None:
    value, _, shape = s.some(("f32", "f64"))
    s.keep(s.add(nv_tileaa.FpToIntOp(value, tile("i32", shape), saturating=True)).result)


def _to_other_float(s: Scope) -> None:
    value, element, shape = s.some(FLOATS)
    other = s.choose([e for e in FLOATS if e != element])
    s.keep(s.add(nv_tileaa.FpToFpOp(value, tile(other, shape))).result)


def _bits(s: Scope) -> None:
    """Reinterprets floats as integers; not the reverse, since NaN bits are unspecified."""
    value, element, shape = s.some(("i16", "i32", "i64"))
    other = s.choose([name for name, bits in _WIDTHS.items() if bits == width(element)])
    s.keep(s.add(nv_tileaa.BitcastOp(value, tile(other, shape))).result)


ROWS = (
    Row(4, _integers),
    Row(0.7, _high_product),
    Row(1.2, _division),
    Row(1.5, _shift),
    Row(4, _floats),
    Row(1.2, _roots),
    Row(0.5, _clamp),
    Row(1.5, _compare),
    Row(2, _select),
    Row(1.5, _resize),
    Row(0.7, _to_float),
    Row(0.7, _to_integer),
    Row(1, _to_other_float),
    Row(0.5, _bits),
)
