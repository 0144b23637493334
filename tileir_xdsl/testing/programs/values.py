"""Operands with the properties that make an operation well defined, derived from arbitrary
values.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import STANDARD_FLOATS
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import (
    FINITE_RANGES,
    NARROW_FLOATS,
    Shape,
    element_of,
    integer_limits,
    shape_of,
    tile,
)

SIGNEDNESSES: tuple[cuda_tile.Signedness, ...] = (
    cuda_tile.Signedness.SIGNED,
    cuda_tile.Signedness.UNSIGNED,
)


def below(b: Builder, value: SSAValue, bound: int) -> SSAValue:
    """Unsigned integers, mapped to the range below `bound`."""
    element, shape = element_of(value), shape_of(value)
    if bound > integer_limits(element, signed=False)[1]:
        return value
    if bound & (bound - 1) == 0 and b.chance(0.6):
        return b.add(cuda_tile.AndIOp(value, b.number(bound - 1, element, shape))).result
    if b.chance(0.5):
        limit = b.number(bound, element, shape)
        return b.add(cuda_tile.RemIOp(value, limit, cuda_tile.Signedness.UNSIGNED)).result
    limit = b.number(bound - 1, element, shape)
    return b.add(cuda_tile.MinIOp(value, limit, cuda_tile.Signedness.UNSIGNED)).result


def offsets_below(b: Builder, value: SSAValue, bound: int) -> SSAValue:
    """Signed offsets that are at least 0 and below `bound`, or any if their type ends below it."""
    largest = integer_limits(element_of(value), signed=True)[1]
    return below(b, value, min(bound, largest + 1))


def holding(elements: Sequence[str], number: int) -> list[str]:
    """The integer types of `elements` that can represent this number as signed and as unsigned."""
    return [e for e in elements if integer_limits(e, signed=True)[1] >= number]


def is_equal(b: Builder, value: SSAValue, number: int) -> SSAValue:
    """A tile of bits: whether each integer equals a number."""
    other = b.number(number, element_of(value), shape_of(value))
    predicate, signedness = cuda_tile.ComparisonPredicate.EQUAL, b.choose(SIGNEDNESSES)
    return b.add(cuda_tile.CmpIOp(predicate, value, other, signedness)).result


def divisor(b: Builder, value: SSAValue, signedness: cuda_tile.Signedness) -> SSAValue:
    """`value` without zero and, for a signed division, without -1, whose quotient may overflow."""
    element, shape = element_of(value), shape_of(value)
    refused = is_equal(b, value, 0)
    if signedness is cuda_tile.Signedness.SIGNED:
        refused = b.add(cuda_tile.OrIOp(refused, is_equal(b, value, -1))).result
    number = 1 if element == "i1" else b.integer(1, 7)
    return b.add(cuda_tile.SelectOp(refused, b.number(number, element, shape), value)).result


def without_nan(b: Builder, value: SSAValue) -> SSAValue:
    """Floats of a standard type, with every NaN replaced by a number."""
    element, shape = element_of(value), shape_of(value)
    if b.chance(0.5):
        predicate, ordering = (
            cuda_tile.ComparisonPredicate.EQUAL,
            cuda_tile.ComparisonOrdering.ORDERED,
        )
        fits = b.add(cuda_tile.CmpFOp(predicate, ordering, value, value)).result
        return b.add(cuda_tile.SelectOp(fits, value, b.number(0.5, element, shape))).result
    predicate, ordering = (
        cuda_tile.ComparisonPredicate.NOT_EQUAL,
        cuda_tile.ComparisonOrdering.UNORDERED,
    )
    nan = b.add(cuda_tile.CmpFOp(predicate, ordering, value, value)).result
    return b.add(cuda_tile.SelectOp(nan, b.number(-2.0, element, shape), value)).result


def clamped(
    b: Builder, value: SSAValue, limits: tuple[float, float], *, keep_nan: bool = False
) -> SSAValue:
    """Floats of a standard type clamped to limits; NaN becomes a limit unless `keep_nan`."""
    element, shape = element_of(value), shape_of(value)
    low, high = (b.number(limit, element, shape) for limit in limits)
    if b.chance(0.5):
        return b.add(
            cuda_tile.MinFOp(b.add(cuda_tile.MaxFOp(value, low, keep_nan)).result, high, keep_nan)
        ).result
    return b.add(
        cuda_tile.MaxFOp(b.add(cuda_tile.MinFOp(value, high, keep_nan)).result, low, keep_nan)
    ).result


def floats_without_nan(b: Builder, element: str, shape: Shape) -> SSAValue:
    """Floats of any type without NaN."""
    if element in STANDARD_FLOATS:
        return without_nan(b, b.value(tile(element, shape)))
    return converted(b, clamped(b, b.value(tile("f32", shape)), FINITE_RANGES[element]), element)


def converted(b: Builder, value: SSAValue, element: str) -> SSAValue:
    """Rounds floats to another float type, in whose range they are."""
    mode = (
        cuda_tile.RoundingMode.ZERO
        if element == "f8E8M0FNU"
        else cuda_tile.RoundingMode.NEAREST_EVEN
    )
    return b.add(cuda_tile.FToFOp(value, tile(element, shape_of(value)), mode)).result


def small_integers(b: Builder, shape: Shape, element: str = "i32") -> SSAValue:
    """Integers from -4 to 3."""
    value = b.value(tile(element, shape))
    low = b.add(cuda_tile.AndIOp(value, b.number(7, element, shape))).result
    return b.add(cuda_tile.SubIOp(low, b.number(4, element, shape))).result


def whole_floats(b: Builder, element: str, shape: Shape) -> SSAValue:
    """Integral floats from -4 to 3 without -0.0; short sums of them are exact."""
    integers = small_integers(b, shape, b.choose(("i8", "i16", "i32")))
    direct = "f32" if element in NARROW_FLOATS else element
    floats = b.add(
        cuda_tile.IToFOp(integers, tile(direct, shape), cuda_tile.Signedness.SIGNED)
    ).result
    return floats if direct == element else converted(b, floats, element)


def powers_of_two(b: Builder, element: str, shape: Shape) -> SSAValue:
    """The floats 0.5, 1 and 2; short products of them are exact."""
    first, second = (b.value(tile("i1", shape)) for _ in range(2))
    one, two, half = (b.number(n, "f32", shape) for n in (1.0, 2.0, 0.5))
    larger = b.add(cuda_tile.SelectOp(first, two, half)).result
    floats = b.add(cuda_tile.SelectOp(second, larger, one)).result
    return floats if element == "f32" else converted(b, floats, element)
