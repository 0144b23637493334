"""Addresses and bounds of one tile of a view, for one thread.

Bounds are tested in 32 bits wherever sizes and coordinates are known to fit. Position p of a tile
is inside if `p - rest < 0`, where `rest` is how far the memory object reaches into the tile: the
part of p that depends on the thread is subtracted once, and each register compares with a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, i1, i8, i32, i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.divisibility import DivisibilityAnalysis, power_of_two_divisor
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.analysis.unsigned_ranges import UnsignedRanges
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.intrinsics import SMaxOp, SMinOp, UMinOp
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate

from .builder import Index, LLVMBuilder
from .element_access import ElementAccess, first_position, tile_positions
from .footprints import Footprint
from .values import ThreadProgram, register_type
from .views_of_memory import TiledView

TWO_TO_THE_31 = 1 << 31


@dataclass(frozen=True)
class Coordinate:
    """The unsigned number of a tile along a dimension, known or not, and the largest it may be."""

    number: Index
    largest: int


@dataclass(frozen=True)
class SizeFacts:
    """What is known of the size of a memory object along a dimension: a bound, and a divisor."""

    largest: int
    divisor: int


@dataclass
class TileAccess:
    """Addresses and bounds of the elements of one tile, for one thread.

    Position p of the tile along its dimension i is element `coordinate * step + p` of the memory
    object. `p` is a part that depends on the thread plus a constant of the register. Coordinates,
    sizes and strides are unsigned, and no index wraps.
    """

    builder: LLVMBuilder
    view: TiledView
    layout: LinearLayout
    coordinates: Sequence[Coordinate]
    sizes: Sequence[SizeFacts]
    """For every dimension, what is known of the size of the memory object along it."""
    checked: Sequence[bool]
    """For every dimension, whether elements may lie outside the memory object."""
    element: Attribute

    def __post_init__(self) -> None:
        thread_coordinates = [
            element_coordinate(base, self.layout.shape) for base in self.layout.thread_bases()
        ]
        self.thread_positions = [
            self.builder.thread_offset(tuple(coordinate[dim] for coordinate in thread_coordinates))
            for dim in range(len(self.view.extents))
        ]
        self.checked = [
            checked and not self._is_inside(dim) for dim, checked in enumerate(self.checked)
        ]
        self.thread_pointer = self._thread_pointer()

    def _size(self, dim: int) -> Index:
        return self.view.memref.sizes[self.view.dims[dim]]

    def _stride(self, dim: int) -> Index:
        return self.view.memref.strides[self.view.dims[dim]]

    def _largest_end(self, dim: int) -> int:
        """The largest index behind the end of a tile."""
        return self.coordinates[dim].largest * self.view.steps[dim] + self.view.extents[dim]

    def _is_inside(self, dim: int) -> bool:
        """Whether every tile that may be named lies inside, along a dimension."""
        size = self._size(dim)
        return isinstance(size, int) and self._largest_end(dim) <= size

    def footprint(self, piece: int) -> Footprint:
        """What the access touches, in a piece of the program."""
        coordinates = tuple(coordinate.number for coordinate in self.coordinates)
        return Footprint(self.view, self.element, coordinates, self.layout, piece)

    # Addresses.

    def _thread_pointer(self) -> SSAValue:
        """The address of this thread's element in register 0 of tile 0 along known coordinates."""
        builder, pointer = self.builder, self.view.memref.base
        for dim in range(len(self.coordinates)):
            for part in self._first_indices(dim):
                offset = builder.multiply(builder.zero_extend(part, i64), self._stride(dim), i64)
                pointer = builder.element_pointer(pointer, offset, self.element)
        return pointer

    def _first_indices(self, dim: int) -> Sequence[Index]:
        """What adds up to the index of this thread's first element, but for a known tile's start.

        One i32 where the indices of the memory object fit in it: no element inside is named wrong.
        """
        builder, step, thread = self.builder, self.view.steps[dim], self.thread_positions[dim]
        number = self.coordinates[dim].number
        if isinstance(number, int):
            return (thread,)
        word = narrowed(builder, number)
        if word is not None and _word(self._size(dim)) is not None:
            return (builder.add(builder.multiply(word, step, i32), thread, i32),)
        return builder.multiply(builder.zero_extend(number, i64), step, i64), thread

    def pointers(self, width: int) -> dict[int, SSAValue]:
        """The address of the element in every `width`-th register."""
        elements = self.layout.register_elements()
        return {
            register: self._pointer(elements[register])
            for register in range(0, len(elements), width)
        }

    def _pointer(self, element: int) -> SSAValue:
        """The address of a register's element, known strides last: they are immediates."""
        builder, pointer, known = self.builder, self.thread_pointer, 0
        for dim, position in enumerate(element_coordinate(element, self.layout.shape)):
            number, stride = self.coordinates[dim].number, self._stride(dim)
            start = number * self.view.steps[dim] if isinstance(number, int) else 0
            if isinstance(stride, int):
                known += (start + position) * stride
            else:
                pointer = builder.strided_pointer(pointer, start + position, stride, self.element)
        return builder.element_pointer(pointer, known, self.element)

    # Bounds.

    def masks(self) -> list[SSAValue | None]:
        """For every register, whether its element lies inside; None where that is known."""
        return [
            self.builder.conjunction(
                [
                    self._inside(dim, position)
                    for dim, position in enumerate(element_coordinate(element, self.layout.shape))
                    if self.checked[dim]
                ]
            )
            for element in self.layout.register_elements()
        ]

    def whole(self, width: int) -> SSAValue | None:
        """Whether all of the tile lies inside, where vectors of `width` registers may partly."""
        return self._is_whole() if self.splits_vectors(width) else None

    def splits_vectors(self, width: int) -> bool:
        """Whether a vector of `width` registers may be partly inside."""
        registers = self.layout.register_elements()
        rows = [element_coordinate(element, self.layout.shape) for element in registers]
        return any(
            position & -self._together(dim) != first & -self._together(dim)
            for start in range(0, len(rows), width)
            for row in rows[start : start + width]
            for dim, (first, position) in enumerate(zip(rows[start], row, strict=True))
            if self.checked[dim]
        )

    def _is_whole(self) -> SSAValue:
        """Whether all of the tile lies inside, the same for all threads."""
        dims = [dim for dim, checked in enumerate(self.checked) if checked]
        whole = self.builder.conjunction([self._exists(dim) or self._reaches(dim) for dim in dims])
        assert whole is not None
        return whole

    def _reaches(self, dim: int) -> SSAValue:
        """Whether the memory object reaches to the end of the tile, along a dimension."""
        builder, extent = self.builder, self.view.extents[dim]
        return builder.compare(
            "sge", _value(builder, self._rest(dim)), builder.integer(extent, i32)
        )

    def _together(self, dim: int) -> int:
        """How many neighbours are inside together: the size and all starts are multiples of it."""
        return min(self.sizes[dim].divisor, power_of_two_divisor(self.view.steps[dim]))

    def _exists(self, dim: int) -> SSAValue | None:
        """Whether a tile of extent 1 is inside along a dimension; None for others and wide ones."""
        builder = self.builder
        number, size = narrowed(builder, self.coordinates[dim].number), _word(self._size(dim))
        is_single = self.view.steps[dim] == self.view.extents[dim] == 1
        if not is_single or number is None or size is None:
            return None
        return builder.compare("ult", _value(builder, number), _value(builder, size))

    def _inside(self, dim: int, position: int) -> SSAValue:
        """Whether the element at a register's position lies inside, along a dimension."""
        exists = self._exists(dim)
        if exists is not None:
            return exists
        builder, thread, rest = self.builder, self.thread_positions[dim], self._rest(dim)
        position &= -self._together(dim)
        if isinstance(thread, int):
            return builder.compare("sgt", _value(builder, rest), builder.integer(position, i32))
        beyond = builder.subtract(thread, rest, i32)
        return builder.compare("slt", _value(builder, beyond), builder.integer(-position, i32))

    def _rest(self, dim: int) -> Index:
        """How far the memory object reaches into the tile, as a signed i32.

        Exact from 0 to the extent of the tile; below 0 and above the extent, any such number.
        """
        builder, step, extent = self.builder, self.view.steps[dim], self.view.extents[dim]
        number, size = narrowed(builder, self.coordinates[dim].number), _word(self._size(dim))
        if number is None or size is None:
            return self._wide_rest(dim)
        size_fits = self.sizes[dim].largest < TWO_TO_THE_31
        if size_fits and self._largest_end(dim) <= TWO_TO_THE_31:
            return builder.subtract(size, builder.multiply(number, step, i32), i32)
        if step & (step - 1):
            return self._wide_rest(dim)
        # The start wraps around only if the tile does not exist.
        number_value, size_value = _value(builder, number), _value(builder, size)
        shift = builder.integer(step.bit_length() - 1, i32)
        last = size_value if step == 1 else builder.compute(llvm.LShrOp, size_value, shift)
        exists = builder.compare("ule", number_value, last)
        start = builder.multiply(number_value, step, i32)
        rest = _value(builder, builder.subtract(size_value, start, i32))
        if not size_fits:
            rest = builder.compute(UMinOp, rest, builder.integer(extent, i32))
        return builder.compute(llvm.SelectOp, exists, rest, builder.integer(0, i32))

    def _wide_rest(self, dim: int) -> Index:
        """The same for sizes or coordinates of 64 bits, from 0 to the extent."""
        builder, extent, step = self.builder, self.view.extents[dim], self.view.steps[dim]
        coordinate, size = self.coordinates[dim].number, self._size(dim)
        start = builder.multiply(builder.zero_extend(coordinate, i64), step, i64)
        size_value, start = builder.integer(size, i64), builder.integer(start, i64)
        rest = builder.compute(llvm.SubOp, size_value, start)
        rest = builder.compute(SMaxOp, rest, builder.integer(0, i64))
        rest = builder.compute(SMinOp, rest, builder.integer(extent, i64))
        rest = builder.truncate(rest, i32)
        if self._largest_end(dim) < 1 << 63:
            return rest
        # A coordinate whose product would wrap names no tile of the object.
        tiles = builder.compute(
            llvm.UDivOp,
            builder.integer(builder.add(size, step - 1, i64), i64),
            builder.integer(step, i64),
        )
        exists = builder.compare("ult", builder.integer(coordinate, i64), tiles)
        return builder.compute(
            llvm.SelectOp, exists, builder.integer(rest, i32), builder.integer(0, i32)
        )


