"""The first conversion as a whole: every op has a pattern, and every kernel of the zoo converts."""

import pytest

from tests.kernels import KERNELS
from tests.unit import tools
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.rewriting import Conversion
from tileir_xdsl.targets import get_target
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import patterns
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.part_a import populate_part_a
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.part_b import populate_part_b
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.part_c import populate_part_c
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.singletons import SINGLETONS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.types import type_converter

STRUCTURED = {
    cuda_tile.BreakOp,
    cuda_tile.ContinueOp,
    cuda_tile.ForOp,
    cuda_tile.IfOp,
    cuda_tile.LoopOp,
}
"""Ops that are gone before types are converted: control flow, and its terminators."""

SPELLINGS = {cuda_tile.FPowFOp}
"""Names that reading turns into another op."""

TARGET = get_target("sm_90a")


def test_every_op_has_a_pattern():
    table = patterns(Conversion(type_converter()), TARGET)
    missing = [
        op.name
        for op in cuda_tile.CudaTile.operations
        if op not in table and op not in STRUCTURED | SPELLINGS
    ]
    assert missing == []


def test_the_groups_share_no_op():
    conversion = Conversion(type_converter())
    groups = [
        set(populate(conversion, TARGET))
        for populate in (populate_part_a, populate_part_b, populate_part_c, *SINGLETONS)
    ]
    seen: set[type] = set()
    for group in groups:
        assert not seen & group
        seen |= group


def test_the_eight_singletons():
    conversion = Conversion(type_converter())
    names = sorted(op.name for add in SINGLETONS for op in add(conversion, TARGET))
    assert names == [
        f"cuda_tile.{name}"
        for name in ("assume", "constant", "fma", "global", "itof", "maxi", "rsqrt", "trunci")
    ]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_convert_and_round_trip(name: str):
    module = tools.parse(KERNELS[name].text_path.read_text())
    tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    text = tools.roundtrip(tools.to_text(module))
    assert "cuda_tile." not in text
    assert "unrealized_conversion_cast" not in text
