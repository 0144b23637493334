"""Buffers in shared memory for loaded operands, in layouts that matrix units accept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.uses import stored_bits
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, LayoutDescriptor
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shared import SharedLayout, fills_core_row, shared, widest_swizzle
from tileir_xdsl.targets.mma import MMA_ATOMS

from .buffer_shapes import ShapeOp, reshaped_layout

HALF_BITS, BYTE_BITS = 16, 8
"""Element widths of operands that may be contiguous along M or N."""


def buffer_type(tile: Attribute, shared_layout: SharedLayout) -> TensorType[Attribute]:
    """The type of a tile in shared memory."""
    shape = tile_shape(tile)
    swizzle = shared_layout.swizzle if shared_layout.swizzle.bits else None
    layout = LayoutAttr(LayoutDescriptor(shared_layout.layout, swizzle))
    return TensorType(shape.element, shape.shape, MemoryAttr(Residency.SHARED, layout))


def operand_layouts(
    tile: SSAValue, chain: Sequence[ShapeOp], order: Sequence[int] | None = None
) -> list[SharedLayout] | None:
    """The shared layouts of a loaded tile, and of the result of each op in the chain.

    `order` lists the dimensions of the tile in memory, fastest first; by default the last one is
    fastest. None if matrix units do not accept the layout of the last result.
    """
    shape, bits = tile_shape(tile.type).shape, stored_bits(tile.type)
    try:
        # The widest swizzle spreads rows over all banks, and every unit accepts it.
        swizzle = widest_swizzle(shape, bits, order)
        shared_layouts = [shared(shape, bits, swizzle, order)]
        for op in chain:
            shared_layouts.append(reshaped_layout(op, shared_layouts[-1]))
    except LayoutError:
        return None
    addresses = shared_layouts[-1].address_map()
    accepted = _accepted(shared_layouts[-1].shape, bits, shared_layouts[-1])
    return (
        shared_layouts
        if addresses in [shared_layout.address_map() for shared_layout in accepted]
        else None
    )


def _accepted(
    shape: tuple[int, ...], bits: int, shared_layout: SharedLayout
) -> Iterator[SharedLayout]:
    """Dense layouts with the swizzle of `shared_layout`, with rows along either of the last two
    dimensions.

    Dimensions with rows shorter than the swizzle yield no layout.
    """
    rank = len(shape)
    outer = tuple(reversed(range(rank - 2)))
    # K-major and MN-major (PTX ISA, "Matrix-descriptor"): the two orders that descriptors express.
    for order in ((rank - 1, rank - 2, *outer), (rank - 2, rank - 1, *outer)):
        with suppress(LayoutError):
            yield shared(shape, bits, shared_layout.swizzle, order)


def is_along_k(shared_layout: SharedLayout, k: int) -> bool:
    """Whether neighbours in memory are neighbours along dimension `k`."""
    return shared_layout.layout.modes()[k](1) == 1


def is_accepted_along(op: MMAOp, operand: SSAValue, shared_layout: SharedLayout, k: int) -> bool:
    """Whether a dot accepts an operand in a shared layout, which may be transposed.

    16-bit operands may be transposed, and 8-bit operands of tcgen05.mma without block scales;
    others must be K-major (PTX ISA, "wgmma.mma_async"; CUTLASS, "Blackwell SM100 GEMMs"). A
    transposed operand must fill a row of a core matrix.
    """
    if op.atom is None or is_along_k(shared_layout, k):
        return True
    bits = stored_bits(operand.type)
    # The other one of the last two dimensions, M or N.
    rank = len(shared_layout.shape)
    extent = shared_layout.shape[2 * rank - 3 - k % rank]
    if not fills_core_row(extent, bits):
        return False
    atom = MMA_ATOMS.get(op.atom.data)
    return bits == HALF_BITS or (bits == BYTE_BITS and atom is not None and atom.transposes_bytes)


def on_buffer(op: ShapeOp, tile: SSAValue, shared_layout: SharedLayout) -> Operation:
    """A copy of a shape op, on a tile in shared memory."""
    type = buffer_type(op.results[0].type, shared_layout)
    if isinstance(op, nv_tileaa.PermuteOp):
        return nv_tileaa.PermuteOp(tile, op.get_permutation(), type)
    return nv_tileas.ViewOp(tile, type)
