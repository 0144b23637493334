"""MMAs with accumulators in tensor memory: `tcgen05.mma`, issued by one thread.

    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>} : ..
    ->
    nvvm.tcgen05.mma %columns, %a_descriptor, %b_descriptor, %instruction, %enable {..}
    nvvm.tcgen05.commit %barrier

If A is in registers, it is stored to columns after the accumulator, from which the MMA reads it:

    tcgen05.st %columns, ..                                     // all threads
    nvvm.tcgen05.mma %columns, %a_columns, %b_descriptor, ..

Accumulators stay in tensor memory until an op needs them in registers
(`tensor_memory_accumulators.py`). The memory of the operands may be reused when the MMA has
completed. Stages that only MMAs read are released by the hardware (`mma_stages.py`); anything else
is waited for. Source: PTX ISA, "TensorCore 5th Generation Family Instructions", "Instruction
descriptor".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import scale_stages
from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    has_scales_in_registers,
    operand_a_columns,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import DotOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR, is_of_pair
from tileir_xdsl.dialects.nvvm.attributes import Tcgen05Fence, Tcgen05Kind
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05FenceOp
from tileir_xdsl.dialects.nvvm.tcgen05_mma import Tcgen05MMAOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.matrix_descriptors import MatrixOperand
from tileir_xdsl.layout.shared import part_in_cta
from tileir_xdsl.layout.tensor_memory import ELEMENTS_OF_COLUMN, LANES
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMAAtom, MMAShape

from ..shared_memory.mma_stages import await_stages, is_left_to_hardware, release_stages
from ..shared_memory.tensor_memory import (
    address_of,
    cta_group,
    first_column,
    pointer,
    store_accumulator,
)
from ..thread.builder import Index, LLVMBuilder
from ..thread.elected_thread import mma_thread, warpgroup_index
from ..thread.program import ThreadRewriter
from .tensor_memory_accumulators import (
    commit_accumulator,
    finish_accumulator,
    issue_mma,
    loaded_accumulator,
    meet_before_mma,
    note_accumulator,
    stores_accumulator,
)
from .tensor_memory_scales import (
    ScalesInTensorMemory,
    copy_scales,
    scaled_instruction_descriptor,
    scaled_mma,
    store_scales,
)
from .wgmma import SharedOperand, accumulator_layout, packed_at_definition, shared_operand

KINDS: dict[str, Tcgen05Kind] = {
    "f16": Tcgen05Kind.F16,
    "bf16": Tcgen05Kind.F16,
    "tf32": Tcgen05Kind.TF32,
    "s8": Tcgen05Kind.I8,
    "u8": Tcgen05Kind.I8,
}
"""The MMA kind of some element types; all others have `f8f6f4`."""

ELEMENT_NUMBERS: dict[str, int] = {
    "f16": 0,
    "bf16": 1,
    "tf32": 2,
    "u8": 0,
    "s8": 1,
    "e4m3": 0,
    "e5m2": 1,
    "e2m3": 3,
    "e3m2": 4,
    "e2m1": 5,
    # Of kinds that have no other types.
    "e2m1x2": 1,
}
"""The values of the type fields of A and B in an instruction descriptor."""

ACCUMULATOR_NUMBERS: dict[str, int] = {"f16": 0, "f32": 1, "s32": 2}
"""The values of the type field of D in an instruction descriptor."""


def instruction_descriptor(
    atom: MMAAtom, shape: MMAShape, a: MatrixOperand | None, b: MatrixOperand
) -> int:
    """The instruction descriptor: types, shape, and transposition of operands.

    `a` is None for A in tensor memory, which cannot be transposed.
    """
    return (
        # Bit positions of `.kind::f16` to `.kind::i8` (PTX ISA, "Instruction descriptor").
        ACCUMULATOR_NUMBERS[atom.accumulator] << 4
        | ELEMENT_NUMBERS[atom.a] << 7
        | ELEMENT_NUMBERS[atom.b] << 10
        | (a is not None and not a.is_k_major) << 15
        | (not b.is_k_major) << 16
        | shape.n >> 3 << 17
        | shape.m >> 4 << 24
    )


def issue_tcgen05_mma(op: MMAOp, atom: MMAAtom, rewriter: ThreadRewriter) -> None:
    """Issues an MMA, and waits for it unless a later op does in time."""
    builder = rewriter.builder
    stored_a, tile_b = operand_a_columns(op), rewriter.shared_tile(op.b)
    tile_a = rewriter.shared_tile(op.a) if stored_a is None else None
    rows, columns = accumulator_layout(op, op.c.type).shape
    shape = _instruction_shape(op, atom, rows, columns, rewriter.function.target)
    # Of a pair, each CTA has its rows of A and half of the columns of B.
    ctas = PAIR if is_of_pair(op.cta_group) else 1
    try:
        a_layout = None
        if tile_a is not None:
            a_layout = MatrixOperand.of(tile_a.layout, 0, shape.m // ctas, 1, shape.k)
        b_part, _ = part_in_cta(tile_b.layout)
        b_layout = MatrixOperand.of(b_part, 1, shape.n // ctas, 0, shape.k)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    (result,) = op.results
    is_stored, in_registers = op.c not in rewriter.function.columns.of, has_scales_in_registers(op)
    scales = _bring_scales(op, atom, rewriter)
    if stored_a is not None:
        _store_operand_a(op, stored_a, rewriter)
    adds = issue_mma(op, rewriter)
    meets = is_stored or in_registers or stored_a is not None
    if meets:
        meet_before_mma(rewriter)
    is_overtaken = rewriter.function.columns.of[result].is_overtaken
    is_awaited = _is_awaited_next(op)
    with mma_thread(op, rewriter):
        # Only the thread that issues needs the data: hardware reads the stage.
        await_stages(op, rewriter)
        if meets:
            # Keeps the MMAs after the barrier before them (PTX ISA, "tcgen05.fence").
            builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.AFTER))
        if tile_a is None or a_layout is None:
            a = TensorMemoryOperand.of(op, rewriter)
        else:
            starts = _starts_of_warps(rewriter.function.mma_warpgroups)
            a = shared_operand(tile_a, a_layout.tensor_memory_bits, a_layout, starts, rewriter)
        b = shared_operand(tile_b, b_layout.tensor_memory_bits, b_layout, [], rewriter)
        word = instruction_descriptor(atom, shape, a_layout, b_layout)
        if scales is not None:
            copy_scales(op, scales, rewriter)
        _issue_instructions(op, atom, shape, (a, b), adds, scales, word, rewriter)
        release_stages(op, rewriter)
        if is_awaited or is_overtaken:
            commit_accumulator(result, rewriter)
    note_accumulator(result, rewriter)
    # A `dot` has its result at once, unlike an `async.dot`.
    if isinstance(op, DotOp):
        finish_accumulator(op, result, rewriter)
        rewriter.replace(result, loaded_accumulator(op, result, rewriter))
    elif not is_awaited and (
        # Without a wait the operands could be overwritten while the MMA still reads them, or
        # scales, which only MMAs on the same accumulator wait for.
        not is_left_to_hardware(op, rewriter) or (in_registers and is_stored)
    ):
        finish_accumulator(op, result, rewriter)


@dataclass(frozen=True)
class TensorMemoryOperand:
    """An operand A in tensor memory, with two elements of a row in each column."""

    first: int
    depth: int
    """The number of elements in a row."""
    rewriter: ThreadRewriter

    @staticmethod
    def of(op: MMAOp, rewriter: ThreadRewriter) -> TensorMemoryOperand:
        """The operand of an MMA."""
        first = rewriter.function.columns.of[op.results[0]].operand_a
        assert first is not None
        return TensorMemoryOperand(first, tile_shape(op.a.type).shape[-1], rewriter)

    def at(self, _builder: LLVMBuilder, coordinate: Sequence[int]) -> SSAValue:
        """The address of the slice that begins at an element of a block's first row."""
        row, element = coordinate
        column = self.first + (row // LANES * self.depth + element) // ELEMENTS_OF_COLUMN
        own = own_columns(self.depth // ELEMENTS_OF_COLUMN, self.rewriter)
        offset = self.rewriter.builder.add(own, column, i32)
        return pointer(self.rewriter, address_of(self.rewriter, offset))


def _store_operand_a(op: MMAOp, columns: LinearLayout, rewriter: ThreadRewriter) -> None:
    """Stores A to its columns, from which an MMA reads it."""
    # The MMA before on the same accumulator may still read them. Where threads read, or replace,
    # an accumulator, they have waited for that.
    if op.c in rewriter.function.columns.of:
        finish_accumulator(op, op.c, rewriter)
    builder, elements = rewriter.builder, rewriter.registers(op.a)
    pairs = (
        elements[first : first + ELEMENTS_OF_COLUMN]
        for first in range(0, len(elements), ELEMENTS_OF_COLUMN)
    )
    packed = [packed_at_definition(builder, pair) for pair in pairs]
    first = TensorMemoryOperand.of(op, rewriter).first
    # One wait serves for both stores.
    is_awaited = not stores_accumulator(op, rewriter)
    store_accumulator(op, columns, first, packed, rewriter, is_awaited=is_awaited)


def _bring_scales(
    op: MMAOp, atom: MMAAtom, rewriter: ThreadRewriter
) -> ScalesInTensorMemory | None:
    """Stores an MMA's block scales to the columns after its accumulator, if they are in registers.

    Returns the columns of the scales; scales in shared memory are copied when the MMA is issued.
    """
    if not op.scales:
        return None
    scales = ScalesInTensorMemory.of(op, atom, rewriter)
    # The MMA before may still read its scales, unless each stage has columns for them.
    if op.c in rewriter.function.columns.of and None in map(scale_stages, op.scales):
        finish_accumulator(op, op.c, rewriter)
    if has_scales_in_registers(op):
        store_scales(op, scales, rewriter)
    return scales


def _issue_instructions(
    op: MMAOp,
    atom: MMAAtom,
    shape: MMAShape,
    operands: tuple[SharedOperand | TensorMemoryOperand, SharedOperand],
    adds: SSAValue,
    scales: ScalesInTensorMemory | None,
    word: int,
    rewriter: ThreadRewriter,
) -> None:
    """Issues the instructions of an MMA; `word` is the instruction descriptor without scales."""
    builder, (depth, columns) = rewriter.builder, tile_shape(op.b.type).shape
    own, (a, b) = own_columns(columns, rewriter), operands
    first = builder.add(own, first_column(op.results[0], rewriter), i32)
    numbers = ELEMENT_NUMBERS[atom.a], ELEMENT_NUMBERS[atom.b]
    # Each warpgroup issues those of its own rows.
    rows = tile_shape(op.a.type).shape[-2] // rewriter.function.mma_warpgroups
    for row, start in product(range(0, rows, LANES), range(0, columns, shape.n)):
        column = row // LANES * columns + start
        d = pointer(rewriter, address_of(rewriter, builder.add(first, column, i32)))
        for k in range(0, depth, shape.k):
            inputs = d, a.at(builder, (row, k)), b.at(builder, (k, start))
            # Later steps along K add to the first, which alone may overwrite old columns.
            enable = builder.integer(1, i1) if k else adds
            if scales is None:
                kind = KINDS.get(atom.a, Tcgen05Kind.F8F6F4)
                descriptor = builder.integer(word, i32)
                mma = Tcgen05MMAOp(*inputs, descriptor, enable, kind, cta_group(rewriter))
            else:
                scaled = scaled_instruction_descriptor(atom, shape, numbers)
                at = row, start, k
                mma = scaled_mma(*inputs, enable, scaled, at, scales, atom, rewriter)
            builder.insert_without_result(mma)


def own_columns(columns: int, rewriter: ThreadRewriter) -> Index:
    """The offset of this warpgroup's columns, if each warpgroup has so many and issues its own
    MMAs; otherwise 0.
    """
    if rewriter.function.mma_warpgroups == 1:
        return 0
    return rewriter.builder.multiply(warpgroup_index(rewriter), columns, i32)


def _starts_of_warps(warpgroups: int) -> list[tuple[int, int]]:
    """The row and column of A that each bit of the warp index adds, if warpgroups issue MMAs."""
    of_groups = range(warpgroups.bit_length() - 1)
    return [(0, 0), (0, 0), *((LANES << bit, 0) for bit in of_groups)] if of_groups else []


def _instruction_shape(
    op: MMAOp, atom: MMAAtom, rows: int, columns: int, target: Target
) -> MMAShape:
    """The shape of the instructions; raises `PassFailedException` if none fits an accumulator."""
    if is_of_pair(op.cta_group):
        for shape in atom.pair_shapes:
            # The halves of B are those of one instruction.
            if shape.is_available(target) and (shape.m, shape.n) == (PAIR * rows, columns):
                return shape
        fail(op, f"'{op.name}' op has no CTA-pair MMA for {rows} rows and {columns} columns")
    for shape in atom.available_shapes(target):
        # M is exact: the lanes of tensor memory that rows take depend on it (64 or 128).
        if shape.m == min(rows, LANES) and columns % shape.n == 0:
            return shape
    fail(op, f"'{op.name}' op has no instruction for {rows} rows and {columns} columns")


def _is_awaited_next(op: MMAOp) -> bool:
    """Whether the only use of the accumulator is a wait in the same block."""
    wait = only_wait(op.results[0])
    return wait is not None and wait.parent is op.parent
