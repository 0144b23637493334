"""The part of a structured program that some of its ops need, and copies of that part.

    scf.for %i = .. iter_args(%x = %x0, %y = %y0)         scf.for %i = .. iter_args(%x = %x0)
      test.op %x                                    ->       test.op %x
      %x1 = addi %x, %i                                      %x1 = addi %x, %i
      %y1 = muli %y, %i                                      scf.yield %x1
      scf.yield %x1, %y1                            for the slice of test.op

An op needs its operands, the loops and branches around it, and those carried positions that forward
a needed value. `scf.for`, `scf.while` and `scf.if` are copied with their needed positions; any
other op with regions is copied whole. Where a program computes a value in several ways, a slice may
use another of these values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tileir_xdsl.builders.schedule import expand_single_tiled_op
from tileir_xdsl.walking import ops_in

Cut = scf.ForOp | scf.IfOp | scf.WhileOp
"""The ops that a slice may copy with fewer carried values or results."""


@dataclass
class ProgramSlice:
    """The needed ops, and the needed positions of carried values and results."""

    ops: set[Operation] = field(default_factory=set[Operation])
    positions: dict[Operation, set[int]] = field(default_factory=dict[Operation, set[int]])
    """For `scf.while`, the results that its second region takes as arguments."""
    first_positions: dict[Operation, set[int]] = field(default_factory=dict[Operation, set[int]])
    """The needed positions of arguments of the first region of `scf.while`."""
    instead: Mapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Values of the program, each with the value that the slice uses in its place."""

    def kept(self, op: Cut) -> list[int]:
        """The needed positions of a loop or branch, in order."""
        return sorted(self.positions.get(op, ()))

    def kept_first(self, op: scf.WhileOp) -> list[int]:
        """The needed positions of arguments of the first region, in order."""
        return sorted(self.first_positions.get(op, ()))


def slice_of(
    roots: Iterable[Operation],
    program: Block,
    instead: Mapping[SSAValue, SSAValue] | None = None,
) -> ProgramSlice:
    """The slice of a block, and of nested regions, that some ops need.

    Args:
        roots: the ops.
        program: the block.
        instead: values that the slice is to have instead of others. They stand where those do, or
            before, and need none of them.
    """
    search = _Search(program, ProgramSlice(instead={} if instead is None else instead))
    for root in roots:
        search.need(root)
    while search.values:
        search.need_value(search.values.pop())
    return search.found


@dataclass
class _Search:
    """The slice of a block so far, and the values whose definitions are still missing."""

    program: Block
    found: ProgramSlice
    values: list[SSAValue] = field(default_factory=list[SSAValue])

    def need(self, op: Operation | None) -> None:
        """Adds an op, and the ops around it."""
        while op is not None and op not in self.found.ops and _is_inside(op, self.program):
            self.found.ops.add(op)
            self.values.extend(_own_operands(op))
            op = op.parent_op()

    def need_value(self, value: SSAValue) -> None:
        """Adds the definition of a value."""
        value = self.found.instead.get(value, value)
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            self._need_argument(value)
        elif isinstance(owner, Cut) and _is_inside(owner, self.program):
            assert isinstance(value, OpResult)
            self._need_position(owner, value.index)
        else:
            self.need(owner)

    def _need_argument(self, value: BlockArgument) -> None:
        parent = value.block.parent_op()
        is_inside = parent is not None and _is_inside(parent, self.program)
        if isinstance(parent, scf.ForOp) and value.index and is_inside:
            self._need_position(parent, value.index - 1)
        elif isinstance(parent, scf.WhileOp) and is_inside:
            if value.block.parent is parent.before_region:
                self._need_first_position(parent, value.index)
            else:
                self._need_position(parent, value.index)
        else:
            self.need(parent)

    def _need_position(self, op: Cut, index: int) -> None:
        """Adds one of the values that an op carries or returns."""
        positions = self.found.positions.setdefault(op, set())
        if index in positions:
            return
        positions.add(index)
        self.need(op)
        match op:
            case scf.ForOp():
                end = _terminator(op.body.block)
                self.values.extend((op.iter_args[index], end.operands[index]))
            case scf.WhileOp():
                # The condition comes before what it passes on.
                self.values.append(_terminator(op.before_region.block).operands[index + 1])
            case _:
                self.values.extend(
                    _terminator(region.block).operands[index] for region in op.regions
                )

    def _need_first_position(self, op: scf.WhileOp, index: int) -> None:
        """Adds one of the initial values of a `while`."""
        positions = self.found.first_positions.setdefault(op, set())
        if index not in positions:
            positions.add(index)
            self.need(op)
            end = _terminator(op.after_region.block)
            self.values.extend((op.arguments[index], end.operands[index]))


