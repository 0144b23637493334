"""Loops: tiles of which nothing is carried are allocated in the body; nests become one loop.

A loop without ops of this dialect is left as it is.
"""

from collections.abc import Sequence, Set

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.values.tile_chains import (
    chain_to,
    chain_to_allocation,
    constant_index,
    holds_memory_consistency,
)
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.dialects.nv_tileas.interfaces import TypeOnlyOpInterface
from tileir_xdsl.dialects.nv_tileas.slices import InsertSliceOp
from tileir_xdsl.rewriting import dialect_name, replace_op


class DecomposeLoopIterArgs(RewritePattern):
    """A loop-carried tile that starts as slices of an allocation, and of which nothing is read.

        %out = scf.for .. iter_args(%buf = insert_slice %seed into alloc_tensor) -> (T) {
          .. scf.yield (insert_slice %x into %buf) }
        ->
        scf.for .. { %buf = insert_slice %seed into alloc_tensor  .. }

    Legal where both chains only shape tiles, the result is not used, and no op in the body reads
    what an iteration before it wrote: the carried tile and what is made of it serve as destinations
    alone, or to ops that read their type alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        body = op.body.block
        terminator = body.last_op
        if not isinstance(terminator, scf.YieldOp):
            return
        results, yielded = op.results, terminator.operands
        # All of them at once: the loop is rebuilt for those that are left.
        dropped: list[int] = []
        for position, init in enumerate(op.iter_args):
            argument = body.args[position + 1]
            chain = chain_to_allocation(init)
            written = chain_to(yielded[position], argument)
            # A used result is what all iterations wrote together, which no single allocation holds.
            if chain is None or not written or results[position].first_use is not None:
                continue
            # In an allocation of its own, an iteration does not find what the one before wrote.
            if not _is_write_only({argument, *(link.results[0] for link in written)}, terminator):
                continue
            copy = _copy_chain(chain, InsertPoint.at_start(body), rewriter)
            copy.name_hint = argument.name_hint
            argument.replace_all_uses_with(copy)
            dropped.append(position)
        if dropped:
            _drop_iter_args(op, dropped, rewriter)


def _is_write_only(values: Set[SSAValue], terminator: Operation) -> bool:
    """Whether all uses of the tiles replace slices of them, yield them, or read their type."""
    for value in values:
        for use in value.uses:
            user = use.operation
            # Operand 0 of an insertion is what is read, operand 1 what is written.
            is_destination = isinstance(user, InsertSliceOp) and use.index == 1
            if is_destination and user.results[0] in values:
                continue
            if user is not terminator and not isinstance(user, TypeOnlyOpInterface):
                return False
    return True


def _copy_chain(
    chain: Sequence[Operation], point: InsertPoint, rewriter: PatternRewriter
) -> SSAValue:
    """Repeats a chain, the allocation first; the value that it makes."""
    mapper: dict[SSAValue, SSAValue] = {}
    copies = [op.clone(value_mapper=mapper) for op in reversed(chain)]
    rewriter.insert(copies, point)
    return copies[-1].results[0]


def _drop_iter_args(op: scf.ForOp, positions: Sequence[int], rewriter: PatternRewriter) -> None:
    """Rebuilds a loop without some of the values that it carries; their results have no use."""
    region = op.detach_region(op.body)
    block = region.block
    terminator = block.last_op
    assert terminator is not None
    dropped = set(positions)
    kept = [value for i, value in enumerate(terminator.operands) if i not in dropped]
    rewriter.replace(terminator, scf.YieldOp(*kept))
    # The last first, after which no other is numbered anew.
    for position in reversed(positions):
        block.erase_arg(block.args[position + 1])
    carried = [value for i, value in enumerate(op.iter_args) if i not in dropped]
    loop = scf.ForOp(op.lb, op.ub, op.step, carried, region)
    loop.attributes.update(op.attributes)
    left = iter(loop.results)
    results = [None if i in dropped else next(left) for i in range(len(op.results))]
    replace_op(rewriter, op, loop, results)


class CoalescePerfectlyNestedLoops(RewritePattern):
    """Two loops without carried values, the inner one alone in the outer one, become one.

        scf.for %i = %a to %b step %s { scf.for %j = 0 to 8 step 2 { .. } }
        ->
        scf.for %n = 0 to (trips of %i) * 4 step 1 { %i = %a + %n / 4 * %s  %j = %n % 4 * 2  .. }

    Legal where the bounds of the inner loop are constants and no op in it is one whose order
    matters. Loops over integers become one where the product of their trips is known to fit. Nests
    without ops of this dialect are left alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        # Alone in the body: all else would run once for each outer iteration.
        inner = op.body.block.first_op
        if not isinstance(inner, scf.ForOp) or not isinstance(inner.next_op, scf.YieldOp):
            return
        # Attributes such as `sliceCount` are about the iterations of one of the two.
        if op.iter_args or inner.iter_args or op.attributes or inner.attributes:
            return
        type, trips = op.lb.type, _known_trips(inner)
        if type != inner.lb.type or not trips:
            return
        # In a narrower type the product of unknown trips might wrap around.
        if isinstance(type, IntegerType) and not _fits(_known_trips(op), trips, type):
            return
        if holds_memory_consistency(inner) or not _is_scheduled(inner):
            return
        _coalesce(op, inner, trips, rewriter)


