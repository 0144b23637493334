"""The coordinates of a tile block in the grid, read from the registers of its program id."""

from xdsl.ir import SSAValue

from ..thread.program import ThreadRewriter


def coordinate_of(program_id: SSAValue, axis: int, rewriter: ThreadRewriter) -> SSAValue:
    """The coordinate of a tile block in the grid, along one axis."""
    # The first register says whether there is a tile block.
    return rewriter.registers(program_id)[1 + axis]
