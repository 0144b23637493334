"""Lowers dots to the matrix instruction of the op's atom, or to scalar multiply-adds.

Without an instruction for the types, each thread needs whole rows of A and whole columns of B for
its elements of C. Operands in memory are read one step along K at a time.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.layouts.exchanges import column_layout, row_layout, scales_layout
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, multiplies_elements
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.llvm import ExtractElementOp
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.linear import (
    LinearLayout,
    element_coordinate,
)
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.targets.throughput import throughput_of

from ..arithmetic.float_formats import convert_floats
from ..shared_memory.buffer_copies import loaded_tile
from ..shared_memory.layout_conversions import convert_registers
from ..shared_memory.scratch import LoadedTile
from ..thread.builder import Index, LLVMBuilder
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from ..thread.thread_maps import linear_map
from .fragments import registers_by_coordinate
from .mma_sync import OperandTile, mma_sync_dot
from .tcgen05_mma import issue_tcgen05_mma
from .wgmma import finish_mmas, issue_mma, packed_accumulator

MOST_IN_LINE = 512
"""The most multiply-adds of a thread without a loop; a larger dot loops over parts of K.

Instructions have 16 bytes, and the first instruction cache has 12 KiB, which suffices for this many
and their loads. Source: Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
Microbenchmarking".
"""

LEAST_DEPTH = 8
"""The minimal extent of a part along K."""


def computed_type(element: Attribute, accumulator: Attribute) -> Attribute:
    """The type of the multiplication: the accumulator's type, or f32 for 16-bit accumulators."""
    if isinstance(accumulator, Float64Type):
        return accumulator
    # Rounding to 16 bits after each step would lose bits that a matrix unit keeps.
    return i32 if isinstance(accumulator, IntegerType) else f32


def widened(
    values: Sequence[SSAValue],
    element: Attribute,
    to: Attribute,
    signedness: SignednessAttr | None,
    rewriter: ThreadRewriter,
) -> list[SSAValue]:
    """Extends an operand to the type of the multiplication, each value once."""
    builder = rewriter.builder
    # Signs are given by the op: the types of registers have none.
    if isinstance(to, IntegerType):
        is_signed = signedness is not None and signedness.data is Signedness.SIGNED
        extend = llvm.SExtOp if is_signed else llvm.ZExtOp
        return [v if v.type == to else builder.compute(extend, v, to) for v in values]
    mode = RoundingMode.NEAREST_EVEN
    return convert_floats(builder, rewriter.function.target, values, element, to, mode)


def scaled(
    op: MMAOp,
    values: Sequence[SSAValue],
    layout: LinearLayout,
    scales: SSAValue,
    axis: int,
    rewriter: ThreadRewriter,
) -> list[SSAValue]:
    """Multiplies an operand in f32 by its block scales, each of which covers a block along one
    axis.
    """
    builder = rewriter.builder
    held = layout_of(op, scales)
    assert held is not None
    # Each thread gets just the scales of its own elements.
    wanted, scale_of_register = scales_layout(layout, axis, held.shape)
    registers = convert_registers(op, rewriter.registers(scales), held, wanted, rewriter)
    element = tile_shape(scales.type).element
    operands = widened(registers, element, f32, None, rewriter)
    if isinstance(element, Float8E4M3FNType):
        # Instructions read scales without a sign, as ue4m3.
        operands = [builder.compute(llvm.FAbsOp, value, f32) for value in operands]
    positions = {element: number for number, element in enumerate(wanted.register_elements())}
    return [
        builder.insert(llvm.FMulOp(value, operands[positions[scale]]))
        for value, scale in zip(values, scale_of_register, strict=True)
    ]


