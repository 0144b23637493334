"""Replaces ranges by `nv_tileas.generate`, which computes a tile element by element.

    %r = nv_tileaa.make_range %c0, %c64 : i32 -> tensor<64xi32, #L>
    ->
    %r = nv_tileas.generate : tensor<64xi32, #L> {
    ^bb0(%i : i32):
      nv_tileas.yield %i : i32
    }

Earlier passes can analyse ranges, but not such regions.
"""

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects.nv_tileaa.core import MakeRangeOp
from tileir_xdsl.dialects.nv_tileas.control import YieldOp
from tileir_xdsl.dialects.nv_tileas.conversions import GenerateOp
from tileir_xdsl.rewriting import replace_op


class GenerateRange(RewritePattern):
    """Replaces a range of i32 that starts at 0 by `nv_tileas.generate`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MakeRangeOp, rewriter: PatternRewriter) -> None:
        # Other ranges are added to, or resized, once for the thread and not for each element.
        if op.start.type != i32 or uniform_integer(op.start) != 0:
            return
        body = Block(arg_types=[i32])
        result = YieldOp([body.args[0]])
        result.location = op.location
        body.add_op(result)
        generate = GenerateOp(op.result.type, Region(body))
        generate.attributes.update(op.attributes)
        replace_op(rewriter, op, generate)
