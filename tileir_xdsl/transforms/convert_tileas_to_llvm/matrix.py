"""Matrix products in registers: one `mma.sync` for each fragment, or multiplications and additions.

The layouts say which: where those of the operands are the fragments of the op's atom, the registers
of a thread are the operands of the instruction as they stand. Where no instruction multiplies the
types each thread needs whole rows of A and whole columns of B for the elements it has of C.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    Float16Type,
    Float64Type,
    IntegerType,
    f32,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.attributes import RoundingMode, Signedness, SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import ProductOp
from tileir_xdsl.dialects.nvvm.attributes import MMAType
from tileir_xdsl.dialects.nvvm.matrix import MmaOp
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.fragments import (
    ACCUMULATOR,
    ACCUMULATOR_8_ROWS,
    Fragment,
    Position,
    operand_a,
    operand_b,
)
from tileir_xdsl.layout.linear import (
    LinearLayout,
    dimension_bases,
    element_coordinate,
    element_strides,
)
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAAtom, MMAKind, MMAShape

from .builder import LLVMBuilder
from .column_places import is_tensor_memory_product
from .float_formats import convert_floats
from .fragments import fragment_bases, fragment_positions, registers_by_coordinate
from .layout_conversions import convert_registers
from .patterns import LowerOp, Patterns
from .tensor_memory_products import loaded_sum, multiply_in_tensor_memory
from .values import ThreadProgram
from .warpgroup_products import accumulator_words, finish_products, start_product
from .words import pack

# mma.sync.


@dataclass(frozen=True)
class Fragments:
    """The operands of one shape of an instruction, and how they repeat its basic fragments."""

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
        """Rows and columns of the elements in the registers of lane 0, in order."""
        step = self.a.extent[1]
        return [
            (row, k + c)
            for k in range(0, self.shape.k, step)
            for row, c in fragment_positions(self.a)
        ]

    def positions_b(self) -> list[Position]:
        """The same for B: rows are along K."""
        step = self.b.extent[0]
        return [
            (k + row, c)
            for k in range(0, self.shape.k, step)
            for row, c in fragment_positions(self.b)
        ]

    def positions_c(self) -> list[Position]:
        """The same for C and D."""
        return fragment_positions(self.c)

    def match(self, a: LinearLayout, b: LinearLayout, c: LinearLayout) -> bool:
        """Whether layouts put the elements where the instruction wants them."""
        extents = (*c.shape[-2:], a.shape[-1])
        sizes = (self.shape.m, self.shape.n, self.shape.k)
        return all(extent % size == 0 for extent, size in zip(extents, sizes, strict=True)) and all(
            layout.lane == fragment_bases(fragment.lane, layout.shape)
            and set(fragment_bases(fragment.register, layout.shape)) <= set(layout.register)
            for fragment, layout in ((self.a, a), (self.b, b), (self.c, c))
        )


def instruction_fragments(
    op: ProductOp, atom: MMAAtom, layouts: Sequence[LinearLayout], program: ThreadProgram
) -> Fragments:
    """The first shape of an atom whose fragments the layouts are.

    Raises `PassFailedException` if there is none.
    """
    for shape in atom.available_shapes(program.target):
        fragments = Fragments.of(shape, atom.operand_bits)
        if shape.m in (8, 16) and fragments.match(*layouts):
            return fragments
    fail(op, f"'{op.name}' op has operands in other layouts than its atom {atom.name} needs")


def operand_words(
    builder: LLVMBuilder, values: Sequence[SSAValue], atom_type: str
) -> list[SSAValue]:
    """Registers of an operand as an instruction takes them: f64 alone, others as words."""
    if atom_type == "f64":
        return list(values)
    bits = 32 if atom_type == "tf32" else {"f16": 16, "bf16": 16}.get(atom_type, 8)
    size = 32 // bits
    groups = [values[first : first + size] for first in range(0, len(values), size)]
    if atom_type == "f16":
        return [builder.vector(group) for group in groups]
    return [pack(builder, group)[0] for group in groups]


def accumulator_registers(builder: LLVMBuilder, result: SSAValue, count: int) -> list[SSAValue]:
    """The opposite of `accumulator_words`, for the structure that an instruction gives."""
    type = result.type
    assert isinstance(type, llvm.LLVMStructType)
    fields = [builder.field(result, number) for number in range(len(type.types))]
    if len(fields) == count:
        return fields
    return [element for field in fields for element in builder.elements(field, 2)]


def multiply_fragments(
    op: ProductOp,
    atom: MMAAtom,
    layouts: Sequence[LinearLayout],
    tiles: Sequence[Sequence[SSAValue]],
    program: ThreadProgram,
) -> tuple[SSAValue, ...]:
    """One instruction for every fragment of C that a warp has, and every step along K."""
    builder = program.builder
    fragments = instruction_fragments(op, atom, layouts, program)
    held = [registers_by_coordinate(layout) for layout in layouts]
    shape = fragments.shape
    types = MMAType(atom.a), MMAType(atom.b)
    depth = layouts[0].shape[-1]
    result = list(tiles[2])

    def part(operand: int, batch: tuple[int, ...], first: Position, places: list[Position]):
        coordinates = [(*batch, first[0] + row, first[1] + column) for row, column in places]
        return [held[operand][coordinate] for coordinate in coordinates]

    for origin in held[2]:
        *leading, row, column = origin
        if row % shape.m or column % shape.n:
            continue
        batch = tuple(leading)
        registers = part(2, batch, (row, column), fragments.positions_c())
        for k in range(0, depth, shape.k):
            a = [tiles[0][r] for r in part(0, batch, (row, k), fragments.positions_a())]
            b = [tiles[1][r] for r in part(1, batch, (k, column), fragments.positions_b())]
            product_op = MmaOp(
                operand_words(builder, a, atom.a),
                operand_words(builder, b, atom.b),
                accumulator_words(builder, [result[r] for r in registers]),
                (shape.m, shape.n, shape.k),
                types,
            )
            sums = accumulator_registers(builder, builder.insert(product_op), len(registers))
            for register, value in zip(registers, sums, strict=True):
                result[register] = value
    return tuple(result)


# Multiplications and additions.


def row_layout(result: LinearLayout, depth: int) -> LinearLayout:
    """The layout of A in which each thread has the whole rows of what it has of C."""
    shape = (*result.shape[:-1], depth)
    return _operand_layout(result, shape, len(shape) - 1)


def column_layout(result: LinearLayout, depth: int) -> LinearLayout:
    """The layout of B in which each thread has the whole columns of what it has of C."""
    shape = (*result.shape[:-2], depth, result.shape[-1])
    return _operand_layout(result, shape, len(shape) - 2)


def _operand_layout(result: LinearLayout, shape: tuple[int, ...], summed: int) -> LinearLayout:
    places: dict[int, int] = {}
    for dimension in range(len(shape)):
        if dimension != summed:
            pairs = (dimension_bases(x, dimension) for x in (result.shape, shape))
            places.update(zip(*pairs, strict=True))

    def placed(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(sum(place for base, place in places.items() if bits & base) for bits in bases)

    register = (
        *dimension_bases(shape, summed),
        *f2.independent(base for base in placed(result.register) if base),
    )
    return LinearLayout(
        register, placed(result.lane), placed(result.warp), placed(result.block), shape
    )


def computed_type(element: Attribute, accumulator: Attribute) -> Attribute:
    """In what an operand is multiplied: the accumulator's type, but f32 instead of 16 bits."""
    if isinstance(accumulator, Float64Type):
        return accumulator
    return i32 if isinstance(accumulator, IntegerType) else f32


