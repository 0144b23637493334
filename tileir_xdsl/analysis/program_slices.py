"""The part of a structured program that some of its ops need, and copies of that part.

    scf.for %i = .. iter_args(%x = %x0, %y = %y0)         scf.for %i = .. iter_args(%x = %x0)
      test.op %x                                    ->       test.op %x
      %x1 = addi %x, %i                                      %x1 = addi %x, %i
      %y1 = muli %y, %i                                      scf.yield %x1
      scf.yield %x1, %y1                            for the slice of test.op

An op needs what makes its operands, the loops and branches around it, and of those the positions
that hand on a value which is needed. `scf.for` and `scf.if` are cut down to these; any other op
with regions is needed whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

Cut = scf.ForOp | scf.IfOp
"""The ops of which a slice may have fewer positions."""


@dataclass
class ProgramSlice:
    """Ops that are needed, and the positions of loops and branches that are."""

    ops: set[Operation] = field(default_factory=set[Operation])
    positions: dict[Operation, set[int]] = field(default_factory=dict[Operation, set[int]])

    def kept(self, op: Cut) -> list[int]:
        """The positions of a loop or branch that are needed, in order."""
        return sorted(self.positions.get(op, ()))


def slice_of(roots: Iterable[Operation], program: Block) -> ProgramSlice:
    """The slice of a block, and of what is in it, that some ops need."""
    found = ProgramSlice()
    values: list[SSAValue] = []

    def need(op: Operation | None) -> None:
        while op is not None and op not in found.ops and _is_inside(op, program):
            found.ops.add(op)
            values.extend(_own_operands(op))
            op = op.parent_op()

    def need_position(op: Cut, index: int) -> None:
        positions = found.positions.setdefault(op, set())
        if index in positions:
            return
        positions.add(index)
        need(op)
        if isinstance(op, scf.ForOp):
            values.append(op.iter_args[index])
        values.extend(_terminator(region.block).operands[index] for region in op.regions)

    for root in roots:
        need(root)
    while values:
        value = values.pop()
        owner = value.owner
        if isinstance(owner, Block):
            assert isinstance(value, BlockArgument)
            parent = owner.parent_op()
            if isinstance(parent, scf.ForOp) and value.index and _is_inside(parent, program):
                need_position(parent, value.index - 1)
            else:
                need(parent)
        elif isinstance(owner, Cut) and _is_inside(owner, program):
            assert isinstance(value, OpResult)
            need_position(owner, value.index)
        else:
            need(owner)
    return found


def _is_inside(op: Operation, block: Block) -> bool:
    return block.find_ancestor_op_in_block(op) is not None


def _own_operands(op: Operation) -> list[SSAValue]:
    """The operands without which an op cannot stand; all that is in its regions, if it is whole."""
    match op:
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.IfOp():
            return [op.cond]
        case _:
            inner = (o for region in op.regions for o in region.walk())
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
    """Inserts copies of those of some ops that are needed.

    Args:
        ops: the ops, in the order of the program.
        needed: the slice.
        builder: where the copies go.
        values: what the copies use instead of values; those that they give are added.
    """
    for op in ops:
        if op not in needed.ops or op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        if isinstance(op, scf.ForOp):
            copy = _copy_loop(op, needed, values)
            results = zip((op.results[i] for i in needed.kept(op)), copy.results, strict=True)
        elif isinstance(op, scf.IfOp):
            copy = _copy_branch(op, needed, values)
            results = zip((op.results[i] for i in needed.kept(op)), copy.results, strict=True)
        else:
            copy = op.clone(values)
            results = zip(op.results, copy.results, strict=True)
        copy.location = op.location
        builder.insert(copy)
        for old, new in results:
            values[old] = new
            new.name_hint = old.name_hint


def _copy_loop(op: scf.ForOp, needed: ProgramSlice, values: dict[SSAValue, SSAValue]) -> scf.ForOp:
    kept = needed.kept(op)
    initial = [values.get(op.iter_args[i], op.iter_args[i]) for i in kept]
    arguments = [op.body.block.args[0], *(op.body.block.args[i + 1] for i in kept)]
    body = _copy_block(op.body.block, arguments, kept, needed, values)
    lower, upper, step = (values.get(value, value) for value in (op.lb, op.ub, op.step))
    loop = scf.ForOp(lower, upper, step, initial, body)
    loop.attributes.update(op.attributes)
    return loop


def _copy_branch(op: scf.IfOp, needed: ProgramSlice, values: dict[SSAValue, SSAValue]) -> scf.IfOp:
    kept = needed.kept(op)
    regions = [
        Region([_copy_block(block, block.args, kept, needed, values) for block in region.blocks])
        for region in op.regions
    ]
    types = [op.results[i].type for i in kept]
    branch = scf.IfOp(values.get(op.cond, op.cond), types, regions[0], regions[1])
    branch.attributes.update(op.attributes)
    return branch


def _copy_block(
    block: Block,
    arguments: Sequence[BlockArgument],
    kept: Sequence[int],
    needed: ProgramSlice,
    values: dict[SSAValue, SSAValue],
) -> Block:
    """A block with some of the arguments and of the operands of its terminator."""
    copy = Block(arg_types=[argument.type for argument in arguments])
    for old, new in zip(arguments, copy.args, strict=True):
        values[old] = new
        new.name_hint = old.name_hint
    builder = Builder(InsertPoint.at_end(copy))
    copy_slice(list(block.ops), needed, builder, values)
    yielded = [_terminator(block).operands[i] for i in kept]
    builder.insert(scf.YieldOp(*(values.get(value, value) for value in yielded)))
    return copy
