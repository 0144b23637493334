"""docs/ptx.md says what the PTX target is."""

from docs import ptx as documentation
from tileir_xdsl.backend.ptx.tables import all_rules
from tileir_xdsl.dialects.nvvm import NVVM


def test_the_page_is_up_to_date() -> None:
    page = documentation.page()
    assert documentation.PAGE.read_text() == page, "run python -m docs.ptx"


def test_every_operation_is_on_the_page() -> None:
    page = documentation.page()
    names = {op.name for op in (*NVVM.operations, *all_rules())}
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_lowest_targets_and_versions() -> None:
    page = documentation.page()
    assert "\n| `nvvm.elect.sync` | sm_90 | 8.0 |" in page
    assert "\n| `nvvm.wgmma.mma_async` | sm_90a \\* | 8.0 \\* |" in page
    assert "\n| `nvvm.tcgen05.alloc` | sm_100a | 8.6 |" in page
