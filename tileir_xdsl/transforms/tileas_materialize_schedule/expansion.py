"""Expansion of loops whose MMAs overlap their other ops: prologue, steady state, epilogue.

    scf.for %j = %lb to %ub step %s iter_args(%o = %o0, %at = %i) {
      %s = async.dot %q, %k, %zero     {iter_offset = 1}            // k: the stage at %at
      %p = softmax of async.future_wait %s
      %c = factors * %o
      %d = async.dot %p, %v, %c
      %o1 = async.future_wait %d       {iter_offset = -1}
      scf.yield %o1, inc_iter %at
    }
    ->
    scf.if %lb < %ub {
      %s0 = async.dot %q, %k0, %zero                                // before: the first early ones
      scf.while (%j = %lb, %d = to_async %o0, %s = %s0, ..) {
        %p = softmax of async.future_wait %s
        %o = async.future_wait %d
        %c = factors * %o
        scf.condition(%j + %s < %ub) ..
      } do {
        %s1 = async.dot %q, %k1, %zero                              // those of the next iteration
        %d1 = async.dot %p, %v, %c
        scf.yield %j + %s, %d1, %s1, ..
      }
      %d1 = async.dot %p, %v, %c                                    // after: the rest of the last
      %o1 = async.future_wait %d1
    }

The loop ends in the middle of its last iteration, before early MMAs of a further iteration would be
issued. Before the loop, threads wait for the first warpgroup MMAs, so that waits in the loop can
leave later MMAs in flight. A wait for an accumulator in tensor memory never waits for other MMAs. A
stage that a late MMA reads is released after the wait for that MMA.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.analysis.regions.program_slices import copy_slice
from tileir_xdsl.analysis.scheduling.arrangement import NEXT, PREVIOUS
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.overlap import (
    EarlyMMAs,
    LateMMA,
    early_mmas,
    find_late_mmas,
)
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.builders.branches import choose
from tileir_xdsl.builders.pipelines import build_consumer_release
from tileir_xdsl.builders.schedule import OFFSET_KEY, StageValues, expand_single_tiled_op
from tileir_xdsl.builders.tiles import wait_for
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY
from tileir_xdsl.walking import ops_in


class ExpandLoop(RewritePattern):
    """Expands a loop with early MMAs in its schedule."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        parts = _Parts.of(op)
        if parts is None:
            return
        for inner in body_ops(op):
            # The order is that of the program from here on.
            inner.attributes.pop(OFFSET_KEY, None)
        builder = Builder(InsertPoint.before(op))
        # The prologue starts an iteration, so a loop that may have none is guarded.
        if _runs(op):
            results = _emit(parts, builder)
        else:
            runs = builder.insert(arith.CmpiOp(op.lb, op.ub, "slt")).result
            results = choose(
                builder,
                runs,
                lambda inner: _emit(parts, inner),
                lambda _: op.iter_args,
                op.location,
            )
        rewriter.replace(op, [], results)


def _runs(loop: scf.ForOp) -> bool:
    """Whether a loop is known to run at least one iteration."""
    first, end = constant_index(loop.lb), constant_index(loop.ub)
    return first is not None and end is not None and first < end


# The parts of a loop.


