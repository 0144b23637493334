"""`convert-tileaa-to-tileas`: memory accesses become scheduled ops.

Only ops that touch memory change dialect; the others stay `nv_tileaa`, `arith` and `scf` beside
them. Order, scope, padding, bounds and hints are carried over as they are. The copy atom is left
open until layouts are assigned.

    %x, %t1 = nv_tileaa.tiled_load weak %v[%i] token = %t : ..
    ->
    %x, %t1 = nv_tileas.tiled_load weak %v[%i] token = %t : ..
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.rewriting import (
    ConversionTarget,
    PatternTable,
    apply_partial_conversion,
    replace_op,
)


@dataclass(frozen=True)
class ConvertAccess(RewritePattern):
    """Rebuilds an access as the op of the same name, operands and attributes one for one."""

    scheduled: type[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        new_op = self.scheduled.create(
            operands=op.operands,
            result_types=op.result_types,
            properties=op.properties,
            attributes=op.attributes,
        )
        replace_op(rewriter, op, new_op)


PATTERNS: PatternTable = {
    nv_tileaa.LoadOp: ConvertAccess(nv_tileas.LoadOp),
    nv_tileaa.StoreOp: ConvertAccess(nv_tileas.StoreOp),
    nv_tileaa.TiledLoadOp: ConvertAccess(nv_tileas.TiledLoadOp),
    nv_tileaa.TiledStoreOp: ConvertAccess(nv_tileas.TiledStoreOp),
}

TARGET = ConversionTarget(
    illegal_ops=frozenset(op.name for op in PATTERNS),
    illegal_dialects=frozenset({"cuda_tile"}),
    failure="failed to convert nv_tileaa to nv_tileas",
)


@dataclass(frozen=True)
class ConvertTileAAToTileASPass(ModulePass):
    """Converts the memory accesses of `nv_tileaa` to `nv_tileas`."""

    name = "convert-tileaa-to-tileas"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_partial_conversion(op, PATTERNS, TARGET)
