"""Block scales of `tcgen05.mma`: from registers to the columns after the accumulator.

    tcgen05.st.sync.aligned.32x32b.x4.b32 [%columns], {%r0, %r1, %r2, %r3};
    tcgen05.wait::st.sync.aligned;

Every warp stores copies to its quarter of the lanes: hardware reads scales of all quarters. Lane
`r` of a column has the scales of row `32 i + r` for four blocks along K, one byte each, and an
instruction names the first byte of its own (PTX ISA, "Scale Factor A ID", "Scale Factor B ID").
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.buffers.tensor_memory_allocation import (
    SCALE_LANES,
    SCALES_PER_WORD,
    ScaleColumns,
    columns_of_scales,
)
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nvvm.attributes import Tcgen05Shape, Tcgen05Wait
from tileir_xdsl.dialects.nvvm.mma_attributes import BlockScaleKind, Tcgen05BlockScale
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05StOp, Tcgen05WaitOp
from tileir_xdsl.dialects.nvvm.tcgen05_scaled_mma import Tcgen05MMABlockScaleOp
from tileir_xdsl.layout.tensor_memory import LANE_SHIFT
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from ..shared_memory.tensor_memory import address_of, pointer
from ..thread.elected_thread import warp_index
from ..thread.packed_registers import pack
from ..thread.program import ThreadRewriter
from .fragments import registers_by_coordinate

QUARTERS = 4

SIZES = {16: Tcgen05BlockScale.BLOCK16, 32: Tcgen05BlockScale.BLOCK32}
"""How many numbers share a scale."""
SCALE_NUMBERS = {"ue4m3": 0, "ue8m0": 1}
"""The type field of the scales."""
FIRST_BYTE_A, FIRST_BYTE_B, SCALE_TYPE, ROWS = 29, 4, 23, 27
"""Bits of the instruction descriptor for kinds with block scales."""


@dataclass(frozen=True)
class ScalesInTensorMemory:
    """Where the block scales of an MMA are."""

    block: int
    a: ScaleColumns
    b: ScaleColumns
    first: int
    """The column of the first scales of A."""

    @staticmethod
    def of(op: MMAOp, atom: MMAAtom, first: int) -> "ScalesInTensorMemory":
        """Those of an op whose scales begin at a column."""
        return ScalesInTensorMemory(atom.scale_block, *columns_of_scales(op), first)

    def columns(self, k: int, n: int) -> tuple[int, int]:
        """The columns with the scales of the instruction at a step along K and a column of B."""
        word = k // self.block // SCALES_PER_WORD
        return (
            self.first + word * self.a.groups,
            self.first + self.a.total + word * self.b.groups + n // SCALE_LANES,
        )

    def fields(self, k: int) -> int:
        """The bits of the instruction descriptor that name the first byte of the scales."""
        byte = k // self.block % SCALES_PER_WORD
        return byte << FIRST_BYTE_A | byte << FIRST_BYTE_B


def store_scales(op: MMAOp, scales: ScalesInTensorMemory, rewriter: ThreadRewriter) -> None:
    """Stores the block scales of A and B; returns when the thread's own stores are complete."""
    builder, column = rewriter.builder, scales.first
    quarter = builder.compute(llvm.AndOp, warp_index(rewriter), builder.integer(QUARTERS - 1, i32))
    lanes = builder.multiply(quarter, 32 << LANE_SHIFT, i32)
    for number, (tile, columns) in enumerate(zip(op.scales, (scales.a, scales.b), strict=True)):
        words = _words(op, tile, columns, rewriter, of_a=number == 0)
        address = builder.add(address_of(rewriter, column), lanes, i32)
        assert isinstance(address, SSAValue)
        stored = words[0] if len(words) == 1 else builder.vector(words)
        store = Tcgen05StOp(pointer(rewriter, address), stored, Tcgen05Shape.S32X32B)
        builder.insert_without_result(store)
        column += columns.total
    builder.insert_without_result(Tcgen05WaitOp(Tcgen05Wait.STORE))


def _words(
    op: MMAOp, tile: SSAValue, columns: ScaleColumns, rewriter: ThreadRewriter, *, of_a: bool
) -> list[SSAValue]:
    """What a lane has in each column: the scales of its row for four blocks."""
    layout = layout_of(op, tile)
    assert layout is not None
    held, registers = registers_by_coordinate(layout), rewriter.registers(tile)
    blocks = layout.shape[-1 if of_a else -2]

    def scale(row: int, block: int) -> SSAValue:
        return registers[held[(row, block) if of_a else (block, row)]]

    words: list[SSAValue] = []
    for first in range(0, blocks, SCALES_PER_WORD):
        for group in range(columns.groups):
            own = range(first, min(first + SCALES_PER_WORD, blocks))
            words += pack(rewriter.builder, [scale(SCALE_LANES * group, block) for block in own])
    return words


def scaled_instruction_descriptor(atom: MMAAtom, shape: MMAShape, types: Sequence[int]) -> int:
    """The instruction descriptor without the first bytes of the scales; operands are K-major."""
    return (
        types[0] << 7
        | types[1] << 10
        | shape.n >> 3 << 17
        | SCALE_NUMBERS[atom.scale] << SCALE_TYPE
        | shape.m >> 7 << ROWS
    )


def scaled_mma(
    d: SSAValue,
    a: SSAValue,
    b: SSAValue,
    adds: SSAValue,
    word: int,
    position: tuple[int, int],
    scales: ScalesInTensorMemory,
    atom: MMAAtom,
    rewriter: ThreadRewriter,
) -> Tcgen05MMABlockScaleOp:
    """One instruction, at a step along K and a column of B."""
    k, n = position
    of_a, of_b = (
        pointer(rewriter, address_of(rewriter, column)) for column in scales.columns(k, n)
    )
    descriptor = rewriter.builder.integer(word | scales.fields(k), i32)
    kind = next(kind for kind in BlockScaleKind if f".kind::{kind.value}." in atom.ptx)
    # ptxas takes a size that is left out for some, but asks for the PTX version that names it.
    size = SIZES[atom.packing * atom.scale_block]
    return Tcgen05MMABlockScaleOp(
        d,
        a,
        b,
        descriptor,
        adds,
        of_a,
        of_b,
        kind,
        size=size,
    )
