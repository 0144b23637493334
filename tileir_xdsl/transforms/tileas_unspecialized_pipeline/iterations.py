"""Issues the loads of a loop ahead, also those of the outer loop's next iterations.

    scf.for %o = %first to %last step %by iter_args(%in = %i, %out = %j) {
      %x = .. %o ..
      scf.for %k = %lb to %ub .. iter_args(%in, %out) {
        produce_one_async %p, %in {.. %x, %k ..}
        ..
      }
      ..
    }
    ->
    %place = scf.for .. {..}                          // the first loads, as many as are ahead
    scf.for %o = .. iter_args(%out, %place) {
      scf.for %k = .. iter_args(%out, %place) {
        ..
        scf.if %place is in the loops {
          produce_one_async %p, %in {.. %x and %k of the place ..}
          // the place after it: the next %k, or the first one of the next %o with its %x
        }
      }
      ..
    }

`%place` is the iteration of both loops whose loads are issued next. It consists of both induction
variables, whether such an iteration exists, the values that the outer iteration computes for the
loads, and the pipeline iterators. So stages are refilled while the rest of an outer iteration, such
as storing its accumulator, is still executed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.program_slices import copy_slice, slice_of
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.builders.branches import choose
from tileir_xdsl.builders.loops import forward_instead, with_carried_values
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.walking import ops_in

from . import copy_groups
from .plan import LoopPlan, can_be_repeated
from .prologue import after_wait, yielded_copies


@dataclass(frozen=True)
class OuterIterationsPlan:
    """A plan to issue the loads of a loop ahead through all iterations of the outer loop."""

    loop: scf.ForOp
    outer: scf.ForOp
    plan: LoopPlan
    given: tuple[SSAValue, ...]
    """Integers that an outer iteration computes for the loads."""


def plan_outer_iterations(loop: scf.ForOp, plan: LoopPlan) -> OuterIterationsPlan | None:
    """The plan for a loop; None where outer iterations depend on each other, or there is no outer
    loop.
    """
    outer = loop.parent_op()
    # The next iteration of a `while` is not known before its body has run.
    if not isinstance(outer, scf.ForOp) or outer.parent is None:
        return None
    block = outer.body.block
    # Loads of the next outer iteration start before its bounds would be known.
    if any(_is_in(value, block) for value in (loop.lb, loop.ub, loop.step)):
        return None
    if not _carries_iterators_alone(loop, outer, plan) or not _is_filled_here_alone(outer, plan):
        return None
    inside = [op for op in ops_in(loop.body.block) if op in plan.load_slice.ops]
    before = (op for op in ops_in(block) if op in plan.load_slice.ops and not loop.is_ancestor(op))
    # Ops that feed the loads run an outer iteration earlier than before.
    if not all(map(can_be_repeated, before)):
        return None
    used = dict.fromkeys(value for op in inside for inner in ops_in(op) for value in inner.operands)
    given = [value for value in used if isinstance(value, OpResult) and value.op.parent is block]
    # The loops carry these ahead, and a tile would take registers all along.
    if not all(isinstance(value.type, IndexType | IntegerType) for value in given):
        return None
    return OuterIterationsPlan(loop, outer, plan, tuple(given))


def _carries_iterators_alone(loop: scf.ForOp, outer: scf.ForOp, plan: LoopPlan) -> bool:
    """Whether the loops carry only iterators for the loads, each forwarded from one loop to the
    other.
    """
    assert outer.parent is not None
    inner_block, outer_block = loop.body.block, outer.body.block
    positions = plan.load_slice.kept(loop)
    if {inner_block.args[p + 1] for p in positions} != {i.iterator for i in plan.iterators}:
        return False
    around = slice_of((*plan.produced, *plan.iterators), outer.parent).kept(outer)
    arguments = [loop.iter_args[position] for position in positions]
    # Anything else that feeds the loads would be that of the wrong outer iteration.
    if {outer_block.args[p + 1] for p in around} != set(arguments):
        return False
    terminator = outer_block.last_op
    assert terminator is not None
    return all(
        isinstance(argument, BlockArgument)
        and terminator.operands[argument.index - 1] is loop.results[position]
        for argument, position in zip(arguments, positions, strict=True)
    )


def _is_in(value: SSAValue, block: Block) -> bool:
    """Whether a value is defined in a block or a nested one."""
    owner = value.owner
    if owner is block:
        return True
    maker = owner.parent_op() if isinstance(owner, Block) else owner
    return maker is not None and block.find_ancestor_op_in_block(maker) is not None


def _is_filled_here_alone(outer: scf.ForOp, plan: LoopPlan) -> bool:
    """Whether no other op fills the stages of the pipelines."""
    pipelines = {pipeline_of(op.token) for op in plan.produced}
    return all(
        # Stages are filled in turn: another op in between would take the place of one.
        op in plan.produced or pipeline_of(op.token) not in pipelines
        for op in ops_in(scope_of(outer))
        if isinstance(op, ProduceOp)
    )


@dataclass(frozen=True)
class _NextLoads:
    """The iteration of both loops whose loads are issued next."""

    outer: SSAValue
    inner: SSAValue
    exists: SSAValue
    given: tuple[SSAValue, ...]
    iterators: tuple[SSAValue, ...]

    def values(self) -> list[SSAValue]:
        """The values that loops carry for the next loads."""
        return [self.outer, self.inner, self.exists, *self.given, *self.iterators]

    def of(self, values: Sequence[SSAValue]) -> "_NextLoads":
        """The position that is given by carried values."""
        outer, inner, exists, *others = values
        count = len(self.given)
        return _NextLoads(outer, inner, exists, tuple(others[:count]), tuple(others[count:]))


@dataclass(frozen=True)
class _Bounds:
    """The range of a loop, and its body."""

    first: SSAValue
    end: SSAValue
    step: SSAValue
    block: Block

    @staticmethod
    def of(loop: scf.ForOp) -> "_Bounds":
        return _Bounds(loop.lb, loop.ub, loop.step, loop.body.block)

    def is_left(self, builder: Builder, index: SSAValue) -> SSAValue:
        """Whether the loop has an iteration after `index`, computed without wrap-around."""
        left = arithmetic.subtract(builder, self.end, index)
        return builder.insert(arith.CmpiOp(left, self.step, "ugt")).result


@dataclass(frozen=True)
class _Loads:
    """The values that issuing the loads of a position needs."""

    nest: OuterIterationsPlan
    inner: _Bounds
    outer: _Bounds
    positions: list[int]
    in_groups: bool
    """Whether each iteration commits one group of copies, which may be empty."""

    def first(self, builder: Builder, starts: Sequence[SSAValue]) -> _NextLoads:
        """Issues the first loads, for as many positions as are ahead; returns the next position."""
        nest = builder.insert(arith.CmpiOp(self.outer.first, self.outer.end, "slt")).result
        steps = builder.insert(arith.CmpiOp(self.inner.first, self.inner.end, "slt")).result
        # Without inner iterations no outer one loads, as their bounds are the same for all.
        exists = builder.insert(arith.AndIOp(nest, steps)).result
        # Any number does: nothing is loaded at a position that does not exist.
        zeros = [_zero(builder, value) for value in self.nest.given]
        given = self._given(builder, exists, self.outer.first, zeros)
        position = _NextLoads(
            self.outer.first, self.inner.first, exists, tuple(given), tuple(starts)
        )
        zero, one = (arithmetic.constant(builder, n) for n in (0, 1))
        count = arithmetic.constant(builder, self.nest.plan.distance)
        carried = position.values()
        body = Block(arg_types=[zero.type, *(value.type for value in carried)])
        inside = Builder(InsertPoint.at_end(body))
        following = self.later(inside, position.of(body.args[1:]))
        if self.in_groups:
            inside.insert(nv_tileas.CommitCopiesOp())
        inside.insert(scf.YieldOp(*following))
        started = builder.insert(scf.ForOp(zero, count, one, carried, body))
        started.location = self.nest.loop.location
        return position.of(started.results)

    def later(self, builder: Builder, position: _NextLoads) -> Sequence[SSAValue]:
        """Issues the loads of a position if it exists; returns the position after it."""
        return choose(
            builder,
            position.exists,
            lambda inner: self._start(inner, position),
            lambda _: position.values(),
        )

    def _start(self, builder: Builder, position: _NextLoads) -> Sequence[SSAValue]:
        block, arguments = self.inner.block, self.inner.block.args
        values: dict[SSAValue, SSAValue] = {
            arguments[0]: position.inner,
            self.outer.block.args[0]: position.outer,
            **dict(zip(self.nest.given, position.given, strict=True)),
            **dict(
                zip((arguments[p + 1] for p in self.positions), position.iterators, strict=True)
            ),
        }
        copy_slice(list(block.ops), self.nest.plan.load_slice, builder, values)
        iterators = yielded_copies(block, self.positions, values)
        more = self.inner.is_left(builder, position.inner)
        following = arithmetic.add(builder, position.inner, self.inner.step)
        after = choose(
            builder,
            more,
            lambda _: [position.outer, following, position.exists, *position.given],
            lambda inner: self._next_outer_iteration(inner, position),
        )
        return [*after, *iterators]

    def _next_outer_iteration(self, builder: Builder, position: _NextLoads) -> Sequence[SSAValue]:
        exists = self.outer.is_left(builder, position.outer)
        following = arithmetic.add(builder, position.outer, self.outer.step)
        given = self._given(builder, exists, following, position.given)
        return [following, self.inner.first, exists, *given]

    def _given(
        self, builder: Builder, exists: SSAValue, index: SSAValue, otherwise: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The values that an outer iteration computes for the loads, or `otherwise`."""
        if not otherwise:
            return ()
        block = self.outer.block
        owners = [value.owner for value in self.nest.given if isinstance(value.owner, Operation)]

        def compute(inner: Builder) -> Sequence[SSAValue]:
            values: dict[SSAValue, SSAValue] = {block.args[0]: index}
            copy_slice(list(block.ops), slice_of(owners, block), inner, values)
            return [values[value] for value in self.nest.given]

        # In a branch: what belongs to an iteration that does not exist may not be defined.
        return choose(builder, exists, compute, lambda _: otherwise)