def _word(size: Index) -> Index | None:
    """A size that fits in 32 bits, unsigned, as such; None for others."""
    if isinstance(size, int):
        return size if size < 1 << 32 else None
    op = size.owner
    return op.arg if isinstance(op, llvm.ZExtOp) and op.arg.type == i32 else None


def _value(builder: LLVMBuilder, index: Index) -> SSAValue:
    return builder.integer(index, i32)


def narrowed(builder: LLVMBuilder, number: Index) -> Index | None:
    """An unsigned number of 32 bits at most as an i32; None for wider ones."""
    if isinstance(number, int):
        return number if number < 1 << 32 else None
    assert isinstance(number.type, IntegerType)
    return builder.zero_extend(number, i32) if number.type.width.data <= 32 else None


def coordinate_of(value: SSAValue, ranges: UnsignedRanges, program: ThreadProgram) -> Coordinate:
    """A coordinate of the tile program."""
    op, largest = value.owner, ranges.largest(value)
    if isinstance(op, arith.ConstantOp):
        return Coordinate(largest, largest)
    return Coordinate(program.scalar(value), largest)


def size_facts(view: SSAValue, dims: Sequence[int], ranges: UnsignedRanges) -> list[SizeFacts]:
    """What is known of the sizes along some dimensions of the memory object behind a view."""
    tiling = view.owner
    maker = tiling.source.owner if isinstance(tiling, nv_tileaa.BlockTileOp) else None
    if not isinstance(maker, nv_tileaa.MakeMemRefOp):
        return [SizeFacts((1 << 64) - 1, 1)] * len(dims)
    type, divisibility = maker.result.type, DivisibilityAnalysis()
    assert isinstance(type, MemRefType)
    known, facts = type.get_shape(), list[SizeFacts]()
    for dim in dims:
        size = known[dim]
        if size != DYNAMIC_INDEX:
            facts.append(SizeFacts(size, power_of_two_divisor(size)))
            continue
        operand = maker.sizes[known[:dim].count(DYNAMIC_INDEX)]
        divisor = divisibility.of(operand).divisibility[0]
        facts.append(SizeFacts(ranges.largest(operand), divisor))
    return facts


