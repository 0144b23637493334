"""Accumulators in tensor memory (TMEM): allocation of columns, and copies to and from registers.

    %0 = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>} : ..
    %1 = nv_tileas.async.dot %a1, %b1, %0 {..} : ..        // adds to the same columns

A block allocates the columns of all accumulators when it starts and deallocates them when it ends.
A warp accesses the quarter of the lanes that its rank in its warpgroup selects. Source: PTX ISA,
"Tensor Memory", "tcgen05.alloc", "tcgen05.ld".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    AccumulatorAllocation,
    TensorMemoryAllocation,
)
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    Tcgen05Fence,
    Tcgen05Shape,
    Tcgen05Wait,
)
from tileir_xdsl.dialects.nvvm.tcgen05 import (
    REGISTERS_PER_UNIT,
    Tcgen05AllocOp,
    Tcgen05DeallocOp,
    Tcgen05FenceOp,
    Tcgen05LdOp,
    Tcgen05RelinquishAllocPermitOp,
    Tcgen05StOp,
    Tcgen05WaitOp,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.tensor_memory import (
    ACCESS_FRAGMENTS,
    LANE_SHIFT,
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_registers,
    tile_columns,
)
from tileir_xdsl.targets.atoms import CopyKind

from ..thread.builder import Index, LLVMBuilder
from ..thread.clusters import cluster_barrier
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import warp_index
from ..thread.program import ThreadRewriter, register_type

TENSOR_SPACE = 6
LEAST_COLUMNS = 32
"""The smallest allocation, in columns."""
MOST_REGISTERS = 64
"""The most registers in one load or store, which limits live registers."""
UPPER_LANES = 16
WORD_BYTES = 4

SHAPES: dict[AccessShape, Tcgen05Shape] = {
    AccessShape.LANES_32_BITS_32: Tcgen05Shape.S32X32B,
    AccessShape.LANES_16_BITS_64: Tcgen05Shape.S16X64B,
    AccessShape.LANES_16_BITS_128: Tcgen05Shape.S16X128B,
    AccessShape.LANES_16_BITS_256: Tcgen05Shape.S16X256B,
}


# Allocation.


def allocated_columns(allocation: TensorMemoryAllocation) -> int:
    """The number of columns that a block allocates: a power of two, or 0 if no op uses tensor
    memory.
    """
    count = allocation.columns
    # Powers of two of at least 32 columns (PTX ISA, "tcgen05.alloc").
    return max(LEAST_COLUMNS, 1 << (count - 1).bit_length()) if count else 0


def allocate(function: Operation, rewriter: ThreadRewriter) -> None:
    """Allocates the columns of a kernel; all threads read the allocation's address."""
    count = allocated_columns(rewriter.function.columns)
    if not count:
        return
    builder, group = rewriter.builder, cta_group(rewriter)
    word = rewriter.shared_memory(rewriter.function.shared_allocation.offsets[function])
    after = only_where(rewriter, _is_first_warp(rewriter))
    # `tcgen05.alloc` is `.sync.aligned`: a whole warp executes it (PTX ISA, "tcgen05.alloc").
    builder.insert_without_result(Tcgen05AllocOp(word, builder.integer(count, i32), group))
    # The block allocates once, and then leaves that to others of the multiprocessor (PTX ISA).
    builder.insert_without_result(Tcgen05RelinquishAllocPermitOp(group))
    go_on(rewriter, after)
    rewriter.barrier()
    # The instruction writes the address to shared memory (PTX ISA, "tcgen05.alloc").
    (rewriter.program.held.tensor_memory,) = builder.load(word, i32, 4, [None], None)


def release(rewriter: ThreadRewriter) -> None:
    """Deallocates the columns after all threads have finished with them."""
    if rewriter.program.held.tensor_memory is None:
        return
    builder, count = rewriter.builder, allocated_columns(rewriter.function.columns)
    # Orders `tcgen05` accesses of all threads before the deallocation (PTX ISA, "tcgen05.fence").
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.BEFORE))
    if rewriter.function.has_pairs:
        # Both CTAs of a pair deallocate together, when no CTA has anything to do in another.
        cluster_barrier(rewriter)
    else:
        rewriter.barrier()
    after = only_where(rewriter, _is_first_warp(rewriter))
    address = pointer(rewriter, rewriter.program.held.tensor_memory)
    builder.insert_without_result(
        Tcgen05DeallocOp(address, builder.integer(count, i32), cta_group(rewriter))
    )
    go_on(rewriter, after)


def cta_group(rewriter: ThreadRewriter) -> CTAGroup:
    """The number of CTAs of each `tcgen05` instruction, which is the same in the whole kernel."""
    return CTAGroup.TWO if rewriter.function.has_pairs else CTAGroup.ONE


