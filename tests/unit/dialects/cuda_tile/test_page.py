"""docs/cuda_tile.md says what the dialect is."""

from docs import cuda_tile as documentation


def test_the_page_is_up_to_date():
    page = documentation.page()
    assert documentation.PAGE.read_text() == page, "run python -m docs.cuda_tile"


def test_every_operation_has_a_row():
    page = documentation.page()
    for operation in documentation.operations():
        assert page.count(f"\n| `{operation.name}` | ") == 1


def test_every_operation_of_the_specification_names_its_section():
    without = {
        row[0].strip("`").removeprefix("cuda_tile.")
        for family in documentation.FAMILIES.values()
        for row in documentation.operation_rows(family)
        if not row[1]
    }
    assert without == {
        "alloca",
        "atomic_red_view_tko",
        "experimental$func",
        "fpowf",
        "fpowi",
        "gdc_launch_dependents_tko",
        "gdc_wait_tko",
        "insert",
        "make_gather_scatter_view",
        "make_strided_view",
        "memory_fence_alias_tko",
        "mmaf_scaled",
        "multimem_load_reduce_view_tko",
        "multimem_reduce_view_tko",
        "multimem_store_view_tko",
        "testing$func",
        "token.join",
    }
