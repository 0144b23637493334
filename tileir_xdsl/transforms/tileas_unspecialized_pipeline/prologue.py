"""Issues the loads of a loop ahead of the rest of its body."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.regions.program_slices import copy_slice
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.builders.branches import choose
from tileir_xdsl.builders.loops import with_carried_values
from tileir_xdsl.dialects import nv_tileas

from . import copy_groups
from .plan import LoopPlan


def pipeline_loop(loop: scf.ForOp, plan: LoopPlan, rewriter: PatternRewriter) -> None:
    """Puts a prologue of loads before a loop, and makes its iterations issue those of later
    ones.
    """
    kept = plan.load_slice.kept(loop)
    before = Builder(InsertPoint.before(loop))
    step = constant_index(loop.step)
    assert step is not None
    counted = loop.lb.type
    assert isinstance(counted, arithmetic.IndexLike)
    reach = arithmetic.constant(before, step * plan.distance, counted)
    extent = arithmetic.subtract(before, loop.ub, loop.lb)
    in_groups = copy_groups.can_wait_for_groups(loop, plan)
    started = _first_loads(loop, plan, kept, extent, reach, before)
    if in_groups:
        _commit_at_end(started.body.block)
        copy_groups.wait_for_short_loop(before, extent, step, plan, counted)
    loop, carried = with_carried_values(loop, started.results, rewriter)
    block = loop.body.block
    if in_groups:
        builder = Builder(InsertPoint.before(copy_groups.wait_in_loop(loop, plan)))
    else:
        builder = Builder(after_wait(plan.produced[-1]))
    following = _later_loads(loop, plan, kept, carried, reach, builder)
    if in_groups:
        builder.insert(nv_tileas.CommitCopiesOp())
    terminator = block.last_op
    assert terminator is not None
    first = len(terminator.operands) - len(kept)
    for number, value in enumerate(following):
        terminator.operands[first + number] = value
    _drop_loads(loop, plan, kept, first, rewriter)


def _first_loads(
    loop: scf.ForOp,
    plan: LoopPlan,
    kept: Sequence[int],
    extent: SSAValue,
    reach: SSAValue,
    builder: Builder,
) -> scf.ForOp:
    """The prologue: issues the loads of the first `distance` iterations, as far as they exist."""
    # Unsigned: the extent of a range always fits, the sum of start and reach might not.
    longer = builder.insert(arith.CmpiOp(extent, reach, "ugt")).result
    # The extent of an empty range is negative, which unsigned is large.
    runs = builder.insert(arith.CmpiOp(loop.lb, loop.ub, "slt")).result
    both = builder.insert(arith.AndIOp(longer, runs)).result
    end = arithmetic.add(builder, loop.lb, reach)
    last = arithmetic.select(builder, both, end, loop.ub)
    old = loop.body.block
    arguments = [old.args[0], *(old.args[index + 1] for index in kept)]
    body = Block(arg_types=[argument.type for argument in arguments])
    values: dict[SSAValue, SSAValue] = dict(zip(arguments, body.args, strict=True))
    inner = Builder(InsertPoint.at_end(body))
    copy_slice(list(old.ops), plan.load_slice, inner, values)
    inner.insert(scf.YieldOp(*yielded_copies(old, kept, values)))
    initial = [loop.iter_args[index] for index in kept]
    started = scf.ForOp(loop.lb, last, loop.step, initial, body)
    started.location = loop.location
    return builder.insert(started)


def _later_loads(
    loop: scf.ForOp,
    plan: LoopPlan,
    kept: Sequence[int],
    carried: Sequence[BlockArgument],
    reach: SSAValue,
    builder: Builder,
) -> Sequence[SSAValue]:
    """Issues the loads of a later iteration, if there is one; returns the carried values after
    it.
    """
    block = loop.body.block
    now = block.args[0]
    left = arithmetic.subtract(builder, loop.ub, now)
    # The rest of the range does not wrap; the index of the later iteration could.
    more = builder.insert(arith.CmpiOp(left, reach, "ugt")).result

    def start(inner: Builder) -> Sequence[SSAValue]:
        later = arithmetic.add(inner, now, reach)
        old = [block.args[index + 1] for index in kept]
        values: dict[SSAValue, SSAValue] = {now: later, **dict(zip(old, carried, strict=True))}
        copy_slice(list(block.ops), plan.load_slice, inner, values)
        return yielded_copies(block, kept, values)

    # Without a later iteration nothing is put into a stage, so the iterators stay.
    return choose(builder, more, start, lambda _: carried, plan.produced[-1].location)


def yielded_copies(
    block: Block, kept: Sequence[int], values: dict[SSAValue, SSAValue]
) -> list[SSAValue]:
    """The copies of the values that an iteration yields at the positions `kept`."""
    terminator = block.last_op
    assert terminator is not None
    yielded = [terminator.operands[index] for index in kept]
    # Values that the slice does not compute come from outside of the loop, the same for every copy.
    return [values.get(value, value) for value in yielded]


def _commit_at_end(block: Block) -> None:
    """Commits the copies that an iteration has issued as one group."""
    terminator = block.last_op
    assert terminator is not None
    Builder(InsertPoint.before(terminator)).insert(nv_tileas.CommitCopiesOp())


def after_wait(produced: Operation) -> InsertPoint:
    """The point after the first wait that follows the loads: all threads have left the previous
    stage.
    """
    point = produced
    while isinstance(point.next_op, nv_tileas.ConsumerWaitOp | nv_tileas.ConsumerReadOp):
        point = point.next_op
    return InsertPoint.after(point)


def _drop_loads(
    loop: scf.ForOp, plan: LoopPlan, kept: Sequence[int], first: int, rewriter: PatternRewriter
) -> None:
    """Removes the loads of the current iteration, and the ops that only they used.

    The producers' iterators are replaced by those that are ahead, also after the loop.
    """
    block = loop.body.block
    terminator = block.last_op
    assert terminator is not None
    for produced in plan.produced:
        rewriter.erase(produced)
    for step in plan.iterators:
        for number, index in enumerate(kept):
            if terminator.operands[index] is step.result:
                loop.results[index].replace_all_uses_with(loop.results[first + number])
                terminator.operands[index] = block.args[index + 1]
        rewriter.erase(step)
