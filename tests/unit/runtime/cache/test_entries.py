"""Entries of the cache: the object of the library, and what the command line shows of it."""

from dataclasses import replace

import pytest

import tileir_xdsl as tileir
from tests.unit.tools import REPOSITORY
from tileir_xdsl.runtime.cache.entries import (
    Shown,
    Title,
    decode,
    decode_both,
    encode,
    shown,
    title,
)
from tileir_xdsl.runtime.compiled import Compiled

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    """With a remark, and the text of no language in it."""
    return tileir.compile(KERNEL, "sm_90a", emit="cubin", options=tileir.Options(occupancy=32))


@pytest.mark.parametrize("emit", ["nv_tileas", "ptx", "cubin"])
def test_an_entry_has_all_of_a_compilation(emit: str, compiled: Compiled):
    assembly = compiled.assembly if emit == "cubin" else None
    given = replace(compiled, emit=emit, text="// é\r\n", assembly=assembly)
    entry = encode(given, more={"more": 1})
    assert given.remarks
    assert shown(entry) == Shown(given.output, tuple(map(str, given.remarks)))
    assert isinstance(given.output, bytes) == (emit == "cubin")
    assert title(entry) == Title(given.file, "sm_90a", emit)
    assert decode(entry) == given and decode_both(entry) == (given, {"more": 1})
