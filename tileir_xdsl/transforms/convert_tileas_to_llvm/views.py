"""Accesses of one tile of a view: addresses and bounds from coordinates, extents and strides."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IntegerType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.intrinsics import SMaxOp, SMinOp
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemantic, PaddingValue
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate

from .builder import Index, LLVMBuilder
from .copies import both
from .memory import (
    load_in_order,
    load_registers,
    one_writer,
    store_in_order,
    store_registers,
    vector_width,
)
from .order import order_access, semantic_of
from .patterns import LowerOp, Patterns
from .shapes import constant_attribute
from .values import MemRef, ThreadProgram, TiledView, register_type

PADDING = {
    PaddingValue.ZERO: 0.0,
    PaddingValue.NEG_ZERO: -0.0,
    PaddingValue.NAN: float("nan"),
    PaddingValue.POS_INF: float("inf"),
    PaddingValue.NEG_INF: float("-inf"),
}
"""The values that a load may give to elements outside the memory object."""


class LowerMakeMemRef(LowerOp[nv_tileaa.MakeMemRefOp]):
    def lower(self, op: nv_tileaa.MakeMemRefOp, program: ThreadProgram) -> None:
        builder, type = program.builder, op.result.type
        assert isinstance(type, MemRefType)

        def extents(known: Sequence[int], operands: Sequence[SSAValue]) -> tuple[Index, ...]:
            dynamic = iter(operands)
            return tuple(
                builder.zero_extend(program.scalar(next(dynamic)), i64)
                if extent == DYNAMIC_INDEX
                else extent
                for extent in known
            )

        base = program.scalar(op.base)
        if op.offset is not None:
            offset = builder.sign_extend(program.scalar(op.offset), i64)
            base = builder.element_pointer(base, offset, i8)
        program.memrefs[op.result] = MemRef(
            base, extents(type.get_shape(), op.sizes), extents(type.get_strides(), op.strides)
        )


class LowerGetDimSize(LowerOp[nv_tileaa.GetDimSizeOp]):
    """A size that is known, or the one that the object was made with."""

    def lower(self, op: nv_tileaa.GetDimSizeOp, program: ThreadProgram) -> None:
        builder, type = program.builder, op.result.type
        assert isinstance(type, IntegerType)
        size = program.memrefs[op.source].sizes[op.axis.value.data]
        if type.width.data < 64:
            size = builder.truncate(size, type)
        program.registers[op.result] = (builder.integer(size, type),)


class LowerBlockTile(LowerOp[nv_tileaa.BlockTileOp]):
    def lower(self, op: nv_tileaa.BlockTileOp, program: ThreadProgram) -> None:
        groups = op.get_dim_groups()
        if any(len(group) != 1 for group in groups):
            fail(op, f"'{op.name}' op with several dimensions in a group is not supported")
        program.views[op.result] = TiledView(
            program.memrefs[op.source],
            op.get_tile_sizes(),
            op.get_tile_strides(),
            tuple(dim for (dim,) in groups),
        )


@dataclass
class TileAccess:
    """Addresses and bounds of the elements of one tile, for one thread.

    Position p of the tile along its dimension i is element `coordinate * step + p` of the memory
    object. `p` is a part that depends on the thread plus a constant of the register. Coordinates,
    sizes and strides are unsigned, and products with them 64 bits wide, so no index wraps.
    """

    builder: LLVMBuilder
    view: TiledView
    layout: LinearLayout
    coordinates: Sequence[SSAValue]
    checked: Sequence[bool]
    """For every dimension, whether elements may lie outside the memory object."""
    element: Attribute

    def __post_init__(self) -> None:
        self.starts = [
            self.builder.multiply(self.builder.zero_extend(coordinate, i64), step, i64)
            for coordinate, step in zip(self.coordinates, self.view.steps, strict=True)
        ]
        thread_coordinates = [
            element_coordinate(base, self.layout.shape) for base in self.layout.thread_bases()
        ]
        self.thread_positions = [
            self.builder.thread_offset(tuple(coordinate[dim] for coordinate in thread_coordinates))
            for dim in range(len(self.view.extents))
        ]
        self.remaining = [
            self._remaining(dim) if checked else 0 for dim, checked in enumerate(self.checked)
        ]
        self.thread_pointer = self._thread_pointer()

    def _thread_pointer(self) -> SSAValue:
        """The address of this thread's element in register 0, tile by tile, then in the tile."""
        builder, pointer = self.builder, self.view.memref.base
        tile_offset: Index = 0
        thread_offset: Index = 0
        for dim, memref_dim in enumerate(self.view.dims):
            stride = self.view.memref.strides[memref_dim]
            start = builder.multiply(self.starts[dim], stride, i64)
            tile_offset = builder.add(tile_offset, start, i64)
            position = builder.zero_extend(self.thread_positions[dim], i64)
            thread_offset = builder.add(thread_offset, builder.multiply(position, stride, i64), i64)
        pointer = builder.element_pointer(pointer, tile_offset, self.element)
        return builder.element_pointer(pointer, thread_offset, self.element)

    def _remaining(self, dim: int) -> Index:
        """How many positions of this tile lie inside the memory object, as i32."""
        builder, extent = self.builder, self.view.extents[dim]
        size = self.view.memref.sizes[self.view.dims[dim]]
        size_value, start = builder.integer(size, i64), builder.integer(self.starts[dim], i64)
        rest = builder.compute(llvm.SubOp, size_value, start)
        rest = builder.compute(SMaxOp, rest, builder.integer(0, i64))
        rest = builder.compute(SMinOp, rest, builder.integer(extent, i64))
        rest = builder.truncate(rest, i32)
        coordinate = self.coordinates[dim]
        type = coordinate.type
        assert isinstance(type, IntegerType) and isinstance(rest, SSAValue)
        if type.width.data <= 32:
            return rest
        # A coordinate whose product would wrap names no tile of the object.
        step = self.view.steps[dim]
        tiles = builder.insert(
            llvm.UDivOp(
                builder.integer(builder.add(size, step - 1, i64), i64), builder.integer(step, i64)
            )
        )
        exists = builder.compare("ult", coordinate, tiles)
        return builder.select(exists, rest, builder.integer(0, i32))

    def pointers(self, width: int) -> dict[int, SSAValue]:
        """The address of the element in every `width`-th register."""
        elements = self.layout.register_elements()
        return {
            register: self.builder.element_pointer(
                self.thread_pointer, self._register_offset(elements[register]), self.element
            )
            for register in range(0, len(elements), width)
        }

    def _register_offset(self, element: int) -> Index:
        total: Index = 0
        for dim, position in enumerate(element_coordinate(element, self.layout.shape)):
            stride = self.view.memref.strides[self.view.dims[dim]]
            total = self.builder.add(total, self.builder.multiply(position, stride, i64), i64)
        return total

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

    def _inside(self, dim: int, position: int) -> SSAValue:
        builder = self.builder
        inside = builder.add(self.thread_positions[dim], position, i32)
        return builder.compare(
            "slt", builder.integer(inside, i32), builder.integer(self.remaining[dim], i32)
        )


