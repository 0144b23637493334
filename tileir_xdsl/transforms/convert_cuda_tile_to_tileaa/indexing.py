"""The coordinates of a tile block in the grid, and the extents of the grid."""

from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .patterns import ConvertOp, Replacement


class ConvertGetTileBlockId(ConvertOp[cuda_tile.GetTileBlockIdOp]):
    """Creates one `get_program_id` for each used axis."""

    def convert(self, op: cuda_tile.GetTileBlockIdOp) -> Replacement:
        return used_axes(op, nv_tileaa.GetProgramIdOp)


class ConvertGetNumTileBlocks(ConvertOp[cuda_tile.GetNumTileBlocksOp]):
    """Creates one `get_num_programs` for each used axis."""

    def convert(self, op: cuda_tile.GetNumTileBlocksOp) -> Replacement:
        return used_axes(op, nv_tileaa.GetNumProgramsOp)


def used_axes(
    op: Operation, axis_op: type[nv_tileaa.GetProgramIdOp] | type[nv_tileaa.GetNumProgramsOp]
) -> Replacement:
    """One op for every used result; None for the others."""
    # Each axis is a special register of its own, and most kernels read one of the three.
    reads = [axis_op(axis) if result.uses else None for axis, result in enumerate(op.results)]
    return Replacement(
        [read for read in reads if read is not None],
        [None if read is None else read.result for read in reads],
    )


def indexing_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of ops that read the grid."""
    return {
        cuda_tile.GetNumTileBlocksOp: ConvertGetNumTileBlocks(conversion, target),
        cuda_tile.GetTileBlockIdOp: ConvertGetTileBlockId(conversion, target),
    }
