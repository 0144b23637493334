"""docs/nv_tileas_grammar.md has a line for each op, type and attribute of the dialect."""

from docs import nv_tileas_grammar as documentation
from tileir_xdsl.dialects.nv_tileas import IncIterOp, NVTileAS


def test_the_page_is_up_to_date():
    page = documentation.page()
    assert documentation.PAGE.read_text() == page, "run python -m docs.nv_tileas_grammar"


def test_every_op_has_a_line():
    lines = [line for line in documentation.op_lines() if not line.startswith("//")]
    names = sorted(line.split()[0] for line in lines)
    assert names == sorted(documentation.short(op.name) for op in NVTileAS.operations)


def test_a_line_names_operands_and_results_with_their_types():
    assert documentation.line(IncIterOp) == (
        "async.pipeline.inc_iter iterator: async.pipeline.iterator "
        "-> result: async.pipeline.iterator"
    )
