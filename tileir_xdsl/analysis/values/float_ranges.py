"""The range in which a float lies, derived from the ops that compute it.

A range tells nothing about NaN, which any float may be. Divisions use ranges, because a divisor
that is neither tiny nor huge has a normal inverse.
"""

import math as numbers
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerType,
)
from xdsl.ir import Operation, OpResult, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import RepeatedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import look_up

from .on_demand import FactsOnDemand


@dataclass(frozen=True)
class FloatRange:
    """Numbers from `low` to `high`; those that are not zero have at least the magnitude `least`."""

    low: float = -numbers.inf
    high: float = numbers.inf
    least: float = 0.0

    @property
    def most(self) -> float:
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high))


ANY = FloatRange()

Rule = Callable[[Operation, Sequence[FloatRange]], FloatRange]
"""The range of an op's result by those of its operands."""


def _between(low: float, high: float) -> FloatRange:
    return FloatRange(low, high, max(low, -high, 0.0))


def _constant(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    assert isinstance(op, arith.ConstantOp)
    match op.value:
        case FloatAttr():
            values = [op.value.value.data]
        case DenseIntOrFPElementsAttr():
            values = [value for value in op.value.get_values() if isinstance(value, float)]
        case _:
            return ANY
    # NaN is outside of every range by definition here.
    values = [value for value in values if not numbers.isnan(value)]
    least = min((abs(value) for value in values if value), default=0.0)
    return FloatRange(min(values), max(values), least) if values else ANY


def _signed(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    most = 2.0 ** (_width(op) - 1)
    # An integer that is not zero is at least 1, and rounding keeps that.
    return FloatRange(-most, most, 1.0)


def _unsigned(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    return FloatRange(0.0, 2.0 ** _width(op), 1.0)


def _width(conversion: Operation) -> int:
    element = tile_shape(conversion.operands[0].type).element
    assert isinstance(element, IntegerType)
    return element.width.data


def _not_negative(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    return _between(0.0, numbers.inf)


def _at_least_one(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    return _between(1.0, numbers.inf)


def _sum(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    """The range of a sum. Rounding is monotonic, so bounds that need no rounding stay bounds."""
    first, second = operands
    low, high = first.low + second.low, first.high + second.high
    return _between(
        # A bound that is rounded itself could lie on the wrong side of a sum.
        low if _needs_no_rounding(low) else -numbers.inf,
        high if _needs_no_rounding(high) else numbers.inf,
    )


def _needs_no_rounding(value: float) -> bool:
    """Whether a number is a normal f32, or zero."""
    if numbers.isinf(value):
        return True
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return False
    return rounded == value and (value == 0 or abs(value) >= 2.0**-126)


def _square(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    # A square may underflow to zero, so that `least` stays 0.
    return _between(0.0, numbers.inf) if op.operands[0] is op.operands[1] else ANY


def _same(op: Operation, operands: Sequence[FloatRange]) -> FloatRange:
    return operands[0]


RULES: Mapping[type[Operation], Rule] = {
    **dict.fromkeys((arith.AddfOp, nv_tileaa.AddFOp), _sum),
    **dict.fromkeys((arith.MulfOp, nv_tileaa.MulFOp), _square),
    **dict.fromkeys((math.AbsFOp, math.SqrtOp, nv_tileaa.SqrtOp), _not_negative),
    **dict.fromkeys((math.ExpOp, nv_tileaa.ExpOp, math.Exp2Op, nv_tileaa.Exp2Op), _not_negative),
    arith.ConstantOp: _constant,
    arith.SIToFPOp: _signed,
    arith.UIToFPOp: _unsigned,
    math.CoshOp: _at_least_one,
}
"""The function for each op that derives the range of its result from those of its operands."""


class FloatRanges(FactsOnDemand[FloatRange]):
    """The ranges of tiles and scalars of f32 or f64."""

    def sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The floats that decide the range of a value."""
        if _rule(value) is None:
            return ()
        assert isinstance(value, OpResult)
        return [operand for operand in value.op.operands if _is_float(operand)]

    def fact(self, value: SSAValue) -> FloatRange:
        """The range of a value."""
        if (rule := _rule(value)) is None:
            return ANY
        assert isinstance(value, OpResult)
        return rule(value.op, [self.known[source] for source in self.sources(value)])


def _is_float(value: SSAValue) -> bool:
    return isinstance(tile_shape(value.type).element, Float32Type | Float64Type)


def _rule(value: SSAValue) -> Rule | None:
    """The function that derives the range of a value; None where its op or format has none."""
    # Arguments and carried values could be anything.
    if not isinstance(value, OpResult) or not _is_float(value):
        return None
    return _same if isinstance(value.op, RepeatedElementsOpInterface) else look_up(RULES, value.op)
