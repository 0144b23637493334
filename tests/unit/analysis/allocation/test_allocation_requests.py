"""What buffers request of shared memory."""

import pytest

from tileir_xdsl.analysis.allocation.allocation_requests import buffer_request
from tileir_xdsl.layout.scale_factors import scale_buffer, scale_copies
from tileir_xdsl.layout.shared import shared

COPY_BYTES = 512


@pytest.mark.parametrize("rows", [32, 64, 128, 256])
@pytest.mark.parametrize("blocks", [4, 16])
def test_copies_of_scales_stay_inside(rows: int, blocks: int):
    """A copy reads rows of 16 bytes to their end, of which fewer columns leave some unused."""
    layout = scale_buffer(rows, blocks)
    ends = [copy.offset + COPY_BYTES for copy in scale_copies(layout, rows_first=True)]
    assert buffer_request(layout).bytes == max(ends)


def test_small_buffers_have_their_bytes():
    assert buffer_request(shared((4,), 16)).bytes == 8