def _is_first_warp(rewriter: ThreadRewriter) -> SSAValue:
    builder = rewriter.builder
    return builder.compare("eq", warp_index(rewriter), builder.integer(0, i32))


def pointer(rewriter: ThreadRewriter, address: SSAValue) -> SSAValue:
    """Converts an address in tensor memory to a pointer."""
    type = llvm.LLVMPointerType(IntAttr(TENSOR_SPACE))
    return rewriter.builder.insert(llvm.IntToPtrOp.build(operands=[address], result_types=[type]))


def first_column(value: SSAValue, rewriter: ThreadRewriter) -> Index:
    """The first column of an accumulator, or of its stage."""
    columns, builder = rewriter.function.columns, rewriter.builder
    allocation = columns.of[value]
    token = columns.stages.get(value)
    if token is None:
        return allocation.column
    return stage_column(allocation, rewriter.stage_token(token).stage, builder)


def stage_column(allocation: AccumulatorAllocation, stage: Index, builder: LLVMBuilder) -> Index:
    """The first column of an accumulator in a stage."""
    return builder.add(
        builder.multiply(stage, allocation.stage_columns, i32), allocation.column, i32
    )


def check_written(
    op: nv_tileas.ProducerWriteOp, buffers: Sequence[SSAValue], rewriter: ThreadRewriter
) -> None:
    """Checks that MMAs surely write all accumulators that are published in a stage.

    Raises `PassFailedException` for an accumulator that may be uninitialised.
    """
    # Few kernels have stages of accumulators.
    from tileir_xdsl.analysis.mma.written_accumulators import is_surely_written  # noqa: PLC0415

    if len(op.values) != len(buffers):
        fail(op, f"'{op.name}' op expects {len(buffers)} accumulators, the number in a stage")
    for value in op.values:
        if value not in rewriter.function.columns.stages:
            fail(op, f"'{op.name}' op expects MMA accumulators for a stage in tensor memory")
        if not is_surely_written(value, op):
            fail(op, f"'{op.name}' op publishes an accumulator that may be uninitialised")


def address_of(rewriter: ThreadRewriter, offset: Index) -> SSAValue:
    """The address at an offset from the start of the block's allocation."""
    assert rewriter.program.held.tensor_memory is not None
    address = rewriter.builder.add(rewriter.program.held.tensor_memory, offset, i32)
    assert isinstance(address, SSAValue)
    return address


# Copies between registers and tensor memory.


@dataclass(frozen=True)
class Move:
    """One load or store instruction: its first column, and its registers."""

    offset: int
    registers: range


