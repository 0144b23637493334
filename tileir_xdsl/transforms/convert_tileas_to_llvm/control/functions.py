"""Functions with their launch bounds, and the coordinates of a tile block."""

from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.allocation.shared_memory_allocation import read_shared_memory
from tileir_xdsl.analysis.allocation.tensor_memory_allocation import read_tensor_memory
from tileir_xdsl.analysis.mma.cta_pairs import has_pairs
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP, block_warps, register_limit
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.launch_attributes import TENSOR_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nvvm.special_registers import (
    ClusterDimXOp,
    GridDimXOp,
    GridDimYOp,
    GridDimZOp,
)
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.targets import DEFAULT_TARGET, Target, get_target

from ..global_memory.heap_allocations import release_allocations
from ..launch_bounds import MIN_BLOCKS_ATTRIBUTE
from ..shared_memory import tensor_memory
from ..shared_memory.barrier_setup import set_up_barriers
from ..thread.builder import KnownValues
from ..thread.clusters import cluster_barrier, tile_block_registers
from ..thread.function_facts import FunctionFacts
from ..thread.module_variables import Variables
from ..thread.patterns import LoweredFunction, Lowering, LowerOp, Patterns
from ..thread.probes import BUFFER_TYPE, plan_probes
from ..thread.program import (
    TENSOR_MAPS,
    ExecutedRegion,
    ThreadProgram,
    ThreadRewriter,
    register_type,
)
from ..thread.register_file import check_registers
from .coordinates import coordinate_of

# `CUtensorMap` has 128 bytes and is aligned to 64 (CUDA driver API).
TENSOR_MAP_PARAMETER = DictionaryAttr(
    {
        "llvm.byval": llvm.LLVMArrayType(128, i8),
        "llvm.align": IntegerAttr(64, i64),
        "nvvm.grid_constant": UnitAttr(),
    }
)
"""The parameter attributes of a tensor map, which is passed by value (`.param`) and read in
place.
"""

GRID_DIM = (GridDimXOp, GridDimYOp, GridDimZOp)
CLUSTERS_IN_GRID = (ClusterDimXOp, GridDimYOp, GridDimZOp)
"""The grid's registers for kernels whose tile blocks are clusters, which have one CTA along y and
z.
"""


class LowerFunc(RewritePattern):
    """Begins the thread program of a kernel: `llvm.func` with the launch attributes of PTX.

    Parameters stay in order; a pointer's known alignment becomes `llvm.align`.
    """

    def __init__(self, lowering: Lowering):
        self.lowering = lowering

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.FuncOp)
        types = [register_type(op, tile_shape(type).element) for type in op.body.block.arg_types]
        probes = plan_probes(op, self.lowering.probed_executions)
        if probes.values:
            types.append(BUFFER_TYPE)
        block = Block(arg_types=types)
        target = module_target(op) or get_target(DEFAULT_TARGET)
        check_registers(op, target)
        function = llvm.FuncOp(
            op.sym_name,
            llvm.LLVMFunctionType(types),
            linkage=llvm.LinkageAttr("external"),
            body=Region(block),
            extra_attrs=launch_attributes(op, target),
        )
        alignments = [parameter_attributes(argument) for argument in op.body.block.args]
        alignments += [DictionaryAttr({})] * (len(types) - len(alignments))
        if any(attributes.data for attributes in alignments):
            function.arg_attrs = ArrayAttr(alignments)
        function.location = op.location
        rewriter.insert(function, InsertPoint.before(op))
        variables = Variables(op.sym_name.data, target.limits)
        shared_allocation = read_shared_memory(op, target)
        # Allocated by a pass; the conversion only states the size.
        variables.reserve(shared_allocation.bytes, shared_allocation.alignment)
        columns = read_tensor_memory(op)
        facts = FunctionFacts(
            target,
            variables,
            shared_allocation,
            columns,
            cluster_shape(op),
            has_pairs(op),
            *(_issuing_warpgroups(op) if columns.of else (1, 0)),
            self.lowering.notes_wavefronts,
        )
        executed = ExecutedRegion(block_threads(op))
        program = ThreadProgram(facts, KnownValues(block), {op.body: executed})
        # With probes, the last parameter is the address of their buffer.
        for argument, parameter in zip(op.body.block.args, block.args, strict=not probes.values):
            parameter.name_hint = argument.name_hint
            program.values[argument] = (parameter,)
        stored = (probes, block.args[-1]) if probes.values else None
        self.lowering.functions[op] = LoweredFunction(function, program, stored)
        inserting = ThreadRewriter.at(op, executed, program, rewriter)
        # Before any access: an agent may arrive at a barrier as its first op.
        set_up_barriers(op, inserting)
        tensor_memory.allocate(op, inserting)


