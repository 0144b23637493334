"""Accesses of gathered views, with a separate index for each element along one dimension.

A position is an unsigned number of elements; out-of-bounds elements are padded or skipped. Indices
are first moved to the threads that need them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.layouts.exchanges import along_dimension
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, element_strides

from ..shared_memory.layout_conversions import convert_registers
from ..thread.builder import Index
from ..thread.memory_objects import TiledView
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from ..thread.replicas import both, one_of_copies
from .convolution_addresses import ConvolutionView
from .element_addresses import ElementAccess, first_position, tile_positions
from .pointer_accesses import load_registers, store_registers
from .tile_addresses import TileAccess, coordinate_of, size_facts
from .tile_bounds import Coordinate
from .view_accesses import padding_registers

SparseOp = nv_tileas.GatherLoadOp | nv_tileas.ScatterStoreOp


@dataclass(frozen=True)
class SparseAccess:
    """The address of each register's element, and whether it is in bounds."""

    layout: LinearLayout
    pointers: dict[int, SSAValue]
    masks: list[SSAValue | None]


def without_dimension(layout: LinearLayout, dimension: int) -> LinearLayout:
    """A layout of the tile in which every thread has the first element along one dimension."""
    strides = element_strides(layout.shape)

    def dropped(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            base - element_coordinate(base, layout.shape)[dimension] * strides[dimension]
            for base in bases
        )

    return replace(
        layout,
        register=dropped(layout.register),
        lane=dropped(layout.lane),
        warp=dropped(layout.warp),
        block=dropped(layout.block),
    )


def sparse_access(op: SparseOp, tile: SSAValue, rewriter: ThreadRewriter) -> SparseAccess:
    """The addresses and bounds of a gathered tile."""
    builder, dimension = rewriter.builder, op.sparse_dim.value.data
    layout = layout_of(op, tile)
    assert layout is not None
    # The coordinates of such an access count elements, not tiles.
    view, index = rewriter.view(op.view), op.coords[dimension]
    if isinstance(view, ConvolutionView):
        fail(op, f"'{op.name}' op cannot gather tiles of a convolution")
    # With steps of 1 the addresses of dense tiles serve, whose coordinates count tiles.
    view = replace(view, steps=(1,) * len(view.steps))
    held = layout_of(op, index)
    assert held is not None
    wanted = along_dimension(layout, dimension)
    # Before addresses: each thread needs the indices of its own elements.
    indices = convert_registers(op, rewriter.registers(index), held, wanted, rewriter)
    type = register_type(op, tile_shape(tile.type).element)
    element = i8 if type == i1 else type
    if not view.is_plain:
        return _grouped_access(op, view, layout, indices, element, rewriter)
    ranges = UnsignedRanges()
    coordinates = [
        # The dense address leaves the gathered dimension out; each element adds its index.
        Coordinate(0, 0) if place == dimension else coordinate_of(coordinate, ranges, rewriter)
        for place, coordinate in enumerate(op.coords)
    ]
    known = _inside(op)
    dense = TileAccess(
        builder,
        view,
        without_dimension(layout, dimension),
        coordinates,
        size_facts(op.view, view.dims, ranges),
        [not inside and place != dimension for place, inside in enumerate(known)],
        element,
    )
    stride = view.memref.strides[view.dims[dimension]]
    size = builder.integer(view.memref.sizes[view.dims[dimension]], i64)
    pointers: dict[int, SSAValue] = {}
    masks: list[SSAValue | None] = []
    for (register, pointer), mask, index in zip(
        dense.pointers(1).items(), dense.masks(), indices, strict=True
    ):
        position = builder.integer(builder.zero_extend(index, i64), i64)
        offset = builder.multiply(position, stride, i64)
        pointers[register] = builder.element_pointer(pointer, offset, dense.element)
        conditions = [] if mask is None else [mask]
        # Unsigned, so that one comparison also refuses what was negative.
        if not known[dimension]:
            conditions.append(builder.compare("ult", position, size))
        masks.append(builder.conjunction(conditions))
    return SparseAccess(layout, pointers, masks)


def _inside(op: SparseOp) -> Sequence[bool]:
    """For each dimension of a tile, whether all elements are known to be in bounds."""
    if op.in_bounds is None:
        return [False] * len(op.coords)
    return [bool(inside) for inside in op.in_bounds.get_values()]


def _grouped_access(
    op: SparseOp,
    view: TiledView,
    layout: LinearLayout,
    indices: Sequence[SSAValue],
    element: Attribute,
    rewriter: ThreadRewriter,
) -> SparseAccess:
    """The addresses and bounds of a tile with a dimension that walks several dimensions of the
    memory object.
    """
    builder, dimension = rewriter.builder, op.sparse_dim.value.data
    starts = [
        0 if dim == dimension else first_position(builder, view, dim, rewriter.scalar(coordinate))
        for dim, coordinate in enumerate(op.coords)
    ]
    dense = tile_positions(builder, layout, starts)

    def position(register: int, dim: int) -> Index:
        if dim == dimension:
            return builder.zero_extend(indices[register], i64)
        return dense(register, dim)

    checked = [not inside for inside in _inside(op)]
    access = ElementAccess(builder, view, layout, position, checked, element)
    return SparseAccess(layout, access.pointers(1), access.masks())


class LowerGatherLoad(LowerOp[nv_tileas.GatherLoadOp]):
    """Lowers a gather; out-of-bounds elements become the padding value."""

    def lower(self, op: nv_tileas.GatherLoadOp, rewriter: ThreadRewriter) -> None:
        access = sparse_access(op, op.tile, rewriter)
        element = tile_shape(op.tile.type).element
        # Neighbours along a gathered dimension need not be adjacent: one access per element.
        rewriter.replace(
            op.tile,
            load_registers(
                rewriter.builder,
                register_type(op, element),
                access.pointers,
                access.masks,
                padding_registers(op, element, access.layout.registers, rewriter.builder),
                1,
            ),
        )


class LowerScatterStore(LowerOp[nv_tileas.ScatterStoreOp]):
    """Lowers a scatter; out-of-bounds elements are skipped, and any of several stores to one
    position may win.
    """

    def lower(self, op: nv_tileas.ScatterStoreOp, rewriter: ThreadRewriter) -> None:
        access = sparse_access(op, op.tile, rewriter)
        writer = one_of_copies(access.layout, rewriter)
        store_registers(
            rewriter.builder,
            register_type(op, tile_shape(op.tile.type).element),
            access.pointers,
            rewriter.registers(op.tile),
            both(rewriter.builder, access.masks, writer),
            1,
        )


PATTERNS: Patterns = {
    nv_tileas.GatherLoadOp: LowerGatherLoad,
    nv_tileas.ScatterStoreOp: LowerScatterStore,
}
