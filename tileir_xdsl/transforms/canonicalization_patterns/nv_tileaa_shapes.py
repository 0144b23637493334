"""Simplifies splats and reshapes, and extracts scalars before computing on tiles."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.arith import ConversionOp as ArithConversionOp
from tileir_xdsl.dialects.arith import SelectOp, like
from tileir_xdsl.dialects.nv_tileaa.arithmetic import FloatOp
from tileir_xdsl.dialects.nv_tileaa.conversions import ConversionOp
from tileir_xdsl.dialects.nv_tileaa.core import AssumeOp
from tileir_xdsl.dialects.nv_tileaa.integer import IntegerOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import AddPtrOp
from tileir_xdsl.dialects.nv_tileaa.predicates import BoundedAttr, DivByAttr, SameElementsAttr
from tileir_xdsl.dialects.nv_tileaa.shapes import (
    BroadcastOp,
    ExpandDimsOp,
    ExtractOp,
    SplatOp,
    ViewOp,
)
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import replace_op

from .nv_tileaa_values import constant_of, constant_tile

ELEMENTWISE: tuple[type[Operation], ...] = (
    AddPtrOp,
    ArithConversionOp,
    ConversionOp,
    FloatOp,
    IntegerOp,
    SelectOp,
    arith.CmpfOp,
    arith.CmpiOp,
    arith.FloatingPointLikeBinaryOperation,
    arith.NegfOp,
    arith.SignlessIntegerBinaryOperation,
)
"""Ops, or bases of ops, that compute each result element from the corresponding operand elements.
"""


class MoveAssumptionBeforeSplat(RewritePattern):
    """`assume (splat x)` -> `splat (assume x)`, for predicates on single elements.

    A `same_elements` predicate is dropped: the elements of a splat are equal.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AssumeOp, rewriter: PatternRewriter, /) -> None:
        splat = op.value.owner
        if not isinstance(splat, SplatOp):
            return
        match op.predicate:
            case SameElementsAttr():
                replace_op(rewriter, op, (), [op.value])
            case BoundedAttr():
                self._move(op, splat, rewriter)
            # `every .. along` is about groups of elements, and says nothing of one scalar.
            case DivByAttr() if op.predicate.holds_for_every_element:
                self._move(op, splat, rewriter)
            case _:
                pass

    def _move(self, op: AssumeOp, splat: SplatOp, rewriter: PatternRewriter) -> None:
        assumed = AssumeOp(splat.value, op.predicate)
        replace_op(rewriter, op, [assumed, SplatOp(assumed.result, op.result.type)])


class SelectBetweenSplats(RewritePattern):
    """`splat (select c, t, f)` -> `select (splat c), (splat t), (splat f)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SplatOp, rewriter: PatternRewriter, /) -> None:
        select = op.value.owner
        # With another user the scalar select would stay, and the tile be computed as well.
        if not isinstance(select, arith.SelectOp) or not op.value.has_one_use():
            return
        condition = SplatOp(select.cond, like(op.result.type, select.cond.type))
        arms = [SplatOp(arm, op.result.type) for arm in (select.lhs, select.rhs)]
        selected = SelectOp(condition.result, arms[0].result, arms[1].result)
        replace_op(rewriter, op, [condition, *arms, selected])


class ReshapeSplat(RewritePattern):
    """`view`, `broadcast` and `expand_dims` of a splat are splats of the same scalar."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        splat = op.operands[0].owner
        if isinstance(splat, SplatOp):
            replace_op(rewriter, op, SplatOp(splat.value, op.results[0].type))


class JoinViews(RewritePattern):
    """`view (view x)` -> `view x`; a view of its source's type becomes the source."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ViewOp, rewriter: PatternRewriter, /) -> None:
        if op.source.type == op.result.type:
            replace_op(rewriter, op, (), [op.source])
        elif isinstance(inner := op.source.owner, ViewOp):
            replace_op(rewriter, op, ViewOp(inner.source, op.result.type))


class ExtractFromConstant(RewritePattern):
    """Replaces an `extract` of a constant or of a splat by the scalar."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractOp, rewriter: PatternRewriter, /) -> None:
        scalar, splat = constant_of(op.source), op.source.owner
        rank = len(tile_shape(op.result.type).shape)
        if isinstance(splat, SplatOp) and not rank:
            replace_op(rewriter, op, (), [splat.value])
        elif isinstance(splat, SplatOp):
            replace_op(rewriter, op, SplatOp(splat.value, op.result.type))
        elif scalar is not None:
            replace_op(rewriter, op, constant_tile(scalar, op.result.type))


class ExtractFromOperands(RewritePattern):
    """`extract (f x, y)` -> `f (extract x), (extract y)` for an elementwise `f`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractOp, rewriter: PatternRewriter, /) -> None:
        compute = op.source.owner
        # For another user the whole tile is computed anyway.
        if not isinstance(compute, ELEMENTWISE) or not op.source.has_one_use():
            return
        parts: list[Operation] = []
        operands: list[SSAValue] = []
        for operand in compute.operands:
            # A rank-0 operand is the same for every element and needs no extract.
            if tile_shape(operand.type).shape:
                part = like(op.result.type, tile_shape(operand.type).element)
                parts.append(ExtractOp(operand, op.indices, part))
                operands.append(parts[-1].results[0])
            else:
                operands.append(operand)
        computed = type(compute).create(
            operands=operands,
            result_types=[op.result.type],
            properties=compute.properties,
            attributes=compute.attributes,
        )
        replace_op(rewriter, op, [*parts, computed])


class ExtractBeforeExpandDims(RewritePattern):
    """`extract (expand_dims x)` -> `extract x`, without the index of the new dimension."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExtractOp, rewriter: PatternRewriter, /) -> None:
        expand = op.source.owner
        if not isinstance(expand, ExpandDimsOp):
            return
        axis = expand.axis.value.data
        # Without indices the only element is taken, so that the axis does not matter.
        if not op.indices:
            replace_op(rewriter, op, ExtractOp(expand.source))
        elif axis < len(op.indices):
            indices = _without(op.indices, axis)
            if indices:
                replace_op(rewriter, op, ExtractOp(expand.source, indices, op.result.type))
            else:
                replace_op(rewriter, op, (), [expand.source])


def _without(values: Sequence[SSAValue], position: int) -> list[SSAValue]:
    return [value for index, value in enumerate(values) if index != position]


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    AssumeOp: (MoveAssumptionBeforeSplat(),),
    BroadcastOp: (ReshapeSplat(),),
    ExpandDimsOp: (ReshapeSplat(),),
    ExtractOp: (ExtractFromConstant(), ExtractFromOperands(), ExtractBeforeExpandDims()),
    SplatOp: (SelectBetweenSplats(),),
    ViewOp: (ReshapeSplat(), JoinViews()),
}
