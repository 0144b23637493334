"""Hints of an entry as the installed cuTile writes them, in each version of bytecode."""

import pytest
from cuda.tile._bytecode import (
    BytecodeVersion,
    EntryHints,
    encodings,
    write_bytecode,
)
from cuda.tile._bytecode.debug_info import MISSING_DEBUG_ATTR_ID

from tileir_xdsl import bytecode
from tileir_xdsl.testing.tools import to_text

HINTS = EntryHints(num_cta_in_cga=2, occupancy=3, num_worker_warps_per_cta=8)
TEXT = "sm_100 = {num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 3}"


def of_cutile(version: BytecodeVersion, hints: dict[str, EntryHints]) -> bytes:
    """An entry without operations but its return."""
    data = bytearray()
    with (
        write_bytecode(1, data, version) as writer,
        writer.function("k", (), (), True, hints, MISSING_DEBUG_ATTR_ID) as (builder, _),
    ):
        encodings.encode_ReturnOp(builder, ())
    return bytes(data)


@pytest.mark.parametrize("version", BytecodeVersion, ids=str)
def test_hints_of_entries(version: BytecodeVersion):
    for hints in ({}, {"sm_100": HINTS}):
        module = bytecode.read(of_cutile(version, hints))
        text = to_text(module)
        assert ("optimization_hints" in text) == bool(hints)
        assert not hints or all(part in text for part in TEXT.split(", "))
        again = bytecode.write(module, version.as_string())
        assert to_text(bytecode.read(again)) == text