@dataclass(frozen=True)
class Moves:
    """The loads or stores of a tile by all warps."""

    shape: Tcgen05Shape
    each: tuple[Move, ...]
    group_columns: int
    """The distance between the first columns of neighbouring warpgroups."""

    @staticmethod
    def of(op: Operation, layout: LinearLayout, most: int = MOST_REGISTERS) -> "Moves":
        """The accesses of a layout, each of at most `most` registers.

        Raises `PassFailedException` if no access has registers in this order.
        """
        groups = max(1, layout.warps // 4)
        # The layout alone says which access it is: each fills the registers in another order.
        for access, shape in SHAPES.items():
            try:
                tile = tensor_memory_accumulator(layout.shape)
                if tensor_memory_registers(tile, access, groups) != layout:
                    continue
            except LayoutError:
                continue
            columns = tile_columns(layout.shape) // groups
            return Moves(shape, tuple(_moves(access, columns, layout.registers, most)), columns)
        fail(op, f"'{op.name}' op has a layout that no load or store of tensor memory supports")


def _moves(access: AccessShape, columns: int, registers: int, most: int) -> Iterator[Move]:
    fragment = ACCESS_FRAGMENTS[access]
    per_unit = REGISTERS_PER_UNIT[SHAPES[access]]
    for_half = columns // fragment.extent[1] * per_unit
    step = min(for_half, most)
    for half in range(registers // for_half):
        for start in range(0, for_half, step):
            column = start // per_unit * fragment.extent[1]
            offset = half * UPPER_LANES << LANE_SHIFT | column
            first = half * for_half + start
            yield Move(offset, range(first, first + step))


def _own_address(rewriter: ThreadRewriter, moves: Moves, column: Index) -> SSAValue:
    """The address of this warp's first lane and column."""
    builder, warp = rewriter.builder, warp_index(rewriter)
    quarter = builder.compute(llvm.AndOp, warp, builder.integer(3, i32))
    lanes = builder.multiply(quarter, 32 << LANE_SHIFT, i32)
    group = builder.compute(llvm.LShrOp, warp, builder.integer(2, i32))
    columns = builder.multiply(group, moves.group_columns, i32)
    # One warpgroup has all columns.
    if rewriter.region.threads <= 128:
        columns = 0
    address = builder.add(address_of(rewriter, column), builder.add(lanes, columns, i32), i32)
    assert isinstance(address, SSAValue)
    return address


def copy_in_tensor_memory(op: nv_tileas.CopyOp, rewriter: ThreadRewriter) -> None:
    """Loads or stores a tile by the op's atom."""
    atom = None if op.atom is None else op.atom.copy_atom
    if atom is None:
        fail(op, f"'{op.name}' op expects a copy atom of tensor memory")
    is_load = atom.kind is CopyKind.LOAD_TENSOR_MEMORY
    tile = op.result if is_load else op.source
    position = op.source if is_load else op.destination
    layout = layout_of(op, tile)
    # A copy without an address could only be guessed.
    if position is None or layout is None or position not in rewriter.function.columns.of:
        fail(op, f"'{op.name}' op expects a tile that is allocated in tensor memory")
    column = first_column(position, rewriter)
    moves = Moves.of(op, layout, atom.vector_bytes // WORD_BYTES)
    if not is_load:
        packed = [_word(rewriter, value) for value in rewriter.registers(tile)]
        _store(moves, column, packed, rewriter)
        rewriter.replace(op.result, ())
        return
    element = register_type(op, tile_shape(tile.type).element)
    rewriter.replace(tile, _load(moves, column, element, rewriter))


def own_address(
    op: Operation, layout: LinearLayout, column: Index, rewriter: ThreadRewriter
) -> SSAValue:
    """The address of this thread's part of a tile that begins at a column."""
    return _own_address(rewriter, Moves.of(op, layout), column)


def load_accumulator(
    op: Operation, layout: LinearLayout, column: Index, type: Attribute, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """Loads a tile that begins at a column, as elements of a type."""
    return _load(Moves.of(op, layout), column, type, rewriter)


def _load(
    moves: Moves, column: Index, type: Attribute, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    builder = rewriter.builder
    start, packed = _own_address(rewriter, moves, column), list[SSAValue]()
    for move in moves.each:
        count = len(move.registers)
        at = builder.add(start, move.offset, i32)
        assert isinstance(at, SSAValue)
        loaded = builder.insert(Tcgen05LdOp(pointer(rewriter, at), moves.shape, count))
        packed += [loaded] if count == 1 else builder.elements(loaded, count)
    # One wait for all loads, so that they are in flight together.
    builder.insert_without_result(Tcgen05WaitOp(Tcgen05Wait.LOAD))
    return tuple(_element(rewriter, word, type) for word in packed)


def store_accumulator(
    op: Operation,
    layout: LinearLayout,
    column: Index,
    values: Sequence[SSAValue],
    rewriter: ThreadRewriter,
    *,
    is_awaited: bool = True,
) -> None:
    """Stores registers to the columns of a tile; without `is_awaited`, a later store must wait for
    this one.
    """
    packed = [_word(rewriter, value) for value in values]
    _store(Moves.of(op, layout), column, packed, rewriter, is_awaited=is_awaited)


def clear_accumulator(
    op: Operation, layout: LinearLayout, column: Index, rewriter: ThreadRewriter
) -> None:
    """Stores zeros to the columns of a tile."""
    zero = [rewriter.builder.integer(0, i32)] * layout.registers
    _store(Moves.of(op, layout), column, zero, rewriter)


def _store(
    moves: Moves,
    column: Index,
    packed: Sequence[SSAValue],
    rewriter: ThreadRewriter,
    *,
    is_awaited: bool = True,
) -> None:
    builder, start = rewriter.builder, _own_address(rewriter, moves, column)
    for move in moves.each:
        at = builder.add(start, move.offset, i32)
        assert isinstance(at, SSAValue)
        moved = [packed[register] for register in move.registers]
        stored = moved[0] if len(moved) == 1 else builder.vector(moved)
        builder.insert_without_result(Tcgen05StOp(pointer(rewriter, at), stored, moves.shape))
    # `tcgen05.st` is asynchronous: without a wait an MMA may read the columns before.
    if is_awaited:
        builder.insert_without_result(Tcgen05WaitOp(Tcgen05Wait.STORE))


def _word(rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
    """Zero-extends an element to a 32-bit column."""
    builder, bits = rewriter.builder, _bits(value.type)
    if value.type == i32:
        return value
    word = builder.insert(llvm.BitcastOp(value, IntegerType(bits)))
    return word if bits == 32 else builder.insert(llvm.ZExtOp(word, i32))


def _element(rewriter: ThreadRewriter, word: SSAValue, type: Attribute) -> SSAValue:
    builder, bits = rewriter.builder, _bits(type)
    if type == i32:
        return word
    if bits < 32:
        word = builder.insert(llvm.TruncOp(word, IntegerType(bits)))
    return builder.insert(llvm.BitcastOp(word, type))


def _bits(type: Attribute) -> int:
    bits = getattr(type, "bitwidth", None)
    assert isinstance(bits, int) and not isinstance(type, VectorType)
    return bits
