"""Folds dots of constants, and normalizes the operands of all dots.

A dot of floats is folded only where every partial sum is exact. The result then does not depend on
the order of the additions, which hardware chooses.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, prod

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.matrix import DotOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import replace_op

from .nv_tileaa_values import Scalar, bits_of, constant_of, constant_tile, elements_of

MAX_MULTIPLICATIONS = 4096
"""The most multiplications of a dot that is folded at compile time."""

NO_SPECIAL_VALUES = {FastMathFlag.NO_NANS, FastMathFlag.NO_INFS, FastMathFlag.NO_SIGNED_ZEROS}

SIGNIFICANT_BITS = {"f16": 11, "f32": 24, "f64": 53}
"""Significand bits of the accumulator types of dots."""

TF32_BITS = 11


class DropDotWithZero(RewritePattern):
    """`dot 0, b, c` -> `c`.

    Fast-math flags must exclude NaN, infinities and signed zeros: zero times infinity is not zero.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /) -> None:
        integers = isinstance(element_type(op.c), IntegerType)
        if (integers or _has_no_special_values(op)) and (_is_zero(op.a) or _is_zero(op.b)):
            replace_op(rewriter, op, (), [op.c])


def _is_zero(value: SSAValue) -> bool:
    scalar = constant_of(value)
    return scalar is not None and scalar.value.data == 0


def _has_no_special_values(op: DotOp) -> bool:
    """Whether fast-math flags exclude NaN, infinities and signed zeros."""
    match op.attributes.get("fastmath"):
        case FastMathFlagsAttr() as attribute:
            return set(attribute.data) >= NO_SPECIAL_VALUES
        case StringAttr(data=names):
            words = {name.strip() for name in names.split(",")}
            return "fast" in words or words >= {flag.value for flag in NO_SPECIAL_VALUES}
        case _:
            return False


class FoldConstantDot(RewritePattern):
    """Folds a `dot` of three constants."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /) -> None:
        # Block-scaled operands are numbers only together with their scale factors.
        if op.sfa is not None:
            return
        a, b, c = (elements_of(value) for value in (op.a, op.b, op.c))
        if a is None or b is None or c is None:
            return
        # Three splats make a splat: one element is computed, however large the tile is.
        alike = len(a) == len(b) == len(c) == 1
        shape = tile_shape(op.c.type).shape
        depth = tile_shape(op.a.type).shape[-1]
        if not alike and prod(shape) * depth > MAX_MULTIPLICATIONS:
            return
        sums = _sums(op, a, b, c, (1,) * len(shape) if alike else shape, depth)
        if sums is not None:
            replace_op(rewriter, op, _constant(sums, op.result.type))


class RenameOperands(RewritePattern):
    """Rewrites operands so that tiles are loaded in memory order and permuted once."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /) -> None:
        # Few kernels have dots.
        from .nv_tileaa_operands import rename_operands  # noqa: PLC0415

        rename_operands(op, rewriter)


def _sums(
    op: DotOp,
    a: Sequence[Scalar],
    b: Sequence[Scalar],
    c: Sequence[Scalar],
    shape: Sequence[int],
    depth: int,
) -> list[Scalar] | None:
    """The elements of the result in row-major order; None if any of them is not exact."""
    batch, rows, columns = (1, *shape)[-3:]
    result: list[Scalar] = []
    for index in range(batch):
        for i in range(rows):
            for j in range(columns):
                row = [_at(a, (index * rows + i) * depth + k) for k in range(depth)]
                column = [_at(b, (index * depth + k) * columns + j) for k in range(depth)]
                start = _at(c, (index * rows + i) * columns + j)
                total = _sum(op, row, column, start)
                if total is None:
                    return None
                result.append(total)
    return result


def _at(elements: Sequence[Scalar], position: int) -> Scalar:
    return elements[position if len(elements) > 1 else 0]


def _sum(op: DotOp, row: list[Scalar], column: list[Scalar], start: Scalar) -> Scalar | None:
    type = start.type
    if isinstance(type, IntegerType):
        # Integers wrap, so the order of additions does not matter and no bound is checked.
        total = bits_of(start)
        for x, y in zip(row, column, strict=True):
            total += _integer(x, op.signedness_a) * _integer(y, op.signedness_b)
        return IntegerAttr(total, type, truncate_bits=True)
    assert isinstance(type, AnyFloat)
    tf32 = op.input_precision is not None and op.input_precision.data == "tf32"
    # An operand with more bits than TF32 holds is rounded by the hardware (PTX ISA, .tf32).
    bits = TF32_BITS if tf32 and isinstance(element_type(op.a), Float32Type) else None
    operands = [_fraction(x, bits) for x in (*row, *column)]
    first = _fraction(start, None)
    if first is None or None in operands:
        return None
    exact = [operand for operand in operands if operand is not None]
    terms = [x * y for x, y in zip(exact[: len(row)], exact[len(row) :], strict=True)]
    return _exact_sum([first, *terms], type)


def _integer(scalar: Scalar, signedness: SignednessAttr | None) -> int:
    assert isinstance(scalar.type, IntegerType) and signedness is not None
    value, width = bits_of(scalar), scalar.type.width.data
    signed = signedness.data == Signedness.SIGNED
    return value - (1 << width) if signed and value >> (width - 1) else value


def _fraction(scalar: Scalar, bits: int | None) -> Fraction | None:
    """A float as a fraction; None for NaN, infinities, -0, or too many significant bits."""
    value = float(scalar.value.data)
    # As a fraction, -0 would lose its sign.
    if not isfinite(value) or str(value) == "-0.0":
        return None
    exact = Fraction(value)
    odd = exact.numerator
    while odd and odd % 2 == 0:
        odd //= 2
    return None if bits is not None and abs(odd) >> bits else exact


def _exact_sum(terms: list[Fraction], type: AnyFloat) -> FloatAttr | None:
    """The sum in a float type; None unless all partial sums in any order are representable."""
    # Partial sums are multiples of `unit`, at most `largest`: exact in any order.
    unit = Fraction(1, max(term.denominator for term in terms))
    largest = sum(abs(term) for term in terms)
    if largest / unit > 1 << SIGNIFICANT_BITS[type.name]:
        return None
    total = FloatAttr(float(sum(terms)), type)
    # Neither the last digit nor the largest sum may leave the exponents of the type.
    for probe in (float(unit), float(largest)):
        if type.unpack(type.pack((probe,)), 1)[0] != probe:
            return None
    return total


def _constant(elements: list[Scalar], type: Attribute) -> list[Operation]:
    """Ops that make a constant tile with these elements; the last one has the result."""
    if len({bits_of(element) for element in elements}) == 1:
        return constant_tile(elements[0], type)
    assert isinstance(type, TensorType)
    values = [element.value.data for element in elements]
    return [arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, values))]


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    DotOp: (DropDotWithZero(), FoldConstantDot(), RenameOperands()),
}