def _is_inside(op: Operation, block: Block) -> bool:
    return block.find_ancestor_op_in_block(op) is not None


def _own_operands(op: Operation) -> list[SSAValue]:
    """The operands that a slice needs for an op; all values used in its regions if it is kept
    whole.
    """
    match op:
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.IfOp():
            return [op.cond]
        case scf.WhileOp():
            return [_terminator(op.before_region.block).operands[0]]
        case _:
            inner = (o for region in op.regions for o in ops_in(region))
            return [*op.operands, *(operand for o in inner for operand in o.operands)]


def _terminator(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last


def copy_slice(
    ops: Sequence[Operation],
    needed: ProgramSlice,
    builder: Builder,
    values: dict[SSAValue, SSAValue],
) -> None:
    """Inserts copies of the needed ops among `ops`.

    Args:
        ops: the ops, in the order of the program.
        needed: the slice.
        builder: where the copies go.
        values: what the copies use instead of values; those that they give are added.
    """
    for op in ops:
        if op not in needed.ops or op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        if isinstance(op, Cut):
            _insert_cut(op, needed, builder, values)
        else:
            expand_single_tiled_op(builder, op, [values])
        for old, other in needed.instead.items():
            if other.owner is op:
                values[old] = values[other]


def _insert_cut(
    op: Cut, needed: ProgramSlice, builder: Builder, values: dict[SSAValue, SSAValue]
) -> None:
    """Inserts a copy of a loop or branch without the positions that are not needed."""
    copy = builder.insert(_copy_cut(op, needed, values))
    copy.attributes.update(op.attributes)
    copy.location = op.location
    for position, new in zip(needed.kept(op), copy.results, strict=True):
        values[op.results[position]] = new
        new.name_hint = op.results[position].name_hint


def _copy_cut(op: Cut, needed: ProgramSlice, values: dict[SSAValue, SSAValue]) -> Cut:
    """A copy of a loop or branch without the positions that are not needed."""
    match op:
        case scf.ForOp():
            return _copy_loop(op, needed, values)
        case scf.WhileOp():
            return _copy_while(op, needed, values)
        case scf.IfOp():
            return _copy_branch(op, needed, values)


def _copy_loop(op: scf.ForOp, needed: ProgramSlice, values: dict[SSAValue, SSAValue]) -> scf.ForOp:
    kept = needed.kept(op)
    initial = [values.get(op.iter_args[i], op.iter_args[i]) for i in kept]
    arguments = [op.body.block.args[0], *(op.body.block.args[i + 1] for i in kept)]
    body = _copy_block(op.body.block, arguments, kept, needed, values)
    lower, upper, step = (values.get(value, value) for value in (op.lb, op.ub, op.step))
    return scf.ForOp(lower, upper, step, initial, body)


def _copy_while(
    op: scf.WhileOp, needed: ProgramSlice, values: dict[SSAValue, SSAValue]
) -> scf.WhileOp:
    first, kept = needed.kept_first(op), needed.kept(op)
    initial = [values.get(op.arguments[i], op.arguments[i]) for i in first]
    before, after = op.before_region.block, op.after_region.block
    # The condition comes before what it passes on.
    passed = [0, *(i + 1 for i in kept)]
    regions = [
        Region(_copy_block(before, [before.args[i] for i in first], passed, needed, values)),
        Region(_copy_block(after, [after.args[i] for i in kept], first, needed, values)),
    ]
    return scf.WhileOp(initial, [op.results[i].type for i in kept], *regions)


def _copy_branch(op: scf.IfOp, needed: ProgramSlice, values: dict[SSAValue, SSAValue]) -> scf.IfOp:
    kept = needed.kept(op)
    regions = [
        Region([_copy_block(block, block.args, kept, needed, values) for block in region.blocks])
        for region in op.regions
    ]
    types = [op.results[i].type for i in kept]
    return scf.IfOp(values.get(op.cond, op.cond), types, regions[0], regions[1])


def _copy_block(
    block: Block,
    arguments: Sequence[BlockArgument],
    kept: Sequence[int],
    needed: ProgramSlice,
    values: dict[SSAValue, SSAValue],
) -> Block:
    """A copy of a block with some of its arguments, and the operands `kept` of its terminator."""
    copy = Block(arg_types=[argument.type for argument in arguments])
    for old, new in zip(arguments, copy.args, strict=True):
        values[old] = new
        new.name_hint = old.name_hint
    builder = Builder(InsertPoint.at_end(copy))
    copy_slice(list(block.ops), needed, builder, values)
    terminator = _terminator(block)
    operands = [terminator.operands[i] for i in kept]
    forwarded = [values.get(value, value) for value in operands]
    end = scf.ConditionOp if isinstance(terminator, scf.ConditionOp) else scf.YieldOp
    builder.insert(end(*forwarded))
    return copy
