"""Accesses of one tile of a view: addresses and bounds from coordinates, extents and strides."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    Float4E2M1FNType,
    FloatAttr,
    IntegerType,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import PaddingAttr, padding_of
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import constant_attribute

from ..shared_memory.buffer_copies import read_tile
from ..thread.builder import Index, LLVMBuilder
from ..thread.memory_objects import MemRef, TiledView
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from ..thread.register_branches import either
from ..thread.replicas import both
from .memory_order import semantic_of
from .pointer_accesses import (
    load_in_order,
    load_registers,
    one_writer,
    store_in_order,
    store_registers,
    vector_width,
)
from .tile_addresses import tile_access

PADDING = {
    PaddingValue.ZERO: 0.0,
    PaddingValue.NEG_ZERO: -0.0,
    PaddingValue.NAN: float("nan"),
    PaddingValue.POS_INF: float("inf"),
    PaddingValue.NEG_INF: float("-inf"),
}
"""The values of out-of-bounds elements that a load may return."""


class LowerMakeMemRef(LowerOp[nv_tileaa.MakeMemRefOp]):
    def lower(self, op: nv_tileaa.MakeMemRefOp, rewriter: ThreadRewriter) -> None:
        builder, type = rewriter.builder, op.result.type
        assert isinstance(type, MemRefType)
        if isinstance(type.element_type, Float4E2M1FNType):
            # Two elements share a byte, and threads access bytes.
            fail(op, f"'{op.name}' op cannot have elements of {type.element_type} in memory")

        def extents(known: Sequence[int], operands: Sequence[SSAValue]) -> tuple[Index, ...]:
            dynamic = iter(operands)
            return tuple(
                builder.zero_extend(rewriter.scalar(next(dynamic)), i64)
                if extent == DYNAMIC_INDEX
                else extent
                for extent in known
            )

        base = rewriter.scalar(op.base)
        if op.offset is not None:
            offset = builder.sign_extend(rewriter.scalar(op.offset), i64)
            base = builder.element_pointer(base, offset, i8)
        rewriter.replace(
            op.result,
            MemRef(
                base, extents(type.get_shape(), op.sizes), extents(type.get_strides(), op.strides)
            ),
        )


class LowerGetDimSize(LowerOp[nv_tileaa.GetDimSizeOp]):
    """Returns a static size, or the size operand with which the object was created."""

    def lower(self, op: nv_tileaa.GetDimSizeOp, rewriter: ThreadRewriter) -> None:
        builder, type = rewriter.builder, op.result.type
        assert isinstance(type, IntegerType)
        size = rewriter.memref(op.source).sizes[op.axis.value.data]
        if type.width.data < 64:
            size = builder.truncate(size, type)
        rewriter.replace(op.result, (builder.integer(size, type),))


class LowerBlockTile(LowerOp[nv_tileaa.BlockTileOp]):
    def lower(self, op: nv_tileaa.BlockTileOp, rewriter: ThreadRewriter) -> None:
        rewriter.replace(
            op.result,
            TiledView(
                rewriter.memref(op.source),
                op.get_tile_sizes(),
                op.get_tile_strides(),
                op.get_dim_groups(),
            ),
        )


class LowerTiledLoad(LowerOp[nv_tileas.TiledLoadOp]):
    """Loads the in-bounds elements of a tile; the others become the padding value.

    If vectors may be partly out of bounds, a tile entirely in bounds is loaded without checks. A
    buffer is loaded as a whole.
    """

    def lower(self, op: nv_tileas.TiledLoadOp, rewriter: ThreadRewriter) -> None:
        buffer, layout = rewriter.buffer(op.operands[0]), layout_of(op, op.tile)
        # A buffer holds whole tiles: there is no bound to test.
        if buffer is not None and layout is not None:
            rewriter.replace(op.tile, read_tile(op, buffer, layout, op.tile, rewriter))
            return
        access = tile_access(op, op.tile, rewriter)
        element = tile_shape(op.tile.type).element
        type, count = register_type(op, element), access.layout.registers
        padding = padding_registers(op, element, count, rewriter.builder)
        if semantic_of(op) is not MemSemantic.WEAK:
            pointers = list(access.pointers(1).values())
            masks = chosen_masks(op, access.masks(), rewriter)
            load_in_order(op, type, pointers, masks, padding, rewriter)
            return
        # A vector of which a mask leaves out elements would read what it may not.
        width = vector_width(op, element) if op.mask is None else 1

        def load(width: int, masks: Sequence[SSAValue | None]) -> tuple[SSAValue, ...]:
            pointers = access.pointers(width)
            return load_registers(rewriter.builder, type, pointers, masks, padding, width)

        whole = access.whole(width)
        if whole is None or op.mask is not None:
            rewriter.replace(op.tile, load(width, chosen_masks(op, access.masks(), rewriter)))
            return
        rewriter.replace(
            op.tile,
            tuple(
                either(
                    rewriter.builder,
                    whole,
                    lambda: load(width, [None] * count),
                    # A vector that is only partly in bounds would read beyond the array.
                    lambda: load(1, access.masks()),
                )
            ),
        )


def chosen_masks(
    op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
    masks: Sequence[SSAValue | None],
    rewriter: ThreadRewriter,
) -> list[SSAValue | None]:
    """The masks of in-bounds elements, each combined with the op's mask, if it has one."""
    if op.mask is None:
        return list(masks)
    return [
        rewriter.builder.conjunction([c for c in (inside, chosen) if c is not None])
        for inside, chosen in zip(masks, rewriter.registers(op.mask), strict=True)
    ]


