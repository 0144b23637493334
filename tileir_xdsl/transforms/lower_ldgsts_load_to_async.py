"""`lower-ldgsts-load-to-async`: loads into shared memory by `cp.async` become asynchronous copies.

    %x = nv_tileas.tiled_load weak %v[%i, %j] {atom = #nv_tileas<atom ldgsts_128>, ..}
         : V[i32, i32] -> tensor<64x64xf16, #nv_tileas.memory<smem, L>>
    // becomes
    %b = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem, L>>
    %a = nv_tileas.async.tiled_load weak %v[%i, %j] into %b : .. {atom = ..} : ..
    %x = nv_tileas.async.future_wait %a

Loads through pipelines are asynchronous already; this pass changes all other loads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets.atoms import CopyKind, Memory
from tileir_xdsl.transforms.function_pass import FunctionPass

SHARED_PROPERTIES = ("mem_semantic", "mem_scope", "in_bounds", "padding_value", "latency", "atom")
"""Properties that the copy inherits from the load; the layout follows from the buffer."""


@dataclass(frozen=True)
class LowerLdgstsLoadToAsyncPass(FunctionPass):
    """Turns loads into shared memory by `cp.async` into asynchronous copies."""

    name = "lower-ldgsts-load-to-async"

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        walker = DispatchWalker({nv_tileas.TiledLoadOp: LowerLdgstsLoad()})
        for scope in scopes:
            walker.rewrite(scope)


def is_ldgsts_load(op: nv_tileas.TiledLoadOp) -> bool:
    """Whether a load copies its tile to shared memory by `cp.async`."""
    atom = None if op.atom is None else op.atom.copy_atom
    is_copy = atom is not None and atom.kind is CopyKind.ASYNC_COPY
    return is_copy and memory_of(op.tile.type) is Memory.SHARED


class LowerLdgstsLoad(RewritePattern):
    """Starts a copy to a new buffer, and waits for it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.TiledLoadOp, rewriter: PatternRewriter) -> None:
        # Other loads go through registers.
        if not is_ldgsts_load(op):
            return
        assert isinstance(op.tile.type, TensorType)
        buffer = nv_tileas.AllocTensorOp(op.tile.type)
        copy = nv_tileas.AsyncTiledLoadOp.build(
            operands=[op.view, op.coords, op.offsets, op.token, buffer.result],
            properties={name: op.properties.get(name) for name in SHARED_PROPERTIES},
            result_types=[ValueType(op.tile.type)],
        )
        wait = nv_tileas.FutureWaitOp(copy.result)
        new_ops: list[Operation] = [buffer, copy, wait]
        results: list[SSAValue | None] = [wait.result]
        if op.result_token is not None:
            results.append(None)
            # A wait with a token is a barrier of all threads later: only where somebody asks.
            if op.result_token.uses:
                new_ops.append(nv_tileas.WaitOp([copy.result], with_token=True))
                results[-1] = new_ops[-1].results[0]
        for new in new_ops:
            new.location = op.location
        rewriter.insert(new_ops)
        rewriter.replace(op, [], results)
