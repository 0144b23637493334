"""Canonicalization of `cuda_tile.if`.

A branch either yields or exits: it then ends in `break`, `continue` or `return`. Ops after a branch
that exits do not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import BlockInsertPoint, InsertPoint

from tileir_xdsl.dialects.cuda_tile import AndIOp, IfOp, SelectOp, TileType, YieldOp
from tileir_xdsl.dialects.cuda_tile.folding import splat_of
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile_values import (
    at_location,
    negated,
    negation,
    spread,
)


def _terminator(region: Region) -> Operation:
    last = region.block.last_op
    assert last is not None
    return last


def _yielded(region: Region) -> Sequence[SSAValue] | None:
    """The values that a branch yields; None if it exits or is missing."""
    last = _terminator(region) if region.blocks else None
    return last.operands if isinstance(last, YieldOp) else None


def _leaves(region: Region) -> bool:
    return bool(region.blocks) and _yielded(region) is None


def _only_yields(region: Region) -> bool:
    return bool(region.blocks) and isinstance(region.block.first_op, YieldOp)


def _replace_results(
    op: IfOp, replacements: Mapping[int, SSAValue | None], rewriter: PatternRewriter
) -> None:
    """Replaces some results of an `if` and no longer yields them; None marks an unused result."""
    kept = [index for index in range(len(op.results)) if index not in replacements]
    for region in op.regions:
        if (values := _yielded(region)) is not None:
            last = _terminator(region)
            rewriter.replace(last, at_location(last, YieldOp([values[i] for i in kept])), ())
    smaller = IfOp(
        op.condition,
        [op.results[index].type for index in kept],
        rewriter.move_region_contents_to_new_regions(op.then_region),
        rewriter.move_region_contents_to_new_regions(op.else_region),
    )
    smaller.attributes = op.attributes.copy()
    results = dict(replacements) | dict(zip(kept, smaller.results, strict=True))
    rewriter.replace(
        op, at_location(op, smaller), [results[index] for index in range(len(op.results))]
    )


def _erase_after(op: Operation, rewriter: PatternRewriter) -> None:
    """Erases the ops after an op in its block, including the terminator."""
    block = op.parent
    assert block is not None
    while (last := block.last_op) is not None and last is not op:
        rewriter.erase(last)


def inline_branch(op: IfOp, truth: bool, rewriter: PatternRewriter) -> None:
    """Replaces an `if` by one of its branches; if the branch exits, erases the ops after the
    `if`.
    """
    region = op.then_region if truth else op.else_region
    if _leaves(region):
        # The terminator that moves here ends the block, so what followed can never run.
        _erase_after(op, rewriter)
        rewriter.inline_block(region.block, InsertPoint.after(op))
        rewriter.erase(op)
        return
    results: Sequence[SSAValue] = ()
    if region.blocks:
        last = _terminator(region)
        results = tuple(last.operands)
        rewriter.erase(last)
        rewriter.inline_block(region.block, InsertPoint.before(op))
    rewriter.replace(op, (), results)


class RemoveUnusedResults(RewritePattern):
    """Drops results without uses from the yields."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        unused = {index: None for index, result in enumerate(op.results) if not result.uses}
        if unused:
            _replace_results(op, unused, rewriter)


class SwapBranchesOfNegatedCondition(RewritePattern):
    """`if (xori %c, true) A else B` becomes `if %c B else A`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        condition = negated(op.condition)
        # Swapped without an else it would have no then branch, which `if` does not allow.
        if condition is None or not op.else_region.blocks:
            return
        op.operands[0] = condition
        then_region = rewriter.move_region_contents_to_new_regions(op.then_region)
        rewriter.inline_region(op.else_region, BlockInsertPoint.at_end(op.then_region))
        rewriter.inline_region(then_region, BlockInsertPoint.at_end(op.else_region))
        rewriter.notify_op_modified(op)


class InlineBranchOfConstantCondition(RewritePattern):
    """Replaces an `if` with constant condition by the selected branch."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        truth = splat_of(op.condition)
        if truth is not None:
            inline_branch(op, bool(truth), rewriter)


