"""Patterns of `canonicalize` for `cuda_tile`, besides the folds of the operations themselves.

No arithmetic is folded. `attach_patterns` attaches the patterns to the ops; the patterns of `if`
are in `cuda_tile_if`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import takewhile

from xdsl.dialects.builtin import DictionaryAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import HasCanonicalizationPatternsTrait

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.dialects.cuda_tile.folding import constant_of, splat_of
from tileir_xdsl.transforms.canonicalization_patterns import attach
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile_if import IF_PATTERNS
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile_values import (
    at_location,
    negated,
    negation,
)


class MoveProductLeft(RewritePattern):
    """`addf %x, (mulf %a, %b)` becomes `addf (mulf %a, %b), %x`, unless `%x` is a product too."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.AddFOp, rewriter: PatternRewriter, /) -> None:
        # Two products would be swapped for ever; an addition commutes, so the value is the same.
        if isinstance(op.rhs.owner, cuda_tile.MulFOp) and not isinstance(
            op.lhs.owner, cuda_tile.MulFOp
        ):
            op.operands = (op.rhs, op.lhs)
            rewriter.notify_op_modified(op)


class SwapArmsOfNegatedCondition(RewritePattern):
    """`select (xori %c, true), %a, %b` becomes `select %c, %b, %a`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.SelectOp, rewriter: PatternRewriter, /) -> None:
        if (condition := negated(op.cond)) is not None:
            op.operands = (condition, op.val_if_false, op.val_if_true)
            rewriter.notify_op_modified(op)


class SkipSelectOnSameCondition(RewritePattern):
    """`select %c, (select %c, %a, %b), %d` becomes `select %c, %a, %d`; the other arm likewise."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.SelectOp, rewriter: PatternRewriter, /) -> None:
        for index in (1, 2):
            inner = op.operands[index].owner
            if isinstance(inner, cuda_tile.SelectOp) and inner.cond is op.cond:
                op.operands[index] = inner.operands[index]
                rewriter.notify_op_modified(op)
                return


class NegateConditionOfFlippedArms(RewritePattern):
    """`select %c, false, true` becomes `xori %c, true`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.SelectOp, rewriter: PatternRewriter, /) -> None:
        # Only a select of i1 is its own condition; other types are extended by the pattern below.
        if op.cond.type == op.result.type and (
            (splat_of(op.val_if_true), splat_of(op.val_if_false)) == (False, True)
        ):
            rewriter.replace(op, at_location(op, cuda_tile.XOrIOp(op.cond, op.val_if_false)))


class SelectAmongConstants(RewritePattern):
    """Folds a select with constant condition and constant arms."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.SelectOp, rewriter: PatternRewriter, /) -> None:
        condition = constant_of(op.cond)
        arms = constant_of(op.val_if_true), constant_of(op.val_if_false)
        if condition is None or arms[0] is None or arms[1] is None:
            return
        # Bytes and not numbers: NaNs keep their payload.
        elements = zip(
            _stored_elements(condition),
            _stored_elements(arms[0]),
            _stored_elements(arms[1]),
            strict=True,
        )
        data = b"".join(arm if any(taken) else other for taken, arm, other in elements)
        constant = cuda_tile.ConstantOp(cuda_tile.DenseConstantAttr(arms[0].type, data))
        rewriter.replace(op, at_location(op, constant))


def _stored_elements(constant: cuda_tile.DenseConstantAttr) -> list[bytes]:
    """The bytes of each element."""
    data, count = constant.data.data, math.prod(constant.type.get_shape())
    if constant.is_splat:
        return [data] * count
    size = len(data) // count
    return [data[begin : begin + size] for begin in range(0, len(data), size)]


class ExtendConditionOfOneAndZero(RewritePattern):
    """`select %c, 1, 0` of integers becomes `exti %c unsigned`; `select %c, 0, 1` extends the
    negation of `%c`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cuda_tile.SelectOp, rewriter: PatternRewriter, /) -> None:
        arms = constant_of(op.val_if_true), constant_of(op.val_if_false)
        if op.cond.type == op.result.type or any(
            arm is None or not isinstance(arm.type.element_type, IntegerType) for arm in arms
        ):
            return
        match splat_of(op.val_if_true), splat_of(op.val_if_false):
            case 1, 0:
                new_ops, condition = (), op.cond
            case 0, 1:
                new_ops = negation(op.cond)
                condition = new_ops[-1].result
            case _:
                return
        # Unsigned: a signed extension of an i1 would give -1 for true.
        extension = cuda_tile.ExtIOp(condition, op.result.type, cuda_tile.Signedness.UNSIGNED)
        rewriter.replace(op, at_location(op, *new_ops, extension))


class GatherConstants(RewritePattern):
    """Moves all constants of a function to its start, and deduplicates them.

    The bodies of reductions and scans keep their constants, so they use no outside values.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, FunctionOperation):
            return
        block = op.body.block
        leading = list(takewhile(lambda item: isinstance(item, cuda_tile.ConstantOp), block.ops))
        rest = leading[-1].next_op if leading else block.first_op
        assert rest is not None
        # Moving what already leads would never reach a fixed point.
        gathered = set(leading)
        known: dict[Attribute, cuda_tile.ConstantOp] = {}
        for constant in list(_constants(block)):
            # Other attributes, such as names for debuggers, make a constant another one.
            attributes = {**constant.attributes, "value": constant.value}
            first = known.setdefault(DictionaryAttr(attributes), constant)
            if first is not constant:
                rewriter.replace(constant, (), first.results)
            elif constant not in gathered:
                constant.detach()
                rewriter.insert(constant, InsertPoint.before(rest))


def _constants(block: Block) -> Iterator[cuda_tile.ConstantOp]:
    for op in block.ops:
        if isinstance(op, cuda_tile.ConstantOp):
            yield op
        # Their bodies may use nothing from outside (Tile IR, reduce and scan).
        elif not isinstance(op, cuda_tile.ReduceOp | cuda_tile.ScanOp):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _constants(inner)


class AddFPatterns(HasCanonicalizationPatternsTrait):
    """Patterns of `addf`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (MoveProductLeft(),)


class SelectPatterns(HasCanonicalizationPatternsTrait):
    """Patterns of `select`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (
            SwapArmsOfNegatedCondition(),
            SkipSelectOnSameCondition(),
            NegateConditionOfFlippedArms(),
            SelectAmongConstants(),
            ExtendConditionOfOneAndZero(),
        )


class IfPatterns(HasCanonicalizationPatternsTrait):
    """Patterns of `if`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return IF_PATTERNS


class FunctionPatterns(HasCanonicalizationPatternsTrait):
    """Patterns of kernels and functions."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (GatherConstants(),)


def attach_patterns() -> None:
    """Makes `canonicalize` find the patterns; called wherever the dialect is loaded.

    A dialect imports no transforms, so its operations cannot name the patterns themselves.
    """
    attach(cuda_tile.AddFOp, AddFPatterns())
    attach(cuda_tile.SelectOp, SelectPatterns())
    attach(cuda_tile.IfOp, IfPatterns())
    for function in (cuda_tile.EntryOp, cuda_tile.ExperimentalFuncOp, cuda_tile.TestingFuncOp):
        attach(function, FunctionPatterns())
