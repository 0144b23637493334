"""In which order a step along K computes the fragments of C."""

from itertools import product

import pytest

from tileir_xdsl.transforms.convert_tileas_to_llvm.mma.mma_sync import in_order_of_reuse


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 8), (4, 4), (8, 2)])
def test_the_operand_with_more_fragments_is_read_one_by_one(rows: int, columns: int):
    """Each of its fragments is used by neighbours, so that it is live for those alone."""
    by_rows = [((0,), 16 * row, 8 * column) for row, column in product(range(rows), range(columns))]
    ordered = in_order_of_reuse(by_rows)
    assert sorted(ordered) == by_rows
    axis = 2 if columns > rows else 1
    read = [origin[axis] for origin in ordered]
    assert read == sorted(read)


def test_batches_come_one_after_the_other():
    origins = [((batch,), 16 * row, 0) for batch in (0, 1) for row in (0, 1)]
    assert [origin[0] for origin in in_order_of_reuse(origins)] == [(0,), (0,), (1,), (1,)]
