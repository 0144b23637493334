"""Functions with their launch bounds, and the coordinates of a tile block in its grid."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nvvm.requirements import module_target
from tileir_xdsl.dialects.nvvm.special_registers import (
    BlockIdXOp,
    BlockIdYOp,
    BlockIdZOp,
    GridDimXOp,
    GridDimYOp,
    GridDimZOp,
)
from tileir_xdsl.targets import get_target

from ..convert_cuda_tile_to_tileaa import DEFAULT_TARGET
from .allocations import release_allocations
from .builder import LLVMBuilder
from .patterns import Lowering, LowerOp, Patterns
from .shared_memory import assign_places
from .values import ThreadProgram, register_type
from .variables import Variables

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
        target = module_target(op) or get_target(DEFAULT_TARGET)
        variables = Variables(op.sym_name.data, target.limits)
        places = assign_places(op, target)
        variables.reserve(places.bytes, places.alignment)
        program = ThreadProgram(
            LLVMBuilder(block, op.location, self.lowering.notes_wavefronts),
            target,
            variables,
            block_threads(op),
            places=places,
        )
        for argument, parameter in zip(op.body.block.args, block.args, strict=True):
            parameter.name_hint = argument.name_hint
            program.registers[argument] = (parameter,)
        self.lowering.begin(function, program)


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
        release_allocations(op, program)
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


PATTERNS: Patterns = {
    nv_tileaa.GetNumProgramsOp: LowerGetNumPrograms,
    nv_tileaa.GetProgramIdOp: LowerGetProgramId,
    nv_tileaa.ReturnOp: LowerReturn,
}
