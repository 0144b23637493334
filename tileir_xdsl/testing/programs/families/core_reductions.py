"""Reductions and scans with functions that are exactly associative on their elements.

So any order of combination gives the same result. Some of the functions are not commutative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, STANDARD_FLOATS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import (
    ELEMENT_TYPES,
    WIDE_INTEGERS,
    Shape,
    element_of,
    integer_limits,
    tile,
)
from tileir_xdsl.testing.programs.values import (
    SIGNEDNESSES,
    powers_of_two,
    whole_floats,
    without_nan,
)

_SIGNIFICANT_BITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_LARGEST_EXPONENTS = {"f16": 15, "bf16": 127, "f32": 127, "f64": 1023}

_Values = Sequence[SSAValue]
_Combine = Callable[[Builder, _Values, _Values], list[SSAValue]]


@dataclass(frozen=True)
class _Combination:
    """The operand tiles of a reduction or scan, and its function with its `identities`."""

    operands: list[SSAValue]
    identities: list[float]
    combine: _Combine

    def identity_attributes(self) -> list[Attribute]:
        """The identities in the types of the operands."""
        return [
            _number(value, element_of(operand))
            for value, operand in zip(self.identities, self.operands, strict=True)
        ]


def _number(value: float, element: str) -> Attribute:
    type_ = ELEMENT_TYPES[element]
    if isinstance(type_, IntegerType):
        return IntegerAttr(int(value), type_)
    assert isinstance(type_, AnyFloat)
    return FloatAttr(value, type_)


def _bitwise(b: Builder, shape: Shape) -> _Combination:
    operand = b.value(tile(b.choose(INTEGERS), shape))
    operation, identity = b.choose(
        ((cuda_tile.AndIOp, -1), (cuda_tile.OrIOp, 0), (cuda_tile.XOrIOp, 0))
    )
    return _Combination(
        [operand], [identity], lambda c, x, y: [c.add(operation(x[0], y[0])).result]
    )


def _ring(b: Builder, shape: Shape) -> _Combination:
    operand = b.value(tile(b.choose(INTEGERS), shape))
    operation, identity = b.choose(((cuda_tile.AddIOp, 0), (cuda_tile.MulIOp, 1)))
    return _Combination(
        [operand], [identity], lambda c, x, y: [c.add(operation(x[0], y[0])).result]
    )


def _integer_extremum(b: Builder, shape: Shape) -> _Combination:
    element, signedness = b.choose(WIDE_INTEGERS), b.choose(SIGNEDNESSES)
    low, high = integer_limits(element, signedness is cuda_tile.Signedness.SIGNED)
    operation, identity = b.choose(
        ((cuda_tile.MaxIOp, low), (cuda_tile.MinIOp, _as_signed(high, element)))
    )
    return _Combination(
        [b.value(tile(element, shape))],
        [identity],
        lambda c, x, y: [c.add(operation(x[0], y[0], signedness)).result],
    )


def _as_signed(value: int, element: str) -> int:
    return value if value <= integer_limits(element, signed=True)[1] else -1


def _float_sum(b: Builder, shape: Shape) -> _Combination:
    # Partial sums are at most four times the number of elements.
    bits = (4 * max(shape) - 1).bit_length()
    elements = [e for e in STANDARD_FLOATS if bits <= _SIGNIFICANT_BITS[e]]
    operand = whole_floats(b, b.choose(elements), shape)
    return _Combination(
        [operand], [0.0], lambda c, x, y: [c.add(cuda_tile.AddFOp(x[0], y[0])).result]
    )


def _float_product(b: Builder, shape: Shape) -> _Combination:
    elements = [e for e in STANDARD_FLOATS if max(shape) <= _LARGEST_EXPONENTS[e]]
    if not elements:
        return _float_sum(b, shape)
    operand = powers_of_two(b, b.choose(elements), shape)
    return _Combination(
        [operand], [1.0], lambda c, x, y: [c.add(cuda_tile.MulFOp(x[0], y[0])).result]
    )


def _float_extremum(b: Builder, shape: Shape) -> _Combination:
    operand, propagate = b.value(tile(b.choose(STANDARD_FLOATS), shape)), b.chance(0.5)
    if not propagate:
        # The identity is a number: it would win over a NaN.
        operand = without_nan(b, operand)
    operation, identity = b.choose(
        ((cuda_tile.MaxFOp, float("-inf")), (cuda_tile.MinFOp, float("inf")))
    )
    return _Combination(
        [operand], [identity], lambda c, x, y: [c.add(operation(x[0], y[0], propagate)).result]
    )


def _position_of_largest(b: Builder, shape: Shape) -> _Combination:
    """The largest integer, and the lowest index among its occurrences."""
    element = b.choose(WIDE_INTEGERS)
    operands = [b.value(tile(element, shape)), b.value(tile("i32", shape))]
    identities = [integer_limits(element, True)[0], integer_limits("i32", True)[1]]
    signed = cuda_tile.Signedness.SIGNED

    def combine(c: Builder, x: _Values, y: _Values) -> list[SSAValue]:
        larger = c.add(
            cuda_tile.CmpIOp(cuda_tile.ComparisonPredicate.GREATER_THAN, x[0], y[0], signed)
        ).result
        same = c.add(
            cuda_tile.CmpIOp(cuda_tile.ComparisonPredicate.EQUAL, x[0], y[0], signed)
        ).result
        before = c.add(
            cuda_tile.CmpIOp(cuda_tile.ComparisonPredicate.LESS_THAN, x[1], y[1], signed)
        ).result
        first = c.add(cuda_tile.OrIOp(larger, c.add(cuda_tile.AndIOp(same, before)).result)).result
        return [c.add(cuda_tile.SelectOp(first, *pair)).result for pair in zip(x, y, strict=True)]

    return _Combination(operands, list(identities), combine)


def _position_of_smallest(b: Builder, shape: Shape) -> _Combination:
    """The smallest number and the payload of its first occurrence: not commutative."""
    element, other = b.choose(STANDARD_FLOATS), b.choose(("i8", "i16", "f16", "f32"))
    operands = [without_nan(b, b.value(tile(element, shape))), b.value(tile(other, shape))]
    # Finite elements are smaller than the identity, whatever comes with it.
    largest = b.number(1000.0, element, shape)
    operands[0] = b.add(cuda_tile.MinFOp(operands[0], largest)).result

    def combine(c: Builder, x: _Values, y: _Values) -> list[SSAValue]:
        predicate, ordering = (
            cuda_tile.ComparisonPredicate.LESS_THAN_OR_EQUAL,
            cuda_tile.ComparisonOrdering.ORDERED,
        )
        first = c.add(cuda_tile.CmpFOp(predicate, ordering, x[0], y[0])).result
        return [c.add(cuda_tile.SelectOp(first, *pair)).result for pair in zip(x, y, strict=True)]

    return _Combination(operands, [float("inf"), 0], combine)


def _recurrence(b: Builder, shape: Shape) -> _Combination:
    """The composition of maps `v -> a * v + b` with wrap-around: not commutative."""
    type_ = tile(b.choose(WIDE_INTEGERS), shape)

    def combine(c: Builder, x: _Values, y: _Values) -> list[SSAValue]:
        factor = c.add(cuda_tile.MulIOp(x[0], y[0])).result
        moved = c.add(cuda_tile.MulIOp(y[0], x[1])).result
        return [factor, c.add(cuda_tile.AddIOp(moved, y[1])).result]

    return _Combination([b.value(type_), b.value(type_)], [1, 0], combine)


def _three_at_once(b: Builder, shape: Shape) -> _Combination:
    """Three independent functions in one reduction."""
    parts = [kind(b, shape) for kind in (_ring, _float_sum, _bitwise)]

    def combine(c: Builder, x: _Values, y: _Values) -> list[SSAValue]:
        return [parts[i].combine(c, [x[i]], [y[i]])[0] for i in range(3)]

    operands = [part.operands[0] for part in parts]
    return _Combination(operands, [part.identities[0] for part in parts], combine)


def _with_branch(b: Builder, shape: Shape) -> _Combination:
    """The maximum of integers, by an `if`."""
    element = b.choose(WIDE_INTEGERS)
    signed = cuda_tile.Signedness.SIGNED

    def combine(c: Builder, x: _Values, y: _Values) -> list[SSAValue]:
        larger = c.add(
            cuda_tile.CmpIOp(cuda_tile.ComparisonPredicate.GREATER_THAN, x[0], y[0], signed)
        ).result
        branches: list[Builder] = []
        for chosen in (x[0], y[0]):
            branch = c.child()
            branch.add(cuda_tile.YieldOp([chosen]))
            branches.append(branch)
        regions = [branch.region() for branch in branches]
        return [c.add(cuda_tile.IfOp(larger, [x[0].type], *regions)).results[0]]

    return _Combination(
        [b.value(tile(element, shape))], [integer_limits(element, True)[0]], combine
    )


_COMBINATIONS: dict[Callable[[Builder, Shape], _Combination], float] = {
    _bitwise: 1,
    _ring: 1,
    _integer_extremum: 1,
    _float_sum: 1,
    _float_product: 0.5,
    _float_extremum: 1,
    _position_of_largest: 1,
    _position_of_smallest: 1,
    _recurrence: 1,
    _three_at_once: 0.7,
    _with_branch: 0.2,
}
"""The functions, with weights for the random choice."""


def _emit(b: Builder, operation: type[cuda_tile.ReduceOp | cuda_tile.ScanOp]) -> None:
    shape = b.shape(lambda s: 1 <= len(s) <= 3)
    kinds, weights = list(_COMBINATIONS), list(_COMBINATIONS.values())
    combination = b.draft.random.choices(kinds, weights)[0](b, shape)
    elements = [tile(element_of(operand)) for operand in combination.operands]
    body = b.child([type_ for type_ in elements for _ in range(2)])
    results = combination.combine(body, body.block.args[0::2], body.block.args[1::2])
    body.add(cuda_tile.YieldOp(results))
    dim, identities = b.integer(0, len(shape) - 1), combination.identity_attributes()
    if operation is cuda_tile.ReduceOp:
        made = cuda_tile.ReduceOp(combination.operands, dim, identities, body.region())
    else:
        made = cuda_tile.ScanOp(
            combination.operands, dim, identities, body.region(), reverse=b.chance(0.4)
        )
    b.keep(*b.add(made).results)


ROWS: Rows = {
    cuda_tile.ReduceOp: Row(2, lambda b: _emit(b, cuda_tile.ReduceOp)),
    cuda_tile.ScanOp: Row(1.5, lambda b: _emit(b, cuda_tile.ScanOp)),
}
