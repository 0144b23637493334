"""Warpgroup MMAs: `wgmma`, in steps along K, on operands in shared memory.

    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : ..
    ->
    nvvm.wgmma.fence.aligned
    %d0 = nvvm.wgmma.mma_async %a_descriptor, %b_descriptor, %c, <m = 64, n = 128, k = 16>, ..
    nvvm.wgmma.commit.group.sync.aligned

The layout of the accumulator determines the rows and columns of each warpgroup. An MMA in flight is
represented by the registers that the instruction writes; none of them may be read before a wait.
Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, f16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nvvm.attributes import (
    MMALayout,
    ShuffleKind,
    WGMMAScaleOut,
    WGMMAType,
)
from tileir_xdsl.dialects.nvvm.synchronization import ShflOp
from tileir_xdsl.dialects.nvvm.wgmma import (
    WgmmaCommitGroupOp,
    WgmmaFenceAlignedOp,
    WgmmaMmaAsyncOp,
    WgmmaMmaAsyncRegisterOp,
    WgmmaWaitGroupOp,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.fragments import WARPGROUP_ACCUMULATOR, warpgroup_operand_a
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate
from tileir_xdsl.layout.matrix_descriptors import ADDRESS_MASK, UNIT_BYTES, MatrixOperand
from tileir_xdsl.targets.mma import MMAAtom, MMAShape
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import is_zero

from ..shared_memory.scratch import ALL_LANES
from ..thread.builder import LLVMBuilder
from ..thread.packed_registers import REGISTER_BITS, pack
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile
from ..thread.thread_maps import linear_map
from .fragments import fragment_bases, registers_by_coordinate, repeated_positions

LANE_BITS = 5
LAST_LANE = 31
WARPGROUP_ROWS = 64
WARPGROUP_WARP_BITS = 2


# The accumulator.


def payload(type: Attribute) -> Attribute:
    """The type of a tile that is materialised or in flight."""
    return type.payload if isinstance(type, ValueType) else type


def accumulator_layout(op: Operation, type: Attribute) -> LinearLayout:
    """The register layout of a tile value, or of the payload of an asynchronous one."""
    layout = tile_layout(payload(type))
    if layout is None:
        fail(op, f"'{op.name}' op expects an accumulator with a layout, but got {type}")
    return layout


def elements_per_register(element: Attribute) -> int:
    """The number of accumulator elements in one register of the instruction."""
    # D in f16 comes in registers of two (PTX ISA, "Register Fragments for wgmma.mma_async").
    return 2 if element == f16 else 1


def packed_accumulator(builder: LLVMBuilder, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Packs an accumulator into the instruction's registers: f16 in pairs, other types alone.

    A tile with a single element per thread is not packed.
    """
    if values[0].type != f16 or len(values) == 1:
        return tuple(values)
    return tuple(builder.vector(values[first : first + 2]) for first in range(0, len(values), 2))


def accumulator_elements(
    builder: LLVMBuilder, packed: Sequence[SSAValue], element: Attribute
) -> tuple[SSAValue, ...]:
    """The inverse of `packed_accumulator`."""
    if element != f16 or packed[0].type == f16:
        return tuple(packed)
    return tuple(value for register in packed for value in builder.elements(register, 2))


# Operands in shared memory.


@dataclass(frozen=True)
class SharedOperand:
    """A tile in shared memory, from which instruction descriptors are made."""

    operand: MatrixOperand
    descriptor: SSAValue
    """The descriptor of this warpgroup's first element."""

    def at(self, builder: LLVMBuilder, coordinate: Sequence[int]) -> SSAValue:
        """The descriptor of the operand slice that begins at an element, at a constant offset."""
        # Shared memory ends below 256 KiB, so the sum never carries into the next field.
        units = self.operand.offset(coordinate) // UNIT_BYTES
        advanced = builder.add(self.descriptor, units, i64)
        assert isinstance(advanced, SSAValue)
        return advanced


