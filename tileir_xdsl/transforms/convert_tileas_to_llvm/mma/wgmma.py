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

from ..shared_memory.buffer_copies import before_reads
from ..shared_memory.scratch import ALL_LANES
from ..thread.builder import LLVMBuilder
from ..thread.packed_registers import WORD_BITS, pack
from ..thread.program import ThreadProgram
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


def elements_per_word(element: Attribute) -> int:
    """How many accumulator elements share a register of the instruction."""
    return 2 if element == f16 else 1


def packed_accumulator(builder: LLVMBuilder, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Packs an accumulator into the registers of the instruction: pairs of f16, others alone.

    A thread that has a single element of some other tile keeps it as it is.
    """
    if values[0].type != f16 or len(values) == 1:
        return tuple(values)
    return tuple(builder.vector(values[first : first + 2]) for first in range(0, len(values), 2))


def accumulator_elements(
    builder: LLVMBuilder, words: Sequence[SSAValue], element: Attribute
) -> tuple[SSAValue, ...]:
    """The inverse of `packed_accumulator`."""
    if element != f16 or words[0].type == f16:
        return tuple(words)
    return tuple(value for word in words for value in builder.elements(word, 2))


# Operands in shared memory.


@dataclass(frozen=True)
class SharedOperand:
    """A tile in shared memory from which the descriptors of instructions are made."""

    operand: MatrixOperand
    descriptor: SSAValue
    """The descriptor of the first element of this warpgroup."""

    def at(self, builder: LLVMBuilder, coordinate: Sequence[int]) -> SSAValue:
        """The descriptor of an operand slice that begins at an element, a constant offset away."""
        units = self.operand.offset(coordinate) // UNIT_BYTES
        advanced = builder.add(self.descriptor, units, i64)
        assert isinstance(advanced, SSAValue)
        return advanced


def shared_operand(
    tile: SharedTile,
    fields: int,
    operand: MatrixOperand,
    warps: Sequence[Sequence[int]],
    program: ThreadProgram,
) -> SharedOperand:
    """An operand of which each warp reads the slice that begins at these coordinates.

    `fields` are those of its descriptors but the address, `warps` has the coordinate that each bit
    of the warp index adds.
    """
    builder = program.builder
    address = builder.compute(llvm.PtrToIntOp, tile.pointer(builder), i32)
    address = builder.compute(llvm.AndOp, address, builder.integer(ADDRESS_MASK, i32))
    units = [operand.offset(coordinate) // UNIT_BYTES for coordinate in warps]
    start = builder.compute(llvm.LShrOp, address, builder.integer(4, i32))
    if any(units):
        start = builder.add(start, linear_map(builder, uniform_warp(builder), units), i32)
    descriptor = builder.zero_extend(start, i64)
    known = builder.integer(fields, i64)
    return SharedOperand(operand, builder.compute(llvm.OrOp, descriptor, known))


def uniform_warp(builder: LLVMBuilder) -> SSAValue:
    """The warp index in a form that the assembler knows to be uniform across the warp."""
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    numbers = (builder.integer(number, i32) for number in (ALL_LANES, 0, LAST_LANE))
    mask, lane, clamp = numbers
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, lane, clamp)


# MMAs.


@dataclass(frozen=True)
class Instructions:
    """The instructions of an MMA: their shape, and where each begins in the accumulator."""

    shape: MMAShape
    origins: tuple[tuple[int, ...], ...]
    """Coordinates of their first elements, for the first warpgroup."""
    words: tuple[tuple[int, ...], ...]
    """The packed accumulator registers that each works on."""

    @staticmethod
    def of(layout: LinearLayout, atom: MMAAtom, per_word: int, program: ThreadProgram):
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
        for shape in atom.available_shapes(program.target) if matches else ():
            positions = repeated_positions(fragment, WARPGROUP_ROWS, shape.n)
            if not all((*zeros, *position) in held for position in positions):
                continue
            origins = tuple(
                origin
                for origin in held
                if origin[-2] % WARPGROUP_ROWS == origin[-1] % shape.n == 0
            )
            if len(origins) * len(positions) != len(held):
                continue
            words = (
                tuple(
                    held[*origin[:-2], origin[-2] + row, origin[-1] + column] // per_word
                    for row, column in positions[::per_word]
                )
                for origin in origins
            )
            return Instructions(shape, origins, tuple(words))
        raise LayoutError("the accumulator is not laid out as its instruction wants it")


def issue_mma(op: MMAOp, atom: MMAAtom, program: ThreadProgram) -> tuple[SSAValue, ...]:
    """Issues all instructions of an MMA as one group; returns the packed registers they write."""
    builder = program.builder
    layout = accumulator_layout(op, op.c.type)
    element = tile_shape(payload(op.c.type)).element
    if isinstance(op.c.type, ValueType):
        words = list(program.registers[op.c])
    else:
        words = list(packed_accumulator(builder, program.registers[op.c]))
    rank = len(layout.shape)
    try:
        instructions = Instructions.of(layout, atom, elements_per_word(element), program)
        shape = instructions.shape
        b_layout = MatrixOperand.of(
            program.shared_tiles[op.b].layout, rank - 1, shape.n, rank - 2, shape.k
        )
        a_tile = program.shared_tiles.get(op.a)
        a_layout = a_tile and MatrixOperand.of(
            a_tile.layout, rank - 2, WARPGROUP_ROWS, rank - 1, shape.k
        )
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    before_reads(program, asynchronously=True)
    rows, columns = _warp_parts(layout)
    b = shared_operand(
        program.shared_tiles[op.b], b_layout.warpgroup_bits, b_layout, columns, program
    )
    if a_tile is not None and a_layout is not None:
        a = shared_operand(a_tile, a_layout.warpgroup_bits, a_layout, rows, program)
    else:
        # Registers packed here must be written before the fence.
        a = FragmentOperand.of(op, atom, instructions, program)
    types = (WGMMAType(atom.accumulator), WGMMAType(atom.a), WGMMAType(atom.b))
    overwrites = all(map(is_zero, words)) and not isinstance(op.c.type, ValueType)
    layout_b = MMALayout.COLUMN if b_layout.is_k_major else MMALayout.ROW
    extents = (WARPGROUP_ROWS, shape.n, shape.k)
    # Orders register writes before the first `wgmma.mma_async` (PTX ISA, "wgmma.fence").
    builder.insert_without_result(WgmmaFenceAlignedOp())
    for origin, positions in zip(instructions.origins, instructions.words, strict=True):
        *batch, row, column = origin
        accumulators = structure(
            builder, [words[position] for position in positions], known=not overwrites
        )
        for k in range(0, tile_shape(op.a.type).shape[-1], shape.k):
            # `scale-d` 0 ignores the old accumulator, so zeros need not be in registers.
            scale = WGMMAScaleOut.ZERO if overwrites and k == 0 else WGMMAScaleOut.ONE
            b_step = b.at(builder, (*batch, k, column))
            position = (*batch, row, k)
            if isinstance(a, SharedOperand):
                layouts = (MMALayout.ROW if a.operand.is_k_major else MMALayout.COLUMN, layout_b)
                step = WgmmaMmaAsyncOp(
                    accumulators,
                    a.at(builder, position),
                    b_step,
                    extents,
                    types,
                    layouts,
                    scale_d=scale,
                )
            else:
                layouts = (MMALayout.ROW, layout_b)
                step = WgmmaMmaAsyncRegisterOp(
                    accumulators, a.words[position], b_step, extents, types, layouts, scale_d=scale
                )
            accumulators = builder.insert(step)
        for number, position in enumerate(positions):
            words[position] = builder.field(accumulators, number)
    builder.insert_without_result(WgmmaCommitGroupOp())
    program.shared_accesses.issue_mma()
    return tuple(words)


def _warp_parts(layout: LinearLayout) -> tuple[list[list[int]], list[list[int]]]:
    """The first coordinate of A and of B that each bit of the warp index adds."""
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
    """A in registers: four packed registers per thread and instruction, by its first element."""

    words: Mapping[tuple[int, ...], list[SSAValue]]

    @staticmethod
    def of(
        op: MMAOp, atom: MMAAtom, instructions: Instructions, program: ThreadProgram
    ) -> "FragmentOperand":
        """Raises `PassFailedException` where the layout is not that of the fragment."""
        layout = layout_of(op, op.a)
        assert layout is not None
        fragment = warpgroup_operand_a(atom.operand_bits)
        held, registers = registers_by_coordinate(layout), program.registers[op.a]
        depth = instructions.shape.k
        positions = repeated_positions(fragment, WARPGROUP_ROWS, depth)
        zeros = (0,) * (len(layout.shape) - 2)
        if (
            layout.lane != fragment_bases(fragment.lane, layout.shape)
            or layout.warp[:WARPGROUP_WARP_BITS] != fragment_bases(fragment.warp, layout.shape)
            or not all((*zeros, *position) in held for position in positions)
        ):
            fail(op, f"'{op.name}' op has operand A in another layout than {atom.name} needs")
        size = max(1, WORD_BITS // atom.operand_bits)
        words: dict[tuple[int, ...], list[SSAValue]] = {}
        for *batch, row, _ in instructions.origins:
            for k in range(0, layout.shape[-1], depth):
                place = (*batch, row, k)
                if place in words:
                    continue
                values = [registers[held[*batch, row + r, k + c]] for r, c in positions]
                words[place] = [
                    _word(program.builder, values[first : first + size])
                    for first in range(0, len(values), size)
                ]
        return FragmentOperand(words)


def _word(builder: LLVMBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Packs elements into a register; an MMA emitted in two branches packs only once."""
    return builder.beside(values, lambda: pack(builder, values)[0])


def structure(builder: LLVMBuilder, words: Sequence[SSAValue], *, known: bool) -> SSAValue:
    """The packed accumulator as the structure that an instruction takes; undefined if not
    `known`.
    """
    type = llvm.LLVMStructType.from_type_list([word.type for word in words])
    result = builder.insert(llvm.UndefOp(type))
    if known:
        for number, word in enumerate(words):
            position = DenseArrayBase.from_list(i64, [number])
            result = builder.insert(llvm.InsertValueOp(position, result, word))
    return result


def finish_mmas(
    op: Operation, words: Sequence[SSAValue], pending: int, program: ThreadProgram
) -> tuple[SSAValue, ...]:
    """The elements of an MMA once at most the `pending` youngest groups are in flight."""
    wait_for_mmas(pending, program)
    element = tile_shape(payload(op.results[0].type)).element
    return accumulator_elements(program.builder, words, element)


def wait_for_mmas(pending: int, program: ThreadProgram) -> None:
    """Waits until at most the `pending` youngest groups are in flight."""
    program.builder.insert_without_result(WgmmaWaitGroupOp(pending))
    program.shared_accesses.read()
    if not pending:
        program.shared_accesses.finish_mmas(program.builder.block)
