"""Multicast bulk copies: to the same offset in several thread blocks (CTAs) of a cluster.

    %x = nv_tileas.async.tiled_tma_load %map, %stage[%i, %j], %m {num_multicast = 2, ..}
    ->
    %part = nvvm.read.ptx.sreg.cluster.ctarank
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b, %map, %full, box[%j + %part * 64, %i]
        multicast_mask = %mask

CTAs that need the same tile load one part each and send it to all of them. Every CTA expects the
bytes of the whole tile at its own barrier, to which each part contributes. A stage may be filled
again only after the consumers of all CTAs have released it, so consumers arrive at the barriers of
all CTAs.

A pair of CTAs with common MMAs, of `cta_group` 2, has one barrier for the copies of both. This
barrier is in the first CTA, which waits for all copies of the pair. Source: PTX ISA,
"cp.async.bulk.tensor", `.multicast::cluster` and `.cta_group`.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i16, i32
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import is_of_pair
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup
from tileir_xdsl.dialects.nvvm.miscellaneous import MapaOp
from tileir_xdsl.dialects.nvvm.pointers import SHARED_CLUSTER
from tileir_xdsl.dialects.nvvm.tensor_copies import CpAsyncBulkTensorGlobalToSharedClusterOp

from ..thread.clusters import cluster_size, group_member, leader_rank, rank
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile
from .tma_boxes import boxes_of_part


def start_multicast(
    op: nv_tileas.AsyncTiledTmaLoadOp, tile: SharedTile, barrier: SSAValue, rewriter: ThreadRewriter
) -> None:
    """Issues the copies of this CTA's part to all CTAs of its group, which may have only this
    CTA.
    """
    builder, (count, stride) = rewriter.builder, op.multicast_group
    tensor_map, group = rewriter.scalar(op.descriptor), None
    if is_of_pair(op.cta_group):
        group, barrier = CTAGroup.TWO, _barrier_of_leader(barrier, rewriter)
    part, mask = builder.integer(0, i32), None
    if count > 1:
        part, mask = group_member(rewriter, count, stride), _mask(rewriter, count, stride)
    # Each loads another part for all: bytes from global memory are divided by the number of CTAs.
    for offset, coordinates in boxes_of_part(op, tile, part, rewriter):
        position = builder.insert(AddrSpaceCastOp(tile.pointer(builder, offset), SHARED_CLUSTER))
        # In each CTA of the mask data and signal go to the same offsets (PTX ISA).
        copy = CpAsyncBulkTensorGlobalToSharedClusterOp(
            position, tensor_map, coordinates, barrier, multicast_mask=mask, group=group
        )
        builder.insert_without_result(copy)


def _barrier_of_leader(barrier: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    """The barrier at the same offset in the first CTA of the pair, as the operand of the copy."""
    builder = rewriter.builder
    remote = builder.compute(MapaOp, barrier, leader_rank(rewriter))
    address = builder.compute(llvm.PtrToIntOp, remote, i32)
    # The op of `nvvm` has no type of its own for barriers of other CTAs.
    pointer = llvm.IntToPtrOp.build(operands=[address], result_types=[barrier.type])
    return builder.insert(pointer)


def _mask(rewriter: ThreadRewriter, count: int, stride: int) -> SSAValue:
    """A mask of the ranks of this CTA's group."""
    builder = rewriter.builder
    ranks = sum(1 << member * stride for member in range(count))
    # A group of the whole cluster has every rank: the mask is a constant.
    if count == cluster_size(rewriter):
        return builder.integer(ranks, i16)
    others = builder.integer(cluster_size(rewriter) - 1 & ~((count - 1) * stride), i32)
    first = builder.compute(llvm.AndOp, rank(rewriter), others)
    shifted = builder.compute(llvm.ShlOp, builder.integer(ranks, i32), first)
    return builder.compute(llvm.TruncOp, shifted, i16)
