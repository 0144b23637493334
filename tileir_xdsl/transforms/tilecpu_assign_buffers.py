"""`tilecpu-assign-buffers`: gives every tile buffer an offset in the arena of a thread.

    %x = tilecpu.alloc : !tilecpu.buffer<1x256xf32>
    ->
    %x = tilecpu.alloc {offset = 0 : i64} : !tilecpu.buffer<1x256xf32>

Buffers that are never live at the same time may share bytes. A buffer is live from its `alloc` to
the last op of this block that uses the buffer, also in nested regions. The function gets
`tilecpu.arena_bytes`. Existing offsets are kept; an error reports live buffers that overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.tilecpu.core import ARENA_BYTES
from tileir_xdsl.dialects.tilecpu.types import ALIGNMENT, BufferType
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import WriteAttributes
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class LiveBuffer:
    """The live range of a buffer: the numbers of its first and last op."""

    first: int
    last: int
    size: int

    def overlaps(self, other: "LiveBuffer") -> bool:
        """Whether both buffers are live at some op."""
        return self.first <= other.last and other.first <= self.last


def assign(buffers: Sequence[LiveBuffer], fixed: Sequence[int | None]) -> list[int]:
    """Places each buffer at the lowest free offset, largest buffers first."""
    offsets = list(fixed)
    order = sorted(range(len(buffers)), key=lambda n: (-buffers[n].size, buffers[n].first))
    for number in order:
        if offsets[number] is not None:
            continue
        taken = sorted(
            (offset, offset + buffers[other].size)
            for other, offset in enumerate(offsets)
            if offset is not None and buffers[other].overlaps(buffers[number])
        )
        lowest = 0
        for start, end in taken:
            if lowest + buffers[number].size <= start:
                break
            lowest = max(lowest, _aligned(end))
        offsets[number] = lowest
    return [offset for offset in offsets if offset is not None]


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class TileCPUAssignBuffersPass(ModulePass):
    """Gives every tile buffer an offset in the arena."""

    name = "tilecpu-assign-buffers"

    explain: str | None = None
    """The text or `.json` file for a report of the buffers."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in ops_in(op):
            if isinstance(function, tilecpu.FuncOp):
                _assign_in(function, report)
        if self.explain is not None:
            write_report(report, self.explain)


def _assign_in(function: tilecpu.FuncOp, report: Report) -> None:
    ops = ops_in(function)
    numbers = {op: number for number, op in enumerate(ops)}
    allocs = [op for op in ops if isinstance(op, tilecpu.AllocOp)]
    buffers = [_live(alloc, numbers) for alloc in allocs]
    fixed = [None if alloc.offset is None else alloc.offset.value.data for alloc in allocs]
    offsets = assign(buffers, fixed)
    _verify(allocs, buffers, offsets)
    labels = OperationLabels(function)
    plan: dict[Operation, dict[str, Attribute]] = {}
    for alloc, buffer, offset in zip(allocs, buffers, offsets, strict=True):
        plan[alloc] = {"offset": IntegerAttr(offset, i64)}
        report.add(
            function.sym_name.data,
            buffer=labels.label(alloc),
            bytes=f"{offset} to {offset + buffer.size - 1}",
            why=f"alive from #{buffer.first - 1} to #{buffer.last - 1}",
        )
    ends = (offset + buffer.size for offset, buffer in zip(offsets, buffers, strict=True))
    plan[function] = {ARENA_BYTES: IntegerAttr(_aligned(max(ends, default=0)), i64)}
    WriteAttributes(plan).execute(function)


def _live(alloc: tilecpu.AllocOp, numbers: dict[Operation, int]) -> LiveBuffer:
    last = numbers[alloc]
    for use in alloc.buffer.uses:
        user = use.operation
        while user.parent is not alloc.parent:
            around = user.parent_op()
            assert around is not None
            user = around
        last = max(last, numbers[ops_in(user)[-1]])
    buffer = alloc.buffer.type
    assert isinstance(buffer, BufferType)
    return LiveBuffer(numbers[alloc], last, buffer.byte_size)


def _verify(
    allocs: Sequence[tilecpu.AllocOp], buffers: Sequence[LiveBuffer], offsets: Sequence[int]
) -> None:
    for number, (buffer, offset) in enumerate(zip(buffers, offsets, strict=True)):
        for other in range(number):
            start, end = offsets[other], offsets[other] + buffers[other].size
            apart = end <= offset or offset + buffer.size <= start
            if not apart and buffer.overlaps(buffers[other]):
                fail(
                    allocs[number],
                    f"expected bytes that no other live buffer uses, but got offset {offset}",
                )