class ReplaceResultsByValues(RewritePattern):
    """Replaces a result by the value that both branches yield, or by the condition.

    Yields of `true` and `false` are the condition, of `false` and `true` its negation.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        then_values, else_values = _yielded(op.then_region), _yielded(op.else_region)
        if then_values is None or else_values is None:
            return
        replacements: dict[int, SSAValue | None] = {}
        for index, (then, other) in enumerate(zip(then_values, else_values, strict=True)):
            # One value in both branches needs no select, whatever its type.
            if then is other:
                replacements[index] = then
            elif then.type == op.condition.type:
                match splat_of(then), splat_of(other):
                    case True, False:
                        replacements[index] = op.condition
                    case False, True:
                        opposite = negation(op.condition)
                        rewriter.insert(at_location(op, *opposite), InsertPoint.before(op))
                        replacements[index] = opposite[-1].result
                    case _:
                        pass
        if replacements:
            _replace_results(op, replacements, rewriter)


class SelectHoistableResults(RewritePattern):
    """Replaces a result by a `select` if both yielded values are defined outside.

    If one branch exits, the other branch's yielded value replaces the result.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        then_values, else_values = _yielded(op.then_region), _yielded(op.else_region)
        if (yielding := else_values if then_values is None else then_values) is None:
            return
        replacements: dict[int, SSAValue | None] = {}
        for index, (then, other) in enumerate(
            zip(
                yielding if then_values is None else then_values,
                yielding if else_values is None else else_values,
                strict=True,
            )
        ):
            # A value from inside is not available before the `if`, where the select goes.
            if op.is_ancestor(then.owner) or op.is_ancestor(other.owner):
                continue
            if then is other:
                replacements[index] = then
            elif (
                isinstance(then.type, TileType)
                # No `select` takes this type (its verifier).
                and element_name(then.type.element_type) != "f4E2M1FN"
            ):
                replacements[index] = self._select(op, then, other, then.type, rewriter)
        if replacements:
            _replace_results(op, replacements, rewriter)

    @staticmethod
    def _select(
        op: IfOp, then: SSAValue, other: SSAValue, type_: TileType, rewriter: PatternRewriter
    ) -> SSAValue:
        condition = op.condition
        new_ops: list[Operation] = []
        # The condition of a select has the shape of its arms; that of an `if` is a scalar.
        if shape := type_.get_shape():
            new_ops += spread(condition, shape)
            condition = new_ops[-1].results[0]
        select = SelectOp(condition, then, other)
        rewriter.insert(at_location(op, *new_ops, select), InsertPoint.before(op))
        return select.result


class RemoveEmptyElse(RewritePattern):
    """Erases an else branch without ops."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        # With results the else branch yields their values and must stay.
        if not op.results and _only_yields(op.else_region):
            block = op.else_region.block
            rewriter.erase(_terminator(op.else_region))
            op.else_region.erase_block(block)
            rewriter.notify_op_modified(op)


class MergeAdjacentIfs(RewritePattern):
    """Merges two consecutive ifs whose conditions are equal or negations of each other."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        first = op.prev_op
        # After a branch that leaves the second `if` does not run at all.
        if not isinstance(first, IfOp) or any(map(_leaves, first.regions)):
            return
        branches = op.then_region, op.else_region
        if negated(op.condition) is first.condition or negated(first.condition) is op.condition:
            branches = branches[1], branches[0]
        elif op.condition is not first.condition:
            return
        joined = [
            _join(head, tail, first.results, rewriter)
            for head, tail in zip((first.then_region, first.else_region), branches, strict=True)
        ]
        types = [result.type for result in (*first.results, *op.results)]
        merged = IfOp(first.condition, types, *joined)
        merged.attributes = {**op.attributes, **first.attributes}
        rewriter.insert(at_location(first, merged), InsertPoint.before(op))
        count = len(first.results)
        rewriter.replace(op, (), merged.results[count:])
        rewriter.replace(first, (), merged.results[:count])


