"""`fuse-fma`: products that are only added become fused multiply-adds.

A fused operation rounds once where two operations round twice, so the result may differ in the last
place. The fusion is therefore a separate pass and not a canonicalization:

    %m = mulf %a, %b : tile<4xf32>
    %r = addf %m, %c : tile<4xf32>
    ->
    %r = fma %a, %b, %c : tile<4xf32>

`subf %m, %c` becomes `fma %a, %b, (negf %c)`. The product must have no other use, and both
operations must have the same rounding mode and flushing. If the product is the right operand of a
sum, the operands are swapped first.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileir_xdsl.dialects.cuda_tile import AddFOp, FmaOp, MulFOp, NegFOp, SubFOp
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile import MoveProductLeft
from tileir_xdsl.transforms.canonicalization_patterns.cuda_tile_values import at_location


def _fusible_product(op: AddFOp | SubFOp) -> MulFOp | None:
    """The product on the left of a sum, if both may be fused to one operation."""
    product = op.lhs.owner
    if (
        isinstance(product, MulFOp)
        # For another use the product stays, and the fused op saves nothing.
        and product.result.has_one_use()
        # `fma` rounds and flushes once, so both must agree how.
        and product.rounding_mode == op.rounding_mode
        and product.flush_to_zero == op.flush_to_zero
    ):
        return product
    return None


def _fuse(
    op: AddFOp | SubFOp,
    product: MulFOp,
    summand: SSAValue,
    before: tuple[Operation, ...],
    rewriter: PatternRewriter,
) -> None:
    fused = FmaOp(
        product.lhs,
        product.rhs,
        summand,
        op.rounding_mode.data,
        op.flush_to_zero is not None,
    )
    rewriter.replace(op, at_location(op, *before, fused))
    rewriter.erase(product)


class FuseAddF(RewritePattern):
    """`addf (mulf %a, %b), %c` becomes `fma %a, %b, %c`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddFOp, rewriter: PatternRewriter, /) -> None:
        if (product := _fusible_product(op)) is not None:
            _fuse(op, product, op.rhs, (), rewriter)


class FuseSubF(RewritePattern):
    """`subf (mulf %a, %b), %c` becomes `fma %a, %b, (negf %c)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SubFOp, rewriter: PatternRewriter, /) -> None:
        if (product := _fusible_product(op)) is not None:
            negated = NegFOp(op.rhs)
            _fuse(op, product, negated.result, (negated,), rewriter)


class FuseFmaPass(ModulePass):
    """Products that are only added become fused multiply-adds."""

    name = "fuse-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # The first brings products to the left, where the others look for them.
        patterns: list[RewritePattern] = [MoveProductLeft(), FuseAddF(), FuseSubF()]
        Walker(GreedyRewritePatternApplier(patterns, dce_enabled=False)).rewrite_module(op)
