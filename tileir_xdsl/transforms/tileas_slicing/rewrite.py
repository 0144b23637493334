"""Splits a loop into slices by its plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.walking import ops_in

from . import diagnostics
from .loops import ATTRIBUTE
from .plan import LoopPlan, Start


@dataclass
class SliceLoop(RewritePattern):
    """Splits a loop into slices; the loop itself becomes the first slice.

    Inner loops are split before outer ones, so that slices of an outer loop contain split loops.
    """

    plans: Mapping[scf.ForOp, LoopPlan]
    expected: set[Operation]
    """The ops that may be in the body of a loop: those of the plan, and those inserted since."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        plan = self.plans.get(op)
        if plan is None:
            return
        # An op that no plan has seen could be one that slices may not repeat.
        if any(inner not in self.expected for inner in ops_in(op.body)):
            fail(op, diagnostics.UNEXPECTED)
        del op.attributes[ATTRIBUTE]
        bounds = _Bounds(op, rewriter)
        points = bounds.of(plan)
        slices = [op, *(op.clone() for _ in range(1, plan.count))]
        _connect(slices, points, plan)
        rewriter.insert(slices[1:], InsertPoint.after(op))
        rewriter.notify_op_modified(op)
        self.expected.update(bounds.made)
        for new in slices[1:]:
            self.expected.update(ops_in(new))
        if plan.has_single_iterations:
            for loop in slices:
                _inline(loop, rewriter)


def _inline(loop: scf.ForOp, rewriter: PatternRewriter) -> None:
    """Replaces a loop of one iteration by its body."""
    body = loop.body.block
    terminator = body.last_op
    assert isinstance(terminator, scf.YieldOp)
    rewriter.inline_block(body, InsertPoint.before(loop), (loop.lb, *loop.iter_args))
    # After the block, as it may yield what the loop carries.
    yielded = list(terminator.operands)
    rewriter.erase(terminator)
    rewriter.replace(loop, (), yielded)


def _connect(slices: list[scf.ForOp], points: list[SSAValue], plan: LoopPlan) -> None:
    """Sets the bounds and initial values of every slice; users of the loop use the last slice."""
    first, last = slices[0], slices[-1]
    if last is not first:
        for old, new in zip(first.results, last.results, strict=True):
            # Before the slices are connected, whose operands use results of the first.
            old.replace_all_uses_with(new)
    initial = tuple(first.iter_args)
    for number, loop in enumerate(slices):
        carried = [
            slices[number - 1].results[position]
            if number and start is Start.PREVIOUS_SLICE
            else initial[position]
            for position, start in enumerate(plan.starts)
        ]
        loop.operands = (points[number], points[number + 1], loop.step, *carried)


class _Bounds:
    """Computes the bounds of the slices before the loop."""

    def __init__(self, loop: scf.ForOp, rewriter: PatternRewriter):
        assert isinstance(loop.lb.type, IndexType | IntegerType)
        self.loop = loop
        self.rewriter = rewriter
        self.type = loop.lb.type
        self.made: list[Operation] = []

    def of(self, plan: LoopPlan) -> list[SSAValue]:
        """The lower bound of each slice, and the upper bound of the loop."""
        lower, upper = self.loop.lb, self.loop.ub
        if plan.count == 1:
            return [lower, upper]
        inner = (
            self._computed(plan.count)
            if plan.ranges is None
            else [self._constant(part.lower) for part in plan.ranges[1:]]
        )
        return [lower, *inner, upper]

    def _computed(self, count: int) -> list[SSAValue]:
        """The inner bounds, computed at run time.

        As in `partition`, slice k starts at iteration `k * (trips / count) + min(k, trips mod
        count)`. Iterations are counted as unsigned numbers, so that the widest range does not
        overflow.
        """
        lower, upper, step = self.loop.lb, self.loop.ub, self.loop.step
        end = self._built(arithmetic.maximum_signed, lower, upper)
        trips = self._built(arithmetic.subtract, end, lower)
        # Most loops count by one, and need no division to know their iterations.
        is_dense = constant_index(step) == 1
        if not is_dense:
            trips = self._emit(arith.CeilDivUIOp(trips, step))
        slices = self._constant(count)
        base = self._emit(arith.DivUIOp(trips, slices))
        extra = self._emit(arith.RemUIOp(trips, slices))
        return [self._bound(k, trips, base, extra, end, is_dense) for k in range(1, count)]

    def _bound(
        self,
        number: int,
        trips: SSAValue,
        base: SSAValue,
        extra: SSAValue,
        end: SSAValue,
        is_dense: bool,
    ) -> SSAValue:
        """The lower bound of one slice; the upper bound of the loop for a slice after the last
        iteration.
        """
        position = self._constant(number)
        whole = self._built(arithmetic.multiply, base, position)
        more = self._emit(arith.MinUIOp(extra, position))
        first = self._built(arithmetic.add, whole, more)
        if is_dense:
            return self._built(arithmetic.add, self.loop.lb, first)
        distance = self._built(arithmetic.multiply, first, self.loop.step)
        start = self._built(arithmetic.add, self.loop.lb, distance)
        is_iteration = self._emit(arith.CmpiOp(first, trips, "ult"))
        # Past the last iteration `lower + first * step` may wrap around.
        return self._built(arithmetic.select, is_iteration, start, end)

    def _constant(self, value: int) -> SSAValue:
        return self._built(arithmetic.constant, value, self.type)

    def _built(self, build: Callable[..., SSAValue], *arguments: object) -> SSAValue:
        """Emits index arithmetic before the loop by a builder function."""
        value = build(self.rewriter, *arguments)
        assert isinstance(value, OpResult)
        self._made(value.op)
        return value

    def _emit(self, op: Operation) -> OpResult:
        self.rewriter.insert(op, InsertPoint.before(self.loop))
        self._made(op)
        return op.results[0]

    def _made(self, op: Operation) -> None:
        op.location = self.loop.location
        self.made.append(op)
