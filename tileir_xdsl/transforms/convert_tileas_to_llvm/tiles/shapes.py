"""Ops that create tiles from scalars, and re-index tiles."""

from dataclasses import replace

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerType,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.exchanges import carried_layout
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.layouts.transfer import registers_of
from tileir_xdsl.analysis.values.tile_chains import resolve_slice
from tileir_xdsl.analysis.values.uniform_constants import is_splat
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, tile_shape
from tileir_xdsl.layout.linear import LinearLayout, element_strides
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import (
    constant_attribute,
    constant_elements,
)

from ..global_memory.pointer_accesses import load_registers
from ..shared_memory.layout_conversions import convert_registers
from ..shared_memory.staging_buffers import StagedTile, StagingSlice, through_staging
from ..thread.builder import Index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_count, register_type
from ..thread.shared_buffers import SharedTile


class LowerConstant(LowerOp[arith.ConstantOp]):
    """Lowers a scalar, a splat, or a tile of different elements, which is read from a global
    array.
    """

    def lower(self, op: arith.ConstantOp, rewriter: ThreadRewriter) -> None:
        element = register_type(op, tile_shape(op.result.type).element)
        value = op.value
        if isinstance(value, DenseIntOrFPElementsAttr):
            # One constant instead of an array in memory.
            if is_splat(value):
                first = next(iter(value.iter_attrs()))
                register = rewriter.builder.constant(constant_attribute(first, element), element)
                rewriter.replace(op.result, (register,) * register_count(op, op.result))
                return
            self._read(op, value, element, rewriter)
            return
        register = rewriter.builder.constant(constant_attribute(value, element), element)
        rewriter.replace(op.result, (register,))

    def _read(
        self,
        op: arith.ConstantOp,
        values: DenseIntOrFPElementsAttr,
        element: Attribute,
        rewriter: ThreadRewriter,
    ) -> None:
        """Loads the elements of this thread from a global array."""
        builder, layout = rewriter.builder, layout_of(op, op.result)
        assert layout is not None
        # Memory has no bits to address.
        memory_element = i8 if element == i1 else element
        array = rewriter.constant_array(constant_elements(values), memory_element)
        offset = builder.thread_offset(layout.thread_bases())
        first = builder.element_pointer(array, offset, memory_element)
        rewriter.replace(
            op.result,
            load_registers(
                builder,
                element,
                {
                    register: builder.element_pointer(first, number, memory_element)
                    for register, number in enumerate(layout.register_elements())
                },
                [None] * layout.registers,
                None,
                1,
            ),
        )


class LowerPoison(LowerOp[ub.PoisonOp]):
    """Lowers a poison value."""

    def lower(self, op: ub.PoisonOp, rewriter: ThreadRewriter) -> None:
        if isinstance(op.result.type, MemTokenType):
            return
        # Any address will do for a buffer that nobody reads.
        if is_shared(op.result.type):
            layout = shared_layout(op, op.result.type)
            rewriter.replace(op.result, SharedTile(rewriter.shared_memory(0), 0, layout))
            return
        type = register_type(op, tile_shape(op.result.type).element)
        register = rewriter.builder.insert(PoisonOp(type))
        rewriter.replace(op.result, (register,) * register_count(op, op.result))


class LowerAssume(LowerOp[nv_tileaa.AssumeOp]):
    """Emits nothing: the result of an assumption is its operand."""

    def lower(self, op: nv_tileaa.AssumeOp, rewriter: ThreadRewriter) -> None:
        rewriter.bind(op.result, rewriter.parts(op.value), op.value)


class LowerSplat(LowerOp[nv_tileaa.SplatOp]):
    def lower(self, op: nv_tileaa.SplatOp, rewriter: ThreadRewriter) -> None:
        register = rewriter.scalar(op.value)
        rewriter.replace(op.result, (register,) * register_count(op, op.result))


