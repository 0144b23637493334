"""Asynchronous dots that no asynchronous instruction does: they are done where they stand.

    %f = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom mma_sync_..>} : A, B, C -> value<C>
    ->
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_sync_..>} : A, B, C -> C
    %f = nv_tileas.async.to_async %d : C -> value<C>

Only warpgroups and tensor memory multiply while threads go on (PTX ISA, `wgmma.mma_async`,
`tcgen05.mma`).
"""

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

ASYNCHRONOUS = (MMAKind.WARPGROUP, MMAKind.TENSOR_MEMORY)


class CompleteDot(RewritePattern):
    """Does a dot at once, and has its result stand for work that is done."""

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
