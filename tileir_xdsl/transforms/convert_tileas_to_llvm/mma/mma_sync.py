"""Warp-level MMAs: one `mma.sync` for each fragment of C and every step along K.

If the operands have the layouts of the atom's fragments, a thread's registers are the operands of
the instruction. Operands in shared memory are loaded one step along K at a time, by `ldmatrix`
where possible. So only the fragments of one step are live. Source: PTX ISA, "Matrix Fragments for
mma".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType, f16, i32
from xdsl.ir import SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nvvm.attributes import MMAType
from tileir_xdsl.dialects.nvvm.matrix import MmaOp
from tileir_xdsl.layout.fragments import (
    ACCUMULATOR,
    ACCUMULATOR_8_ROWS,
    Fragment,
    Position,
    operand_a,
    operand_b,
)
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from ..shared_memory.scratch import LoadedTile
from ..thread.builder import LLVMBuilder
from ..thread.nibbles import NIBBLE_BITS, pack_nibbles
from ..thread.packed_registers import REGISTER_BITS, pack
from ..thread.program import ThreadRewriter
from .block_scales import BlockScales, scaled_mma
from .fragments import fragment_bases, fragment_positions, registers_by_coordinate
from .wgmma import packed_accumulator

PADDED_E2M1_SHIFT = 2
"""The shift of an e2m1 that occupies a whole byte (PTX ISA, "mma" with `.kind`)."""

OperandTile = Sequence[SSAValue] | LoadedTile
"""An operand tile: its registers, or a tile in shared memory that is loaded when needed."""


@dataclass(frozen=True)
class Fragments:
    """The operand fragments of an instruction of one shape."""

    shape: MMAShape
    a: Fragment
    b: Fragment
    c: Fragment

    @staticmethod
    def of(shape: MMAShape, operand_bits: int) -> "Fragments":
        """The fragments of an instruction of one shape."""
        c = ACCUMULATOR if shape.m == ACCUMULATOR.extent[0] else ACCUMULATOR_8_ROWS
        return Fragments(shape, operand_a(operand_bits, shape.m), operand_b(operand_bits), c)

    def positions_a(self) -> list[Position]:
        """The row and column of each register of A in lane 0, in order."""
        step = self.a.extent[1]
        return [
            (row, k + c)
            for k in range(0, self.shape.k, step)
            for row, c in fragment_positions(self.a)
        ]

    def positions_b(self) -> list[Position]:
        """The row along K and the column of each register of B in lane 0."""
        step = self.b.extent[0]
        return [
            (k + row, c)
            for k in range(0, self.shape.k, step)
            for row, c in fragment_positions(self.b)
        ]

    def positions_c(self) -> list[Position]:
        """The row and column of each register of C and D in lane 0."""
        return fragment_positions(self.c)

    def match(self, a: LinearLayout, b: LinearLayout, c: LinearLayout) -> bool:
        """Whether layouts place elements, or copies of them, as the instruction expects."""
        held = (
            (fragment.within(*layout.shape[-2:]), layout)
            for fragment, layout in ((self.a, a), (self.b, b), (self.c, c))
        )
        return all(
            layout.lane == fragment_bases(fragment.lane, layout.shape)
            and set(fragment_bases(fragment.register, layout.shape)) <= set(layout.register)
            for fragment, layout in held
        )


def instruction_fragments(
    op: MMAOp, atom: MMAAtom, layouts: Sequence[LinearLayout], rewriter: ThreadRewriter
) -> Fragments:
    """The first shape of an atom whose fragments match the layouts.

    Raises `PassFailedException` if no shape matches.
    """
    (*_, m, n), k = layouts[2].shape, layouts[0].shape[-1]
    for shape in atom.dividing_shapes(rewriter.function.target, m, n, k):
        fragments = Fragments.of(shape, atom.operand_bits)
        # `mma.sync` has 16 rows, or 8 with `m8n8k4.f64`; others are not instructions of a warp.
        if shape.m in (8, 16) and fragments.match(*layouts[:3]):
            return fragments
    fail(op, f"'{op.name}' op has operands in other layouts than its atom {atom.name} needs")


class PackedOperand:
    """An operand in the registers of instructions: f64 elements alone, others packed, each once."""

    def __init__(
        self, tile: OperandTile, layout: LinearLayout, type: str, bits: int, builder: LLVMBuilder
    ):
        self._tile, self._type, self._bits, self._builder = tile, type, bits, builder
        self._extent = layout.shape[-2:]
        self._held = registers_by_coordinate(layout)
        self._size = max(1, REGISTER_BITS // bits)
        self._packed_registers: dict[tuple[int, ...], SSAValue] = {}

    def at(
        self, batch: tuple[int, ...], first: Position, positions: Sequence[Position]
    ) -> list[SSAValue]:
        """The packed registers of the fragment that begins at a row and column of a matrix."""
        rows, columns = self._extent
        numbers = [
            self._held[*batch, (first[0] + row) % rows, (first[1] + c) % columns]
            for row, c in positions
        ]
        groups = (
            tuple(numbers[start : start + self._size])
            for start in range(0, len(numbers), self._size)
        )
        return [self._packed_register(group) for group in groups]

    def _packed_register(self, numbers: tuple[int, ...]) -> SSAValue:
        # A fragment of A is read for every column of C, and packed once.
        if numbers not in self._packed_registers:
            self._packed_registers[numbers] = self._pack(numbers)
        return self._packed_registers[numbers]

    def _pack(self, numbers: tuple[int, ...]) -> SSAValue:
        builder, is_half = self._builder, self._type == "f16"
        if self._bits == NIBBLE_BITS:
            return pack_nibbles(builder, [self._register(number) for number in numbers])
        loaded = self._tile.word(numbers) if isinstance(self._tile, LoadedTile) else None
        if loaded is not None:
            pair = VectorType(f16, (2,))
            # `nvvm.mma.sync` takes pairs of f16 as vectors, every other type as i32 registers.
            return (
                builder.insert(llvm.BitcastOp(loaded, pair)) if is_half else self._aligned(loaded)
            )
        values = [self._register(number) for number in numbers]
        if is_half:
            return builder.vector(values)
        return values[0] if self._type == "f64" else self._aligned(pack(builder, values)[0])

    def _aligned(self, word: SSAValue) -> SSAValue:
        """A word whose elements are shifted to their bit positions in the instruction's operand."""
        if self._type != "e2m1":
            return word
        amount = self._builder.integer(PADDED_E2M1_SHIFT, i32)
        return self._builder.insert(llvm.ShlOp(word, amount))

    def _register(self, number: int) -> SSAValue:
        tile = self._tile
        return tile.register(number) if isinstance(tile, LoadedTile) else tile[number]


