"""Block scales of `tcgen05.mma`, which are moved to columns after the accumulator.

    tcgen05.st.sync.aligned.32x32b.x4.b32 [%columns], {%r0, %r1, %r2, %r3};     all threads
    tcgen05.wait::st.sync.aligned;

    tcgen05.cp.cta_group::1.32x128b.warpx4 [%columns], %descriptor;             one thread
    tcgen05.mma.. [%d], .., [%columns], [%others], %adds;

Stores and copies write the scales to each quarter of the lanes, since the hardware reads all
quarters. Lane `r` of a column holds scales of row `32 i + r`: one byte for each of four blocks
along K. An instruction names the first byte of its scales (PTX ISA, "Scale Factor A ID", "Scale
Factor B ID"). Further rows have further columns: the instruction for each 128 rows of A names the
first column of their scales.

A `tcgen05.mma` executes after the `tcgen05.cp` before it (PTX ISA, "tcgen05 Pipelined
Instructions"), but a `tcgen05.cp` does not wait for an MMA before it. So each pipeline stage of
scales has its own columns. A stage is filled again after the MMAs that read its columns have
completed.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    columns_of_scales,
)
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import stage_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nvvm.attributes import (
    Tcgen05CopyMulticast,
    Tcgen05CopyShape,
    Tcgen05Shape,
    Tcgen05Wait,
)
from tileir_xdsl.dialects.nvvm.mma_attributes import BlockScaleKind, Tcgen05BlockScale
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05CpOp, Tcgen05StOp, Tcgen05WaitOp
from tileir_xdsl.dialects.nvvm.tcgen05_scaled_mma import Tcgen05MMABlockScaleOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.matrix_descriptors import UNIT_BYTES
from tileir_xdsl.layout.scale_factors import COPY_FIELDS, scale_copies
from tileir_xdsl.layout.tensor_memory import (
    LANE_SHIFT,
    SCALE_LANES,
    SCALES_PER_WORD,
    ScaleColumns,
)
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from ..shared_memory.tensor_memory import address_of, pointer
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import warp_index
from ..thread.packed_registers import pack
from ..thread.program import ThreadRewriter
from .fragments import registers_by_coordinate
from .wgmma import descriptor_address

QUARTERS = 4
WARPGROUP_THREADS = 128

SIZES = {16: Tcgen05BlockScale.BLOCK16, 32: Tcgen05BlockScale.BLOCK32}
"""The number of elements that share a scale."""
SCALE_NUMBERS = {"ue4m3": 0, "ue8m0": 1}
"""The values of the scales' type field in an instruction descriptor."""
FIRST_BYTE_A, FIRST_BYTE_B, SCALE_TYPE, ROWS = 29, 4, 23, 27
"""Bit positions in the instruction descriptor for kinds with block scales."""


@dataclass(frozen=True)
class ScalesInTensorMemory:
    """The tensor-memory columns of an MMA's block scales."""

    block: int
    columns: tuple[ScaleColumns, ...]
    starts: tuple[SSAValue, ...]
    """The addresses of the first scales of A and of B."""

    @staticmethod
    def of(op: MMAOp, atom: MMAAtom, rewriter: ThreadRewriter) -> "ScalesInTensorMemory":
        """The columns of an op's block scales."""
        firsts = rewriter.function.columns.of[op.results[0]].scales[op]
        columns, starts = columns_of_scales(op), list[SSAValue]()
        for scales, of_operand, first in zip(op.scales, columns, firsts, strict=True):
            start, read = address_of(rewriter, first), stage_of(scales)
            if read is not None:
                stage = rewriter.stage_token(read.result).stage
                moved = rewriter.builder.multiply(stage, of_operand.total, i32)
                added = rewriter.builder.add(start, moved, i32)
                assert isinstance(added, SSAValue)
                start = added
            starts.append(start)
        return ScalesInTensorMemory(atom.scale_block, columns, tuple(starts))

    def at(self, position: tuple[int, int, int], rewriter: ThreadRewriter) -> list[SSAValue]:
        """The addresses of the scales for the instruction at a row of A, a column of B and a step
        along K.
        """
        m, n, k = position
        word, groups = k // self.block // SCALES_PER_WORD, (m // SCALE_LANES, n // SCALE_LANES)
        return [
            _column(start, word * columns.groups + group, rewriter)
            for start, columns, group in zip(self.starts, self.columns, groups, strict=True)
        ]

    def fields(self, k: int) -> int:
        """The instruction-descriptor bits that name the first byte of the scales."""
        byte = k // self.block % SCALES_PER_WORD
        return byte << FIRST_BYTE_A | byte << FIRST_BYTE_B


