"""What ops between tiles of different shapes say of layouts."""

import pytest

from bench.rows import ROWS, Row
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import shared
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.reindexing_use import ReindexingUse

COLUMN = """
%column = "test.op"() : () -> tensor<32x1xf32>
%tile = nv_tileaa.broadcast %column : tensor<32x1xf32> -> tensor<32x64xf32>
"""


NUMBER = """
%number = "test.op"() : () -> tensor<1x1xf32>
%tile = nv_tileaa.broadcast %number : tensor<1x1xf32> -> tensor<1x1024xf32>
"""


def use_of(known: LinearLayout, layout: LinearLayout, text: str = COLUMN) -> ReindexingUse:
    """The use of the result of a broadcast."""
    (op,) = (op for op in tools.parse(text).walk() if isinstance(op, nv_tileaa.BroadcastOp))
    return ReindexingUse(op, 0, True, known, layout, 32, 32)


def transactions(use: ReindexingUse, layout: LinearLayout) -> float:
    candidate = use.in_layout(layout)
    assert not isinstance(candidate, str)
    return candidate.cost.transactions


ROW_MAJOR, WIDE = blocked((32, 64), 1, 4), blocked((32, 64), 4, 4)


def test_number_that_all_threads_have():
    """Whatever the layout of the tile, every thread has what it repeats."""
    everywhere = LinearLayout((), (0,) * 5, (0, 0), (), (1, 1))
    narrow, wide = blocked((1, 1024), 1, 4), blocked((1, 1024), 4, 4)
    for layout in (narrow, wide):
        assert transactions(use_of(everywhere, narrow, NUMBER), layout) == 0


def test_smaller_side_is_converted():
    column = blocked((32, 1), 1, 4)
    use = use_of(column, ROW_MAJOR)
    assert transactions(use, ROW_MAJOR) == 0
    assert 0 < transactions(use, WIDE) <= 64


def test_memory_is_refused():
    answer = use_of(blocked((32, 1), 1, 4), WIDE).in_layout(shared((32, 64), 32))
    assert answer == "re-indexes its elements in registers"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case.name)
def test_rows_are_moved_16_bytes_at_once(row: Row):
    """What is broadcast along a row is no reason for narrower accesses."""
    passes = (
        "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas,"
        "tileas-assign-load-store-layouts"
    )
    module = tools.run_passes(tools.parse(row.text_path.read_text()), passes)
    loads = [op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp)]
    assert loads
    assert all(str(op.properties["atom"]) == "#nv_tileas<atom ldg_128>" for op in loads)
