"""Which ops rewrites may touch, and what the effects of ops let `canonicalize` erase."""

from functools import cache

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryAllocEffect, is_side_effect_free
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

from tests.unit.dialects.nv_tileaa.samples import text
from tests.unit.dialects.nv_tileas import samples
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface, SameRegistersOpInterface
from tileir_xdsl.dialects.memory_effects import Proxy, SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.dialects.nv_tileas.interfaces import (
    AllocationOpInterface,
    BulkLoadOpInterface,
    ContractionOpInterface,
    MemoryConsistencyOpInterface,
    ProducerRegionOpInterface,
    StageTokenOpInterface,
    SynchronizationOpInterface,
    ThreadCopyOpInterface,
    ThreadMovesOpInterface,
    TileMoveOpInterface,
    TilePartOpInterface,
    TileStructureOpInterface,
    TypeOnlyOpInterface,
)
from tileir_xdsl.dialects.nv_tileas.slices import AllocTensorOp
from tileir_xdsl.dialects.nv_tileas.types import (
    PipelineConsumerTokenType,
    PipelineProducerTokenType,
    is_handle,
)
from tileir_xdsl.testing.tools import parse

CONSISTENT = {
    "async.copy",
    "async.dot",
    "async.gather_tma_load",
    "async.load",
    "async.scatter_tma_store",
    "async.store",
    "async.tiled_atomic_rmw",
    "async.tiled_load",
    "async.tiled_tma_load",
    "async.tiled_tma_reduce",
    "async.tiled_tma_store",
    "async.wait",
    "copy",
    "fence",
    "make_tiled_tma_desc",
    "reduce",
    "scan",
    "wgmma",
}

MEMBERS: dict[type, set[str]] = {
    MemoryConsistencyOpInterface: CONSISTENT,
    TileStructureOpInterface: {"alloc_tensor", "extract_slice", "insert_slice", "view"},
    AllocationOpInterface: {"alloc_tensor", "async.pipeline.create_pipeline"},
    ProducerRegionOpInterface: {"async.pipeline.produce_one", "async.pipeline.produce_one_async"},
    TypeOnlyOpInterface: {"async.pipeline.create_iterator", "async.pipeline.create_pipeline"},
    AgentLikeOpInterface: {"async.pipeline.agent_switch"},
    BulkLoadOpInterface: {
        "async.cancel_next_program_id",
        "async.gather_tma_load",
        "async.tiled_tma_load",
    },
    ContractionOpInterface: {"async.dot", "dot", "wgmma"},
    TileMoveOpInterface: {"convert_layout", "copy"},
    ThreadMovesOpInterface: {
        "async.pipeline.producer_write",
        "convert_layout",
        "copy",
        "pad",
        "tiled_load",
    },
    BufferViewOpInterface: {"view"},
    SameRegistersOpInterface: {"alloc_tensor", "expand_dims", "insert_slice", "view"},
    SynchronizationOpInterface: {"async.wait_mmas", "barrier", "fence_proxy", "fence_tmem"},
    ThreadCopyOpInterface: {"async.load", "async.tiled_load"},
}


@pytest.mark.parametrize("interface", MEMBERS)
def test_members(interface: type):
    members = {op.name for op in NVTileAS.operations if issubclass(op, interface)}
    assert members == {f"nv_tileas.{name}" for name in MEMBERS[interface]}


DEAD_WITHOUT_USERS = {
    "alloc_tensor",
    "async.extract_slice",
    "async.future_wait",
    "async.insert_slice",
    "async.pipeline.create_iterator",
    "async.pipeline.create_null_token",
    "async.pipeline.inc_iter",
    "async.to_async",
    "async.token_to_async",
    "convert_layout",
    "create_none",
    "dot",
    "expand_dims",
    "extract_slice",
    "gather_load",
    "generate",
    "insert_slice",
    "load",
    "pad",
    "pragma",
    "read_program_id",
    "reinterpret",
    "shuffle",
    "tiled_load",
    "view",
}
"""Ops that go when nobody uses their results; the loads only while they are weak."""


@cache
def shown() -> list[Operation]:
    """Every op in the texts that are right."""
    return [op for path in samples.VALID.values() for op in parse(text(path)).walk()]


def test_what_is_dead_without_users():
    ops = [op for op in shown() if op.name.startswith("nv_tileas.")]
    dead = {op.name.removeprefix("nv_tileas.") for op in ops if would_be_trivially_dead(op)}
    assert dead == DEAD_WITHOUT_USERS


