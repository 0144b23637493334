"""Ops that make tiles of scalars, and re-index tiles."""

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType, i1, i8
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.layout_transfer import registers_of
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from .memory import load_registers
from .patterns import LowerOp, Patterns
from .values import ThreadProgram, register_count, register_type


class LowerConstant(LowerOp[arith.ConstantOp]):
    """A scalar constant, a tile of one, or a tile of many, which is read from a global array."""

    def lower(self, op: arith.ConstantOp, program: ThreadProgram) -> None:
        element = register_type(op, tile_shape(op.result.type).element)
        value = op.value
        if isinstance(value, DenseIntOrFPElementsAttr):
            values = list(value.iter_attrs())
            if len(values) == 1 or value.is_splat():
                register = program.builder.constant(constant_attribute(values[0], element), element)
                program.registers[op.result] = (register,) * register_count(op, op.result)
                return
            self._read(op, value, element, program)
            return
        register = program.builder.constant(constant_attribute(value, element), element)
        program.registers[op.result] = (register,)

    def _read(
        self,
        op: arith.ConstantOp,
        values: DenseIntOrFPElementsAttr,
        element: Attribute,
        program: ThreadProgram,
    ) -> None:
        """Loads the elements of this thread from an array in global memory."""
        builder, layout = program.builder, layout_of(op, op.result)
        assert layout is not None
        memory_element = i8 if element == i1 else element
        array = program.constant_array(values, memory_element)
        offset = builder.thread_offset(layout.thread_bases())
        first = builder.element_pointer(array, offset, memory_element)
        program.registers[op.result] = load_registers(
            builder,
            element,
            {
                register: builder.element_pointer(first, number, memory_element)
                for register, number in enumerate(layout.register_elements())
            },
            [None] * layout.registers,
            None,
            1,
        )


def constant_attribute(value: Attribute, type: Attribute) -> Attribute:
    """A constant of the tile program as one of the type that registers hold it in."""
    if isinstance(value, IntegerAttr):
        assert isinstance(type, IntegerType)
        return IntegerAttr(value.value.data, type, truncate_bits=True)
    return value


class LowerPoison(LowerOp[ub.PoisonOp]):
    """A value that nobody may look at."""

    def lower(self, op: ub.PoisonOp, program: ThreadProgram) -> None:
        type = register_type(op, tile_shape(op.result.type).element)
        register = program.builder.insert(PoisonOp(type))
        program.registers[op.result] = (register,) * register_count(op, op.result)


class LowerAssume(LowerOp[nv_tileaa.AssumeOp]):
    """A fact costs nothing: the result is the operand."""

    def lower(self, op: nv_tileaa.AssumeOp, program: ThreadProgram) -> None:
        program.registers[op.result] = program.registers[op.value]


class LowerSplat(LowerOp[nv_tileaa.SplatOp]):
    def lower(self, op: nv_tileaa.SplatOp, program: ThreadProgram) -> None:
        register = program.scalar(op.value)
        program.registers[op.result] = (register,) * register_count(op, op.result)


class LowerMakeRange(LowerOp[nv_tileaa.MakeRangeOp]):
    """Element i of the range is start + i; i is a thread's offset plus a register's constant."""

    def lower(self, op: nv_tileaa.MakeRangeOp, program: ThreadProgram) -> None:
        builder, layout = program.builder, layout_of(op, op.result)
        type = tile_shape(op.result.type).element
        assert layout is not None and isinstance(type, IntegerType)
        offset = builder.thread_offset(layout.thread_bases())
        offset = builder.truncate(builder.zero_extend(offset, type), type)
        first = builder.add(program.scalar(op.start), offset, type)
        program.registers[op.result] = tuple(
            builder.integer(builder.add(first, element, type), type)
            for element in layout.register_elements()
        )


class LowerExtract(LowerOp[nv_tileaa.ExtractOp]):
    """Every thread has the one element of a tile in its first register."""

    def lower(self, op: nv_tileaa.ExtractOp, program: ThreadProgram) -> None:
        if op.indices:
            fail(op, f"'{op.name}' op with indices is not supported yet in a thread")
        program.registers[op.result] = program.registers[op.source][:1]


class LowerReshape(LowerOp[Operation]):
    """Views and broadcasts whose layouts keep every element in its thread."""

    def lower(self, op: Operation, program: ThreadProgram) -> None:
        (source,), (result,) = op.operands, op.results
        held, wanted = layout_of(op, source), layout_of(op, result)
        registers = program.registers[source]
        assert held is not None and wanted is not None
        places = registers_of(op, held, wanted)
        if places is None:
            fail(op, f"'{op.name}' op expects source and result in the same threads")
        program.registers[result] = tuple(registers[place] for place in places if place is not None)


PATTERNS: Patterns = {
    arith.ConstantOp: LowerConstant,
    ub.PoisonOp: LowerPoison,
    nv_tileaa.AssumeOp: LowerAssume,
    nv_tileaa.BroadcastOp: LowerReshape,
    nv_tileaa.ExtractOp: LowerExtract,
    nv_tileaa.MakeRangeOp: LowerMakeRange,
    nv_tileaa.SplatOp: LowerSplat,
    nv_tileas.ViewOp: LowerReshape,
}