def _issuing_warpgroups(op: nv_tileaa.FuncOp) -> tuple[int, int]:
    """The number of warpgroups that issue MMAs for their own rows, and the first of their
    barriers.
    """
    # Imported where accumulators are in tensor memory: most kernels have none.
    from tileir_xdsl.analysis.mma.warpgroup_mmas import issuing_warpgroups

    from .mutexes import free_named_barrier

    warpgroups = issuing_warpgroups(op)
    return warpgroups, free_named_barrier(op, warpgroups)


def block_threads(op: nv_tileaa.FuncOp) -> int:
    """The threads per block of a kernel; any other function runs in one thread."""
    return 1 if op.kernel_spec is None else THREADS_PER_WARP * block_warps(op)


def launch_attributes(op: nv_tileaa.FuncOp, target: Target) -> dict[str, Attribute]:
    """The NVVM attributes that mark a kernel and state its launch bounds."""
    if op.kernel_spec is None:
        return {}
    attributes: dict[str, Attribute] = {
        "nvvm.kernel": UnitAttr(),
        "nvvm.reqntid": DenseArrayBase.from_list(i32, [block_threads(op), 1, 1]),
        # Resident blocks are set once the resources of a block are known.
        MIN_BLOCKS_ATTRIBUTE: IntegerAttr(1, i32),
    }
    # Without a cluster, ABI `tile` launches one of a single block: the grid counts clusters.
    if (blocks := prod(cluster_shape(op))) > 1 or target.is_self_contained:
        attributes["nvvm.cluster_dim"] = DenseArrayBase.from_list(i32, [blocks, 1, 1])
        attributes["nvvm.blocksareclusters"] = UnitAttr()
    if (registers := register_limit(op, target)) is not None:
        attributes["nvvm.maxnreg"] = IntegerAttr(registers, i32)
    if (maps := op.attributes.get(TENSOR_MAPS_ATTRIBUTE)) is not None:
        attributes[TENSOR_MAPS_ATTRIBUTE] = maps
    return attributes


def parameter_attributes(argument: SSAValue) -> DictionaryAttr:
    """The `llvm.align` of a pointer, from its assumptions; the passing attributes of a tensor
    map.
    """
    if isinstance(argument.type, TENSOR_MAPS):
        return TENSOR_MAP_PARAMETER
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
    def lower(self, op: nv_tileaa.ReturnOp, rewriter: ThreadRewriter) -> None:
        # All must be given back before the kernel exits (PTX ISA, "tcgen05.dealloc").
        release_allocations(op, rewriter)
        tensor_memory.release(rewriter)
        if rewriter.function.shared_allocation.shared_pipelines and not rewriter.function.has_pairs:
            # Other CTAs may still arrive at the barriers of this CTA; pairs have met already.
            cluster_barrier(rewriter)
        if rewriter.program.held.tensor_map_slot is not None:
            # Few kernels make tensor maps.
            from ..global_memory.device_tensor_maps import release_slot

            release_slot(rewriter.program.held.tensor_map_slot, rewriter)
        rewriter.builder.insert_without_result(llvm.ReturnOp())


class LowerGetProgramId(LowerOp[nv_tileaa.GetProgramIdOp]):
    """Reads the coordinate of a tile block: `%ctaid`, or `%clusterid` if the block is a cluster."""

    def lower(self, op: nv_tileaa.GetProgramIdOp, rewriter: ThreadRewriter) -> None:
        if op.program is not None:
            position = coordinate_of(op.program, op.axis.value.data, rewriter)
            rewriter.replace(op.result, (position,))
            return
        register = rewriter.builder.insert(tile_block_registers(rewriter)[op.axis.value.data]())
        rewriter.replace(op.result, (register,))


class LowerGetNumPrograms(LowerOp[nv_tileaa.GetNumProgramsOp]):
    def lower(self, op: nv_tileaa.GetNumProgramsOp, rewriter: ThreadRewriter) -> None:
        extents = GRID_DIM if rewriter.function.cluster == (1, 1) else CLUSTERS_IN_GRID
        register = rewriter.builder.insert(extents[op.axis.value.data]())
        rewriter.replace(op.result, (register,))


PATTERNS: Patterns = {
    nv_tileaa.GetNumProgramsOp: LowerGetNumPrograms,
    nv_tileaa.GetProgramIdOp: LowerGetProgramId,
    nv_tileaa.ReturnOp: LowerReturn,
}