@dataclass(frozen=True)
class _Parts:
    """The parts of a loop's body, in the order of the schedule."""

    loop: scf.ForOp
    early: EarlyMMAs
    late: tuple[LateMMA, ...]
    first: tuple[Operation, ...]
    """The ops before the early MMAs of the next iteration."""
    last: tuple[Operation, ...]
    """The ops after the early MMAs of the next iteration."""

    @staticmethod
    def of(loop: scf.ForOp) -> _Parts | None:
        """The parts of a loop; None if its schedule has no early MMAs."""
        # The schedule decides the order of issue; the order of the program is only its input.
        ops = sorted(body_ops(loop), key=lambda op: _number(op, ORDER_KEY))
        dots = [
            op
            for op in ops
            if isinstance(op, nv_tileas.AsyncDotOp) and _number(op, OFFSET_KEY) == NEXT
        ]
        early = early_mmas(loop, dots) if dots else None
        if early is None:
            return None
        late = (p for p in find_late_mmas(loop) if _number(p.wait, OFFSET_KEY) == PREVIOUS)
        position = ops.index(dots[0])
        first, last = (
            tuple(op for op in part if op not in early.moved)
            for part in (ops[:position], ops[position:])
        )
        return _Parts(loop, early, tuple(late), first, last)

    @property
    def arguments(self) -> tuple[BlockArgument, ...]:
        """The induction variable, and the carried values."""
        return self.loop.body.block.args

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """The values that an iteration yields."""
        end = self.loop.body.block.last_op
        assert end is not None
        return tuple(end.operands)

    @property
    def ahead(self) -> list[int]:
        """The positions of carried values that early MMAs of the next iteration need."""
        return self.early.needed.kept(self.loop)

    @property
    def carried(self) -> list[int]:
        """The positions of carried values that ops of the current iteration need."""
        late = {mma.position for mma in self.late}
        return [
            i for i in range(len(self.yielded)) if i not in late and not self._is_ahead_alone(i)
        ]

    def _is_ahead_alone(self, position: int) -> bool:
        users = {use.operation for use in self.arguments[position + 1].uses}
        # Carried twice, a value would take registers twice.
        return position in self.ahead and users <= self.early.moved

    @property
    def unfinished(self) -> tuple[SSAValue, ...]:
        """The results of late MMAs, for the next iteration, and the tokens of the stages that they
        read.
        """
        tokens = [token for mma in self.late for token in mma.tokens]
        return (*(mma.dot.result for mma in self.late), *dict.fromkeys(tokens))


def _number(op: Operation, key: str) -> int:
    attribute = op.attributes.get(key)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


# Copies of the parts.


@dataclass(frozen=True)
class _State:
    """The values that the expanded loop carries."""

    index: SSAValue
    carried: Sequence[SSAValue]
    ahead: Sequence[SSAValue]
    """The carried values for early MMAs of the next iteration."""
    early: Sequence[SSAValue]
    """The results of early MMAs of the current iteration."""
    unfinished: Sequence[SSAValue]
    """The results and stage tokens of late MMAs of the previous iteration."""

    def values(self) -> list[SSAValue]:
        """All values in a fixed order."""
        return [self.index, *self.carried, *self.ahead, *self.early, *self.unfinished]

    def renamed(self, values: Sequence[SSAValue]) -> _State:
        """The same fields with other values, in the order of `values`."""
        rest = iter(values)
        parts = (self.carried, self.ahead, self.early, self.unfinished)
        return _State(next(rest), *([next(rest) for _ in part] for part in parts))


def _emit(parts: _Parts, builder: Builder) -> list[SSAValue]:
    """Builds prologue, loop and epilogue; returns the replacements of the loop's results."""
    state = _initial_state(parts, builder)
    before = Block(arg_types=[value.type for value in state.values()])
    passed = _emit_first(parts, state.renamed(before.args), before)
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    types = [value.type for value in condition.args]
    after = Block(arg_types=types)
    following = _emit_last(parts, passed, after)
    Builder(InsertPoint.at_end(after)).insert(scf.YieldOp(*following.values()))
    # A `while` can test in the middle: the last iteration has no next one to start.
    loop = scf.WhileOp(state.values(), types, Region(before), Region(after))
    loop.location = parts.loop.location
    ends, ahead = _split(builder.insert(loop).results[1:], passed)
    # After the loop: the condition leaves the last iteration before these ops.
    _copy(parts.last, builder, ends)
    return _results(parts, ends, ahead, builder)


def _initial_state(parts: _Parts, builder: Builder) -> _State:
    """Emits the prologue: issues the first early MMAs; accumulators of late MMAs have their initial
    values.
    """
    loop = parts.loop
    values: StageValues = dict(zip(parts.arguments, (loop.lb, *loop.iter_args), strict=True))
    ahead, early = _start_early(parts, values, builder)
    dots = len(parts.early.dots)
    early_dots = early[:dots]
    if not all(map(is_tensor_memory_mma, parts.early.dots)):
        done = [wait_for(builder, dot) for dot in early_dots]
        early_dots = [builder.insert(nv_tileas.ToAsyncOp(tile)).result for tile in done]
    unfinished = [
        builder.insert(nv_tileas.ToAsyncOp(loop.iter_args[mma.position])).result
        for mma in parts.late
    ]
    token = nv_tileas.PipelineConsumerTokenType()
    unfinished += [
        # No MMA came before: its release must free nothing.
        builder.insert(nv_tileas.CreateNullTokenOp(token)).result
        for _ in parts.unfinished[len(parts.late) :]
    ]
    carried = [loop.iter_args[i] for i in parts.carried]
    return _State(loop.lb, carried, ahead, [*early_dots, *early[dots:]], unfinished)


