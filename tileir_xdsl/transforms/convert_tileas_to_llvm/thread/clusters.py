"""Clusters: thread blocks (CTAs) that execute a tile block together.

A kernel with `nv_tileaa.cluster_shape` runs in clusters, and its grid counts clusters
(`.blocksareclusters`): a tile block is a cluster, and `%clusterid` is its coordinate. The CTAs
differ only in the result of `nv_tileaa.get_cta_id`. Rank `column * rows + row` computes one part of
the rows and one of the columns, so both CTAs of a pair have the same columns. Source: PTX ISA,
"Cluster Dimension Directives" and "barrier.cluster".
"""

from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i16, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.dialects.nvvm.fences import ClusterArriveOp, ClusterWaitOp
from tileir_xdsl.dialects.nvvm.special_registers import (
    BlockIdXOp,
    BlockIdYOp,
    BlockIdZOp,
    ClusterIdXOp,
    ClusterRankOp,
)

from .patterns import LowerOp, Patterns
from .program import ThreadRewriter


def cluster_size(rewriter: ThreadRewriter) -> int:
    """The number of CTAs that execute a tile block."""
    return prod(rewriter.function.cluster)


def tile_block_registers(rewriter: ThreadRewriter) -> tuple[type[Operation], ...]:
    """The coordinate registers of a tile block: those of a thread block, or of a cluster."""
    # Clusters are along x, where the grid has more blocks than tile blocks.
    along_x = BlockIdXOp if cluster_size(rewriter) == 1 else ClusterIdXOp
    return along_x, BlockIdYOp, BlockIdZOp


def rank(rewriter: ThreadRewriter) -> SSAValue:
    """The rank of this CTA in its cluster."""
    return rewriter.builder.compute(ClusterRankOp)


def group_member(rewriter: ThreadRewriter, count: int, stride: int) -> SSAValue:
    """The index of this CTA in its group of `count` CTAs whose ranks are `stride` apart."""
    builder = rewriter.builder
    number = rank(rewriter)
    if stride > 1:
        # Clusters have powers of two of CTAs (Tile IR spec, "num_cta_in_cga").
        shift = builder.integer(stride.bit_length() - 1, i32)
        number = builder.compute(llvm.LShrOp, number, shift)
    # The shift has left no bits of other groups.
    if stride * count == cluster_size(rewriter):
        return number
    return builder.compute(llvm.AndOp, number, builder.integer(count - 1, i32))


def leader_rank(rewriter: ThreadRewriter) -> SSAValue:
    """The rank of the first CTA of a pair, which issues the MMAs of both."""
    builder = rewriter.builder
    return builder.compute(llvm.AndOp, rank(rewriter), builder.integer(-PAIR, i32))


def is_leader(rewriter: ThreadRewriter) -> SSAValue:
    """Whether this CTA is the first of its pair."""
    builder = rewriter.builder
    place = builder.compute(llvm.AndOp, rank(rewriter), builder.integer(PAIR - 1, i32))
    return builder.compare("eq", place, builder.integer(0, i32))


def pair_mask(rewriter: ThreadRewriter) -> SSAValue:
    """A mask of the ranks of this CTA's pair."""
    builder, both = rewriter.builder, (1 << PAIR) - 1
    if cluster_size(rewriter) == PAIR:
        return builder.integer(both, i16)
    shifted = builder.compute(llvm.ShlOp, builder.integer(both, i32), leader_rank(rewriter))
    return builder.compute(llvm.TruncOp, shifted, i16)


def cluster_barrier(rewriter: ThreadRewriter) -> None:
    """Emits a barrier for all threads of all CTAs in the cluster."""
    # Two instructions on sm_90 and later; nothing of ours fits between them yet.
    rewriter.builder.insert_without_result(ClusterArriveOp())
    rewriter.builder.insert_without_result(ClusterWaitOp())


class LowerGetCtaId(LowerOp[nv_tileaa.GetCtaIdOp]):
    """Returns the row or column number of a CTA in its cluster; 0 if one CTA executes the tile
    block.
    """

    def lower(self, op: nv_tileaa.GetCtaIdOp, rewriter: ThreadRewriter) -> None:
        bind_cta_id(op, rewriter)


def bind_cta_id(op: nv_tileaa.GetCtaIdOp, rewriter: ThreadRewriter) -> None:
    """Computes the row or column number of this CTA from its rank."""
    axis = op.axis.value.data
    count = rewriter.function.cluster[axis]
    if count == 1:
        rewriter.replace(op.result, (rewriter.builder.integer(0, i32),))
        return
    stride = prod(rewriter.function.cluster[:axis])
    rewriter.replace(op.result, (group_member(rewriter, count, stride),))


PATTERNS: Patterns = {nv_tileaa.GetCtaIdOp: LowerGetCtaId}
