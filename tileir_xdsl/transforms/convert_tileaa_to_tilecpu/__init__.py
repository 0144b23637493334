"""`convert-tileaa-to-tilecpu`: converts kernels to loop nests over elements, with tiles in buffers.

    %x, %t = nv_tileaa.tiled_load weak %v[%i] {tilecpu.group = 0 : i64} : ..
    %y = nv_tileaa.mulf %x, %x {tilecpu.group = 0 : i64} : tensor<128xf32>
    ->
    tilecpu.nest (%j) in [128] vector 16 {
      %x = tilecpu.load %v[%i] at affine_map<(d0) -> (d0)> : .. -> f32
      %y = nv_tileaa.mulf %x, %x : f32

Each group of `tilecpu-group` becomes a nest. Only a tile that another group uses gets a buffer.
Tokens are dropped: nests and ops are ordered as the groups, which respect the tokens.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.tilecpu.decisions import GROUPS
from tileir_xdsl.rewriting import DispatchWalker

from .blocks import BlockConversion, WholeOps
from .control_flow import convert_for, convert_if, convert_while
from .nests import TileValues
from .whole_ops import (
    convert_assert,
    convert_atomic,
    convert_cat,
    convert_constant,
    convert_dot,
    convert_extraction,
    convert_insertion,
    convert_load,
    convert_print,
    convert_scan,
    convert_store,
)

WHOLE_OPS: WholeOps = {
    arith.ConstantOp: convert_constant,
    nv_tileaa.AssertOp: convert_assert,
    nv_tileaa.AtomicCASOp: convert_atomic,
    nv_tileaa.AtomicRMWOp: convert_atomic,
    nv_tileaa.CatOp: convert_cat,
    nv_tileaa.DotOp: convert_dot,
    nv_tileaa.ExtractSliceOp: convert_extraction,
    nv_tileaa.InsertSliceOp: convert_insertion,
    nv_tileaa.LoadOp: convert_load,
    nv_tileaa.PrintOp: convert_print,
    nv_tileaa.ScanOp: convert_scan,
    nv_tileaa.StoreOp: convert_store,
    scf.ForOp: convert_for,
    scf.IfOp: convert_if,
    scf.WhileOp: convert_while,
}
"""The conversion functions of ops on whole tiles."""


@dataclass(frozen=True)
class ConvertTileAAToTileCPUPass(ModulePass):
    """Converts kernels to loop nests over elements."""

    name = "convert-tileaa-to-tilecpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        DispatchWalker({nv_tileaa.FuncOp: LowerFunc()}).rewrite(op)


class LowerFunc(RewritePattern):
    """Replaces a kernel whose ops have groups by a `tilecpu` kernel."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        if op.body.blocks:
            rewriter.replace(op, convert_function(op))


def convert_function(function: nv_tileaa.FuncOp) -> tilecpu.FuncOp:
    """Converts a kernel whose ops have groups to `tilecpu`."""
    source = function.body.block
    target = Block(arg_types=source.arg_types)
    values = TileValues(dict(zip(source.args, target.args, strict=True)))
    for old, new in zip(source.args, target.args, strict=True):
        new.name_hint = old.name_hint
    BlockConversion(function, source, target, values, whole_ops=WHOLE_OPS).convert()
    target.add_op(tilecpu.ReturnOp())
    converted = tilecpu.FuncOp(
        function.sym_name.data, function.function_type, Region(target), function.arg_attrs
    )
    converted.location = function.location
    converted.attributes |= {
        name: value for name, value in function.attributes.items() if name != GROUPS
    }
    return converted
