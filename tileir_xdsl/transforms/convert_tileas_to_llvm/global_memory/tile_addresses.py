"""Addresses and bounds of one tile of a view, for one thread."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, i1, i8, i32, i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.values.divisibility import (
    DivisibilityAnalysis,
    element_bytes,
    power_of_two_divisor,
)
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate

from ..thread.builder import CONSTANT_INDICES, Index, LLVMBuilder
from ..thread.memory_objects import TiledView
from ..thread.program import ThreadRewriter, register_type
from .convolution_addresses import ConvolutionAccess, ConvolutionView
from .element_addresses import ElementAccess, first_position, tile_positions
from .tile_bounds import Coordinate, SizeFacts, TileBounds


@dataclass
class TileAccess:
    """Addresses and bounds of the elements of one tile, for one thread.

    Strides are unsigned, and multiplied in 64 bits.
    """

    builder: LLVMBuilder
    view: TiledView
    layout: LinearLayout
    coordinates: Sequence[Coordinate]
    sizes: Sequence[SizeFacts]
    """For every dimension, facts about the size of the memory object."""
    checked: Sequence[bool]
    """For every dimension, whether elements may be out of bounds."""
    element: Attribute

    def __post_init__(self) -> None:
        thread_coordinates = [
            element_coordinate(base, self.layout.shape) for base in self.layout.thread_bases()
        ]
        self.bounds = [
            TileBounds(
                self.builder,
                self.coordinates[dim],
                self.view.steps[dim],
                self.view.extents[dim],
                self.builder.thread_offset(tuple(each[dim] for each in thread_coordinates)),
                self.view.memref.sizes[self.view.dims[dim]],
                self.sizes[dim],
            )
            for dim in range(len(self.view.extents))
        ]
        self.tested = [
            dim
            for dim, bounds in enumerate(self.bounds)
            # Static sizes and coordinates often prove more than the program says.
            if self.checked[dim] and not bounds.is_inside
        ]
        self.thread_pointer = self._thread_pointer()

    def _stride(self, dim: int) -> Index:
        return self.view.memref.strides[self.view.dims[dim]]

    # Addresses.

    def _thread_pointer(self) -> SSAValue:
        """The address of this thread's first element, without the static parts of coordinates."""
        builder = self.builder
        offset: Index = 0
        for dim, bounds in enumerate(self.bounds):
            for part in bounds.first_indices():
                # 64 bits only from here: before the stride all fits an i32 where elements exist.
                elements = builder.multiply(builder.zero_extend(part, i64), self._stride(dim), i64)
                offset = builder.add(offset, elements, i64)
        return builder.element_pointer(self.view.memref.base, offset, self.element)

    def pointers(self, width: int) -> dict[int, SSAValue]:
        """The address of the element in every `width`-th register."""
        elements = self.layout.register_elements()
        return {
            register: self._pointer(elements[register])
            for register in range(0, len(elements), width)
        }

    def _pointer(self, element: int) -> SSAValue:
        """The address of a register's element; static strides are added last, as immediates.

        Offsets beyond the range of an immediate are added to a pointer that registers share.
        """
        builder, pointer, start, known = self.builder, self.thread_pointer, 0, 0
        for dim, position in enumerate(element_coordinate(element, self.layout.shape)):
            first, stride = self.bounds[dim].known_start, self._stride(dim)
            if isinstance(stride, int):
                start += first * stride
                known += position * stride
            else:
                pointer = builder.strided_pointer(pointer, first + position, stride, self.element)
        # One immediate operand of the access: `[reg+imm]` is the only addressing mode.
        if (start + known) * element_bytes(self.element) in CONSTANT_INDICES:
            return builder.element_pointer(pointer, start + known, self.element)
        pointer = builder.element_pointer(pointer, start, self.element)
        return builder.element_pointer(pointer, known, self.element)

    # Bounds.

    def masks(self) -> list[SSAValue | None]:
        """For every register, whether its element is in bounds; None if known to be in bounds.

        Conditions shared by most registers come first: their conjunction is computed once.
        """
        asked: list[list[SSAValue]] = []
        for element in self.layout.register_elements():
            position = element_coordinate(element, self.layout.shape)
            conditions = (self.bounds[dim].conditions(position[dim]) for dim in self.tested)
            asked.append(list(chain.from_iterable(conditions)))
        counts = Counter(chain.from_iterable(asked))
        return [
            self.builder.conjunction(sorted(conditions, key=counts.__getitem__, reverse=True))
            for conditions in asked
        ]

    def leading(self, width: int) -> dict[int, SSAValue] | None:
        """For every `width`-th register, the number of in-bounds elements from it on.

        Each group's registers must be neighbours along one checked dimension; otherwise returns
        None.
        """
        builder = self.builder
        positions = [
            element_coordinate(element, self.layout.shape)
            for element in self.layout.register_elements()
        ]
        found: dict[int, SSAValue] = {}
        for first in range(0, len(positions), width):
            start, *others = positions[first : first + width]
            along = [dim for dim in self.tested if others and others[0][dim] != start[dim]]
            if len(along) != 1 or any(
                other[dim] != start[dim] + (dim in along) * (number + 1)
                for number, other in enumerate(others)
                for dim in self.tested
            ):
                return None
            tests, count = self.bounds[along[0]].leading(start[along[0]], width)
            for dim in self.tested:
                tests += self.bounds[dim].conditions(start[dim]) if dim not in along else []
            inside = builder.conjunction(tests)
            zero = builder.integer(0, i32)
            found[first] = count if inside is None else builder.select(inside, count, zero)
        return found

    def whole(self, width: int) -> SSAValue | None:
        """Whether the whole tile is in bounds; None if no vector can be partly out of bounds."""
        # Vectors that are in bounds as a whole or not at all need no second path.
        return self.inside() if self.splits_vectors(width) else None

    def inside(self) -> SSAValue | None:
        """Whether the whole tile is in bounds, uniform across threads; None where it always is."""
        conditions = (self.bounds[dim].whole() for dim in self.tested)
        return self.builder.conjunction(list(chain.from_iterable(conditions)))

    def splits_vectors(self, width: int) -> bool:
        """Whether a vector of `width` registers may be partly out of bounds."""
        registers = self.layout.register_elements()
        positions = [element_coordinate(element, self.layout.shape) for element in registers]
        return any(
            (position[dim] ^ positions[start][dim]) & -self.bounds[dim].together
            for start in range(0, len(positions), width)
            for position in positions[start : start + width]
            for dim in self.tested
        )