def padding_registers(
    op: nv_tileas.TiledLoadOp | nv_tileas.GatherLoadOp,
    element: Attribute,
    count: int,
    builder: LLVMBuilder,
) -> list[SSAValue] | None:
    """The register values of out-of-bounds elements; None if they are undefined."""
    if op.padding_value is None:
        return None
    # Shared by all registers: a constant costs nothing until it is selected.
    return [padding_constant(op, op.padding_value, element, builder)] * count


def padding_constant(
    op: Operation, padding: PaddingAttr, element: Attribute, builder: LLVMBuilder
) -> SSAValue:
    """The register value of an out-of-bounds element."""
    value = padding_of(padding)
    number = PADDING[value] if isinstance(value, PaddingValue) else value
    assert number is not None
    if isinstance(element, IntegerType):
        return builder.integer(int(number), element)
    assert isinstance(element, AnyFloat)
    type = register_type(op, element)
    return builder.constant(constant_attribute(FloatAttr(number, element), type), type)


class LowerTiledStore(LowerOp[nv_tileas.TiledStoreOp]):
    """Stores the in-bounds elements of a tile; a tile entirely in bounds is stored without
    checks.
    """

    def lower(self, op: nv_tileas.TiledStoreOp, rewriter: ThreadRewriter) -> None:
        access = tile_access(op, op.tile, rewriter)
        element = tile_shape(op.tile.type).element
        type = register_type(op, element)
        if semantic_of(op) is not MemSemantic.WEAK:
            pointers = list(access.pointers(1).values())
            values, masks = rewriter.registers(op.tile), chosen_masks(op, access.masks(), rewriter)
            store_in_order(op, type, pointers, values, masks, rewriter)
            return
        width, builder = vector_width(op, element) if op.mask is None else 1, rewriter.builder
        values, writer = rewriter.registers(op.tile), one_writer(op, rewriter)

        def store(width: int, masks: Sequence[SSAValue | None]) -> tuple[()]:
            # Copies of an element in other threads must not be stored twice: one writer.
            pointers, masks = access.pointers(width), both(builder, masks, writer)
            store_registers(builder, type, pointers, values, masks, width)
            return ()

        whole = access.whole(width)
        if whole is None or op.mask is not None:
            store(width, chosen_masks(op, access.masks(), rewriter))
            return
        either(
            builder,
            whole,
            lambda: store(width, [None] * len(values)),
            lambda: store(1, access.masks()),
        )


PATTERNS: Patterns = {
    nv_tileaa.BlockTileOp: LowerBlockTile,
    nv_tileaa.GetDimSizeOp: LowerGetDimSize,
    nv_tileaa.MakeMemRefOp: LowerMakeMemRef,
    nv_tileas.TiledLoadOp: LowerTiledLoad,
    nv_tileas.TiledStoreOp: LowerTiledStore,
}
