"""`tileas-remove-dead-args`: what regions are given, and forward, without any reader.

When conversions of layouts and aliases of buffers are gone, loops carry values that nobody needs
any more. A position of a region op is *dead* if its result has no user, and only one op uses its
block argument. This op is the terminator, which yields it to that same position. Both sides go in
one step:

    %r:2 = scf.for .. iter_args(%acc = %a, %pre = %p)          %r = scf.for .. iter_args(%acc = %a)
      %x = nv_tileas.wgmma .., %acc                      ->      %x = nv_tileas.wgmma .., %acc
      scf.yield %x, %pre                                         scf.yield %x
    test.op %r#0                                               test.op %r

A value that is yielded to another position keeps that alive, even if no position of a cycle is ever
read. Source: the TileAS layout notes, "Remove Dead Region Arguments".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ConsumeOp,
    ProduceOp,
)
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

LOOP_BOUNDS = 3
"""The operands of `scf.for` before the values that it carries."""


@dataclass
class Position:
    """One position of a region op: all that is erased together."""

    operands: list[int] = field(default_factory=list[int])
    """Operands of the op itself."""
    arguments: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    terminated: list[tuple[Operation, int]] = field(default_factory=list[tuple[Operation, int]])
    """Operands of the terminators of its regions."""
    results: list[int] = field(default_factory=list[int])

    def is_dead(self, op: Operation) -> bool:
        """Whether nothing but the erased operands uses what is erased."""
        if any(op.results[index].uses for index in self.results):
            return False
        erased = {*self.terminated, *((op, index) for index in self.operands)}
        return all(
            (use.operation, use.index) in erased
            for block, index in self.arguments
            for use in block.args[index].uses
        )


def positions_of(op: Operation) -> list[Position]:
    """The positions of a region op, those with more parts after those with fewer."""
    match op:
        case scf.ForOp():
            return list(_carried_by_for(op))
        case scf.WhileOp():
            return [*_carried_by_while(op), *_round_trips(op)]
        case scf.IfOp() | nv_tileas.PragmaOp():
            return [_yielded(op, index, index) for index in range(len(op.results))]
        case _ if isinstance(op, ProduceOp | ConsumeOp):
            return list(_given_by_stage(op))
        case nv_tileaa.AgentLikeOpInterface():
            return [
                Position(operands=[i], arguments=[(body.block, i) for body in op.agent_bodies])
                for i in range(len(op.inputs))
            ]
        case _:
            return []


def _carried_by_for(op: scf.ForOp) -> Iterator[Position]:
    block = op.body.block
    for index in range(len(op.results)):
        yield Position(
            [LOOP_BOUNDS + index], [(block, index + 1)], [(_terminator(block), index)], [index]
        )


def _carried_by_while(op: scf.WhileOp) -> Iterator[Position]:
    """The positions of the first region's arguments, and of the values that the condition forwards,
    one by one.
    """
    before, after = op.before_region.block, op.after_region.block
    for index in range(len(before.args)):
        # Alone: the two regions of a `while` may carry different values.
        yield Position([index], [(before, index)], [(_terminator(after), index)])
    for index in range(len(op.results)):
        yield Position([], [(after, index)], [(_terminator(before), index + 1)], [index])


def _round_trips(op: scf.WhileOp) -> Iterator[Position]:
    """The positions that go through both regions."""
    before, after = op.before_region.block, op.after_region.block
    for index in range(min(len(before.args), len(op.results))):
        yield Position(
            [index],
            [(before, index), (after, index)],
            [(_terminator(after), index), (_terminator(before), index + 1)],
            [index],
        )


def _given_by_stage(op: ProduceOp | ConsumeOp) -> Iterator[Position]:
    tokens = len(op.TOKENS)
    assert isinstance(op.iterator.type, nv_tileas.PipelineIteratorType)
    # Without values the region has to yield what the stage holds: so one stays if it cannot.
    first = 0 if list(op.body.block.arg_types) == list(op.iterator.type.payload) else 1
    for index in range(first, len(op.results) - tokens):
        yield _yielded(op, index, tokens + index)


def _yielded(op: Operation, index: int, result: int) -> Position:
    terminated = [(_terminator(block), index) for region in op.regions for block in region.blocks]
    return Position(terminated=terminated, results=[result])


def _terminator(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


@dataclass
class RemoveDeadPositions(RewritePattern):
    """Erases the dead positions of a region op, both sides of each at once."""

    labels: dict[Operation, str]
    report: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The erased positions, by the label of the op."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        dead: list[Position] = []
        for position in positions_of(op):
            # A round trip may consist of parts that are dead by themselves.
            if position.is_dead(op) and not any(_overlap(position, other) for other in dead):
                dead.append(position)
        if not dead:
            return
        label = self.labels.pop(op)
        self.report.setdefault(label, []).extend(_describe(op, position) for position in dead)
        self.labels[erase_positions(op, dead, rewriter)] = label


def _overlap(position: Position, other: Position) -> bool:
    return any(terminated in other.terminated for terminated in position.terminated)


def _describe(op: Operation, position: Position) -> str:
    """The erased position: the block argument or else the result, by name or number."""
    values: list[SSAValue] = [block.args[index] for block, index in position.arguments]
    values += [op.results[index] for index in position.results]
    names = (f"%{value.name_hint}" for value in values if value.name_hint)
    kind = "argument" if position.arguments else "result"
    number = position.arguments[0][1] if position.arguments else position.results[0]
    return f"{kind} {next(names, f'#{number}')}"


def erase_positions(
    op: Operation, positions: Sequence[Position], rewriter: PatternRewriter
) -> Operation:
    """Puts an op without some positions in the place of an op, and returns it."""
    for terminator in {terminator for p in positions for terminator, _ in p.terminated}:
        erased = {index for p in positions for t, index in p.terminated if t is terminator}
        terminator.operands = _without(terminator.operands, erased)
    results = {index for position in positions for index in position.results}
    operands = {index for position in positions for index in position.operands}
    kept_operands = _without(op.operands, operands)
    # Highest numbers first, so that those of the others stay right.
    arguments = {argument for position in positions for argument in position.arguments}
    for block, index in sorted(arguments, key=lambda argument: -argument[1]):
        block.erase_arg(block.args[index])
    new_op = type(op).create(
        operands=kept_operands,
        result_types=[r.type for i, r in enumerate(op.results) if i not in results],
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
        location=op.location,
    )
    _yield_stage(new_op)
    replaced = iter(new_op.results)
    rewriter.replace(
        op, new_op, [None if i in results else next(replaced) for i in range(len(op.results))]
    )
    return new_op


def _without(values: Sequence[SSAValue], erased: set[int]) -> list[SSAValue]:
    return [value for index, value in enumerate(values) if index not in erased]


def _yield_stage(op: Operation) -> None:
    """Lets a handshake that gives no values any more yield what its stage holds, as it has to."""
    if isinstance(op, ProduceOp | ConsumeOp) and len(op.results) == len(op.TOKENS):
        terminator = _terminator(op.body.block)
        # Without values the verifier wants the region to yield the tiles of its stage.
        if not terminator.operands:
            terminator.operands = list(op.body.block.args)


@dataclass(frozen=True)
class TileASRemoveDeadArgsPass(FunctionPass):
    """Removes dead operands, block arguments and results of ops with regions.

    `explain` names a file for a report, JSON if its name ends in `.json`, else text.
    """

    name = "tileas-remove-dead-args"

    explain: str | None = None

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        for function in [*functions_in(scopes)] or [module]:
            labels = OperationLabels(function)
            inside = [inner for inner in ops_in(function)[1:] if inner.regions]
            pattern = RemoveDeadPositions({inner: labels.label(inner) for inner in inside})
            # Users before definitions: what a later op drops, an earlier one need not give.
            Walker(pattern, walk_reverse=True).rewrite_region(function.regions[0])
            name = function.sym_name.data if isinstance(function, nv_tileaa.FuncOp) else "module"
            for label, erased in pattern.report.items():
                report.add(name, op=label, removed=erased)
        if self.explain is not None:
            write_report(report, self.explain)
