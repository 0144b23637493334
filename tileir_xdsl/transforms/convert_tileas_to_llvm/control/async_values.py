"""Async values in flight: `async.wait`, `async.future_wait` and `async.to_async`.

The op that started a value determines the form of its wait. A register tile in flight is
represented by the registers that matrix instructions write, a shared-memory tile by its buffer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.mma.mmas_in_flight import is_warpgroup_mma, started_by
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import ProgramIdType, tile_shape

from ..global_memory import async_copies, tma_copies, tma_rows
from ..mma.tensor_memory_accumulators import (
    finish_accumulator,
    loaded_accumulator,
    start_accumulator,
)
from ..mma.wgmma import accumulator_elements, packed_accumulator, wait_for_mmas
from ..shared_memory import pipelines
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from . import program_ids

Wait = Callable[[Any, SSAValue, ThreadRewriter], None]
"""Emits the wait for a value, given the op that started it."""

WAITS: Mapping[type[Operation], Wait] = {
    **async_copies.WAITS,
    **pipelines.WAITS,
    **program_ids.WAITS,
    **tma_copies.WAITS,
    **tma_rows.WAITS,
}
"""The waits for asynchronous ops other than MMAs, by op class."""

DONE = (nv_tileas.ToAsyncOp, nv_tileas.CreateNoneOp, nv_tileas.TokenToAsyncOp)
"""Ops whose results are complete when they are issued."""


def wait_for(op: Operation, value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Waits for a value on behalf of an op; no-op if the value is already complete."""
    # MMAs of tensor memory were waited for where they were issued, or their operands are left to
    # hardware. A reader of the accumulator waits for it.
    if value in rewriter.function.columns.of:
        return
    starts = started_by(value, op)
    mmas = [count for start, count in starts.items() if is_warpgroup_mma(start)]
    if mmas:
        # Whichever MMA it was, no more than these are younger, and MMAs complete in order.
        wait_for_mmas(min(mmas), rewriter)
    for start in starts:
        # Dots were waited for above, and the others have nothing to wait for.
        if isinstance(start, (nv_tileas.AsyncDotOp, *DONE)):
            continue
        wait = WAITS.get(type(start))
        if wait is None:
            fail(op, f"'{op.name}' op cannot wait for '{start.name}'")
        wait(start, value, rewriter)


class LowerWait(LowerOp[nv_tileas.WaitOp]):
    """Emits waits after which all effects of the awaited work are visible."""

    def lower(self, op: nv_tileas.WaitOp, rewriter: ThreadRewriter) -> None:
        for source in op.sources:
            wait_for(op, source, rewriter)


class LowerFutureWait(LowerOp[nv_tileas.FutureWaitOp]):
    """Binds the result to the registers or the buffer of the asynchronous value."""

    def lower(self, op: nv_tileas.FutureWaitOp, rewriter: ThreadRewriter) -> None:
        if op.source in rewriter.function.columns.of:
            finish_accumulator(op, op.source, rewriter)
            rewriter.replace(op.result, loaded_accumulator(op, op.source, rewriter))
            return
        wait_for(op, op.source, rewriter)
        # A program id is four registers, which are read from the response only now.
        if isinstance(op.result.type, ProgramIdType):
            rewriter.replace(op.result, program_ids.received(op.source, rewriter))
            return
        if rewriter.buffer(op.source) is not None:
            rewriter.replace(op.result, rewriter.shared_tile(op.source))
            return
        packed = rewriter.registers(op.source)
        element = tile_shape(op.result.type).element
        rewriter.replace(op.result, accumulator_elements(rewriter.builder, packed, element))


class LowerToAsync(LowerOp[nv_tileas.ToAsyncOp]):
    """Packs registers into accumulators of an MMA; a buffer stays unchanged."""

    def lower(self, op: nv_tileas.ToAsyncOp, rewriter: ThreadRewriter) -> None:
        if isinstance(op.source.type, ProgramIdType):
            fail(op, f"'{op.name}' op cannot turn a program id into an asynchronous value")
        if rewriter.buffer(op.source) is not None:
            rewriter.replace(op.result, rewriter.shared_tile(op.source))
            return
        if op.result in rewriter.function.columns.of:
            start_accumulator(op, rewriter)
            return
        values = rewriter.registers(op.source)
        rewriter.replace(op.result, packed_accumulator(rewriter.builder, values))


PATTERNS: Patterns = {
    nv_tileas.FutureWaitOp: LowerFutureWait,
    nv_tileas.ToAsyncOp: LowerToAsync,
    nv_tileas.WaitOp: LowerWait,
}
