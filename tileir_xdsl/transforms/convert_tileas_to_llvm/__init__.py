"""`convert-tileas-to-llvm`: the program of one thread.

A tile becomes the registers that its layout assigns to a thread, an access the vector instructions
that its copy atom names, a kernel an `llvm.func` with the launch bounds of its kernel_spec. Layouts
and atoms alone determine the code.

    %y = nv_tileaa.addf %a, %b : tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ..>>
    ->
    %y0 = llvm.fadd %a0, %b0 : f32      // and seven more, one a register
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.buffers import shared_memory_allocation, tensor_memory_allocation
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.levels import LLVM, check_legal
from tileir_xdsl.rewriting import OpDispatch, PatternTable, look_up
from tileir_xdsl.transforms.function_pass import functions_in
from tileir_xdsl.transforms.tileas_allocate_shared_memory import TileASAllocateSharedMemoryPass
from tileir_xdsl.transforms.tileas_allocate_tensor_memory import TileASAllocateTensorMemoryPass
from tileir_xdsl.transforms.tileas_insert_barriers import insert_barriers
from tileir_xdsl.transforms.tileas_select_lowering import select_missing

from . import math
from .arithmetic import (
    element_conversions,
    float_remainder,
    floating_point,
    integer,
    integer_powers,
)
from .control import (
    agents,
    async_values,
    barriers,
    functions,
    mutexes,
    program_ids,
    structured_control_flow,
    tcgen05_mma_loops,
)
from .control.functions import LowerFunc
from .global_memory import (
    async_copies,
    atomics,
    convolution_addresses,
    device_tensor_maps,
    gather_scatter,
    global_variables,
    heap_allocations,
    memory_order,
    multimem,
    pointer_accesses,
    tma_copies,
    tma_rows,
    view_accesses,
)
from .global_memory.global_variables import LowerGlobal
from .launch_bounds import bound_occupancy
from .math import external
from .mma import convolutions, dot
from .shared_memory import buffer_allocation, buffer_copies, pipelines
from .thread import clusters
from .thread.module_variables import Variables
from .thread.patterns import Lowering, Patterns
from .tiles import (
    buffer_views,
    generated_tiles,
    hints,
    packing,
    print_and_assert,
    reductions,
    scans,
    shapes,
)

PATTERNS: Patterns = {
    **agents.PATTERNS,
    **heap_allocations.PATTERNS,
    **async_copies.PATTERNS,
    **atomics.PATTERNS,
    **barriers.PATTERNS,
    **buffer_views.PATTERNS,
    **buffer_allocation.PATTERNS,
    **clusters.PATTERNS,
    **print_and_assert.PATTERNS,
    **external.PATTERNS,
    **memory_order.PATTERNS,
    **structured_control_flow.PATTERNS,
    **element_conversions.PATTERNS,
    **convolution_addresses.PATTERNS,
    **convolutions.PATTERNS,
    **device_tensor_maps.PATTERNS,
    **floating_point.PATTERNS,
    **functions.PATTERNS,
    **async_values.PATTERNS,
    **gather_scatter.PATTERNS,
    **global_variables.PATTERNS,
    **hints.PATTERNS,
    **integer.PATTERNS,
    **math.PATTERNS,
    **dot.PATTERNS,
    **pointer_accesses.PATTERNS,
    **multimem.PATTERNS,
    **mutexes.PATTERNS,
    **packing.PATTERNS,
    **pipelines.PATTERNS,
    **integer_powers.PATTERNS,
    **tcgen05_mma_loops.PATTERNS,
    **program_ids.PATTERNS,
    **reductions.PATTERNS,
    **float_remainder.PATTERNS,
    **scans.PATTERNS,
    **shapes.PATTERNS,
    **generated_tiles.PATTERNS,
    **buffer_copies.PATTERNS,
    **tma_copies.PATTERNS,
    **tma_rows.PATTERNS,
    **view_accesses.PATTERNS,
}
"""How each op inside a function is converted."""


def patterns(lowering: Lowering) -> PatternTable:
    """One pattern per op type; those in a function share its value map."""
    inside = {op: pattern(lowering) for op, pattern in PATTERNS.items()}
    lowering.table = inside
    return {nv_tileaa.FuncOp: LowerFunc(lowering), nv_tileaa.GlobalOp: LowerGlobal(), **inside}


def flatten_modules(module: ModuleOp) -> None:
    """Hoists the functions of nested modules: LLVM and PTX have one flat symbol table."""
    symbols: set[str] = set()
    for nested in [op for op in module.walk() if isinstance(op, ModuleOp)]:
        for op in tuple(nested.body.block.ops):
            # A nested module is visited in its own turn.
            if isinstance(op, ModuleOp):
                continue
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                if name.data in symbols:
                    fail(op, f"'{op.name}' op redefinition of symbol @{name.data}")
                symbols.add(name.data)
            if nested is not module:
                op.detach()
                module.body.block.add_op(op)
    for nested in [op for op in module.body.block.ops if isinstance(op, ModuleOp)]:
        nested.detach()
        nested.erase()


def define_variables(function: llvm.FuncOp, variables: Variables) -> None:
    """Inserts the variables of a function before it, and states the dynamic shared memory of a
    launch.
    """
    block = function.parent
    assert block is not None
    for variable in variables.definitions():
        variable.location = function.location
        block.insert_op_before(variable, function)
    if size := variables.dynamic_shared_bytes:
        function.attributes[DYNAMIC_SHARED_ATTRIBUTE] = IntegerAttr(size, i32)


def decide_missing(ctx: Context, module: ModuleOp) -> None:
    """Selects strategies for ops that have none; allocates memory, and has calls inlined, where no
    function has been allocated yet; inserts barriers in functions where that has not been done.

    Memory that an op lacks in a function that has been allocated is an error.
    """
    functions = [op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp)]
    # If one is allocated, the passes ran: running them again would hide an error.
    if not any(map(shared_memory_allocation.is_allocated, functions)):
        TileASAllocateSharedMemoryPass().apply(ctx, module)
    if not any(map(tensor_memory_allocation.is_allocated, functions)):
        TileASAllocateTensorMemoryPass().apply(ctx, module)
    for function in functions_in((module,)):
        # After allocation, which expands ops into others: it plans as if these were selected.
        select_missing(function)
        insert_barriers(function)


def check_probes(numbers: Sequence[int], functions: Sequence[nv_tileaa.FuncOp]) -> None:
    """Raises `PassFailedException` for a number that no op of any function has."""
    labels = [OperationLabels(function) for function in functions]
    for number in numbers:
        if not any(each.find(number) for each in labels):
            raise PassFailedException(f"probe={number} names no op of a kernel")


@dataclass(frozen=True)
class ConvertTileASToLLVMPass(ModulePass):
    """Converts kernels with layouts to `llvm` and `nvvm`.

    `wavefronts` annotates each access of shared memory with its expected wavefronts per warp, as
    `nv_tileas.wavefronts`. `probe` lists ops by their numbers in reports: kernels that have one
    take a buffer as their last parameter, in which each thread stores the registers of its results
    (`thread/probes.py`), as often as `probe_executions` says at the same position, 1 where it
    says nothing.
    """

    name = "convert-tileas-to-llvm"

    wavefronts: bool = False
    probe: tuple[int, ...] = ()
    probe_executions: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decide_missing(ctx, op)
        functions = [function for function in op.walk() if isinstance(function, nv_tileaa.FuncOp)]
        check_probes(self.probe, functions)
        lowering = Lowering(
            notes_wavefronts=self.wavefronts,
            probed_executions=dict(zip_longest(self.probe, self.probe_executions, fillvalue=1)),
        )
        table = patterns(lowering)
        for function in functions:
            for nested in function.walk():
                if look_up(table, nested) is None:
                    # Before anything is rewritten, so that the note names an op of the user.
                    fail(nested, f"'{nested.name}' op cannot be converted to llvm")
        # One visit an op: what patterns insert is llvm, and need not be walked again.
        PatternRewriteWalker(OpDispatch(table), apply_recursively=False).rewrite_module(op)
        for source, (function, program) in zip(functions, lowering.programs, strict=True):
            # After the walk, when all shared memory of the function is known.
            bound_occupancy(
                source, function, program.function.variables.shared_bytes, program.function.target
            )
        for function in functions:
            function.detach()
            function.erase()
        # Several functions may call one external function, and a symbol is declared once.
        declared: set[str] = set()
        for function, program in lowering.programs:
            define_variables(function, program.function.variables)
            for name, declaration in program.function.variables.declarations.items():
                if name not in declared:
                    op.body.block.add_op(declaration)
                declared.add(name)
        flatten_modules(op)
        check_legal(op, LLVM)
