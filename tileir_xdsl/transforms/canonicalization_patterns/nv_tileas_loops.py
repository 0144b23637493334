"""Allocates loop-carried tiles in the body if no iteration reads them, and merges nested loops.

Loops without ops of this dialect are unchanged.
"""

from collections.abc import Sequence, Set
from math import prod

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
from tileir_xdsl.walking import ops_in


class DecomposeLoopIterArgs(RewritePattern):
    """Allocates a loop-carried tile in each iteration, if iterations only write it.

        %out = scf.for .. iter_args(%buf = insert_slice %seed into alloc_tensor) -> (T) {
          .. scf.yield (insert_slice %x into %buf) }
        ->
        scf.for .. { %buf = insert_slice %seed into alloc_tensor  .. }

    Legal if only shape ops make the initial and yielded tiles, the result is unused, and no
    iteration reads what an earlier one wrote. The carried tile and its derivatives are then only
    destinations, or used for their type.
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
    """Whether every use of the tiles inserts into them, yields them, or reads their type."""
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
    """Clones a chain, starting with the allocation; returns the value of the last clone."""
    mapper: dict[SSAValue, SSAValue] = {}
    copies = [op.clone(value_mapper=mapper) for op in reversed(chain)]
    rewriter.insert(copies, point)
    return copies[-1].results[0]


def _drop_iter_args(op: scf.ForOp, positions: Sequence[int], rewriter: PatternRewriter) -> None:
    """Rebuilds a loop without some carried values, whose results are unused."""
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
    """Merges perfectly nested loops without carried values into one loop.

        scf.for %i = %a to %b step %s { scf.for %j = 0 to 8 step 2 { .. } }
        ->
        scf.for %n = 0 to (trips of %i) * 4 step 1 { %i = %a + %n / 4 * %s  %j = %n % 4 * 2  .. }

    Legal if the bounds of all inner loops are constants and no op in them has a memory order. For
    loops over integers, the product of the trip counts must be known to fit the type. Nests without
    ops of this dialect are unchanged.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        nest = _nest(op)
        if len(nest) < 2 or holds_memory_consistency(nest[1]) or not _is_scheduled(nest[1]):
            return
        _coalesce(nest, rewriter)


def _nest(outer: scf.ForOp) -> list[scf.ForOp]:
    """A loop and the nested loops that can be merged with it, outermost first."""
    # All at once: the indices of two are computed where a third one would have to be alone.
    nest, trips, type = [outer], _known_trips(outer), outer.lb.type
    while not (nest[-1].iter_args or nest[-1].attributes):
        # Alone in the body: all else would run once for each outer iteration.
        inner = nest[-1].body.block.first_op
        if not isinstance(inner, scf.ForOp) or not isinstance(inner.next_op, scf.YieldOp):
            return nest
        # Attributes such as `sliceCount` are about the iterations of one of them.
        inner_trips = _known_trips(inner)
        if inner.iter_args or inner.attributes or inner.lb.type != type or not inner_trips:
            return nest
        trips = None if trips is None else trips * inner_trips
        # In a narrower type the product of unknown trips might wrap around.
        if isinstance(type, IntegerType) and not _fits(trips, type):
            return nest
        nest.append(inner)
    return nest


def _known_trips(loop: scf.ForOp) -> int | None:
    """The trip count of a loop with constant bounds; otherwise None."""
    bounds = [constant_index(value) for value in (loop.lb, loop.ub, loop.step)]
    start, end, step = bounds
    # `scf.for` leaves a negative step undefined; no other loop is made of it.
    if start is None or end is None or step is None or step <= 0:
        return None
    return max(0, -((start - end) // step))


def _fits(trips: int | None, type: IntegerType) -> bool:
    """Whether a trip count is known and fits a signed type."""
    return trips is not None and trips < 1 << type.width.data - 1


def _is_scheduled(op: Operation) -> bool:
    """Whether the op's regions contain an op of the dialect."""
    return any(dialect_name(inner) == "nv_tileas" for inner in ops_in(op))


def _total_trips(builder: Builder, outer: scf.ForOp, trips: int, inner: SSAValue) -> SSAValue:
    """The trip count of the merged loop; at most 0 if the outer loop does not run."""
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
    """The type of a loop's index."""
    type = loop.lb.type
    assert isinstance(type, IndexType | IntegerType)
    return type


def _coalesce(nest: Sequence[scf.ForOp], rewriter: PatternRewriter) -> None:
    """Replaces nested loops by one loop over the product of their trip counts."""
    outer, *inner = nest
    before, type = Builder(InsertPoint.before(outer)), _type_of(outer)
    trips = [trip for loop in inner if (trip := _known_trips(loop)) is not None]
    counts = [arithmetic.constant(before, trip, type) for trip in trips]
    product = counts[0] if len(counts) == 1 else arithmetic.constant(before, prod(trips), type)
    total = _total_trips(before, outer, prod(trips), product)
    zero, one = arithmetic.constant(before, 0, type), arithmetic.constant(before, 1, type)
    region = inner[-1].detach_region(inner[-1].body)
    body = region.block
    innermost = body.args[0]
    number: SSAValue = body.insert_arg(type, 0)
    builder = Builder(InsertPoint.at_start(body))
    numbers: list[SSAValue] = []
    for count in reversed(counts):
        quotient = arithmetic.divide_signed(builder, number, count)
        numbers.append(builder.insert(arith.RemSIOp(number, count)).result)
        number = quotient
    indices = [*(loop.body.block.args[0] for loop in nest[:-1]), innermost]
    for index, position, loop in zip(indices, [number, *reversed(numbers)], nest, strict=True):
        value = arithmetic.index_expression(builder, loop.lb, position, loop.step)
        index.replace_all_uses_with(value)
    body.erase_arg(innermost)
    for loop in reversed(inner):
        rewriter.erase(loop)
    replace_op(rewriter, outer, scf.ForOp(zero, total, one, [], region))
