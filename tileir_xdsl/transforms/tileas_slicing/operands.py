"""The tiled operands in the body of a loop, and the parts that slices access.

%a = nv_tileas.tiled_load %src[%i]         // the slices share out dimension 0 of %src
%t = nv_tileas.insert_slice %a into %acc[%i4, 0][4, 8][1, 1]
                                           // carried, shared out four rows an iteration
"""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from tileir_xdsl.dialects.nv_tileas.interfaces import Index, TilePartOpInterface
from tileir_xdsl.transforms.tileas_slicing.affine_index import affine_index
from tileir_xdsl.walking import ops_in

from .plan import DividedDimension, Taken, TiledOperand


def tiled_operands(loop: scf.ForOp) -> tuple[TiledOperand, ...]:
    """The tiled operands of the ops in a loop's body, in program order."""
    return tuple(
        TiledOperand(
            op,
            part.operand,
            _taken(getattr(op, part.operand), loop),
            _divided_dimensions(part.coordinates, loop.body.block.args[0]),
        )
        for op in ops_in(loop.body)
        if isinstance(op, TilePartOpInterface)
        for part in (op.accessed_part,)
    )


def _taken(value: SSAValue, loop: scf.ForOp) -> Taken:
    owner = value.owner
    # The first argument is not a tile, so any argument here is a carried value.
    if owner is loop.body.block:
        return Taken.CARRIED
    op = owner.parent_op() if isinstance(owner, Block) else owner
    return Taken.INSIDE if op is not None and loop.is_ancestor(op) else Taken.OUTSIDE


def _divided_dimensions(
    coordinates: Sequence[Index], variable: SSAValue
) -> tuple[DividedDimension, ...]:
    """The dimensions whose coordinate is affine in the induction variable of the loop."""
    divided: list[DividedDimension] = []
    for dimension, coordinate in enumerate(coordinates):
        # A constant coordinate is the same in every slice.
        if isinstance(coordinate, int):
            continue
        index = affine_index(coordinate)
        # Only of affine coordinates is it known that two slices name different parts.
        if index is not None and (scale := index.coefficient(variable)):
            divided.append(DividedDimension(dimension, scale, index.constant))
    return tuple(divided)
