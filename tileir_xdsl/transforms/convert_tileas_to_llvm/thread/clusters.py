"""Clusters: thread blocks (CTAs) that execute a tile block together.

A kernel with `nv_tileaa.cluster_shape` runs in clusters, and its grid counts clusters
(`.blocksareclusters`): a tile block is a cluster, and `%clusterid` its coordinate. The CTAs differ
only in the result of `nv_tileaa.get_cta_id`: rank `row * columns + column` has a part of the rows
and a part of the columns. Source: PTX ISA, "Cluster Dimension Directives" and "barrier.cluster".
"""

from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nvvm.fences import ClusterArriveOp, ClusterWaitOp
from tileir_xdsl.dialects.nvvm.special_registers import ClusterRankOp

from .patterns import LowerOp, Patterns
from .program import ThreadRewriter


def cluster_size(rewriter: ThreadRewriter) -> int:
    """How many CTAs execute a tile block."""
    return prod(rewriter.function.cluster)


def rank(rewriter: ThreadRewriter) -> SSAValue:
    """The rank of this CTA in its cluster."""
    return rewriter.builder.compute(ClusterRankOp)


def group_member(rewriter: ThreadRewriter, count: int, stride: int) -> SSAValue:
    """The index of this CTA in a group of `count` whose ranks are `stride` apart."""
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


def cluster_barrier(rewriter: ThreadRewriter) -> None:
    """A barrier of all threads of all CTAs of the cluster."""
    # Two instructions on sm_90 and later; nothing of ours fits between them yet.
    rewriter.builder.insert_without_result(ClusterArriveOp())
    rewriter.builder.insert_without_result(ClusterWaitOp())


class LowerGetCtaId(LowerOp[nv_tileaa.GetCtaIdOp]):
    """A part of the rank in the cluster; 0 where one CTA executes the tile block."""

    def lower(self, op: nv_tileaa.GetCtaIdOp, rewriter: ThreadRewriter) -> None:
        axis = op.axis.value.data
        count = rewriter.function.cluster[axis]
        if count == 1:
            rewriter.replace(op.result, (rewriter.builder.integer(0, i32),))
            return
        stride = prod(rewriter.function.cluster[axis + 1 :])
        rewriter.replace(op.result, (group_member(rewriter, count, stride),))


PATTERNS: Patterns = {nv_tileaa.GetCtaIdOp: LowerGetCtaId}