def tile_access(
    op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp | nv_tileas.TiledAtomicRMWOp,
    tile: SSAValue,
    program: ThreadProgram,
) -> TileAccess:
    """The addresses and bounds of an access."""
    if not isinstance(op, nv_tileas.TiledAtomicRMWOp) and op.offsets:
        fail(op, f"'{op.name}' op with offsets is not supported in a thread")
    layout = layout_of(op, tile)
    if layout is None:
        fail(op, f"'{op.name}' op of a rank-0 tile is not supported")
    element = register_type(op, tile_shape(tile.type).element)
    rank = len(layout.shape)
    in_bounds = [False] * rank if op.in_bounds is None else list(op.in_bounds.get_values())
    return TileAccess(
        program.builder,
        program.views[op.view],
        layout,
        [program.scalar(coordinate) for coordinate in op.coords],
        [not known for known in in_bounds],
        i8 if element == i1 else element,
    )


class LowerTiledLoad(LowerOp[nv_tileas.TiledLoadOp]):
    """Elements outside the memory object are not read: they become the padding value."""

    def lower(self, op: nv_tileas.TiledLoadOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, reads=True, writes=False)
        access = tile_access(op, op.tile, program)
        element = tile_shape(op.tile.type).element
        type, count = register_type(op, element), access.layout.registers
        padding = padding_registers(op, element, count, program.builder)
        if semantic_of(op) is not MemSemantic.WEAK:
            pointers = list(access.pointers(1).values())
            load_in_order(op, type, pointers, access.masks(), padding, program)
            return
        width = vector_width(op, element)
        program.registers[op.tile] = load_registers(
            program.builder,
            type,
            access.pointers(width),
            access.masks(),
            padding,
            width,
        )


def padding_registers(
    op: nv_tileas.TiledLoadOp | nv_tileas.GatherLoadOp,
    element: Attribute,
    count: int,
    builder: LLVMBuilder,
) -> list[SSAValue] | None:
    """What registers are where a load is outside of the memory object; None where it may be any."""
    if op.padding_value is None:
        return None
    if isinstance(element, IntegerType):
        return [builder.integer(0, element)] * count
    assert isinstance(element, AnyFloat)
    type = register_type(op, element)
    value = constant_attribute(FloatAttr(PADDING[op.padding_value.data], element), type)
    return [builder.constant(value, type)] * count


class LowerTiledStore(LowerOp[nv_tileas.TiledStoreOp]):
    """Elements outside the memory object are not written."""

    def lower(self, op: nv_tileas.TiledStoreOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, reads=False, writes=True)
        access = tile_access(op, op.tile, program)
        element = tile_shape(op.tile.type).element
        type = register_type(op, element)
        if semantic_of(op) is not MemSemantic.WEAK:
            pointers = list(access.pointers(1).values())
            values = program.registers[op.tile]
            store_in_order(op, type, pointers, values, access.masks(), program)
            return
        width = vector_width(op, element)
        masks = both(program.builder, access.masks(), one_writer(op, program))
        store_registers(
            program.builder,
            type,
            access.pointers(width),
            program.registers[op.tile],
            masks,
            width,
        )


PATTERNS: Patterns = {
    nv_tileaa.BlockTileOp: LowerBlockTile,
    nv_tileaa.GetDimSizeOp: LowerGetDimSize,
    nv_tileaa.MakeMemRefOp: LowerMakeMemRef,
    nv_tileas.TiledLoadOp: LowerTiledLoad,
    nv_tileas.TiledStoreOp: LowerTiledStore,
}
