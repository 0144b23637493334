"""Structured control flow becomes jumps between blocks, with what is carried as block arguments.

Ops are visited parents first, so the pattern of a structured op opens its first block, and the
terminators of its regions jump and go on with the next block.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.memory import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp

from .allocations import release_allocations
from .footprints import Access, PendingAccesses
from .mbarriers import release_barriers
from .patterns import LowerOp, Patterns
from .pipelines import prepare_first_fill
from .values import ControlFlow, ThreadProgram


def all_parts(values: Iterable[SSAValue], program: ThreadProgram) -> list[SSAValue]:
    """What all the values consist of, one after the other."""
    return [part for value in values for part in program.parts(value)]


def bind_arguments(
    block: Block, values: Sequence[SSAValue], like: Sequence[SSAValue], program: ThreadProgram
) -> None:
    """Gives a block the arguments that make up `values`, each as many parts as its `like` has."""
    for value, model in zip(values, like, strict=True):
        parts = [block.insert_arg(part.type, len(block.args)) for part in program.parts(model)]
        program.bind(value, parts, model)


def bind_tokens(
    values: Sequence[SSAValue], pending: PendingAccesses, program: ThreadProgram
) -> None:
    """Says of every token among the values what it may stand for."""
    for value in values:
        if isinstance(value.type, MemTokenType):
            program.tokens[value] = pending


def named_by_tokens(values: Iterable[SSAValue], program: ThreadProgram) -> PendingAccesses:
    """What any token among the values stands for."""
    pending = PendingAccesses()
    for value in values:
        if isinstance(value.type, MemTokenType):
            pending |= program.tokens[value]
    return pending


_LOADS = (LoadThroughPointersOp, LoadTileOp)
_TOKEN_MAKERS = (nv_tileaa.CreateMemTokenOp, nv_tileaa.JoinMemTokenOp)


def accesses_in(regions: Sequence[Region]) -> PendingAccesses:
    """What a token that leaves one of the regions may stand for: any access in them."""
    pending = PendingAccesses()
    for region in regions:
        for op in region.walk():
            makes_token = any(isinstance(result.type, MemTokenType) for result in op.results)
            if makes_token and not op.regions and not isinstance(op, _TOKEN_MAKERS):
                pending |= PendingAccesses(frozenset([Access(not isinstance(op, _LOADS))]))
    return pending


# If.


@dataclass
class _If(ControlFlow):
    op: scf.IfOp
    otherwise: Block | None
    after: Block
    pending: PendingAccesses = field(default_factory=PendingAccesses)

    def end_region(self, terminator: Operation, program: ThreadProgram) -> None:
        builder, results = program.builder, self.op.results
        handed_on = terminator.operands
        self.pending |= named_by_tokens(handed_on, program)
        if not self.after.args and results:
            bind_arguments(self.after, results, handed_on, program)
        parts = all_parts(handed_on, program)
        builder.insert_without_result(llvm.BrOp(self.after, *parts))
        program.close_scope()
        if self.otherwise is not None:
            builder.enter(self.otherwise)
            program.open_scope()
            self.otherwise = None
            return
        program.enclosing.pop()
        builder.enter(self.after)
        bind_tokens(results, self.pending, program)


class LowerIf(LowerOp[scf.IfOp]):
    """A branch on a condition that is the same in all threads."""

    def lower(self, op: scf.IfOp, program: ThreadProgram) -> None:
        then, after = Block(), Block()
        otherwise = Block() if op.false_region.blocks else None
        builder = program.builder
        builder.insert_without_result(
            llvm.CondBrOp(program.scalar(op.cond), then, [], otherwise or after, [])
        )
        builder.enter(then)
        program.open_scope()
        program.enclosing.append(_If(op, otherwise, after))


# For.


@dataclass
class _For(ControlFlow):
    """A loop that tests at its end, behind a test whether it runs at all."""

    op: scf.ForOp
    body: Block
    after: Block
    induction: SSAValue
    pending: PendingAccesses
    by_one_thread: bool

    def end_region(self, terminator: Operation, program: ThreadProgram) -> None:
        builder = program.builder
        upper, step = program.scalar(self.op.ub), program.scalar(self.op.step)
        parts = all_parts(terminator.operands, program)
        following = builder.insert(llvm.AddOp(self.induction, step))
        if _constant(self.op.step) == 1:
            more = builder.compare("slt", following, upper)
        else:
            # The sum may wrap; what is left of the range does not.
            rest = builder.insert(llvm.SubOp(upper, self.induction))
            more = builder.compare("ugt", rest, step)
        builder.insert_without_result(
            llvm.CondBrOp(more, self.body, [following, *parts], self.after, parts)
        )
        program.close_scope()
        program.enclosing.pop()
        if self.by_one_thread:
            program.runs_in_one_thread = False
        builder.enter(self.after)
        bind_arguments(self.after, self.op.results, self.op.iter_args, program)
        bind_tokens(self.op.results, self.pending, program)


@dataclass(frozen=True)
class OneThread:
    """The thread that alone runs a loop, and what all others go on with behind it."""

    condition: SSAValue
    others: Sequence[SSAValue]


def begin_for(op: scf.ForOp, program: ThreadProgram, only: OneThread | None = None) -> None:
    """Jumps to the body of a loop, or behind it where it does not run or others run it."""
    builder = program.builder
    prepare_first_fill(op.body.walk(), program)
    lower, upper = program.scalar(op.lb), program.scalar(op.ub)
    initial = all_parts(op.iter_args, program)
    pending = accesses_in(op.regions) | named_by_tokens(op.iter_args, program)
    induction, *carried = op.body.block.args
    body, after = Block(arg_types=[lower.type]), Block()
    program.registers[induction] = (body.args[0],)
    bind_arguments(body, carried, op.iter_args, program)
    bind_tokens(carried, pending, program)
    first, last = _constant(op.lb), _constant(op.ub)
    arguments = [lower, *initial]
    entry, entering = (body, arguments) if only is None else (Block(), [])
    if first is not None and last is not None and first < last:
        builder.insert_without_result(llvm.BrOp(entry, *entering))
    else:
        runs = builder.compare("slt", lower, upper)
        builder.insert_without_result(llvm.CondBrOp(runs, entry, entering, after, initial))
    if only is not None:
        builder.enter(entry)
        builder.insert_without_result(
            llvm.CondBrOp(only.condition, body, arguments, after, only.others)
        )
        program.runs_in_one_thread = True
    builder.enter(body)
    program.open_scope()
    program.enclosing.append(_For(op, body, after, body.args[0], pending, only is not None))


def _constant(value: SSAValue) -> int | None:
    """The value of a constant, seen through the op that makes it."""
    attribute = getattr(value.owner, "value", None)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


# While.


@dataclass
class _While(ControlFlow):
    op: scf.WhileOp
    before: Block
    after: Block
    pending: PendingAccesses

    def end_region(self, terminator: Operation, program: ThreadProgram) -> None:
        if isinstance(terminator, scf.ConditionOp):
            self._end_condition(terminator, program)
            return
        builder = program.builder
        parts = all_parts(terminator.operands, program)
        builder.insert_without_result(llvm.BrOp(self.before, *parts))
        program.close_scope()
        program.close_scope()
        program.enclosing.pop()
        builder.enter(self.after)
        bind_tokens(self.op.results, self.pending, program)

    def _end_condition(self, terminator: scf.ConditionOp, program: ThreadProgram) -> None:
        builder, passed = program.builder, terminator.args
        body, arguments = Block(), self.op.after_region.block.args
        bind_arguments(body, arguments, passed, program)
        bind_tokens(arguments, self.pending, program)
        parts = all_parts(passed, program)
        builder.insert_without_result(
            llvm.CondBrOp(program.scalar(terminator.condition), body, parts, self.after, parts)
        )
        # The results are bound while what is passed is known; no op uses them before the end.
        bind_arguments(self.after, self.op.results, passed, program)
        builder.enter(body)
        program.open_scope()


class LowerWhile(LowerOp[scf.WhileOp]):
    """A loop that tests in the middle: after `before`, ahead of `after`."""

    def lower(self, op: scf.WhileOp, program: ThreadProgram) -> None:
        builder = program.builder
        prepare_first_fill(op.walk(), program)
        pending = accesses_in(op.regions) | named_by_tokens(op.arguments, program)
        initial = all_parts(op.arguments, program)
        before, after = Block(), Block()
        arguments = op.before_region.block.args
        bind_arguments(before, arguments, op.arguments, program)
        bind_tokens(arguments, pending, program)
        builder.insert_without_result(llvm.BrOp(before, *initial))
        builder.enter(before)
        program.open_scope()
        program.enclosing.append(_While(op, before, after, pending))


class LowerTerminator(LowerOp[Operation]):
    """The end of a region, which the op around it knows how to leave."""

    def lower(self, op: Operation, program: ThreadProgram) -> None:
        release_barriers(op, program)
        release_allocations(op, program)
        program.enclosing[-1].end_region(op, program)


class LowerYield(LowerOp[nv_tileas.YieldOp]):
    """The end of a body: nothing is left to do where the op around it emits the body."""

    def lower(self, op: nv_tileas.YieldOp, program: ThreadProgram) -> None:
        if isinstance(op.parent_op(), nv_tileas.PragmaOp):
            program.enclosing[-1].end_region(op, program)


PATTERNS: Patterns = {
    scf.ConditionOp: LowerTerminator,
    scf.IfOp: LowerIf,
    scf.WhileOp: LowerWhile,
    scf.YieldOp: LowerTerminator,
    nv_tileas.YieldOp: LowerYield,
}