def accumulator_registers(builder: LLVMBuilder, result: SSAValue, count: int) -> list[SSAValue]:
    """The elements of the structure that an instruction returns, unpacked."""
    type = result.type
    assert isinstance(type, llvm.LLVMStructType)
    fields = [builder.field(result, number) for number in range(len(type.types))]
    if len(fields) == count:
        return fields
    return [element for field in fields for element in builder.elements(field, 2)]


def in_order_of_reuse(
    origins: Sequence[tuple[tuple[int, ...], int, int]],
) -> list[tuple[tuple[int, ...], int, int]]:
    """The fragments of C, by batch, row and column, in their order within a step.

    The operand with more fragments is read one fragment at a time, so only the other operand's
    fragments are live throughout the step.
    """
    rows, columns = ({origin[axis] for origin in origins} for axis in (1, 2))
    # As accumulators are held: one row after the other.
    if len(rows) >= len(columns):
        return list(origins)
    return sorted(origins, key=lambda origin: (origin[0], origin[2], origin[1]))


def mma_sync_dot(
    op: MMAOp,
    atom: MMAAtom,
    layouts: Sequence[LinearLayout],
    operands: tuple[OperandTile, OperandTile],
    scale_tiles: Sequence[OperandTile],
    accumulators: Sequence[SSAValue],
    rewriter: ThreadRewriter,
) -> tuple[SSAValue, ...]:
    """Emits one instruction for every step along K, and every fragment of C of a warp."""
    builder = rewriter.builder
    fragments = instruction_fragments(op, atom, layouts, rewriter)
    shape = fragments.shape
    a, b = (
        PackedOperand(tile, layout, type, atom.operand_bits, builder)
        for tile, layout, type in zip(operands, layouts, (atom.a, atom.b), strict=False)
    )
    scales = [
        BlockScales(tile, layout, atom.scale_block, builder, of_a=number == 0)
        for number, (tile, layout) in enumerate(zip(scale_tiles, layouts[3:], strict=True))
    ]
    elements_a, elements_b = fragments.positions_a(), fragments.positions_b()
    elements_c = fragments.positions_c()
    held, result = registers_by_coordinate(layouts[2]), list(accumulators)
    rows, columns = layouts[2].shape[-2:]
    # Each instruction is named by the first element of its fragment of C.
    firsts = [
        (tuple(batch), row, column)
        for *batch, row, column in held
        if row % shape.m == column % shape.n == 0
    ]
    origins = {
        (batch, row, column): [
            held[*batch, (row + r) % rows, (column + c) % columns] for r, c in elements_c
        ]
        for batch, row, column in in_order_of_reuse(firsts)
    }
    # Copies of an element stay in registers of their own, so that none is moved between MMAs.
    sums = {origin: [result[r] for r in registers] for origin, registers in origins.items()}
    # K outermost: fragments of one step are live, and neighbouring MMAs are independent.
    for k in range(0, layouts[0].shape[-1], shape.k):
        for origin, values in sums.items():
            batch, row, column = origin
            operands_of_step = (
                a.at(batch, (row, k), elements_a),
                b.at(batch, (k, column), elements_b),
                packed_accumulator(builder, values),
            )
            if scales:
                of_step = scales[0].at(batch, (row, k)), scales[1].at(batch, (k, column))
                mma_op = scaled_mma(*operands_of_step, of_step, atom, shape)
            else:
                types = MMAType(atom.a), MMAType(atom.b)
                mma_op = MmaOp(*operands_of_step, (shape.m, shape.n, shape.k), types)
            sums[origin] = accumulator_registers(builder, builder.insert(mma_op), len(values))
    for origin, registers in origins.items():
        for register, value in zip(registers, sums[origin], strict=True):
            result[register] = value
    return tuple(result)
