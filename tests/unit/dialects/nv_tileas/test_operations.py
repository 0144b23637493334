"""The ops of the dialect: which there are, and their text."""

import pytest

from tests.unit.dialects.nv_tileaa.samples import text
from tests.unit.dialects.nv_tileas import samples
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.testing.tools import parse, roundtrip

ROSTER = [
    "alloc_tensor",
    "async.cancel_next_program_id",
    "async.copy",
    "async.dot",
    "async.extract_slice",
    "async.future_wait",
    "async.gather_tma_load",
    "async.insert_slice",
    "async.load",
    "async.pipeline.agent_switch",
    "async.pipeline.consume_one",
    "async.pipeline.consume_one_async",
    "async.pipeline.consumer_read",
    "async.pipeline.consumer_release",
    "async.pipeline.consumer_wait",
    "async.pipeline.create_iterator",
    "async.pipeline.create_null_token",
    "async.pipeline.create_pipeline",
    "async.pipeline.inc_iter",
    "async.pipeline.produce_one",
    "async.pipeline.produce_one_async",
    "async.pipeline.producer_acquire",
    "async.pipeline.producer_commit",
    "async.pipeline.producer_write",
    "async.pipeline.yield",
    "async.scatter_tma_store",
    "async.store",
    "async.tiled_atomic_rmw",
    "async.tiled_load",
    "async.tiled_tma_load",
    "async.tiled_tma_store",
    "async.to_async",
    "async.token_to_async",
    "async.wait",
    "cancel_next_program_id",
    "convert_layout",
    "copy",
    "create_none",
    "dot",
    "expand_dims",
    "extract_slice",
    "gather_load",
    "generate",
    "insert_slice",
    "load",
    "make_tiled_tma_desc",
    "pragma",
    "reduce",
    "reinterpret",
    "scan",
    "scatter_store",
    "shuffle",
    "store",
    "tiled_atomic_rmw",
    "tiled_load",
    "tiled_store",
    "view",
    "yield",
]
"""The mnemonics of the dialect that TileAS lowers."""

ADDITIONS = [
    "async.commit_copies",
    "async.pipeline.acquire_mutex",
    "async.pipeline.create_mutex",
    "async.pipeline.release_mutex",
    "async.tiled_tma_reduce",
    "async.wait_copies",
    "async.wait_mmas",
    "barrier",
    "fence",
    "fence_proxy",
    "fence_tmem",
    "make_device_tma_descs",
    "pad",
    "read_program_id",
    "wgmma",
]
"""What the notes on layouts, buffers and order use besides, and what we add."""


def test_every_mnemonic_has_a_class():
    names = sorted(op.name for op in NVTileAS.operations)
    assert names == sorted(f"nv_tileas.{name}" for name in [*ROSTER, *ADDITIONS])
    assert len(ROSTER) == 58


@pytest.mark.parametrize("name", samples.VALID)
def test_text_round_trips(name: str):
    roundtrip(text(samples.VALID[name]))


def test_every_op_is_in_a_lit_test():
    shown = {op.name for path in samples.VALID.values() for op in parse(text(path)).walk()}
    assert [op.name for op in NVTileAS.operations if op.name not in shown] == []
