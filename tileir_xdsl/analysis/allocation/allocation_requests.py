"""Shared memory that ops request for what they create: buffers, mbarriers, responses.

Memory that an op uses only while it is executed is scratch memory (`scratch_requests`).
"""

from dataclasses import dataclass

from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import is_in_pipeline
from tileir_xdsl.analysis.buffers.shared_layouts import (
    buffer_layout,
    shared_layout,
    size_in_bytes,
)
from tileir_xdsl.analysis.mma.accumulators import same_accumulator
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.memory_effects import Answer, Barriers, Buffer, SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import is_of_pair
from tileir_xdsl.dialects.nv_tileas.strategies import Issuer, issuer_of
from tileir_xdsl.layout.shared import CORE_ROW_BYTES, SharedLayout
from tileir_xdsl.layout.tensor_memory import row_blocks
from tileir_xdsl.walking import ops_in

BARRIER_BYTES = 8
"""The bytes of an mbarrier object, and their alignment."""

ANSWER_BYTES = 16
"""The bytes of the response to a tile-block request, and their alignment."""


@dataclass(frozen=True)
class AllocationRequest:
    """Bytes of shared memory that an op needs, aligned to a power of two."""

    bytes: int
    alignment: int
    reusable: bool = True
    """Whether other allocations may use the memory before and after; false for mbarriers."""


def buffer_request(layout: SharedLayout) -> AllocationRequest:
    """The request of a buffer, up to the end of the row of 16 bytes that hardware reads last."""
    bytes = size_in_bytes(layout)
    if bytes > CORE_ROW_BYTES:
        bytes = -(-bytes // CORE_ROW_BYTES) * CORE_ROW_BYTES
    return AllocationRequest(bytes, layout.alignment)


def barrier_request(count: int) -> AllocationRequest:
    """The request of some mbarriers."""
    return AllocationRequest(count * BARRIER_BYTES, BARRIER_BYTES, reusable=False)


def pipeline_request(stages: int) -> AllocationRequest:
    """The request of a pipeline: a full and an empty mbarrier for each stage."""
    return barrier_request(2 * stages)


def _mma(op: MMAOp) -> AllocationRequest | None:
    """The mbarrier at which the commit of an MMA arrives; a pair of CTAs shares a second one.

    None where the commit publishes a stage of accumulators, which has mbarriers of its own. Where
    warpgroups may issue the MMAs of their own rows, each warpgroup has an mbarrier.
    """
    if not is_tensor_memory_mma(op) or _fills_stage(op):
        return None
    issuers = None, Issuer.ELECTED_LANE_OF_EACH_WARPGROUP
    blocks = row_blocks(tile_shape(op.a.type).shape[-2]) if issuer_of(op) in issuers else 1
    return barrier_request(2 if is_of_pair(op.cta_group) else blocks)


def _fills_stage(op: MMAOp) -> bool:
    """Whether the accumulator of an MMA is put in a stage for another agent."""
    values = same_accumulator(op.results[0])
    return any(isinstance(u.operation, nv_tileas.ProducerWriteOp) for v in values for u in v.uses)


def _function(op: Operation) -> AllocationRequest | None:
    """The word that receives the address of the tensor memory, if any is allocated."""
    needed = any(
        is_tensor_memory_mma(inner)
        or any(is_in_tensor_memory(result.type) for result in inner.results)
        for inner in ops_in(op)
    )
    return barrier_request(1) if needed else None


def request_of(op: Operation) -> AllocationRequest | None:
    """The shared or tensor memory that an op requests for its results; None if it requests none."""
    if isinstance(op, nv_tileaa.FuncOp):
        return _function(op)
    if isinstance(op, MMAOp):
        return _mma(op)
    if not isinstance(op, SharedMemoryOpInterface):
        return None
    effects = op.effects
    match effects.creates:
        case Buffer():
            return buffer_request(_layout_of(op, effects.creates))
        case Barriers():
            return barrier_request(effects.creates.count)
        case Answer():
            return AllocationRequest(ANSWER_BYTES + BARRIER_BYTES, ANSWER_BYTES, reusable=False)
        case None:
            # The mbarrier of a copy that is waited for by itself.
            is_alone = effects.has_barrier and not is_in_pipeline(op)
            return barrier_request(1) if is_alone else None


def _layout_of(op: Operation, buffer: Buffer) -> SharedLayout:
    # The allocation may become the stages of a pipeline.
    if isinstance(op, nv_tileas.AllocTensorOp):
        return buffer_layout(op)
    return shared_layout(op, buffer.result.type)
