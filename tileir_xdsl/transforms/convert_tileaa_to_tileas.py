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
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

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


@dataclass(frozen=True)
class ConvertTiledAccess(ConvertAccess):
    """The same for an access of a view, which now may have offsets before its token: none here.

    The padding of an access that is in bounds is dropped.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        segments = op.properties["operandSegmentSizes"]
        assert isa(segments, DenseArrayBase[IntegerType])
        *before, token = segments.get_values()
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [*before, 0, token])
        in_bounds = op.properties.get("in_bounds")
        if isa(in_bounds, DenseArrayBase[IntegerType]) and all(in_bounds.get_values()):
            op.properties.pop("padding_value", None)
        super().match_and_rewrite(op, rewriter)


PATTERNS: PatternTable = {
    nv_tileaa.LoadOp: ConvertAccess(nv_tileas.LoadOp),
    nv_tileaa.StoreOp: ConvertAccess(nv_tileas.StoreOp),
    nv_tileaa.TiledLoadOp: ConvertTiledAccess(nv_tileas.TiledLoadOp),
    nv_tileaa.TiledStoreOp: ConvertTiledAccess(nv_tileas.TiledStoreOp),
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
