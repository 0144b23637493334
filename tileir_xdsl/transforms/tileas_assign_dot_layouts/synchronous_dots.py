"""Asynchronous dots without an asynchronous instruction become synchronous dots in place.

    %f = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom mma_sync_..>} : A, B, C -> value<C>
    ->
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_sync_..>} : A, B, C -> C
    %f = nv_tileas.async.to_async %d : C -> value<C>

Only `wgmma.mma_async` and `tcgen05.mma` execute asynchronously, while threads continue (PTX ISA).
"""

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

ASYNCHRONOUS = (MMAKind.WARPGROUP, MMAKind.TENSOR_MEMORY)


class CompleteDot(RewritePattern):
    """Makes a dot synchronous, and wraps its result as a completed async value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.AsyncDotOp, rewriter: PatternRewriter) -> None:
        row = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
        if row is not None and row.kind in ASYNCHRONOUS:
            return
        assert isinstance(op.result.type, ValueType)
        tile = op.result.type.payload
        assert isinstance(tile, TensorType)
        new: list[Operation] = []
        accumulator = op.c
        if isinstance(accumulator.type, ValueType):
            wait = nv_tileas.FutureWaitOp(accumulator)
            new.append(wait)
            accumulator = wait.result
        dot = nv_tileas.DotOp(
            op.a,
            op.b,
            accumulator,
            scales=op.scales,
            properties=dict(op.properties),
            result_type=tile,
        )
        dot.attributes.update(op.attributes)
        new += [dot, nv_tileas.ToAsyncOp(dot.result)]
        for each in new:
            each.location = op.location
        rewriter.replace(op, new)