def test_op_whose_order_matters_is_not_pure():
    consistent = [op for op in shown() if isinstance(op, MemoryConsistencyOpInterface)]
    assert {op.name for op in consistent} == {f"nv_tileas.{name}" for name in CONSISTENT}
    assert not any(map(is_side_effect_free, consistent))


def test_producers_know_their_body():
    producers = [op for op in shown() if isinstance(op, ProducerRegionOpInterface)]
    assert producers
    for op in producers:
        assert op.producer_region is op.regions[0]


def test_two_allocations_are_two_buffers():
    allocation = AllocTensorOp(TensorType(f32, [16]))
    assert not is_side_effect_free(allocation)
    assert not allocation.has_trait(MemoryAllocEffect)


def sampled() -> dict[str, Operation]:
    """An op of each kind that the samples of the dialect have."""
    return {op.name: op for path in samples.VALID.values() for op in parse(text(path)).walk()}


def test_every_op_with_the_token_of_a_stage_says_so():
    """Source: the TileAS operation roster, "Pipeline Op Operand/Result Tables"."""
    tokens = (PipelineConsumerTokenType, PipelineProducerTokenType)
    for name, op in sampled().items():
        first = [values[0].type for values in (op.operands, op.results) if values]
        hands_on = len(first) == 2 and first[0] == first[1] and isinstance(first[0], tokens)
        is_ours = name.startswith(f"{NVTileAS.name}.")
        assert not is_ours or isinstance(op, StageTokenOpInterface) == hands_on, name


def test_every_op_on_a_part_of_a_tile_says_which():
    ops = sampled()
    # A pad is about the tile that its load made, which is sliced already.
    found = {name: op for name, op in ops.items() if name != "nv_tileas.pad"}
    for name, op in found.items():
        has_part = any(hasattr(op, part) for part in ("coords", "indices", "slice"))
        if has_part and name.startswith(f"{NVTileAS.name}."):
            assert isinstance(op, TilePartOpInterface), f"{name}: {TilePartOpInterface.__name__}"
            part = op.accessed_part
            whole = getattr(op, part.operand)
            assert whole in op.operands
            given = [each for each in part.coordinates if isinstance(each, SSAValue)]
            assert set(given) <= set(op.operands)


MOVE_NO_TILE = {
    "nv_tileas.async.gather_tma_load",
    "nv_tileas.async.scatter_tma_store",
    "nv_tileas.read_program_id",
    # A store to a buffer becomes a copy.
    "nv_tileas.tiled_store",
}
"""Ops that read numbers in a buffer, or become another op."""


def test_every_op_by_which_threads_access_buffers_says_what_they_move():
    silent = {
        f"{op.name}: {ThreadMovesOpInterface.__name__}"
        for op in shown()
        if isinstance(op, SharedMemoryOpInterface)
        and not isinstance(op, ThreadMovesOpInterface)
        and op.name not in MOVE_NO_TILE
        for effect in op.effects.buffers
        if effect.proxy is Proxy.GENERIC and not effect.is_asynchronous
    }
    assert silent == set()


def test_every_copy_that_threads_start_says_so():
    for op in shown():
        if isinstance(op, SharedMemoryOpInterface):
            copies = [e for e in op.effects.buffers if e.proxy is Proxy.GENERIC]
            is_copy = any(e.is_asynchronous and e.writes for e in copies)
            assert not is_copy or isinstance(op, ThreadCopyOpInterface), (
                f"{op.name}: {ThreadCopyOpInterface.__name__}"
            )


def test_moved_tiles_are_operands_and_results():
    moving = [op for op in shown() if isinstance(op, ThreadMovesOpInterface)]
    assert {op.name.removeprefix("nv_tileas.") for op in moving} == MEMBERS[ThreadMovesOpInterface]
    for op in moving:
        for source, target in op.moved_tiles:
            assert source in op.operands
            assert target is None or target in (*op.operands, *op.results)
    for op in moving:
        if isinstance(op, TileMoveOpInterface) and op.filled is not None:
            assert op.filled.type == op.results[0].type


OTHER_NAMES = {"nv_tileas.reinterpret"}
"""Ops that name the bytes of a buffer as elements of another type."""


def test_every_op_that_only_names_a_buffer_otherwise_says_so():
    for op in shown():
        ends = [*op.operands[:1], *op.results[:1]]
        is_pure = isinstance(op, SharedMemoryOpInterface) and not op.effects.buffers
        if is_pure and len(ends) == 2 and all(is_handle(end.type) for end in ends):
            answers = isinstance(op, BufferViewOpInterface | ThreadMovesOpInterface)
            assert answers or op.name in OTHER_NAMES, f"{op.name}: {BufferViewOpInterface.__name__}"
