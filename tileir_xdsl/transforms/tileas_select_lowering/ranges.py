"""Ranges as tiles that are generated element by element.

    %r = nv_tileaa.make_range %c0, %c64 : i32 -> tensor<64xi32, #L>
    ->
    %r = nv_tileas.generate : tensor<64xi32, #L> {
    ^bb0(%i : i32):
      nv_tileas.yield %i : i32
    }

Passes before know more of a range than of a region, so that this comes after them.
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
    """Makes a range from 0 on, whose numbers have the type of indices, a `generate`."""

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
