"""Where in a loop's body early MMAs are issued, and late MMAs waited for.

The ops after the early MMAs are repeated in the epilogue, so that no MMAs of an iteration that does
not exist are issued. So early MMAs are placed after all ops that cost instructions. A late MMA is
waited for before its accumulator is changed, and before the registers that it reads are
overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma
from tileir_xdsl.analysis.mma.tensor_memory_mmas import RENAMINGS, stage_of, tensor_memory_mmas
from tileir_xdsl.analysis.threads.register_pressure import Holders
from tileir_xdsl.dialects.element_interfaces import SameRegistersOpInterface
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerReleaseOp, ConsumerWaitOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp

from .dependences import body_ops
from .in_order import LoopOrder
from .occupancy import Occupancy
from .overlap import EarlyMMAs, LateMMA, tile_uses, wait_of

NEXT, PREVIOUS = 1, -1


@dataclass(frozen=True)
class Overlap:
    """The MMAs of a loop that overlap its other ops, and the order of all its ops."""

    early: EarlyMMAs
    late: tuple[LateMMA, ...]
    order: LoopOrder


def arranged(
    loop: scf.ForOp,
    early: EarlyMMAs,
    late: Sequence[LateMMA],
    occupancies: Mapping[Operation, Occupancy],
    holders: Holders,
) -> Overlap:
    """The order of the ops of a loop body with early and late MMAs."""
    offsets = dict.fromkeys(early.moved, NEXT)
    for mma in late:
        offsets |= dict.fromkeys((mma.wait, *mma.releases), PREVIOUS)
    ops = [op for op in body_ops(loop) if op not in offsets]
    for mma in late:
        _insert_wait(mma, ops, loop, holders)
    _take_stages_at_mmas(ops)
    # An early MMA writes the columns, or the registers, that its own wait and others read.
    waits = [wait for dot in early.dots if (wait := wait_of(dot)) is not None]
    users = [use.operation for wait in waits for use in tile_uses(wait.result)]
    reads = {*waits, *map(loop.body.block.find_ancestor_op_in_block, users)}
    before = (op in offsets or op in reads or _is_costly(op, occupancies) for op in ops)
    position = max((number + 1 for number, is_before in enumerate(before) if is_before), default=0)
    ops[position:position] = [op for op in body_ops(loop) if op in early.moved]
    return Overlap(early, tuple(late), LoopOrder(tuple(ops), offsets))


def _insert_wait(mma: LateMMA, ops: list[Operation], loop: scf.ForOp, holders: Holders) -> None:
    """Inserts the wait for a late MMA, and the releases of its stages, at the latest legal point.

    The waits for the stages of its next operands come before that point. A wait of all warps there
    keeps the assembler from inserting an earlier wait for the MMA.
    """
    block = loop.body.block
    carried = block.args[mma.position + 1]
    changed = {block.find_ancestor_op_in_block(use.operation) for use in carried.uses}
    # The next MMA, and what its accumulator is computed by, write the registers of the last one.
    tiles = register_operands(mma, holders) | _held(mma.dot.c, holders)
    ends = {mma.dot, *changed, *(tile.owner for tile in tiles)}
    position = next(i for i, op in enumerate(ops) if op in ends)
    reads = [token.owner for token in mma.tokens]
    takes = [op for op in ops[position:] if op in reads or _is_read_by(op, reads)]
    for op in takes:
        ops.remove(op)
    ops[position:position] = [*takes, mma.wait, *mma.releases]


def _take_stages_at_mmas(ops: list[Operation]) -> None:
    """Moves waits for stages that only one dot in tensor memory reads to right before that dot.

    Only the thread that issues the dot waits for these stages.
    """
    for dot in tensor_memory_mmas(ops):
        takes = _stage_ops(dot)
        ordered = [op for op in ops if op in takes]
        for op in ordered:
            ops.remove(op)
        position = ops.index(dot)
        ops[position:position] = ordered


def _stage_ops(dot: MMAOp) -> set[Operation]:
    """The ops that read an MMA's operands from stages; empty if these ops have other users."""
    found: set[Operation] = set()
    for operand in (dot.a, dot.b):
        read = stage_of(operand)
        if read is None or not isinstance(read.token.owner, ConsumerWaitOp):
            continue
        found |= {read, read.token.owner}
        while isinstance(operand.owner, RENAMINGS):
            found.add(operand.owner)
            operand = operand.owner.operands[0]
    users = {use.operation for op in found for result in op.results for use in result.uses}
    others = {user for user in users if not isinstance(user, ConsumerReleaseOp)}
    return found if others <= {*found, dot} else set()


def _is_read_by(op: Operation, reads: Sequence[Operation | Block]) -> bool:
    """Whether an op waits for a stage that some of `reads` read."""
    return isinstance(op, ConsumerWaitOp) and any(use.operation in reads for use in op.result.uses)


def register_operands(mma: LateMMA, holders: Holders) -> frozenset[SSAValue]:
    """The tiles in registers that an MMA reads until it completes.

    The tiles include those that may be computed again at every use, because the MMA reads them
    throughout.
    """
    operands = (operand for operand in (mma.dot.a, mma.dot.b) if is_tile(operand))
    return frozenset[SSAValue]().union(*(_held(operand, holders) for operand in operands))


def _held(tile: SSAValue, holders: Holders) -> frozenset[SSAValue]:
    """A tile by the first name of its registers, and the tiles that must stay for it."""
    while isinstance(tile.owner, SameRegistersOpInterface):
        tile = tile.owner.operands[0]
    return frozenset((tile, *holders.get(tile, ())))


def _is_costly(op: Operation, occupancies: Mapping[Operation, Occupancy]) -> bool:
    asynchronous = isinstance(op, ProduceOp) or is_asynchronous_mma(op)
    return not asynchronous and occupancies[op].cycles > 0
