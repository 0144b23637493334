"""The tiled operands in the body of a loop, and what each slice takes of them.

%a = nv_tileas.tiled_load %src[%i]         // the slices share out dimension 0 of %src
%t = nv_tileas.insert_slice %a into %acc[%i4, 0][4, 8][1, 1]
                                           // carried, shared out four rows an iteration
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.slices import Index
from tileir_xdsl.transforms.tileas_slicing.affine_index import affine_index
from tileir_xdsl.walking import ops_in

from .plan import DividedDimension, Taken, TiledOperand


@dataclass(frozen=True)
class TiledAccess:
    """How an op refers to a part of a tile: the operand, and the coordinates of the part."""

    operand: str
    coordinates: Callable[[Any], Sequence[Index]]


def _coords(op: Any) -> Sequence[Index]:
    return op.coords


def _indices(op: Any) -> Sequence[Index]:
    return op.indices


def _offsets(op: Any) -> Sequence[Index]:
    return op.slice.offsets


def _whole(_op: Any) -> Sequence[Index]:
    return ()


TILED_ACCESSES: Mapping[type[Operation], TiledAccess] = {
    nv_tileas.AsyncCopyOp: TiledAccess("source", _whole),
    nv_tileas.AsyncExtractSliceOp: TiledAccess("source", _offsets),
    nv_tileas.AsyncGatherTmaLoadOp: TiledAccess("destination", _coords),
    nv_tileas.AsyncInsertSliceOp: TiledAccess("destination", _offsets),
    nv_tileas.AsyncScatterTmaStoreOp: TiledAccess("source", _coords),
    nv_tileas.AsyncTiledAtomicRMWOp: TiledAccess("view", _coords),
    nv_tileas.AsyncTiledLoadOp: TiledAccess("view", _coords),
    nv_tileas.AsyncTiledTmaLoadOp: TiledAccess("descriptor", _coords),
    nv_tileas.AsyncTiledTmaReduceOp: TiledAccess("descriptor", _coords),
    nv_tileas.AsyncTiledTmaStoreOp: TiledAccess("descriptor", _coords),
    nv_tileas.CopyOp: TiledAccess("source", _whole),
    nv_tileas.ExtractSliceOp: TiledAccess("source", _offsets),
    nv_tileas.GatherLoadOp: TiledAccess("view", _coords),
    nv_tileas.InsertSliceOp: TiledAccess("destination", _offsets),
    nv_tileas.ScatterStoreOp: TiledAccess("view", _coords),
    nv_tileas.TiledAtomicRMWOp: TiledAccess("view", _coords),
    nv_tileas.TiledLoadOp: TiledAccess("view", _coords),
    nv_tileas.TiledStoreOp: TiledAccess("view", _coords),
    nv_tileas.ViewOp: TiledAccess("source", _indices),
}
"""The ops that refer to a part of a tile, and by which operand they do."""


def tiled_operands(loop: scf.ForOp) -> tuple[TiledOperand, ...]:
    """The tiled operands of the ops in a loop's body, in the order of the program."""
    return tuple(
        TiledOperand(
            op,
            access.operand,
            _taken(getattr(op, access.operand), loop),
            _divided_dimensions(access.coordinates(op), loop.body.block.args[0]),
        )
        for op in ops_in(loop.body)
        if (access := TILED_ACCESSES.get(type(op))) is not None
    )


def _taken(value: SSAValue, loop: scf.ForOp) -> Taken:
    owner = value.owner
    # The first argument is no tile, so any argument here is a carried value.
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
