"""Lowers structured control flow to branches between blocks; carried values are block arguments.

Ops are visited parents first. The pattern of a structured op opens its first block; the terminators
of its regions branch and open the next block.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.interfaces import ThreadCopyOpInterface

from ..global_memory.heap_allocations import release_allocations
from ..shared_memory.mbarriers import release_barriers
from ..thread.constants import is_zero
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ControlFlow, ThreadRewriter


def all_parts(values: Iterable[SSAValue], rewriter: ThreadRewriter) -> list[SSAValue]:
    """The registers of all values, concatenated."""
    return [part for value in values for part in rewriter.parts(value)]


def bind_arguments(
    block: Block, values: Sequence[SSAValue], like: Sequence[SSAValue], rewriter: ThreadRewriter
) -> None:
    """Adds block arguments for `values`, each with as many registers as its `like`."""
    for value, model in zip(values, like, strict=True):
        parts = [block.insert_arg(part.type, len(block.args)) for part in rewriter.parts(model)]
        rewriter.bind(value, parts, model)


# If.


@dataclass(frozen=True)
class _If(ControlFlow):
    op: scf.IfOp
    otherwise: Block | None
    """The block of the else branch, if it has ops."""
    after: Block
    outside: Mapping[SSAValue, tuple[SSAValue, ...]]
    """The registers of values that have other registers in the first branch."""
    before: Block
    """The block that ends with the branch."""

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        builder, results = rewriter.builder, self.op.results
        forwarded = terminator.operands
        # Only now is it known in how many registers the arm holds each result.
        if not self.after.args and results:
            bind_arguments(self.after, results, forwarded, rewriter)
        is_first = terminator.parent_region() is self.op.true_region
        if is_first or self.otherwise is not None:
            parts = all_parts(forwarded, rewriter)
            builder.insert_without_result(llvm.BrOp(self.after, *parts))
            rewriter.builder.close_scope()
            if is_first and _starts_copies_of_loop(self.op):
                _compute_before_branch(self.before)
        if is_first:
            # The second arm sees values where they were before the first one moved them.
            for value, registers in self.outside.items():
                rewriter.replace(value, registers)
            if self.otherwise is not None:
                builder.enter(self.otherwise)
                rewriter.builder.open_scope()
            if self.op.false_region.blocks:
                return
        rewriter.leave_region(terminator)
        builder.enter(self.after)


def _starts_copies_of_loop(op: scf.IfOp) -> bool:
    """Whether a branch in a loop fills pipeline stages by per-thread copies, as most iterations
    do.
    """
    return isinstance(op.parent_op(), scf.ForOp | scf.WhileOp) and any(
        isinstance(inner, ThreadCopyOpInterface)
        for filled in op.true_region.block.ops
        if isinstance(filled, ProduceOp)
        for inner in filled.body.block.ops
    )


def _compute_before_branch(before: Block) -> None:
    """Moves pure ops of the first branch to the block before it.

    Loop-invariant values stay, since `ptxas` hoists them out of the loop.
    """
    branch = before.last_op
    assert isinstance(branch, llvm.CondBrOp)
    then = branch.then_block
    inside = set[SSAValue](then.args)
    for op in list(then.ops):
        if isinstance(op, DIVISIONS) or not is_side_effect_free(op) or inside & {*op.operands}:
            inside.update(op.results)
        else:
            op.detach()
            before.insert_op_before(op, branch)


DIVISIONS = (llvm.SDivOp, llvm.SRemOp, llvm.UDivOp, llvm.URemOp)
"""Ops that are undefined for a zero divisor."""


def _begin_loops(op: scf.IfOp, rewriter: ThreadRewriter) -> list[SSAValue]:
    """The initial values of loops in the first branch that the second branch yields unchanged."""
    found: list[SSAValue] = []
    for value in _forwarded_alone(op):
        inside = [use.operation for use in value.uses if op.true_region.is_ancestor(use.operation)]
        begin = all(isinstance(user, LOOP_BEGINNINGS) for user in inside)
        # A value with any other use in the arm is needed where it is, too.
        if inside and begin and rewriter.is_in_registers(value) and value not in found:
            found.append(value)
    return found


def _forwarded_alone(op: scf.IfOp) -> Sequence[SSAValue]:
    """The values that the second branch yields, if it has no other ops."""
    if not op.false_region.blocks:
        return ()
    only = op.false_region.block.first_op
    return only.operands if isinstance(only, scf.YieldOp) else ()


LOOP_BEGINNINGS = (nv_tileas.ToAsyncOp, scf.ForOp, scf.WhileOp)
"""Ops that copy their operands to the initial registers of a loop."""


class LowerIf(LowerOp[scf.IfOp]):
    """Lowers an `if` with a uniform condition.

    If the second branch only forwards initial values of loops in the first branch, these are copied
    to registers before the branch.
    """

    def lower(self, op: scf.IfOp, rewriter: ThreadRewriter) -> None:
        then, after = Block(), Block()
        builder, condition = rewriter.builder, rewriter.scalar(op.cond)
        values = _begin_loops(op, rewriter)
        outside = {value: rewriter.registers(value) for value in values}
        given = all_parts(values, rewriter)
        otherwise: Block | None = None
        if values:
            forwarded = all_parts(_forwarded_alone(op), rewriter)
            jump = llvm.CondBrOp(condition, then, given, after, forwarded)
        else:
            otherwise = Block() if op.false_region.blocks else None
            jump = llvm.CondBrOp(condition, then, [], otherwise or after, [])
        before = builder.block
        builder.insert_without_result(jump)
        builder.enter(then)
        for value in values:
            arguments = [then.insert_arg(r.type, len(then.args)) for r in outside[value]]
            rewriter.replace(value, tuple(arguments))
        rewriter.builder.open_scope()
        rewriter.enter_region(_If(op, otherwise, after, outside, before), *op.regions)


# Loops.


# For.


@dataclass(frozen=True)
class _For(ControlFlow):
    """A loop with its test at the end, and one test before it for zero iterations."""

    op: scf.ForOp
    body: Block
    after: Block
    induction: SSAValue
    known: Mapping[SSAValue, SSAValue]
    """Results whose values are known without the loop."""

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        upper, step = rewriter.scalar(self.op.ub), rewriter.scalar(self.op.step)
        parts = all_parts(terminator.operands, rewriter)
        following = builder.insert(llvm.AddOp(self.induction, step))
        if _constant(self.op.step) == 1:
            # With a step of 1 the sum is at most the bound and cannot wrap.
            more = builder.compare("slt", following, upper)
        else:
            # The addition may wrap; the remaining range does not.
            rest = builder.insert(llvm.SubOp(upper, self.induction))
            more = builder.compare("ugt", rest, step)
        builder.insert_without_result(
            llvm.CondBrOp(more, self.body, [following, *parts], self.after, parts)
        )
        rewriter.builder.close_scope()
        rewriter.leave_region(terminator)
        builder.enter(self.after)
        bind_arguments(self.after, self.op.results, self.op.iter_args, rewriter)
        for result, value in self.known.items():
            rewriter.replace(result, (value,))


@dataclass(frozen=True)
class OneThread:
    """The thread that alone executes a loop, and the values with which all other threads
    continue.
    """

    condition: SSAValue
    others: Sequence[SSAValue]
    is_leader: bool = False
    """Whether the thread must be in the first CTA of a pair."""


def begin_for(op: scf.ForOp, rewriter: ThreadRewriter, only: OneThread | None = None) -> None:
    """Branches to the body of a loop, or past it for zero iterations or threads other than
    `only`.
    """
    builder = rewriter.builder
    lower, upper = rewriter.scalar(op.lb), rewriter.scalar(op.ub)
    initial = all_parts(op.iter_args, rewriter)
    induction, *carried = op.body.block.args
    body, after = Block(arg_types=[lower.type]), Block()
    rewriter.replace(induction, (body.args[0],))
    bind_arguments(body, carried, op.iter_args, rewriter)
    first, last = _constant(op.lb), _constant(op.ub)
    arguments = [lower, *initial]
    entry, entering = (body, arguments) if only is None else (Block(), [])
    # A test in front, so that the loop itself has one branch an iteration, at its end.
    may_not_run = first is None or last is None or first >= last
    runs = None
    if not may_not_run:
        builder.insert_without_result(llvm.BrOp(entry, *entering))
    else:
        runs = builder.compare("slt", lower, upper)
        builder.insert_without_result(llvm.CondBrOp(runs, entry, entering, after, initial))
    if only is not None:
        builder.enter(entry)
        builder.insert_without_result(
            llvm.CondBrOp(only.condition, body, arguments, after, only.others)
        )
        # Ops inside elect no thread again, and emit no barriers.
        rewriter.region = replace(
            rewriter.region,
            runs_in_one_thread=True,
            is_leader=rewriter.region.is_leader or only.is_leader,
        )
    builder.enter(body)
    rewriter.builder.open_scope()
    known = {} if only is None else _initialised_by(op, runs, rewriter)
    rewriter.enter_region(_For(op, body, after, body.args[0], known), op.body)


def _initialised_by(
    op: scf.ForOp, runs: SSAValue | None, rewriter: ThreadRewriter
) -> dict[SSAValue, SSAValue]:
    """The accumulators that a loop of one thread initialises if it runs, without a carried flag.

    `runs` is None for a loop that surely runs and so surely initialises its accumulators.
    """
    if runs is None:
        return {}
    return {
        result: runs
        for result, value in zip(op.results, op.iter_args, strict=True)
        if value in rewriter.function.columns.of
        and rewriter.function.columns.of[value].may_be_missing
        and all(map(is_zero, rewriter.parts(value)))
    }


def _constant(value: SSAValue) -> int | None:
    """The value of an integer constant, otherwise None."""
    attribute = getattr(value.owner, "value", None)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


# While.


@dataclass(frozen=True)
class _While(ControlFlow):
    op: scf.WhileOp
    before: Block
    after: Block

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        if isinstance(terminator, scf.ConditionOp):
            self._end_condition(terminator, rewriter)
            return
        builder = rewriter.builder
        parts = all_parts(terminator.operands, rewriter)
        builder.insert_without_result(llvm.BrOp(self.before, *parts))
        rewriter.builder.close_scope()
        # The loop ends at its test, so what came before it is known after the loop, too.
        rewriter.builder.merge_scope()
        rewriter.leave_region(terminator)
        builder.enter(self.after)

    def _end_condition(self, terminator: scf.ConditionOp, rewriter: ThreadRewriter) -> None:
        builder, body = rewriter.builder, Block()
        arguments = self.op.after_region.block.args
        # Values forwarded by `scf.condition` need no block arguments; they dominate both
        # successors.
        for received in (arguments, self.op.results):
            for value, passed in zip(received, terminator.args, strict=True):
                rewriter.bind(value, rewriter.parts(passed), passed)
        condition = rewriter.scalar(terminator.condition)
        builder.insert_without_result(llvm.CondBrOp(condition, body, [], self.after, []))
        builder.enter(body)
        rewriter.builder.open_scope()


class LowerWhile(LowerOp[scf.WhileOp]):
    """Lowers a loop with its test in the middle, between `before` and `after`."""

    def lower(self, op: scf.WhileOp, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        initial = all_parts(op.arguments, rewriter)
        before, after = Block(), Block()
        arguments = op.before_region.block.args
        bind_arguments(before, arguments, op.arguments, rewriter)
        builder.insert_without_result(llvm.BrOp(before, *initial))
        builder.enter(before)
        rewriter.builder.open_scope()
        rewriter.enter_region(_While(op, before, after), *op.regions)


class LowerTerminator(LowerOp[Operation]):
    """Ends a region; the enclosing op's pattern emits the branch."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        release_barriers(op, rewriter)
        release_allocations(op, rewriter)
        rewriter.region.enclosing[-1].end_region(op, rewriter)


class LowerYield(LowerOp[nv_tileas.YieldOp]):
    """Ends a body; emits nothing if the enclosing op emits its end."""

    def lower(self, op: nv_tileas.YieldOp, rewriter: ThreadRewriter) -> None:
        if isinstance(op.parent_op(), nv_tileas.PragmaOp):
            rewriter.region.enclosing[-1].end_region(op, rewriter)


PATTERNS: Patterns = {
    scf.ConditionOp: LowerTerminator,
    scf.IfOp: LowerIf,
    scf.WhileOp: LowerWhile,
    scf.YieldOp: LowerTerminator,
    nv_tileas.YieldOp: LowerYield,
}