def _column(start: SSAValue, number: int, rewriter: ThreadRewriter) -> SSAValue:
    address = rewriter.builder.add(start, number, i32)
    assert isinstance(address, SSAValue)
    return pointer(rewriter, address)


def store_scales(op: MMAOp, scales: ScalesInTensorMemory, rewriter: ThreadRewriter) -> None:
    """Stores the block scales that are in registers; returns when the thread's own stores are
    complete.
    """
    builder, warp = rewriter.builder, warp_index(rewriter)
    quarter = builder.compute(llvm.AndOp, warp, builder.integer(QUARTERS - 1, i32))
    lanes = builder.multiply(quarter, 32 << LANE_SHIFT, i32)
    stores: list[Tcgen05StOp] = []
    for number, (tile, columns) in enumerate(zip(op.scales, scales.columns, strict=True)):
        if is_shared(tile.type):
            continue
        words = _words(op, tile, columns, rewriter, of_a=number == 0)
        address = builder.add(scales.starts[number], lanes, i32)
        assert isinstance(address, SSAValue)
        stored = words[0] if len(words) == 1 else builder.vector(words)
        stores.append(Tcgen05StOp(pointer(rewriter, address), stored, Tcgen05Shape.S32X32B))
    with first_warpgroup(warp, rewriter):
        for store in (*stores, Tcgen05WaitOp(Tcgen05Wait.STORE)):
            builder.insert_without_result(store)


@contextmanager
def first_warpgroup(warp: SSAValue, rewriter: ThreadRewriter) -> Generator[None]:
    """Emits code for the first four warps only, since further warps hold the same scales."""
    if rewriter.region.threads <= WARPGROUP_THREADS:
        yield
        return
    builder = rewriter.builder
    group = builder.compute(llvm.LShrOp, warp, builder.integer(2, i32))
    after = only_where(rewriter, builder.compare("eq", group, builder.integer(0, i32)))
    yield
    go_on(rewriter, after)


def copy_scales(op: MMAOp, scales: ScalesInTensorMemory, rewriter: ThreadRewriter) -> None:
    """Copies the block scales from shared memory, in the thread that issues the MMA."""
    builder = rewriter.builder
    for number, tile in enumerate(op.scales):
        if not is_shared(tile.type):
            continue
        shared = rewriter.shared_tile(tile)
        try:
            copies = scale_copies(shared.layout, rows_first=number == 0)
        except LayoutError as error:
            fail(op, f"'{op.name}' op {error}")
        start = builder.zero_extend(descriptor_address(shared, rewriter), i64)
        descriptor = builder.compute(llvm.OrOp, start, builder.integer(COPY_FIELDS, i64))
        for copy in copies:
            # Shared memory ends below 256 KiB, so the sum never carries into the next field.
            source = builder.add(descriptor, copy.offset // UNIT_BYTES, i64)
            assert isinstance(source, SSAValue)
            builder.insert_without_result(
                Tcgen05CpOp(
                    _column(scales.starts[number], copy.column, rewriter),
                    source,
                    Tcgen05CopyShape.S32X128B,
                    Tcgen05CopyMulticast.WARPX4,
                )
            )


def _words(
    op: MMAOp, tile: SSAValue, columns: ScaleColumns, rewriter: ThreadRewriter, *, of_a: bool
) -> list[SSAValue]:
    """The scales of a lane in each column: those of its row for four blocks."""
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
    """The instruction descriptor, except the first bytes of the scales; operands are K-major."""
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
    position: tuple[int, int, int],
    scales: ScalesInTensorMemory,
    atom: MMAAtom,
    rewriter: ThreadRewriter,
) -> Tcgen05MMABlockScaleOp:
    """The instruction at a row of A, a column of B and a step along K."""
    of_a, of_b = scales.at(position, rewriter)
    descriptor = rewriter.builder.integer(word | scales.fields(position[-1]), i32)
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
