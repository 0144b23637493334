"""Occupancy of the ops of a loop body: units, cycles, and latencies of the results."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from xdsl.dialects import math
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import SameRegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface
from tileir_xdsl.targets.throughput import Resource, Throughput

SPECIAL_FUNCTIONS = (
    math.CosOp,
    math.Exp2Op,
    math.ExpOp,
    math.Log2Op,
    math.LogOp,
    math.RsqrtOp,
    math.SinOp,
    math.SqrtOp,
    math.TanhOp,
    nv_tileaa.Exp2Op,
    nv_tileaa.ExpOp,
    nv_tileaa.RsqrtOp,
    nv_tileaa.SqrtOp,
    nv_tileaa.TanhOp,
)


@dataclass(frozen=True)
class Occupancy:
    """A resource, the cycles that an op occupies it, and the latency of the result."""

    resource: Resource
    cycles: int
    latency: int


FREE = Occupancy(Resource.ARITHMETIC, 0, 0)
"""Ops that produce tiles without an instruction per element."""

# Padding is a branch in all iterations but those on the rim.
FREE_OPS = (SameRegistersOpInterface, AwaitOp, nv_tileas.PadOp)


def occupancy_of(op: Operation, rates: Throughput) -> Occupancy:
    """The occupancy of an op; for an op with regions, the sum over all ops in them."""
    if isinstance(op, ProduceOp):
        size = sum(_bytes(type) for type in op.body.block.arg_types)
        cycles = ceil(size / rates.memory_bytes)
        return Occupancy(Resource.COPY, cycles, cycles + rates.memory_latency)
    if isinstance(op, MMAOp):
        return _mma(op, rates)
    if isinstance(op, FREE_OPS):
        return FREE
    if isinstance(op, CollectiveOp):
        return _collective(op, rates)
    inner = [occupancy_of(o, rates) for region in op.regions for b in region.blocks for o in b.ops]
    if inner:
        cycles = sum(occupancy.cycles for occupancy in inner)
        return Occupancy(Resource.ARITHMETIC, cycles, cycles + rates.arithmetic_latency)
    if isinstance(op, LoadTileOp | LoadThroughPointersOp | nv_tileas.GatherLoadOp):
        cycles = ceil(_bytes(op.results[0].type) / rates.memory_bytes)
        return Occupancy(Resource.LOAD_STORE, cycles, cycles + rates.memory_latency)
    if isinstance(op, TileMoveOpInterface):
        # Written to shared memory and read back.
        cycles = ceil(2 * _bytes(op.results[0].type) / rates.shared_bytes)
        return Occupancy(Resource.LOAD_STORE, cycles, cycles + rates.shared_latency)
    elements = max((_elements(result.type) for result in op.results), default=0)
    if isinstance(op, SPECIAL_FUNCTIONS):
        cycles = ceil(elements / rates.special)
        return Occupancy(Resource.SPECIAL, cycles, cycles + rates.arithmetic_latency)
    cycles = ceil(elements / rates.arithmetic)
    return Occupancy(
        Resource.ARITHMETIC, cycles, cycles + (rates.arithmetic_latency if cycles else 0)
    )


def _collective(op: CollectiveOp, rates: Throughput) -> Occupancy:
    """The occupancy of a reduction or scan, which executes its body once for each element."""
    elements = max(_elements(operand.type) for operand in op.operands)
    functions = sum(not isinstance(inner, op.YIELD) for inner in op.body.block.ops)
    cycles = ceil(elements * functions / rates.arithmetic)
    return Occupancy(Resource.ARITHMETIC, cycles, cycles + rates.arithmetic_latency)


def _mma(op: MMAOp, rates: Throughput) -> Occupancy:
    shape = tile_shape(op.a.type)
    accumulators = tile_shape(op.accumulator_type).shape
    bits = 8 * element_bytes(shape.element)
    # Operands of half the width are multiplied at twice the rate.
    cycles = ceil(prod(accumulators) * shape.shape[-1] * bits / (16 * rates.mma_macs_of_16_bits))
    return Occupancy(Resource.MATRIX, cycles, cycles + rates.mma_latency)


def _elements(type: Attribute) -> int:
    type = awaited(type)
    if not isinstance(type, TensorType) or is_buffer(type):
        return 0
    return prod(type.get_shape())


def _bytes(type: Attribute) -> int:
    type = awaited(type)
    return prod(tile_shape(type).shape) * element_bytes(tile_shape(type).element)