def _start_early(
    parts: _Parts, values: StageValues, builder: Builder
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Issues early MMAs; returns the carried values for the following early MMAs, and the
    results.
    """
    copy_slice(body_ops(parts.loop), parts.early.needed, builder, values)
    ahead = [values.get(parts.yielded[i], parts.yielded[i]) for i in parts.ahead]
    return ahead, [values[value] for value in parts.early.forwarded]


def _emit_first(parts: _Parts, state: _State, block: Block) -> Sequence[SSAValue]:
    """Emits the part of the body before the condition; returns the values that the condition
    forwards.
    """
    builder = Builder(InsertPoint.at_end(block))
    arguments = parts.arguments
    values: StageValues = {arguments[0]: state.index}
    values |= zip((arguments[i + 1] for i in parts.carried), state.carried, strict=True)
    values |= zip(parts.early.forwarded, state.early, strict=True)
    before = dict(zip(parts.unfinished, state.unfinished, strict=True))
    waits: dict[Operation, LateMMA] = {mma.wait: mma for mma in parts.late}
    releases = {release for mma in parts.late for release in mma.releases}
    for op in parts.first:
        if op in waits:
            mma = waits[op]
            waited = wait_for(builder, before[mma.dot.result], op.location)
            values[arguments[mma.position + 1]] = waited
        elif op in releases:
            _copy([op], builder, {**values, **before})
        else:
            _copy([op], builder, values)
    loop = parts.loop
    following = arithmetic.add(builder, state.index, loop.step)
    left = arithmetic.subtract(builder, loop.ub, state.index)
    # The addition may wrap; the remaining range does not.
    more = builder.insert(arith.CmpiOp(left, loop.step, "ugt")).result
    # Only what the second part reads: each value that is passed stays in registers.
    passed = [value for value in dict.fromkeys(_taken(parts)) if value in values]
    forwarded = (values[value] for value in passed)
    builder.insert(scf.ConditionOp(more, following, *forwarded, *state.ahead))
    return passed


def _taken(parts: _Parts) -> Iterable[SSAValue]:
    """All values that the part after the condition may read or yield."""
    for op in parts.last:
        for inner in ops_in(op):
            yield from inner.operands
    yield from (parts.yielded[i] for i in parts.carried)
    yield from parts.unfinished


def _split(
    values: Sequence[SSAValue], passed: Sequence[SSAValue]
) -> tuple[StageValues, Sequence[SSAValue]]:
    """Splits forwarded values into the replacements of `passed`, and the values for early MMAs."""
    count = len(passed)
    return dict(zip(passed, values[:count], strict=True)), values[count:]


def _emit_last(parts: _Parts, passed: Sequence[SSAValue], block: Block) -> _State:
    """Emits the part of the body after the condition; returns the yielded values."""
    builder = Builder(InsertPoint.at_end(block))
    index, *rest = block.args
    values, ahead = _split(rest, passed)
    starts: StageValues = {parts.arguments[0]: index}
    starts |= zip((parts.arguments[i + 1] for i in parts.ahead), ahead, strict=True)
    ahead, early = _start_early(parts, starts, builder)
    _copy(parts.last, builder, values)
    carried = [values.get(parts.yielded[i], parts.yielded[i]) for i in parts.carried]
    return _State(index, carried, ahead, early, [values[v] for v in parts.unfinished])


def _results(
    parts: _Parts, values: StageValues, ahead: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    """The results of the loop, after waits for late MMAs and releases of their stages."""
    results = dict(zip(parts.ahead, ahead, strict=True))
    results |= {i: values.get(parts.yielded[i], parts.yielded[i]) for i in parts.carried}
    for mma in parts.late:
        results[mma.position] = wait_for(builder, values[mma.dot.result], mma.wait.location)
    # No later iteration releases these.
    for token in parts.unfinished[len(parts.late) :]:
        build_consumer_release(builder, values[token])
    return [results[i] for i in range(len(parts.yielded))]


def _copy(ops: Iterable[Operation], builder: Builder, values: StageValues) -> None:
    """Inserts copies of ops, with operands mapped through `values`; adds the results to
    `values`.
    """
    for op in ops:
        expand_single_tiled_op(builder, op, [values])