def _zero(builder: Builder, like: SSAValue) -> SSAValue:
    assert isinstance(like.type, arithmetic.IndexLike)
    return arithmetic.constant(builder, 0, like.type)


def pipeline_outer_iterations(nest: OuterIterationsPlan, rewriter: PatternRewriter) -> scf.ForOp:
    """Makes a loop issue loads of later inner and outer iterations; returns the outer loop."""
    loop, outer, plan = nest.loop, nest.outer, nest.plan
    positions = plan.load_slice.kept(loop)
    arguments = [loop.iter_args[position] for position in positions]
    around = [argument.index - 1 for argument in arguments if isinstance(argument, BlockArgument)]
    in_groups = copy_groups.can_wait_for_groups(loop, plan)
    loads = _Loads(nest, _Bounds.of(loop), _Bounds.of(outer), positions, in_groups)
    before = Builder(InsertPoint.before(outer))
    state = loads.first(before, [outer.iter_args[index] for index in around])
    outer, carried = with_carried_values(outer, state.values(), rewriter)
    loop, carried = with_carried_values(loop, carried, rewriter)
    if in_groups:
        inside = Builder(InsertPoint.before(copy_groups.wait_in_loop(loop, plan)))
    else:
        inside = Builder(after_wait(plan.produced[-1]))
    following = loads.later(inside, state.of(carried))
    if in_groups:
        inside.insert(nv_tileas.CommitCopiesOp())
    forward_instead(loop.body.block, carried, following)
    count = len(carried)
    forward_instead(outer.body.block, outer.body.block.args[-count:], loop.results[-count:])
    last = state.of(outer.results[-count:]).iterators
    for position, index, iterator in zip(positions, around, last, strict=True):
        # The producers' iterators are those of the position, also after the loops.
        outer.results[index].replace_all_uses_with(iterator)
        for block, number in ((outer.body.block, index), (loop.body.block, position)):
            forward_instead(block, [_yielded(block, number)], [block.args[number + 1]])
    for op in (*plan.produced, *plan.iterators):
        rewriter.erase(op)
    return outer


def _yielded(block: Block, position: int) -> SSAValue:
    terminator = block.last_op
    assert terminator is not None
    return terminator.operands[position]