def widened(
    values: Sequence[SSAValue],
    element: Attribute,
    to: Attribute,
    signedness: SignednessAttr | None,
    program: ThreadProgram,
) -> list[SSAValue]:
    """An operand in the type that it is multiplied in; each value once."""
    builder = program.builder
    if isinstance(to, IntegerType):
        is_signed = signedness is not None and signedness.data is Signedness.SIGNED
        extend = llvm.SExtOp if is_signed else llvm.ZExtOp
        return [v if v.type == to else builder.compute(extend, v, to) for v in values]
    mode = RoundingMode.NEAREST_EVEN
    return convert_floats(builder, program.target, values, element, to, mode)


def scaled(
    op: ProductOp,
    values: Sequence[SSAValue],
    layout: LinearLayout,
    scales: SSAValue,
    axis: int,
    program: ThreadProgram,
) -> list[SSAValue]:
    """An operand in f32 times its scales, of which each serves a block along one axis."""
    builder = program.builder
    held = layout_of(op, scales)
    assert held is not None
    block = layout.shape[axis] // held.shape[axis]
    strides, small = element_strides(layout.shape), element_strides(held.shape)

    def index(element: int) -> int:
        coordinate = list(element_coordinate(element, layout.shape))
        coordinate[axis] //= block
        return sum(c * stride for c, stride in zip(coordinate, small, strict=True))

    def placed(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(map(index, bases))

    assert strides
    wanted = LinearLayout(
        tuple(f2.independent(base for base in placed(layout.register) if base)),
        placed(layout.lane),
        placed(layout.warp),
        placed(layout.block),
        held.shape,
    )
    registers = convert_registers(op, program.registers[scales], held, wanted, program)
    element = tile_shape(scales.type).element
    factors = widened(registers, element, f32, None, program)
    places = {element: number for number, element in enumerate(wanted.register_elements())}
    return [
        builder.insert(llvm.FMulOp(value, factors[places[index(element)]]))
        for value, element in zip(values, layout.register_elements(), strict=True)
    ]


def multiply_elements(op: ProductOp, program: ThreadProgram) -> tuple[SSAValue, ...]:
    """The sum of products for every element that a thread has of C, along K from the first on."""
    builder = program.builder
    c = layout_of(op, op.c)
    assert c is not None
    depth = tile_shape(op.a.type).shape[-1]
    accumulator = tile_shape(op.c.type).element
    operands: list[list[SSAValue]] = []
    layouts: list[LinearLayout] = []
    for number, (operand, signedness, layout) in enumerate(
        (
            (op.a, op.signedness_a, row_layout(c, depth)),
            (op.b, op.signedness_b, column_layout(c, depth)),
        )
    ):
        held = layout_of(op, operand)
        assert held is not None
        registers = convert_registers(op, program.registers[operand], held, layout, program)
        element = tile_shape(operand.type).element
        type = computed_type(element, accumulator)
        values = widened(registers, element, type, signedness, program)
        if op.scales:
            axis = len(layout.shape) - (1 if number == 0 else 2)
            values = scaled(op, values, layout, op.scales[number], axis, program)
        operands.append(values)
        layouts.append(layout)
    rows, columns = map(registers_by_coordinate, layouts)
    held_sums = program.registers[op.c]
    narrow = isinstance(accumulator, Float16Type)
    sums = widened(held_sums, accumulator, f32, None, program) if narrow else list(held_sums)
    done: list[SSAValue] = []
    for total, element in zip(sums, c.register_elements(), strict=True):
        *batch, row, column = element_coordinate(element, c.shape)
        for k in range(depth):
            a = operands[0][rows[*batch, row, k]]
            b = operands[1][columns[*batch, k, column]]
            total = _multiply_add(builder, a, b, total)
        done.append(total)
    if not narrow:
        return tuple(done)
    mode = RoundingMode.NEAREST_EVEN
    return tuple(convert_floats(builder, program.target, done, f32, accumulator, mode))


def _multiply_add(builder: LLVMBuilder, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    if isinstance(c.type, IntegerType):
        return builder.insert(llvm.AddOp(builder.insert(llvm.MulOp(a, b)), c))
    return builder.insert(llvm.FMAOp(a, b, c))


class LowerProduct(LowerOp[ProductOp]):
    """By the instruction of the op's atom, if it has one for registers or shared memory."""

    def lower(self, op: ProductOp, program: ThreadProgram) -> None:
        atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
        (result,) = op.results
        if atom is not None and atom.kind is MMAKind.WARPGROUP and op.b in program.shared_tiles:
            words = start_product(op, atom, program)
            if not isinstance(result.type, ValueType):
                words = finish_products(op, words, 0, program)
            program.registers[result] = words
            return
        if atom is not None and is_tensor_memory_product(op):
            column = multiply_in_tensor_memory(op, atom, program)
            if isinstance(result.type, ValueType):
                program.registers[result], program.tensor_tiles[result] = (), column
            else:
                program.registers[result] = loaded_sum(op, column, program)
            return
        if atom is None or atom.kind is not MMAKind.WARP or op.scales:
            elements = multiply_elements(op, program)
            is_awaited = isinstance(result.type, ValueType)
            words = accumulator_words(program.builder, elements) if is_awaited else elements
            program.registers[result] = words
            return
        layouts = [layout_of(op, operand) for operand in (op.a, op.b, op.c)]
        known = [layout for layout in layouts if layout is not None]
        tiles = [program.registers[operand] for operand in (op.a, op.b, op.c)]
        program.registers[result] = multiply_fragments(op, atom, known, tiles, program)


PATTERNS: Patterns = {nv_tileas.AsyncDotOp: LowerProduct, nv_tileas.DotOp: LowerProduct}
