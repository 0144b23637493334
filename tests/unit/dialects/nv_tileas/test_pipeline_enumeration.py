"""The closed enumeration of pipeline ops, and the ops' own definitions."""

import pytest
from xdsl.irdl import VarOperandDef, VarResultDef, VarSingleBlockRegionDef

from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.dialects.nv_tileas.pipeline_enumeration import (
    PIPELINE_ENUMERATION,
    PipelineEntry,
    Regions,
)

MNEMONICS = [
    "create_pipeline",
    "produce_one",
    "produce_one_async",
    "consume_one",
    "consume_one_async",
    "consumer_read",
    "producer_write",
    "producer_acquire",
    "producer_commit",
    "consumer_wait",
    "consumer_release",
    "yield",
    "inc_iter",
    "create_iterator",
    "agent_switch",
]

ENTRIES = [entry for entry in PIPELINE_ENUMERATION if entry is not None]


def test_sixteen_entries_of_which_the_last_is_reserved():
    assert [entry.mnemonic for entry in ENTRIES] == MNEMONICS
    assert len(PIPELINE_ENUMERATION) == 16
    assert PIPELINE_ENUMERATION[15] is None


def test_ops_outside_of_the_enumeration():
    prefix = "nv_tileas.async.pipeline."
    names = {op.name for op in NVTileAS.operations if op.name.startswith(prefix)}
    outside = ("acquire_mutex", "create_mutex", "create_null_token", "release_mutex")
    assert names - {entry.op.name for entry in ENTRIES} == {f"{prefix}{name}" for name in outside}


def _name(name: str, definition: object) -> str:
    return f"{name}.." if isinstance(definition, VarOperandDef | VarResultDef) else name


@pytest.mark.parametrize("entry", ENTRIES, ids=MNEMONICS)
def test_op_has_the_shape_of_its_entry(entry: PipelineEntry):
    definition = entry.op.get_irdl_definition()
    assert tuple(_name(*operand) for operand in definition.operands) == entry.operands
    assert tuple(_name(*result) for result in definition.results) == entry.results
    assert set(definition.properties) == set(entry.properties)
    match [region for _, region in definition.regions]:
        case []:
            assert entry.regions == Regions.NONE
        case [VarSingleBlockRegionDef()]:
            assert entry.regions == Regions.ANY
        case regions:
            assert len(regions) == 1 and entry.regions == Regions.ONE
