"""`tileas-remove-dead-args`: removes unused operands, block arguments and results of region ops.

After layout conversions and aliases of buffers are removed, loops carry unused values. A position
of a region op is *dead* if its result is unused, and its block argument is only yielded to the same
position. Operand, argument and result are erased together:

    %r:2 = scf.for .. iter_args(%acc = %a, %pre = %p)          %r = scf.for .. iter_args(%acc = %a)
      %x = nv_tileas.wgmma .., %acc                      ->      %x = nv_tileas.wgmma .., %acc
      scf.yield %x, %pre                                         scf.yield %x
    test.op %r#0                                               test.op %r

A value that is yielded to another position counts as used, even if no position of such a cycle is
ever read. Source: the TileAS layout notes, "Remove Dead Region Arguments".
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
    """One position of a region op: operands, arguments and results that are erased together."""

    operands: list[int] = field(default_factory=list[int])
    """The operands of the op."""
    arguments: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    terminated: list[tuple[Operation, int]] = field(default_factory=list[tuple[Operation, int]])
    """The operands of terminators in the op's regions."""
    results: list[int] = field(default_factory=list[int])

    def is_dead(self, op: Operation) -> bool:
        """Whether only operands of the position use its arguments, and nothing uses its results."""
        if any(op.results[index].uses for index in self.results):
            return False
        erased = {*self.terminated, *((op, index) for index in self.operands)}
        return all(
            (use.operation, use.index) in erased
            for block, index in self.arguments
            for use in block.args[index].uses
        )


def positions_of(op: Operation) -> list[Position]:
    """The positions of a region op, those that contain others last."""
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
    """A position for each argument of the first region, and for each value that the condition
    forwards.
    """
    before, after = op.before_region.block, op.after_region.block
    for index in range(len(before.args)):
        # Alone: the two regions of a `while` may carry different values.
        yield Position([index], [(before, index)], [(_terminator(after), index)])
    for index in range(len(op.results)):
        yield Position([], [(after, index)], [(_terminator(before), index + 1)], [index])


def _round_trips(op: scf.WhileOp) -> Iterator[Position]:
    """The positions that span both regions of an `scf.while`."""
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
    """Erases the dead positions of a region op."""

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
    """The block argument or result of an erased position, by name or number."""
    values: list[SSAValue] = [block.args[index] for block, index in position.arguments]
    values += [op.results[index] for index in position.results]
    names = (f"%{value.name_hint}" for value in values if value.name_hint)
    kind = "argument" if position.arguments else "result"
    number = position.arguments[0][1] if position.arguments else position.results[0]
    return f"{kind} {next(names, f'#{number}')}"


def erase_positions(
    op: Operation, positions: Sequence[Position], rewriter: PatternRewriter
) -> Operation:
    """Replaces an op by one without some positions; returns the new op."""
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
    """Makes a handshake without results yield the values of its stage, as its verifier requires."""
    if isinstance(op, ProduceOp | ConsumeOp) and len(op.results) == len(op.TOKENS):
        terminator = _terminator(op.body.block)
        # Without values the verifier wants the region to yield the tiles of its stage.
        if not terminator.operands:
            terminator.operands = list(op.body.block.args)


@dataclass(frozen=True)
class TileASRemoveDeadArgsPass(FunctionPass):
    """Removes dead operands, block arguments and results of ops with regions.

    `explain` names a text or `.json` file for a report.
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