def _join(
    head: Region, tail: Region, results: Sequence[SSAValue], rewriter: PatternRewriter
) -> Region:
    """A branch of `head`, which yields `results`, and then `tail`; it yields the values of both."""
    if not head.blocks and not tail.blocks:
        return Region()
    if not head.blocks:
        return rewriter.move_region_contents_to_new_regions(tail)
    joined = rewriter.move_region_contents_to_new_regions(head)
    if not tail.blocks:
        return joined
    end = _terminator(joined)
    yielded = tuple(end.operands)
    for result, value in zip(results, yielded, strict=True):
        # The other branch has a value of its own for the same result.
        rewriter.replace_uses_with_if(result, value, lambda use: tail.is_ancestor(use.operation))
    values = _yielded(tail)
    rewriter.erase(end)
    rewriter.inline_block(tail.block, InsertPoint.at_end(joined.block))
    if values is not None:
        last = _terminator(joined)
        rewriter.replace(last, at_location(last, YieldOp([*yielded, *values])), ())
    return joined


class MergeNestedIfs(RewritePattern):
    """`if %a { if %b A }` becomes `if (andi %a, %b) A`.

    Both else branches may only yield, and must yield the same values; only `A` may exit.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        nested = op.then_region.block.first_op
        yielded = _yielded(op.then_region)
        if not isinstance(nested, IfOp) or yielded is None:
            return
        # Ops after the nested `if` run whatever the inner condition is.
        if nested.next_op is not op.then_region.block.last_op:
            return
        # The merged `if` has one else branch for two cases, so neither may have an effect.
        if any(r.blocks and not _only_yields(r) for r in (op.else_region, nested.else_region)):
            return
        # Only the else branches would yield, and `positions` are those of `nested`.
        if _leaves(nested.then_region) and (op.else_region.blocks or nested.else_region.blocks):
            return
        positions = _positions(op, nested, yielded)
        if positions is None:
            return
        both = AndIOp(op.condition, nested.condition)
        values = _yielded(nested.then_region)
        if values is not None:
            last = _terminator(nested.then_region)
            rewriter.replace(last, at_location(last, YieldOp([values[i] for i in positions])), ())
        merged = IfOp(
            both.result,
            [result.type for result in op.results],
            rewriter.move_region_contents_to_new_regions(nested.then_region),
            rewriter.move_region_contents_to_new_regions(op.else_region),
        )
        merged.attributes = {**nested.attributes, **op.attributes}
        rewriter.replace(op, at_location(op, both, merged))


def _positions(outer: IfOp, nested: IfOp, yielded: Sequence[SSAValue]) -> list[int] | None:
    """For each result of `outer` the index of the result of `nested`; None if the else branches
    disagree.
    """
    positions: list[int] = []
    otherwise, nested_otherwise = _yielded(outer.else_region), _yielded(nested.else_region)
    for value, other in zip(yielded, otherwise or (), strict=True):
        index = next((i for i, result in enumerate(nested.results) if result is value), None)
        if index is None or nested_otherwise is None or nested_otherwise[index] is not other:
            return None
        positions.append(index)
    return positions


class MoveElseAfter(RewritePattern):
    """If both branches exit, moves the else branch after the `if` and erases the ops there."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        if not (_leaves(op.then_region) and _leaves(op.else_region)):
            return
        _erase_after(op, rewriter)
        rewriter.inline_block(op.else_region.block, InsertPoint.after(op))
        _replace_results(op, dict.fromkeys(range(len(op.results))), rewriter)


IF_PATTERNS: tuple[RewritePattern, ...] = (
    # Tried in this order: what makes an `if` disappear or smaller comes before what merges two.
    SwapBranchesOfNegatedCondition(),
    InlineBranchOfConstantCondition(),
    RemoveUnusedResults(),
    ReplaceResultsByValues(),
    SelectHoistableResults(),
    RemoveEmptyElse(),
    MergeAdjacentIfs(),
    MergeNestedIfs(),
    MoveElseAfter(),
)