class LowerMakeRange(LowerOp[nv_tileaa.MakeRangeOp]):
    """Element i of the range is start + i; i is a thread offset plus a register constant."""

    def lower(self, op: nv_tileaa.MakeRangeOp, rewriter: ThreadRewriter) -> None:
        builder, layout = rewriter.builder, layout_of(op, op.result)
        type = tile_shape(op.result.type).element
        assert layout is not None and isinstance(type, IntegerType)
        offset = builder.thread_offset(layout.thread_bases())
        offset = builder.resize(offset, type)
        # Added once for the thread: the registers differ by constants.
        first = builder.add(rewriter.scalar(op.start), offset, type)
        rewriter.replace(
            op.result,
            tuple(
                builder.integer(builder.add(first, element, type), type)
                for element in layout.register_elements()
            ),
        )


class LowerExtract(LowerOp[nv_tileaa.ExtractOp]):
    """The single element is in the first register of every thread; other elements are read through
    shared memory.
    """

    def lower(self, op: nv_tileaa.ExtractOp, rewriter: ThreadRewriter) -> None:
        # Every thread has the only element of such a tile in its first register.
        if not op.indices:
            rewriter.replace(op.result, rewriter.registers(op.source)[:1])
            return
        builder, source = rewriter.builder, layout_of(op, op.source)
        assert source is not None
        strides = element_strides(source.shape)
        first: Index = 0
        for index, stride in zip(op.indices, strides, strict=False):
            position = _as_i32(rewriter.scalar(index), rewriter)
            first = builder.add(first, builder.multiply(position, stride, i32), i32)
        tile = StagedTile(rewriter.registers(op.source), source, StagingSlice.whole(source.shape))
        staged = StagingSlice(first, strides[len(op.indices) :])
        wanted = layout_of(op, op.result)
        loaded = through_staging(op, source.size, [[tile]], wanted, staged, rewriter)
        rewriter.replace(op.result, loaded)


