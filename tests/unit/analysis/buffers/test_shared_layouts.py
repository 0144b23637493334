"""Stages of a buffer: where each begins in shared memory."""

import pytest

from tileir_xdsl.analysis.buffers.shared_layouts import size_in_bytes, stage_bytes, stages_layout
from tileir_xdsl.layout.cute import NO_SWIZZLE, SWIZZLE_32B, SWIZZLE_128B, Swizzle
from tileir_xdsl.layout.shared import shared


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize(
    ("shape", "swizzle"),
    [
        ((1,), NO_SWIZZLE),
        ((16,), NO_SWIZZLE),
        ((2, 8), NO_SWIZZLE),
        ((2, 64), SWIZZLE_32B),
        ((4, 128), SWIZZLE_128B),
        ((64, 256), SWIZZLE_128B),
    ],
)
def test_every_stage_is_aligned_and_apart(shape: tuple[int, ...], bits: int, swizzle: Swizzle):
    tile = shared(shape, bits, swizzle)
    stages = stages_layout(tile, 3)
    distance = stage_bytes(stages)
    assert distance % tile.alignment == 0
    assert 0 <= distance - size_in_bytes(tile) < tile.alignment
    assert stages.alignment == tile.alignment