def tile_access(
    op: nv_tileas.AsyncTiledLoadOp
    | nv_tileas.TiledLoadOp
    | nv_tileas.TiledStoreOp
    | nv_tileas.TiledAtomicRMWOp
    | MultimemTileOp,
    tile: SSAValue,
    program: ThreadProgram,
    layout: LinearLayout | None = None,
) -> TileAccess | ElementAccess:
    """The addresses and bounds of an access, by the layout of its tile unless another is given."""
    layout = layout or layout_of(op, tile)
    if layout is None:
        fail(op, f"'{op.name}' op of a rank-0 tile is not supported")
    element = register_type(op, tile_shape(tile.type).element)
    rank = len(layout.shape)
    in_bounds = [False] * rank if op.in_bounds is None else list(op.in_bounds.get_values())
    view, ranges, builder = program.views[op.view], UnsignedRanges(), program.builder
    checked = [not known for known in in_bounds]
    moved = i8 if element == i1 else element
    coordinates = [coordinate_of(coordinate, ranges, program) for coordinate in op.coords]
    has_offsets = isinstance(
        op, nv_tileas.AsyncTiledLoadOp | nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp
    )
    offsets = op.offsets if has_offsets else ()
    if view.is_plain and not offsets:
        facts = size_facts(op.view, view.dims, ranges)
        return TileAccess(builder, view, layout, coordinates, facts, checked, moved)
    starts = [
        first_position(builder, view, dim, coordinate.number, offset)
        for dim, (coordinate, offset) in enumerate(
            zip_longest(coordinates, [program.scalar(offset) for offset in offsets])
        )
    ]
    positions = tile_positions(builder, layout, starts)
    return ElementAccess(builder, view, layout, positions, checked, moved)