def _as_i32(value: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    """An index of any integer type into a tile, as i32."""
    return rewriter.builder.integer(rewriter.builder.resize(value, i32), i32)


def carried(
    op: Operation,
    operand: int,
    wanted: LinearLayout,
    rewriter: ThreadRewriter,
) -> list[SSAValue | None] | None:
    """The registers of one operand in the layout of the result, with None for elements of other
    operands.

    Elements in other threads are moved first. Returns None if no layout of the operand holds the
    same elements.
    """
    source = op.operands[operand]
    held, registers = layout_of(op, source), rewriter.registers(source)
    assert held is not None
    needed = carried_layout(op, operand, held, wanted)
    if needed is None:
        return None
    # Only the moves between threads cost anything; the rest renames registers.
    registers = convert_registers(op, registers, held, needed, rewriter)
    positions = registers_of(op, needed, wanted, operand)
    assert positions is not None
    return [None if register is None else registers[register] for register in positions]


class LowerReindexing(LowerOp[Operation]):
    """Lowers views, broadcasts and permutations: the same elements at other indices.

    For a tile in shared memory, the type of the result has the new layout.
    """

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        (result,) = op.results
        buffer = rewriter.buffer(op.operands[0])
        if buffer is not None:
            rewriter.replace(result, replace(buffer, layout=shared_layout(op, result.type)))
            return
        wanted = layout_of(op, result)
        held = layout_of(op, op.operands[0])
        assert wanted is not None and held is not None
        registers = carried(op, 0, wanted, rewriter)
        if registers is None:
            fail(op, f"'{op.name}' op is not supported between these layouts")
        rewriter.replace(result, tuple(value for value in registers if value is not None))


class LowerCat(LowerOp[nv_tileaa.CatOp]):
    """Selects registers of one tile or the other, or concatenates both tiles in shared memory."""

    def lower(self, op: nv_tileaa.CatOp, rewriter: ThreadRewriter) -> None:
        wanted = layout_of(op, op.result)
        assert wanted is not None
        left, right = (carried(op, operand, wanted, rewriter) for operand in (0, 1))
        # Registers are renamed where possible; shared memory costs a barrier.
        if left is not None and right is not None:
            pairs = zip(left, right, strict=True)
            chosen = [b if a is None else a for a, b in pairs]
            rewriter.replace(op.result, tuple(value for value in chosen if value is not None))
            return
        strides, first = element_strides(wanted.shape), 0
        parts: list[StagedTile] = []
        for part in (op.lhs, op.rhs):
            held = layout_of(op, part)
            assert held is not None
            parts.append(StagedTile(rewriter.registers(part), held, StagingSlice(first, strides)))
            axis = op.axis.value.data
            first += held.shape[axis] * strides[axis]
        whole = StagingSlice.whole(wanted.shape)
        loaded = through_staging(op, wanted.size, [parts], wanted, whole, rewriter)
        rewriter.replace(op.result, loaded)


def slice_offsets(
    op: nv_tileas.ExtractSliceOp | nv_tileas.InsertSliceOp,
    whole: LinearLayout,
    rewriter: ThreadRewriter,
) -> StagingSlice:
    """The offsets of a slice in the whole tile."""
    builder, offset = rewriter.builder, 0
    part = resolve_slice(op.slice)

    def number(index: int | SSAValue) -> Index:
        return index if isinstance(index, int) else _as_i32(rewriter.scalar(index), rewriter)

    first: Index = offset
    strides: list[Index] = []
    for start, step, stride in zip(
        part.offsets, part.strides, element_strides(whole.shape), strict=True
    ):
        first = builder.add(first, builder.multiply(number(start), stride, i32), i32)
        strides.append(builder.multiply(number(step), stride, i32))
    return StagingSlice(first, tuple(strides))


class LowerExtractSlice(LowerOp[nv_tileas.ExtractSliceOp]):
    """Selects registers of the tile if offsets are static; otherwise reads elements at dynamic
    offsets.
    """

    def lower(self, op: nv_tileas.ExtractSliceOp, rewriter: ThreadRewriter) -> None:
        held, wanted = layout_of(op, op.source), layout_of(op, op.result)
        assert held is not None and wanted is not None
        registers = carried(op, 0, wanted, rewriter)
        if registers is not None:
            rewriter.replace(op.result, tuple(v for v in registers if v is not None))
            return
        tile = StagedTile(rewriter.registers(op.source), held, StagingSlice.whole(held.shape))
        staged = slice_offsets(op, held, rewriter)
        loaded = through_staging(op, held.size, [[tile]], wanted, staged, rewriter)
        rewriter.replace(op.result, loaded)


class LowerInsertSlice(LowerOp[nv_tileas.InsertSliceOp]):
    """Replaces registers of the tile if offsets are static; otherwise stores the slice into the
    tile in shared memory.
    """

    def lower(self, op: nv_tileas.InsertSliceOp, rewriter: ThreadRewriter) -> None:
        held, part = layout_of(op, op.destination), layout_of(op, op.source)
        wanted = layout_of(op, op.result)
        assert held is not None and part is not None and wanted is not None
        new, old = carried(op, 0, wanted, rewriter), carried(op, 1, wanted, rewriter)
        # With static offsets each register is one of the two tiles', known when compiling.
        if new is not None and old is not None:
            pairs = zip(new, old, strict=True)
            chosen = [b if a is None else a for a, b in pairs]
            rewriter.replace(op.result, tuple(value for value in chosen if value is not None))
            return
        whole = StagingSlice.whole(held.shape)
        phases = [
            [StagedTile(rewriter.registers(op.destination), held, whole)],
            [StagedTile(rewriter.registers(op.source), part, slice_offsets(op, held, rewriter))],
        ]
        loaded = through_staging(op, held.size, phases, wanted, whole, rewriter)
        rewriter.replace(op.result, loaded)


PATTERNS: Patterns = {
    arith.ConstantOp: LowerConstant,
    ub.PoisonOp: LowerPoison,
    nv_tileaa.AssumeOp: LowerAssume,
    nv_tileaa.BroadcastOp: LowerReindexing,
    nv_tileaa.CatOp: LowerCat,
    nv_tileaa.ExpandDimsOp: LowerReindexing,
    nv_tileaa.ExtractOp: LowerExtract,
    nv_tileaa.MakeRangeOp: LowerMakeRange,
    nv_tileaa.SplatOp: LowerSplat,
    nv_tileaa.PermuteOp: LowerReindexing,
    nv_tileas.ExpandDimsOp: LowerReindexing,
    nv_tileas.ExtractSliceOp: LowerExtractSlice,
    nv_tileas.InsertSliceOp: LowerInsertSlice,
}
