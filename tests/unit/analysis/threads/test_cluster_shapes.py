"""How the thread blocks of a cluster divide a product."""

import pytest

from tileir_xdsl.analysis.threads.cluster_shapes import cluster_shapes


@pytest.mark.parametrize(
    ("rows", "columns", "ctas", "expected"),
    [
        (128, 128, 1, [(1, 1)]),
        (128, 128, 2, [(2, 1), (1, 2)]),
        (128, 256, 2, [(1, 2), (2, 1)]),
        (256, 128, 2, [(2, 1), (1, 2)]),
        (256, 256, 4, [(2, 2), (4, 1), (1, 4)]),
        (128, 128, 4, [(2, 2), (1, 4)]),
        (64, 64, 2, [(1, 2)]),
        (64, 32, 2, []),
    ],
)
def test_shapes(rows: int, columns: int, ctas: int, expected: list[tuple[int, int]]):
    assert cluster_shapes(rows, columns, ctas) == expected
