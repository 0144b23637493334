"""`loop-split`: a loop with a condition on its induction variable becomes two loops without it.

Some conditions on the induction variable change once, such as a causal mask or a ragged last tile.
Such a condition is evaluated before the loop instead of in every iteration:

    for %i in (%lb to %ub, step %one) {         for %i in (%lb to min(%v, %ub), step %one) {
      %c = cmpi less_than %i, %v                   A
      if %c { A } else { B }               ->   }
    }                                           for %i in (max(%v, %lb) to %ub, step %one) {
                                                   B
                                                }

The condition of an `if` anywhere in the loop qualifies if it is a `cmpi` of the loop's signedness
between induction variable and outer value. The first loop ends, and the second begins, at `P`: the
value, or one more for `less_than_or_equal` and `greater_than`. With a step other than the constant
1, `P` is clamped to the range, and the loops meet at the next iteration, `lb + ceil((P - lb) /
step) * step`. The sum for `P` wraps around only if the induction variable itself would, after the
end of the range. In both loops such comparisons become constants, and each `if` on them keeps one
branch.

One run of the pass splits a loop at most once, at its first qualifying `if`.

`split-threshold` 0 never splits, 1 always, N if a branch holds N operations or an expensive one.
The discardable attribute `cuda_tile.loop_split = N` on the `if`, the loop or the kernel, in this
order, overrides the option.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.cuda_tile import (
    AddIOp,
    CmpIOp,
    ComparisonPredicate,
    ConstantOp,
    DenseConstantAttr,
    DivIOp,
    ForOp,
    IfOp,
    LoadPtrTkoOp,
    LoadViewTkoOp,
    MaxIOp,
    MinIOp,
    MmaFOp,
    MmaIOp,
    MulIOp,
    ReduceOp,
    RoundingMode,
    Signedness,
    StorePtrTkoOp,
    StoreViewTkoOp,
    SubIOp,
    TileType,
)
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.dialects.cuda_tile.folding import splat_of
from tileir_xdsl.rewriting import DispatchWalker, replace_op
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile_if import inline_branch
from tileir_xdsl.walking import ancestors, ops_in

ATTRIBUTE = "cuda_tile.loop_split"
"""The attribute with the threshold for one `if`, loop or kernel."""

EXPENSIVE = (
    ForOp,
    IfOp,
    LoadPtrTkoOp,
    LoadViewTkoOp,
    MmaFOp,
    MmaIOp,
    ReduceOp,
    StorePtrTkoOp,
    StoreViewTkoOp,
)
"""Expensive ops: a branch with one is worth a split for any threshold above 1."""

FLIPPED = {
    ComparisonPredicate.LESS_THAN: ComparisonPredicate.GREATER_THAN,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: ComparisonPredicate.GREATER_THAN_OR_EQUAL,
    ComparisonPredicate.GREATER_THAN: ComparisonPredicate.LESS_THAN,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: ComparisonPredicate.LESS_THAN_OR_EQUAL,
}
"""The predicates that change once in a range, and the equivalents for swapped operands."""


@dataclass(frozen=True)
class Ordering:
    """A comparison equivalent to `induction variable PREDICATE value`."""

    predicate: ComparisonPredicate
    value: SSAValue

    @property
    def holds_first(self) -> bool:
        """Whether the comparison is true at the start of the range, and false at the end."""
        return self.predicate in (
            ComparisonPredicate.LESS_THAN,
            ComparisonPredicate.LESS_THAN_OR_EQUAL,
        )

    @property
    def changes_after(self) -> bool:
        """Whether the comparison changes one iteration after the value, instead of at the value."""
        return self.predicate in (
            ComparisonPredicate.LESS_THAN_OR_EQUAL,
            ComparisonPredicate.GREATER_THAN,
        )


def ordering_of(loop: ForOp, comparison: Operation | Block) -> Ordering | None:
    """The comparison as an ordering of the induction variable and a value from outside, or None."""
    # With the other signedness the condition may change twice in the range.
    if not isinstance(comparison, CmpIOp) or comparison.signedness.data is not _signedness(loop):
        return None
    predicate = comparison.comparison_predicate.data
    # Equality holds once in the middle of the range: two loops are not enough.
    if predicate not in FLIPPED:
        return None
    variable = loop.induction_variable
    if comparison.lhs is variable:
        value = comparison.rhs
    elif comparison.rhs is variable:
        predicate, value = FLIPPED[predicate], comparison.lhs
    else:
        return None
    # A value computed in the loop is not known where the bounds are computed.
    return None if loop.is_ancestor(value.owner) else Ordering(predicate, value)


def _signedness(loop: ForOp) -> Signedness:
    return Signedness.SIGNED if loop.unsigned_cmp is None else Signedness.UNSIGNED


def find_split(loop: ForOp, threshold: int) -> Ordering | None:
    """The comparison of the first `if` that is worth a split by the threshold."""
    for op in ops_in(loop):
        if isinstance(op, IfOp):
            ordering = ordering_of(loop, op.condition.owner)
            if ordering is not None and _is_worthwhile(op, _threshold(op, loop, threshold)):
                return ordering
    return None


def _threshold(branch: IfOp, loop: ForOp, default: int) -> int:
    function = next((op for op in ancestors(loop) if isinstance(op, FunctionOperation)), None)
    # The most specific attribute decides.
    for op in (branch, loop, function):
        if op is not None and isinstance(value := op.attributes.get(ATTRIBUTE), IntegerAttr):
            return value.value.data
    return default


def _is_worthwhile(branch: IfOp, threshold: int) -> bool:
    # 0 and 1 say never and always; a number of ops starts at 2.
    if threshold <= 1:
        return threshold == 1
    return any(
        # The terminator does not count as work.
        sum(1 for _ in region.block.ops) - 1 >= threshold
        or any(isinstance(op, EXPENSIVE) for op in ops_in(region))
        for region in branch.regions
        if region.blocks
    )


class _Arithmetic:
    """Inserts integer operations of one type and signedness before a loop."""

    def __init__(self, loop: ForOp, rewriter: PatternRewriter):
        assert isinstance(loop.lower_bound.type, TileType)
        self.loop = loop
        self.rewriter = rewriter
        self.type = loop.lower_bound.type
        self.signedness = _signedness(loop)

    def emit(
        self, op: AddIOp | ConstantOp | DivIOp | MaxIOp | MinIOp | MulIOp | SubIOp
    ) -> SSAValue:
        op.location = self.loop.location
        return self.rewriter.insert(op, InsertPoint.before(self.loop)).result

    def constant(self, value: int) -> SSAValue:
        return self.emit(ConstantOp(DenseConstantAttr.splat(self.type, value)))

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.emit(MinIOp(a, b, self.signedness))

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.emit(MaxIOp(a, b, self.signedness))

    def largest(self) -> int:
        """The largest number of the type, as the signed value of a constant."""
        assert isinstance(self.type.element_type, IntegerType)
        width = self.type.element_type.width.data
        # Constants are read as signed: all ones is the largest unsigned number.
        return -1 if self.signedness is Signedness.UNSIGNED else (1 << (width - 1)) - 1


def _meeting_point(loop: ForOp, ordering: Ordering, arithmetic: _Arithmetic) -> SSAValue:
    """The number at which the second loop starts, before it is clamped to the range."""
    point = ordering.value
    if ordering.changes_after:
        one = arithmetic.constant(1)
        # One more than the largest number would wrap around to the start.
        if splat_of(point) in (None, arithmetic.largest()):
            last = arithmetic.emit(SubIOp(loop.upper_bound, one))
            point = arithmetic.minimum(point, last)
        point = arithmetic.emit(AddIOp(point, one))
    # Every number is an iteration; the bounds of both loops cut off what is outside of the range.
    if splat_of(loop.step) == 1:
        return point
    point = arithmetic.maximum(arithmetic.minimum(point, loop.upper_bound), loop.lower_bound)
    distance = arithmetic.emit(SubIOp(point, loop.lower_bound))
    # Unsigned, as the distance in a signed range may exceed the largest signed number.
    division = DivIOp(distance, loop.step, Signedness.UNSIGNED, RoundingMode.POSITIVE_INF)
    covered = arithmetic.emit(MulIOp(arithmetic.emit(division), loop.step))
    return arithmetic.emit(AddIOp(loop.lower_bound, covered))


@dataclass(frozen=True)
class SplitLoop(RewritePattern):
    """Inserts a second loop after a loop, and replaces the comparison by its value in each."""

    threshold: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        ordering = find_split(op, self.threshold)
        if ordering is None:
            return
        arithmetic = _Arithmetic(op, rewriter)
        point = _meeting_point(op, ordering, arithmetic)
        end = arithmetic.minimum(point, op.upper_bound)
        start = arithmetic.maximum(point, op.lower_bound)
        # Cloned while both comparisons are still there: each loop decides its own.
        second = op.clone()
        rewriter.insert(second, InsertPoint.after(op))
        for old, new in zip(op.results, second.results, strict=True):
            rewriter.replace_all_uses_with(old, new)
        second.operands = (start, *second.operands[1:3], *op.results)
        op.operands[1] = end
        _decide(op, ordering, ordering.holds_first)
        _decide(second, ordering, not ordering.holds_first)


def _decide(loop: ForOp, ordering: Ordering, truth: bool) -> None:
    """Replaces a comparison by its known value; an `if` on it keeps one branch."""
    known = KnownComparison(loop, ordering, truth)
    # Ifs first: they are found by the comparison that the second walk replaces.
    DispatchWalker({IfOp: InlineKnownBranch(known)}).rewrite(loop)
    DispatchWalker({CmpIOp: ReplaceComparison(known)}).rewrite(loop)


@dataclass(frozen=True)
class KnownComparison:
    """The truth of a comparison in all iterations of a loop."""

    loop: ForOp
    ordering: Ordering
    truth: bool

    def is_of(self, comparison: Operation | Block) -> bool:
        """Whether an op is the known comparison."""
        return ordering_of(self.loop, comparison) == self.ordering


@dataclass(frozen=True)
class InlineKnownBranch(RewritePattern):
    """Replaces an `if` on the comparison by the branch that is executed."""

    known: KnownComparison

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if self.known.is_of(op.condition.owner):
            inline_branch(op, self.known.truth, rewriter)


@dataclass(frozen=True)
class ReplaceComparison(RewritePattern):
    """Replaces a comparison by a constant, or erases it if it is unused."""

    known: KnownComparison

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CmpIOp, rewriter: PatternRewriter) -> None:
        if not self.known.is_of(op):
            return
        if not op.result.uses:
            rewriter.erase(op)
            return
        assert isinstance(op.result.type, TileType)
        value = DenseConstantAttr.splat(op.result.type, self.known.truth)
        # The comparison may also be stored or selected on, not only branched on.
        replace_op(rewriter, op, ConstantOp(value))


@dataclass(frozen=True)
class LoopSplitPass(ModulePass):
    """Splits loops where a condition on the induction variable changes."""

    name = "loop-split"

    split_threshold: int = 1
    """0 never, 1 always, N if a branch holds N operations or an expensive one."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.split_threshold < 0:
            raise PassFailedException(
                f"split-threshold must not be negative, but got {self.split_threshold}"
            )
        # The innermost loops first, so that an outer one copies what is already split.
        DispatchWalker(
            {ForOp: SplitLoop(self.split_threshold)}, walk_regions_first=True, walk_reverse=True
        ).rewrite(op)
