"""The ops of the dialect: which there are, and their text."""

import pytest

from tests.unit.dialects.nv_tileaa.samples import text
from tests.unit.dialects.nv_tileas import samples
from tests.unit.tools import parse, roundtrip
from tileir_xdsl.dialects.nv_tileas import NVTileAS


@pytest.mark.parametrize("name", samples.VALID)
def test_text_round_trips(name: str):
    roundtrip(text(samples.VALID[name]))


def test_every_op_is_in_a_lit_test():
    shown = {op.name for path in samples.VALID.values() for op in parse(text(path)).walk()}
    assert [op.name for op in NVTileAS.operations if op.name not in shown] == []
