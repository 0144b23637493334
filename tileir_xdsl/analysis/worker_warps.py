"""How many warps run a tile block whose kernel does not say.

Four warps, one warpgroup, are enough to keep a multiprocessor busy with several blocks. A product
of as many rows as two warpgroups take gets both: while one waits, for a tile or for its registers,
the other multiplies, and the sums of a thread fit its registers.
"""

from xdsl.ir import Operation

from tileir_xdsl.analysis.cluster_shapes import cluster_shapes
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.core_matrix import MatrixMultiplyOperation
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS

WARPGROUP_ROWS = 64
MOST_WARPS = 8
LEAST_COLUMNS = 64
"""Columns of a product from which the second warpgroup pays."""


def worker_warps(kernel: Operation, ctas: int = 1) -> int:
    """The warps of each of the `ctas` thread blocks that carry out a tile block.

    The largest product of the kernel decides, of which each thread block has a part.
    """
    for op in kernel.walk():
        if isinstance(op, MatrixMultiplyOperation):
            type = op.result.type
            assert isinstance(type, cuda_tile.TileType)
            *_, rows, columns = type.get_shape()
            shapes = cluster_shapes(rows, columns, ctas)
            row_parts, column_parts = shapes[0] if shapes else (1, 1)
            own_rows, own_columns = rows // row_parts, columns // column_parts
            if own_rows >= 2 * WARPGROUP_ROWS and own_columns >= LEAST_COLUMNS:
                return MOST_WARPS
    return DEFAULT_WARPS