class _ElementsOfOperand:
    """The elements of A or B in the type of the multiplication, in registers or read from memory
    when needed.
    """

    def __init__(
        self,
        op: MMAOp,
        operand: SSAValue,
        signedness: SignednessAttr | None,
        layout: LinearLayout,
        number: int,
        rewriter: ThreadRewriter,
        moved: Index = 0,
        moved_bits: int = -1,
    ):
        held = layout_of(op, operand)
        assert held is not None
        self._rewriter, self._signedness, self._layout = rewriter, signedness, layout
        self._element = tile_shape(operand.type).element
        self._computed = computed_type(self._element, tile_shape(op.c.type).element)
        tile = _operand_tile(operand, rewriter, moved, moved_bits)
        if isinstance(tile, LoadedTile) and held == layout:
            self._tile: OperandTile = tile
        else:
            registers = tile.registers() if isinstance(tile, LoadedTile) else tile
            converted = convert_registers(op, registers, held, layout, rewriter)
            self._tile = self._widened(converted)
            if op.scales:
                axis = len(layout.shape) - (1 if number == 0 else 2)
                scales = op.scales[number]
                self._tile = scaled(op, self._tile, layout, scales, axis, rewriter)
        self._numbers = registers_by_coordinate(layout)
        self._read: dict[int, SSAValue] = {}

    def part_offsets(self, along: int, parts: int) -> list[int] | None:
        """The byte offsets, combined by exclusive or, of the parts 1, 2, 4, .. of a dimension.

        None if the operand is not read from memory part by part.
        """
        if not isinstance(self._tile, LoadedTile):
            return None
        extent = self._layout.shape[along]
        found: list[int] = []
        for part in range(parts.bit_length() - 1):
            coordinate = [0] * len(self._layout.shape)
            coordinate[along] = (extent // parts) << part
            offset = self._tile.offset(self._numbers[tuple(coordinate)])
            if offset is None:
                return None
            found.append(offset)
        return found

    def _widened(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return widened(values, self._element, self._computed, self._signedness, self._rewriter)

    def at(self, coordinate: tuple[int, ...]) -> SSAValue:
        """One element."""
        number = self._numbers[coordinate]
        if not isinstance(self._tile, LoadedTile):
            return self._tile[number]
        if number not in self._read:
            (self._read[number],) = self._widened([self._tile.register(number)])
        return self._read[number]


def fma_dot(op: MMAOp, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """The accumulators after a dot; terms are added in ascending order along K."""
    builder = rewriter.builder
    c = layout_of(op, op.c)
    assert c is not None
    depth = tile_shape(op.a.type).shape[-1]
    accumulator = tile_shape(op.c.type).element
    operands = _elements_of_operands(op, c, depth, rewriter)
    held_accumulators = rewriter.registers(op.c)
    narrow = isinstance(accumulator, Float16Type)
    done = (
        widened(held_accumulators, accumulator, f32, None, rewriter)
        if narrow
        else list(held_accumulators)
    )
    elements = [element_coordinate(element, c.shape) for element in c.register_elements()]
    has_pairs = throughput_of(rewriter.function.target).has_packed_f32
    has_pairs = has_pairs and isinstance(done[0].type, Float32Type)
    parts, offsets = _parts_along_k(operands, len(elements), depth)
    if parts == 1:
        done = _multiply(builder, operands, elements, depth, done, has_pairs=has_pairs)
    else:

        def step(state: State) -> State:
            part, *sums = state
            moved = [linear_map(builder, part, each) for each in offsets]
            bits = [reduce(or_, each) for each in offsets]
            read = _elements_of_operands(op, c, depth, rewriter, moved, bits)
            shallow = depth // parts
            sums = _multiply(builder, read, elements, shallow, sums, has_pairs=has_pairs)
            return [builder.integer(builder.add(part, 1, i32), i32), *sums]

        def remains(state: State) -> SSAValue:
            return builder.compare("ult", state[0], builder.integer(parts, i32))

        first = builder.integer(0, i32)
        _, *done = repeat_while(builder, [first, *done], remains, step, unrolled=False)
    if not narrow:
        return tuple(done)
    mode = RoundingMode.NEAREST_EVEN
    return tuple(convert_floats(builder, rewriter.function.target, done, f32, accumulator, mode))


def _elements_of_operands(
    op: MMAOp,
    c: LinearLayout,
    depth: int,
    rewriter: ThreadRewriter,
    moved: Sequence[Index] = (0, 0),
    moved_bits: Sequence[int] = (-1, -1),
) -> list[_ElementsOfOperand]:
    """The elements of A and B in the rows and columns that each thread needs for its elements
    of C.
    """
    return [
        _ElementsOfOperand(op, operand, signedness, layout, number, rewriter, moved[number], bits)
        for number, (operand, signedness, layout, bits) in enumerate(
            (
                (op.a, op.signedness_a, row_layout(c, depth), moved_bits[0]),
                (op.b, op.signedness_b, column_layout(c, depth), moved_bits[1]),
            )
        )
    ]


def _parts_along_k(
    operands: Sequence[_ElementsOfOperand], elements: int, depth: int
) -> tuple[int, list[list[int]]]:
    """The number of parts of K in a loop, and the memory offsets of each operand's parts."""
    parts, offsets = 1, list[list[int]]()
    while elements * depth // parts > MOST_IN_LINE and depth // (2 * parts) >= LEAST_DEPTH:
        a, b = operands[0].part_offsets(-1, 2 * parts), operands[1].part_offsets(-2, 2 * parts)
        if a is None or b is None:
            break
        parts, offsets = 2 * parts, [a, b]
    return parts, offsets


def _multiply(
    builder: LLVMBuilder,
    operands: Sequence[_ElementsOfOperand],
    elements: Sequence[tuple[int, ...]],
    depth: int,
    accumulators: Sequence[SSAValue],
    *,
    has_pairs: bool,
) -> list[SSAValue]:
    """Accumulates the first `depth` terms into each of the thread's elements of C."""
    if has_pairs and _come_in_pairs(operands, elements):
        return _multiply_pairs(builder, operands, elements, depth, accumulators)
    done = list(accumulators)
    # Ascending along K, as the interpreters add: the results are equal bit by bit. All elements
    # take a step before the next one, so that what is read from memory is live for one step.
    for k in range(depth):
        for number, (*batch, row, column) in enumerate(elements):
            a = operands[0].at((*batch, row, k))
            b = operands[1].at((*batch, k, column))
            done[number] = multiply_add(builder, a, b, done[number])
    return done


def _come_in_pairs(
    operands: Sequence[_ElementsOfOperand], elements: Sequence[tuple[int, ...]]
) -> bool:
    """Whether the rows or columns of two neighbours are loaded to consecutive registers.

    Otherwise moves to consecutive registers would cost what packed instructions save.
    """
    if len(elements) < 2:
        return False
    (*batch, row, column), (*other_batch, other_row, other_column) = elements[:2]
    if batch != other_batch:
        return False
    if row == other_row:
        pair = [operands[1].at((*batch, 0, number)) for number in (column, other_column)]
    else:
        pair = [operands[0].at((*batch, number, 0)) for number in (row, other_row)]
    first, second = map(_lane, pair)
    return first is not None and first[1] % 2 == 0 and second == (first[0], first[1] + 1)


def _lane(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The vector of which a value is an element, and the element's index."""
    extract = value.owner
    if not isinstance(extract, ExtractElementOp):
        return None
    position = extract.position.owner
    if not isinstance(position, llvm.ConstantOp) or not isinstance(position.value, IntegerAttr):
        return None
    return extract.vector, position.value.value.data


def _multiply_pairs(
    builder: LLVMBuilder,
    operands: Sequence[_ElementsOfOperand],
    elements: Sequence[tuple[int, ...]],
    depth: int,
    accumulators: Sequence[SSAValue],
) -> list[SSAValue]:
    """Accumulates in f32 as `_multiply` does, but two neighbours at once."""
    # A thread has a power of two of elements.
    pairs = [(elements[n], elements[n + 1]) for n in range(0, len(elements), 2)]
    done = [builder.vector(accumulators[n : n + 2]) for n in range(0, len(elements), 2)]
    # Rows and columns have several neighbours, so that each is made a vector once.
    vectors: dict[tuple[SSAValue, ...], SSAValue] = {}

    def vector(*values: SSAValue) -> SSAValue:
        if values not in vectors:
            vectors[values] = builder.vector(values)
        return vectors[values]

    for k in range(depth):
        for number, pair in enumerate(pairs):
            a = vector(*(operands[0].at((*batch, row, k)) for *batch, row, _ in pair))
            b = vector(*(operands[1].at((*batch, k, column)) for *batch, _, column in pair))
            done[number] = builder.insert(llvm.FMAOp(a, b, done[number]))
    return [element for pair in done for element in builder.elements(pair, 2)]


def multiply_add(builder: LLVMBuilder, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    """`a * b + c` in the type of the accumulator."""
    if isinstance(c.type, IntegerType):
        # `llvm` has no integer multiply-add; ptxas makes one IMAD of both.
        return builder.insert(llvm.AddOp(builder.insert(llvm.MulOp(a, b)), c))
    return builder.insert(llvm.FMAOp(a, b, c))


class LowerMMA(LowerOp[MMAOp]):
    """Lowers an MMA by its atom's instruction if that reads registers or shared memory, otherwise
    by multiply-adds.
    """

    def lower(self, op: MMAOp, rewriter: ThreadRewriter) -> None:
        atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
        (result,) = op.results
        element = tile_shape(op.accumulator_type).element
        had = f"s{element.width.data}" if isinstance(element, IntegerType) else str(element)
        if atom is not None and atom.accumulator != had:
            message = f"expects an atom with an accumulator of {had}, but got {atom.name}"
            fail(op, f"'{op.name}' op {message}")
        # `wgmma` reads B from shared memory alone (PTX ISA, "wgmma.mma_async").
        if (
            atom is not None
            and atom.kind is MMAKind.WARPGROUP
            and rewriter.buffer(op.b) is not None
        ):
            registers = issue_mma(op, atom, rewriter)
            if not isinstance(result.type, ValueType):
                registers = finish_mmas(op, registers, 0, rewriter)
            rewriter.replace(result, registers)
            return
        if atom is not None and is_tensor_memory_mma(op):
            issue_tcgen05_mma(op, atom, rewriter)
            return
        if atom is None or multiplies_elements(op):
            if op.has_pairs:
                fail(op, f"'{op.name}' op has operands that atom {op.atom} cannot read")
            elements = fma_dot(op, rewriter)
            is_awaited = isinstance(result.type, ValueType)
            registers = packed_accumulator(rewriter.builder, elements) if is_awaited else elements
            rewriter.replace(result, registers)
            return
        layouts = [layout_of(op, operand) for operand in (op.a, op.b, op.c, *op.scales)]
        known = [layout for layout in layouts if layout is not None]
        operands = _operand_tile(op.a, rewriter), _operand_tile(op.b, rewriter)
        scales = [_operand_tile(tile, rewriter) for tile in op.scales]
        sums = rewriter.registers(op.c)
        rewriter.replace(result, mma_sync_dot(op, atom, known, operands, scales, sums, rewriter))


def _operand_tile(
    operand: SSAValue, rewriter: ThreadRewriter, moved: Index = 0, moved_bits: int = -1
) -> OperandTile:
    load = operand.owner
    # Loaded by the dot itself, so that only the fragments of one step are live.
    if isinstance(load, Operation) and stands_at_mma(load):
        layout = layout_of(load, operand)
        assert layout is not None
        return loaded_tile(
            load,
            rewriter.shared_tile(load.operands[0]),
            layout,
            load.operands[0],
            rewriter,
            moved=moved,
            moved_bits=moved_bits,
        )
    return rewriter.registers(operand)


PATTERNS: Patterns = {nv_tileas.AsyncDotOp: LowerMMA, nv_tileas.DotOp: LowerMMA}