def shared_operand(
    tile: SharedTile,
    fields: int,
    operand: MatrixOperand,
    warps: Sequence[Sequence[int]],
    rewriter: ThreadRewriter,
) -> SharedOperand:
    """A shared-memory operand of which each warp reads its own slice.

    `fields` are the descriptor's fields except the address; `warps` has the coordinate that each
    bit of the warp index adds.
    """
    builder = rewriter.builder
    units = [operand.offset(coordinate) // UNIT_BYTES for coordinate in warps]
    start = descriptor_address(tile, rewriter)
    # Warps of a warpgroup share a descriptor; each warpgroup has its own slice.
    if any(units):
        start = builder.add(start, linear_map(builder, uniform_warp(builder), units), i32)
    descriptor = builder.zero_extend(start, i64)
    known = builder.integer(fields, i64)
    return SharedOperand(operand, builder.compute(llvm.OrOp, descriptor, known))


def descriptor_address(tile: SharedTile, rewriter: ThreadRewriter) -> SSAValue:
    """The address of a tile in the encoding of descriptors."""
    builder = rewriter.builder
    address = builder.compute(llvm.PtrToIntOp, tile.pointer(builder), i32)
    # A descriptor has 14 bits of `address >> 4` (PTX ISA, "Matrix-descriptor-encode").
    address = builder.compute(llvm.AndOp, address, builder.integer(ADDRESS_MASK, i32))
    return builder.compute(llvm.LShrOp, address, builder.integer(4, i32))


def uniform_warp(builder: LLVMBuilder) -> SSAValue:
    """The warp index in a form that the assembler recognises as uniform across the warp."""
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    numbers = (builder.integer(number, i32) for number in (ALL_LANES, 0, LAST_LANE))
    mask, lane, clamp = numbers
    # Descriptors then live in uniform registers, which `wgmma` takes; others cost moves.
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, lane, clamp)


# MMAs.


@dataclass(frozen=True)
class Instructions:
    """The instructions of an MMA: their shape, and each one's first element in the accumulator."""

    shape: MMAShape
    origins: tuple[tuple[int, ...], ...]
    """The coordinates of each instruction's first element, for the first warpgroup."""
    registers: tuple[tuple[int, ...], ...]
    """The packed accumulator registers of each instruction."""

    @staticmethod
    def of(layout: LinearLayout, atom: MMAAtom, per_register: int, rewriter: ThreadRewriter):
        """The fewest instructions that cover a warpgroup's part of an accumulator.

        Raises:
            LayoutError: the layout is not that of this kind of instruction.
        """
        fragment = WARPGROUP_ACCUMULATOR
        held = registers_by_coordinate(layout)
        zeros = (0,) * (len(layout.shape) - 2)
        matches = (
            layout.lane == fragment_bases(fragment.lane, layout.shape)
            and layout.warp[:WARPGROUP_WARP_BITS] == fragment_bases(fragment.warp, layout.shape)
            and layout.register[:1] == fragment_bases(fragment.register[:1], layout.shape)
        )
        # Widest first: the first that covers the layout needs the fewest instructions.
        for shape in atom.available_shapes(rewriter.function.target) if matches else ():
            positions = repeated_positions(fragment, WARPGROUP_ROWS, shape.n)
            if not all((*zeros, *position) in held for position in positions):
                continue
            origins = tuple(
                origin
                for origin in held
                if origin[-2] % WARPGROUP_ROWS == origin[-1] % shape.n == 0
            )
            # Parts that no instruction of this shape covers would be left out.
            if len(origins) * len(positions) != len(held):
                continue
            registers = (
                tuple(
                    held[*origin[:-2], origin[-2] + row, origin[-1] + column] // per_register
                    for row, column in positions[::per_register]
                )
                for origin in origins
            )
            return Instructions(shape, origins, tuple(registers))
        raise LayoutError("expected the accumulator in the fragment layout of a wgmma instruction")