def _known_trips(loop: scf.ForOp) -> int | None:
    """How often a loop runs, if its bounds are constants."""
    bounds = [constant_index(value) for value in (loop.lb, loop.ub, loop.step)]
    start, end, step = bounds
    # `scf.for` leaves a negative step undefined; no other loop is made of it.
    if start is None or end is None or step is None or step <= 0:
        return None
    return max(0, -((start - end) // step))


def _fits(outer: int | None, inner: int, type: IntegerType) -> bool:
    """Whether the product of two trips is known, and a signed number of a type."""
    return outer is not None and outer * inner < 1 << type.width.data - 1


def _is_scheduled(op: Operation) -> bool:
    """Whether there is an op of the dialect in the regions of this one."""
    return any(dialect_name(inner) == "nv_tileas" for inner in op.walk())


def _total_trips(builder: Builder, outer: scf.ForOp, trips: int, inner: SSAValue) -> SSAValue:
    """How often the body of the inner loop runs; at most 0 if it does not."""
    known = _known_trips(outer)
    # Folded by hand, as no other canonicalization runs after layouts are assigned.
    if known is not None:
        return arithmetic.constant(builder, known * trips, _type_of(outer))
    start, step = constant_index(outer.lb), constant_index(outer.step)
    extent = outer.ub if start == 0 else arithmetic.subtract(builder, outer.ub, outer.lb)
    if step != 1:
        one = arithmetic.constant(builder, 1)
        rounded = arithmetic.subtract(builder, arithmetic.add(builder, extent, outer.step), one)
        extent = arithmetic.divide_signed(builder, rounded, outer.step)
    return arithmetic.multiply(builder, extent, inner)


def _type_of(loop: scf.ForOp) -> IndexType | IntegerType:
    """The type of the index of a loop."""
    type = loop.lb.type
    assert isinstance(type, IndexType | IntegerType)
    return type


def _coalesce(outer: scf.ForOp, inner: scf.ForOp, trips: int, rewriter: PatternRewriter) -> None:
    """Replaces both loops by one over the product of their trips."""
    before, type = Builder(InsertPoint.before(outer)), _type_of(outer)
    inner_trips = arithmetic.constant(before, trips, type)
    total = _total_trips(before, outer, trips, inner_trips)
    zero, one = arithmetic.constant(before, 0, type), arithmetic.constant(before, 1, type)
    region = inner.detach_region(inner.body)
    body = region.block
    inner_index, outer_index = body.args[0], outer.body.block.args[0]
    index = body.insert_arg(type, 0)
    builder = Builder(InsertPoint.at_start(body))
    quotient = arithmetic.divide_signed(builder, index, inner_trips)
    remainder = builder.insert(arith.RemSIOp(index, inner_trips)).result
    for value, number, loop in ((outer_index, quotient, outer), (inner_index, remainder, inner)):
        start = arithmetic.index_expression(builder, loop.lb, number, loop.step)
        value.replace_all_uses_with(start)
    body.erase_arg(inner_index)
    rewriter.erase(inner)
    replace_op(rewriter, outer, scf.ForOp(zero, total, one, [], region))
