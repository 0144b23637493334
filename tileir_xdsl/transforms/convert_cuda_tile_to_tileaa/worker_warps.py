"""The number of warps of a tile block without a hint.

Four warps, one warpgroup, are enough to keep a multiprocessor busy with several blocks. A kernel
whose tiles all have one element gets one warp: more would repeat its instructions. A dot whose
rows fill two warpgroups gets both. While one warpgroup waits for a tile or registers, the other
multiplies, and each thread's accumulators fit its registers. A kernel with a tile that is too large
for the registers of four warps also gets two warpgroups. With `mma.sync`, operands are in
registers, too. A kernel whose accumulators need more than half the registers of four warps then
gets eight warps.
"""

from math import prod

from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.threads.cluster_shapes import cluster_shapes
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.core_matrix import MMAOperation
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS
from tileir_xdsl.walking import ops_in

WARPGROUP_ROWS = 64
MOST_WARPS = 8
# Measured: with 128, attention with heads of 64 gets four warps and 56 % more instructions.
LEAST_COLUMNS = 64
"""The least number of columns of a dot for which a second warpgroup pays off."""

HELD_BYTES = DEFAULT_WARPS * 32 * 255 * 4
"""The bytes of a tile that fit the registers of four warps, 255 in each thread."""

# Measured: attention of 64 queries with heads of 256 takes 255 registers of each of four warps on
# sm_89. Of eight warps it takes 196, each with 0.57 of the instructions.
ACCUMULATOR_BYTES = DEFAULT_WARPS * 32 * 128 * 4
"""The bytes of accumulators that fit four warps together with the operands of `mma.sync`."""


def worker_warps(kernel: Operation, ctas: int = 1, *, by_warps: bool = False) -> int:
    """The number of warps in each of the `ctas` thread blocks that execute a tile block.

    The number depends on the kernel's largest dot, divided among the thread blocks, and its largest
    tile. If warps compute dots (`by_warps`), the number depends on all accumulators together.
    """
    if by_warps and _accumulator_bytes(kernel) > ctas * ACCUMULATOR_BYTES:
        return MOST_WARPS
    for op in ops_in(kernel):
        # Such a tile would spill with four warps; a cluster divides it first.
        if any(_tile_bytes(result.type) > ctas * HELD_BYTES for result in op.results):
            return MOST_WARPS
        if isinstance(op, MMAOperation):
            type = op.result.type
            assert isinstance(type, cuda_tile.TileType)
            *_, rows, columns = type.get_shape()
            shapes = cluster_shapes(rows, columns, ctas)
            row_parts, column_parts = shapes[0] if shapes else (1, 1)
            own_rows, own_columns = rows // row_parts, columns // column_parts
            # The part of one block decides: a cluster leaves each of its blocks fewer rows.
            if own_rows >= 2 * WARPGROUP_ROWS and own_columns >= LEAST_COLUMNS:
                return MOST_WARPS
    return DEFAULT_WARPS if _has_tiles(kernel) else 1


def _has_tiles(kernel: Operation) -> bool:
    """Whether a tile has more than one element."""
    types = (result.type for op in ops_in(kernel) for result in op.results)
    return any(isinstance(t, cuda_tile.TileType) and prod(t.get_shape()) > 1 for t in types)


def _accumulator_bytes(kernel: Operation) -> int:
    """The bytes of a kernel's accumulators; dots with a common accumulator count it once."""
    mmas = [op for op in ops_in(kernel) if isinstance(op, MMAOperation)]
    return sum(
        _tile_bytes(op.result.type) for op in mmas if not isinstance(op.acc.owner, MMAOperation)
    )


def _tile_bytes(type: Attribute) -> int:
    """The bytes of a tile in registers; 0 for pointers, which are computed at their uses."""
    if not isinstance(type, cuda_tile.TileType):
        return 0
    element = type.get_element_type()
    # Counted as data they would double the warps of kernels that gather.
    if isinstance(element, cuda_tile.PointerType):
        return 0
    return prod(type.get_shape()) * element_bytes(element)