def coordinate_of(value: SSAValue, ranges: UnsignedRanges, rewriter: ThreadRewriter) -> Coordinate:
    """A coordinate value, with its upper bound."""
    op, largest = value.owner, ranges.of(value)
    if isinstance(op, arith.ConstantOp):
        return Coordinate(largest, largest)
    return Coordinate(rewriter.scalar(value), largest)


def size_facts(view: SSAValue, dims: Sequence[int], ranges: UnsignedRanges) -> list[SizeFacts]:
    """Facts about the sizes along some dimensions of a view's memory object."""
    tiling = view.owner
    maker = tiling.source.owner if isinstance(tiling, nv_tileaa.BlockTileOp) else None
    if not isinstance(maker, nv_tileaa.MakeMemRefOp):
        # A view that came through a block argument may be of any object.
        return [SizeFacts((1 << 64) - 1, 1)] * len(dims)
    type, divisibility = maker.result.type, DivisibilityAnalysis()
    assert isinstance(type, MemRefType)
    known, facts = type.get_shape(), list[SizeFacts]()
    for dim in dims:
        size = known[dim]
        if size != DYNAMIC_INDEX:
            # Vectors have power-of-two widths, so no other divisor helps.
            facts.append(SizeFacts(size, power_of_two_divisor(size)))
            continue
        operand = maker.sizes[known[:dim].count(DYNAMIC_INDEX)]
        divisor = divisibility.of(operand).divisibility[0]
        facts.append(SizeFacts(ranges.of(operand), divisor))
    return facts


def tile_access(
    op: nv_tileas.AsyncTiledLoadOp
    | nv_tileas.TiledLoadOp
    | nv_tileas.TiledStoreOp
    | nv_tileas.TiledAtomicRMWOp
    | nv_tileas.PadOp
    | MultimemTileOp,
    tile: SSAValue,
    rewriter: ThreadRewriter,
    layout: LinearLayout | None = None,
) -> TileAccess | ElementAccess | ConvolutionAccess:
    """The addresses and bounds of an access, by the layout of its tile unless `layout` is given."""
    if not isinstance(op.view.type, nv_tileaa.TiledViewType | nv_tileas.TiledViewType):
        fail(op, f"'{op.name}' op accesses a buffer: run `tileas-legalize-tmem-copy` before")
    layout = layout or layout_of(op, tile)
    if layout is None:
        fail(op, f"'{op.name}' op does not support a rank-0 tile")
    element = register_type(op, tile_shape(tile.type).element)
    rank = len(layout.shape)
    in_bounds = [False] * rank if op.in_bounds is None else list(op.in_bounds.get_values())
    view, ranges, builder = rewriter.view(op.view), UnsignedRanges(), rewriter.builder
    checked = [not known for known in in_bounds]
    moved = i8 if element == i1 else element
    coordinates = [coordinate_of(coordinate, ranges, rewriter) for coordinate in op.coords]
    has_offsets = isinstance(
        op,
        nv_tileas.AsyncTiledLoadOp
        | nv_tileas.PadOp
        | nv_tileas.TiledLoadOp
        | nv_tileas.TiledStoreOp,
    )
    offsets = op.offsets if has_offsets else ()
    if isinstance(view, ConvolutionView):
        if offsets:
            fail(op, f"'{op.name}' op on a convolution view must not have offsets")
        numbers = [coordinate.number for coordinate in coordinates]
        return ConvolutionAccess(builder, view, layout, numbers, checked, moved)
    # One product per dimension; grouped dimensions and offsets need divisions or sums per element.
    if view.is_plain and not offsets:
        facts = size_facts(op.view, view.dims, ranges)
        return TileAccess(builder, view, layout, coordinates, facts, checked, moved)
    starts = [
        first_position(builder, view, dim, coordinate.number, offset)
        for dim, (coordinate, offset) in enumerate(
            zip_longest(coordinates, [rewriter.scalar(offset) for offset in offsets])
        )
    ]
    positions = tile_positions(builder, layout, starts)
    return ElementAccess(builder, view, layout, positions, checked, moved)
