"""Merges consecutive conversions whose first one is exact."""

from collections.abc import Mapping

from xdsl.dialects.arith import SIToFPOp
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.arith import UIToFPOp
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.conversions import FpToFpOp
from tileir_xdsl.rewriting import replace_op

_SINGLES = (FloatTF32Type, Float32Type, Float64Type)

EXACT: Mapping[type[Attribute], tuple[type[Attribute], ...]] = {
    Float4E2M1FNType: (Float16Type, BFloat16Type, *_SINGLES),
    Float8E4M3FNType: (Float16Type, BFloat16Type, *_SINGLES),
    Float8E5M2Type: (Float16Type, BFloat16Type, *_SINGLES),
    Float16Type: _SINGLES,
    BFloat16Type: _SINGLES,
    FloatTF32Type: (Float32Type, Float64Type),
    Float32Type: (Float64Type,),
}
"""The other formats that represent every number of a format."""

SIGNIFICANT_BITS: Mapping[type[Attribute], int] = {
    BFloat16Type: 8,
    Float16Type: 11,
    Float32Type: 24,
    Float64Type: 53,
}
"""A format represents every integer of up to this many bits."""


class JoinConversions(RewritePattern):
    """Merges two conversions if the first one's format represents all numbers of its source.

    `fp_to_fp (fp_to_fp x : f8E4M3FN to bf16) : bf16 to f32` -> `fp_to_fp x : f8E4M3FN to f32`, and
    `fp_to_fp (sitofp x : i8 to bf16) : bf16 to f32` -> `sitofp x : i8 to f32`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FpToFpOp, rewriter: PatternRewriter, /) -> None:
        first = op.source.owner
        if not op.source.has_one_use():
            return
        if isinstance(first, SIToFPOp | UIToFPOp):
            number, between, result = map(element_type, (first.input, op.source, op.result))
            if _has_integers(between, number) and _has_integers(result, number):
                replace_op(rewriter, op, [_converted(first, op.result.type)])
        elif isinstance(first, FpToFpOp):
            source, between, result = map(element_type, (first.source, op.source, op.result))
            if type(between) not in EXACT.get(type(source), ()):
                return
            if source == result:
                replace_op(rewriter, op, (), [first.source])
            else:
                mode = op.rounding_mode.data
                replace_op(rewriter, op, [FpToFpOp(first.source, op.result.type, mode)])


def _converted(op: SIToFPOp | UIToFPOp, type: Attribute) -> Operation:
    """Converts an integer to another float type."""
    return op.__class__.create(operands=[op.input], result_types=[type])


def _has_integers(format: Attribute, number: Attribute) -> bool:
    """Whether a format represents all integers of a type."""
    return isinstance(number, IntegerType) and number.width.data <= SIGNIFICANT_BITS.get(
        type(format), 0
    )


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {FpToFpOp: (JoinConversions(),)}
