"""Functions, program coordinates, and the ops that make and reshape tiles."""

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.layout_transfer import registers_of
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nvvm.special_registers import (
    BlockIdXOp,
    BlockIdYOp,
    BlockIdZOp,
    GridDimXOp,
    GridDimYOp,
    GridDimZOp,
)

from .builder import LLVMBuilder
from .patterns import Lowering, LowerOp
from .values import ThreadProgram, register_count, register_type

THREADS_PER_WARP = 32

BLOCK_ID = (BlockIdXOp, BlockIdYOp, BlockIdZOp)
GRID_DIM = (GridDimXOp, GridDimYOp, GridDimZOp)


class LowerFunc(RewritePattern):
    """Opens the thread's program of a kernel: `llvm.func` with the launch attributes of PTX.

    Parameters stay in order; a pointer's known alignment becomes `llvm.align`.
    """

    def __init__(self, lowering: Lowering):
        self.lowering = lowering

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.FuncOp)
        types = [register_type(op, tile_shape(type).element) for type in op.body.block.arg_types]
        block = Block(arg_types=types)
        function = llvm.FuncOp(
            op.sym_name,
            llvm.LLVMFunctionType(types),
            linkage=llvm.LinkageAttr("external"),
            body=Region(block),
            extra_attrs=launch_attributes(op),
        )
        alignments = [parameter_attributes(argument) for argument in op.body.block.args]
        if any(attributes.data for attributes in alignments):
            function.arg_attrs = ArrayAttr(alignments)
        function.location = op.location
        rewriter.insert(function, InsertPoint.before(op))
        program = ThreadProgram(LLVMBuilder(block, op.location), block_threads(op))
        for argument, parameter in zip(op.body.block.args, block.args, strict=True):
            parameter.name_hint = argument.name_hint
            program.registers[argument] = (parameter,)
        self.lowering.program = program


def block_threads(op: nv_tileaa.FuncOp) -> int:
    """The threads of a block that runs a kernel; a function of another kind runs in one thread."""
    return 1 if op.kernel_spec is None else THREADS_PER_WARP * op.kernel_spec.num_warps.data


def launch_attributes(op: nv_tileaa.FuncOp) -> dict[str, Attribute]:
    """The attributes by which NVVM marks a kernel and states its launch bounds."""
    if op.kernel_spec is None:
        return {}
    spec = op.kernel_spec
    attributes: dict[str, Attribute] = {
        "nvvm.kernel": UnitAttr(),
        "nvvm.reqntid": DenseArrayBase.from_list(i32, [block_threads(op), 1, 1]),
        "nvvm.minctasm": IntegerAttr(getattr(spec.occupancy, "data", 1), i32),
    }
    if spec.num_ctas.data > 1:
        attributes["nvvm.cluster_dim"] = DenseArrayBase.from_list(i32, [spec.num_ctas.data, 1, 1])
    return attributes


def parameter_attributes(argument: SSAValue) -> DictionaryAttr:
    """`llvm.align` of a pointer parameter, as far as its assumes promise."""
    if not isinstance(argument.type, PointerType):
        return DictionaryAttr({})
    divisors = [
        use.operation.predicate.divisor.data
        for use in argument.uses
        if isinstance(use.operation, nv_tileaa.AssumeOp)
        and isinstance(use.operation.predicate, nv_tileaa.DivByAttr)
    ]
    # PTX accepts alignments of parameters up to 128 bytes.
    alignment = min(max(divisors, default=1), 128)
    return DictionaryAttr({"llvm.align": IntegerAttr(alignment, i64)} if alignment > 1 else {})


class LowerReturn(LowerOp[nv_tileaa.ReturnOp]):
    def lower(self, op: nv_tileaa.ReturnOp, program: ThreadProgram) -> None:
        program.builder.insert_without_result(llvm.ReturnOp())


class LowerGetProgramId(LowerOp[nv_tileaa.GetProgramIdOp]):
    """A tile block is a thread block: its coordinate is `%ctaid`."""

    def lower(self, op: nv_tileaa.GetProgramIdOp, program: ThreadProgram) -> None:
        register = program.builder.insert(BLOCK_ID[op.axis.value.data]())
        program.registers[op.result] = (register,)


class LowerGetNumPrograms(LowerOp[nv_tileaa.GetNumProgramsOp]):
    def lower(self, op: nv_tileaa.GetNumProgramsOp, program: ThreadProgram) -> None:
        register = program.builder.insert(GRID_DIM[op.axis.value.data]())
        program.registers[op.result] = (register,)


class LowerConstant(LowerOp[arith.ConstantOp]):
    """A scalar constant; tiles of constants are splats of them."""

    def lower(self, op: arith.ConstantOp, program: ThreadProgram) -> None:
        if not isinstance(op.value, IntegerAttr | FloatAttr):
            fail(op, f"'{op.name}' op of type {op.result.type} is not supported yet in a thread")
        program.registers[op.result] = (program.builder.constant(op.value, op.result.type),)


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


class LowerConvertLayout(LowerOp[nv_tileas.ConvertLayoutOp]):
    """A conversion inside each thread renames registers."""

    def lower(self, op: nv_tileas.ConvertLayoutOp, program: ThreadProgram) -> None:
        source, result = layout_of(op, op.source), layout_of(op, op.result)
        assert source is not None and result is not None
        if source.thread_bases() != result.thread_bases():
            fail(op, f"'{op.name}' op between threads is not supported")
        where = {element: number for number, element in enumerate(source.register_elements())}
        elements = result.register_elements()
        if not set(elements) <= set(where):
            fail(op, f"'{op.name}' op between threads is not supported")
        registers = program.registers[op.source]
        program.registers[op.result] = tuple(registers[where[element]] for element in elements)
