"""Register pressure of a loop whose MMAs overlap its other ops.

An accumulator in flight occupies registers from the issue of its MMA to the wait, also across
iterations. Operands that the MMA reads from registers occupy these as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.scheduling.arrangement import Overlap, register_operands
from tileir_xdsl.analysis.scheduling.overlap import LateMMA
from tileir_xdsl.analysis.threads.register_pressure import REGISTER_BYTES, Holders
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.walking import ops_in

BEFORE = -1
"""The position before the first op of a body."""


@dataclass(frozen=True)
class _Span:
    """The live range of a tile: after the op at position `first` of the body, up to the op at
    `last`.
    """

    registers: int
    first: int
    last: int


def registers_of_thread(type: Attribute) -> int:
    """The 32-bit registers per thread of a tile; 0 for any other type."""
    layout = tile_layout(awaited(type))
    if layout is None:
        return 0
    size = element_bytes(tile_shape(awaited(type)).element) << len(layout.register)
    return -(-size // REGISTER_BYTES)


def kept_registers(loop: scf.ForOp, overlap: Overlap, holders: Holders) -> int:
    """The peak of registers per thread that the tiles of a loop occupy.

    `holders` maps every value to the tiles that hold its elements.
    """
    positions = {op: position for position, op in enumerate(overlap.order.ops)}
    spans = [*_tiles(loop, overlap, holders, positions), *_unfinished(overlap, holders, positions)]
    return max(
        sum(span.registers for span in spans if span.first <= position < span.last)
        for position in range(BEFORE, len(positions))
    )


def _tiles(
    loop: scf.ForOp, overlap: Overlap, holders: Holders, positions: Mapping[Operation, int]
) -> Iterator[_Span]:
    """The live ranges of tiles, from definition to last use."""
    block, end = loop.body.block, len(positions)
    terminator = block.last_op
    assert terminator is not None
    last_use: dict[SSAValue, int] = {}
    for op, position in positions.items():
        for inner in ops_in(op):
            for operand in inner.operands:
                last_use |= dict.fromkeys(holders.get(operand, ()), position)
    waits = {mma.wait: mma for mma in overlap.late}
    for operand in terminator.operands:
        # A late MMA's result is carried in flight and counted below.
        if operand.owner not in waits:
            last_use |= dict.fromkeys(holders.get(operand, ()), end)
    for mma in overlap.late:
        # An MMA in flight reads its register operands until it is waited for.
        last_use |= dict.fromkeys(register_operands(mma, holders), end)
    first: dict[SSAValue, int] = {
        block.args[mma.position + 1]: positions[wait] for wait, mma in waits.items()
    }
    for tile, last in last_use.items():
        registers = registers_of_thread(tile.type)
        owner = tile.owner
        if isinstance(owner, Operation) and owner in positions:
            yield _Span(registers, positions[owner], last)
        elif owner is block:
            yield _Span(registers, first.get(tile, BEFORE), last)
        else:
            # Values from outside the loop are used again in the next iteration.
            yield _Span(registers, BEFORE, end)


def _unfinished(
    overlap: Overlap, holders: Holders, positions: Mapping[Operation, int]
) -> Iterator[_Span]:
    """The live ranges of MMAs, from issue to wait, possibly in the next iteration."""
    end = len(positions)
    late: dict[Operation, LateMMA] = {mma.dot: mma for mma in overlap.late}
    for dot, position in positions.items():
        if not issues_mma(dot):
            continue
        registers = registers_of_thread(dot.results[0].type)
        wait = dot.results[0].get_user_of_unique_use()
        waited = end if wait is None else positions.get(wait, end)
        if waited > position:
            yield _Span(registers, position, waited)
            continue
        # In flight across the back edge: to the end, and from the start of the next.
        yield _Span(registers, position, end)
        yield _Span(registers, BEFORE, waited)
        for operand in register_operands(late[dot], holders) if dot in late else ():
            yield _Span(registers_of_thread(operand.type), BEFORE, waited)