def issue_mma(op: MMAOp, atom: MMAAtom, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """Issues all instructions of an MMA as one group; returns the packed registers they write."""
    builder = rewriter.builder
    layout = accumulator_layout(op, op.c.type)
    element = tile_shape(payload(op.c.type)).element
    if isinstance(op.c.type, ValueType):
        packed = list(rewriter.registers(op.c))
    else:
        packed = list(packed_accumulator(builder, rewriter.registers(op.c)))
    try:
        instructions = Instructions.of(layout, atom, elements_per_register(element), rewriter)
        a, b = _operands(op, atom, instructions, layout, rewriter)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    types = (WGMMAType(atom.accumulator), WGMMAType(atom.a), WGMMAType(atom.b))
    # The registers of an MMA in flight may not be read, not even to see that they are zero.
    overwrites = all(map(is_zero, packed)) and not isinstance(op.c.type, ValueType)
    a_is_row = isinstance(a, FragmentOperand) or a.operand.is_k_major
    layouts = (
        MMALayout.ROW if a_is_row else MMALayout.COLUMN,
        MMALayout.COLUMN if b.operand.is_k_major else MMALayout.ROW,
    )
    shape = instructions.shape
    extents = (WARPGROUP_ROWS, shape.n, shape.k)
    # Orders register writes before the first `wgmma.mma_async` (PTX ISA, "wgmma.fence").
    builder.insert_without_result(WgmmaFenceAlignedOp())
    for origin, positions in zip(instructions.origins, instructions.registers, strict=True):
        *batch, row, column = origin
        accumulators = structure(
            builder, [packed[position] for position in positions], known=not overwrites
        )
        # MMAs on one accumulator of the same shape run in order without a fence between them.
        for k in range(0, tile_shape(op.a.type).shape[-1], shape.k):
            # `scale-d` 0 ignores the old accumulator, so zeros need not be in registers.
            scale = WGMMAScaleOut.ZERO if overwrites and k == 0 else WGMMAScaleOut.ONE
            b_step = b.at(builder, (*batch, k, column))
            if isinstance(a, SharedOperand):
                step = WgmmaMmaAsyncOp(
                    accumulators,
                    a.at(builder, (*batch, row, k)),
                    b_step,
                    extents,
                    types,
                    layouts,
                    scale_d=scale,
                )
            else:
                a_step = a.packed[*batch, row, k]
                step = WgmmaMmaAsyncRegisterOp(
                    accumulators, a_step, b_step, extents, types, layouts, scale_d=scale
                )
            accumulators = builder.insert(step)
        for number, position in enumerate(positions):
            packed[position] = builder.field(accumulators, number)
    # One group for each op, as waits count groups (`analysis/mma/mmas_in_flight.py`).
    builder.insert_without_result(WgmmaCommitGroupOp())
    return tuple(packed)


def _operands(
    op: MMAOp,
    atom: MMAAtom,
    instructions: Instructions,
    layout: LinearLayout,
    rewriter: ThreadRewriter,
) -> "tuple[SharedOperand | FragmentOperand, SharedOperand]":
    """The operands of an MMA; `layout` is that of its accumulator.

    Raises:
        LayoutError: the instruction does not read a tile in shared memory as it is laid out.
    """
    rank, shape, (rows, columns) = len(layout.shape), instructions.shape, _warp_parts(layout)
    a_tile, b_tile = rewriter.buffer(op.a), rewriter.shared_tile(op.b)
    b_layout = MatrixOperand.of(b_tile.layout, rank - 1, shape.n, rank - 2, shape.k)
    a_layout = a_tile and MatrixOperand.of(
        a_tile.layout, rank - 2, WARPGROUP_ROWS, rank - 1, shape.k
    )
    b = shared_operand(b_tile, b_layout.warpgroup_bits, b_layout, columns, rewriter)
    if a_tile is None or a_layout is None:
        # Registers packed here are written before the fence.
        return FragmentOperand.of(op, atom, instructions, rewriter), b
    return shared_operand(a_tile, a_layout.warpgroup_bits, a_layout, rows, rewriter), b


def _warp_parts(layout: LinearLayout) -> tuple[list[list[int]], list[list[int]]]:
    """The coordinates that each bit of the warp index adds in A and in B."""
    rows: list[list[int]] = []
    columns: list[list[int]] = []
    for bit, base in enumerate(layout.warp):
        *batch, row, column = element_coordinate(base, layout.shape)
        if bit < WARPGROUP_WARP_BITS:
            # The four warps of a warpgroup execute one instruction together.
            row = 0
        rows.append([*batch, row, 0])
        columns.append([*batch, 0, column])
    return rows, columns


@dataclass(frozen=True)
class FragmentOperand:
    """A in registers: four packed registers per thread and instruction, by the instruction's first
    element.
    """

    packed: Mapping[tuple[int, ...], list[SSAValue]]

    @staticmethod
    def of(
        op: MMAOp, atom: MMAAtom, instructions: Instructions, rewriter: ThreadRewriter
    ) -> "FragmentOperand":
        """Raises `PassFailedException` if the layout is not that of the fragment."""
        layout = layout_of(op, op.a)
        assert layout is not None
        fragment = warpgroup_operand_a(atom.operand_bits)
        held, registers = registers_by_coordinate(layout), rewriter.registers(op.a)
        depth = instructions.shape.k
        positions = repeated_positions(fragment, WARPGROUP_ROWS, depth)
        zeros = (0,) * (len(layout.shape) - 2)
        if (
            layout.lane != fragment_bases(fragment.lane, layout.shape)
            or layout.warp[:WARPGROUP_WARP_BITS] != fragment_bases(fragment.warp, layout.shape)
            or not all((*zeros, *position) in held for position in positions)
        ):
            fail(op, f"'{op.name}' op has operand A in another layout than {atom.name} needs")
        size = max(1, REGISTER_BITS // atom.operand_bits)
        packed: dict[tuple[int, ...], list[SSAValue]] = {}
        for *batch, row, _ in instructions.origins:
            for k in range(0, layout.shape[-1], depth):
                first = (*batch, row, k)
                # Several instructions along N share a fragment of A.
                if first in packed:
                    continue
                # The layout is the fragment: registers are operands as they stand.
                values = [registers[held[*batch, row + r, k + c]] for r, c in positions]
                packed[first] = [
                    packed_at_definition(rewriter.builder, values[first : first + size])
                    for first in range(0, len(values), size)
                ]
        return FragmentOperand(packed)


def packed_at_definition(builder: LLVMBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Packs elements into a register; branches with the same MMA share the packing."""
    return builder.at_definition(values, lambda: pack(builder, values)[0])


def structure(builder: LLVMBuilder, packed: Sequence[SSAValue], *, known: bool) -> SSAValue:
    """The packed accumulator as the instruction's structure operand; undefined if not `known`."""
    type = llvm.LLVMStructType.from_type_list([register.type for register in packed])
    # Undefined fields cost nothing, and `scale-d` 0 never reads them.
    result = builder.insert(llvm.UndefOp(type))
    if known:
        for number, register in enumerate(packed):
            position = DenseArrayBase.from_list(i64, [number])
            result = builder.insert(llvm.InsertValueOp(position, result, register))
    return result


def finish_mmas(
    op: Operation, packed: Sequence[SSAValue], pending: int, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """The elements of an MMA's result, after a wait that leaves at most the `pending` youngest
    groups in flight.
    """
    wait_for_mmas(pending, rewriter)
    element = tile_shape(payload(op.results[0].type)).element
    return accumulator_elements(rewriter.builder, packed, element)


def wait_for_mmas(pending: int, rewriter: ThreadRewriter) -> None:
    """Waits until at most the `pending` youngest groups are in flight."""
    rewriter.builder.insert_without_result(WgmmaWaitGroupOp(pending))
