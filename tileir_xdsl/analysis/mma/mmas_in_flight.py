"""Asynchronous values: which ops may have started them, and what was started after them.

Warpgroup MMAs complete in issue order, and a wait states how many of the youngest may still be in
flight. So this number is computed for every wait: the fewest MMAs on any path from the issue of the
awaited MMA to the wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

Starts = Mapping[Operation, int]
"""The ops that may have started a value, and the least number of younger MMAs."""


def started_by(value: SSAValue, at: Operation) -> Starts:
    """The ops that may have started an asynchronous value, seen from an op that uses it.

    An op without known facts, such as one that takes a value from elsewhere, represents itself and
    has no younger dots.
    """
    return _trace(value, at, frozenset())


def _trace(value: SSAValue, at: Operation, visited: frozenset[SSAValue]) -> Starts:
    if value in visited:
        return {}
    visited |= {value}
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        assert parent is not None
        starts = _incoming(value, parent, visited)
        return _later(starts, _mmas_before(at, value.block))
    assert isinstance(value, OpResult)
    op = value.op
    if not isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
        return {op: _mmas_between(op, at)}
    found: dict[Operation, int] = {}
    for operand, user in _results(op, value.index):
        _merge(found, _trace(operand, user, visited))
    return _later(found, _mmas_between(op, at))


def _incoming(argument: BlockArgument, op: Operation, visited: frozenset[SSAValue]) -> Starts:
    """The values that a block argument may be, at the start of its block."""
    found: dict[Operation, int] = {}
    match op:
        case scf.ForOp():
            sources = _results(op, argument.index - 1)
        case scf.WhileOp() if argument.block is op.before_region.block:
            taken = (op.arguments[argument.index], op)
            sources = (taken, *_forwarded(op.after_region, argument.index))
        case scf.WhileOp():
            sources = _results(op, argument.index)
        case nv_tileaa.AgentLikeOpInterface():
            sources = ((op.inputs[argument.index], op),)
        case _:
            return {op: 0}
    for operand, user in sources:
        _merge(found, _trace(operand, user, visited))
    return found


_Source = tuple[SSAValue, Operation]
"""A value, and the op that forwards it."""


def _results(op: scf.ForOp | scf.IfOp | scf.WhileOp, index: int) -> Iterator[_Source]:
    """The values that a result may be."""
    if isinstance(op, scf.WhileOp):
        # The condition itself comes first.
        yield from _forwarded(op.before_region, index + 1)
        return
    if isinstance(op, scf.ForOp):
        yield op.iter_args[index], op
    for region in op.regions:
        yield from _forwarded(region, index)


def _forwarded(region: Region, index: int) -> Iterator[_Source]:
    for block in region.blocks:
        if block.last_op is not None:
            yield block.last_op.operands[index], block.last_op


def _merge(found: dict[Operation, int], more: Starts) -> None:
    for op, count in more.items():
        found[op] = min(count, found.get(op, count))


def _later(starts: Starts, mmas: int) -> Starts:
    return {op: count + mmas for op, count in starts.items()}


def _mmas_before(op: Operation, block: Block) -> int:
    """The fewest MMAs on any path from the start of a block to an op in it, or in a nested
    block.
    """
    return _mmas_to(op, block, block.first_op)


def _mmas_between(first: Operation, last: Operation) -> int:
    """The fewest MMAs on any path from the end of one op to another op."""
    assert first.parent is not None
    return _mmas_to(last, first.parent, first.next_op)


def _mmas_to(op: Operation, block: Block, start: Operation | None) -> int:
    count = 0
    while op.parent is not block:
        assert op.parent is not None
        count += _fewest(op.parent.first_op, op)
        around = op.parent_op()
        assert around is not None
        op = around
    return count + _fewest(start, op)


def _fewest(op: Operation | None, end: Operation | None) -> int:
    """The fewest MMAs issued from one op up to another one of its block."""
    count = 0
    while op is not None and op is not end:
        if issues_mma(op):
            count += 1
        elif isinstance(op, scf.IfOp):
            arms = [[*region.blocks] for region in op.regions]
            # With too small a number a wait takes longer, with too large a one it is none.
            count += min(_fewest(arm[0].first_op, None) if arm else 0 for arm in arms)
        op = op.next_op
    return count


# Ops that issue MMAs.


def is_warpgroup_mma(op: Operation) -> bool:
    """Whether an op issues a warpgroup MMA."""
    atom = None if not issues_mma(op) or op.atom is None else op.atom.data
    return atom in MMA_ATOMS and MMA_ATOMS[atom].kind is MMAKind.WARPGROUP


def is_asynchronous_mma(op: Operation) -> bool:
    """Whether an op issues an asynchronous MMA: `wgmma` or `tcgen05`."""
    in_tensor_memory = issues_mma(op) and is_tensor_memory_mma(op)
    return in_tensor_memory or is_warpgroup_mma(op)
