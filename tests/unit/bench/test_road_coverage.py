"""What is stored of the road's coverage: all rows are in it, and kernels compiled afresh agree."""

from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.rewriter import Rewriter

from bench.road_coverage import (
    OPTIONS,
    PRICED,
    Seen,
    add,
    added,
    is_written,
    module_digest,
    observe,
    priced,
    rows_of_options,
    stored,
    stored_options,
    summary,
    text_of,
)
from bench.road_rows import Row, pattern_classes, road_rows
from docs import road_coverage as page
from tileir_xdsl.testing import tools

FIXED_KINDS = ("op", "type", "attribute", "pass", "builder")
"""What rosters and tables list; patterns are found where they are defined."""
SAMPLED = 4


def test_the_page_is_current():
    assert page.PAGE.read_text("utf-8") == page.page(), "run `python -m docs.road_coverage`"


def test_every_row_is_stored():
    listed = {(section, kind, name) for section, kind, name, _, _ in stored()[1]}
    expected = {(r.section, r.kind, r.name) for r in road_rows() if r.kind in FIXED_KINDS}
    assert expected <= listed


def test_every_row_that_no_kernel_has_says_why():
    absent = [
        (section, f"{kind} {name}") for section, kind, name, count, _ in stored()[1] if not count
    ]
    assert [key for section, key in absent if not page.reason(section, key)] == []


def witnesses() -> list[str]:
    """The compilations that stand for most rows."""
    found = Counter(first for *_, count, first in stored()[1] if count)
    return [first for first, _ in found.most_common(SAMPLED)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(SAMPLED))
def test_kernels_have_what_the_page_says(number: int):
    compilation = witnesses()[number]
    gpu, _, name = compilation.partition(" ")
    patterns = {cls.__name__ for cls in pattern_classes()}
    rows = [
        Row(section, kind, row)
        for section, kind, row, _, first in stored()[1]
        if first == compilation and (kind != "pattern" or row in patterns)
    ]
    assert rows
    assert observe(name, text_of(name), [gpu], rows) == [[row.key for row in rows]]


def test_an_option_has_its_price():
    (option,) = (o for o in OPTIONS if o.name == "--dynamic-persistent")
    (name, where, off, on), keys = priced(option)
    assert (name, where) == ("--dynamic-persistent", "sm_100a variants/half")
    assert len(off) == len(on) == len(PRICED) and on[0] > off[0]
    assert "op nv_tileas.cancel_next_program_id" in keys
    assert "op nv_tileas.cancel_next_program_id" not in rows_of_options(keys)


def test_rows_of_options_are_not_on_the_road():
    counts = {f"{kind} {name}": count for _, kind, name, count, _ in stored()[1]}
    assert [key for key in stored_options() if counts[key]] == []


def test_nothing_is_left_watched():
    before = {cls: cls.__dict__.get("match_and_rewrite") for cls in pattern_classes()}
    observe("vector_add", text_of("vector_add"), ["sm_80"], road_rows())
    assert before == {cls: cls.__dict__.get("match_and_rewrite") for cls in pattern_classes()}


def test_refused_programs_have_nothing():
    gpus = ["sm_80", "sm_100a"]
    assert observe("wrong", "cuda_tile.module @m {", gpus, road_rows()) == [[], []]
    name = "written/multicast_update"
    refused, taken = observe(name, text_of(name), gpus, road_rows())
    assert refused == [] and "op cuda_tile.multimem_store_view_tko" in taken
    # It reaches the end of `nv_tileas`, but only kernels have PTX.
    name = "written/with_functions"
    assert observe(name, text_of(name), gpus[:1], road_rows()) == [[]]


def test_a_spelling_counts_where_it_is_read():
    name = "written/gamma_correction"
    rows = [Row("002 operations", "op", f"cuda_tile.{op}") for op in ("fpowf", "pow", "fpowi")]
    both = ["op cuda_tile.fpowf", "op cuda_tile.pow"]
    assert observe(name, text_of(name), ["sm_80", "sm_90a"], rows) == [both, both]


def test_further_compilations_are_added_to_what_is_stored():
    rows = [Row("s", "op", name) for name in "xyzw"]
    before = [
        ("s", "op", "x", 2, "sm_80 b"),
        ("s", "op", "y", 0, ""),
        ("s", "op", "z", 1, "sm_80 c"),
    ]
    found = {"sm_80 a": ["op x", "op y"], "sm_90a a": ["op y"]}
    assert added(before, rows, found) == [
        ("s", "op", "x", 3, "sm_80 a"),
        ("s", "op", "y", 2, "sm_80 a"),
        ("s", "op", "z", 1, "sm_80 c"),
        ("s", "op", "w", 0, ""),
    ]
    with pytest.raises(ValueError, match="no program of the reference set: none such"):
        add(["none such"], ["sm_80"])


def module() -> ModuleOp:
    return tools.parse(
        '%a, %b = "test.op"() : () -> (i32, i32)\n"test.op"(%a) {n = 1 : i32} : (i32) -> ()'
    )


def test_a_digest_changes_with_the_module():
    digest = module_digest(module())
    assert module_digest(module()) == digest
    changed = module()
    first, last = changed.body.ops
    last.operands[0] = first.results[1]
    assert module_digest(changed) != digest
    changed = module()
    Rewriter().erase_op(list(changed.body.ops)[1])
    assert module_digest(changed) != digest
    changed = module()
    changed.body.block.add_op(AnyOp(result_types=[i32]))
    assert module_digest(changed) != digest


def test_what_a_module_shows():
    seen = Seen()
    seen.look(tools.parse('%t = "test.op"() {n = 1 : i32} : () -> !nv_tileaa.mem_token'))
    assert {"op test.op", "type nv_tileaa.mem_token", "attribute test.op n"} <= seen.keys


def test_rows_are_counted_with_their_shortest_compilation():
    found = {"sm_80 b": ["op x"], "sm_80 a": ["op x", "op y"], "sm_80 longer": ["op x"]}
    assert summary(found) == {"op x": (3, "sm_80 a"), "op y": (1, "sm_80 a")}


def test_a_program_written_for_a_row_is_named_last():
    found = {"sm_80 written/a": ["op x", "op y"], "sm_80 much/longer": ["op x"]}
    rows = summary(found)
    assert rows == {"op x": (2, "sm_80 much/longer"), "op y": (1, "sm_80 written/a")}
    assert [is_written(first) for _, first in rows.values()] == [False, True]
